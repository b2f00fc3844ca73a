//! Detection that knows the structure: JSON strings are searched as what they mean, and a key or a
//! column name says what stands under it.
//!
//! Invariant: spans are places in the text as it was given, and one that covers a bare JSON number
//! says so, because a placeholder in its place needs quotes.

use super::echo::{self, Echo};
use super::hit::{self, Hit};
use super::key::Key;
use super::scan::Scan;
use super::{Span, search};
use crate::content::json::{self, Event, Kind, Lexer};
use crate::content::table::Records;
use std::collections::HashMap;
use std::rc::Rc;

/// A string, key or number of a JSON text.
struct Piece {
    start: usize,
    end: usize,
    kind: Kind,
}

/// Finds spans in one JSON text. From where it stops being JSON it is searched as plain text, a number
/// before that place included.
pub(super) fn in_json(text: &str) -> Vec<Span> {
    in_documents([text].into_iter())
}

/// Finds spans in one JSON text a line; a line that is none is searched as plain text.
pub(super) fn in_json_lines(text: &str) -> Vec<Span> {
    in_documents(text.split_inclusive('\n'))
}

/// Whether the first line alone is a JSON object or array and more follows.
pub(super) fn is_json_lines(text: &str) -> bool {
    let first = text.trim_start().split_once('\n').map_or("", |(first, _)| first);
    first.starts_with(['{', '[']) && json::is_json(first)
}

/// `documents` are the parts of a text, in order and without gaps.
fn in_documents<'t>(documents: impl Iterator<Item = &'t str> + Clone) -> Vec<Span> {
    let mut hits = Vec::new();
    let mut echo = Echo::default();
    let mut names = Names::default();
    let mut offset = 0;
    for document in documents.clone() {
        first_pass(document, &mut names, &mut echo, |hit| {
            hits.push(hit.moved(offset));
        });
        offset += document.len();
    }
    offset = 0;
    for document in documents.filter(|_| !echo.is_empty()) {
        second_pass(document, &mut names, &echo, |hit| {
            hits.push(hit.moved(offset));
        });
        offset += document.len();
    }
    hit::spans(hits)
}

fn first_pass<'t>(
    document: &'t str,
    names: &mut Names<'t>,
    echo: &mut Echo,
    mut found: impl FnMut(Hit),
) {
    let mut read_to = 0;
    let whole = visit(document, names, |piece, key| {
        // A number may be the beginning of what is none: a card's first four digits.
        read_to = if piece.kind == Kind::Number { piece.start } else { piece.end };
        let hits = in_piece(document, &piece, |decoded| {
            let hits = search(decoded, key);
            echo.learn(decoded, &hits);
            hits
        });
        hits.into_iter().for_each(&mut found);
    });
    if !whole {
        let rest = document.get(read_to..).unwrap_or_default();
        let hits = search(rest, &Key::default());
        echo.learn(rest, &hits);
        hits.into_iter().map(|hit| hit.moved(read_to)).for_each(found);
    }
}

fn second_pass<'t>(
    document: &'t str,
    names: &mut Names<'t>,
    echo: &Echo,
    mut found: impl FnMut(Hit),
) {
    visit(document, names, |piece, _| {
        let hits =
            in_piece(document, &piece, |decoded| echo.find(&Scan::new(decoded, &Key::default())));
        hits.into_iter().for_each(&mut found);
    });
}

/// Judged names, by the way they are written: the rows of a list repeat them.
#[derive(Default)]
struct Names<'t> {
    known: HashMap<&'t str, Rc<Key>>,
    none: Rc<Key>,
}

/// Names that are remembered; a text whose keys are all different gains nothing from more.
const NAMES_LIMIT: usize = 1024;

impl<'t> Names<'t> {
    fn key(&mut self, written: &'t str) -> Rc<Key> {
        if let Some(known) = self.known.get(written) {
            return Rc::clone(known);
        }
        let key = Rc::new(Key::of(&json::decode(written).text));
        if self.known.len() < NAMES_LIMIT {
            self.known.insert(written, Rc::clone(&key));
        }
        key
    }
}

/// Shows every string, key and number with the key it stands under. Answers whether the whole text
/// was JSON.
fn visit<'t>(text: &'t str, names: &mut Names<'t>, mut see: impl FnMut(Piece, &Key)) -> bool {
    // The key of each open container, for what stands in an array.
    let mut open: Vec<Rc<Key>> = Vec::new();
    let mut own: Option<Rc<Key>> = None;
    for event in Lexer::new(text) {
        let Ok(event) = event else { return false };
        match event {
            Event::Open { .. } => {
                let above = own.take().or_else(|| open.last().map(Rc::clone));
                open.push(above.unwrap_or_else(|| Rc::clone(&names.none)));
            }
            Event::Close { .. } => drop(open.pop()),
            Event::Key { start, end } => {
                see(Piece { start, end, kind: Kind::String }, &names.none);
                own = Some(names.key(text.get(start + 1..end - 1).unwrap_or_default()));
            }
            Event::Scalar { kind: kind @ (Kind::String | Kind::Number), start, end } => {
                let key = own.take();
                let key = key.as_ref().or_else(|| open.last()).unwrap_or(&names.none);
                see(Piece { start, end, kind }, key);
            }
            Event::Scalar { .. } => own = None,
        }
    }
    true
}

/// Searches what a piece means and turns what is found into places of the text. Of a bare number
/// only the whole can be a span: a part replaced would leave no JSON.
fn in_piece(text: &str, piece: &Piece, search: impl FnOnce(&str) -> Vec<Hit>) -> Vec<Hit> {
    if piece.kind == Kind::Number {
        let number = text.get(piece.start..piece.end).unwrap_or_default();
        let bare =
            |hit: Hit| Hit { span: Span { bare: true, ..hit.span }, ..hit }.moved(piece.start);
        let whole =
            search(number).into_iter().filter(|hit| hit.span.end - hit.span.start == number.len());
        return whole.map(bare).collect();
    }
    let inner = piece.start + 1;
    let decoded = json::decode(text.get(inner..piece.end - 1).unwrap_or_default());
    let place = |at: usize| inner + decoded.source(at);
    let written = |hit: Hit| {
        let span = Span::new(place(hit.span.start), place(hit.span.end), hit.span.kind);
        Hit { span, ..hit }
    };
    search(&decoded.text).into_iter().map(written).collect()
}

/// Finds spans in delimited text: as in plain text, and cell by cell under the column's name.
pub(super) fn in_table(text: &str, delimiter: u8) -> Vec<Span> {
    let mut hits = search(text, &Key::default());
    let mut records = Records::new(text, delimiter);
    let header = records.next().map(|record| record.cells).unwrap_or_default();
    let keys: Vec<_> = header.iter().map(|cell| Key::of(&cell.value(text))).collect();
    for record in records {
        for (cell, key) in record.cells.iter().zip(&keys) {
            let written = text.get(cell.start..cell.end).unwrap_or_default();
            hits.extend(search(written, key).into_iter().map(|hit| hit.moved(cell.start)));
        }
    }
    echo::complete(text, hits)
}
