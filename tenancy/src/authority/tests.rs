mod generated;
mod matrix;
mod oracle;

use contract::{Action, Scope};

use super::*;
use crate::lease::{Lease, Standing};
use crate::role::{ActionSet, BuiltIn};
use crate::token::Kind;
use crate::view::AuthorityView;
use crate::view::sample::{World, at, hash, id, scope};

const MOMENT: Now = Now { wall: Timestamp::from_ms(100), boot_ms: 100 };
const PRIMARY: Standing = Standing::Primary;

fn when(ms: i64) -> Now {
    Now { wall: at(ms), ..MOMENT }
}

/// An agent that may call at `acme/shop`, and a user who owns `acme`, with a token each.
fn base() -> World {
    World::acme()
        .agent(1)
        .token(10, 1)
        .grant(20, 1, "acme/shop", "member")
        .user(2)
        .token(12, 2)
        .with_token(12, |token| token.kind = Kind::User)
        .grant(22, 2, "acme", "owner")
}

fn caller(view: &AuthorityView, token: u32) -> Caller<'_> {
    resume(view, &PRIMARY, id(token), MOMENT).expect("is alive")
}

/// Why a fresh call by the token is refused, if it is.
fn refusal(world: World, token: u32, action: Action, target: &str, now: Now) -> Option<Reason> {
    let view = world.view();
    let found = resume(&view, &PRIMARY, id(token), now);
    let decision =
        found.and_then(|caller| decide(&PRIMARY, &caller, action, &scope(target), now).permit());
    match decision {
        Ok(_) => None,
        Err(Objection::Refused(reason)) => Some(reason),
        Err(Objection::Unavailable) => panic!("the control plane is never without a lease"),
    }
}

fn call(world: World, target: &str) -> Option<Reason> {
    refusal(world, 10, Action::CallRead, target, MOMENT)
}

#[test]
fn a_permit_names_what_was_decided() {
    let view = base().view();
    let caller = authenticate(&view, &PRIMARY, &hash(10), Kind::Agent, MOMENT).expect("is known");
    let target = scope("acme/shop/checkout");
    let decision = decide(&PRIMARY, &caller, Action::CallRead, &target, MOMENT);
    let permit = decision.permit().expect("is permitted");
    assert_eq!((permit.identity().as_str(), permit.revision()), ("acme", 7));
    assert_eq!((permit.principal(), permit.token()), (id(1), id(10)));
    assert_eq!((permit.action(), permit.scope()), (Action::CallRead, &target));
}

#[test]
fn a_token_that_is_not_known_is_nobody() {
    let view = base().view();
    for (hash, kind) in [(hash(99), Kind::Agent), (hash(10), Kind::User), (hash(12), Kind::Agent)] {
        let found = authenticate(&view, &PRIMARY, &hash, kind, MOMENT);
        assert_eq!(found.err(), Some(Objection::Refused(Reason::UnknownToken)));
    }
    let orphan = base().but(|document| document.principals.retain(|record| record.id != id(1)));
    assert_eq!(call(orphan, "acme/shop"), Some(Reason::UnknownToken));
}

#[test]
fn a_grant_covers_its_scope_and_below_by_segment() {
    assert_eq!(call(base(), "acme/shop"), None);
    assert_eq!(call(base(), "acme/shop/checkout"), None);
    for beyond in ["acme", "acme/shopping"] {
        assert_eq!(call(base(), beyond), Some(Reason::NoGrant), "{beyond}");
    }
    let project = || base().with_grant(20, |grant| grant.scope = scope("acme/shop/checkout"));
    assert_eq!(call(project(), "acme/shop/checkout"), None);
    for beyond in ["acme", "acme/shop", "acme/shop/returns"] {
        assert_eq!(call(project(), beyond), Some(Reason::NoGrant), "{beyond}");
    }
}

#[test]
fn what_is_revoked_or_suspended_is_refused_with_its_reason() {
    let shop = "acme/shop";
    let token = base().with_token(10, |token| token.revoked = true);
    assert_eq!(call(token, shop), Some(Reason::TokenRevoked));
    let grant = base().with_grant(20, |grant| grant.revoked = true);
    assert_eq!(call(grant, shop), Some(Reason::NoGrant));
    let principal = base().but(|document| document.principals[0].suspended = true);
    assert_eq!(call(principal, shop), Some(Reason::PrincipalSuspended));
    let identity = base().but(|document| document.suspended = true);
    assert_eq!(call(identity, shop), Some(Reason::IdentitySuspended));
}

#[test]
fn an_expiry_holds_up_to_its_millisecond_and_not_at_it() {
    let ends = |expires| base().with_token(10, |token| token.expires = Some(at(expires)));
    assert_eq!(call(ends(101), "acme/shop"), None);
    assert_eq!(call(ends(100), "acme/shop"), Some(Reason::TokenExpired));
    let ends = |expires| base().with_grant(20, |grant| grant.expires = Some(at(expires)));
    assert_eq!(call(ends(101), "acme/shop"), None);
    assert_eq!(call(ends(100), "acme/shop"), Some(Reason::NoGrant));
}

#[test]
fn a_token_can_expire_between_its_authentication_and_the_decision() {
    let view = base().with_token(10, |token| token.expires = Some(at(101))).view();
    let caller = caller(&view, 10);
    let decision = decide(&PRIMARY, &caller, Action::CallRead, &scope("acme/shop"), when(101));
    assert_eq!(decision, Decision::Refused(Reason::TokenExpired));
}

#[test]
fn without_a_valid_lease_nothing_is_decided_not_even_no() {
    let view = base().view();
    let caller = caller(&view, 10);
    let lease = Standing::Held(Lease { epoch: 1, ends_boot_ms: MOMENT.boot_ms });
    for target in ["acme/shop", "acme", "globex"] {
        let decision = decide(&lease, &caller, Action::CallRead, &scope(target), MOMENT);
        assert_eq!(decision, Decision::Unavailable);
    }
    let unavailable = Some(Objection::Unavailable);
    assert_eq!(authenticate(&view, &lease, &hash(99), Kind::Agent, MOMENT).err(), unavailable);
    assert_eq!(resume(&view, &lease, id(10), MOMENT).err(), unavailable);
    assert_eq!(places(&lease, &caller, Action::CallRead, MOMENT).err(), unavailable);
    let none = ActionSet::EMPTY;
    assert_eq!(may_confer(&lease, &caller, none, view.root(), MOMENT).err(), unavailable);
    assert_eq!(may_mint(&lease, &caller, id(1), (None, None), MOMENT).err(), unavailable);
    let asked = Asked { action: Action::CallRead, target: view.root(), called: None };
    let explained = explain(&view, &lease, Subject::Token(id(10)), &asked, MOMENT);
    assert_eq!(explained.err(), Some(Unexplained::Unavailable));
    let held = Standing::Held(Lease { epoch: 1, ends_boot_ms: MOMENT.boot_ms + 1 });
    let decision = decide(&held, &caller, Action::CallRead, &scope("acme/shop"), MOMENT);
    assert!(decision.permit().is_ok());
}

#[test]
fn a_refusal_says_the_same_of_what_is_not_there_and_what_is_not_granted() {
    let public = |world, target| call(world, target).map(Reason::public);
    for world in [
        base(),
        base().with_token(10, |token| token.scope = Some(scope("acme/shop/returns"))),
        base().with_token(10, |token| token.actions = Some(ActionSet::EMPTY)),
    ] {
        for (there, absent) in [
            ("acme/shopping", "acme/nowhere"),
            ("acme/shopping", "globex/shop"),
            ("acme/shop/checkout", "acme/shop/nowhere"),
        ] {
            let said = public(world.clone(), absent);
            assert!(said.is_some());
            // Who holds a grant there and a token that reaches it sees what is there anyway.
            if call(world.clone(), there).is_some() {
                assert_eq!(public(world.clone(), there), said, "{there} and {absent}");
            }
        }
    }
    let classify = |target| refusal(base(), 10, Action::ToolClassify, target, MOMENT);
    assert_eq!(classify("acme/shop"), Some(Reason::UserRequired));
    assert_eq!(classify("acme/nowhere"), Some(Reason::UserRequired));
}

#[test]
fn what_is_public_is_said_of_nothing_more_than_itself() {
    for reason in Reason::ALL {
        assert_eq!(reason.public().public(), reason.public());
    }
    assert_eq!(Reason::UnknownScope.public(), Reason::NoGrant);
    assert_eq!(Reason::ForeignIdentity.public(), Reason::NoGrant);
    assert_eq!(Reason::TokenRevoked.public(), Reason::UnknownToken);
}

#[test]
fn an_archived_scope_can_be_read_and_revoked_at_and_not_acted_at() {
    let owner = |action, place| refusal(base().scope("acme/shop", true), 12, action, place, MOMENT);
    for place in ["acme/shop", "acme/shop/checkout"] {
        for action in Action::ALL.iter().copied() {
            let frozen = oracle::ARCHIVED_REFUSES.contains(&action.as_str());
            let expected = frozen.then_some(Reason::ScopeArchived);
            assert_eq!(owner(action, place), expected, "{action}");
        }
    }
    assert_eq!(owner(Action::CallRead, "acme/shopping"), None);
}

#[test]
fn only_a_person_signed_in_as_such_judges() {
    let judge = |world, token| refusal(world, token, Action::ApprovalDecide, "acme", MOMENT);
    assert_eq!(judge(base(), 12), None);
    let refused = Some(Reason::UserRequired);
    let agent = base().grant(21, 1, "acme", "owner");
    assert_eq!(judge(agent.clone(), 10), refused);
    // A user's token in an agent's hand, an agent's token in a user's, a child of a user's token.
    assert_eq!(judge(agent.with_token(10, |token| token.kind = Kind::User), 10), refused);
    assert_eq!(judge(base().with_token(12, |token| token.kind = Kind::Agent), 12), refused);
    let child = base().child(13, 12).with_token(13, |token| token.kind = Kind::User);
    assert_eq!(judge(child, 13), refused);
}

#[test]
fn narrowing_is_told_from_what_was_never_granted() {
    let narrow =
        |place: &'static str| base().with_token(10, move |token| token.scope = Some(scope(place)));
    assert_eq!(call(narrow("acme/shop/checkout"), "acme/shop/checkout"), None);
    let returns = call(narrow("acme/shop/checkout"), "acme/shop/returns");
    assert_eq!(returns, Some(Reason::NarrowedScope));
    assert_eq!(call(narrow("acme/shop/checkout"), "acme"), Some(Reason::NoGrant));
    // A narrowing that is wider than the grants gives nothing.
    assert_eq!(call(narrow("acme"), "acme/shopping"), Some(Reason::NoGrant));
    let write = |token: &mut crate::view::Token| {
        token.actions = Some(ActionSet::of(&[Action::CallWrite, Action::Unmask]));
    };
    assert_eq!(call(base().with_token(10, write), "acme/shop"), Some(Reason::NarrowedAction));
    let unmask = refusal(base().with_token(10, write), 10, Action::Unmask, "acme/shop", MOMENT);
    assert_eq!(unmask, Some(Reason::NoGrant));
}

#[test]
fn a_child_lives_no_longer_and_reaches_no_further_than_its_line() {
    let line = || base().child(11, 10).child(13, 11);
    let child = |world, target| refusal(world, 13, Action::CallRead, target, MOMENT);
    assert_eq!(child(line(), "acme/shop"), None);
    for above in [10, 11] {
        let revoked = line().with_token(above, |token| token.revoked = true);
        assert_eq!(child(revoked, "acme/shop"), Some(Reason::TokenRevoked));
        let expired = line().with_token(above, |token| token.expires = Some(at(100)));
        assert_eq!(child(expired, "acme/shop"), Some(Reason::TokenExpired));
        let cut = line().with_token(above, |token| {
            token.scope = Some(scope("acme/shop/returns"));
        });
        assert_eq!(child(cut.clone(), "acme/shop/returns"), None);
        assert_eq!(child(cut, "acme/shop"), Some(Reason::NarrowedScope));
    }
    let broken = line().but(|document| document.tokens.retain(|token| token.id != id(10)));
    assert_eq!(child(broken, "acme/shop"), Some(Reason::TokenRevoked));
    let apart = line()
        .with_token(11, |token| token.scope = Some(scope("acme/shop/returns")))
        .with_token(13, |token| token.scope = Some(scope("acme/shop/checkout")));
    for place in ["acme/shop/returns", "acme/shop/checkout", "acme/shop"] {
        assert_eq!(child(apart.clone(), place), Some(Reason::NarrowedScope));
    }
}

#[test]
fn home_is_where_the_token_is_narrowed_to() {
    let home = |world: World, token| caller(&world.view(), token).home().to_string();
    assert_eq!(home(base(), 10), "acme");
    let narrowed = base().with_token(10, |token| token.scope = Some(scope("acme/shop")));
    assert_eq!(home(narrowed.clone(), 10), "acme/shop");
    assert_eq!(home(narrowed.child(11, 10), 11), "acme/shop");
}

fn version(declaration: u32, classification: u32) -> Version {
    Version { declaration, classification }
}

fn called(tool: u32, version: Version, newest: bool) -> Called {
    Called { tool: id(tool), version, newest }
}

#[test]
fn a_pack_holds_its_tools_at_their_version_and_live_the_newest() {
    let world = || base().pack("triage", 1, &[(5, 2, 1)]).pack("triage", 2, &[(5, 3, 1)]);
    let allows = |packs: &[(&str, Option<u32>)], called: &Called| {
        let view = world().packs(10, packs).view();
        pack_allows(&caller(&view, 10), called)
    };
    let triage = [("triage", Some(1))];
    assert!(allows(&triage, &called(5, version(2, 1), false)));
    for other in [version(1, 1), version(3, 1), version(2, 2)] {
        assert!(!allows(&triage, &called(5, other, true)), "{other:?}");
    }
    assert!(!allows(&triage, &called(6, version(2, 1), true)));
    assert!(allows(&[("live", None)], &called(5, version(9, 9), true)));
    assert!(!allows(&[("live", None)], &called(5, version(2, 1), false)));
    assert!(!allows(&[], &called(5, version(2, 1), true)), "no pack means none, never all");
    assert!(!allows(&[("ghost", Some(1))], &called(5, version(2, 1), true)));
    assert!(allows(&[("ghost", Some(1)), ("live", None)], &called(5, version(2, 1), true)));
}

#[test]
fn a_decision_about_a_call_asks_the_packs_last() {
    let view = base().packs(10, &[]).view();
    let caller = caller(&view, 10);
    let tool = called(5, version(1, 1), true);
    let decide = |target: &str| {
        decide_call(&PRIMARY, &caller, &tool, Action::CallRead, &scope(target), MOMENT)
    };
    assert_eq!(decide("acme/shop"), Decision::Refused(Reason::NotInPack));
    assert_eq!(decide("acme"), Decision::Refused(Reason::NoGrant));
}

#[test]
fn a_child_takes_from_its_packs_what_its_line_leaves() {
    let view = base()
        .pack("triage", 1, &[(5, 2, 1)])
        .packs(10, &[("triage", Some(1))])
        .child(11, 10)
        .packs(11, &[("live", None), ("triage", Some(1))])
        .view();
    let newest = Some(version(3, 1));
    let child = caller(&view, 11);
    assert!(!pack_allows(&child, &called(5, version(3, 1), true)));
    assert_eq!(pack_pick(&child, id(5), newest), Some(called(5, version(2, 1), false)));
    assert_eq!(pack_pick(&child, id(5), Some(version(2, 1))), Some(called(5, version(2, 1), true)));
    assert_eq!(pack_pick(&child, id(6), newest), None);
    let live = base().view();
    let parent = caller(&live, 10);
    assert_eq!(pack_pick(&parent, id(5), newest), Some(called(5, version(3, 1), true)));
    assert_eq!(pack_pick(&parent, id(5), None), None);
}

#[test]
fn a_credential_is_for_the_servers_it_was_lent_to() {
    let world = || base().credential(40).lend(41, 40, "acme/shop");
    let usable = |world: World, place: &str| {
        credential_usable(&world.view(), id(40), &scope(place), at(100)).map(|found| found.id)
    };
    let not = Err(Reason::CredentialNotGranted);
    assert_eq!(usable(world(), "acme/shop"), Ok(id(40)));
    assert_eq!(usable(world(), "acme/shop/returns"), Ok(id(40)));
    for place in ["acme", "acme/shopping", "globex/shop"] {
        assert_eq!(usable(world(), place), not, "{place}");
    }
    let ends = |ms| world().but(|document| document.credential_grants[0].expires = Some(at(ms)));
    assert_eq!(usable(ends(101), "acme/shop"), Ok(id(40)));
    assert_eq!(usable(ends(100), "acme/shop"), not);
    // Of several grants at one scope the longest lasting counts, and a revoked one never.
    assert_eq!(usable(ends(100).lend(42, 40, "acme/shop"), "acme/shop"), Ok(id(40)));
    let revoked = world().but(|document| document.credential_grants[0].revoked = true);
    assert_eq!(usable(revoked, "acme/shop"), not);
    assert_eq!(usable(base().lend(41, 40, "acme/shop"), "acme/shop"), not);
}

#[test]
fn nobody_confers_what_they_do_not_hold() {
    let missing = |world: World, token, role: BuiltIn, place: &str| {
        let view = world.view();
        let caller = caller(&view, token);
        may_confer(&PRIMARY, &caller, role.actions(), &scope(place), MOMENT).expect("is decided")
    };
    let none = ActionSet::EMPTY;
    assert_eq!(missing(base(), 12, BuiltIn::Owner, "acme/shop"), none);
    assert_eq!(missing(base(), 10, BuiltIn::Member, "acme/shop/returns"), none);
    assert_eq!(missing(base(), 10, BuiltIn::Member, "acme"), BuiltIn::Member.actions());
    let admin = missing(base(), 10, BuiltIn::Admin, "acme/shop");
    assert_eq!(admin, BuiltIn::Admin.actions() - BuiltIn::Member.actions());
    // A narrowed token confers no more than it may do, and an agent no judging, whatever its role.
    let narrow = |token: &mut crate::view::Token| token.scope = Some(scope("acme/shop/returns"));
    let cut = missing(base().with_token(10, narrow), 10, BuiltIn::Member, "acme/shop");
    assert_eq!(cut, BuiltIn::Member.actions());
    let agent = base().grant(21, 1, "acme", "owner");
    let judging = ActionSet::of(&[Action::ApprovalDecide, Action::ToolClassify]);
    assert_eq!(missing(agent, 10, BuiltIn::Owner, "acme"), judging);
}

#[test]
fn minting_for_another_confers_what_the_token_could_do() {
    let world =
        || base().agent(3).grant(23, 3, "acme/shop", "admin").grant(24, 3, "acme", "viewer");
    let missing = |world: World, token, place: Option<&str>, actions| {
        let view = world.view();
        let place = place.map(scope);
        let caller = caller(&view, token);
        may_mint(&PRIMARY, &caller, id(3), (place.as_ref(), actions), MOMENT).expect("is decided")
    };
    assert_eq!(missing(world(), 12, None, None), []);
    let at: Vec<_> =
        missing(world(), 10, None, None).into_iter().map(|missing| missing.scope).collect();
    assert_eq!(at, [scope("acme"), scope("acme/shop")]);
    let reading = Some(ActionSet::of(&[Action::CatalogueRead, Action::CallRead]));
    assert_eq!(missing(world(), 10, Some("acme/shop/returns"), reading), []);
    let beyond = missing(world(), 10, Some("acme/shopping"), reading);
    let catalogue = ActionSet::of(&[Action::CatalogueRead]);
    assert_eq!(beyond, [Missing { scope: scope("acme/shopping"), actions: catalogue }]);
    let view = world().view();
    let nobody = may_mint(&PRIMARY, &caller(&view, 12), id(99), (None, None), MOMENT);
    assert_eq!(nobody, Err(Objection::Refused(Reason::NoGrant)));
}

#[test]
fn places_are_listed_where_one_may_and_the_highest_of_them_once() {
    let view = base()
        .grant(21, 1, "acme/shop/returns", "member")
        .grant(25, 1, "acme/shopping", "viewer")
        .scope("acme/shop/checkout", true)
        .view();
    let caller = caller(&view, 10);
    let texts = |found: Result<Vec<&Scope>, Objection>| -> Vec<String> {
        found.expect("is decided").into_iter().map(Scope::to_string).collect()
    };
    let places = texts(places(&PRIMARY, &caller, Action::CallRead, MOMENT));
    assert_eq!(places, ["acme/shop", "acme/shop/returns"]);
    let highest = texts(reachable(&PRIMARY, &caller, Action::CatalogueRead, MOMENT));
    assert_eq!(highest, ["acme/shop", "acme/shopping"]);
    assert_eq!(texts(reachable(&PRIMARY, &caller, Action::GrantManage, MOMENT)), [""; 0]);
}

fn explained(world: World, subject: Subject, action: Action, target: &str) -> Explanation {
    let view = world.view();
    let asked = Asked { action, target: &scope(target), called: None };
    explain(&view, &PRIMARY, subject, &asked, MOMENT).expect("is explained")
}

#[test]
fn an_explanation_names_the_grant_that_gives_it() {
    let world = base()
        .grant(26, 1, "acme/shop/checkout", "member")
        .with_grant(26, |grant| grant.expires = Some(at(200)))
        .grant(27, 1, "acme/shop/checkout", "member");
    let said = explained(world, Subject::Token(id(10)), Action::CallRead, "acme/shop/checkout");
    assert!(said.permitted && said.reason.is_none() && said.what_would_change.is_empty());
    assert_eq!(said.winning_grant, Some(id(27)), "the nearest, then the longest lasting");
    let order: Vec<_> = said.grants.iter().map(|seen| seen.grant).collect();
    assert_eq!(order, [id(27), id(26), id(20)]);
    assert_eq!((said.principal, said.token, said.revision), (id(1), Some(id(10)), 7));
}

#[test]
fn an_explanation_says_of_every_grant_why_it_does_not_help() {
    let world = base()
        .with_grant(20, |grant| grant.revoked = true)
        .grant(26, 1, "acme", "member")
        .with_grant(26, |grant| grant.expires = Some(at(100)))
        .grant(27, 1, "acme", "viewer")
        .grant(28, 1, "acme", "ghost")
        .grant(29, 1, "acme/shop/returns", "member")
        .grant(30, 1, "acme/shop/returns", "viewer");
    let said = explained(world, Subject::Token(id(10)), Action::CallRead, "acme/shop/checkout");
    assert_eq!((said.permitted, said.reason), (false, Some(Reason::NoGrant)));
    let seen: Vec<_> = said.grants.iter().map(|seen| (seen.grant, seen.verdict)).collect();
    assert_eq!(
        seen,
        [
            (id(20), GrantVerdict::Revoked),
            (id(26), GrantVerdict::Expired),
            (id(28), GrantVerdict::UnknownRole),
            (id(27), GrantVerdict::RoleLacks),
            (id(29), GrantVerdict::Elsewhere),
        ]
    );
    assert_eq!(said.winning_grant, None);
}

#[test]
fn an_explanation_proposes_the_smallest_roles_and_only_if_a_grant_is_all_that_is_missing() {
    let world = || {
        base().role("caller", &[Action::CallRead]).role("wide", &[Action::CallRead, Action::Unmask])
    };
    let said = explained(world(), Subject::Token(id(10)), Action::CallRead, "acme/shopping");
    let roles: Vec<_> = said.what_would_change.iter().map(|remedy| remedy.role.as_str()).collect();
    assert_eq!(roles, ["caller"]);
    assert_eq!(said.what_would_change[0].scope, scope("acme/shopping"));
    let usage = explained(base(), Subject::Token(id(10)), Action::UsageRead, "acme/shop");
    let roles: Vec<_> = usage.what_would_change.iter().map(|remedy| remedy.role.as_str()).collect();
    assert_eq!(roles, ["billing", "viewer"].map(|role| role).get(..1).expect("one"));
    for target in ["acme/nowhere", "globex"] {
        let said = explained(world(), Subject::Token(id(10)), Action::CallRead, target);
        assert_eq!(said.what_would_change, [], "{target}");
    }
    let said = explained(world(), Subject::Token(id(10)), Action::ToolClassify, "acme/shop");
    assert_eq!(said.reason, Some(Reason::UserRequired));
    assert_eq!(said.what_would_change, []);
}

#[test]
fn an_explanation_runs_every_check_past_the_first_objection() {
    let world = base()
        .with_token(10, |token| {
            (token.revoked, token.scope) = (true, Some(scope("acme/shop/returns")));
        })
        .but(|document| document.principals[0].suspended = true);
    let said = explained(world, Subject::Token(id(10)), Action::CallRead, "acme/shopping");
    let objections: Vec<_> =
        said.steps.iter().filter_map(|step| Some((step.check, step.reason?))).collect();
    assert_eq!(
        objections,
        [
            (Check::Token, Reason::TokenRevoked),
            (Check::Principal, Reason::PrincipalSuspended),
            (Check::Grant, Reason::NoGrant),
            (Check::Narrowing, Reason::NarrowedScope),
        ]
    );
    assert_eq!((said.reason, said.steps.len()), (Some(Reason::TokenRevoked), 8));
}

#[test]
fn an_explanation_is_about_a_principal_a_token_or_a_tool_and_bounded() {
    let subject = Subject::Principal(id(1));
    let narrowed = base().with_token(10, |token| token.actions = Some(ActionSet::EMPTY));
    let said = explained(narrowed, subject, Action::CallRead, "acme/shop");
    assert!(said.permitted && said.token.is_none());
    let view = base().packs(10, &[]).view();
    let (tool, target) = (called(5, version(1, 1), true), scope("acme/shop"));
    let asked = Asked { action: Action::CallRead, target: &target, called: Some(&tool) };
    let said =
        explain(&view, &PRIMARY, Subject::Token(id(10)), &asked, MOMENT).expect("is explained");
    assert_eq!(said.reason, Some(Reason::NotInPack));
    for nobody in [Subject::Principal(id(99)), Subject::Token(id(99))] {
        let said = explain(&view, &PRIMARY, nobody, &asked, MOMENT);
        assert_eq!(said.err(), Some(Unexplained::NoSubject));
    }
    let many =
        (100..200).fold(base(), |world, number| world.grant(number, 1, "acme/shop", "viewer"));
    let said = explained(many, subject, Action::CallRead, "acme/shop");
    assert_eq!((said.grants.len(), said.grants_left_out), (50, 51));
    assert_eq!(said.winning_grant, Some(id(20)));
    let wire = serde_json::to_value(&said).expect("serialises");
    assert_eq!(serde_json::from_value::<Explanation>(wire).expect("parses"), said);
}
