//! Owns [`Scope`]: an identity, a group in it, or a project in that group. Invariant: a scope always
//! names one identity, so an authority over every tenant cannot be written down, and one scope
//! covers another by whole segments only (`acme/shop` does not cover `acme/shopping`).

use std::borrow::{Borrow, Cow};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::name::{Malformed, NAME_MAX_BYTES, Name, is_name, text_type};

/// The deepest a scope may be: identity, group, project.
pub const DEPTH_MAX: usize = 3;
/// The grammar of a [`Scope`], as it is told to whoever breaks it.
pub const SCOPE_RULE: &str =
    "an identity, `identity/group` or `identity/group/project`, each a name";

/// Where something is: `acme`, `acme/shop` or `acme/shop/checkout`.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Scope(Arc<str>);

/// How deep a scope is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The tenant itself.
    Identity,
    /// A group of the tenant.
    Group,
    /// A project of a group.
    Project,
}

fn is_scope(text: &str) -> bool {
    text.split('/').all(is_name) && text.split('/').count() <= DEPTH_MAX
}

text_type!(
    Scope,
    "scope",
    is_scope,
    SCOPE_RULE,
    "^[a-z](-?[a-z0-9])*(/[a-z](-?[a-z0-9])*){0,2}$",
    DEPTH_MAX * (NAME_MAX_BYTES + 1) - 1,
    "A scope: `acme`, `acme/shop` or `acme/shop/checkout`."
);

impl Scope {
    /// The scope of a whole identity.
    pub fn identity(identity: &Name) -> Self {
        Self(Arc::from(identity.as_str()))
    }

    /// The scope one level below, or `None` below a project.
    pub fn child(&self, name: &Name) -> Option<Self> {
        (self.level() < Level::Project).then(|| Self(Arc::from(format!("{self}/{name}"))))
    }

    /// The identity's name.
    pub fn identity_str(&self) -> &str {
        self.0.split('/').next().unwrap_or_default()
    }

    /// The scope of the identity this scope lies in.
    #[must_use]
    pub fn root(&self) -> Self {
        Self(Arc::from(self.identity_str()))
    }

    /// How deep this scope is.
    pub fn level(&self) -> Level {
        match self.0.bytes().filter(|b| *b == b'/').count() {
            0 => Level::Identity,
            1 => Level::Group,
            _ => Level::Project,
        }
    }

    /// The scope one level up, or `None` for an identity.
    pub fn parent(&self) -> Option<Self> {
        self.0.rsplit_once('/').map(|(up, _)| Self(Arc::from(up)))
    }

    /// The last segment.
    pub fn leaf(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }

    /// This scope's path inside its identity: empty for the identity itself, else `shop` or
    /// `shop/checkout`. This is the *place* of an address.
    pub fn place(&self) -> &str {
        self.0.split_once('/').map_or("", |(_, rest)| rest)
    }

    /// The scope that `place` names inside this scope's identity.
    ///
    /// # Errors
    /// When `place` is not one or two names joined by `/`; `.` and the empty text are refused too,
    /// the identity itself being [`Scope::root`].
    pub fn at_place(&self, place: &str) -> Result<Self, Malformed> {
        format!("{}/{place}", self.identity_str()).parse()
    }

    /// Whether this scope is `other` or lies above it. Compares whole segments.
    pub fn covers(&self, other: &Self) -> bool {
        other.0.strip_prefix(&*self.0).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// This scope and those above it, nearest first, as texts (nothing is allocated).
    pub fn upward(&self) -> impl Iterator<Item = &str> {
        std::iter::successors(Some(&*self.0), |text| text.rsplit_once('/').map(|(up, _)| up))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn scope(text: &str) -> Scope {
        text.parse().expect("a scope")
    }

    #[test]
    fn depth_is_one_to_three() {
        for bad in ["", "/", "acme/", "/acme", "acme//x", "a/b/c/d", "acme/..", "*", "acme/*", "."]
        {
            assert!(bad.parse::<Scope>().is_err(), "{bad:?} must be refused");
        }
        assert_eq!(scope("acme").level(), Level::Identity);
        assert_eq!(scope("acme/shop/checkout").level(), Level::Project);
        assert_eq!(scope("a/b/c").child(&"d".parse().expect("a name")), None);
    }

    #[test]
    fn covers_by_segment() {
        assert!(scope("acme/shop").covers(&scope("acme/shop/checkout")));
        assert!(scope("acme/shop").covers(&scope("acme/shop")));
        assert!(!scope("acme/shop").covers(&scope("acme/shopping")));
        assert!(!scope("acme/shop/checkout").covers(&scope("acme/shop")));
        assert!(!scope("acme/shop/checkout").covers(&scope("acme/shop/returns")));
    }

    proptest! {
        #[test]
        fn covering_is_being_among_those_above(
            a in "[a-b]{1,2}(/[a-b]{1,2}){0,2}", b in "[a-b]{1,2}(/[a-b]{1,2}){0,2}"
        ) {
            let (a, b) = (scope(&a), scope(&b));
            let above = b.upward().any(|text| text == a.as_str());
            prop_assert_eq!(a.covers(&b), above);
        }
    }
}
