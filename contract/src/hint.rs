//! Owns hints: what an answer teaches about the workflow. Invariant: a closed list; a hint never
//! changes what was answered.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! hints {
    ($($(#[doc = $doc:literal])+ $variant:ident = $text:literal;)+) => {
        /// The kinds of hint.
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
            JsonSchema,
        )]
        pub enum Kind { $($(#[doc = $doc])+ #[serde(rename = $text)] $variant),+ }

        impl Kind {
            /// Every hint.
            pub const ALL: &[Self] = &[$(Self::$variant),+];
            /// The word used on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }
            /// When it is given and what it means.
            pub const fn about(self) -> &'static str {
                match self { $(Self::$variant => concat!($($doc),+)),+ }
            }
        }
    };
}

hints! {
    /// The list goes on: send `cursor` to read the rest.
    MoreFollows = "more_follows";
    /// Nothing matched, or not all was looked through; says where else to look.
    LookElsewhere = "look_elsewhere";
    /// The result is above the inline limit: read it by slices through its handle.
    ReadBySlices = "read_by_slices";
    /// Values were masked because of their label.
    Masked = "masked";
    /// This call now makes the run hold the labels named.
    RunLabelled = "run_labelled";
    /// The same call was done before; this is its first answer.
    Repeated = "repeated";
    /// Nothing was done: this says what would have been.
    DryRun = "dry_run";
    /// The secret is shown this once and cannot be shown again.
    ShownOnce = "shown_once";
    /// What to do next, usually another verb.
    NextStep = "next_step";
    /// Several servers could answer; says which was chosen and why.
    ChosenPlace = "chosen_place";
    /// Search was by words alone: there is no vector to compare with.
    WordsOnly = "words_only";
    /// Some servers do not answer; says which and since when.
    NotAnswering = "not_answering";
}

/// A hint and what it says here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Hint {
    /// Which hint.
    pub hint: Kind,
    /// What it says, in a sentence.
    pub say: String,
}

impl Hint {
    /// A hint that says `say`.
    pub fn new(hint: Kind, say: impl Into<String>) -> Self {
        Self { hint, say: say.into() }
    }
}
