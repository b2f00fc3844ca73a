//! Lines of any text, and rows of tables, JSON lines and JSON arrays.

use super::pick::{Join, pick};
use super::{Error, Sliced, Unit};
use crate::content::json::{Kind, tree::Tree};
use crate::content::summary::{self, media};
use crate::content::table::{self, Records};

type Asked = (usize, Option<usize>);

/// Places of all lines, line breaks included.
fn line_places(text: &str) -> Vec<(usize, usize)> {
    let mut start = 0;
    let place = |line: &str| {
        let from = start;
        start += line.len();
        (from, start)
    };
    text.split_inclusive('\n').map(place).collect()
}

pub(super) fn lines(text: &str, asked: Asked, cap_bytes: usize) -> Result<Sliced, Error> {
    pick(text, &line_places(text), Unit::Line, Join::Adjacent, asked, cap_bytes)
}

pub(super) fn rows(
    text: &str,
    media_type: &str,
    asked: Asked,
    cap_bytes: usize,
) -> Result<Sliced, Error> {
    match summary::detect_media_type(Some(media_type), text) {
        media::JSON => array_rows(text, asked, cap_bytes),
        media::JSON_LINES => {
            let mut places = line_places(text);
            places.retain(|&(start, end)| {
                !text.get(start..end).unwrap_or_default().trim().is_empty()
            });
            pick(text, &places, Unit::Row, Join::Adjacent, asked, cap_bytes)
        }
        media::CSV => table_rows(text, table::delimiter(text).unwrap_or(b','), asked, cap_bytes),
        media::TSV => table_rows(text, b'\t', asked, cap_bytes),
        _ => Err(Error::NoRows),
    }
}

fn array_rows(text: &str, asked: Asked, cap_bytes: usize) -> Result<Sliced, Error> {
    let tree = Tree::parse(text).map_err(|source| Error::NotJson { field: "rows", source })?;
    if tree.kind(0) != Kind::Array {
        return Err(Error::NoRows);
    }
    let places: Vec<_> = tree.children(0).map(|node| tree.range(node)).collect();
    pick(text, &places, Unit::Row, Join::Array, asked, cap_bytes)
}

fn table_rows(text: &str, delimiter: u8, asked: Asked, cap_bytes: usize) -> Result<Sliced, Error> {
    let mut records = Records::new(text, delimiter).map(|record| (record.start, record.end));
    let header = records.next().and_then(|(start, end)| text.get(start..end));
    let places: Vec<_> = records.collect();
    let sliced = pick(text, &places, Unit::Row, Join::Adjacent, asked, cap_bytes)?;
    Ok(Sliced { header: header.map(str::to_owned), ..sliced })
}
