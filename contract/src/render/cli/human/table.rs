//! Owns tables: columns from the fields of the items, no wider than asked. Invariant: nothing is
//! shortened. A text goes on below in its column; a word (an id, an address, a time) is never broken,
//! since people copy those.

use serde_json::{Map, Value};

use super::inline;
use super::visible::visible;

/// The narrowest that a column of texts is made, in characters.
const COLUMN_MIN: usize = 24;
/// What stands between columns.
const GAP: &str = "  ";

/// A table that was not yet fitted to a width.
#[derive(Debug)]
pub(super) struct Table {
    columns: Vec<Column>,
}

#[derive(Debug)]
struct Column {
    heading: String,
    cells: Vec<String>,
    width: usize,
    width_min: usize,
}

impl Table {
    /// The table of `items`: a column for each field that one of them has, in the order of the
    /// declaration and, beyond it, of appearance.
    pub(super) fn of(items: &[&Map<String, Value>], declared: Option<&Map<String, Value>>) -> Self {
        let mut names: Vec<&String> = Vec::new();
        let declared = declared.into_iter().flat_map(Map::keys);
        for name in declared.chain(items.iter().flat_map(|item| item.keys())) {
            if !names.contains(&name) && items.iter().any(|item| item.contains_key(name)) {
                names.push(name);
            }
        }
        let columns = names.into_iter().map(|name| {
            let values = items.iter().map(|item| item.get(name).map_or_else(String::new, inline));
            Column::of(visible(&name.replace('_', " ")).to_uppercase(), values.collect())
        });
        Self { columns: columns.collect() }
    }

    /// The lines of the table at no more than `width_max` characters; `None` if it cannot be so narrow.
    pub(super) fn rows(mut self, width_max: usize) -> Option<Vec<String>> {
        let gaps = GAP.len() * self.columns.len().saturating_sub(1);
        let mut excess = (self.columns.iter().map(|one| one.width).sum::<usize>() + gaps)
            .saturating_sub(width_max);
        while excess > 0 {
            let can_give = |one: &&mut Column| one.width > one.width_min;
            let widest = self.columns.iter_mut().filter(can_give).max_by_key(|one| one.width)?;
            widest.width -= 1;
            excess -= 1;
        }
        let height = self.columns.first().map_or(0, |column| column.cells.len());
        let headings = self.columns.iter().map(|column| vec![column.heading.clone()]);
        let mut rows = self.side_by_side(&headings.collect::<Vec<_>>());
        for index in 0..height {
            let cells = self.columns.iter().map(|column| column.lines(index));
            rows.extend(self.side_by_side(&cells.collect::<Vec<_>>()));
        }
        Some(rows)
    }

    /// One row of cells, each of some lines.
    fn side_by_side(&self, cells: &[Vec<String>]) -> Vec<String> {
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        let row = |at: usize| {
            let beside = self.columns.iter().zip(cells).map(|(column, lines)| {
                let width = column.width;
                format!("{:width$}", lines.get(at).map_or("", String::as_str))
            });
            beside.collect::<Vec<_>>().join(GAP).trim_end().to_owned()
        };
        (0..height).map(row).collect()
    }
}

impl Column {
    fn of(heading: String, cells: Vec<String>) -> Self {
        let length = |text: &str| text.chars().count();
        let longest = cells.iter().map(|cell| length(cell)).max().unwrap_or(0);
        let words = cells.iter().flat_map(|cell| cell.split(' '));
        let longest_word = words.map(length).max().unwrap_or(0);
        let width = longest.max(length(&heading));
        let width_min = longest_word.max(length(&heading)).max(longest.min(COLUMN_MIN));
        Self { heading, cells, width, width_min }
    }

    /// A cell, broken between words where it is too wide.
    fn lines(&self, index: usize) -> Vec<String> {
        let cell = self.cells.get(index).map_or("", String::as_str);
        if cell.chars().count() <= self.width {
            return vec![cell.to_owned()];
        }
        let mut lines: Vec<String> = Vec::new();
        for word in cell.split(' ') {
            let length = word.chars().count();
            match lines.last_mut() {
                Some(line) if line.chars().count() + 1 + length <= self.width => {
                    line.push(' ');
                    line.push_str(word);
                }
                _ => lines.push(word.to_owned()),
            }
        }
        lines
    }
}
