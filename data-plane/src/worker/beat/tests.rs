//! What goes on beside the calls: each act once, each total until it is acknowledged, checkpoints in
//! time, and a lease that waits for none of it.

#![expect(
    clippy::wildcard_enum_match_arm,
    clippy::unnecessary_wraps,
    reason = "a script answers what it is about and leaves the rest; all scripts have one form"
)]

use std::time::Duration;

use contract::{Effect, Timestamp, sample};
use sqlx::Row as _;
use tenancy::plane::{Act, Answered, Countersigned, ToControl, Total};

use crate::ledger::checkpoint::{Key, Note, Signer};
use crate::ledger::entry::body::{Body, Run};
use crate::meter::Count;
use crate::store::{Batch, Fault};
use crate::worker::fixture::{Bench, bench, well};
use crate::worker::{fold, ship, sign};

fn act(seq: u64) -> Act {
    Act {
        seq,
        at: Timestamp::from_ms(i64::try_from(seq).expect("small") + 5),
        verb: "group.create".to_owned(),
        principal: Some(sample::id(1)),
        token: None,
        scope: "acme".parse().expect("a scope"),
        objects: vec!["groups/group_1".to_owned()],
        revision: seq,
        refused: None,
    }
}

/// An outbox of acts up to `last` that forgets nothing.
fn outbox(message: &ToControl, last: u64) -> Option<Answered> {
    let ToControl::Outbox { folded, limit, .. } = message else { return Some(well(message)) };
    let acts = (folded + 1..=last).take(usize::try_from(*limit).expect("small")).map(act);
    Some(Answered::Outbox(acts.collect()))
}

fn is_renewal(message: &ToControl) -> Option<()> {
    matches!(message, ToControl::Renew { .. }).then_some(())
}

impl Bench {
    /// The outbox numbers and times of the acts that the ledger holds.
    async fn folded(&self) -> Vec<(i64, i64)> {
        let rows = sqlx::query(
            "SELECT json_extract(body, '$.outbox_seq') AS seq, \
             json_extract(body, '$.acted_at_ms') AS at FROM ledger \
             WHERE kind = 'administration' ORDER BY ledger.seq",
        );
        let rows = rows.fetch_all(self.worker.store().readers()).await.expect("reads");
        rows.iter().map(|row| (row.get("seq"), row.get("at"))).collect()
    }

    /// One call of `address`, with an entry of its own.
    async fn count(&self, address: &str) {
        let count = Count {
            at: self.worker.now(),
            scope: "acme".parse().expect("a scope"),
            principal: sample::id(1),
            address: address.parse().expect("an address"),
            effect: Effect::Read,
            done: true,
            bytes_out: 1,
            bytes_stored: 0,
        };
        let batch = Batch::of(entry()).with(count);
        self.worker.store().commit(batch).await.expect("is written");
    }

    /// The addresses and calls of each message of totals so far; messages without any are left out.
    fn shipped(&self) -> Vec<Vec<(String, u64)>> {
        let of = |totals: &[Total]| {
            totals.iter().map(|total| (total.address.to_string(), total.calls)).collect()
        };
        let which = |message: &ToControl| match message {
            ToControl::Usage { totals, .. } if !totals.is_empty() => Some(of(totals)),
            _ => None,
        };
        self.control.picked(which)
    }
}

fn entry() -> Body {
    Body::Run(Run {
        id: "run_1".to_owned(),
        act: "started".to_owned(),
        principal: "principal_1".to_owned(),
        scope: "acme".to_owned(),
        parent: None,
        labels: Vec::new(),
    })
}

/// Waits in real time, since the beats are.
async fn until(what: impl Fn() -> bool) {
    for _ in 0..200 {
        if what() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("it did not come to be within 4 s");
}

#[tokio::test]
async fn the_lease_is_renewed_whatever_the_chores_wait_for() {
    let stuck = async |stuck: &'static str| {
        let bench = bench(move |message| {
            let this = match message {
                ToControl::Outbox { .. } => "outbox",
                ToControl::Usage { .. } => "usage",
                ToControl::Checkpoint { .. } => "checkpoint",
                _ => "",
            };
            (this != stuck).then(|| well(message))
        })
        .await;
        bench.clock.pass(2500);
        let seen = bench.control.picked(is_renewal).len();
        until(|| bench.control.picked(is_renewal).len() >= seen + 2).await;
        // The lease that was acquired would be over by now.
        bench.clock.pass(1000);
        assert!(bench.worker.standing().stands_at(3500), "{stuck}");
    };
    tokio::join!(stuck("outbox"), stuck("usage"), stuck("checkpoint"));
}

#[tokio::test]
async fn a_renewal_that_cannot_be_answered_now_ends_no_lease_and_a_denied_one_does() {
    let bench = bench(|message| Some(well(message))).await;
    let unavailable = |message: &ToControl| match message {
        ToControl::Renew { .. } => Some(Answered::Unavailable("the store".to_owned())),
        _ => Some(well(message)),
    };
    bench.control.says(unavailable);
    let before = bench.control.picked(is_renewal).len();
    until(|| bench.control.picked(is_renewal).len() > before).await;
    assert!(!bench.worker.over());
    assert!(bench.worker.standing().stands_at(2749), "it is left to run out");
    bench.clock.pass(3000);
    assert!(!bench.worker.standing().stands_at(3000));
    // Once the store answers again, so does the worker.
    bench.control.says(|message| Some(well(message)));
    until(|| bench.worker.standing().stands_at(3000)).await;
    let denied = |message: &ToControl| match message {
        ToControl::Renew { .. } => Some(Answered::Denied("another's".to_owned())),
        _ => Some(well(message)),
    };
    bench.control.says(denied);
    until(|| bench.worker.over()).await;
    assert!(!bench.worker.standing().stands_at(3000));
}

#[tokio::test]
async fn acts_are_folded_in_together_each_once_with_the_time_they_were_done_at() {
    let bench = bench(|message| outbox(message, 450)).await;
    bench.worker.fold().await;
    let expected: Vec<_> = (1..=450).map(|seq| (seq, seq + 5)).collect();
    assert_eq!(bench.folded().await, expected);
    // Of a batch all entries have one time and the next number: what was asked for tells the batches.
    let asked = bench.control.picked(|message| match message {
        ToControl::Outbox { folded, .. } => Some(*folded),
        _ => None,
    });
    let mut batches = asked.clone();
    batches.dedup();
    assert_eq!(batches, [0, 200, 400, 450]);
    // An outbox that says everything again, as after a crash before it forgot, changes nothing.
    bench.control.says(|message| match message {
        ToControl::Outbox { .. } => Some(Answered::Outbox((440..=451).map(act).collect())),
        _ => Some(well(message)),
    });
    bench.worker.fold().await;
    let expected: Vec<_> = (1..=451).map(|seq| (seq, seq + 5)).collect();
    assert_eq!(bench.folded().await, expected);
}

/// Two batches of the same acts: as when a worker that was taken for gone goes on.
#[tokio::test]
async fn acts_that_were_folded_in_by_another_batch_are_not_folded_in_again() {
    let bench = bench(|message| Some(well(message))).await;
    let acts: Vec<_> = (1..=3).map(act).collect();
    let store = bench.worker.store();
    let again = |acts: &[Act]| fold::batch(acts, 0).expect("acts to fold");
    store.commit(again(&acts)).await.expect("is written");
    for acts in [&acts[..], &acts[..1], &[act(4)]] {
        let refused = store.commit(again(acts)).await;
        assert!(matches!(refused, Err(Fault::Conflict("the outbox"))), "{refused:?}");
    }
    assert_eq!(bench.folded().await, [(1, 6), (2, 7), (3, 8)]);
}

#[tokio::test]
async fn only_totals_that_grew_are_sent_and_again_until_they_are_acknowledged() {
    let bench = bench(|message| match message {
        ToControl::Usage { totals, .. } if !totals.is_empty() => {
            Some(Answered::Unavailable("the store".to_owned()))
        }
        _ => Some(well(message)),
    })
    .await;
    let sent = |calls: &[(&str, u64)]| -> Vec<(String, u64)> {
        calls.iter().map(|(address, calls)| ((*address).to_owned(), *calls)).collect()
    };
    bench.count("shop/a.x").await;
    bench.count("shop/b.x").await;
    bench.worker.ship_usage().await;
    let both = sent(&[("shop/a.x", 1), ("shop/b.x", 1)]);
    assert_eq!(bench.shipped().last(), Some(&both));
    // It was not acknowledged.
    bench.control.says(|message| Some(well(message)));
    bench.worker.ship_usage().await;
    assert_eq!(bench.shipped().last(), Some(&both));
    let said = bench.shipped().len();
    bench.worker.ship_usage().await;
    assert_eq!(bench.shipped().len(), said, "nothing grew");
    bench.count("shop/a.x").await;
    bench.worker.ship_usage().await;
    assert_eq!(bench.shipped().last(), Some(&sent(&[("shop/a.x", 2)])));
    // Now and then all are sent again.
    bench.clock.pass(u32::try_from(ship::RESEND_MS).expect("small"));
    bench.worker.ship_usage().await;
    assert_eq!(bench.shipped().last(), Some(&sent(&[("shop/b.x", 1), ("shop/a.x", 2)])));
}

#[tokio::test]
async fn a_message_of_totals_is_bounded_and_figures_are_fresh_once_all_are_told() {
    let bench = bench(|message| match message {
        // So that the chores of the beat do not take part.
        ToControl::Outbox { .. } => None,
        _ => Some(well(message)),
    })
    .await;
    let many = ship::TOTALS_MAX * 2 + 7;
    for n in 0..many {
        bench.count(&format!("shop/a.x_{n}")).await;
    }
    bench.worker.ship_usage().await;
    let told = bench.control.picked(|message| match message {
        ToControl::Usage { totals, fresh_until, .. } => Some((totals.len(), fresh_until.ms())),
        _ => None,
    });
    let now = bench.worker.now().ms();
    assert_eq!(told, [(ship::TOTALS_MAX, 0), (ship::TOTALS_MAX, 0), (7, now)]);
    let mut addresses: Vec<_> = bench.shipped().concat();
    addresses.sort();
    addresses.dedup();
    assert_eq!(addresses.len(), many);
}

#[tokio::test]
async fn figures_stay_fresh_when_nothing_grows() {
    let bench = bench(|message| match message {
        ToControl::Outbox { .. } => None,
        _ => Some(well(message)),
    })
    .await;
    let fresh = || {
        bench.control.picked(|message| match message {
            ToControl::Usage { fresh_until, .. } => Some(fresh_until.ms()),
            _ => None,
        })
    };
    bench.worker.ship_usage().await;
    bench.worker.ship_usage().await;
    assert_eq!(fresh(), [1_000_000_000]);
    bench.clock.pass(10_000);
    bench.worker.ship_usage().await;
    assert_eq!(fresh(), [1_000_000_000, 1_000_010_000]);
}

/// Countersigns as the control plane does.
fn countersign(message: &ToControl) -> Option<Answered> {
    let ToControl::Checkpoint { note, .. } = message else { return Some(well(message)) };
    let signer = Signer::from_seed("control", &[9; 32]).expect("a signer");
    let mut note = Note::parse(note).expect("a note");
    note.countersign(&signer);
    let key = signer.key();
    Some(Answered::Countersigned(Countersigned {
        note: note.text(),
        name: key.name().to_owned(),
        public_key: key.to_base64(),
    }))
}

impl Bench {
    async fn write(&self, entries: u64) {
        let entries = (0..entries).map(|_| entry()).collect();
        let batch = Batch { entries, ..Batch::default() };
        self.worker.store().commit(batch).await.expect("is written");
    }

    /// The sizes of the checkpoints that are kept, all of which both have signed.
    async fn kept(&self) -> Vec<u64> {
        let rows = sqlx::query("SELECT note FROM checkpoint ORDER BY size");
        let rows = rows.fetch_all(self.worker.store().readers()).await.expect("reads");
        let control = Signer::from_seed("control", &[9; 32]).expect("a signer").key().clone();
        let sizes = rows.iter().map(|row| {
            let note = Note::parse(row.get("note")).expect("a note");
            let signed = |key: &Key| note.is_signed_by(key).expect("verifies");
            assert!(signed(self.worker.signer().key()) && signed(&control));
            note.checkpoint.size
        });
        sizes.collect()
    }
}

#[tokio::test]
async fn a_chain_that_grew_has_a_countersigned_checkpoint_in_time() {
    let bench = bench(countersign).await;
    let minute = u32::try_from(sign::WITHIN_MS).expect("small");
    bench.worker.checkpoint_when_due().await;
    bench.clock.pass(minute - 1);
    bench.worker.checkpoint_when_due().await;
    assert_eq!(bench.kept().await, [0_u64; 0], "none is due yet");
    bench.clock.pass(1);
    bench.worker.checkpoint_when_due().await;
    assert_eq!(bench.kept().await, [1], "to start is an entry");
    bench.clock.pass(minute);
    bench.worker.checkpoint_when_due().await;
    assert_eq!(bench.kept().await, [1], "it did not grow");
    bench.write(sign::ENTRIES - 1).await;
    bench.worker.checkpoint_when_due().await;
    assert_eq!(bench.kept().await, [1, 1000], "a minute has passed");
    bench.write(sign::ENTRIES - 1).await;
    bench.worker.checkpoint_when_due().await;
    assert_eq!(bench.kept().await, [1, 1000]);
    bench.write(1).await;
    bench.worker.checkpoint_when_due().await;
    assert_eq!(bench.kept().await, [1, 1000, 2000], "by its entries");
}

#[tokio::test]
async fn a_checkpoint_is_made_by_the_beat_alone() {
    let bench = bench(countersign).await;
    bench.clock.pass(u32::try_from(sign::WITHIN_MS).expect("small"));
    let asked = |message: &ToControl| matches!(message, ToControl::Checkpoint { .. }).then_some(());
    until(|| !bench.control.picked(asked).is_empty()).await;
}

#[tokio::test]
async fn a_countersignature_that_is_kept_is_not_lost_and_one_that_is_not_had_is_tried_again() {
    let bench = bench(|message| Some(well(message))).await;
    bench.clock.pass(u32::try_from(sign::WITHIN_MS).expect("small"));
    bench.worker.checkpoint_when_due().await;
    assert_eq!(bench.kept().await, [0_u64; 0], "what is not countersigned is not kept");
    bench.control.says(countersign);
    bench.write(1).await;
    bench.clock.pass(u32::try_from(sign::WITHIN_MS).expect("small"));
    bench.worker.checkpoint_when_due().await;
    assert_eq!(bench.kept().await, [2]);
    // An export at the same size while the control plane cannot be asked.
    bench.control.says(|message| Some(well(message)));
    let signed = bench.worker.checkpoint().await.expect("is signed");
    assert_eq!(signed.countersigned.map(|key| key.name().to_owned()).as_deref(), Some("control"));
    assert_eq!((signed.note.checkpoint.size, bench.kept().await), (2, vec![2]));
}
