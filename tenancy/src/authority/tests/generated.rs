//! Owns generated tenants and what must hold for every one of them.

use contract::{Action, Scope};
use proptest::prelude::*;

use super::{PRIMARY, at, called, id, scope, version, when};
use crate::authority::{
    Asked, GrantVerdict, Now, Objection, Reason, Subject, decide, explain, pack_allows, places,
    resume,
};
use crate::role::ActionSet;
use crate::token::Kind;
use crate::view::sample::{World, hash, name};
use crate::view::{AuthorityView, Document, PackRef, Token};

/// Scopes that exist, with twins by prefix; then what does not, and a neighbour's.
pub(super) const SCOPES: [&str; 7] =
    ["acme", "acme/a", "acme/ab", "acme/a/x", "acme/a/xy", "acme/ab/x", "acme/b"];
const ABSENT: [&str; 4] = ["acme/c", "acme/a/z", "globex", "globex/a"];
const ROLES: [&str; 7] = ["owner", "owner", "member", "viewer", "approver", "own", "ghost"];
pub(super) const PRINCIPALS: u32 = 3;
pub(super) const TOKENS: u32 = 6;

/// A few actions that tell the roles apart, two of them only for people.
pub(super) const ACTIONS: [Action; 6] = [
    Action::ScopeRead,
    Action::CallRead,
    Action::CallWrite,
    Action::Unmask,
    Action::ApprovalDecide,
    Action::ToolClassify,
];

fn end() -> impl Strategy<Value = Option<i64>> {
    prop_oneof![4 => Just(None), 1 => (1_i64..9).prop_map(Some)]
}

type Narrowing = (Option<&'static str>, Option<Vec<Action>>, Option<i64>, bool);

fn narrowing() -> impl Strategy<Value = Narrowing> {
    let place = proptest::option::weighted(0.3, proptest::sample::select(&SCOPES[..]));
    let actions =
        proptest::option::weighted(0.2, proptest::sample::subsequence(&ACTIONS[..], 0..6));
    (place, actions, end(), proptest::bool::weighted(0.05))
}

/// Whose token it is, whose child it may be, what kind, how narrowed, and to what packs bound.
fn token() -> impl Strategy<Value = (u32, Option<u32>, bool, Narrowing, Vec<PackRef>)> {
    let live = PackRef { name: name("live"), version: None };
    let pinned = PackRef { name: name("pinned"), version: Some(1) };
    let packs = proptest::sample::subsequence(vec![live, pinned], 0..=2);
    let parent = proptest::option::weighted(0.5, 0..20_u32);
    (1..=PRINCIPALS, parent, any::<bool>(), narrowing(), packs)
}

type Given = (u32, &'static str, &'static str, Option<i64>, bool);

fn grant() -> impl Strategy<Value = Given> {
    let place = proptest::sample::select([&SCOPES[..], &ABSENT[..2], &["acme"; 4]].concat());
    let role = proptest::sample::select(&ROLES[..]);
    (1..=PRINCIPALS, place, role, end(), proptest::bool::weighted(0.15))
}

fn put_token(
    world: World,
    number: u32,
    made: (u32, Option<u32>, bool, Narrowing, Vec<PackRef>),
) -> World {
    let (principal, parent, user, (place, actions, expires, revoked), packs) = made;
    let world = match parent {
        // One in twenty has a parent that is not known.
        Some(0) => world
            .token(10 + number, principal)
            .with_token(10 + number, |token| token.parent = Some(id(999))),
        Some(parent) if number > 0 => world.child(10 + number, 10 + parent % number),
        _ => world.token(10 + number, principal),
    };
    world.with_token(10 + number, |token| {
        token.kind = if user { Kind::User } else { Kind::Agent };
        token.scope = place.map(scope);
        token.actions = actions.map(|actions| ActionSet::of(&actions));
        token.expires = expires.map(at);
        token.revoked = revoked;
        token.packs = packs;
    })
}

/// How many ancestors it has, one that is not known included.
fn depth(document: &Document, token: &Token) -> usize {
    let Some(parent) = token.parent else { return 0 };
    let known = document.tokens.iter().find(|token| token.id == parent);
    1 + known.map_or(0, |parent| depth(document, parent))
}

/// A tenant: a tree with archived parts, principals, grants and lines of tokens.
pub(super) fn tenant() -> impl Strategy<Value = World> {
    let archived = proptest::collection::vec(proptest::bool::weighted(0.15), SCOPES.len());
    let principals = proptest::collection::vec((any::<bool>(), proptest::bool::weighted(0.05)), 3);
    let tokens = proptest::collection::vec(token(), TOKENS as usize);
    let grants = proptest::collection::vec(grant(), 0..16);
    let own = proptest::sample::subsequence(&ACTIONS[..], 0..6);
    (archived, principals, tokens, grants, own).prop_map(
        |(archived, principals, tokens, grants, own)| {
            let mut world = World::acme().but(|document| document.scopes.clear()).role("own", &own);
            world = world.pack("pinned", 1, &[(5, 1, 1)]);
            for (place, archived) in SCOPES.into_iter().zip(archived) {
                world = world.scope(place, archived);
            }
            for (number, (user, suspended)) in (1..).zip(principals) {
                world = if user { world.user(number) } else { world.agent(number) };
                world.0.principals.last_mut().expect("was just made").suspended = suspended;
            }
            for (number, made) in (0..).zip(tokens) {
                world = put_token(world, number, made);
            }
            let deep = |token: &Token| depth(&world.0, token) > 3;
            let deep: Vec<_> =
                world.0.tokens.iter().filter(|token| deep(token)).map(|t| t.id).collect();
            world.0.tokens.retain(|token| !deep.contains(&token.id));
            for (number, (principal, place, role, expires, revoked)) in (50..).zip(grants) {
                world = world.grant(number, principal, place, role).with_grant(number, |grant| {
                    (grant.expires, grant.revoked) = (expires.map(at), revoked);
                });
            }
            world
        },
    )
}

/// One question about a tenant: by which token, what, where, when.
pub(super) fn question() -> impl Strategy<Value = (u32, Action, Scope, Now)> {
    let place = proptest::sample::select([&SCOPES[..], &ABSENT[..]].concat()).prop_map(scope);
    (10..10 + TOKENS, proptest::sample::select(&ACTIONS[..]), place, (0_i64..6).prop_map(when))
}

pub(super) fn outcome(
    view: &AuthorityView,
    token: u32,
    action: Action,
    target: &Scope,
    now: Now,
) -> Result<(), Reason> {
    let found = resume(view, &PRIMARY, id(token), now);
    let decided = found.and_then(|caller| decide(&PRIMARY, &caller, action, target, now).permit());
    match decided {
        Ok(_) => Ok(()),
        Err(Objection::Refused(reason)) => Err(reason),
        Err(Objection::Unavailable) => panic!("the control plane is never without a lease"),
    }
}

proptest! {
    #[test]
    fn narrowing_only_ever_takes_away(
        tenant in tenant(), narrow in narrowing(), (token, action, target, now) in question()
    ) {
        let whole = tenant.clone().view();
        prop_assume!(whole.token(id(token)).is_some());
        let cut = tenant.with_token(token, |token| {
            let (place, actions, expires, revoked) = narrow;
            token.scope = token.scope.take().or_else(|| place.map(scope));
            token.actions = token.actions.or_else(|| actions.map(|actions| ActionSet::of(&actions)));
            token.expires = token.expires.or_else(|| expires.map(at));
            token.revoked |= revoked;
        });
        let cut = cut.view();
        for other in 10..10 + TOKENS {
            if outcome(&cut, other, action, &target, now).is_ok() {
                prop_assert!(outcome(&whole, other, action, &target, now).is_ok());
            }
        }
    }

    #[test]
    fn a_child_may_nothing_that_its_parent_may_not(
        tenant in tenant(), (_, action, target, now) in question()
    ) {
        let children: Vec<_> = tenant.0.tokens.iter().cloned().filter_map(|t| Some((t.parent?, t))).collect();
        let view = tenant.view();
        for (parent, child) in children {
            let Ok(child) = resume(&view, &PRIMARY, child.id, now) else { continue };
            let parent = resume(&view, &PRIMARY, parent, now).expect("outlives its child");
            let may = |caller| decide(&PRIMARY, caller, action, &target, now).permit().is_ok();
            prop_assert!(!may(&child) || may(&parent));
            for tool in [called(5, version(1, 1), false), called(5, version(2, 1), true)] {
                prop_assert!(!pack_allows(&child, &tool) || pack_allows(&parent, &tool));
            }
        }
    }

    #[test]
    fn an_explanation_says_what_was_decided_and_what_would_help_helps(
        tenant in tenant(), (token, action, target, now) in question()
    ) {
        let view = tenant.clone().view();
        prop_assume!(view.token(id(token)).is_some());
        let decided = outcome(&view, token, action, &target, now);
        let asked = Asked { action, target: &target, called: None };
        let said = explain(&view, &PRIMARY, Subject::Token(id(token)), &asked, now);
        let said = said.expect("is explained");
        prop_assert_eq!(said.reason, decided.err());
        prop_assert_eq!(said.permitted, decided.is_ok());
        let ungranted = said.steps.iter().any(|step| {
            matches!(step.reason, Some(Reason::NoGrant | Reason::ForeignIdentity))
        });
        let gives = said.grants.iter().any(|seen| seen.verdict == GrantVerdict::Gives);
        prop_assert_eq!(gives, !ungranted);
        prop_assert_eq!(said.winning_grant.is_some(), gives);
        for remedy in &said.what_would_change {
            let mut helped = tenant.clone().grant(90, 1, remedy.scope.as_str(), remedy.role.as_str());
            helped.0.grants.last_mut().expect("was just given").principal = said.principal;
            prop_assert_eq!(outcome(&helped.view(), token, action, &target, now), Ok(()));
        }
    }

    #[test]
    fn places_are_exactly_where_it_is_permitted(
        tenant in tenant(), (token, action, _, now) in question()
    ) {
        let view = tenant.view();
        let Ok(caller) = resume(&view, &PRIMARY, id(token), now) else { return Ok(()) };
        let listed = places(&PRIMARY, &caller, action, now).expect("is decided");
        for place in SCOPES.iter().chain(&ABSENT).map(|place| scope(place)) {
            let may = outcome(&view, token, action, &place, now).is_ok();
            prop_assert_eq!(listed.contains(&&place), may, "{}", place);
        }
    }
}

#[test]
fn a_hundred_thousand_more_grants_that_do_not_apply_change_no_answer() {
    let few = World::acme()
        .agent(1)
        .token(10, 1)
        .grant(20, 1, "acme/shop", "member")
        .with_grant(20, |grant| grant.expires = Some(at(50)))
        .view();
    let mut many = World::acme().agent(1).agent(2).token(10, 1);
    let places = ["acme", "acme/shop", "acme/shop/returns", "acme/shopping"];
    let template = World::acme().grant(0, 2, "acme", "viewer").0.grants.remove(0);
    many.0.grants = (0..100_000_u32)
        .map(|number| {
            let mut grant = template.clone();
            grant.id = id(1_000 + number);
            grant.scope = scope(places[number as usize % places.len()]);
            // Some are another's, some revoked, some long over, and some last as long as the one.
            match number % 4 {
                0 => (grant.principal, grant.role) = (id(2), name("owner")),
                1 => (grant.principal, grant.role, grant.revoked) = (id(1), name("owner"), true),
                2 => (grant.principal, grant.expires) = (id(1), Some(at(i64::from(number % 9)))),
                _ => {
                    grant.scope = scope("acme/shop/returns");
                    (grant.principal, grant.expires) = (id(1), Some(at(50)));
                    grant.role = name("member");
                }
            }
            grant
        })
        .collect();
    let many = many
        .grant(20, 1, "acme/shop", "member")
        .with_grant(20, |grant| grant.expires = Some(at(50)));
    let many = many.view();
    assert_eq!(many.token(id(10)).map(|token| token.hash), Some(hash(10)));
    for place in ["acme", "acme/shop", "acme/shop/checkout", "acme/shop/returns", "acme/shopping"] {
        for action in [Action::CallRead, Action::ScopeManage, Action::Unmask] {
            for now in [49, 50].map(when) {
                let target = scope(place);
                assert_eq!(
                    outcome(&many, 10, action, &target, now),
                    outcome(&few, 10, action, &target, now),
                    "{action} at {place}, {now:?}"
                );
            }
        }
    }
}
