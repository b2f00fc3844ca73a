//! The one writer: whole or not at all, in order, and never after a hand-over.

use std::sync::Arc;

use contract::id::Id;
use sqlx::SqliteConnection;
use tenancy::clock::{Fake, Shared};
use tenancy::namespace::Namespace;

use super::{Applying, Batch, Change, Fault, Opened, Store};
use crate::ledger::entry::body::{Body, Run};

#[derive(Debug)]
struct Refuses;

impl Change for Refuses {
    fn apply<'a>(&'a self, _: &'a mut SqliteConnection) -> Applying<'a> {
        Box::pin(async { Err(Fault::Conflict("a record")) })
    }
}

fn entry(name: &str) -> Body {
    Body::Run(Run {
        id: name.to_owned(),
        act: "started".to_owned(),
        principal: "principal".to_owned(),
        scope: "acme".to_owned(),
        parent: None,
        labels: Vec::new(),
    })
}

async fn store(namespace: &Namespace, epoch: u64) -> Store {
    let clock: Shared = Arc::new(Fake::at(contract::Timestamp::from_ms(1)));
    let writer = namespace.writer(epoch).await.expect("takes over");
    let opened = Opened::read(writer, "identity").await.expect("reads");
    Store::start(opened, namespace.readers().clone(), clock)
}

async fn entries(namespace: &Namespace) -> Vec<String> {
    sqlx::query_scalar("SELECT json_extract(body, '$.id') FROM ledger ORDER BY seq")
        .fetch_all(namespace.readers())
        .await
        .expect("reads")
}

fn identity() -> Id<contract::id::Identity> {
    contract::sample::id(1)
}

#[tokio::test]
async fn a_batch_that_fails_takes_back_itself_and_no_other() {
    let dir = tempfile::tempdir().expect("a folder");
    let namespace = Namespace::open(dir.path(), identity()).await.expect("opens");
    let store = store(&namespace, 1).await;
    let mut broken = Batch::of(entry("lost")).with(Refuses);
    broken.entries.push(entry("lost too"));
    let (first, middle, last) = tokio::join!(
        store.commit(Batch::of(entry("first"))),
        store.commit(broken),
        store.commit(Batch::of(entry("last"))),
    );
    assert_eq!(first.expect("is written"), 0);
    assert!(matches!(middle, Err(Fault::Conflict("a record"))));
    assert_eq!(last.expect("is written"), 1);
    assert_eq!(entries(&namespace).await, ["first", "last"]);
    assert_eq!(store.tip().size, 2);
}

#[tokio::test]
async fn the_chain_goes_on_where_it_stood_and_a_writer_that_was_taken_over_from_writes_nothing() {
    let dir = tempfile::tempdir().expect("a folder");
    let namespace = Namespace::open(dir.path(), identity()).await.expect("opens");
    let old = store(&namespace, 1).await;
    old.commit(Batch::of(entry("one"))).await.expect("is written");
    let new = store(&namespace, 2).await;
    assert_eq!(new.commit(Batch::of(entry("two"))).await.expect("is written"), 1);
    assert!(old.commit(Batch::of(entry("never"))).await.is_err());
    assert!(namespace.writer(1).await.is_err(), "an earlier epoch cannot come back");
    assert_eq!(entries(&namespace).await, ["one", "two"]);
}
