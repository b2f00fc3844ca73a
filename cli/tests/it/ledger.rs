//! Saving an export, and verifying one offline.

use contract::{Answer, Envelope};
use data_plane::ledger::chain::{Chain, genesis};
use data_plane::ledger::checkpoint::{Note, Signer};
use data_plane::ledger::export::{
    Header, Role, Row, Stretch, write_checkpoint, write_entry, write_header,
};
use data_plane::ledger::merkle::Frontier;
use serde_json::json;

use super::run::Home;
use super::stand_in::StandIn;

const ORIGIN: &str = "bw.example/ledger/acme";

/// An export of three entries; its key; its tree.
fn export() -> (String, String, String) {
    let signer = Signer::from_seed(ORIGIN, &[1; 32]).expect("a key");
    let mut chain = Chain::new("acme");
    let mut entries = Vec::new();
    for n in 0..3 {
        let body = json!({ "kind": "ruling", "id": format!("ruling-{n}"), "verdict": "allow" });
        entries.push(chain.append_value(1_000 + n, body).expect("an entry"));
    }
    let note = Note::sign(chain.checkpoint(ORIGIN), &signer);
    let stretch = Stretch { prev: genesis("acme"), before: Frontier::default(), next_seq: 3 };
    let keys = [(signer.key().clone(), Role::Worker)];
    let mut out = Vec::new();
    write_header(&mut out, &Header::new("acme", ORIGIN, &stretch, 1, &keys)).expect("writes");
    for entry in &entries {
        write_entry(&mut out, Row::from(entry)).expect("writes");
    }
    write_checkpoint(&mut out, &note).expect("writes");
    let text = String::from_utf8(out).expect("text");
    (text, signer.key().to_base64(), format!("3:{}", chain.root()))
}

#[test]
fn a_good_export_holds_against_what_was_known_before() {
    let (text, key, tree) = export();
    let home = Home::new();
    let file = home.file("acme.jsonl", &text, 0o600);
    let ran = home.run(&["ledger", "verify", &file]);
    assert_eq!(ran.code, 0, "{ran:?}");
    for said in ["acme", "ruling 3", "ruling-0", "sha256:", &tree] {
        assert!(ran.out.contains(said), "{said}: {}", ran.out);
    }
    let ran = home.run(&["ledger", "verify", &file, "--key", &key, "--tree", &tree, "--json"]);
    assert_eq!((ran.code, ran.json()["holds"].clone()), (0, json!(true)), "{ran:?}");
    assert_eq!(ran.json()["report"]["entries"], 3);
    assert_eq!(home.run_with(&["ledger", "verify", "-"], &text).code, 0);
}

#[test]
fn one_changed_byte_is_named_by_its_line() {
    let (text, ..) = export();
    let harmed = text.replacen("ruling-1", "ruling-9", 1);
    let home = Home::new();
    let ran = home.run_with(&["ledger", "verify", "-", "--json"], &harmed);
    assert_eq!(ran.code, 1, "{ran:?}");
    let body = ran.json();
    assert_eq!((&body["holds"], &body["line"]), (&json!(false), &json!(3)));
    assert!(!body["reasons"].as_array().expect("reasons").is_empty());
    let ran = home.run_with(&["ledger", "verify", "-"], &harmed);
    assert!(ran.code == 1 && ran.out.starts_with("does not hold: line 3: "), "{ran:?}");
    let cut: String = text.split_inclusive('\n').take(3).collect();
    assert_eq!(home.run_with(&["ledger", "verify", "-"], &cut).code, 1);
}

#[test]
fn another_key_or_tree_than_was_known_is_not_good() {
    let (text, _, tree) = export();
    let home = Home::new();
    let other = "11".repeat(32);
    let ran = home.run_with(&["ledger", "verify", "-", "--key", &other], &text);
    assert_eq!(ran.code, 1, "{ran:?}");
    let other = format!("3:{other}");
    assert_ne!(other, tree);
    assert_eq!(home.run_with(&["ledger", "verify", "-", "--tree", &other], &text).code, 1);
}

#[test]
fn wrong_use_is_refused_together() {
    let home = Home::new();
    let words = ["ledger", "verify", "none", "--key", "x", "--tree", "3", "--json"];
    let ran = home.run(&words);
    assert_eq!((ran.code, ran.faults()), (2, ["key", "tree", "FILE"].map(str::to_owned).to_vec()));
}

fn part(text: &str, cursor: Option<&str>) -> (&'static str, String) {
    let mut result = json!({ "text": text });
    if let Some(cursor) = cursor {
        result["cursor"] = json!(cursor);
    }
    ("200 OK", Answer::from(Envelope::of(result)).body().to_string())
}

#[test]
fn an_export_is_saved_in_parts_and_is_whole_or_absent() {
    let (text, key, tree) = export();
    let (first, second) = text.split_at(text.len() / 2);
    let service = StandIn::answering(vec![part(first, Some("1.3")), part(second, None)]);
    let home = Home::calling(&service.url);
    let ran = home.run(&["ledger", "save", "acme.jsonl"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(std::fs::read_to_string(home.path("acme.jsonl")).expect("saved"), text);
    assert!(ran.out.contains(&key) && ran.out.contains(&tree), "{}", ran.out);
    assert_eq!(service.sent().line, "GET /v1/ledger/export HTTP/1.1");
    assert_eq!(service.sent().line, "GET /v1/ledger/export?cursor=1.3 HTTP/1.1");

    let before = std::fs::read(home.path("acme.jsonl")).expect("reads");
    let ran = home.run(&["ledger", "save", "acme.jsonl", "--json"]);
    assert_eq!((ran.code, ran.faults()), (2, vec!["FILE".to_owned()]), "{ran:?}");
    assert_eq!(std::fs::read(home.path("acme.jsonl")).expect("reads"), before);
    let service = StandIn::answering(vec![part(&text, None)]);
    let replacing = ["ledger", "save", "acme.jsonl", "--force", "--url", &service.url];
    assert_eq!(home.run(&replacing).code, 0);

    let gone = ("503 Service Unavailable", Answer::unavailable("worker", 5).body().to_string());
    let service = StandIn::answering(vec![part(first, Some("1.3")), gone]);
    let home = Home::calling(&service.url);
    assert_eq!(home.run(&["ledger", "save", "acme.jsonl"]).code, 3);
    let left = std::fs::read_dir(home.path(".")).expect("reads").count();
    assert_eq!(left, 0, "nothing is left");
}

#[test]
fn an_export_goes_to_standard_output_as_it_is() {
    let (text, ..) = export();
    let service = StandIn::answering(vec![part(&text, None)]);
    let ran = Home::calling(&service.url).run(&["ledger", "save", "-"]);
    assert_eq!((ran.code, ran.out), (0, text));
}
