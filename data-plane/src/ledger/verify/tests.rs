mod faults;
mod harm;

use std::io::{self, BufReader, Read};

use serde_json::{Value, json};

use super::*;
use crate::ledger::chain::Chain;
use crate::ledger::checkpoint::{Key, Note, Signer};
use crate::ledger::entry::{Entry, Error as EntryError};
use crate::ledger::export::{Header, Row, Stretch, write_checkpoint, write_entry, write_header};

const ORIGIN: &str = "bw.example/ledger/acme";

fn worker() -> Signer {
    Signer::from_seed(ORIGIN, &[1; 32]).unwrap()
}

fn control() -> Signer {
    Signer::from_seed("bw.example/control-plane", &[2; 32]).unwrap()
}

/// A ledger whose checkpoints are countersigned at `marks`, and the worker's alone at the end.
struct Ledger {
    entries: Vec<Entry>,
    chains: Vec<Chain>,
}

impl Ledger {
    fn new(count: u64) -> Self {
        let mut chains = vec![Chain::new("acme")];
        let mut entries = Vec::new();
        for n in 0..count {
            let mut chain = chains.last().unwrap().clone();
            let at_ms = 1000 + i64::try_from(n).unwrap();
            entries.push(chain.append_value(at_ms, body(n)).unwrap());
            chains.push(chain);
        }
        Self { entries, chains }
    }

    fn note(&self, size: usize, countersigned: bool) -> Note {
        let mut note = Note::sign(self.chains[size].checkpoint(ORIGIN), &worker());
        if countersigned {
            note.countersign(&control());
        }
        note
    }

    /// The export from entry `first` on, with a countersigned checkpoint after every `step`-th.
    fn export(&self, first: usize, step: usize) -> String {
        let end = self.entries.len();
        let marks: Vec<usize> = (first + 1..end).filter(|size| size % step == 0).collect();
        let stretch = Stretch {
            prev: self.chains[first].head(),
            before: self.chains[first].frontier().clone(),
            next_seq: end as u64,
        };
        let mut keys = vec![(worker().key().clone(), Role::Worker)];
        if !marks.is_empty() {
            keys.push((control().key().clone(), Role::ControlPlane));
        }
        let header = Header::new("acme", ORIGIN, &stretch, marks.len() as u64 + 1, &keys);
        let mut out = Vec::new();
        write_header(&mut out, &header).unwrap();
        for (index, entry) in self.entries.iter().enumerate().skip(first) {
            write_entry(&mut out, Row::from(entry)).unwrap();
            if marks.contains(&(index + 1)) {
                write_checkpoint(&mut out, &self.note(index + 1, true)).unwrap();
            }
        }
        write_checkpoint(&mut out, &self.note(end, false)).unwrap();
        String::from_utf8(out).unwrap()
    }
}

fn body(n: u64) -> Value {
    match n % 4 {
        0 => json!({"kind": "ruling", "id": format!("r{n}"), "verdict": "allow"}),
        1 => json!({"kind": "outcome", "ruling": format!("r{}", n - 1), "status": "ok"}),
        2 => json!({"kind": "ruling", "id": format!("r{n}"), "verdict": "block", "check": "é→"}),
        _ => json!({"kind": "administration", "verb": "grant.create", "revision": n}),
    }
}

fn check(text: impl AsRef<[u8]>) -> Result<Report, Error> {
    verify(text.as_ref(), &Pins::default())
}

/// Line and reason, as one word to compare with.
fn refusal(text: impl AsRef<[u8]>) -> (u64, String) {
    let error = check(text).unwrap_err();
    let reason = format!("{:?}", error.reason);
    let word = reason.split(|c: char| !c.is_alphanumeric()).next().unwrap();
    (error.line, word.to_owned())
}

#[test]
fn a_whole_export_holds_and_is_reported() {
    let ledger = Ledger::new(10);
    let report = check(ledger.export(0, 4)).unwrap();
    assert_eq!((report.first_seq, report.next_seq, report.entries), (0, 10, 10));
    assert_eq!((report.first_at_ms, report.last_at_ms), (Some(1000), Some(1009)));
    assert_eq!(report.head, ledger.entries[9].hash());
    assert_eq!(report.root, ledger.chains[10].root());
    assert_eq!((report.identity.as_str(), report.origin.as_str()), ("acme", ORIGIN));
    let kinds: Vec<(&str, u64)> = report.kinds.iter().map(|(k, n)| (k.as_str(), *n)).collect();
    assert_eq!(kinds, [("administration", 2), ("outcome", 3), ("ruling", 5)]);
    assert_eq!((report.open_rulings, report.stray_outcomes), (0, 0));
    let signed = |signer: &Signer, role, checkpoints, up_to_seq| SignedBy {
        name: signer.key().name().to_owned(),
        role,
        fingerprint: signer.key().fingerprint(),
        checkpoints,
        up_to_seq,
    };
    assert_eq!(
        report.signed_by,
        [signed(&control(), Role::ControlPlane, 2, 8), signed(&worker(), Role::Worker, 3, 10)]
    );
}

#[test]
fn an_export_that_begins_in_the_middle_holds() {
    let ledger = Ledger::new(13);
    for first in 0..13 {
        let report = check(ledger.export(first, 4)).unwrap();
        assert_eq!(report.entries, 13 - first as u64);
        assert_eq!(
            (report.head, report.root),
            (ledger.chains[13].head(), ledger.chains[13].root())
        );
    }
    let cut_in_two = check(ledger.export(9, 100)).unwrap();
    assert_eq!((cut_in_two.stray_outcomes, cut_in_two.open_rulings), (1, 1));
    assert_eq!(cut_in_two.open_rulings_first, [OpenRuling { seq: 12, id: "r12".to_owned() }]);
    assert_eq!(check(Ledger::new(0).export(0, 1)).unwrap().entries, 0);
}

#[test]
fn a_forged_entry_is_caught_by_the_next_or_by_the_root() {
    let ledger = Ledger::new(6);
    let good = ledger.export(0, 100);
    let lines: Vec<&str> = good.lines().collect();
    let forge = |at: usize| {
        let old = &ledger.entries[at];
        let forged = Entry::new(old.seq(), old.at_ms(), old.prev(), json!({"kind": "forged"}));
        let mut line = Vec::new();
        write_entry(&mut line, Row::from(&forged.unwrap())).unwrap();
        good.replace(&format!("{}\n", lines[at + 1]), &String::from_utf8(line).unwrap())
    };
    assert_eq!(refusal(forge(2)), (5, "Chain".to_owned()));
    assert_eq!(refusal(forge(5)), (8, "Root".to_owned()));
}

#[test]
fn a_chain_resigned_by_another_key_is_caught_by_the_pin_alone() {
    let ledger = Ledger::new(3);
    let forger = Signer::from_seed(ORIGIN, &[66; 32]).unwrap();
    let forged = ledger
        .export(0, 100)
        .replace(&worker().key().to_base64(), &forger.key().to_base64())
        .replace(
            &serde_json::to_string(&ledger.note(3, false).text()).unwrap(),
            &serde_json::to_string(
                &Note::sign(ledger.chains[3].checkpoint(ORIGIN), &forger).text(),
            )
            .unwrap(),
        );
    assert!(check(&forged).is_ok());
    let pins = Pins { key: Some(*worker().key().public()), tree: None };
    let error = verify(forged.as_bytes(), &pins).unwrap_err();
    assert!(matches!(error.reason, Reason::PinnedKey));
    assert!(verify(ledger.export(0, 100).as_bytes(), &pins).is_ok());
    // Having countersigned an earlier checkpoint is not having signed the last.
    let pins = Pins { key: Some(*control().key().public()), tree: None };
    assert!(verify(ledger.export(0, 2).as_bytes(), &pins).is_err());
}

#[test]
fn a_fork_and_a_rollback_show_against_a_checkpoint_known_before() {
    let ledger = Ledger::new(9);
    let pins = |size: u64, root| Pins { key: None, tree: Some((size, root)) };
    for size in 0..=9 {
        let pins = pins(size as u64, ledger.chains[size].root());
        assert!(verify(ledger.export(0, 4).as_bytes(), &pins).is_ok(), "{size}");
        assert_eq!(verify(ledger.export(5, 4).as_bytes(), &pins).is_ok(), size >= 5, "{size}");
    }
    let forked = pins(4, ledger.chains[5].root());
    let error = verify(ledger.export(0, 4).as_bytes(), &forked).unwrap_err();
    assert!(
        matches!((error.line, &error.reason), (5, Reason::PinnedTree { size: 4 })),
        "{error:?}"
    );
    let rolled_back = pins(10, ledger.chains[9].root());
    let error = verify(ledger.export(0, 4).as_bytes(), &rolled_back).unwrap_err();
    assert!(matches!(error.reason, Reason::PinnedTreeOutside { size: 10 }));
}

#[test]
fn every_checkpoint_needs_the_worker_and_every_key_a_signature() {
    let ledger = Ledger::new(2);
    let good = ledger.export(0, 100);
    let old = serde_json::to_string(&ledger.note(2, false).text()).unwrap();
    let resigned = |note: &Note| good.replace(&old, &serde_json::to_string(&note.text()).unwrap());
    let with_control_key = |text: String| {
        let key = format!(
            r#""keys":[{{"name":"bw.example/control-plane","public_key_b64":"{}","role":"control_plane"}},"#,
            control().key().to_base64()
        );
        text.replace(r#""keys":["#, &key)
    };
    assert_eq!(refusal(with_control_key(good.clone())), (5, "KeyIdle".to_owned()));
    let by_control = Note::sign(ledger.chains[2].checkpoint(ORIGIN), &control());
    assert_eq!(refusal(with_control_key(resigned(&by_control))), (4, "NoWorker".to_owned()));
    let mut note = ledger.note(2, true);
    assert!(check(with_control_key(resigned(&note))).is_ok());
    note.signatures.reverse();
    assert_eq!(refusal(with_control_key(resigned(&note))), (4, "SignatureOrder".to_owned()));
    note.signatures = vec![note.signatures[0].clone(), note.signatures[0].clone()];
    assert_eq!(refusal(resigned(&note)), (4, "SignatureOrder".to_owned()));
    let key = format!(
        r#"{{"name":"{ORIGIN}","public_key_b64":"{}","role":"worker"}}"#,
        worker().key().to_base64()
    );
    let doubled = good.replace(&key, &format!("{key},{key}"));
    assert_eq!(refusal(doubled), (1, "KeyOrder".to_owned()));
}

#[test]
fn another_identitys_chain_does_not_pass_under_this_name() {
    let good = Ledger::new(3).export(0, 100);
    assert_eq!(refusal(good.replace("acme", "globex")), (1, "Genesis".to_owned()));
    // From the middle the genesis is out of sight, and the signature over the origin stands in.
    let middle = Ledger::new(3).export(1, 100);
    assert_eq!(refusal(middle.replace("acme", "globex")), (4, "UnknownSigner".to_owned()));
}

#[test]
fn a_line_without_end_is_not_held_in_memory() {
    let endless = BufReader::new(io::repeat(b'a'));
    let error = verify(endless, &Pins::default()).unwrap_err();
    assert!(matches!((error.line, error.reason), (1, Reason::LineTooLong { .. })));
    let good = Ledger::new(1).export(0, 1);
    let error = verify(good.as_bytes().chain(Failing), &Pins::default());
    assert!(matches!(error.unwrap_err().reason, Reason::Read(_)));
}

struct Failing;

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other("gone"))
    }
}

impl BufRead for Failing {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        Err(io::Error::other("gone"))
    }

    fn consume(&mut self, _: usize) {}
}

#[test]
fn whatever_can_be_appended_can_be_verified() {
    let mut deepest = json!(1);
    for _ in 0..contract::canonical::DEPTH_MAX - 2 {
        deepest = json!([deepest]);
    }
    let longest = "\u{1}".repeat(crate::ledger::entry::BODY_MAX_BYTES / 6 - 40);
    let mut chain = Chain::new("acme");
    let deeper = json!({"kind": "note", "deep": [deepest]});
    assert!(matches!(chain.append_value(0, deeper), Err(EntryError::Canonical(_))));
    let entries: Vec<Entry> = [
        json!({"kind": "note", "deep": deepest}),
        json!({"kind": "note", "text": longest, "n": [0.1, 1e300, -5e-324, 9_007_199_254_740_992_u64]}),
    ]
    .map(|body| chain.append_value(0, body).unwrap())
    .into();
    let before = Chain::new("acme");
    let stretch = Stretch { prev: before.head(), before: before.frontier().clone(), next_seq: 2 };
    let keys: [(Key, Role); 1] = [(worker().key().clone(), Role::Worker)];
    let mut out = Vec::new();
    write_header(&mut out, &Header::new("acme", ORIGIN, &stretch, 1, &keys)).unwrap();
    for entry in &entries {
        write_entry(&mut out, Row::from(entry)).unwrap();
    }
    write_checkpoint(&mut out, &Note::sign(chain.checkpoint(ORIGIN), &worker())).unwrap();
    assert_eq!(check(out).unwrap().entries, 2);
}
