//! Owns typed ids: [`Id<K>`], a UUID version 7 (RFC 9562) that is shown with its kind's prefix
//! (`grant_…`). Invariant: an id of one kind is never taken for another's, in Rust or on the wire.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use uuid::Uuid;

use crate::name::Malformed;

/// What an id names. Implemented by the empty types below and by nothing else.
pub trait Kind: Send + Sync + 'static {
    /// What stands before the underscore.
    const PREFIX: &'static str;
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $prefix:literal),+ $(,)?) => {
        $($(#[$doc])* #[derive(Debug, Clone, Copy)] pub enum $kind {}
        impl Kind for $kind { const PREFIX: &'static str = $prefix; })+
        /// Every prefix there is.
        pub const PREFIXES: &[&str] = &[$($prefix),+];
    };
}

kinds! {
    /// A held call.
    Approval = "approval",
    /// A stored result.
    Content = "content",
    /// A sealed secret for a system upstream.
    Credential = "credential",
    /// A right of the servers at a scope to use a credential.
    CredentialGrant = "credgrant",
    /// One decision about a caller, replayed by `access.explain`.
    Decision = "decision",
    /// A right of a principal at a scope.
    Grant = "grant",
    /// A group.
    Group = "group",
    /// A tenant.
    Identity = "identity",
    /// What yields a person's first token.
    Invite = "invite",
    /// A set of pins.
    Pack = "pack",
    /// A user or an agent.
    Principal = "principal",
    /// A project.
    Project = "project",
    /// A named set of actions of an identity's own.
    Role = "role",
    /// One entry of the ledger that ruled on a call.
    Ruling = "ruling",
    /// One piece of an agent's work.
    Run = "run",
    /// An entry of the catalogue.
    Server = "server",
    /// What a caller presents.
    Token = "token",
    /// One callable verb of a server.
    Tool = "tool",
}

/// A typed id.
pub struct Id<K> {
    uuid: Uuid,
    kind: PhantomData<fn() -> K>,
}

impl<K: Kind> Id<K> {
    /// An id from a UUID that the process's id source made.
    pub const fn new(uuid: Uuid) -> Self {
        Self { uuid, kind: PhantomData }
    }

    /// The UUID without its kind.
    pub const fn uuid(&self) -> Uuid {
        self.uuid
    }
}

impl<K> Clone for Id<K> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<K> Copy for Id<K> {}
impl<K> PartialEq for Id<K> {
    fn eq(&self, other: &Self) -> bool {
        self.uuid == other.uuid
    }
}
impl<K> Eq for Id<K> {}
impl<K> PartialOrd for Id<K> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<K> Ord for Id<K> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.uuid.cmp(&other.uuid)
    }
}
impl<K> Hash for Id<K> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.uuid.hash(state);
    }
}
impl<K: Kind> fmt::Display for Id<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_{}", K::PREFIX, self.uuid.simple())
    }
}
impl<K: Kind> fmt::Debug for Id<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<K: Kind> FromStr for Id<K> {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        let rule = "the kind's prefix, an underscore and 32 lower-case hexadecimal digits";
        let malformed = || Malformed::new(K::PREFIX, text, rule);
        let hex = text
            .strip_prefix(K::PREFIX)
            .and_then(|rest| rest.strip_prefix('_'))
            .filter(|hex| hex.len() == 32)
            .filter(|hex| hex.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'a'..=b'f')))
            .ok_or_else(malformed)?;
        Uuid::try_parse(hex).map(Self::new).map_err(|_| malformed())
    }
}

impl<K: Kind> Serialize for Id<K> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}
impl<'de, K: Kind> Deserialize<'de> for Id<K> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        Cow::<'de, str>::deserialize(d)?.parse().map_err(serde::de::Error::custom)
    }
}
impl<K: Kind> JsonSchema for Id<K> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        format!("{}_id", K::PREFIX).into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "pattern": format!("^{}_[0-9a-f]{{32}}$", K::PREFIX),
            "description": format!("The id of a {}: `{}_` and 32 hexadecimal digits.", K::PREFIX, K::PREFIX)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_of_another_kind_is_refused() {
        let grant = Id::<Grant>::new(Uuid::from_u128(7));
        assert_eq!(grant.to_string().parse(), Ok(grant));
        assert!(grant.to_string().parse::<Id<Run>>().is_err());
        let upper = grant.to_string().to_uppercase();
        for bad in ["", "grant_", "grant_7", upper.as_str(), "grant_zz"] {
            assert!(bad.parse::<Id<Grant>>().is_err(), "{bad:?} must be refused");
        }
    }
}
