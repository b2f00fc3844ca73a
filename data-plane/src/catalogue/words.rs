//! Which tools a task in plain words means.
//!
//! Owns an index in memory of the words of a catalogue: names, server, place, description and
//! arguments of every tool. It is built once, when a catalogue is installed, and never changed by
//! a search. Invariants: a search is a function of index, query and the answers of `may`; no doc
//! is given back for which `may` has not said true; the work of a search is bounded whatever the
//! query. There is no vector here: without an embedder, words are all there is to go by.
//!
//! Up to five rankings are fused: by the words themselves, with kin words (`bill` for `invoice`),
//! by the names alone, by the names and how what is said of a tool begins, and, where the index does not know a word of the query, with words that
//! are near it.

mod field;
mod index;
mod kin;
mod near;
mod plan;
mod query;
mod rank;
mod split;
mod stem;
mod stop;

#[cfg(test)]
mod tests;

/// One tool, as it is read for the index. What is empty is left out.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Doc<'a> {
    /// Name of the tool, `invoice.lookup`.
    pub(crate) name: &'a str,
    /// Name of its server.
    pub(crate) server: &'a str,
    /// The server's title.
    pub(crate) title: &'a str,
    /// Where the server is, as a caller writes it: `shop/checkout`, `~ace`.
    pub(crate) place: &'a str,
    /// What the tool is said to do.
    pub(crate) about: &'a str,
    /// Name and description of every argument; the description may be empty.
    pub(crate) arguments: &'a [(String, String)],
    /// The effect as on the wire; any other text if it is not classified.
    pub(crate) effect: &'a str,
}

/// A tool that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Hit {
    /// Position of the tool among the docs that were indexed.
    pub(crate) doc: u32,
    /// What the fusion gave it, above 0 and descending. It comes from places among all tools, so
    /// it tells of tools the caller may not call: it is for comparing within one search and is
    /// never shown.
    pub(crate) score: f32,
}

/// The words of a catalogue.
#[derive(Debug)]
pub(crate) struct Words {
    index: index::Index,
}

impl Words {
    /// Indexes tools. The number of a doc is its position.
    pub(crate) fn build<'a>(docs: impl IntoIterator<Item = Doc<'a>>) -> Self {
        Self { index: index::build(docs) }
    }

    /// The tools that a query means and `may` lets through, best first, ties by doc number; at
    /// most `limit`, and fewer only if no more of them match.
    ///
    /// `may` is asked in the order of the ranking, once for each doc, and no further than needed.
    /// The first 400 characters of the query are read.
    pub(crate) fn search(
        &self,
        query: &str,
        limit: usize,
        mut may: impl FnMut(u32) -> bool,
    ) -> Vec<Hit> {
        if limit == 0 {
            return Vec::new();
        }
        let asked = query::read(query, |stem| self.index.term(stem).is_some());
        let plan = plan::plan(&self.index, &asked.words);
        rank::rank(&self.index, &plan, asked.sense).filter(|hit| may(hit.doc)).take(limit).collect()
    }

    /// Bytes that the index holds, without what the allocator adds.
    #[cfg(test)]
    fn bytes(&self) -> usize {
        self.index.bytes()
    }
}
