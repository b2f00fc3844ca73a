//! Owns the upstream that is called: one ticket, answered at once. It remembers nothing, so that what
//! grows is not the upstream.

use axum::extract::Path;
use axum::routing::get;
use axum::{Json, Router};
use serde_json::{Value, json};

/// What is asked of it.
pub(crate) const TICKET: &str = "/tickets/412";

/// The upstream.
pub(crate) fn router() -> Router {
    let log = || async { ([("content-type", "text/plain")], e2e::upstream::large()) };
    Router::new().route("/tickets/{number}", get(ticket)).route("/log", get(log))
}

async fn ticket(Path(number): Path<u32>) -> Json<Value> {
    Json(json!({
        "number": number, "subject": "Cannot pay", "state": "open",
        "text": "The form asks for the card again and again, and nothing is charged."
    }))
}
