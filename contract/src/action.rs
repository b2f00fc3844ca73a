//! Owns [`Action`]: the closed list of what a role can be made of. Invariant: every verb needs
//! exactly one of these (or none, for what any caller may do about themselves).

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::name::Malformed;

macro_rules! actions {
    ($($(#[doc = $doc:literal])+ $variant:ident = $text:literal),+ $(,)?) => {
        /// One thing a role allows.
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
            JsonSchema,
        )]
        pub enum Action { $($(#[doc = $doc])+ #[serde(rename = $text)] $variant),+ }

        impl Action {
            /// Every action, in the order of the role matrix.
            pub const ALL: &[Self] = &[$(Self::$variant),+];
            /// The word used on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }
            /// What it allows, in one sentence.
            pub const fn about(self) -> &'static str {
                match self { $(Self::$variant => concat!($($doc),+)),+ }
            }
        }
        impl FromStr for Action {
            type Err = Malformed;
            fn from_str(text: &str) -> Result<Self, Malformed> {
                match text {
                    $($text => Ok(Self::$variant),)+
                    _ => Err(Malformed::new("action", text, "one of the actions of the role matrix")),
                }
            }
        }
    };
}

actions! {
    /// See that a scope exists and what is in it.
    ScopeRead = "scope.read",
    /// Create, rename and archive groups and projects.
    ScopeManage = "scope.manage",
    /// See principals.
    PrincipalRead = "principal.read",
    /// Create, change, suspend and resume principals.
    PrincipalManage = "principal.manage",
    /// See tokens (never their secrets).
    TokenRead = "token.read",
    /// Mint tokens for another principal, bind them to packs and revoke them.
    TokenManage = "token.manage",
    /// See grants.
    GrantRead = "grant.read",
    /// Give and revoke grants of what one holds oneself.
    GrantManage = "grant.manage",
    /// See credentials (never their secrets).
    CredentialRead = "credential.read",
    /// Seal, rotate and destroy credentials.
    CredentialManage = "credential.manage",
    /// Let the servers at a scope use a credential.
    CredentialGrant = "credential.grant",
    /// See servers, tools, declarations and classifications.
    ServerRead = "server.read",
    /// Register servers, publish and withdraw declarations.
    ServerManage = "server.manage",
    /// Say what a tool's effect and labels are.
    ToolClassify = "tool.classify",
    /// See packs.
    PackRead = "pack.read",
    /// Publish packs.
    PackManage = "pack.manage",
    /// Find tools in the catalogue.
    CatalogueRead = "catalogue.read",
    /// Call tools that read.
    CallRead = "call.read",
    /// Call tools that write.
    CallWrite = "call.write",
    /// Call tools that destroy.
    CallDestructive = "call.destructive",
    /// Call tools that move money.
    CallFinancial = "call.financial",
    /// Read content that one's own runs produced.
    ContentRead = "content.read",
    /// Read content that other principals' runs produced.
    ContentReadAny = "content.read_any",
    /// See personal values unmasked.
    Unmask = "unmask",
    /// See and end one's own runs.
    RunRead = "run.read",
    /// See and end the runs of others.
    RunManage = "run.manage",
    /// Start a run that holds no labels, and close a tainted default run.
    RunOpenClean = "run.open_clean",
    /// See held calls.
    ApprovalRead = "approval.read",
    /// Release and refuse held calls.
    ApprovalDecide = "approval.decide",
    /// Read and export the ledger.
    LedgerRead = "ledger.read",
    /// Read usage figures.
    UsageRead = "usage.read",
    /// Ask why anyone may or may not do something.
    AccessExplain = "access.explain",
}

impl Action {
    /// Whether only a user principal, signed in as such, may do this, whatever the roles of an
    /// agent say.
    pub const fn users_only(self) -> bool {
        matches!(self, Self::ApprovalDecide | Self::ToolClassify)
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
