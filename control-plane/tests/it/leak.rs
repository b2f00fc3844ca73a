//! The leak path: whoever holds a token's text ends it, and learns nothing.

use contract::{Answer, Code, Envelope};
use serde_json::json;
use tenancy::clock::Fake;
use tenancy::token::{self, Kind, Route};

use crate::world::{BEGIN, How, World, done, text};

async fn report(world: &World, secret: &str) -> Envelope {
    done(world.call("", "token.report_leaked", json!({ "secret": secret })).await)
}

#[tokio::test]
async fn a_reported_token_ends_with_its_children_and_the_owner_sees_why() {
    let (world, acme, _) = World::full().await;
    let child = text(&world.done(&acme.bot_token, "token.narrow", json!({})).await, "secret");
    let rotate = json!({ "token": acme.bot_token_id, "overlap_seconds": 600 });
    let next = text(&world.done(&acme.bot_token, "token.rotate", rotate).await, "secret");
    report(&world, &acme.bot_token).await;
    for token in [&acme.bot_token, &child, &next] {
        world.refused_as(token, "token.whoami", json!({}), Code::Unauthenticated).await;
    }
    let of = json!({ "principal": acme.bot });
    let listed = world.done(&acme.owner, "token.list", of).await;
    let old = listed["items"].as_array().expect("tokens").iter();
    let mut old = old.filter(|token| token["id"] == json!(acme.bot_token_id));
    let old = old.next().expect("is listed");
    assert_eq!(old["revoked_because"], json!("leaked"));
    assert_eq!(old["revoked_at"], json!("2026-11-30T12:01:00Z"));
    let acts = world.all_acts("acme").await;
    let act = acts.iter().find(|act| act.verb == "token.report_leaked").expect("is an act");
    assert_eq!((act.principal, act.token), (None, None));
    assert!(act.objects.contains(&format!("tokens/{}", acme.bot_token_id)), "{:?}", act.objects);
}

#[tokio::test]
async fn every_report_is_answered_alike() {
    let (world, acme, _) = World::stocked().await;
    let source = Fake::at(BEGIN.parse().expect("a time"));
    let route: Route = acme.owner.split('_').nth(2).expect("a route").parse().expect("a route");
    let elsewhere: Route = "nowhere00".parse().expect("a route");
    let mint = |kind, route: &Route| token::mint(&source, kind, route).expose().to_owned();
    let mut texts = vec!["bw_agent_x".to_owned(), "no token".to_owned(), acme.bot_token.clone()];
    texts.extend(Kind::ALL.map(|kind| mint(kind, &route)));
    texts.extend(Kind::ALL.map(|kind| mint(kind, &elsewhere)));
    // Again, when it is revoked already.
    texts.push(acme.bot_token.clone());
    let revision = world.revision("acme").await;
    let answers: Vec<Envelope> = {
        let mut answers = Vec::new();
        for text in &texts {
            answers.push(report(&world, text).await);
        }
        answers
    };
    assert!(answers.iter().all(|answer| *answer == answers[0]));
    assert!(answers[0].written.is_empty());
    assert_eq!(world.revision("acme").await, revision + 1, "one token was revoked, once");
    let how = How { dry_run: true, ..How::default() };
    let asked = |secret: &str| json!({ "secret": secret });
    let known = world.call_so("", "token.report_leaked", asked(&acme.owner), &how).await;
    let unknown = world.call_so("", "token.report_leaked", asked("x"), &how).await;
    assert_eq!(done(known), done(unknown));
    world.done(&acme.owner, "token.whoami", json!({})).await;
}

#[tokio::test]
async fn an_operators_token_can_leak_too() {
    let (world, _, _) = World::full().await;
    report(&world, &world.operator).await;
    let list = world.call(&world.operator, "identity.list", json!({})).await;
    let Answer::Refused(refusal) = list else { panic!("{list:?}") };
    assert_eq!(refusal.code, Code::Unauthenticated);
}

/// No file of the data folder holds the text, nor its digest but as the hash that tokens are kept by.
#[tokio::test]
async fn the_text_is_kept_nowhere() {
    let (world, acme, _) = World::full().await;
    let how = How { key: Some("of-a-scanner"), ..How::default() };
    let input = json!({ "secret": acme.bot_token });
    done(world.call_so(&acme.owner, "token.report_leaked", input, &how).await);
    world.plane.close().await;
    let secret = acme.bot_token.rsplit('_').nth(1).expect("a secret").as_bytes().to_vec();
    for entry in std::fs::read_dir(world.dir.path()).expect("a folder") {
        let path = entry.expect("an entry").path();
        let bytes = std::fs::read(&path).expect("reads");
        assert!(!bytes.windows(secret.len()).any(|at| at == secret), "{}", path.display());
    }
}
