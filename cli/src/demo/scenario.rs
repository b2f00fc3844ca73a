//! Owns the scenario that drivers of real clients read (`tests/clients/README.md`). Invariant: it
//! names what the walk has left behind: an agent whose default run is tainted, so that its write is
//! held each time, and whose reads are cleared for what the run holds.

use serde_json::{Value, json};

use super::walk;
use super::world::World;

/// The scenario of a demo that runs.
pub(crate) fn of(world: &World) -> Value {
    let (read, arguments) = walk::invoice();
    let (large, large_arguments) = walk::log();
    let (refused, refused_arguments) = walk::neighbours();
    json!({
        "url": world.url,
        "mcp_url": format!("{}/t/acme/mcp", world.url),
        "tokens": {
            "agent": world.shop_bot.api.token(), "neighbour": world.depot_bot.api.token(),
            "user": world.ana.api.token(),
        },
        "read": { "address": read, "arguments": arguments },
        "refused": { "address": refused, "arguments": refused_arguments },
        "held": {
            "address": "shop/tickets.ticket.create",
            "arguments": { "subject": "Stock of item 42 is low" },
        },
        "large": { "address": large, "arguments": large_arguments },
        "search": { "query": "look up an invoice", "expect_address": read },
    })
}
