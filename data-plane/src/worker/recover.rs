//! Owns what a worker does before its first call: it finds the rulings that a crash left without an
//! outcome, and marks them and their keys as unknown. Invariant: nothing is sent again.

use contract::id::{self, Id};
use contract::{Code, Refusal};
use sqlx::{Row, SqliteConnection};

use super::Worker;
use super::execute::Close;
use crate::idempotency::{End, Finish};
use crate::ledger::entry::body::{self, Body};
use crate::store::{Applying, Batch, Change, Fault};

/// Gives released approvals whose call was cut off the answer that nobody will ever hear.
#[derive(Debug)]
struct CutOff;

impl Change for CutOff {
    fn apply<'a>(&'a self, connection: &'a mut SqliteConnection) -> Applying<'a> {
        Box::pin(async move {
            let refusal = Refusal::new(
                Code::OutcomeUnknown,
                "The call was being made when the service stopped. It is not made again.",
                "Look the effect up at the system itself.",
            );
            sqlx::query(
                "UPDATE approval SET state = 'done', answer = $1, version = version + 1 \
                 WHERE state = 'released' AND ruling IS NOT NULL AND EXISTS \
                 (SELECT 1 FROM idempotency WHERE idempotency.state = 'outcome_unknown' \
                  AND idempotency.principal = approval.principal \
                  AND idempotency.target = approval.address)",
            )
            .bind(refusal.body().to_string())
            .execute(connection)
            .await?;
            Ok(())
        })
    }
}

impl Worker {
    /// Finishes what a crash left unfinished, and writes that this worker took the ledger up.
    pub(crate) async fn recover(&self, node: &str) -> Result<(), Fault> {
        let rows = sqlx::query("SELECT ruling FROM ruling_open ORDER BY seq")
            .fetch_all(self.store.readers())
            .await?;
        let mut batch = Batch::default().durable();
        batch.entries.push(Body::Start(body::Start {
            worker: node.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            epoch: self.session.epoch,
            isolation: "none".to_owned(),
            unfinished: u64::try_from(rows.len()).unwrap_or(u64::MAX),
        }));
        for row in &rows {
            let ruling: Id<id::Ruling> = row
                .try_get::<String, _>("ruling")?
                .parse()
                .map_err(|error| sqlx::Error::Decode(Box::new(error)))?;
            batch.entries.push(Body::OutcomeUnknown(body::OutcomeUnknown {
                ruling: ruling.to_string(),
                reason: "crash".to_owned(),
            }));
            batch = batch.with(Close(ruling)).with(Finish { ruling, end: End::OutcomeUnknown });
        }
        if !rows.is_empty() {
            batch = batch.with(CutOff);
        }
        self.store.commit(batch).await.map(drop)
    }
}
