//! The reference pages under `docs/`: each is what its closed list says today. `UPDATE=1 cargo test -p
//! contract --test it` writes them anew.

use std::fs;
use std::path::Path;

use contract::render::docs::{hints_markdown, refusals_markdown};

fn committed(page: &str, made: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(page);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&file, made).expect("the page is written");
    }
    let committed = fs::read_to_string(&file).unwrap_or_default();
    let line = |(at, (committed, made)): (usize, (&str, &str))| {
        (committed != made).then(|| format!("line {}: {committed:?}, now {made:?}", at + 1))
    };
    let differs = committed.lines().zip(made.lines()).enumerate().find_map(line);
    assert!(
        committed == made,
        "docs/{page} is not what the contract makes ({}); write it anew: UPDATE=1 cargo test -p contract --test it",
        differs.unwrap_or_else(|| "one of the two is longer".to_owned()),
    );
}

#[test]
fn the_page_of_refusals_is_what_the_contract_makes() {
    committed("refusals.md", &refusals_markdown());
}

#[test]
fn the_page_of_hints_is_what_the_contract_makes() {
    committed("hints.md", &hints_markdown());
}
