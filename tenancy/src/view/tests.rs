use contract::Action;
use proptest::prelude::*;

use super::holder::Held;
use super::sample::{World, at, hash, id, name, scope};
use super::*;

/// The contradiction in a world.
fn fault(world: World) -> Inconsistent {
    AuthorityView::new(world.0).expect_err("contradicts itself")
}

fn base() -> World {
    World::acme().agent(1).token(10, 1).grant(20, 1, "acme/shop", "member")
}

#[test]
fn the_wire_form_comes_back_the_same_and_takes_no_unknown_field() {
    let world = base()
        .role("reader", &[Action::CallRead])
        .pack("triage", 2, &[(5, 1, 1)])
        .credential(40)
        .lend(41, 40, "acme/shop")
        .child(11, 10)
        .with_token(11, |token| token.expires = Some(at(5)));
    let wire = serde_json::to_value(&world.0).expect("serialises");
    assert_eq!(serde_json::from_value::<Document>(wire.clone()).expect("parses"), world.0);
    // Every record, whatever it is, takes no field that this build does not know.
    for path in [
        "",
        "/settings",
        "/scopes/0",
        "/principals/0",
        "/tokens/0",
        "/grants/0",
        "/roles/0",
        "/credentials/0",
        "/credential_grants/0",
        "/packs/0",
        "/packs/0/pins/0",
    ] {
        let mut wire = wire.clone();
        let record = wire.pointer_mut(path).and_then(|record| record.as_object_mut());
        record.expect(path).insert("only_on_mondays".to_owned(), true.into());
        assert!(serde_json::from_value::<Document>(wire).is_err(), "{path}");
    }
}

#[test]
fn settings_that_are_left_out_are_the_careful_ones() {
    let settings: Settings = serde_json::from_str("{}").expect("parses");
    assert_eq!(settings, Settings::default());
    assert_eq!(settings.tainted_writes, OnLabel::Approve);
    assert_eq!((settings.inline_limit_bytes, settings.approval_ttl_ms), (8192, 259_200_000));
    assert!(serde_json::from_str::<Settings>(r#"{"tainted_writes": "allow"}"#).is_err());
}

#[test]
fn what_is_in_the_document_can_be_found() {
    let view = base().role("reader", &[Action::CallRead]).pack("triage", 2, &[]).view();
    assert_eq!((view.identity().as_str(), view.revision()), ("acme", 7));
    assert_eq!(view.archived(view.root()), Some(false));
    assert_eq!(view.archived(&scope("acme/nowhere")), None);
    assert_eq!(view.scopes().count(), 5);
    assert!(view.principal(id(1)).is_some() && view.principal(id(2)).is_none());
    assert_eq!(view.token(id(10)).map(|token| token.hash), Some(hash(10)));
    assert_eq!(view.grants(id(1)).len(), 1);
    assert_eq!(view.role("reader"), Some(ActionSet::of(&[Action::CallRead])));
    assert_eq!(view.role("owner"), Some(ActionSet::ALL));
    assert_eq!(view.role("ghost"), None);
    assert!(view.pack(&name("triage"), 2).is_some() && view.pack(&name("triage"), 1).is_none());
}

#[test]
fn archiving_a_scope_archives_what_lies_below_by_segment() {
    let view = World::acme().scope("acme/shop", true).view();
    assert_eq!(view.archived(&scope("acme/shop/checkout")), Some(true));
    assert_eq!(view.archived(&scope("acme/shopping")), Some(false));
    assert_eq!(view.archived(&scope("acme")), Some(false));
}

#[test]
fn nothing_of_another_identity_gets_in() {
    let foreign = |world| matches!(fault(world), Inconsistent::ForeignScope { .. });
    for place in ["globex", "globex/shop", "acme-2/shop"] {
        assert!(foreign(World::acme().scope(place, false)));
        assert!(foreign(base().grant(21, 1, place, "owner")));
        assert!(foreign(base().lend(41, 40, place)));
        assert!(foreign(base().with_token(10, |token| token.scope = Some(scope(place)))));
    }
}

#[test]
fn what_is_there_twice_is_refused() {
    for (what, world) in [
        ("scope", World::acme().but(|document| document.scopes.push(document.scopes[0].clone()))),
        ("principal", base().agent(1)),
        ("principal", base().agent(2).but(|document| document.principals[1].name = name("p1"))),
        ("token", base().token(10, 1)),
        ("token hash", base().token(11, 1).with_token(11, |token| token.hash = hash(10))),
        ("grant", base().grant(20, 1, "acme", "viewer")),
        ("role", base().role("a", &[]).role("a", &[])),
        ("pack", base().pack("a", 1, &[]).pack("a", 1, &[])),
        ("pin of tool", base().pack("a", 1, &[(5, 1, 1), (5, 2, 1)])),
        ("credential", base().credential(40).credential(40)),
        ("credential grant", base().lend(41, 40, "acme").lend(41, 40, "acme/shop")),
    ] {
        let found = fault(world);
        assert!(
            matches!(&found, Inconsistent::Twice { what: kind, .. } if *kind == what),
            "{found}"
        );
        assert!(!found.to_string().contains(&hash(10).to_string()), "a hash is not for logs");
    }
}

#[test]
fn built_in_names_are_taken() {
    let taken = |world| matches!(fault(world), Inconsistent::BuiltInName { .. });
    assert!(taken(base().role("owner", &[])));
    assert!(taken(base().pack("live", 1, &[])));
}

#[test]
fn a_project_needs_its_group() {
    let world = World::acme().scope("acme/lab/one", false);
    assert_eq!(fault(world), Inconsistent::Orphan(scope("acme/lab/one")));
}

#[test]
fn packs_are_named_with_their_version_and_live_without() {
    for pack in [("live", Some(1)), ("triage", None)] {
        let world = base().pack("triage", 1, &[]).packs(10, &[pack]);
        assert!(matches!(fault(world), Inconsistent::Unversioned { .. }), "{pack:?}");
    }
}

#[test]
fn a_principal_holds_no_operators_or_nodes_token() {
    for kind in [token::Kind::Operator, token::Kind::Node] {
        let world = base().with_token(10, |token| token.kind = kind);
        assert_eq!(fault(world), Inconsistent::Kind(id(10)));
    }
}

#[test]
fn a_line_of_tokens_is_one_principals_and_at_most_three_below_the_first() {
    let line = base().child(11, 10).child(12, 11).child(13, 12);
    assert!(AuthorityView::new(line.clone().0).is_ok());
    assert_eq!(fault(line.child(14, 13)), Inconsistent::TooDeep(id(14)));
    let circle = base().child(11, 10).with_token(10, |token| token.parent = Some(id(11)));
    assert!(matches!(fault(circle), Inconsistent::TooDeep(_)));
    let other = base().agent(2).child(11, 10).with_token(11, |token| token.principal = id(2));
    assert_eq!(fault(other), Inconsistent::ForeignParent(id(11)));
}

proptest! {
    #[test]
    fn what_is_held_at_a_moment_is_what_the_grants_give_at_that_moment(
        grants in proptest::collection::vec((proptest::option::of(0_i64..6), 0_usize..6), 0..12),
        now in 0_i64..7,
    ) {
        let given: Vec<_> = grants
            .iter()
            .map(|(end, action)| (Until::of(end.map(at)), ActionSet::of(&Action::ALL[*action..=*action])))
            .collect();
        let naive = grants
            .iter()
            .filter(|(end, _)| end.is_none_or(|end| now < end))
            .map(|(_, action)| Action::ALL[*action])
            .collect::<ActionSet>();
        prop_assert_eq!(Held::new(given).live(at(now)), naive);
    }
}
