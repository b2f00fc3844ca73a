//! Steps 2 and 3: a read, and a read whose answer is too large to be sent.

use serde_json::{Value, json};

use super::{Walk, hints, number, text};

pub(super) async fn read(walk: &mut Walk<'_>) -> anyhow::Result<()> {
    walk.page.step("shop-bot reads an invoice of checkout: over MCP, then over REST.");
    let (address, arguments) = super::invoice();
    let told = walk.shop.call(address, arguments.clone()).await?;
    walk.page.answer(&format!("catalogue_call {address} {arguments}"), &told.body);
    let shown = told.body.to_string();
    let customer = told.body.pointer("/result/customer").cloned().unwrap_or_default();
    walk.page.check(
        !told.is_error && text(&told.body, "/result/number") == super::super::upstream::INVOICE,
        "the invoice is answered",
        &shown,
    );
    walk.page.check(
        text(&customer, "/email").starts_with("[email:")
            && text(&customer, "/iban").starts_with("[iban:")
            && !shown.contains("lena.brandt@"),
        "e-mail and bank account are masked, since shop-bot may not see them",
        &customer,
    );

    let reply = walk.world.shop_bot.api.tool(address, arguments).await?;
    walk.page.check(
        reply.status == 200 && reply.body.get("result") == told.body.get("result"),
        &format!("POST /v1/call answers the same, {} bytes", reply.bytes),
        &reply.body,
    );
    let done = walk.upstream.count("GET /billing/invoices/{number}");
    walk.page.check(done == 2, "the billing API counted two reads", done);
    Ok(())
}

pub(super) async fn large(walk: &mut Walk<'_>) -> anyhow::Result<()> {
    walk.page.step("shop-bot reads a log of 318,000 characters, and is sent what it needs of it.");
    let (address, arguments) = super::log();
    let told = walk.shop.call(address, arguments).await?;
    walk.page.answer(&format!("catalogue_call {address}"), &told.body);
    let handle = text(&told.body, "/result/handle").to_owned();
    walk.page.check(
        handle.starts_with("content_") && hints(&told.body).contains(&"read_by_slices"),
        "a summary and a handle come back, not the log",
        &told.body,
    );
    let labels = told.body.pointer("/result/labels").cloned().unwrap_or_default();
    walk.page.check(
        labels == json!(["untrusted"]),
        "it is labelled untrusted, and nothing else",
        &labels,
    );
    walk.page.check(
        hints(&told.body).contains(&"run_labelled"),
        "shop-bot's run is tainted from here on, and the answer says so",
        &told.body,
    );
    let mut sent = told.bytes;

    let lines = json!({ "handle": handle, "lines": { "start": 100, "end": 104 } });
    let sliced = walk.shop.call("content.slice", lines).await?;
    walk.page.answer(
        "content.slice lines 100 to 104",
        sliced.body.get("result").unwrap_or(&Value::Null),
    );
    walk.page.check(
        text(&sliced.body, "/result/text").lines().count() == 4
            && number(&sliced.body, "/result/left") > 0,
        "four lines, and how many are left",
        &sliced.body,
    );
    sent += sliced.bytes;

    let wanted = json!({ "query": "payment timeout", "limit": 2 });
    let found = walk.shop.call("content.search", wanted).await?;
    walk.page.answer(
        "content.search \"payment timeout\"",
        found.body.get("result").unwrap_or(&Value::Null),
    );
    walk.page.check(
        text(&found.body, "/result/hits/0/handle") == handle
            && text(&found.body, "/result/hits/0/passage").contains("timeout"),
        "the passage is found in what is held",
        &found.body,
    );
    sent += found.bytes;

    let held = walk.shop.call("content.metadata", json!({ "handle": handle })).await?;
    let held = usize::try_from(number(&held.body, "/result/bytes")).unwrap_or_default();
    walk.page.check(
        held > 300_000 && sent < held / 10,
        &format!("{sent} bytes were sent, {held} are held"),
        format!("{sent} sent, {held} held"),
    );
    Ok(())
}
