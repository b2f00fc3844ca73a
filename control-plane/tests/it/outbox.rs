//! The outbox: every act and every refusal of a known caller, numbered without a gap.

use contract::{Action, Code};
use serde_json::json;
use tenancy::plane::{Answered, ToControl};

use crate::world::{World, name, text};

#[tokio::test]
async fn acts_and_refusals_are_written_down_with_who_what_and_where() {
    let (world, acme, _) = World::full().await;
    let epoch = world.hold("acme", "n1").await.epoch;
    let before = world.acts("acme", epoch, 0).await;
    let last = before.last().expect("acts").seq;
    assert_eq!(before[0].verb, "identity.create");
    assert_eq!((before[0].principal, before[0].scope.as_str()), (None, "acme"));
    world.hand_back("acme", epoch).await;
    let input = json!({ "principal": acme.bot, "scope": "acme/shop/returns", "role": "viewer" });
    let grant = world.done(&acme.owner, "grant.create", input).await;
    let which = json!({ "grant": grant["id"] });
    let refusal = world.refused(&acme.bot_token, "grant.revoke", which).await;
    let foreign = json!({ "principal": acme.bot, "scope": "globex/shop", "role": "viewer" });
    let outside = world.refused(&acme.owner, "grant.create", foreign).await;
    let epoch = world.hold("acme", "n1").await.epoch;
    let acts = world.acts("acme", epoch, last).await;
    let [given, revoke, abroad] = acts.as_slice() else { panic!("{acts:?}") };
    assert_eq!((given.verb.as_str(), given.scope.as_str()), ("grant.create", "acme/shop/returns"));
    assert_eq!(given.objects, [format!("grants/{}", text(&grant, "id"))]);
    assert_eq!(given.principal.map(|id| id.to_string()), Some(acme.owner_id.clone()));
    assert!(given.refused.is_none());
    let refused = revoke.refused.as_ref().expect("refused");
    assert_eq!((refused.code.as_str(), refused.action), ("not_found", Some(Action::GrantManage)));
    assert_eq!(Some(refused.decision), refusal.decision_id);
    assert_eq!(revoke.token.map(|id| id.to_string()), Some(acme.bot_token_id.clone()));
    assert_eq!((revoke.revision, &revoke.objects), (given.revision, &vec![]));
    // A scope of another tenant's is not written into this one's ledger.
    assert_eq!((abroad.scope.as_str(), outside.code), ("acme", Code::NotGranted));
    assert_eq!(acts.iter().map(|act| act.seq).collect::<Vec<_>>(), [last + 1, last + 2, last + 3]);
}

#[tokio::test]
async fn whoever_is_not_known_writes_nothing() {
    let (world, acme, _) = World::full().await;
    let epoch = world.hold("acme", "n1").await.epoch;
    let before = world.acts("acme", epoch, 0).await.len();
    let mut token = acme.owner.clone();
    token.replace_range(20..21, "!");
    world.refused_as(&token, "group.list", json!({}), Code::Unauthenticated).await;
    world.refused_as("", "group.list", json!({}), Code::Unauthenticated).await;
    assert_eq!(world.acts("acme", epoch, 0).await.len(), before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn numbers_have_no_gap_when_many_write_at_once() {
    let (world, acme, _) = World::full().await;
    let world = std::sync::Arc::new(world);
    let mut tasks = Vec::new();
    for n in 0..40 {
        let (world, owner) = (std::sync::Arc::clone(&world), acme.owner.clone());
        tasks.push(tokio::spawn(async move {
            // Half of them are refused: the name is taken.
            let input = json!({ "name": format!("g{}", n / 2) });
            world.call(&owner, "group.create", input).await
        }));
    }
    let mut done = 0;
    for task in tasks {
        done += usize::from(task.await.expect("runs").status() == 200);
    }
    assert_eq!(done, 20);
    let epoch = world.hold("acme", "n1").await.epoch;
    let acts = world.acts("acme", epoch, 0).await;
    let numbers: Vec<_> = acts.iter().map(|act| act.seq).collect();
    let last = u64::try_from(acts.len()).expect("fits");
    assert_eq!(numbers, (1..=last).collect::<Vec<_>>());
    let mut revisions: Vec<_> =
        acts.iter().filter(|act| act.refused.is_none()).map(|act| act.revision).collect();
    revisions.dedup();
    assert_eq!(revisions, (2..=world.revision("acme").await.unsigned_abs()).collect::<Vec<_>>());
}

#[tokio::test]
async fn what_is_folded_is_forgotten_and_only_the_holder_is_told() {
    let (world, _, _) = World::full().await;
    let epoch = world.hold("acme", "n1").await.epoch;
    let all = world.acts("acme", epoch, 0).await;
    let rest = world.acts("acme", epoch, 3).await;
    assert_eq!(rest.first().map(|act| act.seq), Some(4));
    assert_eq!(world.acts("acme", epoch, 0).await.len(), rest.len());
    let ask = |epoch, folded| ToControl::Outbox { identity: name("acme"), epoch, folded, limit: 1 };
    let Answered::Outbox(one) = world.ask(ask(epoch, 3)).await else { panic!("no outbox") };
    assert_eq!(one.len(), 1);
    let ahead = u64::try_from(all.len()).expect("fits") + 1;
    for denied in [ask(epoch + 1, 3), ask(epoch - 1, 3), ask(epoch, ahead), ask(epoch, u64::MAX)] {
        assert!(matches!(world.ask(denied).await, Answered::Denied(_)));
    }
    world.clock.pass(3000);
    assert!(matches!(world.ask(ask(epoch, 3)).await, Answered::Denied(_)));
}
