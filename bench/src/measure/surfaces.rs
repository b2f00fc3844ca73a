//! Owns throughput over loopback, on REST and on MCP, as a share of what answers the same request with the
//! same body and does nothing else.

use std::net::SocketAddr;

use anyhow::Context;
use axum::Router;
use serde_json::Value;

use super::Plan;
use crate::client::Shot;
use crate::pin::{Halves, run};
use crate::report::{Figure, Target};
use crate::site::Site;
use crate::{baseline, closed, shots};

/// What REST should come to, and MCP.
const REST: Target = Target::AtLeast(0.25);
const MCP: Target = Target::AtLeast(0.5);

/// What is measured, by name: a request, and what it is held against.
struct Duel {
    name: &'static str,
    what: &'static str,
    shot: Shot,
    base: fn(Value) -> Router,
    target: Option<Target>,
}

/// Measures what `chosen` lets through.
///
/// # Errors
/// When a call is not answered as it should be.
pub(crate) fn figures(
    plan: Plan,
    halves: &Halves,
    site: &Site,
    chosen: &dyn Fn(&str) -> bool,
) -> anyhow::Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for duel in duels(site).into_iter().filter(|duel| chosen(duel.name)) {
        let ours = duel.shot.clone();
        let answer = run(&halves.load, async move { shots::answer(&ours).await })?;
        let app = (duel.base)(payload(answer)?);
        let at = serve(halves, app)?;
        figures.push(figure(plan, halves, &duel, at)?);
    }
    if chosen("rest.http_read_over_relay") {
        let target = format!("http://{}{}", site.upstream, crate::upstream::TICKET).parse()?;
        let at = serve(halves, baseline::relay(target))?;
        let duel = Duel {
            name: "rest.http_read_over_relay",
            what: "a declared `http` read over a JSON handler that makes the same call upstream",
            shot: shots::rest_read(site),
            base: baseline::json_handler,
            target: None,
        };
        figures.push(figure(plan, halves, &duel, at)?);
    }
    Ok(figures)
}

fn serve(halves: &Halves, app: Router) -> anyhow::Result<SocketAddr> {
    run(&halves.serve, async move { baseline::serve(app).await })
}

fn figure(plan: Plan, halves: &Halves, duel: &Duel, at: SocketAddr) -> anyhow::Result<Figure> {
    let (ours, base, how) = (duel.shot.clone(), duel.shot.at(at), plan.closed());
    let sides = run(&halves.load, async move { closed::duel(ours, base, how).await })?;
    let figure = Figure::new(duel.name, duel.what, sides.spread(|ours, base| ours / base))
        .detail(format!("{}{}", sides.said("calls/s"), sides.said_times()));
    Ok(match duel.target {
        Some(target) => figure.target(target),
        None => figure,
    })
}

fn duels(site: &Site) -> [Duel; 4] {
    [
        Duel {
            name: "rest.content_metadata",
            what: "`content.metadata` over REST over a bare axum JSON handler",
            shot: shots::rest_metadata(site),
            base: baseline::json_handler,
            target: Some(REST),
        },
        Duel {
            name: "rest.http_read",
            what: "a declared `http` read over REST over a bare axum JSON handler, which calls nothing",
            shot: shots::rest_read(site),
            base: baseline::json_handler,
            target: Some(REST),
        },
        Duel {
            name: "mcp.content_metadata",
            what: "`content.metadata` over MCP over a bare rmcp server",
            shot: shots::mcp_metadata(site),
            base: baseline::mcp,
            target: Some(MCP),
        },
        Duel {
            name: "mcp.http_read",
            what: "a declared `http` read over MCP over a bare rmcp server, which calls nothing",
            shot: shots::mcp_read(site),
            base: baseline::mcp,
            target: Some(MCP),
        },
    ]
}

/// What a baseline is given to answer: the envelope itself, out of whatever it was wrapped in.
fn payload(answer: Value) -> anyhow::Result<Value> {
    if answer.get("jsonrpc").is_none() {
        return Ok(answer);
    }
    let result = answer.get("result").context("a result")?;
    anyhow::ensure!(result.get("isError") != Some(&Value::Bool(true)), "refused: {result}");
    result.get("structuredContent").cloned().context("structured content")
}
