//! The columns of a table and what their cells are.

use super::{Structure, is_zero, shown};
use crate::content::table::Records;
use serde::Serialize;

const NAME_BYTES: usize = 40;
/// Columns that are looked at; a table has hardly more, and a hostile one could.
const TRACKED: usize = 256;

/// What all cells of a column can be read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Type {
    Empty,
    Boolean,
    Integer,
    Number,
    Date,
    Text,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Column {
    pub(crate) name: String,
    #[serde(rename = "type")]
    pub(crate) kind: Type,
    /// Rows in which the cell is empty or missing.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) empty: usize,
}

impl Type {
    fn of(cell: &str) -> Self {
        let digits = cell.strip_prefix(['-', '+']).unwrap_or(cell);
        let numeric =
            digits.starts_with(|first: char| first.is_ascii_digit()) && cell.parse::<f64>().is_ok();
        match cell {
            "" => Self::Empty,
            "true" | "false" | "TRUE" | "FALSE" | "True" | "False" => Self::Boolean,
            _ if digits.bytes().all(|byte| byte.is_ascii_digit()) => Self::Integer,
            _ if numeric => Self::Number,
            _ if is_date(cell.as_bytes()) => Self::Date,
            _ => Self::Text,
        }
    }

    /// The narrowest type that holds both.
    const fn with(self, other: Self) -> Self {
        match (self, other) {
            (Self::Empty, one) | (one, Self::Empty) => one,
            (Self::Integer | Self::Number, Self::Number) | (Self::Number, Self::Integer) => {
                Self::Number
            }
            (Self::Boolean, Self::Boolean) => Self::Boolean,
            (Self::Integer, Self::Integer) => Self::Integer,
            (Self::Date, Self::Date) => Self::Date,
            _ => Self::Text,
        }
    }
}

/// ISO 8601: a calendar date, with or without a time.
fn is_date(cell: &[u8]) -> bool {
    let shape = |(index, byte): (usize, &u8)| {
        if matches!(index, 4 | 7) { *byte == b'-' } else { byte.is_ascii_digit() }
    };
    cell.len() >= 10
        && cell.iter().take(10).enumerate().all(shape)
        && matches!(cell.get(10), None | Some(b'T' | b' '))
}

pub(super) fn of_table(text: &str, delimiter: u8) -> Structure {
    let mut records = Records::new(text, delimiter);
    let header = records.next().map(|record| record.cells).unwrap_or_default();
    let name = |cell: &crate::content::table::Cell| shown(&cell.value(text), NAME_BYTES);
    let mut columns: Vec<Column> = header
        .iter()
        .take(TRACKED)
        .map(|cell| Column { name: name(cell), kind: Type::Empty, empty: 0 })
        .collect();
    let mut rows = 0;
    // Only the cells that are there are looked at: a wide header over short rows costs no more.
    let mut filled = vec![0; columns.len()];
    for record in records {
        rows += 1;
        for ((cell, column), filled) in record.cells.iter().zip(&mut columns).zip(&mut filled) {
            let kind = Type::of(cell.value(text).trim());
            column.kind = column.kind.with(kind);
            *filled += usize::from(kind != Type::Empty);
        }
    }
    for (column, filled) in columns.iter_mut().zip(filled) {
        column.empty = rows - filled;
    }
    Structure::Table { rows, columns_left_out: header.len() - columns.len(), columns }
}
