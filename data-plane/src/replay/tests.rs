//! What would have been: by fewer grants, more, other roles and other effects.

use std::collections::HashSet;

use contract::sample;
use proptest::prelude::*;
use tenancy::role::Role;
use tenancy::view::{
    Document, Grant, OnLabel, Principal, PrincipalKind, Proposal, Settings, Stage, Token,
};

use super::*;

const AT: i64 = 1_000;

fn name(text: &str) -> contract::Name {
    text.parse().expect("a name")
}

fn grant(n: u8, scope: &str, role: &str, expires: Option<i64>) -> Grant {
    Grant {
        id: sample::id(n),
        principal: sample::id(1),
        scope: scope.parse().expect("a scope"),
        role: name(role),
        expires: expires.map(Timestamp::from_ms),
        revoked: false,
    }
}

fn view() -> AuthorityView {
    let mut document = Document::empty(name("acme"), sample::id(9), 7);
    document.settings = Settings { tainted_writes: OnLabel::Approve, ..Settings::default() };
    for (n, scope) in (1..).zip(["acme/shop", "acme/shop/checkout", "acme/support"]) {
        document.scopes.push(tenancy::view::ScopeRecord {
            scope: scope.parse().expect("a scope"),
            id: sample::text("group", n),
            archived: false,
        });
    }
    document.principals.push(Principal {
        id: sample::id(1),
        kind: PrincipalKind::Agent,
        name: name("bot"),
        display: None,
        stage: Stage::Autonomous,
        suspended: false,
    });
    document.tokens.push(Token {
        id: sample::id(2),
        principal: sample::id(1),
        kind: tenancy::token::Kind::Agent,
        parent: None,
        family: None,
        hash: tenancy::token::Hash::from_bytes([2; 32]),
        scope: None,
        actions: None,
        packs: Vec::new(),
        expires: None,
        revoked: false,
    });
    document.grants =
        vec![grant(1, "acme/shop", "member", Some(AT + 1)), grant(2, "acme/support", "own", None)];
    document.roles =
        vec![Role { name: name("own"), actions: [Action::CallRead].into_iter().collect() }];
    AuthorityView::new(document).expect("a view")
}

fn past(scope: &str, action: Option<Action>, verdict: &str, rule: &str) -> Past {
    Past {
        at: Timestamp::from_ms(AT),
        principal: sample::text("principal", 1),
        token: Some(sample::id(2)),
        scope: scope.to_owned(),
        address: "shop/tickets.ticket.get".to_owned(),
        action,
        effect: Some("read".to_owned()),
        verdict: verdict.to_owned(),
        check: if verdict == "block" { "authority".to_owned() } else { String::new() },
        rule: rule.to_owned(),
    }
}

fn judged(past: &Past, proposal: &Proposal, effect: Option<Effect>) -> Judged {
    let today = view();
    let proposed = today.proposed(proposal).expect("a view");
    let effects = effect.map(|effect| (past.address.clone(), effect)).into_iter().collect();
    let by = Judges {
        today: &today,
        proposed: &proposed,
        effects,
        standing: Standing::Primary,
        boot_ms: 0,
    };
    judge(past, &by)
}

fn without(n: u8) -> Proposal {
    Proposal { without: HashSet::from([sample::id(n)]), ..Proposal::default() }
}

const READ: Option<Action> = Some(Action::CallRead);

#[test]
fn a_revoke_breaks_what_was_done_under_it_and_nothing_else() {
    let done = past("acme/shop/checkout", READ, "allow", "");
    assert_eq!(judged(&done, &Proposal::default(), None).would, Would::Same);
    let broken = judged(&done, &without(1), None);
    assert_eq!((broken.would, broken.today_too), (Would::Refuse, false));
    assert_eq!(judged(&done, &without(2), None).would, Would::Same);
    let held = past("acme/shop/checkout", READ, "approve", "");
    assert_eq!(judged(&held, &without(1), None).would, Would::Refuse);
    // Judged at its own moment: the grant has expired since, and is not taken for missing.
    let late = Past { at: Timestamp::from_ms(AT + 1), ..done };
    let late = judged(&late, &Proposal::default(), None);
    assert_eq!((late.would, late.today_too), (Would::Refuse, true));
}

#[test]
fn a_role_with_less_breaks_what_needed_the_rest() {
    let done = past("acme/support", READ, "allow", "");
    let role = Role { name: name("own"), actions: [Action::ScopeRead].into_iter().collect() };
    let proposal = Proposal { roles: vec![role], ..Proposal::default() };
    assert_eq!(judged(&done, &proposal, None).would, Would::Refuse);
    let elsewhere = past("acme/shop", READ, "allow", "");
    assert_eq!(judged(&elsewhere, &proposal, None).would, Would::Same);
}

#[test]
fn a_grant_would_allow_what_authority_alone_refused() {
    let refused = past("acme/support", Some(Action::CallWrite), "block", "no_grant");
    assert_eq!(judged(&refused, &Proposal::default(), None).would, Would::Same);
    let more = Proposal { with: vec![grant(3, "acme", "member", None)], ..Proposal::default() };
    assert_eq!(judged(&refused, &more, None).would, Would::Allow);
    let packed = Past { rule: "not_in_pack".to_owned(), ..refused.clone() };
    assert_eq!(judged(&packed, &more, None).would, Would::Same);
    let hidden = Past { rule: "not_found".to_owned(), ..refused.clone() };
    assert_eq!(judged(&hidden, &more, None).would, Would::CannotSay);
    let gone = Past { token: Some(sample::id(77)), ..refused.clone() };
    assert_eq!(judged(&gone, &more, None).would, Would::CannotSay);
    let labelled = Past { check: "label".to_owned(), ..refused };
    assert_eq!(judged(&labelled, &more, None).would, Would::Same);
}

#[test]
fn another_effect_asks_for_another_action() {
    let done = past("acme/support", READ, "allow", "");
    let broken = judged(&done, &Proposal::default(), Some(Effect::Write));
    assert_eq!(broken.would, Would::Refuse, "the role has no call.write");
    let done = past("acme/shop", READ, "allow", "");
    let unsaid = judged(&done, &Proposal::default(), Some(Effect::Write));
    assert_eq!(unsaid.would, Would::CannotSay, "other checks ask by effect");
    assert_eq!(judged(&done, &Proposal::default(), Some(Effect::Read)).would, Would::Same);
}

#[test]
fn what_the_record_does_not_tell_is_not_guessed() {
    let control = past("acme/shop", None, "allow", "");
    assert_eq!(judged(&control, &without(1), None).would, Would::CannotSay);
    let nobody = Past { principal: "operator".to_owned(), ..past("acme", READ, "allow", "") };
    assert_eq!(judged(&nobody, &without(1), None).would, Would::CannotSay);
}

proptest! {
    /// Taking grants away never allows anything, and giving some never refuses anything.
    #[test]
    fn less_never_allows_and_more_never_refuses(
        gone in prop::collection::hash_set(1_u8..3, 0..3),
        scope in prop::sample::select(vec!["acme", "acme/shop", "acme/shop/checkout", "acme/support"]),
        action in prop::sample::select(Action::ALL),
        (verdict, rule) in prop::sample::select(vec![("allow", ""), ("block", "no_grant")]),
    ) {
        let past = past(scope, Some(action), verdict, rule);
        let today = judged(&past, &Proposal::default(), None).would;
        let less = Proposal { without: gone.iter().map(|n| sample::id(*n)).collect(), ..Proposal::default() };
        let less = judged(&past, &less, None).would;
        prop_assert!(less != Would::Allow || today == Would::Allow);
        let more = Proposal { with: vec![grant(3, "acme", "owner", None)], ..Proposal::default() };
        let more = judged(&past, &more, None).would;
        prop_assert!(more != Would::Refuse || today == Would::Refuse);
    }
}
