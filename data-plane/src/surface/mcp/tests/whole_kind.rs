//! Case M3, the whole kind: a request that can be read in two ways is not acted on at all.

use proptest::prelude::*;

use super::*;

/// A call of `echo`, with `extra` put in after `"params":{` or, with `top`, after the first brace.
fn with(revision: &str, top: bool, extra: &str) -> Request<Body> {
    let body = request(
        revision,
        "tools/call",
        json!({ "name": "echo", "arguments": { "x": { "y": 1 } } }),
    );
    let place = if top { "{" } else { "\"params\":{" };
    post_as(revision, &body.to_string().replacen(place, &format!("{place}{extra},"), 1))
}

/// With the headers of the plain call, whatever the body turns out to be.
fn post_as(revision: &str, body: &str) -> Request<Body> {
    let mut asked = call(revision, "echo", &json!({}));
    *asked.body_mut() = Body::from(body.to_owned());
    asked
}

#[tokio::test]
async fn a_member_twice_is_refused_at_any_depth_and_however_written() {
    let fake = Fake::default();
    for revision in [MODERN, LEGACY] {
        for (top, extra) in [
            (false, r#""name":"other""#),
            (false, r#""name":"echo""#),
            (false, r#""\u006eame":"other""#),
            (false, r#""arguments":{}"#),
            (false, r#""z":{"a":1,"a":1}"#),
            (false, r#""z":[{"a":{"b":1,"b":2}}]"#),
            (true, r#""method":"tools/list""#),
            (true, r#""params":{"name":"other"}"#),
            (true, r#""id":8"#),
            (true, r#""jsonrpc":"2.0""#),
        ] {
            let got = refused(&fake, with(revision, top, extra), 400, -32700).await;
            let refusal = &got.body["error"]["data"]["refusal"];
            assert_eq!(refusal["code"], "malformed_body", "{extra}");
            assert_eq!(got.body.get("id"), None);
            let field = refusal["field"].as_str().unwrap_or_default();
            assert!(
                !field.is_empty() && refusal["say"].to_string().contains("twice"),
                "{extra}: {refusal}"
            );
        }
        for arguments in [r#"{"x":1,"x":1}"#, r#"{"x":{"y":1,"y":2}}"#] {
            let body = request(revision, "tools/call", json!({ "name": "echo", "arguments": 0 }))
                .to_string();
            let body = body.replacen("\"arguments\":0", &format!("\"arguments\":{arguments}"), 1);
            refused(&fake, post_as(revision, &body), 400, -32700).await;
        }
    }
}

#[tokio::test]
async fn another_spelling_of_what_the_protocol_reads_is_refused() {
    let fake = Fake::default();
    for revision in [MODERN, LEGACY] {
        for (top, extra) in [
            (false, r#""Name":"other""#),
            (false, r#""NAME":"echo""#),
            (false, r#""\u004eame":"other""#),
            (false, r#""Arguments":{}"#),
            (false, r#""argument\u017f":{}"#),
            (false, r#""_Meta":{}"#),
            (false, r#""z":{"a":1,"A":1}"#),
            (true, r#""Method":"tools/list""#),
            (true, r#""Params":{"name":"other"}"#),
            (true, r#""ID":8"#),
            (true, r#""JSONRPC":"2.0""#),
            (true, r#""Result":{}"#),
        ] {
            let got = refused(&fake, with(revision, top, extra), 400, -32700).await;
            assert_eq!(got.body["error"]["data"]["refusal"]["code"], "malformed_body", "{extra}");
            assert_eq!(got.body["id"], 7);
        }
        // Alone, too: a reader that folds case would take it for the member that is missing.
        let body = request(revision, "tools/call", json!({ "Name": "echo" })).to_string();
        let code = if revision == MODERN { -32020 } else { -32700 };
        refused(&fake, post_as(revision, &body), 400, code).await;
    }
    let body = request(MODERN, "tools/call", json!({ "name": "echo" })).to_string();
    let twin = body.replacen(
        "\"_meta\":{",
        "\"_meta\":{\"IO.modelcontextprotocol/protocolVersion\":\"2025-11-25\",",
        1,
    );
    refused(&fake, post_as(MODERN, &twin), 400, -32700).await;
}

#[tokio::test]
async fn arguments_are_the_tools_own() {
    let fake = Fake::default();
    let arguments =
        json!({ "Name": "a", "name": "b", "method": 1, "METHOD": 2, "x": [{ "y": 1, "Y": 2 }] });
    for revision in [MODERN, LEGACY] {
        let got = send(&fake, call(revision, "echo", &arguments)).await;
        assert_eq!(got.body["result"]["structuredContent"]["arguments"], arguments, "{}", got.body);
    }
}

#[tokio::test]
async fn headers_say_what_the_body_says_in_both_eras() {
    let fake = Fake::default();
    for revision in [MODERN, LEGACY] {
        let changed = |name: &'static str, value: &'static str| {
            let mut asked = call(revision, "echo", &json!({}));
            asked.headers_mut().insert(name, header::HeaderValue::from_static(value));
            asked
        };
        for (name, value) in [
            ("mcp-name", "other"),
            ("mcp-name", "Echo"),
            ("mcp-name", ""),
            ("mcp-name", "=?base64?b3RoZXI=?="),
            ("mcp-name", "=?base64?!?="),
            ("mcp-method", "tools/list"),
            ("mcp-method", "Tools/Call"),
            ("mcp-method", "=?base64?dG9vbHMvY2FsbA==?="),
        ] {
            let got = refused(&fake, changed(name, value), 400, -32020).await;
            assert_eq!(got.body["id"], 7, "{name}: {value}");
            assert_eq!(got.body["error"]["data"]["refusal"]["code"], "header_mismatch");
        }
        for (name, value) in [("mcp-name", "echo"), ("mcp-name", "=?base64?ZWNobw==?=")] {
            let got = send(&fake, changed(name, value)).await;
            assert_eq!(got.status, 200, "{name}: {value}: {}", got.body);
        }
        let mut twice = changed("mcp-name", "echo");
        twice.headers_mut().append("mcp-name", header::HeaderValue::from_static("other"));
        refused(&fake, twice, 400, -32020).await;
        // A list names no tool, and so the header must name none.
        let mut list = post(revision, &request(revision, "tools/list", json!({})).to_string());
        list.headers_mut().insert("mcp-name", header::HeaderValue::from_static("echo"));
        refused(&fake, list, 400, -32020).await;
    }
}

#[tokio::test]
async fn the_revision_is_one_and_known() {
    let fake = Fake::default();
    let mut asked = call(MODERN, "echo", &json!({}));
    asked.headers_mut().insert("mcp-protocol-version", header::HeaderValue::from_static(LEGACY));
    refused(&fake, asked, 400, -32020).await;

    let handshake = request(
        LEGACY,
        "initialize",
        json!({
            "protocolVersion": LEGACY, "capabilities": {}, "clientInfo": { "name": "t", "version": "1" }
        }),
    );
    refused(&fake, post("2025-06-18", &handshake.to_string()), 400, -32020).await;

    let got = refused(&fake, call("2031-01-01", "echo", &json!({})), 400, -32022).await;
    assert_eq!(got.body["error"]["data"]["requested"], "2031-01-01");
    assert!(got.body["error"]["data"]["supported"].as_array().is_some_and(|all| all.len() > 2));

    // The later revision without its `_meta`.
    let body = request(LEGACY, "tools/call", json!({ "name": "echo" })).to_string();
    refused(&fake, post(MODERN, &body), 400, -32602).await;
}

fn spelling(word: &'static str) -> impl Strategy<Value = String> {
    prop::collection::vec(any::<bool>(), word.len()).prop_map(move |upper| {
        word.chars().zip(upper).map(|(c, up)| if up { c.to_ascii_uppercase() } else { c }).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn no_spelling_of_a_member_gets_past(
        (top, spelt) in prop_oneof![
            (Just(false), prop_oneof![spelling("name"), spelling("arguments"), spelling("_meta")]),
            (Just(true), prop_oneof![spelling("method"), spelling("params"), spelling("id"), spelling("jsonrpc")]),
        ],
        modern in any::<bool>(),
    ) {
        // In the earlier era `_meta` is not there already: spelt right it is no second one.
        prop_assume!(spelt != "_meta");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let revision = if modern { MODERN } else { LEGACY };
            refused(&Fake::default(), with(revision, top, &format!("\"{spelt}\":\"other\"")), 400, -32700).await;
        });
    }
}
