//! Owns `content.search`: by words, and by a vector where there is one. Invariant: both lists are of
//! one read of the store, and each hit says which of them found it and where.

use std::collections::HashMap;

use contract::verbs::content as said;
use contract::{Labels, Refusal, hint};

use super::super::{Call, Sat, Seated, Unsat};
use super::reach::{self, Compared, Parts, filter_of};
use crate::content::find::Passage;
use crate::content::slice::cut_before;
use crate::content::vector::embedder::Meaning;
use crate::content::vector::rank::{self, Fused};
use crate::content::words;

/// How much of a passage is shown where no word says which part of it matched, in bytes.
const SHOWN_BYTES: usize = 320;

/// What the query means, if a vector was given or can be made. `true` if the caller gave it: then it is
/// compared or the search is refused.
async fn meaning(
    call: &Call<'_, '_>,
    input: &said::SearchInput,
) -> Result<Option<(Meaning, bool)>, Unsat> {
    let given = reach::given(input.vector.as_deref(), input.model.as_deref());
    match given.map_err(Refusal::of_input)? {
        Some(meaning) => Ok(Some((meaning, true))),
        None => match call.worker.embedder().meaning(&input.query).await {
            Some(made) if input.model.as_ref().is_none_or(|model| *model == made.model) => {
                Ok(Some((made, false)))
            }
            _ if input.model.is_none() => Ok(None),
            _ => Err(Refusal::of_field(
                "vector",
                "A model is named, and no vector of it is given.",
                "Send what the query means as `vector`, or leave `model` out.",
            )
            .into()),
        },
    }
}

pub(in super::super) async fn search(call: &Call<'_, '_>) -> Seated {
    let input: said::SearchInput = call.input()?;
    let limit = usize::try_from(input.limit.unwrap_or(10)).unwrap_or(10);
    let k = input.k.unwrap_or(rank::K_DEFAULT);
    let meaning = meaning(call, &input).await?;
    let query = words::fts5_query(&input.query);
    if query.is_none() && meaning.is_none() {
        return Ok(nothing("The query holds no word to look for."));
    }
    let parts = Parts::of(call, filter_of!(input))?;
    let mut reading = call.worker.store().readers().begin().await?;
    let by_words = match &query {
        Some(query) => parts.by_words(&mut reading, query, limit.max(rank::DEPTH)).await?,
        None => Vec::new(),
    };
    let by_meaning = match &meaning {
        None => None,
        Some((meaning, given)) => {
            match parts.by_meaning(&mut reading, meaning, limit.max(rank::DEPTH)).await {
                Ok(compared) => Some((meaning, compared)),
                // What the platform made of the query by itself has nothing to be compared with.
                Err(Unsat::Refused(_)) if !given => None,
                Err(unsat) => return Err(unsat),
            }
        }
    };
    drop(reading);
    let compared = by_meaning.as_ref().map(|(_, compared)| compared);
    let fused = fuse(by_words, compared, k, limit);
    if fused.is_empty() {
        return Ok(parts.told(nothing("Nothing that is held matches."), compared));
    }
    let labels = fused.iter().fold(Labels::NONE, |labels, (_, found)| labels | found.record.labels);
    let source = fused.first().map(|(_, found)| found.record.id.to_string()).unwrap_or_default();
    let fusion = by_meaning
        .as_ref()
        .map(|(meaning, compared)| reach::fusion(meaning, compared, k, limit.max(rank::DEPTH)));
    let mode = if fusion.is_some() { "words_and_vectors" } else { "words" };
    let words_only = fusion.is_none();
    let hits = fused.into_iter().map(|(places, found)| hit(places, found)).collect();
    let mut sat = Sat::of(&said::Found { hits, mode: mode.to_owned(), fusion });
    if words_only {
        let say = "Found by words alone: there is no vector to compare with.";
        sat = sat.hint(hint::Kind::WordsOnly, say);
    }
    sat.labels = labels;
    sat.source = source;
    Ok(parts.told(sat, compared))
}

/// The best of both lists, each with its passage: that found by words where there is one, since it says
/// which part matched.
fn fuse(
    by_words: Vec<Passage>,
    compared: Option<&Compared>,
    k: u32,
    limit: usize,
) -> Vec<(Fused<i64>, Passage)> {
    let near = compared.map_or(&[][..], |compared| &compared.near);
    let vectors: Vec<i64> = near.iter().map(|near| near.passage.chunk).collect();
    let words: Vec<i64> = by_words.iter().map(|passage| passage.chunk).collect();
    let mut passages: HashMap<i64, Passage> = near.iter().map(shortened).collect();
    passages.extend(by_words.into_iter().map(|passage| (passage.chunk, passage)));
    let best = rank::fuse(&words, &vectors, k).into_iter().take(limit);
    best.filter_map(|fused| Some((fused, passages.remove(&fused.item)?))).collect()
}

fn shortened(near: &reach::Near) -> (i64, Passage) {
    let mut passage = near.passage.clone();
    let end = cut_before(&passage.text, SHOWN_BYTES);
    if end < passage.text.len() {
        passage.text.truncate(end);
        passage.text.push('…');
    }
    (passage.chunk, passage)
}

fn hit(places: Fused<i64>, found: Passage) -> said::Hit {
    said::Hit {
        handle: found.record.id,
        address: found.record.address,
        labels: found.record.labels,
        passage: found.text,
        number: found.number,
        words_rank: places.words,
        vector_rank: places.vectors,
    }
}

fn nothing(say: &str) -> Sat {
    Sat::of(&said::Found { hits: Vec::new(), mode: "words".to_owned(), fusion: None }).hint(
        hint::Kind::LookElsewhere,
        format!("{say} Find a tool that can fetch it with `catalogue_search`."),
    )
}
