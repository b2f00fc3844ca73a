//! Owns the declarations of the demo's servers, as `server.register` takes them. Invariant: each
//! holds only what a tenant's admin could have written down about a system of theirs.

use serde_json::{Value, json};

/// For how long a repeated write is answered from the first, in seconds: a day.
const WINDOW_SECONDS: u32 = 86_400;

/// A server over plain HTTP on loopback, which only an operator can have allowed.
fn server(at: (&str, &str, &str), origin: &str, tools: &Value) -> Value {
    let (scope, name, title) = at;
    json!({
        "scope": scope, "name": name, "title": title, "tools": tools,
        "instance": {
            "shape": "http", "origin": origin, "allow_http": true, "allow_private": ["127.0.0.0/8"],
        },
    })
}

fn argument(name: &str, place: &str, schema: &Value, required: bool) -> Value {
    json!({ "name": name, "in": place, "required": required, "schema": schema })
}

fn word(about: &str, longest: u32) -> Value {
    json!({ "type": "string", "description": about, "minLength": 1, "maxLength": longest })
}

/// The billing API, with the credential that the place was given.
pub(super) fn billing(scope: &str, origin: &str, credential: &str) -> Value {
    let number = word("The invoice's number, as in INV-2041.", 20);
    let tools = json!([
        {
            "name": "invoice.lookup", "effect": "read", "labels": ["personal"],
            "about": "Looks up one invoice by its number, with the customer it went to.",
            "endpoint": {
                "method": "GET", "path": "/billing/invoices/{number}",
                "arguments": [argument("number", "path", &number, true)],
            },
        },
        {
            "name": "invoice.list", "effect": "read", "labels": [],
            "about": "Lists the invoices, all or those in one state.",
            "endpoint": {
                "method": "GET", "path": "/billing/invoices",
                "arguments": [argument("state", "query", &json!({
                    "type": "string", "enum": ["open", "overdue", "paid"],
                    "description": "Only those in this state.",
                }), false)],
            },
        },
        {
            "name": "customer.get", "effect": "read", "labels": ["personal"],
            "about": "One customer with e-mail, telephone and bank account, by their id.",
            "endpoint": {
                "method": "GET", "path": "/billing/customers/{id}",
                "arguments": [argument("id", "path", &word("The customer's id, as in C-100.", 20), true)],
            },
        },
        {
            "name": "refund.create", "effect": "financial", "labels": [],
            "about": "Pays money back for an invoice.",
            "endpoint": {
                "method": "POST", "path": "/billing/refunds", "body": "json",
                "arguments": [
                    argument("invoice", "body", &number, true),
                    argument("amount_cents", "body", &json!({
                        "type": "integer", "description": "How much, in cents.", "minimum": 1,
                    }), true),
                ],
                "idempotency": { "window_seconds": WINDOW_SECONDS, "upstream_header": "Idempotency-Key" },
            },
        },
    ]);
    let mut server = server((scope, "billing", "Billing"), origin, &tools);
    if let Some(instance) = server.get_mut("instance").and_then(Value::as_object_mut) {
        let placement = json!({ "kind": "header", "name": "X-Api-Key" });
        let credential = json!({ "id": credential, "placement": placement });
        instance.insert("credential".to_owned(), credential);
    }
    server
}

/// The ticket desk and the services' logs: anybody can have written what they hold.
pub(super) fn tickets(origin: &str) -> Value {
    let number = json!({ "type": "integer", "description": "The ticket's number.", "minimum": 1 });
    let tools = json!([
        {
            "name": "ticket.get", "effect": "read", "labels": ["untrusted"],
            "about": "One ticket, by its number.",
            "endpoint": {
                "method": "GET", "path": "/desk/tickets/{number}",
                "arguments": [argument("number", "path", &number, true)],
            },
        },
        {
            "name": "ticket.search", "effect": "read", "labels": ["untrusted"],
            "about": "Finds tickets by a part of their subject.",
            "endpoint": {
                "method": "GET", "path": "/desk/tickets",
                "arguments": [argument("words", "query", &word("A part of the subject.", 200), true)],
            },
        },
        {
            "name": "ticket.create", "effect": "write", "labels": [],
            "about": "Opens a ticket for the people of the desk.",
            "endpoint": {
                "method": "POST", "path": "/desk/tickets", "body": "json",
                "arguments": [
                    argument("subject", "body", &word("What it is about, in a line.", 200), true),
                    argument("body", "body", &word("The whole of it.", 4000), false),
                ],
                "idempotency": { "window_seconds": WINDOW_SECONDS, "upstream_header": "Idempotency-Key" },
            },
        },
        {
            "name": "log.read", "effect": "read", "labels": ["untrusted"],
            "about": "The log of one service, whole. It is long: read it by slices.",
            "endpoint": {
                "method": "GET", "path": "/desk/logs/{service}",
                "arguments": [argument("service", "path", &word("The service, as in checkout.", 40), true)],
                "media_types": ["text/plain"],
            },
        },
    ]);
    server(("acme/shop", "tickets", "Tickets and logs"), origin, &tools)
}

/// The support group's messages: a neighbour of the shop.
pub(super) fn inbox(origin: &str) -> Value {
    let tools = json!([{
        "name": "message.list", "effect": "read", "labels": ["untrusted", "confidential"],
        "about": "The messages that the support group has not read.",
        "endpoint": { "method": "GET", "path": "/desk/messages" },
    }]);
    server(("acme/support/mail", "inbox", "Support's messages"), origin, &tools)
}

/// What the other tenant declared.
pub(super) fn parcels(origin: &str) -> Value {
    let number = word("The parcel's number.", 40);
    let tools = json!([{
        "name": "parcel.track", "effect": "read", "labels": [],
        "about": "Where a parcel is now, by its number.",
        "endpoint": {
            "method": "GET", "path": "/parcels/{number}",
            "arguments": [argument("number", "path", &number, true)],
        },
    }]);
    server(("globex/depot", "parcels", "Parcel tracking"), origin, &tools)
}
