//! Owns the writing down of when tokens were last used. Invariant: a use is no part of the authority:
//! it counts no revision up, and no call waits for more than one write of it a minute and token.

use contract::id::{self, Id};
use contract::{Name, Timestamp};
use tenancy::permit;
use tenancy::plane::Answered;
use tenancy::token::Uses;

use crate::lease::not_held;
use crate::plane::Plane;
use crate::store::{self, Error};

/// How many uses are written down in one transaction.
const AT_ONCE: usize = 1_000;

impl Plane {
    /// Merges the uses that the holder of an identity has seen.
    pub(crate) async fn used(
        &self,
        plane: &permit::Plane,
        epoch: u64,
        uses: &[(Id<id::Token>, Timestamp)],
    ) -> Result<Answered, Error> {
        let mut tx = self.store.upkeep().await?;
        if self.held(&mut tx, plane, epoch).await?.is_none() {
            return Ok(not_held());
        }
        for (token, at) in uses.iter().take(AT_ONCE) {
            store::token::used(&mut tx, plane, *token, *at).await?;
        }
        tx.commit().await?;
        Ok(Answered::Done)
    }

    /// Writes the uses down that this plane has seen itself: those of persons, who come here without a
    /// worker. What cannot be written now is written later.
    pub(crate) async fn write_uses_down(&self) {
        let untold = self.uses.untold(AT_ONCE);
        if untold.is_empty() {
            return;
        }
        match self.write_down(&untold).await {
            Ok(()) => self.uses.told(&untold),
            Err(error) => {
                let error: &dyn std::error::Error = &error;
                tracing::warn!(error, "the last uses of tokens were not written down");
            }
        }
    }

    async fn write_down(&self, uses: &[((Name, Id<id::Token>), Timestamp)]) -> Result<(), Error> {
        let mut tx = self.store.upkeep().await?;
        for ((identity, token), at) in uses {
            let plane = permit::Plane::of(identity.clone());
            store::token::used(&mut tx, &plane, *token, *at).await?;
        }
        tx.commit().await
    }
}

/// Notes that a token of `identity` is used.
pub(crate) fn note(
    uses: &Uses<(Name, Id<id::Token>)>,
    identity: &Name,
    token: Id<id::Token>,
    now: Timestamp,
) {
    uses.note(&(identity.clone(), token), now);
}
