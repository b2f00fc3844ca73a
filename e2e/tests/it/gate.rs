//! The Gate from outside: what is held, released, blocked, repeated, recorded and limited.

mod approvals;
mod content;
mod door;
mod idempotency;
mod labels;
mod lookup;
mod packs;
mod records;
mod releases;

use e2e::{Said, World};
use serde_json::{Value, json};

const GET: &str = "shop/tickets.ticket.get";
const CREATE: &str = "shop/tickets.ticket.create";

fn subject(text: &str) -> Value {
    json!({ "subject": text })
}

/// How many tickets the upstream was asked to create.
fn created(world: &World) -> usize {
    world.upstream.count("POST", "/tickets")
}

/// Makes the caller's default run read something untrusted.
async fn taint(world: &World, token: &str) {
    let said = world.call(token, GET, json!({ "number": 412 })).await;
    assert_eq!(said.status, 200, "{}", said.body);
}

/// A call that must be held; the approval it waits for.
async fn held(world: &World, token: &str, address: &str, arguments: Value) -> String {
    let said = world.call(token, address, arguments.clone()).await;
    assert_eq!(said.status, 202, "{address} {arguments} is not held: {}", said.body);
    said.text("/held/approval")
}

async fn release(world: &World, token: &str, approval: &str) -> Said {
    world.rest(token, "POST", &format!("/v1/approvals/{approval}/release"), json!({})).await
}

/// An approval as the caller sees it.
async fn approval(world: &World, token: &str, approval: &str) -> Value {
    world.must(token, "GET", &format!("/v1/approvals/{approval}"), Value::Null).await
}

fn hints(said: &Said) -> Vec<String> {
    let hints = said.body["hints"].as_array().cloned().unwrap_or_default();
    hints.iter().map(|hint| hint["hint"].as_str().unwrap_or_default().to_owned()).collect()
}

/// A run of the caller's, started with this input.
async fn run(world: &World, token: &str, input: Value) -> Value {
    world.must(token, "POST", "/v1/runs", input).await
}

/// A call in a run.
async fn call_in(world: &World, token: &str, run: &str, address: &str, arguments: Value) -> Said {
    let body = json!({ "address": address, "arguments": arguments, "run": run });
    world.rest(token, "POST", "/v1/call", body).await
}

/// A token of a principal's that is narrowed.
async fn narrowed(world: &World, principal: &str, narrowing: Value) -> String {
    let mut body = narrowing;
    body["principal"] = json!(world.id(&format!("principal/{principal}")));
    let minted = world.must(&world.ana, "POST", "/v1/tokens", body).await;
    minted["secret"].as_str().expect("a secret").to_owned()
}
