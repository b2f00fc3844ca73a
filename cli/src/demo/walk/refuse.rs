//! Step 4: what lies with a neighbour is refused, and why is answered to whoever may know.

use serde_json::{Value, json};

use super::super::show::say;
use super::{Walk, client, text};

pub(super) async fn neighbours(walk: &mut Walk<'_>) -> anyhow::Result<()> {
    walk.page.step(
        "returns-bot asks checkout's billing, and globex's agent asks acme: both are refused.",
    );
    let before = walk.upstream.total();
    let (address, arguments) = super::invoice();
    let returns = client(walk.world, "/t/acme/mcp", walk.world.returns_bot.api.token());
    let told = returns.call(address, arguments.clone()).await?;
    walk.page.answer(&format!("returns-bot: catalogue_call {address}"), &told.body);
    let decision = text(&told.body, "/refusal/decision_id").to_owned();
    walk.page.check(
        told.is_error && text(&told.body, "/refusal/code") == "not_granted" && !decision.is_empty(),
        "`not_granted`, with a decision id",
        &told.body,
    );
    let own = "shop/returns/billing.invoice.lookup";
    let told = returns.call(own, arguments.clone()).await?;
    walk.page.check(!told.is_error, &format!("its own, {own}, is answered"), &told.body);

    explained(walk, &decision).await?;

    let depot = client(walk.world, "/mcp", walk.world.depot_bot.api.token());
    let told = depot.call(address, arguments).await?;
    walk.page.answer(&format!("depot-bot of globex: catalogue_call {address}"), &told.body);
    walk.page.check(
        told.is_error && text(&told.body, "/refusal/code") == "not_granted",
        "inside globex there is no such place: `not_granted`",
        &told.body,
    );
    let door = client(walk.world, "/t/acme/mcp", walk.world.depot_bot.api.token());
    let reply = door.request("tools/list", json!({})).await?;
    walk.page.check(
        (400..500).contains(&reply.status),
        &format!("at acme's own endpoint globex's token is turned away with {}", reply.status),
        reply.status,
    );
    let done = walk.upstream.total() - before;
    walk.page.check(done == 1, "the upstream was asked once, by returns-bot for its own", done);
    Ok(())
}

/// Ana asks about the decision, and then what would change it.
async fn explained(walk: &mut Walk<'_>, decision: &str) -> anyhow::Result<()> {
    let why = walk.world.ana.api.call("access.explain", json!({ "decision": decision })).await?;
    walk.page
        .answer("ana: access.explain of that decision", &json!(text(&why.body, "/result/say")));
    let steps = why.body.pointer("/result/steps").and_then(Value::as_array);
    let against =
        steps.into_iter().flatten().filter(|step| step.get("passed") == Some(&json!(false)));
    let mut found = Vec::new();
    for step in against {
        say(&format!("- {}: {}", text(step, "/step"), text(step, "/say")));
        found.push(text(step, "/step"));
    }
    walk.page.check(
        why.status == 200
            && why.body.pointer("/result/allowed") == Some(&json!(false))
            && found.contains(&"grant")
            && found.contains(&"narrowing"),
        "ana is told what stood against it: no grant there, and a token that was narrowed",
        &why.body,
    );
    let asked = json!({
        "principal": walk.world.returns_bot.id, "action": "call.read", "scope": "acme/shop/checkout",
    });
    let why = walk.world.ana.api.call("access.explain", asked).await?;
    let remedies = why.body.pointer("/result/would_allow").cloned().unwrap_or_default();
    walk.page.answer("ana: what would let returns-bot itself read there", &remedies);
    walk.page.check(
        remedies.as_array().is_some_and(|remedies| !remedies.is_empty()),
        "the smallest grants that would are named",
        &why.body,
    );
    Ok(())
}
