//! What the MCP endpoint announces does not grow with the catalogue.

use std::time::Duration;

use e2e::World;
use serde_json::{Value, json};

/// The most bytes of `tools/list` and instructions together.
const ANNOUNCED_MAX_BYTES: usize = 6 * 1024;

async fn announced(world: &World) -> (usize, usize) {
    let client = reqwest::Client::builder().no_proxy().build().expect("a client");
    let ask = async |method: &str, mut params: Value| {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        params.as_object_mut().expect("an object").insert("_meta".to_owned(), meta);
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        // A client waits when it is told to: unoptimised, thousands of definitions take the control
        // plane longer than a lease lasts.
        for _ in 0..20 {
            let response = client
                .post(format!("{}/mcp", world.url))
                .bearer_auth(&world.shop_bot)
                .header("accept", "application/json, text/event-stream")
                .header("mcp-protocol-version", "2026-07-28")
                .header("mcp-method", method)
                .json(&body)
                .send()
                .await
                .expect("an answer");
            let mut answer = response.json::<Value>().await.expect("JSON");
            let wait =
                answer.pointer("/error/data/unavailable/retry_after_ms").and_then(Value::as_u64);
            let Some(wait) = wait else { return answer["result"].take() };
            tokio::time::sleep(Duration::from_millis(wait)).await;
        }
        panic!("{method} is not available")
    };
    let listed = ask("tools/list", json!({})).await;
    let discovered = ask("server/discover", json!({})).await;
    let tools = listed["tools"].as_array().expect("tools").len();
    let instructions = discovered["instructions"].as_str().expect("instructions");
    (tools, listed["tools"].to_string().len() + instructions.len())
}

#[tokio::test(flavor = "multi_thread")]
async fn five_tools_in_six_kilobytes_with_ten_tools_and_with_ten_thousand() {
    let mut world = World::start().await;
    let (tools, small) = announced(&world).await;
    assert_eq!(tools, 5);
    assert!(small <= ANNOUNCED_MAX_BYTES, "{small} bytes");
    let (ana, origin) = (world.ana.clone(), world.upstream.origin.clone());
    for server in 0..20 {
        let tools: Vec<Value> = (0..500)
            .map(|tool| {
                json!({
                    "name": format!("record{tool}.read"), "effect": "read",
                    "about": format!("Reads the record number {tool} of the collection {server}."),
                    "endpoint": { "method": "GET", "path": format!("/records/{tool}") }
                })
            })
            .collect();
        let body = json!({
            "scope": "acme/shop", "name": format!("store{server}"),
            "instance": { "shape": "http", "origin": origin, "allow_http": true, "allow_private": ["127.0.0.0/8"] },
            "tools": tools
        });
        world.must(&ana, "POST", "/v1/servers", body).await;
    }
    let (tools, large) = announced(&world).await;
    assert_eq!((tools, large), (5, small), "what is announced grew with the catalogue");
    // One of the ten thousand, classified, is found by its words among them.
    let path = "/v1/tools?state=unclassified&limit=1";
    let listed = world.must(&ana, "GET", path, Value::Null).await;
    let tool = listed["items"][0].clone();
    let id = tool["id"].as_str().expect("an id").to_owned();
    world.classify(&ana, &id, json!({})).await;
    world.ids.insert("tool/one".to_owned(), id);
    let about = tool["declared"]["about"].as_str().expect("a text");
    let path = format!("/v1/catalogue/search?query={}", about.replace(' ', "%20"));
    let found = world.must(&world.shop_bot, "GET", &path, Value::Null).await;
    assert_eq!(found["hits"][0]["address"], tool["address"]);
}
