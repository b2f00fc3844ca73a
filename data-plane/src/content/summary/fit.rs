//! Making a summary fit its limit: first the least telling parts go, and what goes is counted.

use super::{LIMIT_BYTES, Structure, Summary};
use crate::content::slice;

/// Below this the head is not shortened while there is structure left to shorten, in bytes.
const HEAD_KEPT: usize = 384;
/// Entries of structure that are kept while there is head left to shorten.
const ENTRIES_KEPT: usize = 12;
/// Keys and columns no summary shows, however short they are.
const ENTRIES_LIMIT: usize = 40;

pub(super) fn fit(mut summary: Summary) -> Summary {
    while entries(&summary.structure) > ENTRIES_LIMIT && drop_entry(&mut summary.structure) {}
    while size(&summary) > LIMIT_BYTES {
        let many = entries(&summary.structure) > ENTRIES_KEPT;
        let shortened = (summary.head.len() > HEAD_KEPT && shorten(&mut summary, HEAD_KEPT))
            || (many && drop_entry(&mut summary.structure))
            || shorten(&mut summary, 0)
            || drop_entry(&mut summary.structure);
        if !shortened {
            break;
        }
    }
    summary
}

/// The summary's length as JSON. Control characters of the head take six times their length.
fn size(summary: &Summary) -> usize {
    serde_json::to_vec(summary).map_or(usize::MAX, |json| json.len())
}

/// Takes an eighth off the head, down to `floor`.
fn shorten(summary: &mut Summary, floor: usize) -> bool {
    let length = summary.head.len();
    if length <= floor {
        return false;
    }
    let end = slice::cut_before(&summary.head, (length - length / 8 - 1).max(floor));
    summary.head.truncate(end);
    summary.head_is_cut = true;
    true
}

fn entries(structure: &Structure) -> usize {
    match structure {
        Structure::Json { keys, .. } | Structure::JsonLines { keys, .. } => keys.len(),
        Structure::Table { columns, .. } => columns.len(),
        Structure::Log { repeated, .. } => repeated.len(),
        Structure::Text { headings, .. } => headings.len(),
    }
}

fn drop_entry(structure: &mut Structure) -> bool {
    match structure {
        Structure::Json { keys, keys_left_out, .. }
        | Structure::JsonLines { keys, keys_left_out, .. } => {
            let dropped = keys.pop().is_some();
            *keys_left_out += usize::from(dropped);
            dropped
        }
        Structure::Table { columns, columns_left_out, .. } => {
            let dropped = columns.pop().is_some();
            *columns_left_out += usize::from(dropped);
            dropped
        }
        Structure::Log { repeated, other_lines, .. } => {
            repeated.pop().map(|entry| *other_lines += entry.times).is_some()
        }
        Structure::Text { headings, headings_left_out, .. } => {
            let dropped = headings.pop().is_some();
            *headings_left_out += usize::from(dropped);
            dropped
        }
    }
}
