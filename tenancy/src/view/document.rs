//! Owns the wire form of a view. Invariant: a field that this build does not know is an error, for
//! it could be a restriction, and dropping a restriction widens what someone may do.

use std::fmt;

use contract::id;
use contract::{Id, Name, Scope, Timestamp};
use serde::{Deserialize, Serialize};

use super::{PackRef, PrincipalKind, Stage};
use crate::role::{ActionSet, Role};
use crate::token;

/// What the control plane sends to whoever serves an identity: one revision, whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// The identity's name.
    pub identity: Name,
    /// The identity's id.
    pub identity_id: Id<id::Identity>,
    /// The authority revision.
    pub revision: u64,
    /// The revision of the catalogue this was written with.
    pub catalogue_revision: u64,
    /// Whether every call of the identity is refused.
    pub suspended: bool,
    /// The identity's settings.
    pub settings: Settings,
    /// The groups and projects, and the identity itself if it has a record.
    pub scopes: Vec<ScopeRecord>,
    /// The users and agents.
    pub principals: Vec<Principal>,
    /// The tokens. Revoked ones may be left out: a child of a token that is not here is dead.
    pub tokens: Vec<Token>,
    /// The grants.
    pub grants: Vec<Grant>,
    /// The roles that the identity defined, beside the built-in ones.
    pub roles: Vec<Role>,
    /// The credentials, sealed.
    pub credentials: Vec<Credential>,
    /// Which servers may use which credential.
    pub credential_grants: Vec<CredentialGrant>,
    /// The published packs.
    pub packs: Vec<Pack>,
}

impl Document {
    /// The document of an identity in which there is nothing yet.
    pub fn empty(identity: Name, identity_id: Id<id::Identity>, revision: u64) -> Self {
        Self {
            identity,
            identity_id,
            revision,
            catalogue_revision: 0,
            suspended: false,
            settings: Settings::default(),
            scopes: Vec::new(),
            principals: Vec::new(),
            tokens: Vec::new(),
            grants: Vec::new(),
            roles: Vec::new(),
            credentials: Vec::new(),
            credential_grants: Vec::new(),
            packs: Vec::new(),
        }
    }
}

/// What an identity can set for itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Nobody approves the call of their own agent.
    pub four_eyes: bool,
    /// What becomes of a call with an effect other than `read` in a tainted run.
    pub tainted_writes: OnLabel,
    /// What becomes of a call that reaches outside the platform from a run that holds personal or
    /// confidential content which the tool is not cleared for.
    pub outward_labelled: OnLabel,
    /// The largest result that is answered inline, in bytes.
    pub inline_limit_bytes: u32,
    /// How long a held call waits for a person, in milliseconds.
    pub approval_ttl_ms: u32,
    /// How many calls a principal may make in a minute.
    pub calls_per_minute: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            four_eyes: false,
            tainted_writes: OnLabel::Approve,
            outward_labelled: OnLabel::Approve,
            inline_limit_bytes: 8 * 1024,
            approval_ttl_ms: 72 * 60 * 60 * 1000,
            calls_per_minute: 600,
        }
    }
}

/// What a label leads to. Letting the call pass is not among the choices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnLabel {
    /// A person decides.
    Approve,
    /// The call is refused.
    Block,
}

/// A scope that exists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScopeRecord {
    /// The scope.
    pub scope: Scope,
    /// The id of the group or project (`group_…`, `project_…`).
    pub id: String,
    /// Whether it is archived, and with it what lies below.
    pub archived: bool,
}

/// A user or an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Principal {
    /// Its id.
    pub id: Id<id::Principal>,
    /// User or agent.
    pub kind: PrincipalKind,
    /// Its name, one of a kind in the identity.
    pub name: Name,
    /// What it is called where people read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display: Option<String>,
    /// How far an agent is let.
    pub stage: Stage,
    /// Whether all its calls are refused.
    pub suspended: bool,
}

/// A token, as its hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Token {
    /// Its id.
    pub id: Id<id::Token>,
    /// Whose it is.
    pub principal: Id<id::Principal>,
    /// Who presents it.
    pub kind: token::Kind,
    /// The token it was narrowed from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Id<id::Token>>,
    /// The first of the tokens whose place it took, if it took one's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<Id<id::Token>>,
    /// The SHA-256 of the whole token.
    pub hash: token::Hash,
    /// The scope it is narrowed to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// The actions it is narrowed to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actions: Option<ActionSet>,
    /// The packs it is bound to. An empty list means none.
    pub packs: Vec<PackRef>,
    /// The moment from which it is no longer taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
    /// Whether it was revoked, and with it every child.
    pub revoked: bool,
}

/// A grant: the principal may do the role's actions at the scope and below it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grant {
    /// Its id.
    pub id: Id<id::Grant>,
    /// Who may.
    pub principal: Id<id::Principal>,
    /// Where, and below it.
    pub scope: Scope,
    /// What: the role's name.
    pub role: Name,
    /// The moment from which it no longer holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
    /// Whether it was revoked.
    pub revoked: bool,
}

/// A credential, sealed.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Credential {
    /// Its id.
    pub id: Id<id::Credential>,
    /// Its name.
    pub name: Name,
    /// Its version; part of what the seal authenticates.
    pub version: u32,
    /// The origins it may go to; part of what the seal authenticates.
    pub origins: Vec<String>,
    /// The sealed secret, in base64.
    pub sealed: String,
}

impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credential")
            .field("id", &self.id)
            .field("name", &self.name)
            .field("version", &self.version)
            .field("origins", &self.origins)
            .finish_non_exhaustive()
    }
}

/// A credential grant: the servers at the scope, and below it, may use the credential.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CredentialGrant {
    /// Its id.
    pub id: Id<id::CredentialGrant>,
    /// Which credential.
    pub credential: Id<id::Credential>,
    /// The servers of which scope, and below it.
    pub scope: Scope,
    /// The moment from which it no longer holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
    /// Whether it was revoked.
    pub revoked: bool,
}

/// A published pack. Means for ever what it meant when it was published.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pack {
    /// Its id.
    pub id: Id<id::Pack>,
    /// Its name.
    pub name: Name,
    /// Its version.
    pub version: u32,
    /// What is in it, each tool once.
    pub pins: Vec<Pin>,
}

/// A tool at one declaration version, as one classification judged it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// The tool.
    pub tool: Id<id::Tool>,
    /// The declaration's version.
    pub declaration: u32,
    /// The classification's version.
    pub classification: u32,
}
