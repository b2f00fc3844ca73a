//! What is refused below the tools that is not of case M3, and how it is said; the four answers.

use super::*;

#[tokio::test]
async fn what_is_no_request_is_a_json_rpc_error_without_an_id() {
    let fake = Fake::default();
    for (body, code) in [
        ("{", -32700),
        ("", -32700),
        ("{} {}", -32700),
        ("\u{feff}{}", -32700),
        ("[]", -32600),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600),
        ("5", -32600),
        ("null", -32600),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":18446744073709551615,"method":"ping"}"#, -32600),
    ] {
        let got = refused(&fake, post(LEGACY, body), 400, code).await;
        assert_eq!(got.body.get("id"), None, "{body}");
        assert!(got.body["error"]["data"]["refusal"]["fix"].is_string(), "{body}");
    }
    let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
    refused(&fake, post(LEGACY, &deep), 400, -32700).await;
}

#[tokio::test]
async fn a_message_of_another_shape_is_refused_with_its_id() {
    let fake = Fake::default();
    for body in [
        r#"{"jsonrpc":"1.0","id":"x","method":"ping"}"#,
        r#"{"id":"x","method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":"x"}"#,
        r#"{"jsonrpc":"2.0","id":"x","method":5}"#,
        r#"{"jsonrpc":"2.0","id":"x","result":{}}"#,
        r#"{"jsonrpc":"2.0","id":"x","method":"ping","result":{}}"#,
    ] {
        let got = refused(&fake, post(LEGACY, body), 400, -32600).await;
        assert_eq!(got.body["id"], "x", "{body}");
    }
}

#[tokio::test]
async fn a_notification_is_taken() {
    let got = send(
        &Fake::default(),
        post(LEGACY, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#),
    )
    .await;
    assert_eq!(got.status, 202);
}

#[tokio::test]
async fn a_body_above_the_limit_is_not_read() {
    let fake = Fake::default();
    let body = request(
        LEGACY,
        "tools/call",
        json!({ "name": "echo", "arguments": { "a": "x".repeat(65_536) } }),
    );
    let got = refused(&fake, post(LEGACY, &body.to_string()), 413, 413).await;
    assert_eq!(got.body["error"]["data"]["refusal"]["code"], "body_too_large");
}

#[tokio::test]
async fn any_accept_and_only_json() {
    let fake = Fake::default();
    for revision in [MODERN, LEGACY] {
        for accept in [
            None,
            Some("*/*"),
            Some("application/json"),
            Some("text/event-stream"),
            Some("text/html"),
        ] {
            let mut asked = call(revision, "echo", &json!({}));
            asked.headers_mut().remove(header::ACCEPT);
            if let Some(accept) = accept {
                asked
                    .headers_mut()
                    .insert(header::ACCEPT, header::HeaderValue::from_static(accept));
            }
            let got = send(&fake, asked).await;
            assert!(
                got.body["result"]["structuredContent"].is_object(),
                "{accept:?}: {}",
                got.body
            );
        }
    }
    for kind in ["text/plain", "application/x-www-form-urlencoded", ""] {
        let mut asked = call(LEGACY, "echo", &json!({}));
        asked.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static(kind));
        refused(&fake, asked, 415, 415).await;
    }
}

#[tokio::test]
async fn only_post() {
    let fake = Fake::default();
    for method in [http::Method::GET, http::Method::DELETE, http::Method::PUT] {
        let mut asked = post(LEGACY, "");
        *asked.method_mut() = method;
        let got = refused(&fake, asked, 405, 405).await;
        assert_eq!(got.headers[header::ALLOW], "POST");
    }
}

#[tokio::test]
async fn host_and_origin() {
    let fake = Fake::default();
    let from = |host: &str, origin: Option<&str>| {
        let mut asked = call(LEGACY, "echo", &json!({}));
        let value = |text: &str| header::HeaderValue::from_str(text).expect("a value");
        asked.headers_mut().insert(header::HOST, value(host));
        if let Some(origin) = origin {
            asked.headers_mut().insert(header::ORIGIN, value(origin));
        }
        asked
    };
    for (host, origin) in [
        ("mcp.example.com", None),
        ("MCP.example.com:443", None),
        ("other.example.com:8443", None),
        ("127.0.0.1:4000", Some("http://127.0.0.1:4000")),
        ("localhost", Some("http://localhost:3000")),
        ("[::1]:4000", Some("http://[::1]:9")),
        ("mcp.example.com", Some("https://app.example.com")),
        ("mcp.example.com", Some("https://any.example.com:1234")),
    ] {
        assert_eq!(send(&fake, from(host, origin)).await.status, 200, "{host} {origin:?}");
    }
    for (host, origin) in [
        ("evil.example.com", None),
        ("mcp.example.com.evil.org", None),
        ("evil@localhost", None),
        ("other.example.com", None),
        ("mcp.example.com", Some("https://evil.example.com")),
        ("mcp.example.com", Some("http://app.example.com")),
        ("mcp.example.com", Some("https://app.example.com:8443")),
        ("mcp.example.com", Some("https://app.example.com.evil.org")),
        ("mcp.example.com", Some("null")),
        ("mcp.example.com", Some("http://localhost.evil.org")),
    ] {
        let got = refused(&fake, from(host, origin), 403, 403).await;
        assert_eq!(
            got.body["error"]["data"]["refusal"]["code"], "foreign_origin",
            "{host} {origin:?}"
        );
    }
    let mut twice = from("localhost", None);
    twice.headers_mut().append(header::HOST, header::HeaderValue::from_static("evil.example.com"));
    refused(&fake, twice, 403, 403).await;
}

#[tokio::test]
async fn preflights_are_answered_for_the_allowed_origins_alone() {
    let fake = Fake::default();
    for (origin, allowed) in
        [("https://app.example.com", true), ("https://evil.example.com", false)]
    {
        let asked = Request::options("/t/acme/mcp")
            .header(header::ORIGIN, origin)
            .header(header::ACCESS_CONTROL_REQUEST_METHOD, "POST")
            .header(
                header::ACCESS_CONTROL_REQUEST_HEADERS,
                "authorization,mcp-method,mcp-param-region",
            )
            .body(Body::empty())
            .expect("a request");
        let got = send(&fake, asked).await;
        assert_eq!(got.status, 200);
        let named = got.headers.get(header::ACCESS_CONTROL_ALLOW_ORIGIN);
        assert_eq!(named.is_some_and(|value| value == origin), allowed);
        let headers = got.headers[header::ACCESS_CONTROL_ALLOW_HEADERS].to_str().expect("a text");
        assert!(headers.contains("mcp-param-region"));
    }
    let mut asked = call(LEGACY, "echo", &json!({}));
    asked
        .headers_mut()
        .insert(header::ORIGIN, header::HeaderValue::from_static("https://app.example.com"));
    let got = send(&fake, asked).await;
    let exposed =
        got.headers[header::ACCESS_CONTROL_EXPOSE_HEADERS].to_str().expect("a text").to_owned();
    assert!(exposed.contains("www-authenticate"), "{exposed}");
}

#[tokio::test]
async fn who_is_not_let_in_is_told_where_to_ask() {
    let fake = Fake::default();
    for (host, scheme) in [("mcp.example.com", "https"), ("127.0.0.1:4000", "http")] {
        // Not even the body is read before.
        let mut asked = post(MODERN, "{");
        asked
            .headers_mut()
            .insert(header::AUTHORIZATION, header::HeaderValue::from_static("Bearer bad"));
        asked.headers_mut().insert(header::HOST, header::HeaderValue::from_static(host));
        let got = refused(&fake, asked, 401, 401).await;
        assert_eq!(got.body["error"]["data"]["refusal"]["code"], "unauthenticated");
        let challenge = got.headers[header::WWW_AUTHENTICATE].to_str().expect("a text");
        let metadata = format!("{scheme}://{host}/.well-known/oauth-protected-resource/t/acme/mcp");
        assert_eq!(
            challenge,
            format!("Bearer error=\"invalid_token\", resource_metadata=\"{metadata}\"")
        );
    }
}

#[test]
fn a_problem_says_when_to_try_again() {
    let refusal =
        Refusal::new(Code::RateLimited, "Too many.", "Wait.").with("retry_after_ms", 1500);
    let response = problem(StatusCode::TOO_MANY_REQUESTS, &refusal, Some(json!(3)), None);
    assert_eq!(response.headers()[header::RETRY_AFTER], "2");
    let response = of_answer(&Answer::unavailable("authority", 100), None);
    assert_eq!(
        (response.status().as_u16(), &response.headers()[header::RETRY_AFTER]),
        (503, &header::HeaderValue::from(1))
    );
}

#[test]
fn the_four_answers() {
    let done = answer_of(&Envelope::of(json!({ "a": [] })).into());
    let held = answer_of(&Answer::Held(Held {
        approval: contract::sample::id(1),
        why: "The run is tainted.".to_owned(),
        expires: Timestamp::from_ms(0),
    }));
    let refusal = answer_of(&Refusal::new(Code::NotGranted, "No.", "Ask.").into());
    let unavailable = answer_of(&Answer::unavailable("store", 100));
    for (result, member, error) in [
        (&done, "result", false),
        (&held, "held", false),
        (&refusal, "refusal", true),
        (&unavailable, "unavailable", true),
    ] {
        assert_eq!(result.is_error, Some(error), "{member}");
        let said = serde_json::to_value(result).expect("serialises");
        let text = said["content"][0]["text"].as_str().expect("a text");
        let body: Value = serde_json::from_str(text).expect("JSON");
        assert!(body.get(member).is_some(), "{body}");
        assert_eq!(result.structured_content, (!error).then_some(body));
    }
}
