//! Owns the decision: from the text of a token to a permit, over views of different sizes. Invariant:
//! callers come in turn, a different one each time; so many as are at work at once, and then all there
//! are, of whom nothing is in the processor's cache any more when their turn comes again.

use std::hint::black_box;
use std::time::Instant;

use anyhow::{Context, bail};
use contract::{Action, Id, Name, Scope};
use tenancy::authority::{self, Called, Decision, Now, Version};
use tenancy::clock::{Machine, new_id};
use tenancy::lease::{Lease, Standing};
use tenancy::token::{self, Presented, Route};
use tenancy::view::{
    AuthorityView, Document, Grant, LIVE, PackRef, Principal, PrincipalKind, ScopeRecord, Stage,
    Token,
};

use super::Plan;
use crate::report::{Figure, Plain, Target};
use crate::stat::{Spread, real};

/// Grants in a view.
const SIZES: [usize; 3] = [10, 1_000, 100_000];
/// Grants of one principal.
const EACH: usize = 10;
/// Projects of one group, and groups of the identity at the most.
const PROJECTS: usize = 10;
const GROUPS_MAX: usize = 100;
/// How many callers are at work at once.
const AT_WORK: usize = 64;
/// Decisions in one round: about a millisecond of them, so that few rounds are interrupted and the
/// median is of those that were not.
const DECISIONS: usize = 2_000;

/// A view, and who asks it what.
struct Asked {
    view: AuthorityView,
    questions: Vec<(String, Scope)>,
}

/// Measures every size in turn, round by round.
///
/// # Errors
/// When a decision is another than yes.
pub(crate) fn figures(plan: Plan) -> anyhow::Result<Vec<Figure>> {
    let mut sizes = SIZES.into_iter().map(asked).collect::<anyhow::Result<Vec<_>>>()?;
    let everyone = sizes.last().map(|last| last.questions.clone()).unwrap_or_default();
    for size in &mut sizes {
        let apart = size.questions.len().div_ceil(AT_WORK).max(1);
        size.questions = size.questions.iter().step_by(apart).cloned().collect();
    }
    let mut rounds: Vec<Vec<f64>> = Vec::new();
    for _ in 0..plan.pick(51, 401) {
        let skip = rounds.len() * DECISIONS;
        let mut found: Vec<f64> = sizes
            .iter()
            .map(|size| round(size, &size.questions, skip))
            .collect::<Result<_, _>>()?;
        if let Some(largest) = sizes.last() {
            found.push(round(largest, &everyone, skip)?);
        }
        rounds.push(found);
    }
    let over = |of: &dyn Fn(&[f64]) -> Option<f64>| {
        Spread::of(&rounds.iter().filter_map(|round| of(round)).collect::<Vec<_>>())
    };
    let at = |size: usize| over(&|round: &[f64]| round.get(size).copied());
    let of_first = |size: usize| over(&|round: &[f64]| Some(round.get(size)? / round.first()?));
    let said =
        |size: usize| format!("{} against {} ns", Plain(at(size).median), Plain(at(0).median));
    let what = "64 callers in turn: token parsed, hashed and looked up, lease compared, decision";
    Ok(vec![
        Figure::new("decision.1k_over_10", "with 1,000 grants over with 10", of_first(1))
            .target(Target::AtMost(2.0))
            .detail(said(1)),
        Figure::new("decision.100k_over_10", "with 100,000 grants over with 10", of_first(2))
            .target(Target::AtMost(2.0))
            .detail(said(2)),
        Figure::new("decision.10_ns", &format!("{what}, 10 grants"), at(0))
            .unit("ns")
            .target(Target::AtMost(500.0)),
        Figure::new("decision.100k_ns", &format!("{what}, 100,000 grants"), at(2))
            .unit("ns")
            .target(Target::AtMost(500.0)),
        Figure::new(
            "decision.100k_everyone_ns",
            "the same with all 10,000 callers in turn, of whom the processor's cache holds nothing",
            at(3),
        )
        .unit("ns"),
    ])
}

/// Nanoseconds of one decision, from question `skip` on.
fn round(asked: &Asked, questions: &[(String, Scope)], skip: usize) -> anyhow::Result<f64> {
    let called = Called {
        tool: new_id(&Machine),
        version: Version { declaration: 1, classification: 1 },
        newest: true,
    };
    let now = Now::of(&Machine);
    let standing = Standing::Held(Lease { epoch: 1, ends_boot_ms: u64::MAX });
    let skip = skip % questions.len().max(1);
    let mut questions = questions.iter().cycle();
    if let Some(last) = skip.checked_sub(1) {
        questions.nth(last);
    }
    let start = Instant::now();
    for (text, target) in questions.take(DECISIONS) {
        let presented = Presented::parse(black_box(text)).context("a token")?;
        let (hash, kind) = (presented.hash(), presented.kind());
        let caller = authority::authenticate(&asked.view, &standing, &hash, kind, now)?;
        let action = Action::CallRead;
        let decision =
            authority::decide_call(&standing, &caller, &called, action, black_box(target), now);
        if !matches!(black_box(decision), Decision::Permit(_)) {
            bail!("a caller was refused what it was granted");
        }
    }
    Ok(start.elapsed().as_secs_f64() * 1e9 / real(DECISIONS))
}

fn asked(grants: usize) -> anyhow::Result<Asked> {
    let identity: Name = "acme".parse()?;
    let route = Route::of(new_id(&Machine));
    let mut document = Document::empty(identity, new_id(&Machine), 1);
    let projects = scopes(&mut document, grants)?;
    let mut questions = Vec::new();
    for number in 0..grants.div_ceil(EACH) {
        let principal = new_id(&Machine);
        document.principals.push(Principal {
            id: principal,
            kind: PrincipalKind::Agent,
            name: format!("bot{number}").parse()?,
            display: None,
            stage: Stage::Autonomous,
            suspended: false,
        });
        let own: Vec<Scope> =
            projects.iter().cycle().skip(number * 7).take(EACH).cloned().collect();
        for scope in &own {
            document.grants.push(grant(principal, scope)?);
        }
        let secret = token::mint(&Machine, token::Kind::Agent, &route);
        document.tokens.push(bearer(principal, &secret)?);
        let target = own.get(number % own.len().max(1)).context("a scope")?;
        questions.push((secret.expose().to_owned(), target.clone()));
    }
    Ok(Asked { view: AuthorityView::new(document)?, questions })
}

/// As many projects as are granted, up to a thousand, in their groups.
fn scopes(document: &mut Document, grants: usize) -> anyhow::Result<Vec<Scope>> {
    let mut projects = Vec::new();
    for group in 0..grants.div_ceil(PROJECTS).min(GROUPS_MAX) {
        let place = format!("acme/g{group}");
        document.scopes.push(record(place.parse()?));
        for project in 0..PROJECTS {
            let scope: Scope = format!("{place}/p{project}").parse()?;
            document.scopes.push(record(scope.clone()));
            projects.push(scope);
        }
    }
    Ok(projects)
}

fn record(scope: Scope) -> ScopeRecord {
    ScopeRecord { id: scope.to_string(), scope, archived: false }
}

fn grant(principal: Id<contract::id::Principal>, scope: &Scope) -> anyhow::Result<Grant> {
    Ok(Grant {
        id: new_id(&Machine),
        principal,
        scope: scope.clone(),
        role: "member".parse()?,
        expires: None,
        revoked: false,
    })
}

fn bearer(principal: Id<contract::id::Principal>, secret: &token::Secret) -> anyhow::Result<Token> {
    Ok(Token {
        id: new_id(&Machine),
        principal,
        kind: token::Kind::Agent,
        parent: None,
        family: None,
        hash: secret.hash(),
        scope: None,
        actions: None,
        packs: vec![PackRef { name: LIVE.parse()?, version: None }],
        expires: None,
        revoked: false,
    })
}
