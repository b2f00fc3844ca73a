//! The headings of a text that is written for people, with the lines they stand on.
//!
//! Invariant: bounded: at most [`TRACKED`] headings are kept, those beyond are counted. A line counts
//! from 0, as slices count, so that a heading says where to read.

use super::{Structure, media, shown};
use serde::Serialize;

const TRACKED: usize = 128;
const SHOWN_BYTES: usize = 80;

/// A heading and where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Heading {
    pub(crate) line: usize,
    /// 1 is the highest.
    pub(crate) level: usize,
    pub(crate) text: String,
}

#[derive(Debug, Default)]
struct Headings {
    kept: Vec<Heading>,
    left_out: usize,
}

impl Headings {
    fn meet(&mut self, line: usize, level: usize, text: &str) {
        if self.kept.len() < TRACKED {
            self.kept.push(Heading { line, level, text: shown(text.trim(), SHOWN_BYTES) });
        } else {
            self.left_out += 1;
        }
    }
}

/// A text that is nothing else: its paragraphs and headings.
pub(super) fn of_text(text: &str, media_type: &str) -> Structure {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    // A script's comments are no headings: signs count where the text is Markdown, or begins like it.
    let signs =
        media_type == media::MARKDOWN || (media_type == media::PLAIN && marked(first).is_some());
    let mut headings = Headings::default();
    let mut fenced = false;
    let mut before = "";
    for (number, line) in text.lines().enumerate() {
        if signs && line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            match marked(line).filter(|_| signs) {
                Some((level, title)) => headings.meet(number, level, title),
                None => {
                    if let Some(level) = underlines(line, before) {
                        headings.meet(number.saturating_sub(1), level, before);
                    }
                }
            }
        }
        before = line;
    }
    Structure::Text {
        paragraphs: super::paragraphs(text),
        headings: headings.kept,
        headings_left_out: headings.left_out,
    }
}

/// A heading by signs (`CommonMark` 4.2): its level and title.
fn marked(line: &str) -> Option<(usize, &str)> {
    let title = line.trim_start_matches('#');
    let level = line.len() - title.len();
    let title = title.strip_prefix(' ')?.trim().trim_end_matches('#').trim_end();
    ((1..=6).contains(&level) && !title.is_empty()).then_some((level, title))
}

/// The level that a line of `=` or `-` gives the line before it (`CommonMark` 4.3, three signs or
/// more). A list's item or a table's head is none.
fn underlines(line: &str, before: &str) -> Option<usize> {
    let line = line.trim_end();
    let all = |sign: u8| line.len() >= 3 && line.bytes().all(|byte| byte == sign);
    let level = if all(b'=') { 1 } else { usize::from(all(b'-')) * 2 };
    let title = before.trim();
    let titled = title.starts_with(|first: char| first.is_alphanumeric()) && !title.contains('|');
    (level > 0 && titled).then_some(level)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headings(text: &str, media_type: &str) -> Vec<(usize, usize, String)> {
        let Structure::Text { headings, .. } = of_text(text, media_type) else { return Vec::new() };
        headings.into_iter().map(|heading| (heading.line, heading.level, heading.text)).collect()
    }

    #[test]
    fn headings_say_where_they_stand() {
        let text =
            "# One #\ntext\n\n```\n# no\n```\n## Two\n####### no\n#no\nThree\n---\n- a\n---\n";
        let found = headings(text, media::MARKDOWN);
        let expected =
            [(0, 1, "One"), (6, 2, "Two"), (9, 2, "Three")].map(|(a, b, c)| (a, b, c.to_owned()));
        assert_eq!(found, expected);
        assert_eq!(headings(text, media::PLAIN), expected);
    }

    #[test]
    fn a_script_has_comments_and_no_headings() {
        assert_eq!(headings("set -e\n# install\napt-get\n\n# run\n", media::PLAIN), []);
        let found = headings("Title\n=====\n# no\n", media::PLAIN);
        assert_eq!(found, [(0, 1, "Title".to_owned())]);
    }

    #[test]
    fn what_is_not_kept_is_counted() {
        let text = "# a\n".repeat(1000);
        let Structure::Text { headings, headings_left_out, .. } = of_text(&text, media::MARKDOWN)
        else {
            panic!("another shape")
        };
        assert_eq!((headings.len(), headings_left_out), (TRACKED, 1000 - TRACKED));
    }
}
