//! Owns the packs that a run keeps. Invariant: what a run keeps for a token is what the token was bound to
//! when it first called in that run, and is never changed while the run lives.

use std::collections::BTreeMap;
use std::sync::Arc;

use contract::id::{self, Id};
use contract::verbs::token::PackRef;
use sqlx::SqliteConnection;

use crate::store::{Applying, Change};

/// How many tokens a run keeps packs for. A run of more is one that the tokens above the count go by
/// their own packs in.
const TOKENS_MAX: usize = 1024;

/// The packs that a run keeps, by token.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Packs(BTreeMap<Id<id::Token>, Arc<[PackRef]>>);

impl Packs {
    /// What a run keeps that one token has started.
    pub(crate) fn of(token: Id<id::Token>, packs: &[PackRef]) -> Self {
        Self(BTreeMap::from([(token, Arc::from(packs))]))
    }

    /// What is kept for a token.
    pub(crate) fn get(&self, token: Id<id::Token>) -> Option<&Arc<[PackRef]>> {
        self.0.get(&token)
    }

    /// Keeps what a token is bound to, if nothing is kept for it yet. Answers what is kept, and whether
    /// that is new.
    pub(crate) fn keep(
        &mut self,
        token: Id<id::Token>,
        packs: &[PackRef],
    ) -> (Arc<[PackRef]>, bool) {
        if let Some(kept) = self.0.get(&token) {
            return (Arc::clone(kept), false);
        }
        let kept: Arc<[PackRef]> = Arc::from(packs);
        let new = self.0.len() < TOKENS_MAX;
        if new {
            self.0.insert(token, Arc::clone(&kept));
        }
        (kept, new)
    }

    /// As it is stored.
    pub(crate) fn to_json(&self) -> String {
        let all: BTreeMap<String, &[PackRef]> =
            self.0.iter().map(|(token, packs)| (token.to_string(), packs.as_ref())).collect();
        serde_json::to_string(&all).unwrap_or_default()
    }

    /// Out of the store. A run of a store that kept none has an empty list.
    pub(crate) fn parse(text: &str) -> Result<Self, sqlx::Error> {
        let decode = |error| sqlx::Error::Decode(Box::new(error));
        if text == "[]" {
            return Ok(Self::default());
        }
        let all: BTreeMap<String, Vec<PackRef>> = serde_json::from_str(text).map_err(decode)?;
        let mut kept = BTreeMap::new();
        for (token, packs) in all {
            let token = token.parse().map_err(|error| sqlx::Error::Decode(Box::new(error)))?;
            kept.insert(token, Arc::from(packs));
        }
        Ok(Self(kept))
    }
}

/// Stores what a run keeps for one token, unless it keeps something already.
#[derive(Debug)]
pub(crate) struct Kept {
    /// Which run.
    pub(crate) run: Id<id::Run>,
    /// Which token.
    pub(crate) token: Id<id::Token>,
    /// What the token was bound to.
    pub(crate) packs: Arc<[PackRef]>,
}

impl Change for Kept {
    fn apply<'a>(&'a self, connection: &'a mut SqliteConnection) -> Applying<'a> {
        Box::pin(async move {
            let path = format!("$.{}", self.token);
            let packs = serde_json::to_string(&self.packs).unwrap_or_default();
            sqlx::query(
                "UPDATE run SET packs = json_insert(CASE packs WHEN '[]' THEN '{}' ELSE packs END, $2, \
                 json($3)) WHERE id = $1",
            )
            .bind(self.run.to_string())
            .bind(path)
            .bind(packs)
            .execute(connection)
            .await?;
            Ok(())
        })
    }
}
