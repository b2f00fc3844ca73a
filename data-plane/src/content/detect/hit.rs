//! What one detector found, and how finds become spans.

use super::{Kind, Span};

/// A find. Told by a word beside it, the same value may stand untold elsewhere; shown by its own
/// form, it is found wherever it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) span: Span,
    pub(super) told: bool,
}

/// Where a find that starts at a known place ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct End {
    pub(super) at: usize,
    pub(super) told: bool,
}

impl End {
    pub(super) const fn shown(at: usize) -> Self {
        Self { at, told: false }
    }

    pub(super) const fn hit(self, start: usize, kind: Kind) -> Hit {
        Hit { span: Span::new(start, self.at, kind), told: self.told }
    }
}

impl Hit {
    pub(super) const fn shown(start: usize, end: usize, kind: Kind) -> Self {
        End::shown(end).hit(start, kind)
    }

    pub(super) const fn told(start: usize, end: usize, kind: Kind) -> Self {
        Self { span: Span::new(start, end, kind), told: true }
    }

    /// The hit in a text in which the searched one starts at `by`.
    pub(super) const fn moved(self, by: usize) -> Self {
        let span = Span { start: self.span.start + by, end: self.span.end + by, ..self.span };
        Self { span, ..self }
    }
}

/// Sorts, and joins what overlaps: nothing that any detector found is left out, and the weightiest
/// kind names the whole.
pub(super) fn resolve(mut hits: Vec<Hit>) -> Vec<Hit> {
    hits.sort_by_key(|hit| (hit.span.start, hit.span.end));
    let mut resolved: Vec<Hit> = Vec::with_capacity(hits.len());
    for hit in hits {
        match resolved.last_mut() {
            Some(last) if hit.span.start < last.span.end => {
                last.span.end = last.span.end.max(hit.span.end);
                last.span.kind = last.span.kind.max(hit.span.kind);
                last.span.bare |= hit.span.bare;
                last.told |= hit.told;
            }
            _ => resolved.push(hit),
        }
    }
    resolved
}

/// The spans of hits, in order and apart.
pub(super) fn spans(hits: Vec<Hit>) -> Vec<Span> {
    resolve(hits).into_iter().map(|hit| hit.span).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_overlaps_is_joined_and_what_touches_is_not() {
        let hits = vec![
            Hit::shown(4, 9, Kind::Email),
            Hit::told(2, 6, Kind::Phone),
            Hit::shown(3, 5, Kind::Secret),
            Hit::shown(9, 12, Kind::Card),
        ];
        let joined = [Hit::told(2, 9, Kind::Secret), Hit::shown(9, 12, Kind::Card)];
        assert_eq!(resolve(hits), joined);
        let bare = Hit { span: Span { bare: true, ..Span::new(0, 3, Kind::Card) }, told: false };
        assert_eq!(resolve(vec![Hit::told(0, 3, Kind::Phone), bare]), [Hit { told: true, ..bare }]);
    }
}
