//! Owns the systems that the demo's tenants declare: a billing API, a desk with tickets, messages
//! and a log, and a parcel service, all stand-ins on one loopback port. Invariant: each request that
//! took effect is counted once under its route, so that what a caller claims can be held against
//! what was done.

mod billing;
mod desk;
mod log;

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Json, Response};
use axum::routing::get;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// The key that the billing API gave the checkout team.
pub(crate) const CHECKOUT_KEY: &str = "demo-key-of-the-checkout-team";
/// The key that the billing API gave the returns team.
pub(crate) const RETURNS_KEY: &str = "demo-key-of-the-returns-team";
/// The invoice that the demo reads.
pub(crate) const INVOICE: &str = "INV-2041";
/// The service whose log the demo reads.
pub(crate) const SERVICE: &str = "checkout";

/// The stand-ins at work. Dropped, they stop.
#[derive(Debug)]
pub(crate) struct Upstream {
    /// Scheme, host and port, as declarations and credentials name it.
    pub(crate) origin: String,
    seen: Arc<Seen>,
    serving: JoinHandle<()>,
}

/// What the stand-ins were asked and what came of it.
#[derive(Debug, Default)]
struct Seen(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    counts: BTreeMap<&'static str, u64>,
    /// What was answered under each idempotency key, by route and key.
    answered: BTreeMap<(&'static str, String), Value>,
    tickets: Vec<Value>,
    refunds: u64,
}

impl Upstream {
    /// Starts the stand-ins on a free loopback port.
    pub(crate) async fn start() -> std::io::Result<Self> {
        let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await?;
        let origin = format!("http://{}", listener.local_addr()?);
        let seen = Arc::new(Seen::default());
        let router = Router::new()
            .merge(billing::routes())
            .merge(desk::routes())
            .route("/parcels/{number}", get(parcel))
            .with_state(Arc::clone(&seen));
        let serving = tokio::spawn(async move {
            // It ends with the task, or with a listener that failed, which the next call shows.
            drop(axum::serve(listener, router).await);
        });
        Ok(Self { origin, seen, serving })
    }

    /// How many requests to `route` took effect, as in `POST /desk/tickets`.
    pub(crate) fn count(&self, route: &str) -> u64 {
        self.seen.with(|known| known.counts.get(route).copied().unwrap_or_default())
    }

    /// How many requests took effect in all.
    pub(crate) fn total(&self) -> u64 {
        self.seen.with(|known| known.counts.values().sum())
    }
}

impl Drop for Upstream {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Seen {
    fn with<T>(&self, act: impl FnOnce(&mut Known) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn count(&self, route: &'static str) {
        self.with(|known| *known.counts.entry(route).or_default() += 1);
    }

    /// Does `act` once for each idempotency key; a request without one is done each time.
    fn once(
        &self,
        route: &'static str,
        headers: &HeaderMap,
        act: impl FnOnce(&mut Known) -> Value,
    ) -> Value {
        let key = headers.get("idempotency-key").and_then(|key| key.to_str().ok());
        let key = key.map(|key| (route, key.to_owned()));
        self.with(|known| {
            if let Some(answer) = key.as_ref().and_then(|key| known.answered.get(key)) {
                return answer.clone();
            }
            *known.counts.entry(route).or_default() += 1;
            let answer = act(known);
            if let Some(key) = key {
                known.answered.insert(key, answer.clone());
            }
            answer
        })
    }
}

/// An error in the form of the stand-ins.
fn error(status: StatusCode, say: &str) -> Response {
    (status, Json(json!({ "error": say }))).into_response()
}

async fn parcel(State(seen): State<Arc<Seen>>, Path(number): Path<String>) -> Response {
    seen.count("GET /parcels/{number}");
    Json(json!({ "number": number, "state": "in_transit", "depot": "north" })).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_took_effect_is_counted_once_for_each_key() {
        // Another test may have installed it.
        drop(rustls::crypto::ring::default_provider().install_default());
        let upstream = Upstream::start().await.expect("listens");
        let http = super::super::api::http().expect("a client");
        let post = |key: Option<&str>| {
            let request = http.post(format!("{}/desk/tickets", upstream.origin));
            let request = request.json(&json!({ "subject": "Hello" }));
            match key {
                Some(key) => request.header("Idempotency-Key", key).send(),
                None => request.send(),
            }
        };
        for key in [Some("a"), Some("a"), Some("b"), None, None] {
            assert_eq!(post(key).await.expect("answers").status(), 201);
        }
        assert_eq!(upstream.count("POST /desk/tickets"), 4);
        let invoice = format!("{}/billing/invoices/{INVOICE}", upstream.origin);
        let bare = http.get(&invoice).send().await.expect("answers");
        assert_eq!(bare.status(), 401);
        let known = http.get(&invoice).header("X-Api-Key", RETURNS_KEY).send().await;
        assert_eq!(known.expect("answers").status(), 200);
        assert_eq!(upstream.count("GET /billing/invoices/{number}"), 1);
        assert_eq!(upstream.total(), 5);
    }
}
