//! Owns `content.embed`: vectors that a caller gives for passages that they may read. Invariant: all
//! that is wrong with them is said together and then nothing is kept; a giver's vectors never replace
//! another's.

use std::collections::{HashMap, HashSet};

use contract::verbs::content as said;
use contract::{Code, Fault, Refusal, Written, hint};

use super::super::{Call, Sat, Seated, Unsat};
use crate::content::find;
use crate::content::vector::Vector;
use crate::content::vector::store::{self, Given, Held};

/// Of how many models one principal may give vectors.
const MODELS_MAX: i64 = 16;
/// How many vectors one principal may give in all.
const VECTORS_MAX: i64 = 500_000;
/// How many faults are told.
const FAULTS_MAX: usize = 32;

/// The vectors of an input by passage, and what is wrong with them.
#[derive(Debug, Default)]
struct Read {
    vectors: Vec<(i64, Vector)>,
    faults: Vec<Fault>,
}

impl Read {
    fn of(input: &said::EmbedInput, held: Held, chunks: &HashMap<u32, i64>, of: u32) -> Self {
        let mut read = Self::default();
        let first = input.vectors.first().map_or(0, |given| given.vector.len());
        let width = held.width.unwrap_or(first);
        let mut seen = HashSet::new();
        for (at, given) in input.vectors.iter().enumerate() {
            let chunk = chunks.get(&given.number).copied();
            if chunk.is_none() {
                let say = format!("There is no passage {}: this content has {of}.", given.number);
                read.fault(at, "number", say, "Send numbers that `content.passages` answers.");
            }
            if !seen.insert(given.number) {
                let say = format!("Passage {} is given twice.", given.number);
                read.fault(at, "number", say, "Give one vector for each passage.");
            }
            match Vector::of(&given.vector) {
                Err(unfit) => read.fault(at, "vector", format!("{unfit}."), &unfit.fix()),
                Ok(vector) if vector.width() != width => {
                    let of = if held.width.is_some() { "you gave before" } else { "of the first" };
                    let say = format!("It has {} numbers, and those {of} {width}.", vector.width());
                    let fix =
                        "Send vectors of one width by one model; another width is another model.";
                    read.fault(at, "vector", say, fix);
                }
                Ok(vector) => read.vectors.extend(chunk.map(|chunk| (chunk, vector))),
            }
        }
        read
    }

    fn fault(&mut self, at: usize, field: &str, say: String, fix: &str) {
        if self.faults.len() < FAULTS_MAX {
            self.faults.push(Fault::new(format!("vectors.{at}.{field}"), say, fix));
        }
    }
}

/// What one principal may not go beyond.
fn within(input: &said::EmbedInput, held: Held) -> Result<(), Unsat> {
    let more = i64::try_from(input.vectors.len()).unwrap_or(i64::MAX);
    let (field, say) = if held.width.is_none() && held.models >= MODELS_MAX {
        (
            "model",
            format!("You have given vectors of {} models, the most there may be.", held.models),
        )
    } else if held.vectors.saturating_add(more) > VECTORS_MAX {
        ("vectors", format!("You have given {} vectors; {VECTORS_MAX} are the most.", held.vectors))
    } else {
        return Ok(());
    };
    let mut refusal =
        Refusal::new(Code::WrongState, say, "Vectors go when the content that they are of goes.");
    refusal.field = Some(field.to_owned());
    Err(refusal.into())
}

pub(in super::super) async fn embed(call: &Call<'_, '_>) -> Seated {
    let input: said::EmbedInput = call.input()?;
    let record = call.row(input.handle).await?;
    let permit = call.at_handle()?;
    let giver = permit.principal();
    let mut reading = call.worker.store().readers().begin().await?;
    let of = find::count(&mut reading, &record).await?;
    if of == 0 {
        return Err(super::no_passages(&record));
    }
    let numbers: Vec<u32> = input.vectors.iter().map(|given| given.number).collect();
    let chunks = find::chunks(&mut reading, &permit, &record, &numbers).await?;
    let held = store::held(&mut reading, giver, &input.model).await?;
    drop(reading);
    let read = Read::of(&input, held, &chunks, of);
    if !read.faults.is_empty() {
        return Err(Refusal::of_input(read.faults).into());
    }
    within(&input, held)?;
    let width = read.vectors.first().map_or(0, |(_, vector)| vector.width());
    let short = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let given = short(read.vectors.len());
    let mut sat = Sat::of(&said::Embedded {
        handle: record.id,
        model: input.model.clone(),
        width: short(width),
        given,
        of,
    });
    sat.envelope.written.push(Written::new("content_vectors", record.id, 1));
    sat.changes.push(Box::new(Given {
        unmasked: crate::worker::render::unmasks(call.found, &record.scope),
        scope: record.scope,
        principal: record.principal,
        giver,
        model: input.model,
        vectors: read.vectors,
    }));
    if given < of {
        let say =
            "`content.passages` says, with `model`, which passages have no vector of yours yet.";
        sat = sat.hint(hint::Kind::NextStep, say);
    }
    Ok(sat)
}
