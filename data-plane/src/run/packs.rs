//! Owns the packs that a run keeps. Invariant: what a run keeps for a token is what the token was bound to
//! when it, or one that came of it, first called in that run; it is never changed while the run lives,
//! and nobody is answered by it before it is stored.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use contract::id::{self, Id};
use contract::verbs::token::PackRef;
use sqlx::SqliteConnection;
use tenancy::authority::Caller;

use crate::store::{Applying, Change};

/// How many tokens a run keeps packs for. Those that are dead make room; above it a call is refused.
pub(crate) const TOKENS_MAX: usize = 1024;

/// The packs that a run keeps, by token. A successor counts as the token whose place it took.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Packs {
    kept: BTreeMap<Id<id::Token>, Arc<[PackRef]>>,
    /// Those of them that are not known to be stored.
    unstored: BTreeSet<Id<id::Token>>,
}

/// What a run keeps for one caller.
#[derive(Debug)]
pub(crate) struct Bound {
    /// The packs that the caller is held to beside those that its tokens name now.
    pub(crate) packs: Vec<Arc<[PackRef]>>,
    /// What must be stored before the caller is answered.
    pub(crate) change: Option<Keeping>,
}

impl Packs {
    /// What a run keeps that this caller starts: what `parent` keeps for its tokens, and for others what
    /// they are bound to now. It is stored with the run.
    pub(crate) fn of(caller: &Caller<'_>, parent: &Self) -> Self {
        let own = |(token, packs): (Id<id::Token>, &[PackRef])| {
            let kept = parent.kept.get(&token);
            (token, kept.map_or_else(|| Arc::from(packs), Arc::clone))
        };
        Self { kept: caller.line().map(own).collect(), unstored: BTreeSet::new() }
    }

    /// The same, with what `parent` keeps in the place of it.
    pub(crate) fn under(mut self, parent: &Self) -> Self {
        for (token, packs) in &mut self.kept {
            if let Some(kept) = parent.kept.get(token) {
                *packs = Arc::clone(kept);
            }
        }
        self
    }

    /// Keeps what the caller's tokens are bound to, where nothing is kept for them yet. `None` when there
    /// is no room. `stands` says which tokens are alive.
    pub(crate) fn bind(
        &mut self,
        run: Id<id::Run>,
        caller: &Caller<'_>,
        stands: impl Fn(Id<id::Token>) -> bool,
    ) -> Option<Bound> {
        let new = caller.line().filter(|(token, _)| !self.kept.contains_key(token)).count();
        let mut gone = Vec::new();
        if new > 0 && self.kept.len() + new > TOKENS_MAX {
            gone = self.kept.keys().copied().filter(|token| !stands(*token)).collect();
            self.kept.retain(|token, _| !gone.contains(token));
        }
        if self.kept.len() + new > TOKENS_MAX {
            return None;
        }
        let (mut packs, mut keep) = (Vec::new(), Vec::new());
        for (token, now) in caller.line() {
            let kept = self.kept.entry(token).or_insert_with(|| {
                self.unstored.insert(token);
                Arc::from(now)
            });
            if self.unstored.contains(&token) {
                keep.push((token, Arc::clone(kept)));
            }
            // What is bound as it was needs no second look.
            if **kept != *now {
                packs.push(Arc::clone(kept));
            }
        }
        let change = (!keep.is_empty()).then_some(Keeping { run, keep, gone });
        Some(Bound { packs, change })
    }

    /// Marks as stored what a change has stored.
    pub(crate) fn stored(&mut self, change: &Keeping) {
        for (token, _) in &change.keep {
            self.unstored.remove(token);
        }
    }

    /// As it is stored.
    pub(crate) fn to_json(&self) -> String {
        let all: BTreeMap<String, &[PackRef]> =
            self.kept.iter().map(|(token, packs)| (token.to_string(), packs.as_ref())).collect();
        serde_json::to_string(&all).unwrap_or_default()
    }

    /// Out of the store. A run that was stored before runs kept any has an empty list.
    pub(crate) fn parse(text: &str) -> Result<Self, sqlx::Error> {
        if text == "[]" {
            return Ok(Self::default());
        }
        let all: BTreeMap<String, Vec<PackRef>> =
            serde_json::from_str(text).map_err(|error| sqlx::Error::Decode(Box::new(error)))?;
        let mut kept = BTreeMap::new();
        for (token, packs) in all {
            let token = token.parse().map_err(|error| sqlx::Error::Decode(Box::new(error)))?;
            kept.insert(token, Arc::from(packs));
        }
        Ok(Self { kept, unstored: BTreeSet::new() })
    }
}

/// Stores what a run keeps for some tokens, unless it keeps something for them already, and forgets
/// those that are gone.
#[derive(Debug, Clone)]
pub(crate) struct Keeping {
    run: Id<id::Run>,
    keep: Vec<(Id<id::Token>, Arc<[PackRef]>)>,
    gone: Vec<Id<id::Token>>,
}

impl Change for Keeping {
    fn apply<'a>(&'a self, connection: &'a mut SqliteConnection) -> Applying<'a> {
        Box::pin(async move {
            for token in &self.gone {
                sqlx::query("UPDATE run SET packs = json_remove(packs, $2) WHERE id = $1")
                    .bind(self.run.to_string())
                    .bind(format!("$.{token}"))
                    .execute(&mut *connection)
                    .await?;
            }
            for (token, packs) in &self.keep {
                sqlx::query(
                    "UPDATE run SET packs = json_insert(CASE packs WHEN '[]' THEN '{}' ELSE packs END, \
                     $2, json($3)) WHERE id = $1",
                )
                .bind(self.run.to_string())
                .bind(format!("$.{token}"))
                .bind(serde_json::to_string(packs).unwrap_or_default())
                .execute(&mut *connection)
                .await?;
            }
            Ok(())
        })
    }
}
