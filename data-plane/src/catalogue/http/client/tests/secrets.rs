//! Case H6: whatever the upstream echoes and whatever goes wrong, the secret does not come back.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::super::super::declaration::Placement;
use super::super::super::failure::{Failure, Reached};
use super::super::super::fixture::{Step, Upstream, answer, call, client, placed};
use super::super::super::scrub::MARK;

const SECRET: &str = "ann:s3cr3t/+\"va&lue=1%41";

fn placements() -> [Placement; 4] {
    [
        Placement::Bearer {},
        Placement::Basic {},
        Placement::Header { name: "X-Api-Key".into(), prefix: "Key ".into() },
        Placement::Query { name: "api_key".into() },
    ]
}

/// Pieces of the secret in each form; none may be in a text.
fn assert_clean(text: &str) {
    let encoded = STANDARD.encode(SECRET);
    for piece in [
        "s3cr3t",
        "va&lue",
        "va%26lue",
        "lue=1",
        encoded.get(..10).unwrap(),
        encoded.get(12..24).unwrap(),
    ] {
        assert!(!text.contains(piece), "{piece} is in {text}");
    }
}

#[tokio::test]
async fn an_echo_comes_back_without_it() {
    for placement in placements() {
        let upstream = Upstream::start(|request| {
            let line = request.lines().next().unwrap();
            let headers = format!(
                "content-type: application/json\r\nx-request-id: {}\r\nlink: <http://x{}>\r\n",
                request.to_ascii_lowercase().lines().last().unwrap_or_default().len(),
                line.split(' ').nth(1).unwrap(),
            );
            answer("200 OK", &headers, serde_json::to_string(request).unwrap())
        })
        .await;
        let origin = format!("http://{}", upstream.address);
        let (built, options) = call(&origin, &json!({}));
        let secret = placed(SECRET, placement.clone(), &origin);
        let received = client().send(&built, &options, Some(&secret)).await.unwrap();
        let sent = upstream.requests()[0].clone();
        assert!(
            sent.contains(SECRET)
                || sent.contains(&STANDARD.encode(SECRET))
                || sent.contains("va%26lue"),
            "{placement:?} did not send it: {sent}"
        );
        let body = String::from_utf8(received.body.to_vec()).unwrap();
        assert!(body.contains(MARK), "{body}");
        assert_clean(&body);
        assert_clean(&format!("{:?} {received:?}", received.headers));
    }
}

#[tokio::test]
async fn an_error_that_echoes_it_over_the_cut_comes_back_without_it() {
    for placement in placements() {
        for shift in [0, 1, 7, 15, 30, 40] {
            let upstream = Upstream::start(move |request| {
                let fill = "x".repeat((64 << 10) - 16 - shift);
                let body = format!("{fill}{}", SECRET.repeat(3));
                let _ = request;
                answer("500 Oops", "content-type: text/s3cr3t-\r\n", body)
            })
            .await;
            let origin = format!("http://{}", upstream.address);
            let (built, options) = call(&origin, &json!({}));
            let secret = placed(SECRET, placement.clone(), &origin);
            let failure = client().send(&built, &options, Some(&secret)).await.unwrap_err();
            let Failure::Upstream(received) = failure else { panic!("{failure:?}") };
            let tail =
                String::from_utf8_lossy(&received.body[received.body.len() - 64..]).into_owned();
            assert!(!tail.contains("ann"), "{tail}");
            assert_clean(&tail);
        }
    }
}

#[tokio::test]
async fn no_failure_holds_it() {
    let closed = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let hung = Upstream::start(|_| vec![Step::Hang]).await;
    let gone = Upstream::start(|_| vec![Step::Close]).await;
    let noise =
        Upstream::start(|request| vec![Step::Write(request.as_bytes().to_vec()), Step::Close])
            .await;
    let redirect = Upstream::start(|request| {
        let path = request.split(' ').nth(1).unwrap();
        answer("302 Found", &format!("location: https://evil.example{path}\r\n"), "")
    })
    .await;
    for address in [closed, hung.address, gone.address, noise.address, redirect.address] {
        for placement in placements() {
            let origin = format!("http://{address}");
            let (built, mut options) = call(&origin, &json!({}));
            options.deadline = tokio::time::Instant::now() + std::time::Duration::from_millis(300);
            let secret = placed(SECRET, placement, &origin);
            let failure = client().send(&built, &options, Some(&secret)).await.unwrap_err();
            assert_clean(&format!("{failure} {failure:?} {built:?} {secret:?} {options:?}"));
        }
    }
}

#[tokio::test]
async fn a_host_made_of_the_secret_is_marked_too() {
    let upstream = Upstream::start(|_| {
        answer("302 Found", "location: https://s3cr3tkey.evil.example/\r\n", "")
    })
    .await;
    let origin = format!("http://{}", upstream.address);
    let (built, options) = call(&origin, &json!({}));
    let secret = placed("s3cr3tkey", Placement::Bearer {}, &origin);
    let failure = client().send(&built, &options, Some(&secret)).await.unwrap_err();
    assert!(!format!("{failure} {failure:?}").contains("s3cr3tkey"), "{failure:?}");
}

#[tokio::test]
async fn it_goes_to_no_other_origin_and_nothing_else_goes_there_either() {
    let upstream = Upstream::start(|_| answer("200 OK", "", "")).await;
    let (built, options) = call(&format!("http://{}", upstream.address), &json!({}));
    let secret = placed(SECRET, Placement::Bearer {}, "https://api.example.com");
    let failure = client().send(&built, &options, Some(&secret)).await.unwrap_err();
    assert!(matches!(failure, Failure::Credential { .. }), "{failure:?}");
    assert_eq!(failure.reached(), Reached::Never);
    assert_eq!(upstream.connections(), 0);
}
