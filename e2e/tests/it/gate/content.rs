//! What is too large to answer is whole behind its handle, and cut where a character ends.

use e2e::World;
use e2e::upstream::{LARGE_CHARS, arrow, large};
use serde_json::{Value, json};

async fn slice(world: &World, handle: &Value, start: usize, end: usize) -> Value {
    let body = json!({ "handle": handle, "bytes": { "start": start, "end": end } });
    world.must(&world.shop_bot, "POST", "/v1/content/slice", body).await
}

fn number(value: &Value) -> usize {
    usize::try_from(value.as_u64().expect("a number")).expect("fits")
}

/// The whole of what a handle holds, by slices of `step` bytes.
async fn whole(world: &World, handle: &Value, step: usize) -> String {
    let mut text = String::new();
    loop {
        let start = text.len();
        let part = slice(world, handle, start, start + step).await;
        let said = part["text"].as_str().expect("a text");
        assert_eq!(number(&part["range"]["start"]), start, "{part}");
        assert_eq!(number(&part["range"]["end"]), start + said.len(), "{part}");
        let (of, left) = (number(&part["of"]), number(&part["left"]));
        assert_eq!(start + said.len() + left, of, "{part}");
        text.push_str(said);
        if left == 0 {
            return text;
        }
        assert!(!said.is_empty(), "no way on from {start}: {part}");
    }
}

/// C3.
#[tokio::test(flavor = "multi_thread")]
async fn a_large_answer_is_whole_behind_its_handle() {
    let world = World::start().await;
    let said = world.call(&world.shop_bot, "shop/tickets.log.read", json!({})).await;
    let result = said.result();
    assert!(said.body.to_string().len() < 8 * 1024, "it came back inline");
    assert_eq!(number(&result["summary"]["bytes"]), LARGE_CHARS, "{result}");
    assert_eq!(result["labels"], json!(["untrusted"]));
    let kept = whole(&world, &result["handle"], 8000).await;
    assert!(kept == large(), "what the handle holds is not what was answered");
    let path = format!("/v1/content/{}", result["handle"].as_str().expect("a handle"));
    let metadata = world.must(&world.shop_bot, "GET", &path, Value::Null).await;
    assert_eq!(number(&metadata["bytes"]), LARGE_CHARS, "{metadata}");
}

/// C2, and its neighbours: characters of one to four bytes, every window around each.
#[tokio::test(flavor = "multi_thread")]
async fn a_slice_is_cut_where_a_character_ends() {
    let mut world = World::start().await;
    let (ana, origin) = (world.ana.clone(), world.upstream.origin.clone());
    let mut server = e2e::world::tickets("acme/shop", &origin);
    server["name"] = json!("texts");
    server["tools"] = json!([{ "name": "arrow", "about": "A text.", "effect": "read",
        "endpoint": { "method": "GET", "path": "/arrow", "media_types": ["text/plain"] } }]);
    world.server(&ana, server).await;
    let said = world.call(&world.shop_bot, "shop/texts.arrow", json!({})).await;
    let (handle, text) = (said.result()["handle"].clone(), arrow());
    assert_eq!(text.find('→'), Some(198));
    for (start, end) in (196..204).flat_map(|start| (196..216).map(move |end| (start, end))) {
        let body = json!({ "handle": handle, "bytes": { "start": start, "end": end } });
        let said = world.rest(&world.shop_bot, "POST", "/v1/content/slice", body).await;
        if said.status != 200 {
            assert!(start > end, "{start}..{end}: {}", said.body);
            assert_eq!(said.code(), "invalid_input", "{start}..{end}: {}", said.body);
            continue;
        }
        let part = said.result();
        let range = &part["range"];
        let range = number(&range["start"])..number(&range["end"]);
        assert_eq!(text.get(range.clone()), part["text"].as_str(), "{start}..{end}: {part}");
        // No further than the characters at its two ends.
        let near = |said: usize, asked: usize| said.abs_diff(asked) < 4;
        assert!(
            near(range.start, start) && near(range.end, end.max(start)),
            "{start}..{end}: {part}"
        );
    }
    let first = slice(&world, &handle, 0, 200).await;
    assert_eq!(first["text"].as_str().expect("a text").trim_end_matches('→'), "a".repeat(198));
    for step in [5, 7, 1000] {
        let step = if step < 10 { step * 200 + 1 } else { step };
        assert!(whole(&world, &handle, step).await == text, "in steps of {step}");
    }
    for (start, end) in [(30_000, 30_010), (19_999, 1_000_000), (0, 0)] {
        let body = json!({ "handle": handle, "bytes": { "start": start, "end": end } });
        let said = world.rest(&world.shop_bot, "POST", "/v1/content/slice", body).await;
        assert!(matches!(said.status, 200 | 422), "{start}..{end}: {}", said.body);
    }
}
