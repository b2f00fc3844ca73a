//! Owns [`ActionSet`]. Invariant: it is a plain set; joining, cutting and comparing are one
//! instruction each, and its wire form is a list of words.

use std::borrow::Cow;
use std::fmt;
use std::ops::{BitAnd, BitOr, BitOrAssign, Sub};

use contract::Action;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A set of actions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ActionSet(u64);

const _: () = assert!(Action::ALL.len() <= 64, "an ActionSet has a bit for each action");

/// What only a person may do.
const PEOPLE: ActionSet = {
    let (mut bits, mut rest) = (0, Action::ALL);
    while let [first, tail @ ..] = rest {
        if first.users_only() {
            bits |= ActionSet::bit(*first);
        }
        rest = tail;
    }
    ActionSet(bits)
};

impl ActionSet {
    /// No action.
    pub const EMPTY: Self = Self(0);
    /// Every action.
    pub const ALL: Self = Self::of(Action::ALL);

    /// The set of these actions.
    pub const fn of(actions: &[Action]) -> Self {
        let (mut bits, mut rest) = (0, actions);
        while let [first, tail @ ..] = rest {
            bits |= Self::bit(*first);
            rest = tail;
        }
        Self(bits)
    }

    const fn bit(action: Action) -> u64 {
        1 << action as u32
    }

    pub(super) const fn without(self, actions: &[Action]) -> Self {
        Self(self.0 & !Self::of(actions).0)
    }

    pub(super) const fn with(self, actions: &[Action]) -> Self {
        Self(self.0 | Self::of(actions).0)
    }

    /// The set without what only a person may do.
    pub(crate) const fn for_machines(self) -> Self {
        Self(self.0 & !PEOPLE.0)
    }

    /// Whether the set has `action`.
    pub const fn has(self, action: Action) -> bool {
        self.0 & Self::bit(action) != 0
    }

    /// Whether the set has every action of `other`.
    pub const fn holds(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether the set has no action.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many actions the set has.
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// The actions, in the order of the role matrix.
    pub fn iter(self) -> impl Iterator<Item = Action> {
        Action::ALL.iter().copied().filter(move |action| self.has(*action))
    }
}

/// The union.
impl BitOr for ActionSet {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}
impl BitOrAssign for ActionSet {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}
/// The intersection.
impl BitAnd for ActionSet {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}
/// What is in the first and not in the second.
impl Sub for ActionSet {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}
impl FromIterator<Action> for ActionSet {
    fn from_iter<I: IntoIterator<Item = Action>>(actions: I) -> Self {
        actions.into_iter().fold(Self::EMPTY, |set, action| Self(set.0 | Self::bit(action)))
    }
}
impl fmt::Debug for ActionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(Action::as_str)).finish()
    }
}
impl fmt::Display for ActionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, action) in self.iter().enumerate() {
            write!(f, "{}{action}", if at == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}
impl Serialize for ActionSet {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_seq(self.iter())
    }
}
impl<'de> Deserialize<'de> for ActionSet {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        Ok(Vec::<Action>::deserialize(d)?.into_iter().collect())
    }
}
impl JsonSchema for ActionSet {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "ActionSet".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Vec::<Action>::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn set() -> impl Strategy<Value = ActionSet> {
        proptest::sample::subsequence(Action::ALL, 0..=Action::ALL.len())
            .prop_map(|actions| ActionSet::of(&actions))
    }

    proptest! {
        #[test]
        fn a_set_is_its_actions(a in set(), b in set()) {
            for action in Action::ALL.iter().copied() {
                prop_assert_eq!((a | b).has(action), a.has(action) || b.has(action));
                prop_assert_eq!((a & b).has(action), a.has(action) && b.has(action));
                prop_assert_eq!((a - b).has(action), a.has(action) && !b.has(action));
            }
            prop_assert_eq!(a.holds(b), (b - a).is_empty());
            prop_assert_eq!(a.iter().collect::<ActionSet>(), a);
            prop_assert_eq!(a.iter().count(), a.len() as usize);
        }

        #[test]
        fn the_wire_form_is_a_list_of_words(a in set()) {
            let wire = serde_json::to_string(&a).expect("serialises");
            prop_assert_eq!(serde_json::from_str::<ActionSet>(&wire).expect("parses"), a);
        }
    }

    #[test]
    fn an_action_that_is_not_known_is_refused() {
        assert!(serde_json::from_str::<ActionSet>(r#"["scope.read","scope.conquer"]"#).is_err());
    }
}
