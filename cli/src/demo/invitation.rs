//! Owns what the demo says once it stays up: addresses, tokens, a profile, a client's configuration,
//! and what to try. Invariant: every command in it can be typed as it stands.

use std::path::Path;

use serde_json::json;
use tenancy::clock::Machine;
use tenancy::keys::write_private;

use super::walk;
use super::world::{Who, World};

/// What a person needs to go on. Writes each token into a file of `dir` that only they may read.
pub(crate) fn of(world: &World, dir: &Path) -> anyhow::Result<String> {
    let url = &world.url;
    let mut lines = vec![String::new(), "It stays up until you stop it (Ctrl-C).".to_owned()];
    if let Ok(program) = std::env::current_exe() {
        lines.push(format!("`bailiwick` below is {}.", program.display()));
    }
    lines.push(format!(
        "\n  URL  {url}\n  MCP  {url}/t/acme/mcp\n\nTokens, each in a file of its own"
    ));
    let people: [(&str, &str, &Who); 5] = [
        ("ana", "owns acme", &world.ana),
        ("rui", "approves in acme", &world.rui),
        ("shop-bot", "an agent at acme/shop", &world.shop_bot),
        ("returns-bot", "an agent at acme/shop/returns, supervised", &world.returns_bot),
        ("gus", "owns globex", &world.gus),
    ];
    for (name, what, who) in people {
        let file = dir.join(format!("{name}.token"));
        write_private(&file, who.api.token().as_bytes(), &Machine)?;
        lines.push(format!("  {name}: {what}\n    {}\n    {}", who.api.token(), file.display()));
    }
    lines.push("\nProfiles for the command line".to_owned());
    for (profile, name) in [("demo", "shop-bot"), ("demo-ana", "ana"), ("demo-rui", "rui")] {
        let file = dir.join(format!("{name}.token"));
        let file = file.display();
        lines.push(format!("  bailiwick profile set {profile} --url {url} --token-file {file}"));
    }
    lines.push(
        "  The first is in use at once if no other was; `bailiwick profile use NAME` changes that."
            .to_owned(),
    );
    let config = json!({ "mcpServers": { "bailiwick-demo": {
        "type": "http", "url": format!("{url}/t/acme/mcp"),
        "headers": { "Authorization": format!("Bearer {}", world.shop_bot.api.token()) },
    } } });
    lines.push(format!(
        "\nConfiguration of an MCP client, as shop-bot\n{config:#}\n\nFive things to try"
    ));
    lines.extend(to_try().iter().map(|command| format!("  bailiwick --profile {command}")));
    lines.push(String::new());
    Ok(lines.join("\n"))
}

fn to_try() -> [String; 5] {
    let (read, _) = walk::invoice();
    [
        "demo catalogue search \"look up an invoice\"".to_owned(),
        format!("demo catalogue call {read} number=INV-2043"),
        "demo catalogue call shop/tickets.ticket.create subject=Hello".to_owned(),
        "demo-rui approval list --state pending".to_owned(),
        "demo-ana ledger query --verdict block --limit 3".to_owned(),
    ]
}
