//! Owns tables: columns from the fields of the items, no wider than asked. Invariant: a value without
//! spaces (an id, an address, a time) is never cut, since people copy those.

use serde_json::{Map, Value};

use super::inline;
use super::visible::visible;

/// The narrowest a column of texts is cut to, in characters.
const COLUMN_MIN: usize = 16;
/// What stands between columns.
const GAP: &str = "  ";

/// A table that was not yet fitted to a width.
#[derive(Debug)]
pub(super) struct Table {
    columns: Vec<Column>,
}

#[derive(Debug)]
struct Column {
    cells: Vec<String>,
    width: usize,
    can_be_cut: bool,
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
            let heading = visible(&name.replace('_', " ")).to_uppercase();
            let values = items.iter().map(|item| item.get(name).map_or_else(String::new, inline));
            let cells: Vec<String> = std::iter::once(heading).chain(values).collect();
            let width = cells.iter().map(|cell| cell.chars().count()).max().unwrap_or(0);
            let can_be_cut = cells.iter().skip(1).any(|cell| cell.contains(' '));
            Column { cells, width, can_be_cut }
        });
        Self { columns: columns.collect() }
    }

    /// The lines of the table at no more than `width_max` characters; `None` if it cannot be so narrow.
    pub(super) fn rows(mut self, width_max: usize) -> Option<Vec<String>> {
        let gaps = GAP.len() * self.columns.len().saturating_sub(1);
        let mut excess = (self.columns.iter().map(|one| one.width).sum::<usize>() + gaps)
            .saturating_sub(width_max);
        while excess > 0 {
            let can_give = |one: &&mut Column| one.can_be_cut && one.width > COLUMN_MIN;
            let widest = self.columns.iter_mut().filter(can_give).max_by_key(|one| one.width)?;
            widest.width -= 1;
            excess -= 1;
        }
        let height = self.columns.first().map_or(0, |column| column.cells.len());
        let row = |index: usize| {
            let cells = self.columns.iter().map(|column| column.cell(index));
            cells.collect::<Vec<_>>().join(GAP).trim_end().to_owned()
        };
        Some((0..height).map(row).collect())
    }
}

impl Column {
    fn cell(&self, index: usize) -> String {
        let width = self.width;
        let cell = self.cells.get(index).map_or("", String::as_str);
        if cell.chars().count() <= width {
            return format!("{cell:width$}");
        }
        let mut kept: String = cell.chars().take(width.saturating_sub(1)).collect();
        kept.push('…');
        kept
    }
}
