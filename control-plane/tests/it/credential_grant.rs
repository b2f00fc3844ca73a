//! Credential grants: given only by whoever may give the credential too, and revoked for good.

use contract::Code;
use contract::sample;
use serde_json::json;

use crate::stock::fields;
use crate::world::{World, column, text};

#[tokio::test]
async fn a_credential_grant_is_given_told_listed_and_revoked() {
    let (world, acme, _) = World::stocked().await;
    let credential = acme.stocked("credential");
    let input = json!({
        "credential": credential, "scope": "acme/shop/returns", "expires": "2026-12-01T00:00:00Z",
    });
    let given = world.envelope(&acme.owner, "credential-grant.create", input).await;
    let id = text(&given.result, "id");
    assert_eq!(given.written[0].object.table, "credential_grants");
    assert_eq!(given.result["expires"], json!("2026-12-01T00:00:00Z"));
    let view = world.given("acme").await.view;
    let told = view.credential_grants.iter().find(|told| told.id.to_string() == id).expect("told");
    assert_eq!(told.credential.to_string(), credential);
    assert_eq!((told.scope.as_str(), told.revoked), ("acme/shop/returns", false));
    assert_eq!(told.expires.expect("ends").to_string(), "2026-12-01T00:00:00Z");
    let listed = world.done(&acme.owner, "credential-grant.list", json!({})).await;
    let mut scopes = column(&listed, "scope");
    scopes.sort_unstable();
    assert_eq!(scopes, ["acme/shop", "acme/shop/returns"]);
    let which = json!({ "credential_grant": id });
    let ended = world.envelope(&acme.owner, "credential-grant.revoke", which.clone()).await;
    assert_eq!((&ended.result["revoked"], ended.written[0].version), (&json!(true), 2));
    let view = world.given("acme").await.view;
    assert!(view.credential_grants.iter().any(|told| told.id.to_string() == id && told.revoked));
    let again = world.envelope(&acme.owner, "credential-grant.revoke", which).await;
    assert_eq!((again.result, again.written), (ended.result, vec![]));
}

#[tokio::test]
async fn nobody_gives_a_credential_that_is_not_theirs_to_give() {
    let (world, acme, globex) = World::stocked().await;
    let admin = world.caller(&acme.owner, "user", "admin", "acme/shop/returns").await;
    let own = json!({
        "name": "own-key", "scope": "acme/shop/returns", "secret": "x",
        "origins": ["https://a.example.com"],
    });
    let own = text(&world.done(&admin, "credential.create", own).await, "id");
    let give = |credential: &str, scope: &str| json!({ "credential": credential, "scope": scope });
    world.done(&admin, "credential-grant.create", give(&own, "acme/shop/returns")).await;
    let beyond = give(&own, "acme/shop");
    world.refused_as(&admin, "credential-grant.create", beyond, Code::NotGranted).await;
    let (rows, revision) = (world.rows().await, world.revision("acme").await);
    let mut told = Vec::new();
    for credential in
        [acme.stocked("credential"), globex.stocked("credential"), sample::text("credential", 9)]
    {
        let mut input = give(&credential, "acme/shop/returns");
        input["expires"] = json!("2026-11-30T12:00:00Z");
        let refusal = world.refused(&admin, "credential-grant.create", input).await;
        assert_eq!(fields(&refusal), ["credential", "expires"]);
        told.push(refusal.faults);
    }
    assert!(told.iter().all(|faults| *faults == told[0]), "they cannot be told apart");
    assert_eq!((world.rows().await, world.revision("acme").await), (rows, revision));
    world.done(&acme.owner, "credential.destroy", json!({ "credential": own })).await;
    let refusal = world.refused(&acme.owner, "credential-grant.create", give(&own, "acme")).await;
    assert_eq!(fields(&refusal), ["credential"]);
}

#[tokio::test]
async fn credential_grants_are_seen_and_revoked_at_their_scope() {
    let (world, acme, _) = World::stocked().await;
    let admin = world.caller(&acme.owner, "user", "admin", "acme/shop/returns").await;
    let shops = json!({ "credential_grant": acme.stocked("credgrant") });
    world.refused_as(&admin, "credential-grant.revoke", shops, Code::NotFound).await;
    let listed = world.done(&admin, "credential-grant.list", json!({})).await;
    assert_eq!(column(&listed, "id"), Vec::<String>::new());
    for project in ["returns", "checkout"] {
        let scope = format!("acme/shop/{project}");
        let input = json!({ "credential": acme.stocked("credential"), "scope": scope });
        world.done(&acme.owner, "credential-grant.create", input).await;
    }
    let listed = world.done(&admin, "credential-grant.list", json!({})).await;
    assert_eq!(column(&listed, "scope"), ["acme/shop/returns"]);
    let which = json!({ "credential_grant": column(&listed, "id")[0] });
    world.done(&admin, "credential-grant.revoke", which).await;
}
