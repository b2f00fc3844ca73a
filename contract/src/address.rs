//! Owns the address grammar: `[place "/"] server "." tool`. Invariant: an address that parses prints
//! back as the same text, and its place names the scope (or node) at which the call is decided.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::name::{Malformed, Name, ToolName};
use crate::scope::Scope;

/// The grammar of an [`Address`], as it is told to whoever breaks it.
pub const ADDRESS_RULE: &str = "`server.tool`, or a place before it: `./server.tool` (the identity), \
     `group/server.tool`, `group/project/server.tool` or `~node/server.tool`";

/// Where an address points before its server.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// `./`: the identity itself.
    Identity,
    /// `shop/`: a group.
    Group(Name),
    /// `shop/checkout/`: a project.
    Project(Name, Name),
    /// `~ace/`: a machine of the tenant's that has joined.
    Node(Name),
}

impl Place {
    /// The scope this place names inside `identity`, or `None` for a node.
    pub fn scope(&self, identity: &Scope) -> Option<Scope> {
        let root = identity.root();
        match self {
            Self::Identity => Some(root),
            Self::Group(group) => root.child(group),
            Self::Project(group, project) => root.child(group)?.child(project),
            Self::Node(_) => None,
        }
    }

    /// The place that names `scope` inside its own identity.
    pub fn of(scope: &Scope) -> Self {
        let mut names = scope.place().split('/').filter_map(|part| part.parse::<Name>().ok());
        match (names.next(), names.next()) {
            (Some(group), Some(project)) => Self::Project(group, project),
            (Some(group), None) => Self::Group(group),
            (None, _) => Self::Identity,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Identity => f.write_str("."),
            Self::Group(group) => write!(f, "{group}"),
            Self::Project(group, project) => write!(f, "{group}/{project}"),
            Self::Node(node) => write!(f, "~{node}"),
        }
    }
}

impl FromStr for Place {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        let rule = "`.` (the identity), `group`, `group/project` or `~node`";
        let malformed = |_| Malformed::new("place", text, rule);
        if text == "." {
            return Ok(Self::Identity);
        }
        if let Some(node) = text.strip_prefix('~') {
            return node.parse().map(Self::Node).map_err(malformed);
        }
        match text.split_once('/') {
            None => text.parse().map(Self::Group).map_err(malformed),
            Some((group, project)) => Ok(Self::Project(
                group.parse().map_err(malformed)?,
                project.parse().map_err(malformed)?,
            )),
        }
    }
}

/// The name of a tool and, with a place, of the scope the call reaches.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Address {
    /// Where, if said.
    pub place: Option<Place>,
    /// The server or seat.
    pub server: Name,
    /// The tool inside it.
    pub tool: ToolName,
}

impl FromStr for Address {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        let malformed = || Malformed::new("address", text, ADDRESS_RULE);
        let (place, rest) = match text.rsplit_once('/') {
            None => (None, text),
            Some((place, rest)) => (Some(place.parse().map_err(|_| malformed())?), rest),
        };
        let (server, tool) = rest.split_once('.').ok_or_else(malformed)?;
        Ok(Self {
            place,
            server: server.parse().map_err(|_| malformed())?,
            tool: tool.parse().map_err(|_| malformed())?,
        })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}/")?;
        }
        write!(f, "{}.{}", self.server, self.tool)
    }
}

macro_rules! as_text {
    ($type:ident, $doc:literal, $pattern:literal) => {
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                s.collect_str(self)
            }
        }
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                Cow::<'de, str>::deserialize(d)?.parse().map_err(serde::de::Error::custom)
            }
        }
        impl JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }
            fn schema_name() -> Cow<'static, str> {
                stringify!($type).into()
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({
                    "type": "string", "maxLength": 400, "pattern": $pattern, "description": $doc
                })
            }
        }
    };
}

as_text!(
    Place,
    "A place: `.` (the identity), `group`, `group/project` or `~node`.",
    r"^(\.|~?[a-z](-?[a-z0-9])*|[a-z](-?[a-z0-9])*/[a-z](-?[a-z0-9])*)$"
);
as_text!(
    Address,
    "`server.tool`, after a place where one is needed: `shop/billing.invoice.lookup`; `./` is the identity.",
    r"^((\.|~?[a-z](-?[a-z0-9])*|[a-z](-?[a-z0-9])*/[a-z](-?[a-z0-9])*)/)?[a-z](-?[a-z0-9])*(\.[a-z][a-z0-9_]{0,30}){1,4}$"
);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_grammar() {
        for good in [
            "content.search",
            "shop/checkout/orders-db.recent_for_customer",
            "~ace/files.list",
            "./billing.invoice.lookup",
            "shop/billing.a.b.c.d",
        ] {
            let address: Address = good.parse().expect(good);
            assert_eq!(address.to_string(), good);
        }
        for bad in [
            "",
            "content",
            ".search",
            "content.",
            "/content.search",
            "a/b/c/d.e",
            "../x.y",
            "./shop/x.y",
            "~/x.y",
            "~ace/shop/x.y",
            "shop//x.y",
            "Shop/x.y",
            "x.y/z",
            "x.y.",
            "shop/x.y?a=1",
            "shop/x.y ",
            "a.b.c.d.e.f",
        ] {
            assert!(bad.parse::<Address>().is_err(), "{bad:?} must be refused");
        }
    }

    proptest! {
        #[test]
        fn whatever_parses_prints_back(text in "[a-c~./-]{0,14}") {
            if let Ok(address) = text.parse::<Address>() {
                prop_assert_eq!(address.to_string(), text);
            }
        }

        #[test]
        fn schema_and_parser_agree(text in "[a-c~./-]{0,10}") {
            let schema = serde_json::to_value(schemars::schema_for!(Address)).expect("serialises");
            let validator = jsonschema::validator_for(&schema).expect("compiles");
            let given = serde_json::Value::String(text.clone());
            prop_assert_eq!(validator.is_valid(&given), text.parse::<Address>().is_ok());
        }
    }
}
