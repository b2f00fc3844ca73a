//! Boundaries, for every verb that the registry has: as nobody, as a neighbour with the other's ids
//! as arguments, and as someone with nothing granted.

use contract::verb::{Needs, Plane, Registry};
use contract::{Answer, Code, Refusal, Verb, sample};
use serde_json::{Value, json};
use tenancy::clock::Fake;
use tenancy::token::{self, Route};

use crate::world::{BEGIN, Tenant, World, text};

fn verbs() -> impl Iterator<Item = &'static Verb> {
    // What anyone may use asks for no authority: see `leak` and `invite`.
    let ours = |verb: &&Verb| verb.plane == Plane::Control && verb.needs != Needs::Anyone;
    Registry::get().iter().filter(ours)
}

/// The verb's example, with the ids of `tenant` in place of the sample's.
fn example(verb: &Verb, tenant: &Tenant) -> Value {
    let mut text = verb.example_input.to_string();
    for (kind, n, id) in [
        ("principal", 1, &tenant.owner_id),
        ("principal", 2, &tenant.bot),
        ("grant", 2, &tenant.bot_grant),
        ("token", 2, &tenant.bot_token_id),
    ] {
        text = text.replace(&sample::text(kind, n), id);
    }
    for (field, value) in &tenant.more {
        text = text.replace(field, value);
    }
    let text = text.replace("acme", &tenant.name);
    serde_json::from_str(&text).expect("is still JSON")
}

/// What a refusal tells, but for its decision.
fn told(refusal: &Refusal) -> Refusal {
    Refusal { decision_id: None, ..refusal.clone() }
}

#[tokio::test]
async fn nobody_gets_the_same_answer_everywhere() {
    let (world, acme, _) = World::stocked().await;
    let which = json!({ "token": acme.bot_token_id });
    world.done(&acme.owner, "token.revoke", which).await;
    let (world, acme) = (world, acme);
    let source = Fake::at(BEGIN.parse().expect("a time"));
    let route: Route = acme.owner.split('_').nth(2).expect("a route").parse().expect("a route");
    let elsewhere: Route = "nowhere00".parse().expect("a route");
    let mint = |kind, route: &Route| token::mint(&source, kind, route).expose().to_owned();
    // As a token of another kind, the owner's own is another text, and unknown.
    let mut tokens = vec![String::new(), "bw_user_x".to_owned(), acme.bot_token.clone()];
    tokens.extend(token::Kind::ALL.map(|kind| mint(kind, &route)));
    tokens.extend(token::Kind::ALL.map(|kind| mint(kind, &elsewhere)));
    let rows = world.rows().await;
    let mut answers = Vec::new();
    for verb in verbs() {
        for token in &tokens {
            answers.push(world.refused(token, verb.name, example(verb, &acme)).await);
        }
    }
    assert!(answers.iter().all(|answer| *answer == answers[0]));
    assert_eq!((answers[0].code, answers[0].decision_id), (Code::Unauthenticated, None));
    assert_eq!(world.rows().await, rows);
}

#[tokio::test]
async fn a_neighbour_reaches_nothing_with_the_others_ids() {
    let (world, acme, globex) = World::stocked().await;
    let rows = world.rows().await;
    let revision = world.revision("acme").await;
    let mut secrets =
        vec![&acme.name, &acme.owner_id, &acme.bot, &acme.bot_grant, &acme.bot_token_id];
    secrets.extend(acme.more.iter().map(|(_, id)| id));
    for verb in verbs() {
        let input = example(verb, &acme);
        let names_nothing = input == example(verb, &globex);
        let answer = world.call(&globex.owner, verb.name, input.clone()).await;
        match answer {
            Answer::Refused(refusal) => {
                let body = refusal.body().to_string();
                for secret in &secrets[1..] {
                    assert!(!body.contains(secret.as_str()), "{}: {body}", verb.name);
                }
            }
            // What names nothing of the other's is about oneself.
            Answer::Done(envelope) => {
                assert!(names_nothing || is_list(verb), "{} was carried out: {input}", verb.name);
                let body = envelope.result.to_string();
                for secret in &secrets {
                    assert!(!body.contains(secret.as_str()), "{}: {body}", verb.name);
                }
            }
            other @ (Answer::Held(_) | Answer::Unavailable(_)) => {
                panic!("{}: {other:?}", verb.name)
            }
        }
    }
    assert_eq!(world.revision("acme").await, revision);
    let owned = |rows: &std::collections::BTreeMap<String, i64>| rows["identities"];
    assert_eq!(owned(&world.rows().await), owned(&rows));
}

fn is_list(verb: &Verb) -> bool {
    verb.act() == "list"
}

#[tokio::test]
async fn the_others_ids_are_refused_like_ids_that_nobody_has() {
    let (world, acme, globex) = World::stocked().await;
    for verb in verbs().filter(|verb| verb.needs != Needs::Operator) {
        let theirs = example(verb, &acme);
        let nobodys: Value =
            serde_json::from_str(&nobodys(&theirs.to_string(), &acme)).expect("is JSON");
        if theirs == nobodys || !unnamed(verb) {
            continue;
        }
        let theirs = world.call(&globex.owner, verb.name, theirs).await;
        let nobodys = world.call(&globex.owner, verb.name, nobodys).await;
        match (theirs, nobodys) {
            (Answer::Refused(theirs), Answer::Refused(nobodys)) => {
                assert_eq!(told(&theirs), told(&nobodys), "{}", verb.name);
            }
            (Answer::Done(theirs), Answer::Done(nobodys)) => {
                assert_eq!(theirs.result, nobodys.result, "{}", verb.name);
            }
            other => {
                panic!("{}: {other:?}", verb.name)
            }
        }
    }
}

/// Whether the verb names records by ids, which are nobody's to choose.
fn unnamed(verb: &Verb) -> bool {
    verb.path_fields().next().is_some() || verb.act() == "list"
}

/// The same text with ids that nobody has, and an identity that is not there.
fn nobodys(text: &str, tenant: &Tenant) -> String {
    let mut text = text.to_owned();
    let ids = [&tenant.owner_id, &tenant.bot, &tenant.bot_grant, &tenant.bot_token_id];
    for id in ids.into_iter().chain(tenant.more.iter().map(|(_, id)| id)) {
        let (prefix, digits) = id.split_once('_').expect("an id");
        let other: String = digits.chars().rev().collect();
        text = text.replace(id, &format!("{prefix}_{other}"));
    }
    text.replace(&format!("\"{}", tenant.name), "\"nowhere")
}

#[tokio::test]
async fn whoever_has_no_grant_is_refused_everything_but_themselves() {
    let (world, acme, _) = World::stocked().await;
    let input = json!({ "kind": "user", "name": "guest" });
    let guest = text(&world.done(&acme.owner, "principal.create", input).await, "id");
    let input = json!({ "principal": guest });
    let guest = text(&world.done(&acme.owner, "token.create", input).await, "secret");
    let revision = world.revision("acme").await;
    for verb in verbs() {
        let answer = world.call(&guest, verb.name, example(verb, &acme)).await;
        let own = ["token.narrow", "token.whoami"].contains(&verb.name);
        match answer {
            Answer::Done(_) => assert!(own, "{} was carried out", verb.name),
            Answer::Refused(refusal) => {
                assert!(!own, "{}", verb.name);
                let told = [Code::NotGranted, Code::NotFound];
                assert!(told.contains(&refusal.code), "{}: {refusal:?}", verb.name);
                assert!(refusal.decision_id.is_some(), "{}", verb.name);
            }
            other @ (Answer::Held(_) | Answer::Unavailable(_)) => {
                panic!("{}: {other:?}", verb.name)
            }
        }
    }
    assert_eq!(world.revision("acme").await, revision + 1, "one token was narrowed");
}

#[tokio::test]
async fn an_admin_of_one_project_reaches_nothing_of_the_next() {
    let (world, acme, _) = World::stocked().await;
    let admin = world.caller(&acme.owner, "user", "admin", "acme/shop/checkout").await;
    let input = json!({ "principal": acme.bot, "scope": "acme/shop/returns", "role": "viewer" });
    let grant = text(&world.done(&acme.owner, "grant.create", input).await, "id");
    let input = json!({ "principal": acme.bot, "scope": "acme/shop/returns" });
    let minted = world.done(&acme.owner, "token.create", input).await;
    let token = text(&minted["token"], "id");
    let revision = world.revision("acme").await;
    let neighbour = Tenant { bot_grant: grant, bot_token_id: token, ..acme };
    for verb in verbs() {
        let input = example(verb, &neighbour).to_string().replace("checkout", "returns");
        // `shop` itself is above both.
        let input = input.replace("acme/shop\"", "acme/shop/returns\"");
        let input: Value = serde_json::from_str(&input).expect("is JSON");
        let answer = world.call(&admin, verb.name, input).await;
        let own = ["token.narrow", "token.whoami"].contains(&verb.name);
        match answer {
            Answer::Done(envelope) => {
                assert!(own || is_list(verb), "{} was carried out", verb.name);
                let body = envelope.result.to_string();
                assert!(!body.contains("acme/shop/returns"), "{}: {body}", verb.name);
            }
            Answer::Refused(_) => assert!(!own, "{}", verb.name),
            other @ (Answer::Held(_) | Answer::Unavailable(_)) => {
                panic!("{}: {other:?}", verb.name)
            }
        }
    }
    assert_eq!(world.revision("acme").await, revision + 1, "one token was narrowed");
}
