//! Owns the writer's loop: it takes what waits, applies it in one transaction, and stores the head of
//! the chain with it. Only where a batch failed is the group applied anew, with a savepoint a batch.

use sqlx::{Acquire, QueryBuilder, Row, Sqlite, SqliteConnection};
use tenancy::clock::Shared;
use tenancy::namespace::Writer;
use tokio::sync::{mpsc, watch};

use super::{Batch, Fault, Request, Tip};
use crate::ledger::chain::Chain;
use crate::ledger::entry::Entry;
use crate::ledger::merkle::{Frontier, Hash};

/// How many batches share a transaction at the most.
const GROUP_MAX: usize = 256;
/// How many entries share a statement at the most. Each number of them is a statement of its own, which
/// the connection keeps.
const INSERTED_MAX: usize = 8;

/// A chain that was read from a namespace taken over for an epoch.
#[derive(Debug)]
pub(crate) struct Opened {
    writer: Writer,
    chain: Chain,
    /// What the last transaction promised: see [`Writer::sync`]. `None` before the first.
    full: Option<bool>,
}

impl Opened {
    /// Reads where the chain of `identity` stands.
    ///
    /// # Errors
    /// When a later epoch has the namespace, or what is stored is no chain.
    pub(crate) async fn read(writer: Writer, identity: &str) -> Result<Self, Fault> {
        let mut tx = writer.begin().await?;
        let row = sqlx::query("SELECT next_seq, head, frontier FROM ledger_head WHERE one = 1")
            .fetch_one(&mut *tx)
            .await?;
        let chain = stored_chain(&row, identity)?;
        tx.rollback().await?;
        Ok(Self { writer, chain, full: None })
    }

    pub(super) fn tip(&self) -> Tip {
        Tip { size: self.chain.next_seq(), root: self.chain.root() }
    }

    pub(super) async fn run(
        mut self,
        mut requests: mpsc::Receiver<Request>,
        tip: watch::Sender<Tip>,
        clock: Shared,
    ) {
        let mut waiting = Vec::with_capacity(GROUP_MAX);
        while requests.recv_many(&mut waiting, GROUP_MAX).await > 0 {
            let (batches, answers): (Vec<_>, Vec<_>) =
                waiting.drain(..).map(|request| (request.batch, request.done)).unzip();
            let results = match self.group(&batches, clock.now().ms()).await {
                Ok(results) => results,
                Err(fault) => {
                    tracing::error!(error = %fault, "a group of writes was not committed");
                    batches.iter().map(|_| Err(Fault::Group)).collect()
                }
            };
            tip.send_replace(self.tip());
            for (answer, result) in answers.into_iter().zip(results) {
                // A caller that went away does not need to be told.
                drop(answer.send(result));
            }
        }
    }

    /// Applies a group in one transaction. A batch that fails takes back only itself.
    async fn group(
        &mut self,
        batches: &[Batch],
        now_ms: i64,
    ) -> Result<Vec<Result<u64, Fault>>, Fault> {
        let full = batches.iter().any(|batch| batch.durable);
        if self.full != Some(full) {
            self.writer.sync(full).await?;
            self.full = Some(full);
        }
        if let Some(firsts) = self.together(batches, now_ms).await? {
            return Ok(firsts.into_iter().map(Ok).collect());
        }
        self.apart(batches, now_ms).await
    }

    /// Applies a group in which no batch fails, as nearly all are: every statement is a way to the
    /// database's thread and back, and a savepoint is two. `None`, with nothing applied, if one failed.
    async fn together(
        &mut self,
        batches: &[Batch],
        now_ms: i64,
    ) -> Result<Option<Vec<u64>>, Fault> {
        let mut tx = self.writer.begin().await?;
        let mut chain = self.chain.clone();
        let mut firsts = Vec::with_capacity(batches.len());
        for batch in batches {
            let Ok(first) = apply(&mut tx, &mut chain, batch, now_ms).await else {
                tx.rollback().await?;
                return Ok(None);
            };
            firsts.push(first);
        }
        store_head(&mut tx, &chain).await?;
        tx.commit().await?;
        self.chain = chain;
        Ok(Some(firsts))
    }

    /// Applies a group with a savepoint a batch, so that one that fails takes back only itself.
    async fn apart(
        &mut self,
        batches: &[Batch],
        now_ms: i64,
    ) -> Result<Vec<Result<u64, Fault>>, Fault> {
        let mut tx = self.writer.begin().await?;
        let mut chain = self.chain.clone();
        let mut results = Vec::with_capacity(batches.len());
        for batch in batches {
            let before = chain.clone();
            let mut savepoint = tx.begin().await?;
            match apply(&mut savepoint, &mut chain, batch, now_ms).await {
                Ok(first) => {
                    savepoint.commit().await?;
                    results.push(Ok(first));
                }
                Err(fault) => {
                    savepoint.rollback().await?;
                    chain = before;
                    results.push(Err(fault));
                }
            }
        }
        store_head(&mut tx, &chain).await?;
        tx.commit().await?;
        self.chain = chain;
        Ok(results)
    }
}

fn stored_chain(row: &sqlx::sqlite::SqliteRow, identity: &str) -> Result<Chain, Fault> {
    let torn =
        |what: &str| Fault::Sql(sqlx::Error::Decode(format!("the stored {what} is torn").into()));
    let next_seq = u64::try_from(row.try_get::<i64, _>("next_seq")?).map_err(|_| torn("seq"))?;
    let Some(head) = row.try_get::<Option<Vec<u8>>, _>("head")? else {
        return Ok(Chain::new(identity));
    };
    let head = <[u8; 32]>::try_from(head).map_err(|_| torn("head"))?;
    let frontier: Vec<u8> = row.try_get("frontier")?;
    let frontier = Frontier::from_bytes(&frontier).map_err(|_| torn("frontier"))?;
    Chain::resume(next_seq, Hash::new(head), frontier).map_err(|_| torn("chain"))
}

async fn store_head(connection: &mut SqliteConnection, chain: &Chain) -> Result<(), Fault> {
    let written = chain.next_seq() > 0;
    sqlx::query("UPDATE ledger_head SET next_seq = $1, head = $2, frontier = $3 WHERE one = 1")
        .bind(i64::try_from(chain.next_seq()).unwrap_or(i64::MAX))
        .bind(written.then(|| chain.head().as_bytes().to_vec()))
        .bind(written.then(|| chain.frontier().to_bytes()))
        .execute(connection)
        .await?;
    Ok(())
}

async fn apply(
    connection: &mut SqliteConnection,
    chain: &mut Chain,
    batch: &Batch,
    now_ms: i64,
) -> Result<u64, Fault> {
    let first = chain.next_seq();
    let entries = batch.entries.iter().map(|body| chain.append(now_ms, body));
    insert(connection, &entries.collect::<Result<Vec<_>, _>>()?).await?;
    for change in &batch.changes {
        change.apply(connection).await?;
    }
    Ok(first)
}

/// Inserts entries, so many in one statement that a batch of a call is one.
async fn insert(connection: &mut SqliteConnection, entries: &[Entry]) -> Result<(), Fault> {
    for some in entries.chunks(INSERTED_MAX) {
        let mut insert = QueryBuilder::<Sqlite>::new(
            "INSERT INTO ledger (seq, at_ms, kind, hash, prev, body, ruling, run, principal, scope, \
             address, verdict, decision) ",
        );
        insert.push_values(some, |mut row, entry| {
            let text = |member: &str| {
                entry.body().get(member).and_then(|value| value.as_str()).map(str::to_owned)
            };
            row.push_bind(i64::try_from(entry.seq()).unwrap_or(i64::MAX))
                .push_bind(entry.at_ms())
                .push_bind(entry.kind().to_owned())
                .push_bind(entry.hash().as_bytes().to_vec())
                .push_bind(entry.prev().as_bytes().to_vec())
                .push_bind(entry.body_text().to_owned())
                .push_bind(if entry.kind() == "ruling" { text("id") } else { text("ruling") })
                .push_bind(text("run"))
                .push_bind(text("principal"))
                .push_bind(text("scope"))
                .push_bind(text("address"))
                .push_bind(text("verdict"))
                .push_bind(text("decision_id"));
        });
        insert.build().execute(&mut *connection).await?;
    }
    Ok(())
}
