//! The contract as it is committed: `openapi.json` and `tools.json` beside the crate. `UPDATE=1 cargo
//! test -p contract --test it` writes them anew.
//!
//! Neither is written, nor let stand, if it breaks a caller of the version before and the changelog
//! does not name the verb. The version before is the commit's that is built upon (`HEAD`, or what
//! `CONTRACT_BASE` names, as a change of several commits asks for); where there is no git, the file.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use contract::render::{mcp, openapi};
use serde_json::Value;

use crate::breaking::{Break, of_openapi, of_tools, unannounced};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The file as the commit before has it.
fn before(name: &str) -> Option<Value> {
    let base = std::env::var("CONTRACT_BASE").unwrap_or_else(|_| "HEAD".to_owned());
    let mut git = Command::new("git");
    git.current_dir(folder()).args(["-c", "safe.directory=*", "show"]);
    let shown = git.arg(format!("{base}:./{name}")).output().ok()?;
    shown.status.success().then(|| serde_json::from_slice(&shown.stdout).ok())?
}

fn committed(name: &str, made: &Value, breaks: fn(&Value, &Value) -> BTreeSet<Break>) {
    let file = folder().join(name);
    let text = fs::read_to_string(&file).unwrap_or_default();
    let older = before(name).or_else(|| serde_json::from_str(&text).ok());
    let found = older.map(|older| breaks(&older, made)).unwrap_or_default();
    let changelog = Path::new(&folder()).join("../CHANGELOG.md");
    let changelog = fs::read_to_string(changelog).expect("the changelog");
    let open = unannounced(&found, &changelog);
    let told: Vec<_> = open.iter().map(|one| format!("  {one}")).collect();
    assert!(
        open.is_empty(),
        "contract/{name} breaks callers of the version before:\n{}\nTake it back, or name each under \
         `### Breaking` in the unreleased part of CHANGELOG.md.",
        told.join("\n"),
    );
    let made = format!("{made:#}\n");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&file, &made).expect("the document is written");
        return;
    }
    let line = |(at, (committed, made)): (usize, (&str, &str))| {
        (committed != made).then(|| format!("line {}: {committed:?}, now {made:?}", at + 1))
    };
    assert!(
        text == made,
        "contract/{name} is not what the contract makes ({}); write it anew: UPDATE=1 cargo test -p \
         contract --test it",
        text.lines()
            .zip(made.lines())
            .enumerate()
            .find_map(line)
            .unwrap_or_else(|| "one of the two is longer".to_owned()),
    );
}

#[test]
fn the_openapi_document_is_the_committed_one_and_breaks_nobody_in_silence() {
    committed("openapi.json", &openapi::document().expect("can be written"), of_openapi);
}

#[test]
fn the_mcp_tools_are_the_committed_ones_and_break_nobody_in_silence() {
    committed("tools.json", &mcp::document(), of_tools);
}
