//! Owns the stand-in desk: tickets, which anybody can write, messages, and the logs of services.
//! Invariant: what it answers is made of what others wrote, so all of it is untrusted.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Json, Response};
use axum::routing::get;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{SERVICE, Seen, error, log};

/// Number, subject and state of the tickets that are there from the start.
const TICKETS: [(u64, &str, &str); 4] = [
    (410, "The discount code is refused", "closed"),
    (411, "Charged twice for one order", "open"),
    (412, "Cannot pay: the page waits and then fails", "open"),
    (413, "Where is my parcel", "open"),
];
/// The first number of what is created here.
const FIRST_NEW: u64 = 501;

pub(super) fn routes() -> Router<Arc<Seen>> {
    Router::new()
        .route("/desk/tickets", get(search).post(create))
        .route("/desk/tickets/{number}", get(ticket))
        .route("/desk/logs/{service}", get(read_log))
        .route("/desk/messages", get(messages))
}

fn told(&(number, subject, state): &(u64, &str, &str)) -> Value {
    json!({ "number": number, "subject": subject, "state": state })
}

async fn ticket(State(seen): State<Arc<Seen>>, Path(number): Path<u64>) -> Response {
    seen.count("GET /desk/tickets/{number}");
    let own = TICKETS.iter().find(|known| known.0 == number).map(told);
    let made = || {
        let is_it = |ticket: &&Value| ticket.get("number").and_then(Value::as_u64) == Some(number);
        seen.with(|known| known.tickets.iter().find(is_it).cloned())
    };
    match own.or_else(made) {
        Some(ticket) => Json(ticket).into_response(),
        None => error(StatusCode::NOT_FOUND, "there is no such ticket"),
    }
}

#[derive(Debug, Deserialize)]
struct Wanted {
    words: String,
}

async fn search(State(seen): State<Arc<Seen>>, Query(wanted): Query<Wanted>) -> Response {
    seen.count("GET /desk/tickets");
    let made = seen.with(|known| known.tickets.clone());
    let words = wanted.words.to_lowercase();
    let fits = |ticket: &Value| {
        let subject = ticket.get("subject").and_then(Value::as_str).unwrap_or_default();
        subject.to_lowercase().contains(&words)
    };
    let found: Vec<Value> = TICKETS.iter().map(told).chain(made).filter(fits).collect();
    Json(json!({ "tickets": found })).into_response()
}

#[derive(Debug, Deserialize)]
struct New {
    subject: String,
    body: Option<String>,
}

async fn create(
    State(seen): State<Arc<Seen>>,
    headers: HeaderMap,
    Json(new): Json<New>,
) -> Response {
    let answer = seen.once("POST /desk/tickets", &headers, |known| {
        let made = u64::try_from(known.tickets.len()).unwrap_or_default();
        let ticket = json!({
            "number": FIRST_NEW + made, "subject": new.subject, "body": new.body, "state": "open",
        });
        known.tickets.push(ticket.clone());
        ticket
    });
    (StatusCode::CREATED, Json(answer)).into_response()
}

async fn read_log(State(seen): State<Arc<Seen>>, Path(service): Path<String>) -> Response {
    seen.count("GET /desk/logs/{service}");
    if service != SERVICE {
        return error(StatusCode::NOT_FOUND, "there is no such service");
    }
    log::text().into_response()
}

async fn messages(State(seen): State<Arc<Seen>>) -> Response {
    seen.count("GET /desk/messages");
    Json(json!({ "messages": [{ "subject": "Rota of December", "unread": true }] })).into_response()
}
