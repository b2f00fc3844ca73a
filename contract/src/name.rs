//! Owns the two kinds of name: [`Name`] for identities, groups, projects, servers, nodes and packs,
//! and [`ToolName`] for tools. Invariant: a value of either type matches its grammar exactly; input
//! is refused by name and never folded, trimmed or normalised.

use std::borrow::{Borrow, Cow};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The longest a [`Name`] may be, in bytes.
pub const NAME_MAX_BYTES: usize = 63;
/// The longest one word of a [`ToolName`] may be, in bytes.
pub const WORD_MAX_BYTES: usize = 31;
/// The most words a [`ToolName`] may have.
pub const WORDS_MAX: usize = 4;

/// Why a text is not a name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{given:?} is not a {what}: {rule}")]
pub struct Malformed {
    /// What was expected (`name`, `tool name`, `scope`, …).
    pub what: &'static str,
    /// The text as it was given, cut to 80 characters.
    pub given: String,
    /// The rule it breaks, in one sentence.
    pub rule: &'static str,
}

impl Malformed {
    pub(crate) fn new(what: &'static str, given: &str, rule: &'static str) -> Self {
        Self { what, given: given.chars().take(80).collect(), rule }
    }
}

/// The grammar of a [`Name`], as it is told to whoever breaks it.
pub const NAME_RULE: &str = "1 to 63 of a-z, 0-9 and single inner hyphens, starting with a letter";
/// The grammar of a [`ToolName`], as it is told to whoever breaks it.
pub const TOOL_NAME_RULE: &str =
    "1 to 4 words joined by dots, each a letter and then up to 30 of a-z, 0-9 and _";

/// A name: `[a-z][a-z0-9-]{0,62}`, no trailing and no doubled hyphen.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(Arc<str>);

/// A tool's name inside its server: one to four words `[a-z][a-z0-9_]{0,30}` joined by dots.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ToolName(Arc<str>);

pub(crate) fn is_name(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() <= NAME_MAX_BYTES
        && bytes.first().is_some_and(u8::is_ascii_lowercase)
        && bytes.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'-')
        && !text.ends_with('-')
        && !text.contains("--")
}

fn is_word(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() <= WORD_MAX_BYTES
        && bytes.first().is_some_and(u8::is_ascii_lowercase)
        && bytes.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'_')
}

pub(crate) fn is_tool_name(text: &str) -> bool {
    text.split('.').all(is_word) && text.split('.').count() <= WORDS_MAX
}

macro_rules! text_type {
    ($type:ident, $what:literal, $check:path, $rule:expr, $pattern:literal, $max:expr, $doc:literal) => {
        impl $type {
            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }
        impl FromStr for $type {
            type Err = Malformed;
            fn from_str(text: &str) -> Result<Self, Malformed> {
                if $check(text) {
                    Ok(Self(Arc::from(text)))
                } else {
                    Err(Malformed::new($what, text, $rule))
                }
            }
        }
        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
        impl fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:?}", &*self.0)
            }
        }
        impl Borrow<str> for $type {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
        impl AsRef<str> for $type {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                s.serialize_str(&self.0)
            }
        }
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                let text = Cow::<'de, str>::deserialize(d)?;
                text.parse().map_err(serde::de::Error::custom)
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
                    "type": "string", "pattern": $pattern, "maxLength": $max, "description": $doc
                })
            }
        }
    };
}
pub(crate) use text_type;

text_type!(
    Name,
    "name",
    is_name,
    NAME_RULE,
    "^[a-z](-?[a-z0-9])*$",
    NAME_MAX_BYTES,
    "A name: 1 to 63 of a-z, 0-9 and single inner hyphens, starting with a letter."
);
text_type!(
    ToolName,
    "tool name",
    is_tool_name,
    TOOL_NAME_RULE,
    r"^[a-z][a-z0-9_]{0,30}(\.[a-z][a-z0-9_]{0,30}){0,3}$",
    WORDS_MAX * (WORD_MAX_BYTES + 1) - 1,
    "A tool's name: 1 to 4 words of a-z, 0-9 and _ joined by dots."
);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_are_refused_and_never_folded() {
        let long = "a".repeat(64);
        for bad in [
            "",
            "Acme",
            "acm\u{435}",
            "a/b",
            "..",
            ".",
            "%2e",
            "acme ",
            " acme",
            "acme\n",
            "-a",
            "a-",
            "a--b",
            "1a",
            "a_b",
            "a.b",
            "ａcme",
            "acme\0",
            &long,
        ] {
            assert!(bad.parse::<Name>().is_err(), "{bad:?} must be refused");
        }
        for good in ["a", "acme", "shop-2", "a1-b2-c3", &"a".repeat(63)] {
            assert_eq!(good.parse::<Name>().map(|n| n.to_string()), Ok(good.to_owned()));
        }
    }

    #[test]
    fn tool_names_have_one_to_four_words() {
        for bad in ["", ".", "a.", ".a", "a..b", "A", "a-b", "a.b.c.d.e", "1a", "a b", "_a"] {
            assert!(bad.parse::<ToolName>().is_err(), "{bad:?} must be refused");
        }
        for good in ["lookup", "invoice.lookup", "a.b.c.d", "recent_for_customer"] {
            assert!(good.parse::<ToolName>().is_ok(), "{good:?} must be taken");
        }
    }

    proptest! {
        #[test]
        fn schema_pattern_and_parser_agree(text in "[a-zA-Z0-9_./ -]{0,12}") {
            let schema = serde_json::to_value(schemars::schema_for!(Name)).expect("serialises");
            let validator = jsonschema::validator_for(&schema).expect("compiles");
            let value = serde_json::Value::String(text.clone());
            prop_assert_eq!(validator.is_valid(&value), text.parse::<Name>().is_ok());
            let schema = serde_json::to_value(schemars::schema_for!(ToolName)).expect("serialises");
            let validator = jsonschema::validator_for(&schema).expect("compiles");
            prop_assert_eq!(validator.is_valid(&value), text.parse::<ToolName>().is_ok());
        }

        #[test]
        fn any_text_is_taken_whole_or_refused(text in "\\PC{0,70}") {
            if let Ok(name) = text.parse::<Name>() {
                prop_assert_eq!(name.as_str(), text);
            }
        }
    }
}
