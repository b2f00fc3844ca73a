//! Leases, pushes, and that a write is answered only once the holder decides by it.

use std::time::Duration;

use contract::Answer;
use serde_json::{Value, json};
use tenancy::plane::{Answered, Renewed, ToControl};
use tenancy::seal::Dek;
use tenancy::view::AuthorityView;
use tokio::task::JoinHandle;

use crate::world::{Tenant, World, name, pushed, wait_ms};

impl World {
    async fn denied(&self, message: ToControl) {
        let answered = self.ask(message).await;
        assert!(matches!(answered, Answered::Denied(_)), "{answered:?}");
    }

    async fn renew(&self, epoch: u64, revision: u64, catalogue: u64) -> Option<Renewed> {
        let identity = name("acme");
        let answered = self.ask(ToControl::Renew { identity, epoch, revision, catalogue }).await;
        if let Answered::Renewed(renewed) = answered {
            return Some(*renewed);
        }
        assert!(matches!(answered, Answered::Denied(_)), "{answered:?}");
        None
    }

    /// Starts a revocation; it is not waited for.
    fn revoking(self: &std::sync::Arc<Self>, acme: &Tenant) -> JoinHandle<Answer> {
        let (world, owner) = (std::sync::Arc::clone(self), acme.owner.clone());
        let input = json!({ "grant": acme.bot_grant });
        tokio::spawn(async move { world.call(&owner, "grant.revoke", input).await })
    }
}

/// Long enough for a task that can end to have ended.
async fn a_while() {
    tokio::time::sleep(Duration::from_millis(150)).await;
}

fn acquire(node: &str) -> ToControl {
    ToControl::Acquire { identity: name("acme"), node: node.to_owned() }
}

#[tokio::test]
async fn a_lease_comes_with_everything_that_a_holder_needs() {
    let (world, acme, _) = World::full().await;
    let granted = world.hold("acme", "n1").await;
    assert_eq!((granted.epoch, granted.lease_ms), (1, 3000));
    assert!(Dek::from_text(&granted.key).is_some());
    let view = AuthorityView::new(granted.view).expect("a view");
    assert_eq!(view.revision(), world.revision("acme").await.unsigned_abs());
    assert!(view.principal(acme.bot.parse().expect("an id")).is_some());
    assert_eq!(view.scopes().count(), 4);
    assert_eq!(granted.catalogue.revision, view.catalogue_revision());
    let text = serde_json::to_string(&granted.catalogue.servers).expect("serialises");
    assert_eq!(text, "[]");
    world.denied(ToControl::Acquire { identity: name("nobody"), node: "n1".to_owned() }).await;
    world.denied(ToControl::Acquire { identity: name("globex"), node: String::new() }).await;
}

#[tokio::test]
async fn one_node_at_a_time_holds_an_identity() {
    let (world, _, _) = World::full().await;
    let first = world.hold("acme", "n1").await.epoch;
    world.denied(acquire("n2")).await;
    assert_eq!(world.hold("globex", "n2").await.epoch, 1);
    // Its margin belongs to a lease that has ended.
    world.clock.pass(3000);
    world.denied(acquire("n2")).await;
    assert!(world.renew(first, 1, 0).await.is_none(), "what has ended is not renewed");
    world.clock.pass(500);
    let second = world.hold("acme", "n2").await.epoch;
    assert_eq!(second, first + 1);
    world.denied(acquire("n1")).await;
    // The same node, started again, takes over from itself at once.
    let third = world.hold("acme", "n2").await.epoch;
    assert_eq!(third, second + 1);
    for message in [
        ToControl::Release { identity: name("acme"), epoch: second },
        ToControl::Ack { identity: name("acme"), epoch: second, revision: 1 },
    ] {
        world.denied(message).await;
    }
    world.hand_back("acme", third).await;
    assert_eq!(world.hold("acme", "n1").await.epoch, third + 1);
}

#[tokio::test]
async fn a_renewal_brings_what_changed() {
    let (world, acme, _) = World::full().await;
    let granted = world.hold("acme", "n1").await;
    let (epoch, at) = (granted.epoch, granted.view.revision);
    world.clock.pass(2900);
    let renewed = world.renew(epoch, at, 0).await.expect("is renewed");
    assert!(renewed.view.is_none() && renewed.catalogue.is_none());
    world.clock.pass(2900);
    assert!(world.renew(epoch + 1, at, 0).await.is_none());
    let world = std::sync::Arc::new(world);
    let revoking = world.revoking(&acme);
    a_while().await;
    let renewed = world.renew(epoch, at, 0).await.expect("is renewed");
    let view = renewed.view.expect("a newer view");
    assert_eq!(view.revision, at + 1);
    assert!(view.grants.iter().any(|grant| grant.revoked));
    // It has been told, and has not said that it decides by it.
    a_while().await;
    assert!(!revoking.is_finished());
    world.renew(epoch, at + 1, 0).await.expect("is renewed");
    assert_eq!(revoking.await.expect("runs").status(), 200);
}

#[tokio::test]
async fn a_revocation_is_answered_once_the_holder_says_so() {
    let (world, acme, _) = World::full().await;
    let mut pushes = world.plane.pushes("n1");
    let mut others = world.plane.pushes("n2");
    let granted = world.hold("acme", "n1").await;
    let world = std::sync::Arc::new(world);
    let revoking = world.revoking(&acme);
    a_while().await;
    let push = pushed(&mut pushes);
    assert_eq!((push.identity.as_str(), push.epoch), ("acme", granted.epoch));
    assert_eq!(push.view.revision, granted.view.revision + 1);
    let grant = push.view.grants.iter().find(|grant| grant.id.to_string() == acme.bot_grant);
    assert!(grant.is_some_and(|grant| grant.revoked));
    assert!(push.catalogue.is_none() && others.try_recv().is_err());
    for (epoch, revision) in [(granted.epoch, granted.view.revision), (granted.epoch - 1, 99)] {
        world.ack("acme", epoch, revision).await;
    }
    a_while().await;
    assert!(!revoking.is_finished(), "it must not be answered before the holder decides by it");
    world.ack("acme", granted.epoch, push.view.revision).await;
    assert_eq!(revoking.await.expect("runs").status(), 200);
}

#[tokio::test]
async fn a_revocation_is_answered_when_a_silent_holder_can_no_longer_decide() {
    let (world, acme, _) = World::full().await;
    world.hold("acme", "n1").await;
    let world = std::sync::Arc::new(world);
    let revoking = world.revoking(&acme);
    a_while().await;
    world.clock.pass(wait_ms() - 1);
    a_while().await;
    assert!(!revoking.is_finished(), "the lease and the margin have not passed");
    world.clock.pass(1);
    assert_eq!(revoking.await.expect("runs").status(), 200);
}

#[tokio::test]
async fn a_revocation_waits_for_the_end_in_force_when_it_committed_and_no_later() {
    let (world, acme, _) = World::full().await;
    let granted = world.hold("acme", "n1").await;
    let world = std::sync::Arc::new(world);
    let revoking = world.revoking(&acme);
    a_while().await;
    world.clock.pass(2000);
    world.renew(granted.epoch, granted.view.revision, 0).await.expect("is renewed");
    world.clock.pass(wait_ms() - 2000);
    assert_eq!(revoking.await.expect("runs").status(), 200);
}

#[tokio::test]
async fn whoever_hands_back_or_takes_over_ends_the_wait() {
    let (world, acme, _) = World::full().await;
    let world = std::sync::Arc::new(world);
    for again in [false, true] {
        let epoch = world.hold("acme", "n1").await.epoch;
        let (owner, input) = (acme.owner.clone(), json!({ "name": format!("group-{again}") }));
        let asking = std::sync::Arc::clone(&world);
        let writing = tokio::spawn(async move { asking.call(&owner, "group.create", input).await });
        a_while().await;
        assert!(!writing.is_finished());
        if again {
            world.hold("acme", "n1").await;
        } else {
            world.hand_back("acme", epoch).await;
        }
        assert_eq!(writing.await.expect("runs").status(), 200);
    }
}

#[tokio::test]
async fn telling_of_what_another_did_waits_too() {
    let (world, acme, _) = World::full().await;
    let granted = world.hold("acme", "n1").await;
    let world = std::sync::Arc::new(world);
    let (first, second) = (world.revoking(&acme), world.revoking(&acme));
    a_while().await;
    assert!(!first.is_finished() && !second.is_finished());
    world.ack("acme", granted.epoch, granted.view.revision + 1).await;
    assert_eq!(first.await.expect("runs").status(), 200);
    assert_eq!(second.await.expect("runs").status(), 200);
}

#[tokio::test]
async fn an_ack_of_what_is_yet_to_come_acknowledges_nothing() {
    let (world, acme, _) = World::full().await;
    let granted = world.hold("acme", "n1").await;
    world.ack("acme", granted.epoch, u64::MAX).await;
    let world = std::sync::Arc::new(world);
    let revoking = world.revoking(&acme);
    a_while().await;
    assert!(!revoking.is_finished());
    world.clock.pass(wait_ms());
    assert_eq!(revoking.await.expect("runs").status(), 200);
}

#[tokio::test]
async fn a_lease_outlives_the_plane_that_gave_it_and_not_the_boot() {
    let (world, acme, _) = World::full().await;
    world.clock.pass(1_000_000);
    let granted = world.hold("acme", "n1").await;
    let (world, _) = world.reopened(control_plane::Options::default()).await;
    world.denied(acquire("n2")).await;
    let world = std::sync::Arc::new(world);
    let revoking = world.revoking(&acme);
    a_while().await;
    assert!(!revoking.is_finished());
    world.ack("acme", granted.epoch, granted.view.revision + 1).await;
    assert_eq!(revoking.await.expect("runs").status(), 200);
    // The machine starts again: its boot clock is at nought, and the lease at its longest from there.
    let world = std::sync::Arc::into_inner(world).expect("no other");
    let boot =
        std::sync::Arc::new(tenancy::clock::Fake::at(crate::world::BEGIN.parse().expect("a time")));
    let world = World { clock: boot, ..world };
    let (world, _) = world.reopened(control_plane::Options::default()).await;
    world.denied(acquire("n2")).await;
    world.clock.pass(wait_ms());
    world.hold("acme", "n2").await;
}

#[tokio::test]
async fn the_view_that_is_held_says_what_the_records_say() {
    let (world, acme, _) = World::full().await;
    let child = world.done(&acme.bot_token, "token.narrow", json!({ "scope": "acme/shop" })).await;
    let input = json!({ "group": "shop", "project": "returns", "expected_version": 1 });
    world.done(&acme.owner, "project.archive", input).await;
    let view = world.hold("acme", "n1").await.view;
    let id = |value: &Value| value.as_str().expect("text").to_owned();
    let token = view.tokens.iter().find(|token| token.id.to_string() == id(&child["token"]["id"]));
    let token = token.expect("the child");
    assert_eq!(token.parent.map(|id| id.to_string()), Some(acme.bot_token_id.clone()));
    assert_eq!(token.scope.as_ref().map(ToString::to_string), Some("acme/shop".to_owned()));
    let archived: Vec<_> = view
        .scopes
        .iter()
        .filter(|scope| scope.archived)
        .map(|scope| scope.scope.to_string())
        .collect();
    assert_eq!(archived, ["acme/shop/returns"]);
    assert!(view.tokens.iter().all(|token| !token.revoked));
}
