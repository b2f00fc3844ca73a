//! Owns how a search goes over everything that its caller may read: scope by scope, each under its own
//! permit, in one read of the store. Invariant: what is compared is all that may be, or the call is
//! refused and says why; nothing is answered approximately.

use std::collections::HashSet;

use contract::verbs::content as said;
use contract::{Action, Code, Fault, Refusal, hint};
use sqlx::SqliteConnection;
use tenancy::authority;
use tenancy::permit::Permit;

use super::super::{Call, Sat, Unsat};
use crate::content::find::{self, Filter, Passage, Reach};
use crate::content::vector::Vector;
use crate::content::vector::embedder::Meaning;
use crate::content::vector::rank::{Likeness, Ranking};
use crate::content::vector::store::{self, Block};

/// Over how many separately granted scopes one search goes.
const SCOPES_MAX: usize = 64;
/// How many vectors one search compares: what takes some tens of milliseconds.
const COMPARED_MAX: usize = 200_000;
/// How many of the nearest are looked up at a time, to see whether the filters let them through.
const PAGE: usize = 256;

/// A scope that is looked through.
#[derive(Debug)]
struct Part {
    permit: Permit,
    any: bool,
    unmasks: bool,
}

/// Everything that a search looks through.
#[derive(Debug)]
pub(super) struct Parts {
    /// None lies in another.
    scopes: Vec<Part>,
    /// How many scopes are left out.
    left_out: usize,
    filter: Filter,
}

/// A passage, and how near it is.
#[derive(Debug)]
pub(super) struct Near {
    pub(super) like: Likeness,
    pub(super) passage: Passage,
}

/// What comparing came to.
#[derive(Debug)]
pub(super) struct Compared {
    /// The nearest first.
    pub(super) near: Vec<Near>,
    /// How many vectors were compared.
    pub(super) count: usize,
    /// How many were not, since they have another width.
    of_other_width: usize,
}

impl Parts {
    /// A permit for each scope within home where the caller may read content, up to [`SCOPES_MAX`].
    pub(super) fn of(call: &Call<'_, '_>, filter: Filter) -> Result<Self, Unsat> {
        let asking = &call.found.asking;
        let home = asking.caller.home();
        let reachable =
            authority::reachable(&asking.standing, asking.caller, Action::ContentRead, asking.now)
                .unwrap_or_default();
        let within: Vec<_> = reachable
            .into_iter()
            .filter_map(|scope| match (home.covers(scope), scope.covers(home)) {
                (true, _) => Some(scope),
                (false, true) => Some(home),
                (false, false) => None,
            })
            .collect();
        let left_out = within.len().saturating_sub(SCOPES_MAX);
        let part = |scope: &contract::Scope| {
            Ok(Part {
                permit: call.permit(Action::ContentRead, scope)?,
                any: call.may(Action::ContentReadAny, scope),
                unmasks: crate::worker::render::unmasks(call.found, scope),
            })
        };
        let scopes = within.into_iter().take(SCOPES_MAX).map(part).collect::<Result<_, Unsat>>()?;
        Ok(Self { scopes, left_out, filter })
    }

    fn reaches(&self) -> impl Iterator<Item = Reach<'_>> {
        self.scopes.iter().map(|part| Reach {
            permit: &part.permit,
            any: part.any,
            unmasks: part.unmasks,
            filter: &self.filter,
        })
    }

    /// Passages by the words of an FTS5 query, best first.
    pub(super) async fn by_words(
        &self,
        connection: &mut SqliteConnection,
        query: &str,
        depth: usize,
    ) -> Result<Vec<Passage>, Unsat> {
        let mut all = Vec::new();
        for reach in self.reaches() {
            all.extend(find::by_words(connection, reach, query, depth).await?);
        }
        // Each scope's own are in order; only together they are the best of all.
        all.sort_by(|one, other| one.rank.total_cmp(&other.rank).then(one.chunk.cmp(&other.chunk)));
        all.truncate(depth);
        Ok(all)
    }

    /// Passages by likeness to a vector, the nearest first.
    pub(super) async fn by_meaning(
        &self,
        connection: &mut SqliteConnection,
        meaning: &Meaning,
        depth: usize,
    ) -> Result<Compared, Unsat> {
        let width = meaning.vector.width();
        let mut blocks = Vec::new();
        for reach in self.reaches() {
            blocks.push(store::blocks(connection, reach, &meaning.model).await?);
        }
        let count = |fits: bool| {
            let all = blocks.iter().flatten().filter(|block| (block.width == width) == fits);
            all.map(|block| block.live).sum::<usize>()
        };
        let (compared, of_other_width) = (count(true), count(false));
        if compared == 0 {
            let other = blocks.iter().flatten().map(|block| block.width).next();
            return Err(none_to_compare(meaning, other));
        }
        if compared > COMPARED_MAX {
            return Err(too_many(compared));
        }
        let mut near = Vec::new();
        for (reach, blocks) in self.reaches().zip(blocks) {
            near.extend(nearest(connection, reach, &blocks, &meaning.vector, depth).await?);
        }
        near.sort_by(|one: &Near, other| one.like.order(&other.like));
        near.truncate(depth);
        Ok(Compared { near, count: compared, of_other_width })
    }

    /// A permit under which a passage may be read.
    pub(super) fn permit_of(&self, passage: &Passage) -> Option<&Permit> {
        let permits = self.scopes.iter().map(|part| &part.permit);
        permits.into_iter().find(|permit| permit.scope().covers(&passage.record.scope))
    }

    /// What was found, and where it was not looked.
    pub(super) fn told(&self, sat: Sat, compared: Option<&Compared>) -> Sat {
        let mut sat = sat;
        if self.left_out > 0 {
            let say = format!(
                "The first {SCOPES_MAX} scopes were looked through, and {} more were not. Search again \
                 with a token that is narrowed to one of those, or ask for one grant above them all.",
                self.left_out
            );
            sat = sat.hint(hint::Kind::LookElsewhere, say);
        }
        match compared.map_or(0, |compared| compared.of_other_width) {
            0 => sat,
            other => sat.hint(
                hint::Kind::LookElsewhere,
                format!("{other} vectors of this model have another width and were not compared."),
            ),
        }
    }
}

/// The nearest of one part that may be read and that the filters let through.
async fn nearest(
    connection: &mut SqliteConnection,
    reach: Reach<'_>,
    blocks: &[Block],
    vector: &Vector,
    depth: usize,
) -> Result<Vec<Near>, Unsat> {
    let mut likes = Vec::new();
    for block in blocks.iter().filter(|block| block.width == vector.width()) {
        store::compare(connection, *block, vector, &mut likes).await?;
    }
    // Of two vectors of one passage the reader's own counts.
    let own: HashSet<i64> = likes.iter().filter(|one| one.own).map(|one| one.passage).collect();
    likes.retain(|one| one.own || !own.contains(&one.passage));
    let mut ranking = Ranking(likes);
    let mut near = Vec::new();
    while near.len() < depth {
        let page = ranking.take(PAGE);
        if page.is_empty() {
            break;
        }
        let chunks: Vec<i64> = page.iter().map(|one| one.passage).collect();
        for passage in find::by_chunks(connection, reach, &chunks).await? {
            let like = page.iter().find(|one| one.passage == passage.chunk).copied();
            near.extend(like.map(|like| Near { like, passage }));
        }
    }
    near.sort_by(|one, other| one.like.order(&other.like));
    near.truncate(depth);
    Ok(near)
}

/// What a caller gave, as a vector of a model; `vector` and `model` go together.
pub(super) fn given(
    vector: Option<&[f64]>,
    model: Option<&str>,
) -> Result<Option<Meaning>, Vec<Fault>> {
    match (vector, model) {
        (None, _) => Ok(None),
        (Some(numbers), model) => {
            let mut faults = Vec::new();
            if model.is_none() {
                let say = "Vectors are compared only inside one model, and none is named.";
                faults.push(Fault::new("model", say, "Name the model that made the vector."));
            }
            match (Vector::of(numbers), model) {
                (Ok(vector), Some(model)) => {
                    return Ok(Some(Meaning { model: model.to_owned(), vector }));
                }
                (Ok(_), None) => {}
                (Err(unfit), _) => {
                    faults.push(Fault::new("vector", format!("{unfit}."), unfit.fix()));
                }
            }
            Err(faults)
        }
    }
}

fn none_to_compare(meaning: &Meaning, other: Option<usize>) -> Unsat {
    let (model, width) = (&meaning.model, meaning.vector.width());
    let say = match other {
        None => format!("There is no vector of `{model}` among what you may read."),
        Some(other) => format!(
            "The vectors of `{model}` among what you may read have {other} numbers, and this has {width}."
        ),
    };
    let fix = "Give vectors with `content.embed`, or find by words with `content.search`.";
    let mut refusal = Refusal::new(Code::NoVectors, say, fix);
    refusal.field = Some(if other.is_some() { "vector" } else { "model" }.to_owned());
    refusal.into()
}

fn too_many(compared: usize) -> Unsat {
    let say = format!(
        "{compared} vectors would have to be compared, and {COMPARED_MAX} are the most: none was."
    );
    Refusal::new(Code::NoVectors, say, "Ask with a token that is narrowed to one group or project.")
        .into()
}

/// The filters of a search.
macro_rules! filter_of {
    ($input:expr) => {
        $crate::content::find::Filter {
            run: $input.run,
            address: $input.address.clone(),
            label: $input.label,
            media_type: $input.media_type.clone(),
            since: $input.since,
        }
    };
}
pub(super) use filter_of;

/// How two lists became one, as it is answered.
pub(super) fn fusion(meaning: &Meaning, compared: &Compared, k: u32, depth: usize) -> said::Fusion {
    said::Fusion {
        rule: "reciprocal_rank".to_owned(),
        k,
        depth: u32::try_from(depth).unwrap_or(u32::MAX),
        model: meaning.model.clone(),
        compared: u64::try_from(compared.count).unwrap_or(u64::MAX),
    }
}
