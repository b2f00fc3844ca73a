//! Owns [`Effect`]: what a call does to the world. Invariant: there is no effect that means "not
//! known"; a tool without one is unclassified (`Option::None`) and is refused.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::action::Action;

/// What a call does to the world, in rising order of harm.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Changes nothing.
    Read,
    /// Changes something that can be changed back.
    Write,
    /// Removes or overwrites something for good.
    Destructive,
    /// Moves money or promises to.
    Financial,
}

impl Effect {
    /// Every effect.
    pub const ALL: [Self; 4] = [Self::Read, Self::Write, Self::Destructive, Self::Financial];

    /// The word used on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Destructive => "destructive",
            Self::Financial => "financial",
        }
    }

    /// The action a caller needs at the target scope to call a tool with this effect.
    pub const fn action(self) -> Action {
        match self {
            Self::Read => Action::CallRead,
            Self::Write => Action::CallWrite,
            Self::Destructive => Action::CallDestructive,
            Self::Financial => Action::CallFinancial,
        }
    }
}
