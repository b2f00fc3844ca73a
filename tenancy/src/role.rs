//! Owns roles: [`ActionSet`], the built-in roles, and [`Role`], one that an identity defined.
//! Invariant: a role is nothing but a set of actions; no code asks for a role by its name.
//!
//! Who may do what, and why:
//!
//! - `owner` may do everything.
//! - `admin` runs the tenant and can appoint those who call tools and those who look on. It neither
//!   judges (classifying, approving) nor reads what others' runs produced, nor sees personal values:
//!   whoever brings in a system is not also the one who vouches for it. Since nobody confers what
//!   they do not hold, only an owner appoints curators and approvers.
//! - `curator` judges tools and publishes packs, and calls none.
//! - `approver` decides on held calls. Releasing a call confers it, and its arguments must be seen
//!   as they are, so the role holds the calling actions and `unmask`.
//! - `member` calls tools of every effect: which tools is the pack's to say, whether a call waits
//!   for a person is the stage's and the Gate's, and a token narrows further.
//! - `auditor` reads every record there is of acting, and no content. `billing` reads figures.
//!   `viewer` sees what is there.

mod set;

use contract::{Action, Name};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use set::ActionSet;

/// A named set of actions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Role {
    /// Its name inside the identity; none of the built-in ones.
    pub name: Name,
    /// What it allows.
    pub actions: ActionSet,
}

/// A role that every identity has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BuiltIn {
    /// May do everything.
    Owner,
    /// Runs the tenant, and judges nothing.
    Admin,
    /// Judges tools and publishes packs.
    Curator,
    /// Decides on held calls.
    Approver,
    /// Reads usage figures.
    Billing,
    /// Reads the ledger and who may what.
    Auditor,
    /// Calls tools.
    Member,
    /// Sees what is there.
    Viewer,
}

const CALLS: &[Action] =
    &[Action::CallRead, Action::CallWrite, Action::CallDestructive, Action::CallFinancial];

const VIEWER: ActionSet = ActionSet::of(&[
    Action::ScopeRead,
    Action::PrincipalRead,
    Action::ServerRead,
    Action::PackRead,
    Action::CatalogueRead,
    Action::UsageRead,
]);

const MEMBER: ActionSet = ActionSet::of(&[
    Action::ScopeRead,
    Action::ServerRead,
    Action::PackRead,
    Action::CatalogueRead,
    Action::ContentRead,
    Action::RunRead,
])
.with(CALLS);

impl BuiltIn {
    /// Every built-in role, in the order of the role matrix.
    pub const ALL: [Self; 8] = [
        Self::Owner,
        Self::Admin,
        Self::Curator,
        Self::Approver,
        Self::Billing,
        Self::Auditor,
        Self::Member,
        Self::Viewer,
    ];

    /// The role's name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Admin => "admin",
            Self::Curator => "curator",
            Self::Approver => "approver",
            Self::Billing => "billing",
            Self::Auditor => "auditor",
            Self::Member => "member",
            Self::Viewer => "viewer",
        }
    }

    /// What it is, in a few words.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Owner => "May do everything",
            Self::Admin => "Runs the tenant, and judges nothing",
            Self::Curator => "Judges tools and publishes packs",
            Self::Approver => "Decides on held calls",
            Self::Billing => "Reads usage figures",
            Self::Auditor => "Reads the ledger and who may what",
            Self::Member => "Calls tools",
            Self::Viewer => "Sees what is there",
        }
    }

    /// The built-in role of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == name)
    }

    /// What the role allows.
    pub const fn actions(self) -> ActionSet {
        match self {
            Self::Owner => ActionSet::ALL,
            Self::Admin => ActionSet::ALL.without(&[
                Action::ToolClassify,
                Action::ApprovalDecide,
                Action::ContentReadAny,
                Action::Unmask,
            ]),
            Self::Curator => ActionSet::of(&[
                Action::ScopeRead,
                Action::ServerRead,
                Action::ToolClassify,
                Action::PackRead,
                Action::PackManage,
                Action::CatalogueRead,
            ]),
            Self::Approver => ActionSet::of(&[
                Action::ScopeRead,
                Action::PrincipalRead,
                Action::ServerRead,
                Action::CatalogueRead,
                Action::ApprovalRead,
                Action::ApprovalDecide,
                Action::Unmask,
            ])
            .with(CALLS),
            Self::Billing => ActionSet::of(&[Action::ScopeRead, Action::UsageRead]),
            Self::Auditor => VIEWER.with(&[
                Action::TokenRead,
                Action::GrantRead,
                Action::CredentialRead,
                Action::ApprovalRead,
                Action::LedgerRead,
                Action::AccessExplain,
            ]),
            Self::Member => MEMBER,
            Self::Viewer => VIEWER,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_runs_the_tenant_does_not_judge() {
        let judging = ActionSet::of(&[Action::ToolClassify, Action::ApprovalDecide]);
        for role in [BuiltIn::Admin, BuiltIn::Member, BuiltIn::Auditor, BuiltIn::Viewer] {
            assert!((role.actions() & judging).is_empty(), "{role:?}");
        }
        let admin = BuiltIn::Admin.actions();
        for role in [BuiltIn::Member, BuiltIn::Viewer, BuiltIn::Billing, BuiltIn::Auditor] {
            assert!(admin.holds(role.actions()), "an admin can appoint a {role:?}");
        }
        for role in [BuiltIn::Owner, BuiltIn::Curator, BuiltIn::Approver] {
            assert!(!admin.holds(role.actions()), "an admin cannot appoint a {role:?}");
        }
    }

    #[test]
    fn names_are_names_and_find_their_role() {
        for role in BuiltIn::ALL {
            assert!(role.as_str().parse::<Name>().is_ok());
            assert_eq!(BuiltIn::named(role.as_str()), Some(role));
        }
        assert_eq!(BuiltIn::named("Owner"), None);
    }
}
