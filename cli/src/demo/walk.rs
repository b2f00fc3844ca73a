//! Owns the walk: the main job, step by step, with its real answers. Invariants: a step that breaks
//! is told and counted, and the next one is gone all the same; each claim is held against the answer,
//! or against what the upstream itself counted.

mod account;
mod discover;
mod hold;
mod read;
mod refuse;
mod revoke;

use std::path::PathBuf;

use serde_json::{Value, json};

use super::mcp::Client;
use super::show::Page;
use super::upstream::Upstream;
use super::world::World;

/// What a step finds in its place.
#[derive(Debug)]
pub(crate) struct Walk<'w> {
    world: &'w mut World,
    upstream: &'w Upstream,
    page: &'w mut Page,
    /// The folder that files are written to.
    dir: PathBuf,
    /// The autonomous agent of `acme/shop`, over MCP.
    shop: Client,
}

impl<'w> Walk<'w> {
    /// A walk through `world`, written on `page`.
    pub(crate) fn new(
        world: &'w mut World,
        upstream: &'w Upstream,
        page: &'w mut Page,
        dir: PathBuf,
    ) -> Self {
        let shop = client(world, "/t/acme/mcp", world.shop_bot.api.token());
        Self { world, upstream, page, dir, shop }
    }

    /// Goes all the steps.
    pub(crate) async fn go(&mut self) {
        // One after the other: each stands on what those before it have read and written.
        let done = discover::discover(self).await;
        self.told(done);
        let done = read::read(self).await;
        self.told(done);
        let done = read::large(self).await;
        self.told(done);
        let done = refuse::neighbours(self).await;
        self.told(done);
        let done = hold::held(self).await;
        self.told(done);
        let done = hold::repeated(self).await;
        self.told(done);
        let done = revoke::revoked(self).await;
        self.told(done);
        let done = account::ledger(self).await;
        self.told(done);
        let done = account::usage(self).await;
        self.told(done);
    }

    fn told(&mut self, done: anyhow::Result<()>) {
        if let Err(error) = done {
            self.page.broke(&error);
        }
    }
}

/// An MCP client of one of the service's endpoints.
fn client(world: &World, path: &str, token: &str) -> Client {
    Client::new(&world.http, &format!("{}{path}", world.url), token)
}

/// The kinds of hint in an answer.
fn hints(body: &Value) -> Vec<&str> {
    let all = body.get("hints").and_then(Value::as_array);
    all.into_iter().flatten().filter_map(|hint| hint.get("hint")?.as_str()).collect()
}

/// A text member.
fn text<'b>(body: &'b Value, pointer: &str) -> &'b str {
    body.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// A count.
fn number(body: &Value, pointer: &str) -> u64 {
    body.pointer(pointer).and_then(Value::as_u64).unwrap_or_default()
}

/// The read that the demo calls again and again.
pub(crate) fn invoice() -> (&'static str, Value) {
    ("shop/checkout/billing.invoice.lookup", json!({ "number": super::upstream::INVOICE }))
}

/// The read whose answer is large.
pub(crate) fn log() -> (&'static str, Value) {
    ("shop/tickets.log.read", json!({ "service": super::upstream::SERVICE }))
}

/// What nobody at `acme/shop` may read.
pub(crate) fn neighbours() -> (&'static str, Value) {
    ("support/mail/inbox.message.list", json!({}))
}
