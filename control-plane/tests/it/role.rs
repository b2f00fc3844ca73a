//! Roles of an identity's own: made of what is held, and felt on the next call.

use contract::{Code, verbs::grant};
use serde_json::{Value, json};

use crate::world::{World, column, text};

fn create(name: &str, actions: &Value) -> Value {
    json!({ "name": name, "actions": actions })
}

#[tokio::test]
async fn a_role_is_defined_granted_changed_and_deleted() {
    let (world, acme, _) = World::full().await;
    let made = create("triage", &json!(["grant.read", "principal.read"]));
    let role = world.done(&acme.owner, "role.create", made).await;
    assert_eq!((&role["version"], &role["built_in"]), (&json!(1), &json!(false)));
    let token = world.caller(&acme.owner, "user", "triage", "acme").await;
    world.done(&token, "principal.list", json!({})).await;
    let listed = world.done(&token, "role.list", json!({})).await;
    assert_eq!(column(&listed, "name").len(), 9);
    let version = json!({ "role": "triage", "actions": ["grant.read"], "expected_version": 2 });
    world.refused_as(&acme.owner, "role.update", version, Code::VersionMismatch).await;
    let less = json!({ "role": "triage", "actions": ["grant.read"], "expected_version": 1 });
    let changed = world.done(&acme.owner, "role.update", less).await;
    assert_eq!(changed["version"], json!(2));
    world.refused_as(&token, "principal.list", json!({}), Code::NotGranted).await;
    let which = json!({ "role": "triage" });
    let refusal = world.refused(&acme.owner, "role.delete", which.clone()).await;
    assert_eq!(refusal.code, Code::WrongState);
    assert!(refusal.say.contains("user-triage-acme at acme"), "{}", refusal.say);
    let grants = refusal.more["grants"].as_array().expect("grants").clone();
    for held in grants {
        let grant = json!({ "grant": held["grant"] });
        let revoked: grant::Grant =
            serde_json::from_value(world.done(&acme.owner, "grant.revoke", grant).await)
                .expect("a grant");
        assert!(revoked.revoked);
    }
    world.done(&acme.owner, "role.delete", which).await;
    // A role of the same name gives nothing to who had the one before.
    let again = create("triage", &json!(["grant.read"]));
    world.done(&acme.owner, "role.create", again).await;
    world.refused_as(&token, "role.list", json!({}), Code::NotGranted).await;
}

#[tokio::test]
async fn built_in_names_are_taken_and_built_in_roles_stay() {
    let (world, acme, _) = World::full().await;
    let made = create("owner", &json!(["scope.read"]));
    world.refused_as(&acme.owner, "role.create", made, Code::AlreadyExists).await;
    let made = create("triage", &json!(["scope.read"]));
    world.done(&acme.owner, "role.create", made.clone()).await;
    world.refused_as(&acme.owner, "role.create", made, Code::AlreadyExists).await;
    let change = json!({ "role": "member", "actions": ["scope.read"], "expected_version": 0 });
    world.refused_as(&acme.owner, "role.update", change, Code::WrongState).await;
    let which = json!({ "role": "viewer" });
    world.refused_as(&acme.owner, "role.delete", which, Code::WrongState).await;
}

#[tokio::test]
async fn nobody_confers_by_a_role_what_they_do_not_hold() {
    let (world, acme, _) = World::full().await;
    let admin = world.caller(&acme.owner, "user", "admin", "acme").await;
    let beyond = Code::BeyondOwnAuthority;
    let made = create("eyes", &json!(["unmask", "call.read"]));
    world.refused_as(&admin, "role.create", made.clone(), beyond).await;
    world.done(&acme.owner, "role.create", made).await;
    // Nor grants it, nor puts anything in; taking out is no conferring.
    let grant = json!({ "principal": acme.bot, "scope": "acme/shop", "role": "eyes" });
    world.refused_as(&admin, "grant.create", grant, beyond).await;
    let more = json!({ "role": "eyes", "actions": ["unmask", "call.read", "call.write"],
        "expected_version": 1 });
    world.refused_as(&admin, "role.update", more, beyond).await;
    let less = json!({ "role": "eyes", "actions": ["unmask"], "expected_version": 1 });
    world.done(&admin, "role.update", less).await;
    // A role is the identity's: who manages grants of one project defines none.
    let below = world.caller(&acme.owner, "user", "admin", "acme/shop/checkout").await;
    let made = create("own", &json!(["scope.read"]));
    world.refused_as(&below, "role.create", made, Code::NotGranted).await;
    let which = json!({ "role": "eyes" });
    let there = world.refused(&below, "role.delete", which).await;
    let nowhere = world.refused(&below, "role.delete", json!({ "role": "none" })).await;
    assert_eq!((there.code, &there.say), (Code::NotFound, &nowhere.say));
    // No machine confers what only a person does, whatever its roles.
    let machine = world.caller(&acme.owner, "agent", "owner", "acme").await;
    let made = create("judge", &json!(["tool.classify"]));
    world.refused_as(&machine, "role.create", made, beyond).await;
}

#[tokio::test]
async fn an_identity_has_a_hundred_roles_and_its_neighbour_its_own() {
    let (world, acme, globex) = World::full().await;
    for n in 0..100 {
        let made = create(&format!("r{n}"), &json!(["scope.read"]));
        world.done(&acme.owner, "role.create", made).await;
    }
    let made = create("one-more", &json!(["scope.read"]));
    world.refused_as(&acme.owner, "role.create", made.clone(), Code::WrongState).await;
    world.done(&globex.owner, "role.create", made).await;
    let mut names = Vec::new();
    let mut cursor = Value::Null;
    loop {
        let mut input = json!({ "limit": 40 });
        if cursor.is_string() {
            input["cursor"] = cursor;
        }
        let page = world.done(&acme.owner, "role.list", input).await;
        names.extend(column(&page, "name"));
        cursor = page["cursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(names.len(), 108);
    assert!(names.is_sorted() && !names.contains(&"one-more".to_owned()));
    assert!(!text(&made_role(&world, &globex.owner).await, "name").is_empty());
}

async fn made_role(world: &World, owner: &str) -> Value {
    let page = world.done(owner, "role.list", json!({})).await;
    let items = page["items"].as_array().expect("roles").clone();
    items.into_iter().find(|role| role["name"] == json!("one-more")).expect("its own")
}
