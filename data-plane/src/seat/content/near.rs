//! Owns `content.near`: passages nearest in meaning. Invariant: it is never answered from words; where
//! there is no vector to compare with, it is refused.

use contract::verbs::content as said;
use contract::{Code, Fault, Labels, Refusal, hint};
use sqlx::SqliteConnection;

use super::super::{Call, Sat, Seated, Unsat};
use super::reach::{self, Near, Parts, filter_of};
use crate::content::find;
use crate::content::store::Record;
use crate::content::vector::embedder::Meaning;
use crate::content::vector::store as vectors;

/// What is looked for: its meaning and, if it is a passage that is held, its row and its labels.
#[derive(Debug)]
struct Sought {
    meaning: Meaning,
    chunk: Option<i64>,
    labels: Labels,
}

impl Sought {
    fn of(meaning: Meaning) -> Self {
        Self { meaning, chunk: None, labels: Labels::NONE }
    }
}

/// What is wrong with what was given, all together.
fn faults(input: &said::NearInput) -> Vec<Fault> {
    let given = [input.vector.is_some(), input.handle.is_some(), input.text.is_some()].into_iter();
    let fix = "Give one of `vector`, `handle` and `text`.";
    let mut faults = match given.filter(|given| *given).count() {
        1 => Vec::new(),
        0 => vec![Fault::new("vector", "Nothing says what to find the nearest of.", fix)],
        _ => {
            vec![Fault::new("vector", "More than one thing says what to find the nearest of.", fix)]
        }
    };
    if input.number.is_some() && input.handle.is_none() {
        let say = "A passage's number says nothing without its content.";
        faults.push(Fault::new("number", say, "Give `handle` too, or leave `number` out."));
    }
    if input.handle.is_some() && input.model.is_none() {
        let say = "Vectors are compared only inside one model, and none is named.";
        faults.push(Fault::new("model", say, "Name the model whose vectors are to be compared."));
    }
    faults
}

/// What is looked for, before the store is read for it.
#[derive(Debug)]
enum Asked {
    /// A text of the caller's.
    Text(Meaning),
    /// A passage of this content.
    Passage(Box<Record>),
}

async fn asked(call: &Call<'_, '_>, input: &said::NearInput) -> Result<Asked, Unsat> {
    let mut faults = faults(input);
    match reach::given(input.vector.as_deref(), input.model.as_deref()) {
        Err(more) => faults.extend(more),
        Ok(Some(meaning)) if faults.is_empty() => return Ok(Asked::Text(meaning)),
        Ok(_) => {}
    }
    if !faults.is_empty() {
        return Err(Refusal::of_input(faults).into());
    }
    if let Some(handle) = input.handle {
        return Ok(Asked::Passage(Box::new(call.row(handle).await?)));
    }
    let text = input.text.as_deref().unwrap_or_default();
    let made = call.worker.embedder().meaning(text).await;
    made.filter(|made| input.model.as_ref().is_none_or(|model| *model == made.model))
        .map(Asked::Text)
        .ok_or_else(no_model)
}

fn no_model() -> Unsat {
    let mut refusal = Refusal::new(
        Code::NoVectors,
        "The platform has no model here that makes the vector of a text.",
        "Send the text's `vector` and the `model` that made it, or find by words with `content.search`.",
    );
    refusal.field = Some("text".to_owned());
    refusal.into()
}

/// The vector of a passage of content that is held.
async fn held(
    call: &Call<'_, '_>,
    record: &Record,
    input: &said::NearInput,
    connection: &mut SqliteConnection,
) -> Result<Sought, Unsat> {
    let number = input.number.unwrap_or(0);
    let model = input.model.as_deref().unwrap_or_default();
    let of = find::count(connection, record).await?;
    if of == 0 {
        return Err(super::no_passages(record));
    }
    if number >= of {
        let say = format!("There is no passage {number}: this content has {of}, counted from 0.");
        return Err(Refusal::of_field("number", say, format!("Send 0 to {}.", of - 1)).into());
    }
    let permit = call.at_handle()?;
    let unmasks = crate::worker::render::unmasks(call.found, &record.scope);
    let vector = vectors::of_passage(connection, &permit, unmasks, record, number, model).await?;
    let (chunk, vector) = vector.ok_or_else(|| {
        let mut refusal = Refusal::new(
            Code::NoVectors,
            format!("Passage {number} has no vector of `{model}` that you may use."),
            "Give it with `content.embed`, or find by words with `content.search`.",
        );
        refusal.field = Some("model".to_owned());
        Unsat::from(refusal)
    })?;
    let meaning = Meaning { model: model.to_owned(), vector };
    Ok(Sought { meaning, chunk: Some(chunk), labels: record.labels })
}

pub(in super::super) async fn near(call: &Call<'_, '_>) -> Seated {
    let input: said::NearInput = call.input()?;
    let limit = usize::try_from(input.limit.unwrap_or(5)).unwrap_or(5);
    let around = input.around.unwrap_or(1);
    let asked = asked(call, &input).await?;
    let mut reading = call.worker.store().readers().begin().await?;
    let sought = match asked {
        Asked::Text(meaning) => Sought::of(meaning),
        Asked::Passage(record) => held(call, &record, &input, &mut reading).await?,
    };
    let parts = Parts::of(call, filter_of!(input))?;
    // One more, since a passage is nearest to itself.
    let mut compared = parts.by_meaning(&mut reading, &sought.meaning, limit + 1).await?;
    compared.near.retain(|near| Some(near.passage.chunk) != sought.chunk);
    compared.near.truncate(limit);
    let me = call.found.asking.caller.principal().id;
    let (mut hits, mut room) = (Vec::new(), call.inline_limit());
    let mut labels = sought.labels;
    for near in &compared.near {
        let bytes = near.passage.text.len();
        if bytes > room && !hits.is_empty() {
            break;
        }
        room = room.saturating_sub(bytes);
        labels |= near.passage.record.labels;
        hits.push(hit(near, me));
    }
    // What is near comes first, what stands beside it as far as there is room.
    let mut cut = hits.len() < compared.near.len();
    for (hit, near) in hits.iter_mut().zip(&compared.near) {
        cut |= beside(&mut reading, &parts, near, around, hit, &mut room).await?;
    }
    drop(reading);
    let source = hits.first().map(|hit| hit.handle.to_string()).unwrap_or_default();
    let mut sat = Sat::of(&said::Nearest {
        hits,
        model: sought.meaning.model.clone(),
        compared: u64::try_from(compared.count).unwrap_or(u64::MAX),
    });
    if compared.near.is_empty() {
        let say = "No other passage that the filters let through has a vector of this model.";
        sat = sat.hint(hint::Kind::LookElsewhere, say);
    }
    if cut {
        let say = "Not all fits into one answer: `content.passages` reads what stands around a hit, and a \
                   smaller `limit` leaves room for it.";
        sat = sat.hint(hint::Kind::MoreFollows, say);
    }
    sat.labels = labels;
    sat.source = source;
    Ok(parts.told(sat, Some(&compared)))
}

fn hit(near: &Near, me: contract::Id<contract::id::Principal>) -> said::NearHit {
    let passage = &near.passage;
    said::NearHit {
        handle: passage.record.id,
        address: passage.record.address.clone(),
        labels: passage.record.labels,
        number: passage.number,
        passage: passage.text.clone(),
        // More digits than these say nothing: the numbers are kept in a byte each.
        likeness: (f64::from(near.like.like) * 10_000.0).round() / 10_000.0,
        given_by: if near.like.own { me } else { passage.record.principal },
        before: Vec::new(),
        after: Vec::new(),
    }
}

/// Adds what stands beside a hit, the nearest of it first, and takes it off `room`. Answers whether
/// something did not fit.
async fn beside(
    connection: &mut SqliteConnection,
    parts: &Parts,
    near: &Near,
    around: u32,
    hit: &mut said::NearHit,
    room: &mut usize,
) -> Result<bool, Unsat> {
    let number = hit.number;
    let numbers = number.saturating_sub(around)..number.saturating_add(around).saturating_add(1);
    let Some(permit) = parts.permit_of(&near.passage) else { return Ok(false) };
    let mut beside = find::numbered(connection, permit, &near.passage.record, numbers, "").await?;
    beside.retain(|one| one.number != number);
    beside.sort_by_key(|one| one.number.abs_diff(number));
    for one in beside {
        if one.text.len() > *room {
            return Ok(true);
        }
        *room -= one.text.len();
        if one.number < number {
            hit.before.insert(0, one.text);
        } else {
            hit.after.push(one.text);
        }
    }
    Ok(false)
}
