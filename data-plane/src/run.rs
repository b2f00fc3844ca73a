//! Owns runs: one piece of an agent's work, and the labels of everything it has read. Invariant: a
//! run's labels only grow while the run lives, in memory before they are on the disk, and no caller
//! can name a run that is not their own.

mod packs;
mod store;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use contract::id::{self, Id};
use contract::{Labels, Scope, Timestamp};
use sha2::{Digest, Sha256};
use tenancy::authority::Caller;

use crate::content::detect::Span;
use crate::content::mask::{self, MaskKey, Masked, Numbering};

pub(crate) use packs::{Bound, Keeping, Packs, TOKENS_MAX};
pub(crate) use store::{Ended, Labelled, Numbered, Started, by_id, default_of, labels_of, page};

/// How many sources of a run's labels are remembered.
pub(crate) const SOURCES_MAX: usize = 32;
/// How many clean values of a run are remembered.
const CLEAN_MAX: usize = 4096;

/// A run as it is stored.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    /// Its id.
    pub(crate) id: Id<id::Run>,
    /// Whose it is.
    pub(crate) principal: Id<id::Principal>,
    /// The token that started it.
    pub(crate) token: Option<Id<id::Token>>,
    /// The run it was started from.
    pub(crate) parent: Option<Id<id::Run>>,
    /// The home scope of the token that started it.
    pub(crate) scope: Scope,
    /// What it is for.
    pub(crate) title: String,
    /// The labels it holds.
    pub(crate) labels: Labels,
    /// What first brought a label.
    pub(crate) sources: Vec<String>,
    /// Whether calls that name no run belong to it.
    pub(crate) default: bool,
    /// Whether it was started without labels by whoever may: what its principal has read elsewhere
    /// is not in it, and what is read in it is in no other.
    pub(crate) clean: bool,
    /// The packs it keeps for the tokens that call in it.
    pub(crate) packs: Packs,
    /// When it was started.
    pub(crate) started: Timestamp,
    /// When it ended.
    pub(crate) ended: Option<Timestamp>,
    /// Keys its placeholders.
    pub(crate) mask_key: [u8; 32],
    /// Which value has which placeholder.
    pub(crate) numbering: Numbering,
}

impl Record {
    /// The run as the contract answers it.
    pub(crate) fn answer(&self) -> contract::verbs::run::Run {
        contract::verbs::run::Run {
            id: self.id,
            principal: self.principal,
            parent: self.parent,
            scope: self.scope.clone(),
            title: self.title.clone(),
            labels: self.labels,
            sources: self.sources.clone(),
            default: self.default,
            started: self.started,
            ended: self.ended,
        }
    }
}

/// What a run gathers while it lives.
#[derive(Debug)]
struct Gathered {
    labels: Labels,
    sources: Vec<String>,
    ended: Option<Timestamp>,
    /// Digests of values that typed extraction declared clean.
    clean: HashSet<[u8; 32]>,
    packs: Packs,
    numbering: Numbering,
    /// How many placeholders are stored.
    numbered: usize,
}

/// A run in memory.
#[derive(Debug)]
pub(crate) struct Run {
    record: Record,
    mask_key: MaskKey,
    gathered: Mutex<Gathered>,
}

impl Run {
    /// The run of a stored record.
    pub(crate) fn of(record: Record) -> Self {
        let gathered = Gathered {
            labels: record.labels,
            sources: record.sources.clone(),
            ended: record.ended,
            clean: HashSet::new(),
            packs: record.packs.clone(),
            numbered: record.numbering.len(),
            numbering: record.numbering.clone(),
        };
        Self { mask_key: MaskKey::new(&record.mask_key), record, gathered: Mutex::new(gathered) }
    }

    fn gathered(&self) -> std::sync::MutexGuard<'_, Gathered> {
        self.gathered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Its id.
    pub(crate) const fn id(&self) -> Id<id::Run> {
        self.record.id
    }

    /// Whose it is.
    pub(crate) const fn principal(&self) -> Id<id::Principal> {
        self.record.principal
    }

    /// Its record, with what it has gathered since.
    pub(crate) fn record(&self) -> Record {
        let gathered = self.gathered();
        let mut record = self.record.clone();
        record.labels = gathered.labels;
        record.sources.clone_from(&gathered.sources);
        record.ended = gathered.ended;
        record
    }

    /// The labels it holds now.
    pub(crate) fn labels(&self) -> Labels {
        self.gathered().labels
    }

    /// The run it was started from.
    pub(crate) const fn parent(&self) -> Option<Id<id::Run>> {
        self.record.parent
    }

    /// Whether a call by this token may name it: a clean run is its own token's, since what another
    /// token's holder has read is not in it.
    pub(crate) fn named_by(&self, principal: Id<id::Principal>, token: Id<id::Token>) -> bool {
        self.record.principal == principal
            && (!self.record.clean || self.record.token == Some(token))
    }

    /// Whether it was started without labels by whoever may.
    pub(crate) const fn clean(&self) -> bool {
        self.record.clean
    }

    /// Whether calls that name no run belong to it.
    pub(crate) const fn default(&self) -> bool {
        self.record.default
    }

    /// Whether it has ended.
    pub(crate) fn ended(&self) -> bool {
        self.gathered().ended.is_some()
    }

    /// Marks it as ended.
    pub(crate) fn end(&self, at: Timestamp) {
        self.gathered().ended.get_or_insert(at);
    }

    /// Adds labels that `source` brought. Answers the change to store if there was one.
    pub(crate) fn label(&self, labels: Labels, source: &str) -> Option<Labelled> {
        let mut gathered = self.gathered();
        if gathered.labels.holds(labels) {
            return None;
        }
        gathered.labels |= labels;
        if gathered.sources.len() < SOURCES_MAX {
            gathered.sources.push(source.to_owned());
        }
        Some(Labelled {
            run: self.record.id,
            labels: gathered.labels,
            sources: gathered.sources.clone(),
        })
    }

    /// What it keeps for the tokens of a caller, from now on if nothing is kept yet. `None` when it is
    /// full.
    pub(crate) fn bind(&self, caller: &Caller<'_>) -> Option<Bound> {
        let stands = |token| caller.view().stands(token);
        self.gathered().packs.bind(self.record.id, caller, stands)
    }

    /// Marks what it keeps as stored.
    pub(crate) fn bound(&self, change: &Keeping) {
        self.gathered().packs.stored(change);
    }

    /// The packs it keeps.
    pub(crate) fn packs(&self) -> Packs {
        self.gathered().packs.clone()
    }

    /// Remembers a value that typed extraction declared clean.
    pub(crate) fn add_clean(&self, value: &serde_json::Value) {
        let mut gathered = self.gathered();
        if gathered.clean.len() < CLEAN_MAX {
            gathered.clean.insert(value_digest(value));
        }
    }

    /// Whether every value in `arguments` is one that typed extraction declared clean, or a flag.
    pub(crate) fn all_clean(&self, arguments: &serde_json::Value) -> bool {
        let gathered = self.gathered();
        let clean = |leaf: &serde_json::Value| gathered.clean.contains(&value_digest(leaf));
        // A flag is one bit; a list of them spells whatever one likes.
        let flag = |value: &serde_json::Value| value.is_boolean() || value.is_null();
        arguments.as_object().is_none_or(|named| {
            named.values().all(|value| flag(value) || leaves_all(value, &clean))
        })
    }

    /// The change that stores this run's placeholders, if there are new ones.
    pub(crate) fn numbered(&self) -> Option<Numbered> {
        let mut gathered = self.gathered();
        let count = gathered.numbering.len();
        if count == gathered.numbered {
            return None;
        }
        gathered.numbered = count;
        Some(Numbered { run: self.record.id, numbering: gathered.numbering.clone() })
    }

    /// A text with its spans replaced by this run's placeholders.
    pub(crate) fn mask(&self, text: &str, spans: &[Span]) -> Masked {
        mask::mask(text, spans, &self.mask_key, &mut self.gathered().numbering)
    }
}

fn value_digest(value: &serde_json::Value) -> [u8; 32] {
    // A number and the text of its digits are one value: an id read as a number is sent as text.
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    Sha256::digest(text.as_bytes()).into()
}

/// Whether every value passes the test. The names of the arguments themselves are the declaration's;
/// the names inside them are whatever the caller wrote, and are values too.
fn leaves_all(value: &serde_json::Value, test: &impl Fn(&serde_json::Value) -> bool) -> bool {
    if let Some(items) = value.as_array() {
        return items.iter().all(|item| leaves_all(item, test));
    }
    if let Some(map) = value.as_object() {
        let name = |name: &String| test(&serde_json::Value::String(name.clone()));
        return map.iter().all(|(key, item)| name(key) && leaves_all(item, test));
    }
    test(value)
}

/// The runs in memory, at most [`KNOWN_MAX`].
#[derive(Debug, Default)]
pub(crate) struct Known(Mutex<Runs>);

#[derive(Debug, Default)]
struct Runs {
    all: BTreeMap<Id<id::Run>, Arc<Run>>,
    /// The default runs among them.
    defaults: HashMap<Id<id::Principal>, Id<id::Run>>,
}

/// How many runs are kept in memory. The oldest ended ones go first, then the oldest.
const KNOWN_MAX: usize = 10_000;

impl Known {
    fn runs(&self) -> std::sync::MutexGuard<'_, Runs> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The run of that id, if it is in memory.
    pub(crate) fn get(&self, run: Id<id::Run>) -> Option<Arc<Run>> {
        self.runs().all.get(&run).cloned()
    }

    /// The live default run of a principal, if it is in memory.
    pub(crate) fn default_of(&self, principal: Id<id::Principal>) -> Option<Arc<Run>> {
        let runs = self.runs();
        let run = runs.all.get(runs.defaults.get(&principal)?)?;
        (!run.ended()).then(|| Arc::clone(run))
    }

    /// Keeps a run, or answers the one that is kept already, whose labels may be newer.
    pub(crate) fn keep(&self, run: Run) -> Arc<Run> {
        let mut runs = self.runs();
        if runs.all.len() >= KNOWN_MAX {
            // A run that some call still holds must stay: a second copy of it would miss labels.
            let out = runs
                .all
                .iter()
                .filter(|(_, run)| Arc::strong_count(run) == 1)
                .min_by_key(|(id, run)| (!run.ended(), **id))
                .map(|(id, _)| *id);
            if let Some(out) = out.and_then(|out| runs.all.remove(&out)) {
                let of = out.principal();
                if runs.defaults.get(&of) == Some(&out.id()) {
                    runs.defaults.remove(&of);
                }
            }
        }
        if run.record.default && !run.ended() {
            runs.defaults.insert(run.principal(), run.id());
        }
        Arc::clone(runs.all.entry(run.id()).or_insert_with(|| Arc::new(run)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn run() -> Run {
        Run::of(Record {
            id: contract::sample::id(1),
            principal: contract::sample::id(2),
            token: None,
            parent: None,
            scope: "acme".parse().expect("a scope"),
            title: String::new(),
            labels: Labels::NONE,
            sources: Vec::new(),
            default: true,
            clean: false,
            packs: Packs::default(),
            started: Timestamp::from_ms(0),
            ended: None,
            mask_key: [7; 32],
            numbering: Numbering::default(),
        })
    }

    #[test]
    fn only_clean_values_and_flags_are_clean_whatever_surrounds_them() {
        let run = run();
        run.add_clean(&json!(412));
        assert!(run.all_clean(&json!({ "number": 412, "flag": true, "deep": [412, "412"] })));
        assert!(!run.all_clean(&json!({ "bits": [true, false, true] })));
        assert!(!run.all_clean(&json!({ "deep": { "a name that says something": true } })));
        assert!(!run.all_clean(&json!({ "number": 413 })));
        assert!(!run.all_clean(&json!({ "number": 412, "note": "412 and some text" })));
    }

    proptest! {
        #[test]
        fn no_sequence_of_labels_lowers_what_a_run_holds(bits in prop::collection::vec(0_usize..4, 0..20)) {
            let run = run();
            let mut held = Labels::NONE;
            for bit in bits {
                let labels = contract::Label::ALL.get(bit).map_or(Labels::NONE, |label| Labels::of(*label));
                run.label(labels, "shop/tickets.ticket.get");
                prop_assert!(run.labels().holds(held | labels));
                held = run.labels();
            }
        }
    }
}
