//! Owns the Gate and the ledger without a tool: calls that are judged and recorded and reach nothing
//! outside, made to the router itself, with no socket between.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tower::ServiceExt;

use super::Plan;
use crate::baseline;
use crate::insert::Inserts;
use crate::pin::{Halves, run};
use crate::report::{Figure, Sides};
use crate::site::{Site, TOOL};
use crate::stat::{Spread, real};

/// How many calls are under way.
const TOGETHER: usize = 32;
/// About what one entry of the ledger holds.
pub(crate) const ENTRY_BYTES: usize = 700;

/// A request to a router, and what is done beside it.
#[derive(Debug, Clone)]
struct Way {
    app: Router,
    path: String,
    token: String,
    body: Option<Value>,
    inserts: Option<Inserts>,
}

/// Measures a dry run and a read from a seat.
///
/// # Errors
/// When a call is not answered as it should be.
pub(crate) fn figures(plan: Plan, halves: &Halves, site: &Site) -> anyhow::Result<Vec<Figure>> {
    let rows = site.world.dir.path().join("rows-gate.db");
    let inserts = run(&halves.serve, async move { Inserts::start(&rows).await })?;
    let dry = json!({ "address": TOOL, "arguments": { "number": 412 }, "dry_run": true });
    let ways = [
        ("gate.dry_run", "a dry run", "/v1/call".to_owned(), Some(dry)),
        ("gate.seat_read", "`content.metadata`", format!("/v1/content/{}", site.handle), None),
    ];
    let mut figures = Vec::new();
    for (name, what, path, body) in ways {
        let ours =
            Way { app: site.app.clone(), path, token: site.agent.clone(), body, inserts: None };
        let inserts = Some(inserts.clone());
        let (rounds, lasts) = (plan.closed().rounds, plan.closed().lasts);
        let sides = run(&halves.serve, async move {
            let answer = serde_json::from_slice(&once(&ours).await?)?;
            let base = Way { app: baseline::json_handler(answer), inserts, ..ours.clone() };
            let mut sides = Sides::default();
            for _ in 0..rounds {
                let per_second = round(&ours, lasts).await?;
                sides.push(per_second, round(&base, lasts).await?);
            }
            Ok(sides)
        })?;
        let what = format!(
            "{what}, Gate and ledger and no tool, over a bare JSON handler and one insert; no sockets"
        );
        let us: Spread = sides.spread(|ours, _| 1e6 / ours);
        figures.push(Figure::new(name, &what, sides.spread(|ours, base| ours / base)).detail(
            format!("{}; {:.0} µs a call of ours, all counted", sides.said("calls/s"), us.median),
        ));
    }
    Ok(figures)
}

/// Calls in a second.
async fn round(way: &Way, lasts: Duration) -> anyhow::Result<f64> {
    let start = Instant::now();
    let end = start + lasts;
    let mut calling = JoinSet::new();
    for _ in 0..TOGETHER {
        let way = way.clone();
        calling.spawn(async move {
            let mut calls = 0_usize;
            while Instant::now() < end {
                once(&way).await?;
                calls += 1;
            }
            anyhow::Ok(calls)
        });
    }
    let mut calls = 0;
    while let Some(ended) = calling.join_next().await {
        calls += ended.context("a caller panicked")??;
    }
    Ok(real(calls) / start.elapsed().as_secs_f64())
}

async fn once(way: &Way) -> anyhow::Result<Vec<u8>> {
    let method = if way.body.is_some() { http::Method::POST } else { http::Method::GET };
    let body = way.body.as_ref().map_or_else(Body::empty, |body| Body::from(body.to_string()));
    let peer: SocketAddr = ([127, 0, 0, 1], 9).into();
    let request = http::Request::builder()
        .method(method)
        .uri(&way.path)
        .header("host", "127.0.0.1")
        .header("authorization", format!("Bearer {}", way.token))
        .header("content-type", "application/json")
        .extension(ConnectInfo(peer))
        .body(body)?;
    let response = way.app.clone().oneshot(request).await?;
    let status = response.status();
    let body = response.into_body().collect().await.context("a body")?.to_bytes();
    if status != http::StatusCode::OK {
        bail!("{status}: {}", String::from_utf8_lossy(&body));
    }
    if let Some(inserts) = &way.inserts {
        inserts.insert("x".repeat(ENTRY_BYTES)).await?;
    }
    Ok(body.to_vec())
}
