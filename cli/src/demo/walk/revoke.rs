//! Step 7: a grant is revoked, and the next call is refused.

use std::time::Instant;

use serde_json::json;

use super::super::world;
use super::{Walk, text};

pub(super) async fn revoked(walk: &mut Walk<'_>) -> anyhow::Result<()> {
    walk.page.step("ana revokes shop-bot's grant, and the next call is refused, on each surface.");
    let (address, arguments) = super::invoice();
    let told = walk.shop.call(address, arguments.clone()).await?;
    walk.page.check(!told.is_error, "the call before is answered", &told.body);
    let before = walk.upstream.total();

    let sent = Instant::now();
    let grant = json!({ "grant": walk.world.shop_grant });
    let revoked = walk.world.ana.api.call("grant.revoke", grant).await?;
    let took = sent.elapsed();
    walk.page.check(
        revoked.status == 200,
        &format!("the revocation is answered after {} ms", took.as_millis()),
        &revoked.body,
    );
    let told = walk.shop.call(address, arguments.clone()).await?;
    walk.page.answer("catalogue_call, right after", &told.body);
    walk.page.check(
        told.is_error && text(&told.body, "/refusal/code") == "not_granted",
        "over MCP the next call is refused",
        &told.body,
    );
    let reply = walk.world.shop_bot.api.tool(address, arguments.clone()).await?;
    walk.page.check(
        reply.status == 403 && text(&reply.body, "/refusal/code") == "not_granted",
        "over REST it is refused with 403",
        &reply.body,
    );
    let done = walk.upstream.total() - before;
    walk.page.check(done == 0, "neither reached the billing API", done);

    let (ana, bot) = (&walk.world.ana, &walk.world.shop_bot);
    let granted = world::grant(ana, &bot.id, "acme/shop", "member").await?;
    walk.world.shop_grant = granted;
    let told = walk.shop.call(address, arguments).await?;
    walk.page.check(
        !told.is_error,
        "ana grants it anew, and shop-bot is answered again",
        &told.body,
    );
    Ok(())
}
