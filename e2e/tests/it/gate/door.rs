//! What never reaches the Gate (headers of our own planes, messages that say two things), and what the
//! Gate lets through only so often.

use std::sync::Arc;
use std::time::Instant;

use e2e::mcp::meta;
use e2e::{Surface, World};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::{CREATE, GET, created};

/// G3: whatever the header holds, with a token or without, on each surface.
#[tokio::test(flavor = "multi_thread")]
async fn headers_of_our_own_planes_are_refused() {
    let world = World::start().await;
    let call = json!({ "address": CREATE, "arguments": { "subject": "A" } });
    for name in [
        "bailiwick-plane-principal",
        "Bailiwick-Plane-Identity",
        "BAILIWICK-PLANE-SECRET",
        "bailiwick-plane-",
    ] {
        for (token, value) in
            [(&world.shop_bot, "acme"), (&String::new(), "secret"), (&world.ana, "")]
        {
            let header = [(name, value)];
            let said = world.rest_with(token, "POST", "/v1/call", call.clone(), &header).await;
            assert_eq!((said.status, said.code().as_str()), (400, "header_mismatch"), "{name}");
            let said = world.rest_with(token, "GET", "/v1/groups", Value::Null, &header).await;
            assert_eq!(said.code(), "header_mismatch", "{name}: {}", said.body);
            let message = tool_call("catalogue_call", &call);
            let headers = [header[0], ("mcp-method", "tools/call"), ("mcp-name", "catalogue_call")];
            let raw = world.mcp_raw(token, &message, &headers).await;
            assert_eq!(raw.status, 400, "{name}: {raw:?}");
            assert!(raw.body.to_string().contains("header_mismatch"), "{name}: {raw:?}");
        }
    }
    assert_eq!(created(&world), 0);
    // A name that only begins alike is nobody's.
    let header = [("bailiwick-planet", "x")];
    let said = world.rest_with(&world.shop_bot, "POST", "/v1/call", call, &header).await;
    assert_eq!(said.status, 200, "{}", said.body);
}

fn tool_call(name: &str, arguments: &Value) -> String {
    json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": name, "arguments": arguments, "_meta": meta() }
    })
    .to_string()
}

/// M3 over the real listener: a message that names two tools, or whose headers name another, is routed
/// by neither.
#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_says_two_things_is_refused() {
    let world = World::start().await;
    let call = json!({ "address": CREATE, "arguments": { "subject": "A" } });
    let good = tool_call("catalogue_call", &call);
    let said = |from: &str, to: &str| good.replacen(from, to, 1);
    let name = r#""name":"catalogue_call""#;
    let fine = [("mcp-method", "tools/call"), ("mcp-name", "catalogue_call")];
    let bodies = [
        said(name, r#""name":"catalogue_call","Name":"catalogue_overview""#),
        said(name, r#""Name":"catalogue_overview","name":"catalogue_call""#),
        said(name, r#""name":"catalogue_overview","name":"catalogue_call""#),
        said(name, r#""name":"catalogue_call","name":"catalogue_call""#),
        said(r#""method""#, r#""Method":"tools/list","method""#),
        said(r#""method":"tools/call""#, r#""method":"tools/list","method":"tools/call""#),
        said(r#""params""#, r#""params":{},"params""#),
        said(r#""address""#, r#""address":"shop/tickets.log.read","address""#),
    ];
    for body in &bodies {
        assert_ne!(*body, good, "the case is not what it says");
        let raw = world.mcp_raw(&world.shop_bot, body, &fine).await;
        assert_eq!(raw.status, 400, "{body}: {raw:?}");
        assert!(raw.body["error"]["code"].is_i64(), "{body}: {raw:?}");
    }
    for headers in [
        [("mcp-method", "tools/call"), ("mcp-name", "catalogue_overview")],
        [("mcp-method", "tools/list"), ("mcp-name", "catalogue_call")],
        [("mcp-method", "tools/call"), ("mcp-name", "Catalogue_Call")],
        [("mcp-method", "TOOLS/CALL"), ("mcp-name", "catalogue_call")],
        [("mcp-method", "tools/call"), ("x-other", "no name at all")],
        [("mcp-name", "catalogue_call"), ("x-other", "no method at all")],
    ] {
        let raw = world.mcp_raw(&world.shop_bot, &good, &headers).await;
        assert_eq!((raw.status, &raw.body["error"]["code"]), (400, &json!(-32020)), "{headers:?}");
    }
    assert_eq!(created(&world), 0, "one of them was carried out");
    let raw = world.mcp_raw(&world.shop_bot, &good, &fine).await;
    assert_eq!((raw.status, created(&world)), (200, 1), "{raw:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tools_rate_holds_for_all_who_call_it() {
    let mut world = World::start().await;
    let (ana, origin) = (world.ana.clone(), world.upstream.origin.clone());
    let mut server = e2e::world::tickets("acme/shop", &origin);
    server["name"] = json!("rare");
    server["tools"] = json!([{ "name": "ask", "about": "Seldom.", "effect": "read",
        "endpoint": { "method": "GET", "path": "/echo",
            "rate_limit": { "calls": 3, "per_seconds": 3600 } } }]);
    world.server(&ana, server).await;
    let mut said = Vec::new();
    for token in [&world.shop_bot, &world.ana, &world.shop_bot, &world.ana, &world.shop_bot] {
        said.push(world.call(token, "shop/rare.ask", json!({})).await);
    }
    let statuses: Vec<u16> = said.iter().map(|said| said.status).collect();
    assert_eq!(statuses, [200, 200, 200, 429, 429]);
    assert_eq!(world.upstream.count("GET", "/echo"), 3);
    let last = &said[4];
    assert_eq!(last.code(), "rate_limited");
    let wait = last.body["refusal"]["more"]["retry_after_ms"].as_u64().expect("when to try again");
    assert!((1_000..=1_200_000).contains(&wait), "{wait}");
}

/// 600 calls a minute and caller: a burst of so many, and ten a second after it.
#[tokio::test(flavor = "multi_thread")]
async fn a_callers_rate_holds_whatever_is_called() {
    let world = Arc::new(World::start().await);
    let began = Instant::now();
    let mut crowd = JoinSet::new();
    for nth in 0..16 {
        let world = Arc::clone(&world);
        crowd.spawn(async move {
            let mut statuses = Vec::new();
            for _ in 0..50 {
                let surface = if nth % 2 == 0 { Surface::Rest } else { Surface::Mcp };
                let token = &world.shop_bot;
                let said = world.on(surface, token, "catalogue.overview", &json!({})).await;
                statuses.push(said.status);
            }
            statuses
        });
    }
    let statuses: Vec<u16> = crowd.join_all().await.into_iter().flatten().collect();
    let most = 601 + began.elapsed().as_millis() as usize / 100;
    let within = statuses.iter().filter(|status| **status == 200).count();
    assert!((600..=most).contains(&within), "{within} calls of at most {most} were let through");
    assert!(statuses.iter().all(|status| matches!(status, 200 | 429)), "{statuses:?}");
    // Nobody else waits for it.
    let other = world.call(&world.ana, GET, json!({ "number": 1 })).await;
    assert_eq!(other.status, 200, "{}", other.body);
}
