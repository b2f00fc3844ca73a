//! Owns the pages of lists: keyset-paged, by an opaque cursor. Invariant: a page is in one order
//! whatever number of scopes it was read from, and nobody reads more by asking page by page than at
//! once.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use contract::Refusal;
use contract::hint;
use contract::verbs::{PAGE_DEFAULT, PAGE_MAX, Page};

use crate::done::Done;
use crate::failure::Failure;

/// A page being gathered. The records that are not shared by two scopes come scope by scope.
#[derive(Debug)]
pub(crate) struct Pager<T> {
    after: String,
    limit: u32,
    items: Vec<T>,
}

impl<T> Pager<T> {
    /// The page after `cursor`, of at most `limit` records. `key_of` names what a cursor holds: it
    /// answers whether a text can be the key of a record of this list.
    pub(crate) fn new(
        cursor: Option<&str>,
        limit: Option<u32>,
        is_key: impl Fn(&str) -> bool,
    ) -> Result<Self, Failure> {
        let after = match cursor {
            None => String::new(),
            Some(cursor) => URL_SAFE_NO_PAD
                .decode(cursor)
                .ok()
                .and_then(|bytes| String::from_utf8(bytes).ok())
                .filter(|key| is_key(key))
                .ok_or_else(bad_cursor)?,
        };
        let limit = limit.unwrap_or(PAGE_DEFAULT).clamp(1, PAGE_MAX);
        Ok(Self { after, limit, items: Vec::new() })
    }

    /// What to read from one scope: the keys after this one, and one more than fit.
    pub(crate) fn window(&self) -> (&str, u32) {
        (&self.after, self.limit.saturating_add(1))
    }

    /// Adds what one scope had.
    pub(crate) fn add(&mut self, items: Vec<T>) {
        self.items.extend(items);
    }

    /// The page, in the order of `key`.
    pub(crate) fn done(mut self, key: impl Fn(&T) -> String) -> Done<Page<T>> {
        self.items.sort_by_cached_key(&key);
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        let more = self.items.len() > limit;
        self.items.truncate(limit);
        let last = self.items.last().filter(|_| more);
        let cursor = last.map(|last| URL_SAFE_NO_PAD.encode(key(last)));
        let done = Done::of(Page { items: self.items, cursor });
        if more {
            done.hint(hint::Kind::MoreFollows, "The list goes on: send `cursor` to read the rest.")
        } else {
            done
        }
    }
}

fn bad_cursor() -> Refusal {
    Refusal::of_field(
        "cursor",
        "`cursor` is not one that this list has answered.",
        "Send the `cursor` of the page before, as it is, or leave it out to start anew.",
    )
}
