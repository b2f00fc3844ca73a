//! What the changelog says is broken: the part that is not released, under `### Breaking` or in lines
//! that say `**Breaking**`.

use std::collections::BTreeSet;

use super::Break;

/// The breaks that the changelog does not name.
pub(crate) fn unannounced<'b>(breaks: &'b BTreeSet<Break>, changelog: &str) -> Vec<&'b Break> {
    let named = named(changelog);
    breaks.iter().filter(|one| !named.contains(&plain(&one.of))).collect()
}

/// Every word of the lines that speak of what is broken.
fn named(changelog: &str) -> BTreeSet<String> {
    let unreleased =
        |line: &&str| line.starts_with("## ") && line.to_ascii_lowercase().contains("unreleased");
    let lines = changelog.lines().skip_while(|line| !unreleased(line)).skip(1);
    let (mut section, mut item) = (false, false);
    let mut words = BTreeSet::new();
    for line in lines.take_while(|line| !line.starts_with("## ")) {
        if line.starts_with("### ") {
            (section, item) = (line.trim() == "### Breaking", false);
        } else if line.starts_with("- ") || line.trim().is_empty() {
            item = line.contains("**Breaking**");
        } else {
            item |= line.contains("**Breaking**");
        }
        if section || item {
            let is_word = |c: char| c.is_ascii_alphanumeric() || ".-_".contains(c);
            let said = line.split(|c| !is_word(c)).map(|word| plain(word.trim_matches('.')));
            words.extend(said.filter(|word| !word.is_empty()));
        }
    }
    words
}

/// A verb and its tool are one name: `token.create` and `token_create`.
fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}
