//! Where connections go, who shares them, and what is never sent twice.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::RootCertStore;
use serde_json::json;
use tokio_rustls::TlsAcceptor;

use super::super::super::declaration::Placement;
use super::super::super::failure::{Failure, Reached, Stage};
use super::super::super::fixture::{
    Answers, Step, Upstream, answer, call, client, client_with, declared, json_answer, placed,
};
use super::super::super::request::build;
use super::super::{Client, Limits, Settings};

/// Case H4: the address that was checked is the one that is connected to.
#[tokio::test]
async fn a_name_that_changes_its_address_reaches_only_the_checked_one() {
    let checked = Upstream::on("127.0.0.2:0".parse().unwrap(), None, |_| {
        answer("200 OK", "content-type: application/json\r\nconnection: close\r\n", "{}")
    })
    .await;
    let port = checked.address.port();
    let hidden =
        Upstream::on(SocketAddr::from(([127, 0, 0, 1], port)), None, |_| json_answer("{}")).await;
    let resolver = Answers::new(&[&["127.0.0.2"], &["127.0.0.1"]]);
    let client = client_with(Arc::<Answers>::clone(&resolver), Limits::default());
    let (built, mut options) = call(&format!("http://rebind.example:{port}"), &json!({}));
    options.allow = vec!["127.0.0.2/32".parse().unwrap()];
    client.send(&built, &options, None).await.unwrap();
    assert_eq!((resolver.asked(), checked.connections()), (1, 1));
    let failure = client.send(&built, &options, None).await.unwrap_err();
    assert!(matches!(failure, Failure::Denied(_)), "{failure:?}");
    assert_eq!(failure.reached(), Reached::Never);
    assert!(!failure.to_string().contains("127.0.0.1"), "{failure}");
    assert_eq!((checked.connections(), hidden.connections()), (1, 0));
}

#[tokio::test]
async fn a_public_address_first_lets_no_private_one_through() {
    let hidden = Upstream::start(|_| json_answer("{}")).await;
    let port = hidden.address.port();
    for (addresses, denied) in [
        (&["192.0.2.1"][..], true),
        (&["8.8.8.8", "127.0.0.1"], true),
        (&["127.0.0.1", "8.8.8.8"], true),
        (&["::ffff:127.0.0.1"], true),
        (&["64:ff9b::7f00:1"], true),
        (&["169.254.169.254"], true),
        (&[], false),
    ] {
        let client = client_with(Answers::new(&[addresses, &["127.0.0.1"]]), Limits::default());
        let (built, mut options) = call(&format!("http://public.example:{port}"), &json!({}));
        options.allow = Vec::new();
        let failure = client.send(&built, &options, None).await.unwrap_err();
        assert_eq!(matches!(failure, Failure::Denied(_)), denied, "{addresses:?}: {failure:?}");
        assert_eq!(failure.reached(), Reached::Never);
    }
    let (built, mut options) = call(&format!("http://127.0.0.1:{port}"), &json!({}));
    options.allow = Vec::new();
    let failure = client().send(&built, &options, None).await.unwrap_err();
    assert!(matches!(failure, Failure::Denied(_)), "a literal passed: {failure:?}");
    assert_eq!(hidden.connections(), 0);
}

#[tokio::test]
async fn no_allow_list_opens_the_service_itself() {
    let own = Upstream::start(|_| json_answer("{}")).await;
    let any = SocketAddr::from(([0, 0, 0, 0], own.address.port()));
    for listed in [own.address, any] {
        let client = Client::new(Settings {
            resolver: Answers::new(&[&["127.0.0.1"]]),
            own: vec![listed],
            ..Settings::default()
        })
        .unwrap();
        for host in ["127.0.0.1", "itself.example"] {
            let (built, options) =
                call(&format!("http://{host}:{}", own.address.port()), &json!({}));
            let failure = client.send(&built, &options, None).await.unwrap_err();
            assert!(matches!(failure, Failure::Denied(_)), "{failure:?}");
        }
    }
    assert_eq!(own.connections(), 0);
}

/// Cases H1 and H7, as the upstream sees them.
#[tokio::test]
async fn a_refused_call_is_not_seen_by_the_upstream() {
    let upstream = Upstream::start(|_| json_answer("{}")).await;
    let validated = declared(
        &format!("http://{}", upstream.address),
        &json!({
            "path": "/v1/users/{id}", "arguments": [
                { "name": "id", "in": "path", "required": true, "schema": { "type": "string" } },
                { "name": "limit", "in": "query", "schema": { "type": "integer" } },
            ],
        }),
    );
    for arguments in [json!({ "id": "../../admin" }), json!({ "id": "1", "limt": 5 })] {
        assert!(build(&validated, arguments.as_object().unwrap()).is_err());
    }
    let built = build(&validated, json!({ "id": "1?role=admin#" }).as_object().unwrap()).unwrap();
    let (_, options) = call(&format!("http://{}", upstream.address), &json!({}));
    client().send(&built, &options, None).await.unwrap();
    let requests = upstream.requests();
    assert_eq!(requests.len(), 1);
    assert!(requests[0].starts_with("GET /v1/users/1%3Frole%3Dadmin%23 HTTP/1.1\r\n"));
}

#[tokio::test]
async fn a_connection_is_shared_only_under_the_same_key() {
    let upstream = Upstream::start(|_| json_answer("{}")).await;
    let origin = format!("http://{}", upstream.address);
    let client = client();
    let (built, options) = call(&origin, &json!({}));
    for _ in 0..5 {
        client.send(&built, &options, None).await.unwrap();
    }
    assert_eq!(upstream.connections(), 1);
    let mut other = options.clone();
    other.identity = "globex".into();
    client.send(&built, &other, None).await.unwrap();
    assert_eq!(upstream.connections(), 2);
    let secret = placed("s3cr3t-s3cr3t", Placement::Bearer {}, &origin);
    client.send(&built, &options, Some(&secret)).await.unwrap();
    assert_eq!(upstream.connections(), 3);
    let mut narrower = options.clone();
    narrower.allow = vec!["127.0.0.1/32".parse().unwrap()];
    client.send(&built, &narrower, None).await.unwrap();
    assert_eq!(upstream.connections(), 4);
    client.send(&built, &options, None).await.unwrap();
    assert_eq!(upstream.connections(), 4);
}

#[tokio::test]
async fn idle_connections_are_bounded_and_grow_old() {
    let upstream = Upstream::start(|_| json_answer("{}")).await;
    let limits =
        Limits { active: 3, idle: 2, idle_per_key: 1, idle_for: Duration::from_millis(200) };
    let client = client_with(Answers::new(&[&["127.0.0.1"]]), limits);
    let (built, mut options) = call(&format!("http://{}", upstream.address), &json!({}));
    for n in 0..10 {
        options.identity = format!("identity-{n}");
        client.send(&built, &options, None).await.unwrap();
        assert!(client.pool.idle_count() <= 2);
    }
    assert_eq!(client.pool.idle_count(), 2);
    tokio::time::sleep(Duration::from_millis(250)).await;
    client.send(&built, &options, None).await.unwrap();
    assert_eq!(upstream.connections(), 11);
    assert_eq!(client.pool.idle_count(), 1);
}

#[tokio::test]
async fn the_number_of_calls_under_way_is_bounded() {
    let upstream = Upstream::start(|_| vec![Step::Hang]).await;
    let limits = Limits { active: 2, ..Limits::default() };
    let client = Arc::new(client_with(Answers::new(&[&["127.0.0.1"]]), limits));
    let (built, mut options) = call(&format!("http://{}", upstream.address), &json!({}));
    options.deadline = tokio::time::Instant::now() + Duration::from_millis(400);
    let calls: Vec<_> = (0..6)
        .map(|_| {
            let (client, built, options) = (Arc::clone(&client), built.clone(), options.clone());
            tokio::spawn(async move { client.send(&built, &options, None).await.unwrap_err() })
        })
        .collect();
    let mut sent = 0;
    for call in calls {
        let failure = call.await.unwrap();
        let Failure::Timeout { sent: true, .. } = failure else {
            assert_eq!(failure.reached(), Reached::Never, "{failure:?}");
            continue;
        };
        sent += 1;
    }
    assert_eq!((sent, upstream.connections()), (2, 2));
}

#[tokio::test]
async fn one_key_keeps_no_more_than_its_share() {
    let upstream = Upstream::start(|_| {
        let mut steps = vec![Step::Wait(50)];
        steps.extend(json_answer("{}"));
        steps
    })
    .await;
    let limits = Limits { idle_per_key: 1, ..Limits::default() };
    let client = client_with(Answers::new(&[&["127.0.0.1"]]), limits);
    let (built, options) = call(&format!("http://{}", upstream.address), &json!({}));
    let send = || client.send(&built, &options, None);
    let (first, second, third) = tokio::join!(send(), send(), send());
    assert!(first.is_ok() && second.is_ok() && third.is_ok());
    assert_eq!((upstream.connections(), client.pool.idle_count()), (3, 1));
}

#[tokio::test]
async fn idle_connections_keep_no_call_waiting() {
    let upstream = Upstream::start(|_| {
        let mut steps = vec![Step::Wait(10)];
        steps.extend(json_answer("{}"));
        steps
    })
    .await;
    let limits = Limits { active: 1, ..Limits::default() };
    let client = Arc::new(client_with(Answers::new(&[&["127.0.0.1"]]), limits));
    let (built, options) = call(&format!("http://{}", upstream.address), &json!({}));
    let calls: Vec<_> = (0..8)
        .map(|n| {
            let (client, built, mut options) =
                (Arc::clone(&client), built.clone(), options.clone());
            options.identity = format!("identity-{n}");
            tokio::spawn(async move { client.send(&built, &options, None).await })
        })
        .collect();
    for call in calls {
        call.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn a_connection_that_the_upstream_closes_is_not_used_again() {
    let closing = Upstream::start(|_| {
        answer("200 OK", "content-type: application/json\r\nconnection: close\r\n", "{}")
    })
    .await;
    let dropping = Upstream::start(|_| {
        let mut steps = json_answer("{}");
        steps.push(Step::Close);
        steps
    })
    .await;
    for upstream in [closing, dropping] {
        let client = client();
        let (built, options) =
            call(&format!("http://{}", upstream.address), &json!({ "method": "POST" }));
        for _ in 0..3 {
            client.send(&built, &options, None).await.unwrap();
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
        assert_eq!((upstream.connections(), upstream.requests().len()), (3, 3));
    }
}

/// A kept connection that dies with the request on it: the effect may have happened, so nothing is
/// sent again, whatever the method.
#[tokio::test]
async fn what_may_have_been_sent_is_not_sent_again() {
    for method in ["POST", "DELETE", "GET"] {
        let seen = std::sync::atomic::AtomicUsize::new(0);
        let upstream = Upstream::start(move |_| {
            if seen.fetch_add(1, std::sync::atomic::Ordering::SeqCst) == 0 {
                json_answer("{}")
            } else {
                vec![Step::Close]
            }
        })
        .await;
        let client = client();
        let (built, options) =
            call(&format!("http://{}", upstream.address), &json!({ "method": method }));
        client.send(&built, &options, None).await.unwrap();
        let failure = client.send(&built, &options, None).await.unwrap_err();
        assert!(matches!(failure, Failure::Unknown { status: None }), "{failure:?}");
        assert_eq!((upstream.connections(), upstream.requests().len()), (1, 2));
    }
}

#[tokio::test]
async fn a_call_given_up_closes_its_connection() {
    let upstream = Upstream::start(|_| vec![Step::Hang]).await;
    let client = client();
    let (built, options) = call(&format!("http://{}", upstream.address), &json!({}));
    let sent =
        tokio::time::timeout(Duration::from_millis(200), client.send(&built, &options, None));
    assert!(sent.await.is_err());
    assert_eq!(client.pool.idle_count(), 0);
}

async fn https(names: &[&str]) -> (Upstream, RootCertStore) {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed(names).unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(cert.der().clone()).unwrap();
    let key = rustls::pki_types::PrivatePkcs8KeyDer::from(signing_key.serialize_der());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key.into())
        .unwrap();
    let tls = TlsAcceptor::from(Arc::new(config));
    let upstream =
        Upstream::on("127.0.0.1:0".parse().unwrap(), Some(tls), |_| json_answer("{}")).await;
    (upstream, roots)
}

fn trusting(roots: RootCertStore) -> Client {
    let resolver = Answers::new(&[&["127.0.0.1"]]);
    Client::new(Settings { resolver, roots, ..Settings::default() }).unwrap()
}

#[tokio::test]
async fn tls_holds_the_upstream_to_its_name_and_root() {
    let (upstream, roots) = https(&["api.example.com"]).await;
    let port = upstream.address.port();
    let origin = format!("https://api.example.com:{port}");
    let (built, options) = call(&origin, &json!({ "method": "POST" }));
    let secret = placed("s3cr3t-s3cr3t", Placement::Bearer {}, &origin);
    let trusted = trusting(roots.clone());
    for _ in 0..2 {
        trusted.send(&built, &options, Some(&secret)).await.unwrap();
    }
    assert_eq!((upstream.connections(), upstream.requests().len()), (1, 2));
    assert!(upstream.requests()[0].contains(&format!("host: api.example.com:{port}\r\n")));
    let (other, other_options) = call(&format!("https://other.example.com:{port}"), &json!({}));
    let (literal, literal_options) = call(&format!("https://127.0.0.1:{port}"), &json!({}));
    for (client, built, options) in [
        (
            Client::new(Settings {
                resolver: Answers::new(&[&["127.0.0.1"]]),
                ..Settings::default()
            })
            .unwrap(),
            &built,
            &options,
        ),
        (trusting(roots.clone()), &other, &other_options),
        (trusting(roots), &literal, &literal_options),
    ] {
        let failure = client.send(built, options, None).await.unwrap_err();
        assert!(matches!(failure, Failure::BeforeSend { stage: Stage::Tls, .. }), "{failure:?}");
    }
    assert_eq!(upstream.requests().len(), 2);
}

#[tokio::test]
async fn an_upstream_without_tls_gets_no_request() {
    let plain = Upstream::start(|_| json_answer("{}")).await;
    let (built, mut options) =
        call(&format!("https://127.0.0.1:{}", plain.address.port()), &json!({}));
    options.deadline = tokio::time::Instant::now() + Duration::from_millis(400);
    let failure = client().send(&built, &options, None).await.unwrap_err();
    assert_eq!(failure.reached(), Reached::Never, "{failure:?}");
    assert!(plain.requests().is_empty());
}
