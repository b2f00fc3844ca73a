//! Style as a test: crate edges, sizes, module headers, and words that stand nowhere. Owns the rules
//! that neither the compiler nor clippy knows.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Which crate of ours may depend on which. What is not drawn here is refused.
const EDGES: [(&str, &[&str]); 7] = [
    ("contract", &[]),
    ("tenancy", &["contract"]),
    ("control-plane", &["contract", "tenancy"]),
    ("data-plane", &["contract", "tenancy"]),
    ("cli", &["contract", "tenancy", "control-plane", "data-plane"]),
    ("e2e", &["contract", "tenancy", "control-plane", "data-plane"]),
    ("bench", &["contract", "tenancy", "control-plane", "data-plane", "e2e"]),
];
/// The longest production part of a file.
const LINES_MAX: usize = 400;
/// What no code says, in the tests or outside. In two parts, so that this file may hold them.
const FORBIDDEN: [(&str, &str, &str); 5] = [
    ("#[all", "ow(", "say #[expect(…, reason = …)]"),
    ("#![all", "ow(", "say #![expect(…, reason = …)]"),
    ("tod", "o!(", "build it, or leave it out"),
    ("unimpl", "emented!(", "build it, or leave it out"),
    ("db", "g!(", "it was for looking"),
];
/// Identifiers that name a concept of the model by another word.
const SYNONYMS: [(&str, &str); 12] = [
    ("tenant_id", "identity"),
    ("TenantId", "identity"),
    ("tenants_table", "identities"),
    ("org_id", "identity"),
    ("OrgId", "identity"),
    ("Organization", "identity"),
    ("Organisation", "identity"),
    ("workspace_id", "group or project"),
    ("WorkspaceId", "group or project"),
    ("account_id", "identity or principal"),
    ("AccountId", "identity or principal"),
    ("PermissionSet", "role or action"),
];
/// Folders of the machines that this is built on. In two parts, as above.
const MACHINE_PATHS: [(&str, &str); 2] = [("/wo", "rk/"), ("/ro", "ot/")];

/// A file of the repository: its path from the root, and its text.
struct Kept {
    path: String,
    text: String,
}

impl Kept {
    fn is_rust(&self) -> bool {
        Path::new(&self.path).extension().is_some_and(|extension| extension == "rs")
    }

    /// Whether the whole file is a test.
    fn is_test(&self) -> bool {
        self.path.split('/').any(|part| part == "tests" || part == "tests.rs")
    }

    /// How many lines stand before its inline tests. A module of tests that is only declared ends
    /// nothing.
    fn production_lines(&self) -> usize {
        let lines: Vec<_> = self.text.lines().collect();
        let opens = |pair: &[&str]| {
            pair[0] == "#[cfg(test)]" && pair[1].starts_with("mod ") && pair[1].ends_with('{')
        };
        lines.windows(2).position(opens).unwrap_or(lines.len())
    }
}

/// The folder of this crate: where the test runs, or where it was built.
fn here() -> PathBuf {
    let said = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    said.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")))
}

fn root() -> PathBuf {
    here().parent().expect("the root of the workspace").to_path_buf()
}

fn printed(command: &mut Command) -> String {
    let output = command.output().expect("the command starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
    String::from_utf8(output.stdout).expect("text")
}

/// Every text that is tracked, or would be.
fn kept() -> Vec<Kept> {
    let mut git = Command::new("git");
    // A clone of another user's is read as well: nothing of it is run.
    git.current_dir(root()).args(["-c", "safe.directory=*", "ls-files", "-z"]);
    git.args(["--cached", "--others", "--exclude-standard"]);
    let names = printed(&mut git);
    let texts = names.split('\0').filter(|path| !path.is_empty()).filter_map(|path| {
        // What was deleted and is still tracked, and what is no text, says nothing.
        let text = std::fs::read_to_string(root().join(path)).ok()?;
        Some(Kept { path: path.to_owned(), text })
    });
    let all: Vec<Kept> = texts.collect();
    assert!(all.iter().filter(|file| file.is_rust()).count() > 100, "the sources were found");
    all
}

fn none(faults: &[String]) {
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

/// The lines of a file that are code, each with its number.
fn code(file: &Kept) -> impl Iterator<Item = (usize, &str)> {
    let lines = file.text.lines().enumerate().map(|(at, line)| (at + 1, line));
    lines.filter(|(_, line)| !line.trim_start().starts_with("//"))
}

#[test]
fn no_crate_depends_on_another_that_is_not_drawn() {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut metadata = Command::new(cargo);
    metadata.current_dir(root()).args(["metadata", "--no-deps", "--format-version", "1"]);
    let metadata: Value = serde_json::from_str(&printed(&mut metadata)).expect("JSON");
    let drawn = BTreeMap::from(EDGES);
    let name = |value: &Value| value["name"].as_str().expect("a name").to_owned();
    let mut faults = Vec::new();
    let mut seen = Vec::new();
    for package in metadata["packages"].as_array().expect("packages") {
        let from = name(package);
        let Some(may) = drawn.get(from.as_str()) else {
            faults.push(format!("{from}: no such crate is drawn"));
            continue;
        };
        for dependency in package["dependencies"].as_array().expect("dependencies") {
            let to = name(dependency);
            // Dependencies of tests are edges as well.
            if drawn.contains_key(to.as_str()) && !may.contains(&to.as_str()) {
                faults.push(format!("{from} -> {to} is not drawn"));
            }
        }
        seen.push(from);
    }
    seen.sort();
    let mut all: Vec<_> = EDGES.iter().map(|(name, _)| (*name).to_owned()).collect();
    all.sort();
    assert_eq!(seen, all, "every crate that is drawn is there");
    none(&faults);
}

#[test]
fn every_module_says_what_it_owns() {
    // A `tests.rs` is a part of the module that it tests, which says so.
    let is_part = |file: &Kept| file.path.ends_with("/tests.rs");
    let modules = kept().into_iter().filter(|file| file.is_rust() && !is_part(file));
    let silent = modules.filter(|file| !file.text.starts_with("//!"));
    none(&silent.map(|file| format!("{}: begins with no //!", file.path)).collect::<Vec<_>>());
}

#[test]
fn no_file_is_too_long() {
    let rust = kept().into_iter().filter(|file| file.is_rust() && !file.is_test());
    let lines = rust.map(|file| (file.production_lines(), file.path));
    let long = lines.filter(|(lines, _)| *lines > LINES_MAX);
    none(
        &long
            .map(|(lines, path)| format!("{path}: {lines} lines before its tests"))
            .collect::<Vec<_>>(),
    );
}

#[test]
fn no_module_is_a_mod_rs() {
    let files = kept().into_iter().filter(|file| file.path.rsplit('/').next() == Some("mod.rs"));
    none(&files.map(|file| format!("{}: name it after the module", file.path)).collect::<Vec<_>>());
}

#[test]
fn no_code_holds_a_forbidden_word_or_a_synonym() {
    let mut faults = Vec::new();
    let words = FORBIDDEN.map(|(first, second, fix)| (format!("{first}{second}"), fix));
    for file in kept().iter().filter(|file| file.is_rust()) {
        // This file names the synonyms.
        let is_this = file.path.ends_with("tests/it/tidy.rs");
        for (at, line) in code(file) {
            for (word, fix) in &words {
                if line.contains(word.as_str()) {
                    faults.push(format!("{}:{at}: {word}: {fix}", file.path));
                }
            }
            let identifiers = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            for identifier in identifiers.filter(|_| !is_this) {
                if let Some((_, word)) = SYNONYMS.iter().find(|(synonym, _)| *synonym == identifier)
                {
                    faults.push(format!("{}:{at}: {identifier}: the word is {word}", file.path));
                }
            }
        }
    }
    none(&faults);
}

#[test]
fn nothing_names_a_machine_or_a_registry() {
    let mut faults = Vec::new();
    let paths = MACHINE_PATHS.map(|(first, second)| format!("{first}{second}"));
    for file in kept() {
        for (at, line) in file.text.lines().enumerate() {
            if paths.iter().any(|path| line.contains(path.as_str())) {
                faults.push(format!("{}:{}: a path of one machine", file.path, at + 1));
            }
        }
        if file.path.ends_with("package-lock.json") && file.text.contains("\"resolved\"") {
            faults.push(format!("{}: records where it was downloaded from", file.path));
        }
    }
    none(&faults);
}
