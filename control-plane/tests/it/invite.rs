//! Invites: a person's first token, once, and for no more than the inviter could still give.

use contract::{Answer, Code, Refusal};
use serde_json::{Value, json};

use crate::world::{Tenant, World, done, refused, text};

async fn user(world: &World, acme: &Tenant, name: &str) -> String {
    let input = json!({ "kind": "user", "name": name });
    text(&world.done(&acme.owner, "principal.create", input).await, "id")
}

async fn invite(world: &World, by: &str, principal: &str) -> Value {
    let input = json!({ "principal": principal, "email": "iris@example.com" });
    world.done(by, "invite.create", input).await
}

async fn accept(world: &World, secret: &str) -> Answer {
    world.call("", "invite.accept", json!({ "secret": secret })).await
}

fn told(answer: Answer) -> Refusal {
    Refusal { decision_id: None, ..refused(answer) }
}

#[tokio::test]
async fn an_invite_yields_the_persons_own_token_once() {
    let (world, acme, _) = World::full().await;
    let iris = user(&world, &acme, "iris").await;
    let invited = invite(&world, &acme.owner, &iris).await;
    let secret = text(&invited, "secret");
    assert!(secret.starts_with("bw_invite_"));
    // It is no token.
    world.refused_as(&secret, "token.whoami", json!({}), Code::Unauthenticated).await;
    let accepted = done(accept(&world, &secret).await);
    let token = text(&accepted.result, "secret");
    assert!(token.starts_with("bw_user_"));
    let who = world.done(&token, "token.whoami", json!({})).await;
    assert_eq!((&who["principal"], &who["kind"]), (&json!(iris), &json!("user")));
    assert_eq!(told(accept(&world, &secret).await).code, Code::NotFound);
    let listed = world.done(&acme.owner, "invite.list", json!({})).await;
    assert_eq!(listed["items"][0]["state"], json!("accepted"));
    assert!(!listed.to_string().contains("bw_"));
    let acts = world.all_acts("acme").await;
    let act = acts.iter().find(|act| act.verb == "invite.accept").expect("is an act");
    assert_eq!(act.principal.map(|id| id.to_string()), Some(iris));
    assert_eq!(act.objects.len(), 2);
}

#[tokio::test]
async fn whatever_stands_against_it_is_refused_alike() {
    let (world, acme, _) = World::full().await;
    let mut answers = Vec::new();
    for text in ["", "bw_invite_x", acme.owner.as_str(), world.operator.as_str()] {
        if !text.is_empty() {
            answers.push(told(accept(&world, text).await));
        }
    }
    let iris = user(&world, &acme, "iris").await;
    let revoked = invite(&world, &acme.owner, &iris).await;
    let which = json!({ "invite": revoked["invite"]["id"] });
    world.done(&acme.owner, "invite.revoke", which).await;
    answers.push(told(accept(&world, &text(&revoked, "secret")).await));
    let leaked = text(&invite(&world, &acme.owner, &iris).await, "secret");
    world.done("", "token.report_leaked", json!({ "secret": leaked })).await;
    answers.push(told(accept(&world, &leaked).await));
    let expired = text(&invite(&world, &acme.owner, &iris).await, "secret");
    world.clock.pass(7 * 24 * 60 * 60 * 1000);
    answers.push(told(accept(&world, &expired).await));
    let suspended = text(&invite(&world, &acme.owner, &iris).await, "secret");
    world.done(&acme.owner, "principal.suspend", json!({ "principal": iris })).await;
    answers.push(told(accept(&world, &suspended).await));
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    let states = world.done(&acme.owner, "invite.list", json!({})).await;
    let mut states = crate::world::column(&states, "state");
    states.sort_unstable();
    assert_eq!(states, ["expired", "leaked", "open", "revoked"]);
}

/// Nobody who is less than an owner invites: they could keep the secret until that person is more. And who
/// is an owner no longer has invited nobody.
#[tokio::test]
async fn an_invite_is_worth_no_more_than_its_inviter() {
    let (world, acme, _) = World::full().await;
    let admin = world.caller(&acme.owner, "user", "admin", "acme").await;
    let iris = user(&world, &acme, "iris").await;
    let input = json!({ "principal": iris, "email": "iris@example.com" });
    world.refused_as(&admin, "invite.create", input, Code::BeyondOwnAuthority).await;
    let second = world.caller(&acme.owner, "user", "owner", "acme").await;
    done(accept(&world, &text(&invite(&world, &second, &iris).await, "secret")).await);
    // And it ends with the inviter's token.
    let secret = text(&invite(&world, &second, &iris).await, "secret");
    let own = world.done(&second, "token.whoami", json!({})).await;
    world.done(&second, "token.revoke", json!({ "token": own["token"] })).await;
    assert_eq!(told(accept(&world, &secret).await).code, Code::NotFound);
}

#[tokio::test]
async fn only_people_are_invited_and_only_by_people() {
    let (world, acme, _) = World::full().await;
    let input = json!({ "principal": acme.bot, "email": "x", "expires": "2027-12-01T12:00:00Z" });
    let refusal = world.refused(&acme.owner, "invite.create", input).await;
    // The schema is looked at first.
    assert_eq!(refusal.field.as_deref(), Some("email"));
    let input =
        json!({ "principal": acme.bot, "email": "not one", "expires": "2027-12-01T12:00:00Z" });
    let refusal = world.refused(&acme.owner, "invite.create", input).await;
    let fields: Vec<_> = refusal.faults.iter().map(|fault| fault.field.as_str()).collect();
    assert_eq!(fields, ["principal", "email", "expires"]);
    let machine = world.caller(&acme.owner, "agent", "owner", "acme").await;
    let iris = user(&world, &acme, "iris").await;
    let input = json!({ "principal": iris, "email": "iris@example.com" });
    world.refused_as(&machine, "invite.create", input.clone(), Code::UserRequired).await;
    for _ in 0..5 {
        world.done(&acme.owner, "invite.create", input.clone()).await;
    }
    world.refused_as(&acme.owner, "invite.create", input, Code::WrongState).await;
}
