//! Owns the folding of the control plane's acts of administration into the ledger. Invariant: each act
//! is in the ledger once, in the order of the outbox.

use contract::Effect;
use contract::verb::{Needs, Registry};
use sqlx::{Row, SqliteConnection};
use tenancy::plane::{Act, Answered, ToControl};

use super::Worker;
use super::session::ask;
use crate::ledger::entry::body::{self, Body, Verdict};
use crate::store::{Applying, Batch, Change, Fault};

/// How many acts are folded in at a time.
const ACTS_MAX: u32 = 200;

/// Moves the mark of what is folded in, in the transaction of the entries: from the act that was the
/// last one when they were asked for, to the last one of theirs.
#[derive(Debug)]
struct Folded {
    from: u64,
    to: u64,
}

impl Change for Folded {
    fn apply<'a>(&'a self, connection: &'a mut SqliteConnection) -> Applying<'a> {
        Box::pin(async move {
            let from = i64::try_from(self.from).unwrap_or(i64::MAX);
            let to = i64::try_from(self.to).unwrap_or(i64::MAX);
            let moved = sqlx::query(
                "INSERT INTO outbox_folded (seq, ledger_seq) SELECT $1, (SELECT max(seq) FROM ledger) \
                 WHERE (SELECT coalesce(max(seq), 0) FROM outbox_folded) = $2",
            )
            .bind(to)
            .bind(from)
            .execute(&mut *connection)
            .await?;
            if moved.rows_affected() != 1 {
                return Err(Fault::Conflict("the outbox"));
            }
            // The last one says how far it is folded; those before it need not be kept.
            sqlx::query("DELETE FROM outbox_folded WHERE seq < $1")
                .bind(to)
                .execute(connection)
                .await?;
            Ok(())
        })
    }
}

/// The entries of `acts` with the mark, as one batch; `None` if there are none after `folded`.
pub(super) fn batch(acts: &[Act], folded: u64) -> Option<Batch> {
    let (mut batch, mut to) = (Batch::default().durable(), folded);
    for act in acts {
        // Out of order, or again: what is folded already stays folded once.
        if act.seq > to {
            batch.entries.push(entry(act));
            to = act.seq;
        }
    }
    (to > folded).then(|| batch.with(Folded { from: folded, to }))
}

impl Worker {
    /// Folds the acts of administration that wait in the outbox into the ledger.
    pub(crate) async fn fold(&self) {
        let _one_at_a_time = self.chores.folding.lock().await;
        loop {
            match self.fold_some().await {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => {
                    tracing::warn!(identity = %self.identity, error, "the outbox was not folded in");
                    return;
                }
            }
        }
    }

    /// Folds some acts in, in one batch; answers whether there were any.
    async fn fold_some(&self) -> Result<bool, String> {
        let row = sqlx::query("SELECT coalesce(max(seq), 0) AS folded FROM outbox_folded")
            .fetch_one(self.store.readers())
            .await
            .map_err(|error| error.to_string())?;
        let folded: i64 = row.try_get("folded").map_err(|error| error.to_string())?;
        let folded = u64::try_from(folded).unwrap_or_default();
        let message = ToControl::Outbox {
            identity: self.identity.clone(),
            epoch: self.session.epoch,
            folded,
            limit: ACTS_MAX,
        };
        let acts = match ask(self.session.link(), message).await {
            Ok(Answered::Outbox(acts)) => acts,
            Ok(other) => return Err(format!("{other:?}")),
            Err(error) => return Err(error.to_string()),
        };
        let Some(batch) = batch(&acts, folded) else { return Ok(false) };
        self.store.commit(batch).await.map_err(|error| error.to_string())?;
        Ok(true)
    }
}

/// Who acted where no principal did: whoever held a secret, or an operator.
fn nobody(verb: &str) -> &'static str {
    let needs = Registry::get().verb(verb).map(|verb| verb.needs);
    if needs == Some(Needs::Anyone) { "anyone" } else { "operator" }
}

/// An act as the ledger records it: a refused one as a ruling, a done one as an act.
fn entry(act: &Act) -> Body {
    let principal = act.principal.map_or_else(|| nobody(&act.verb).to_owned(), |id| id.to_string());
    match &act.refused {
        None => Body::Administration(body::Administration {
            verb: act.verb.clone(),
            principal,
            on_behalf_of: None,
            scope: act.scope.to_string(),
            revision: act.revision,
            acted_at_ms: Some(act.at.ms()),
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
