//! Step 4: what lies with a neighbour is refused, and why is answered to whoever may know.

use serde_json::{Value, json};

use super::{Walk, client, text};

pub(super) async fn neighbours(walk: &mut Walk<'_>) -> anyhow::Result<()> {
    walk.page.step("returns-bot asks checkout's billing, and globex's agent asks acme: both are refused.");
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

    let why = walk.world.ana.api.call("access.explain", json!({ "decision": decision })).await?;
    walk.page.answer("ana: access.explain of that decision", why.body.get("result").unwrap_or(&Value::Null));
    let remedies = why.body.pointer("/result/would_allow").and_then(Value::as_array);
    walk.page.check(
        why.status == 200
            && why.body.pointer("/result/allowed") == Some(&Value::Bool(false))
            && remedies.is_some_and(|remedies| !remedies.is_empty()),
        "ana is told the path of the decision and which grant would change it",
        &why.body,
    );

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
