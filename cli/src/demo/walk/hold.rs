//! Steps 5 and 6: writes of a run that has read untrusted content wait for a person, are done once,
//! and are answered from the first when they are sent again.

use serde_json::{Value, json};

use super::{Walk, hints, text};

const TICKET: &str = "shop/tickets.ticket.create";
const REFUND: &str = "shop/checkout/billing.refund.create";
const TICKETS_MADE: &str = "POST /desk/tickets";

/// What shop-bot wants to open.
fn ticket() -> Value {
    json!({
        "subject": "Payments time out at the gateway",
        "body": "The log of checkout shows payment timeouts after 30 s, all day.",
    })
}

pub(super) async fn held(walk: &mut Walk<'_>) -> anyhow::Result<()> {
    walk.page.step("shop-bot has read untrusted content, so its writes wait for a person.");
    let refund = json!({ "invoice": super::super::upstream::INVOICE, "amount_cents": 23_980 });
    let told = walk.shop.call(REFUND, refund).await?;
    walk.page.answer(&format!("catalogue_call {REFUND}, as the log told it to"), &told.body);
    let approval = text(&told.body, "/held/approval").to_owned();
    walk.page.check(!told.is_error && !approval.is_empty(), "the refund is held", &told.body);
    let reason = json!({ "approval": approval, "reason": "A line in a log is no order." });
    let refused = walk.world.rui.api.call("approval.refuse", reason).await?;
    let paid = walk.upstream.count("POST /billing/refunds");
    walk.page.check(
        text(&refused.body, "/result/state") == "refused" && paid == 0,
        "rui refuses it, and nothing was paid",
        &refused.body,
    );

    let told = walk.shop.call(TICKET, ticket()).await?;
    walk.page.answer(&format!("catalogue_call {TICKET}"), &told.body);
    let approval = text(&told.body, "/held/approval").to_owned();
    let made = walk.upstream.count(TICKETS_MADE);
    walk.page.check(
        !told.is_error && !approval.is_empty() && made == 0,
        "the ticket is held, and none was opened",
        &told.body,
    );
    let which = json!({ "approval": approval });
    let asked = walk.world.shop_bot.api.call("approval.release", which.clone()).await?;
    walk.page.check(asked.status == 403, "shop-bot cannot release it itself", &asked.body);
    let reason = json!({ "approval": approval, "reason": "The timeouts are real." });
    let released = walk.world.rui.api.call("approval.release", reason).await?;
    walk.page.answer("rui: approval.release", released.body.get("result").unwrap_or(&Value::Null));
    let made = walk.upstream.count(TICKETS_MADE);
    walk.page.check(
        text(&released.body, "/result/state") == "released" && made == 1,
        "rui releases it, and the desk opened one ticket",
        format!("{made} opened, {}", released.body),
    );
    let got = walk.shop.call("approval.get", which).await?;
    let answer = got.body.pointer("/result/answer").cloned().unwrap_or_default();
    walk.page.answer("shop-bot: approval.get", &answer);
    walk.page.check(
        answer.pointer("/result/number").is_some(),
        "shop-bot collects the ticket's number",
        &got.body,
    );
    Ok(())
}

pub(super) async fn repeated(walk: &mut Walk<'_>) -> anyhow::Result<()> {
    walk.page.step(
        "shop-bot sends the same write again, in another run: it is answered from the first.",
    );
    let title = json!({ "title": "The evening round" });
    let run = walk.shop.call("run.start", title).await?;
    let id = text(&run.body, "/result/id").to_owned();
    let labels = run.body.pointer("/result/labels").cloned().unwrap_or_default();
    walk.page.check(
        !id.is_empty() && labels.to_string().contains("untrusted"),
        "the new run starts with what shop-bot has read already",
        &run.body,
    );
    let call = json!({ "address": TICKET, "arguments": ticket(), "run": id });
    let told = walk.shop.tool("catalogue_call", call).await?;
    walk.page.answer(&format!("catalogue_call {TICKET}, in {id}"), &told.body);
    let made = walk.upstream.count(TICKETS_MADE);
    walk.page.check(
        !told.is_error && hints(&told.body).contains(&"repeated"),
        "the first answer comes back, with the hint `repeated`",
        &told.body,
    );
    walk.page.check(made == 1, "the desk still has one ticket of shop-bot's", made);
    Ok(())
}
