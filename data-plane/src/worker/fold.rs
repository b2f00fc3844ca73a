//! Owns what a worker carries between the control plane and its namespace: acts of administration
//! into the ledger, each exactly once; usage totals out, as often as one likes.

use contract::{Effect, Timestamp};
use sqlx::{Row, SqliteConnection};
use tenancy::plane::{Act, Answered, ToControl};

use super::Worker;
use super::session::ask;
use crate::ledger::entry::body::{self, Body, Verdict};
use crate::meter;
use crate::store::{Applying, Batch, Change, Fault};

/// How many acts are folded in at a time.
const ACTS_MAX: u32 = 200;
/// How far back totals are sent again: what a lost message left out is healed within this.
const RESEND_MS: i64 = 2 * 60 * 60 * 1000;

/// Marks an act as folded in.
#[derive(Debug)]
struct Folded(u64);

impl Change for Folded {
    fn apply<'a>(&'a self, connection: &'a mut SqliteConnection) -> Applying<'a> {
        Box::pin(async move {
            let seq = i64::try_from(self.0).unwrap_or(i64::MAX);
            let done = sqlx::query(
                "INSERT INTO outbox_folded (seq, ledger_seq) SELECT $1, max(seq) FROM ledger \
                 WHERE true ON CONFLICT (seq) DO NOTHING",
            )
            .bind(seq)
            .execute(&mut *connection)
            .await?;
            if done.rows_affected() != 1 {
                return Err(Fault::Conflict("the outbox"));
            }
            // The last one says how far it is folded; those before it need not be kept.
            sqlx::query("DELETE FROM outbox_folded WHERE seq < $1")
                .bind(seq)
                .execute(connection)
                .await?;
            Ok(())
        })
    }
}

impl Worker {
    /// Folds the acts of administration that wait in the outbox into the ledger.
    pub(crate) async fn fold(&self) {
        let _one_at_a_time = self.folding.lock().await;
        loop {
            match self.fold_some().await {
                Ok(0) => return,
                Ok(_) => {}
                Err(error) => {
                    tracing::warn!(identity = %self.identity, error, "the outbox was not folded in");
                    return;
                }
            }
        }
    }

    async fn fold_some(&self) -> Result<usize, String> {
        let row = sqlx::query("SELECT coalesce(max(seq), 0) AS folded FROM outbox_folded")
            .fetch_one(self.store.readers())
            .await
            .map_err(|error| error.to_string())?;
        let folded: i64 = row.try_get("folded").map_err(|error| error.to_string())?;
        let message = ToControl::Outbox {
            identity: self.identity.clone(),
            epoch: self.session.epoch,
            folded: u64::try_from(folded).unwrap_or_default(),
            limit: ACTS_MAX,
        };
        let acts = match ask(self.session.link(), message).await {
            Ok(Answered::Outbox(acts)) => acts,
            Ok(other) => return Err(format!("{other:?}")),
            Err(error) => return Err(error.to_string()),
        };
        for act in &acts {
            let batch = Batch::of(entry(act)).with(Folded(act.seq)).durable();
            self.store.commit(batch).await.map_err(|error| error.to_string())?;
        }
        Ok(acts.len())
    }

    /// Sends the totals of the last hours. Sending them again is harmless: they are merged by maximum.
    pub(crate) async fn ship_usage(&self) {
        let now = self.now();
        let since = meter::hour_of(Timestamp::from_ms(now.ms() - RESEND_MS));
        let totals = match meter::totals(self.store.readers(), &self.plane, since).await {
            Ok(totals) => totals,
            Err(error) => {
                tracing::warn!(%error, "usage totals were not read");
                return;
            }
        };
        let message = ToControl::Usage {
            identity: self.identity.clone(),
            epoch: self.session.epoch,
            totals,
            fresh_until: now,
        };
        if let Err(error) = ask(self.session.link(), message).await {
            tracing::warn!(%error, "usage totals were not sent");
        }
    }
}

/// An act as the ledger records it: a refused one as a ruling, a done one as an act.
fn entry(act: &Act) -> Body {
    let principal = act.principal.map_or_else(|| "operator".to_owned(), |id| id.to_string());
    match &act.refused {
        None => Body::Administration(body::Administration {
            verb: act.verb.clone(),
            principal,
            on_behalf_of: None,
            scope: act.scope.to_string(),
            revision: act.revision,
            object: act.objects.first().and_then(|object| object.split_once('/')).map(
                |(table, id)| body::Written {
                    table: table.to_owned(),
                    id: id.to_owned(),
                    version: 0,
                },
            ),
            outbox_seq: act.seq,
        }),
        Some(refused) => Body::Ruling(Box::new(body::Ruling {
            id: format!("ruling_of_{}", refused.decision),
            scope: act.scope.to_string(),
            principal,
            on_behalf_of: None,
            token: act.token.map(|token| token.to_string()),
            run: None,
            address: act.verb.clone(),
            action: refused.action.map(|action| action.as_str().to_owned()),
            effect: Some(Effect::Write.as_str().to_owned()),
            revision: act.revision,
            declaration_version: None,
            argument_digest: String::new(),
            argument_salted: false,
            labels: Vec::new(),
            verdict: Verdict::Block,
            check: Some("authority".to_owned()),
            rule: Some(refused.code.clone()),
            policy_hash: None,
            reservation: None,
            surface: "rest".to_owned(),
            decision_id: refused.decision.to_string(),
        })),
    }
}
