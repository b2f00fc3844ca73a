//! Owns the stand-in billing API: customers, invoices and refunds, all personal. Invariant: nothing
//! is answered without one of the keys that it gave out.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, Query, Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Json, Response};
use axum::routing::{get, post};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{CHECKOUT_KEY, INVOICE, RETURNS_KEY, Seen, error};

/// Name, e-mail, telephone and account of the customers. The accounts are the example numbers of
/// the IBAN registry, the telephone numbers those that regulators keep for fiction.
const CUSTOMERS: [(&str, &str, &str, &str, &str); 4] = [
    (
        "C-100",
        "Lena Brandt",
        "lena.brandt@example.com",
        "+49 30 23125 014",
        "DE89370400440532013000",
    ),
    (
        "C-101",
        "Tomas Varga",
        "tomas.varga@example.com",
        "+44 20 7946 0321",
        "GB29NWBK60161331926819",
    ),
    (
        "C-102",
        "Mireille Duval",
        "mireille.duval@example.org",
        "+33 1 99 00 45 12",
        "FR1420041010050500013M02606",
    ),
    ("C-103", "Joost de Wit", "joost.dewit@example.net", "+44 20 7946 0987", "NL91ABNA0417164300"),
];

/// Number, customer, amount in cents and state of the invoices.
const INVOICES: [(&str, &str, i64, &str); 6] = [
    ("INV-2039", "C-101", 12_900, "paid"),
    ("INV-2040", "C-102", 4_550, "open"),
    (INVOICE, "C-100", 23_980, "open"),
    ("INV-2042", "C-103", 890, "paid"),
    ("INV-2043", "C-100", 6_100, "overdue"),
    ("INV-2044", "C-102", 17_425, "paid"),
];

pub(super) fn routes() -> Router<Arc<Seen>> {
    Router::new()
        .route("/billing/customers/{id}", get(customer))
        .route("/billing/invoices", get(invoices))
        .route("/billing/invoices/{number}", get(invoice))
        .route("/billing/refunds", post(refund))
        .layer(from_fn(with_a_key))
}

async fn with_a_key(request: Request, next: Next) -> Response {
    let key = request.headers().get("x-api-key").and_then(|key| key.to_str().ok());
    match key {
        Some(CHECKOUT_KEY | RETURNS_KEY) => next.run(request).await,
        _ => error(StatusCode::UNAUTHORIZED, "no key, or one that is not known"),
    }
}

fn customer_of(id: &str) -> Option<Value> {
    CUSTOMERS.iter().find(|known| known.0 == id).map(|(id, name, email, phone, iban)| {
        json!({ "id": id, "name": name, "email": email, "phone": phone, "iban": iban })
    })
}

fn told(&(number, customer, cents, state): &(&str, &str, i64, &str)) -> Value {
    json!({ "number": number, "customer_id": customer, "amount_cents": cents, "currency": "EUR", "state": state })
}

async fn customer(State(seen): State<Arc<Seen>>, Path(id): Path<String>) -> Response {
    seen.count("GET /billing/customers/{id}");
    match customer_of(&id) {
        Some(customer) => Json(customer).into_response(),
        None => error(StatusCode::NOT_FOUND, "there is no such customer"),
    }
}

#[derive(Debug, Deserialize)]
struct Wanted {
    state: Option<String>,
}

async fn invoices(State(seen): State<Arc<Seen>>, Query(wanted): Query<Wanted>) -> Response {
    seen.count("GET /billing/invoices");
    let fits =
        |one: &&(&str, &str, i64, &str)| wanted.state.as_ref().is_none_or(|state| one.3 == state);
    let found: Vec<Value> = INVOICES.iter().filter(fits).map(told).collect();
    Json(json!({ "invoices": found })).into_response()
}

async fn invoice(State(seen): State<Arc<Seen>>, Path(number): Path<String>) -> Response {
    seen.count("GET /billing/invoices/{number}");
    let Some(found) = INVOICES.iter().find(|known| known.0 == number) else {
        return error(StatusCode::NOT_FOUND, "there is no such invoice");
    };
    let mut told = told(found);
    if let Some(members) = told.as_object_mut() {
        members.insert("customer".to_owned(), customer_of(found.1).unwrap_or_default());
        members.insert("due".to_owned(), json!("2026-12-15"));
    }
    Json(told).into_response()
}

#[derive(Debug, Deserialize)]
struct Refund {
    invoice: String,
    amount_cents: i64,
}

async fn refund(
    State(seen): State<Arc<Seen>>,
    headers: HeaderMap,
    Json(asked): Json<Refund>,
) -> Response {
    let known = INVOICES.iter().find(|known| known.0 == asked.invoice);
    if known.is_none_or(|known| asked.amount_cents > known.2 || asked.amount_cents < 1) {
        return error(StatusCode::UNPROCESSABLE_ENTITY, "no such invoice, or more than it is over");
    }
    let answer = seen.once("POST /billing/refunds", &headers, |known| {
        known.refunds += 1;
        json!({
            "refund": format!("REF-{}", known.refunds), "invoice": asked.invoice,
            "amount_cents": asked.amount_cents,
        })
    });
    (StatusCode::CREATED, Json(answer)).into_response()
}
