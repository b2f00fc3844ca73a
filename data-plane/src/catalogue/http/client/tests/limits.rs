//! Sizes: headers, bodies, and bodies that unpack to more than they seem.

use std::io::Write as _;

use flate2::write::GzEncoder;
use flate2::{Compress, Compression, FlushCompress};
use serde_json::json;

use super::super::super::failure::{Failure, Limit};
use super::super::super::fixture::{Step, Upstream, answer, call, client, json_answer};
use super::super::super::received::Received;

async fn get(upstream: &Upstream, extra: serde_json::Value) -> Result<Received, Failure> {
    let (built, options) = call(&format!("http://{}", upstream.address), &extra);
    client().send(&built, &options, None).await
}

const GZIPPED: &str = "content-type: application/json\r\ncontent-encoding: gzip\r\n";

/// One gzip member of 300 KB that unpacks to 300 MB: a block of zeroes, ended so that it can be
/// repeated, again and again.
fn bomb() -> Vec<u8> {
    let zeroes = vec![0; 3_000_000];
    let mut block = Vec::with_capacity(1 << 20);
    let mut compress = Compress::new(Compression::best(), false);
    compress.compress_vec(&zeroes, &mut block, FlushCompress::Full).unwrap();
    let mut bomb = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    for _ in 0..100 {
        bomb.extend_from_slice(&block);
    }
    bomb
}

/// Bytes of this process in memory: now (`VmRSS:`), or the most there ever were (`VmHWM:`).
fn memory_bytes(name: &str) -> usize {
    let text = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() * 1024
}

/// Set in the child process that measures its own memory, which no other test shares.
const ALONE: &str = "BAILIWICK_TEST_BOMB";

/// Case H5, and the same with the ratio out of the way.
#[test]
fn a_bomb_is_stopped_before_it_fills_memory() {
    if std::env::var_os(ALONE).is_some() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        return runtime.block_on(take_in_a_bomb());
    }
    let (_, module) = module_path!().split_once("::").unwrap();
    let child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &format!("{module}::a_bomb_is_stopped_before_it_fills_memory")])
        .env(ALONE, "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success() && said.contains("1 passed"), "{said}");
}

async fn take_in_a_bomb() {
    let bomb = bomb();
    assert!((200_000..400_000).contains(&bomb.len()), "{}", bomb.len());
    let upstream = Upstream::start(move |_| answer("200 OK", GZIPPED, &bomb)).await;
    // Once before it is measured: the program's own pages are read in then, and do not count.
    get(&upstream, json!({ "max_ratio": 100 })).await.unwrap_err();
    let before = memory_bytes("VmRSS:");
    for (max_ratio, what, limit) in [(100, Limit::Ratio, 100), (1_000, Limit::Body, 1 << 20)] {
        let failure = get(&upstream, json!({ "max_ratio": max_ratio })).await.unwrap_err();
        assert_eq!(failure.code(), "response_too_large");
        let Failure::TooLarge { what: over, limit: said, status } = failure else { panic!() };
        assert_eq!((over, said, status), (what, limit, Some(200)));
    }
    let grown = memory_bytes("VmHWM:").saturating_sub(before);
    assert!(grown < 16 << 20, "grew by {grown}");
}

#[tokio::test]
async fn gzip_within_the_limits_is_unpacked() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(br#"{"items":[1,2,3]}"#).unwrap();
    let packed = encoder.finish().unwrap();
    let whole = packed.clone();
    let upstream = Upstream::start(move |_| answer("200 OK", GZIPPED, &whole)).await;
    assert_eq!(get(&upstream, json!({})).await.unwrap().body, r#"{"items":[1,2,3]}"#);
    let cut = packed[..packed.len() - 3].to_vec();
    let upstream = Upstream::start(move |_| answer("200 OK", GZIPPED, &cut)).await;
    let failure = get(&upstream, json!({})).await.unwrap_err();
    assert!(matches!(failure, Failure::Undecodable { status: 200 }), "{failure:?}");
    let headers = "content-type: application/json\r\ncontent-encoding: br\r\n";
    let upstream = Upstream::start(move |_| answer("200 OK", headers, "{}")).await;
    let failure = get(&upstream, json!({})).await.unwrap_err();
    assert!(matches!(failure, Failure::Undecodable { status: 200 }), "{failure:?}");
}

#[tokio::test]
async fn the_limit_of_a_body_is_exact_announced_or_not() {
    let limit = json!({ "response_limit_bytes": 1_000 });
    let exact = Upstream::start(|_| json_answer("1".repeat(1_000))).await;
    assert_eq!(get(&exact, limit.clone()).await.unwrap().body.len(), 1_000);
    let announced = Upstream::start(|_| json_answer("1".repeat(1_001))).await;
    let head =
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
    let chunk = format!("1f5\r\n{}\r\n", "1".repeat(501));
    let chunked = Upstream::start(move |_| {
        vec![
            Step::Write(head.into()),
            Step::Write(chunk.clone().into()),
            Step::Write(chunk.clone().into()),
            Step::Hang,
        ]
    })
    .await;
    for upstream in [announced, chunked] {
        let failure = get(&upstream, limit.clone()).await.unwrap_err();
        let Failure::TooLarge { what: Limit::Body, limit: 1_000, .. } = failure else {
            panic!("{failure:?}")
        };
    }
}

#[tokio::test]
async fn headers_have_a_largest_number_and_size() {
    let many = "x-n: y\r\n".repeat(2_000);
    let long = format!("x-long: {}\r\n", "y".repeat(64 << 10));
    for headers in [many, long] {
        let upstream = Upstream::start(move |_| {
            answer("200 OK", &format!("content-type: application/json\r\n{headers}"), "{}")
        })
        .await;
        let failure = get(&upstream, json!({})).await.unwrap_err();
        assert!(matches!(failure, Failure::TooLarge { what: Limit::Headers, .. }), "{failure:?}");
    }
    let some = "x-n: y\r\n".repeat(100);
    let upstream = Upstream::start(move |_| {
        answer("200 OK", &format!("content-type: application/json\r\n{some}"), "{}")
    })
    .await;
    assert!(get(&upstream, json!({})).await.is_ok());
}
