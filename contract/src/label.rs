//! Owns labels: what content *is*. Invariant: labels are joined by union and there is no operation
//! that removes one.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::ops::{BitOr, BitOrAssign};

/// One label.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Label {
    /// Written by somebody who is not trusted: it may try to instruct whoever reads it.
    Untrusted,
    /// Says something about a person.
    Personal,
    /// Must not leave the platform.
    Confidential,
}

impl Label {
    /// Every label.
    pub const ALL: [Self; 3] = [Self::Untrusted, Self::Personal, Self::Confidential];

    /// The word used on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Untrusted => "untrusted",
            Self::Personal => "personal",
            Self::Confidential => "confidential",
        }
    }

    const fn bit(self) -> u8 {
        match self {
            Self::Untrusted => 1,
            Self::Personal => 2,
            Self::Confidential => 4,
        }
    }
}

/// A set of labels. Grows by union only.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Labels(u8);

impl Labels {
    /// No label.
    pub const NONE: Self = Self(0);

    /// The set of one label.
    pub const fn of(label: Label) -> Self {
        Self(label.bit())
    }

    /// Whether the set holds `label`.
    pub const fn has(self, label: Label) -> bool {
        self.0 & label.bit() != 0
    }

    /// Whether the set holds every label of `other`.
    pub const fn holds(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The set as bits, for a store: 1 untrusted, 2 personal, 4 confidential.
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// The set of these bits; bits that name no label are dropped.
    pub const fn from_bits(bits: u8) -> Self {
        Self(bits & 7)
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The labels, in a fixed order.
    pub fn iter(self) -> impl Iterator<Item = Label> {
        Label::ALL.into_iter().filter(move |label| self.has(*label))
    }
}

impl BitOr for Labels {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}
impl BitOrAssign for Labels {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}
impl FromIterator<Label> for Labels {
    fn from_iter<I: IntoIterator<Item = Label>>(labels: I) -> Self {
        labels.into_iter().fold(Self::NONE, |set, label| set | Self::of(label))
    }
}
impl fmt::Debug for Labels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
impl fmt::Display for Labels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<_> = self.iter().map(Label::as_str).collect();
        f.write_str(&words.join(", "))
    }
}
impl Serialize for Labels {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_seq(self.iter())
    }
}
impl<'de> Deserialize<'de> for Labels {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        Ok(Vec::<Label>::deserialize(d)?.into_iter().collect())
    }
}
impl JsonSchema for Labels {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Labels".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "array", "uniqueItems": true, "maxItems": 3,
            "items": { "type": "string", "enum": ["untrusted", "personal", "confidential"] },
            "description": "What the content is. Labels travel by union."
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_union_never_loses_a_label(a in 0_u8..8, b in 0_u8..8) {
            let (a, b) = (Labels(a), Labels(b));
            prop_assert!((a | b).holds(a) && (a | b).holds(b));
        }
    }

    #[test]
    fn the_wire_form_is_a_list_of_words() {
        let labels: Labels = [Label::Confidential, Label::Untrusted].into_iter().collect();
        let wire = serde_json::to_string(&labels).expect("serialises");
        assert_eq!(wire, r#"["untrusted","confidential"]"#);
        assert_eq!(serde_json::from_str::<Labels>(&wire).expect("parses"), labels);
        assert!(serde_json::from_str::<Labels>(r#"["secret"]"#).is_err());
    }
}
