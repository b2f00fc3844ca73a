//! Principals: made, read, changed, suspended and resumed.

use contract::Code;
use serde_json::json;

use crate::world::{World, column, text};

#[tokio::test]
async fn a_principal_is_made_read_changed_and_listed() {
    let (world, acme, _) = World::full().await;
    let input = json!({ "kind": "agent", "name": "triage-bot" });
    let made = world.envelope(&acme.owner, "principal.create", input.clone()).await;
    assert_eq!(made.result["stage"], json!("supervised"));
    assert_eq!(made.hints.len(), 1);
    let id = text(&made.result, "id");
    world.refused_as(&acme.owner, "principal.create", input, Code::AlreadyExists).await;
    let of = json!({ "principal": id });
    assert_eq!(world.done(&acme.owner, "principal.get", of).await, made.result);
    let mut input = json!({ "principal": id, "stage": "autonomous", "expected_version": 3 });
    world.refused_as(&acme.owner, "principal.update", input.clone(), Code::VersionMismatch).await;
    input["expected_version"] = json!(1);
    let updated = world.done(&acme.owner, "principal.update", input).await;
    assert_eq!((&updated["stage"], &updated["version"]), (&json!("autonomous"), &json!(2)));
    let listed = world.done(&acme.owner, "principal.list", json!({})).await;
    assert_eq!(column(&listed, "name"), ["ana", "shop-bot", "triage-bot"]);
    let user = json!({ "principal": acme.owner_id, "stage": "supervised", "expected_version": 1 });
    world.refused_as(&acme.owner, "principal.update", user, Code::WrongState).await;
}

#[tokio::test]
async fn the_next_call_of_a_suspended_principal_is_refused_whatever_its_token() {
    let (world, acme, _) = World::full().await;
    let minted = world.done(&acme.bot_token, "token.narrow", json!({})).await;
    let tokens = [acme.bot_token.clone(), text(&minted, "secret")];
    let of = json!({ "principal": acme.bot });
    let suspended = world.envelope(&acme.owner, "principal.suspend", of.clone()).await;
    assert_eq!(suspended.result["suspended"], json!(true));
    for token in &tokens {
        world.refused_as(token, "token.whoami", json!({}), Code::Unauthenticated).await;
    }
    let again = world.envelope(&acme.owner, "principal.suspend", of.clone()).await;
    assert_eq!(again.written, []);
    let stale = json!({ "principal": acme.bot, "expected_version": 1 });
    world.refused_as(&acme.owner, "principal.resume", stale, Code::VersionMismatch).await;
    world.done(&acme.owner, "principal.resume", of).await;
    for token in &tokens {
        world.done(token, "token.whoami", json!({})).await;
    }
}

#[tokio::test]
async fn principals_are_the_identitys_and_nobody_sees_them_from_below() {
    let (world, acme, _) = World::full().await;
    let admin = world.caller(&acme.owner, "user", "admin", "acme/shop").await;
    let of = json!({ "principal": acme.bot });
    let nobody = json!({ "principal": acme.bot.replace(|c: char| c.is_ascii_digit(), "0") });
    for verb in ["principal.get", "principal.suspend", "principal.resume"] {
        let hidden = world.refused(&admin, verb, of.clone()).await;
        let absent = world.refused(&acme.owner, verb, nobody.clone()).await;
        let told =
            |refusal: &contract::Refusal| (refusal.code, refusal.say.clone(), refusal.fix.clone());
        assert_eq!(told(&hidden), told(&absent), "{verb}");
        assert_eq!(hidden.code, Code::NotFound);
    }
    let input = json!({ "kind": "user", "name": "eve" });
    world.refused_as(&admin, "principal.create", input, Code::NotGranted).await;
    world.refused_as(&admin, "principal.list", json!({}), Code::NotGranted).await;
}
