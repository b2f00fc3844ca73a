//! What a run has read decides what it may still do, and nothing launders it.

use e2e::World;
use serde_json::{Value, json};

use super::{CREATE, GET, call_in, created, held, hints, run, subject, taint};

const LOOKUP: &str = "shop/checkout/billing.customer.lookup";
const ECHO: &str = "shop/checkout/billing.echo";

/// The labels of the caller's default run.
async fn default_run(world: &World, token: &str) -> Value {
    let listed = world.must(token, "GET", "/v1/runs", Value::Null).await;
    let runs = listed["items"].as_array().expect("runs");
    let open = |run: &&Value| run["default"] == json!(true) && run.get("ended").is_none();
    runs.iter().find(open).expect("a default run").clone()
}

/// G2: an id that typed extraction declared clean feeds the next read; free text, and an id that
/// nothing returned, do not.
#[tokio::test(flavor = "multi_thread")]
async fn a_clean_id_feeds_the_next_read_and_free_text_does_not() {
    let world = World::start().await;
    let bot = &world.shop_bot;
    let first = world.call(bot, GET, json!({ "number": 412 })).await;
    let number = first.result()["number"].clone();
    // A run that is tainted goes on reading.
    let tainted = world.call(bot, GET, json!({ "number": 7 })).await;
    assert_eq!(tainted.status, 200, "{}", tainted.body);
    let personal = world.call(bot, LOOKUP, json!({ "id": "c1" })).await;
    assert!(hints(&personal).contains(&"run_labelled".to_owned()), "{}", personal.body);
    assert_eq!(default_run(&world, bot).await["labels"], json!(["untrusted", "personal"]));
    // From here on nothing goes out that was not declared clean.
    let clean = world.call(bot, GET, json!({ "number": number })).await;
    assert_eq!(clean.status, 200, "an opaque id is held back: {}", clean.body);
    let seen = world.upstream.seen().len();
    for (address, arguments) in [
        (GET, json!({ "number": 413 })),
        (LOOKUP, json!({ "id": "Cannot pay" })),
        (LOOKUP, json!({ "id": "412 and some text" })),
        (LOOKUP, json!({ "id": "open" })),
        (ECHO, json!({ "limit": 5 })),
    ] {
        held(&world, bot, address, arguments).await;
    }
    assert_eq!(world.upstream.seen().len(), seen, "something went out");
    // A clean value of one run is none of another run's.
    let other = world.must(&world.ana, "POST", "/v1/runs", json!({ "clean": true })).await;
    let other = other["id"].as_str().expect("an id");
    let said = call_in(&world, &world.ana, other, LOOKUP, json!({ "id": "c1" })).await;
    assert_eq!(said.status, 200, "{}", said.body);
    let said = call_in(&world, &world.ana, other, GET, json!({ "number": 412 })).await;
    assert_eq!(said.status, 202, "{}", said.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_placeholder_is_not_the_value_it_stands_for() {
    let world = World::start().await;
    let bot = &world.shop_bot;
    let said = world.call(bot, LOOKUP, json!({ "id": "c1" })).await;
    let masked = said.result()["email"].as_str().expect("a text").to_owned();
    assert!(!said.body.to_string().contains("marta.reis"), "not masked: {}", said.body);
    assert!(masked.starts_with("[email:"), "{masked}");
    let seen = world.upstream.seen().len();
    let phone = said.result()["phone"].as_str().expect("a text");
    for text in [masked.clone(), format!("Write to {masked}, please"), phone.to_owned()] {
        let sent = world.call(bot, CREATE, subject(&text)).await;
        assert_eq!(sent.code(), "placeholder_argument", "{text}: {}", sent.body);
        assert_eq!(sent.text("/refusal/field"), "arguments.subject");
        let as_id = world.call(bot, LOOKUP, json!({ "id": text })).await;
        assert_eq!(as_id.code(), "placeholder_argument", "{text}: {}", as_id.body);
    }
    assert_eq!(world.upstream.seen().len(), seen);
    let plain = world.call(&world.ana, CREATE, subject("[not:a placeholder]")).await;
    assert_eq!(plain.status, 200, "{}", plain.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_inherits_what_was_read_before_it() {
    let world = World::start().await;
    let bot = &world.shop_bot;
    let before = run(&world, bot, json!({ "title": "before" })).await;
    assert_eq!(before["labels"], json!([]));
    taint(&world, bot).await;
    let after = run(&world, bot, json!({ "title": "after" })).await;
    assert_eq!(after["labels"], json!(["untrusted"]), "{after}");
    let id = after["id"].as_str().expect("an id").to_owned();
    let child = run(&world, bot, json!({ "parent": id })).await;
    assert_eq!(child["labels"], json!(["untrusted"]), "{child}");
    let child = child["id"].as_str().expect("an id");
    for run in [&id, child] {
        let said = call_in(&world, bot, run, CREATE, subject("from a run")).await;
        assert_eq!(said.status, 202, "{}", said.body);
    }
    assert_eq!(created(&world), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn leaving_the_run_out_launders_nothing() {
    let world = World::start().await;
    let bot = &world.shop_bot;
    let named = run(&world, bot, json!({})).await;
    let named = named["id"].as_str().expect("an id").to_owned();
    let read = call_in(&world, bot, &named, GET, json!({ "number": 412 })).await;
    assert_eq!(read.status, 200, "{}", read.body);
    let inside = call_in(&world, bot, &named, CREATE, subject("inside")).await;
    assert_eq!(inside.status, 202, "{}", inside.body);
    let outside = world.call(bot, CREATE, subject("outside")).await;
    assert_eq!(outside.status, 202, "the run was left out: {}", outside.body);
    let another = run(&world, bot, json!({})).await;
    assert_eq!(another["labels"], json!(["untrusted"]), "a new run knows nothing of it");
    assert_eq!(created(&world), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_person_or_a_harness_opens_clean() {
    let mut world = World::start().await;
    let ana = world.ana.clone();
    let owner = [("owner", "acme")];
    let harness = world.principal(&ana, "agent", "harness", "autonomous", &owner).await;
    let bot = world.shop_bot.clone();
    for token in [&bot, &harness] {
        taint(&world, token).await;
    }
    let clean = json!({ "clean": true });
    let said = world.rest(&bot, "POST", "/v1/runs", clean.clone()).await;
    assert_eq!(said.code(), "not_granted", "{}", said.body);
    let own = default_run(&world, &bot).await["id"].as_str().expect("an id").to_owned();
    let end = format!("/v1/runs/{own}/end");
    let said = world.rest(&bot, "POST", &end, json!({})).await;
    assert_eq!(said.code(), "not_granted", "an agent closes its tainted run: {}", said.body);
    for token in [&harness, &ana] {
        let opened = run(&world, token, clean.clone()).await;
        assert_eq!(opened["labels"], json!([]), "{opened}");
    }
    // A person closes it; the next default run is clean, and what was kept still taints whoever reads.
    let kept = world.call(&bot, "shop/tickets.log.read", json!({})).await;
    let handle = kept.result()["handle"].clone();
    world.must(&ana, "POST", &end, json!({})).await;
    let written = world.call(&bot, CREATE, subject("after a person closed it")).await;
    assert_eq!(written.status, 200, "{}", written.body);
    let slice = json!({ "handle": handle, "bytes": { "start": 0, "end": 30 } });
    let sliced = world.rest(&bot, "POST", "/v1/content/slice", slice).await;
    assert_eq!(sliced.result()["labels"], json!(["untrusted"]), "{}", sliced.body);
    held(&world, &bot, CREATE, subject("after a slice of the old log")).await;
    let ended = call_in(&world, &bot, &own, GET, json!({ "number": 1 })).await;
    assert_eq!(ended.code(), "run_ended", "{}", ended.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_taints_like_a_read() {
    let world = World::start().await;
    let (bot, ana) = (&world.shop_bot, &world.ana);
    let kept = world.call(bot, "shop/tickets.log.read", json!({})).await;
    assert_eq!(kept.status, 200, "{}", kept.body);
    let search = json!({ "query": "payment worker", "limit": 1 });
    let found = world.rest(ana, "POST", "/v1/content/search", search).await;
    assert_eq!(found.result()["hits"][0]["labels"], json!(["untrusted"]), "{}", found.body);
    held(&world, ana, CREATE, subject("after a search")).await;
    assert_eq!(created(&world), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_blocks_is_not_held_but_refused() {
    let world = World::start().await;
    let tool = world.id("tool/acme/shop/tickets.ticket.create");
    world.classify(&world.ana, tool, json!({ "on_tainted": "block" })).await;
    let clean = world.call(&world.shop_bot, CREATE, subject("clean")).await;
    assert_eq!(clean.status, 200, "{}", clean.body);
    taint(&world, &world.shop_bot).await;
    let said = world.call(&world.shop_bot, CREATE, subject("tainted")).await;
    assert_eq!(said.code(), "blocked_by_label", "{}", said.body);
    assert_eq!(created(&world), 1);
}

/// A tool that a curator cleared for a class of content is a way out for it, and for no other.
#[tokio::test(flavor = "multi_thread")]
async fn a_cleared_tool_takes_what_it_is_cleared_for() {
    let world = World::start().await;
    let bot = &world.shop_bot;
    let said = world.call(bot, LOOKUP, json!({ "id": "c1" })).await;
    assert_eq!(said.status, 200, "{}", said.body);
    held(&world, bot, ECHO, json!({ "limit": 5 })).await;
    let tool = world.id("tool/acme/shop/checkout/billing.echo");
    world.classify(&world.ana, tool, json!({ "cleared": ["confidential"] })).await;
    held(&world, bot, ECHO, json!({ "limit": 5 })).await;
    world.classify(&world.ana, tool, json!({ "cleared": ["personal"] })).await;
    let said = world.call(bot, ECHO, json!({ "limit": 5 })).await;
    assert_eq!(said.status, 200, "{}", said.body);
}
