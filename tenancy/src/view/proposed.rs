//! Owns views of what is only proposed: a view with some grants and roles changed, to ask what would be
//! if. Invariant: it says everything else that the view says, but opens no credential: it decides
//! nothing that is carried out.

use std::collections::HashSet;

use contract::Id;
use contract::id;

use super::{AuthorityView, Document, Grant, Inconsistent};
use crate::role::Role;

/// What would be changed.
#[derive(Debug, Clone, Default)]
pub struct Proposal {
    /// Grants that would be revoked.
    pub without: HashSet<Id<id::Grant>>,
    /// Grants that would be given.
    pub with: Vec<Grant>,
    /// Roles that would be defined, or would allow something else.
    pub roles: Vec<Role>,
}

impl AuthorityView {
    /// This view with what is proposed.
    ///
    /// # Errors
    /// When the proposal contradicts the view, or itself.
    pub fn proposed(&self, proposal: &Proposal) -> Result<Self, Inconsistent> {
        let identity = self.identity.clone();
        let mut document = Document::empty(identity, self.identity_id, self.revision);
        document.catalogue_revision = self.catalogue_revision;
        document.suspended = self.suspended;
        document.settings = self.settings.clone();
        document.scopes = self.scopes().cloned().collect();
        document.principals = self.principals().cloned().collect();
        document.tokens = self.bearers.values().map(|bearer| bearer.record.clone()).collect();
        let grants = self.holders.values().flat_map(|holder| &holder.grants);
        let stays = |grant: &&Grant| !proposal.without.contains(&grant.id);
        document.grants = grants.filter(stays).chain(&proposal.with).cloned().collect();
        let changed = |role: &&Role| proposal.roles.iter().any(|new| new.name == role.name);
        let kept = self.roles.iter().filter(|role| !changed(role));
        document.roles = kept.chain(&proposal.roles).cloned().collect();
        document.packs = self.packs.values().map(|entry| entry.record.clone()).collect();
        Self::new(document)
    }
}
