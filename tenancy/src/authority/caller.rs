//! Owns [`Caller`]: a principal and its token, found alive in one view. Invariant: a caller borrows
//! its view, so it is judged by the revision it was found in and by no other.

use std::sync::Arc;

use contract::id;
use contract::{Id, Name, Scope};

use super::decide::{Claim, First};
use super::{Now, Objection, Reason};
use crate::lease::Standing;
use crate::role::ActionSet;
use crate::token;
use crate::view::{ANCESTORS_MAX, AuthorityView, Bearer, Holder, PackRef, Principal, Token};

/// Who calls.
#[derive(Debug, Clone, Copy)]
pub struct Caller<'v> {
    view: &'v AuthorityView,
    holder: &'v Holder,
    bearer: &'v Bearer,
    /// What its run keeps.
    kept: &'v [Arc<[PackRef]>],
}

/// Finds who presents a token of that hash and kind.
///
/// # Errors
/// Refused if there is no such token, or it, its principal or the identity is revoked, expired or
/// suspended; unavailable without a valid lease.
pub fn authenticate<'v>(
    view: &'v AuthorityView,
    standing: &Standing,
    hash: &token::Hash,
    kind: token::Kind,
    now: Now,
) -> Result<Caller<'v>, Objection> {
    let bearer = view.bearer(hash).filter(|bearer| bearer.record.kind == kind);
    enter(view, standing, bearer, now)
}

/// Finds the caller of a held call again, when it is released and nobody presents the token.
///
/// Only for a call that this platform itself held under a permit of that token: the id of a token is
/// no secret and proves nothing.
///
/// # Errors
/// As [`authenticate`].
pub fn resume<'v>(
    view: &'v AuthorityView,
    standing: &Standing,
    token: Id<id::Token>,
    now: Now,
) -> Result<Caller<'v>, Objection> {
    enter(view, standing, view.bearer_of(token), now)
}

fn enter<'v>(
    view: &'v AuthorityView,
    standing: &Standing,
    bearer: Option<&'v Bearer>,
    now: Now,
) -> Result<Caller<'v>, Objection> {
    if !standing.stands_at(now.boot_ms) {
        return Err(Objection::Unavailable);
    }
    let found = bearer.and_then(|bearer| {
        let holder = view.holder(bearer.record.principal)?;
        Some(Caller { view, holder, bearer, kept: &[] })
    });
    let caller = found.ok_or(Objection::Refused(Reason::UnknownToken))?;
    caller.claim().alive(now.wall, &mut First).map_err(Objection::Refused)?;
    Ok(caller)
}

impl<'v> Caller<'v> {
    pub(crate) const fn claim(&self) -> Claim<'v> {
        Claim { view: self.view, holder: self.holder, bearer: Some(self.bearer), kept: self.kept }
    }

    /// The same caller in a run that keeps these packs for its token and for those that it descends
    /// from: what it may call is what its token holds and each of them holds as well.
    #[must_use]
    pub const fn in_run(self, kept: &'v [Arc<[PackRef]>]) -> Self {
        Self { kept, ..self }
    }

    /// The token and those that it descends from, its own first: under which token a run keeps the packs
    /// of each, and to what each is bound now.
    pub fn line(&self) -> impl Iterator<Item = (Id<id::Token>, &'v [PackRef])> + use<'v> {
        let view = self.view;
        let next = |token: &&'v Token| Some(&view.bearer_of(token.parent?)?.record);
        std::iter::successors(Some(&self.bearer.record), next)
            .take(ANCESTORS_MAX + 1)
            .map(|token| (token.family.unwrap_or(token.id), token.packs.as_slice()))
    }

    pub(crate) const fn bearer(&self) -> &'v Bearer {
        self.bearer
    }

    /// The view the caller was found in.
    pub const fn view(&self) -> &'v AuthorityView {
        self.view
    }

    /// The identity.
    pub const fn identity(&self) -> &'v Name {
        self.view.identity()
    }

    /// The authority revision the caller is judged by.
    pub const fn revision(&self) -> u64 {
        self.view.revision()
    }

    /// The principal.
    pub const fn principal(&self) -> &'v Principal {
        &self.holder.record
    }

    /// The token.
    pub const fn token(&self) -> &'v Token {
        &self.bearer.record
    }

    /// Whether this is a person signed in as such: a user, by a user's token that is nobody's child.
    pub fn is_person(&self) -> bool {
        self.claim().is_person()
    }

    /// The caller's home scope, which seats reach: what the token is narrowed to, or the identity.
    pub fn home(&self) -> &'v Scope {
        match (&self.bearer.reach, &self.bearer.record.scope) {
            (Some(reach), _) => reach,
            // A line of tokens whose scopes have nothing in common reaches nowhere. Its home is
            // where its own token stands, and every decision there is a refusal.
            (None, Some(own)) => own,
            (None, None) => self.view.root(),
        }
    }

    /// The scope that the token and its ancestors are narrowed to. `None` if none of them is, or if
    /// their scopes have nothing in common, in which case every decision is a refusal.
    pub fn narrowed_scope(&self) -> Option<&'v Scope> {
        if self.bearer.narrowed { self.bearer.reach.as_ref() } else { None }
    }

    /// The actions that the token and its ancestors are narrowed to; all if none of them is.
    pub const fn narrowed_actions(&self) -> ActionSet {
        self.bearer.actions
    }

    /// The packs that the token itself names. What its ancestors leave of them is
    /// [`pack_allows`](super::pack_allows).
    pub fn packs(&self) -> &'v [PackRef] {
        &self.bearer.record.packs
    }
}
