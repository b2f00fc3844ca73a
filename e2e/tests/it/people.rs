//! Whoever has a person's token in hand has what that person may come to be: nobody makes one for another
//! but who could do all of it themselves, and an invite is worth what its inviter is when it is accepted.

use e2e::World;
use serde_json::{Value, json};

/// A person of `acme` with no grant and no token.
async fn person(world: &World, name: &str) -> Value {
    let body = json!({ "name": name, "kind": "user" });
    world.must(&world.ana, "POST", "/v1/principals", body).await["id"].clone()
}

async fn invite(world: &World, by: &str, principal: &Value) -> e2e::Said {
    let body = json!({ "principal": principal, "email": "someone@example.com" });
    world.rest(by, "POST", "/v1/invites", body).await
}

async fn accept(world: &World, secret: &str) -> e2e::Said {
    world.rest("", "POST", "/v1/invites/accept", json!({ "secret": secret })).await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invite_ends_with_what_its_inviter_may() {
    let mut world = World::start().await;
    let ana = world.ana.clone();
    let owner = [("owner", "acme")];
    for (nth, kept) in [true, false].into_iter().enumerate() {
        let name = format!("second-{nth}");
        let inviter = world.principal(&ana, "user", &name, "autonomous", &owner).await;
        let invited = person(&world, &format!("guest-{nth}")).await;
        let said = invite(&world, &inviter, &invited).await;
        let secret = said.result()["secret"].as_str().expect("a secret").to_owned();
        if !kept {
            let path = format!("/v1/grants/{}", world.id(&format!("grant/{name}")));
            world.must(&ana, "DELETE", &path, Value::Null).await;
        }
        let said = accept(&world, &secret).await;
        assert_eq!(said.status, if kept { 200 } else { 404 }, "{}", said.body);
    }
}

/// An admin lacks what an owner, a curator and an approver may: they would have it in hand with the token
/// of a person who is made one of these later.
#[tokio::test(flavor = "multi_thread")]
async fn an_admin_makes_no_token_of_another_person() {
    let mut world = World::start().await;
    let ana = world.ana.clone();
    for (name, scope) in [("quin", "acme/shop"), ("quira", "acme")] {
        let admin = world.principal(&ana, "user", name, "autonomous", &[("admin", scope)]).await;
        let other = person(&world, &format!("guest-of-{name}")).await;
        let body = json!({ "principal": other, "scope": "acme/shop" });
        let said = world.rest(&admin, "POST", "/v1/tokens", body.clone()).await;
        assert_eq!(said.code(), "beyond_own_authority", "{name}: {}", said.body);
        let said = invite(&world, &admin, &other).await;
        assert_eq!(said.status, 403, "{name}: {}", said.body);
        world.must(&ana, "POST", "/v1/tokens", body).await;
    }
}
