//! Each way a call can end is told apart, and what may be concluded from it.

use std::time::{Duration, Instant as Clock};

use serde_json::json;

use super::super::super::failure::{Failure, Reached, Stage};
use super::super::super::fixture::{Step, Upstream, answer, call, client, json_answer};
use super::super::super::received::Received;

async fn get(upstream: &Upstream) -> Result<Received, Failure> {
    send(upstream, json!({}), 5_000).await
}

async fn send(
    upstream: &Upstream,
    extra: serde_json::Value,
    timeout_ms: u64,
) -> Result<Received, Failure> {
    let (built, mut options) = call(&format!("http://{}", upstream.address), &extra);
    options.deadline = tokio::time::Instant::now() + Duration::from_millis(timeout_ms);
    client().send(&built, &options, None).await
}

#[tokio::test]
async fn a_good_answer_comes_whole_and_the_request_is_the_declared_one() {
    let upstream = Upstream::start(|_| {
        answer(
            "200 OK",
            "Content-Type: Application/JSON; charset=utf-8\r\nETag: \"7\"\r\nX-Secret: no\r\n",
            r#"{"a":1}"#,
        )
    })
    .await;
    let received = get(&upstream).await.unwrap();
    assert_eq!(received.status, 200);
    assert_eq!(received.media_type.as_deref(), Some("application/json"));
    assert_eq!(received.headers, [("etag".to_owned(), "\"7\"".to_owned())]);
    assert_eq!(received.body, r#"{"a":1}"#);
    let requests = upstream.requests();
    assert!(requests[0].starts_with("GET /v1/items HTTP/1.1\r\n"), "{requests:?}");
    let lower = requests[0].to_ascii_lowercase();
    assert!(lower.contains(&format!("host: {}\r\n", upstream.address)));
    assert!(lower.contains("accept-encoding: gzip\r\n"));
    for absent in ["referer", "cookie", "authorization", "proxy"] {
        assert!(!lower.contains(absent), "{lower}");
    }
}

#[tokio::test]
async fn a_body_is_sent_with_its_length() {
    let upstream = Upstream::start(|_| json_answer("{}")).await;
    let extra = json!({
        "method": "POST", "body": "json", "arguments": [
            { "name": "n", "in": "body", "fixed": 3, "schema": { "type": "integer" } },
        ],
    });
    send(&upstream, extra, 5_000).await.unwrap();
    assert!(upstream.requests()[0].ends_with("\r\n\r\n{\"n\":3}"), "{:?}", upstream.requests());
}

#[tokio::test]
async fn an_empty_answer_needs_no_media_type() {
    let upstream =
        Upstream::start(|_| vec![Step::Write(b"HTTP/1.1 204 No Content\r\n\r\n".into())]).await;
    assert_eq!(get(&upstream).await.unwrap().status, 204);
    let upstream = Upstream::start(|_| answer("200 OK", "content-type: text/html\r\n", "")).await;
    assert!(send(&upstream, json!({ "method": "HEAD" }), 5_000).await.unwrap().body.is_empty());
}

#[tokio::test]
async fn a_closed_port_was_never_reached() {
    let address = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let (built, options) = call(&format!("http://{address}"), &json!({ "method": "POST" }));
    let failure = client().send(&built, &options, None).await.unwrap_err();
    assert!(matches!(failure, Failure::BeforeSend { stage: Stage::Connect, .. }), "{failure:?}");
    assert_eq!(failure.reached(), Reached::Never);
}

#[tokio::test]
async fn an_answer_that_is_lost_is_unknown() {
    for steps in [
        vec![Step::Close],
        vec![Step::Write(b"HTTP/1.1 20".into()), Step::Close],
        vec![Step::Write(b"SSH-2.0-OpenSSH_9.2\r\n".into()), Step::Close],
    ] {
        let upstream = Upstream::start(move |_| steps.clone()).await;
        let failure = send(&upstream, json!({ "method": "POST" }), 5_000).await.unwrap_err();
        assert!(matches!(failure, Failure::Unknown { status: None }), "{failure:?}");
        assert_eq!(failure.reached(), Reached::Unknown);
        assert_eq!(upstream.requests().len(), 1);
    }
    let cut = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{"
        .to_vec();
    let upstream = Upstream::start(move |_| vec![Step::Write(cut.clone()), Step::Close]).await;
    let failure = get(&upstream).await.unwrap_err();
    assert!(matches!(failure, Failure::Unknown { status: Some(200) }), "{failure:?}");
    assert_eq!(failure.reached(), Reached::Answered(200));
}

#[tokio::test]
async fn one_deadline_covers_everything() {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n";
    let drip = move |_: &str| {
        let mut steps = vec![Step::Write(head.into())];
        steps.extend((0..99).flat_map(|_| [Step::Write(b" ".into()), Step::Wait(40)]));
        steps
    };
    let started = Clock::now();
    let hung = Upstream::start(|_| vec![Step::Hang]).await;
    let failure = send(&hung, json!({}), 300).await.unwrap_err();
    assert!(matches!(failure, Failure::Timeout { sent: true, status: None }), "{failure:?}");
    assert_eq!(failure.reached(), Reached::Unknown);
    let slow = Upstream::start(drip).await;
    let failure = send(&slow, json!({}), 300).await.unwrap_err();
    assert!(matches!(failure, Failure::Timeout { sent: true, status: Some(200) }), "{failure:?}");
    let dripped_head = Upstream::start(|_| {
        b"HTTP/1.1 200 OK\r\nx: "
            .iter()
            .map(|byte| vec![*byte])
            .flat_map(|byte| [Step::Write(byte), Step::Wait(40)])
            .collect()
    })
    .await;
    let failure = send(&dripped_head, json!({}), 300).await.unwrap_err();
    assert!(matches!(failure, Failure::Timeout { sent: true, status: None }), "{failure:?}");
    assert!(started.elapsed() < Duration::from_millis(2_500), "{:?}", started.elapsed());
}

#[tokio::test]
async fn time_that_was_up_before_connecting_sent_nothing() {
    let upstream = Upstream::start(|_| json_answer("{}")).await;
    let failure = send(&upstream, json!({ "method": "POST" }), 0).await.unwrap_err();
    assert!(matches!(failure, Failure::Timeout { sent: false, .. }), "{failure:?}");
    assert_eq!(failure.reached(), Reached::Never);
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(upstream.requests().is_empty());
}

#[tokio::test]
async fn a_redirect_is_told_and_not_followed() {
    for (location, origin) in [
        ("https://evil.example:8443/a/b?c=d#e", Some("https://evil.example:8443")),
        ("//evil.example/x", Some("http://evil.example")),
        ("http://user:pw@evil.example/", Some("http://evil.example")),
        ("javascript:alert(1)", None),
    ] {
        for status in ["301 Moved", "302 Found", "307 Temporary", "308 Permanent"] {
            let upstream =
                Upstream::start(move |_| answer(status, &format!("location: {location}\r\n"), "x"))
                    .await;
            let failure = get(&upstream).await.unwrap_err();
            assert_eq!(failure.code(), "upstream_redirect");
            let Failure::Redirect { origin: got, .. } = failure else { panic!("{failure:?}") };
            assert_eq!(got.as_deref(), origin, "{location}");
            assert_eq!(upstream.requests().len(), 1);
        }
    }
    let upstream = Upstream::start(|_| answer("302 Found", "location: /v2/items\r\n", "")).await;
    let Failure::Redirect { origin, .. } = get(&upstream).await.unwrap_err() else { panic!() };
    assert_eq!(origin, Some(format!("http://{}", upstream.address)));
    assert_eq!(upstream.requests().len(), 1);
}

#[tokio::test]
async fn an_error_keeps_its_status_and_a_capped_body() {
    let upstream = Upstream::start(|_| {
        answer("429 Slow", "content-type: text/plain\r\nretry-after: 7\r\n", "x".repeat(200_000))
    })
    .await;
    let failure = get(&upstream).await.unwrap_err();
    assert_eq!(failure.reached(), Reached::Answered(429));
    let Failure::Upstream(received) = failure else { panic!("{failure:?}") };
    assert_eq!(received.media_type.as_deref(), Some("text/plain"));
    assert_eq!(received.headers, [("retry-after".to_owned(), "7".to_owned())]);
    assert_eq!((received.body.len(), received.truncated), (64 << 10, true));
    let upstream = Upstream::start(|_| answer("404 Not Found", "", "no such item")).await;
    let Failure::Upstream(received) = get(&upstream).await.unwrap_err() else { panic!() };
    assert_eq!((&received.body[..], received.truncated), (&b"no such item"[..], false));
    let upstream = Upstream::start(|_| answer("304 Not Modified", "", "")).await;
    assert!(matches!(get(&upstream).await, Err(Failure::Upstream(_))));
}

#[tokio::test]
async fn only_a_declared_media_type_is_a_good_answer() {
    for (headers, got) in [
        ("content-type: text/html\r\n", Some("text/html")),
        ("", None),
        ("content-type: application/json, text/html\r\n", Some("application/json, text/html")),
        (
            "content-type: application/json\r\ncontent-type: text/html\r\n",
            Some("application/json, text/html"),
        ),
        ("content-type: application/jsonp\r\n", Some("application/jsonp")),
    ] {
        let upstream = Upstream::start(move |_| answer("200 OK", headers, "<html>")).await;
        let failure = get(&upstream).await.unwrap_err();
        assert_eq!(failure.reached(), Reached::Answered(200));
        let Failure::MediaType { got: found, .. } = failure else { panic!("{failure:?}") };
        assert_eq!(found.as_deref(), got);
    }
}
