use super::*;
use crate::content::detect::{detect, detect_for, detect_json};
use crate::content::json;
use proptest::prelude::*;

fn key(byte: u8) -> MaskKey {
    MaskKey::new(&[byte; 32])
}

fn masked(text: &str) -> String {
    mask(text, &detect(text), &key(1), &mut Numbering::default()).text
}

#[test]
fn a_value_keeps_its_number_inside_a_run() {
    let run = key(1);
    let mut numbering = Numbering::default();
    let mut show = |text: &str| mask(text, &detect(text), &run, &mut numbering).text;
    assert_eq!(show("ann@x.org, bob@x.org, ANN@X.org"), "[email:1], [email:2], [email:1]");
    assert_eq!(show("4111 1111 1111 1111 of bob@x.org"), "[card:1] of [email:2]");
    assert_eq!(show("4111-1111-1111-1111 ann%40x.org"), "[card:1] [email:1]");
    assert_eq!(show("+49 151 12345678 / +4915112345678"), "[phone:1] / [phone:1]");
}

#[test]
fn a_kept_numbering_goes_on_where_it_was() {
    let run = key(1);
    let mut numbering = Numbering::default();
    let text = "ann@x.org bob@x.org 4111111111111111";
    let first = mask(text, &detect(text), &run, &mut numbering).text;
    let kept = serde_json::to_string(&numbering).unwrap();
    assert!(!kept.contains("ann") && !kept.contains("4111"));
    let mut again: Numbering = serde_json::from_str(&kept).unwrap();
    assert_eq!(again, numbering);
    let text = "bob@x.org cid@x.org ann@x.org 4111111111111111";
    assert_eq!(first, "[email:1] [email:2] [card:1]");
    assert_eq!(
        mask(text, &detect(text), &run, &mut again).text,
        "[email:2] [email:3] [email:1] [card:1]"
    );
}

#[test]
fn nothing_matches_across_runs() {
    for kind in Kind::ALL {
        assert_ne!(key(1).hash(kind, "ann@x.org"), key(2).hash(kind, "ann@x.org"));
        assert_eq!(key(1).hash(kind, "ann@x.org"), key(1).hash(kind, "ann@x.org"));
    }
    assert_ne!(key(1).hash(Kind::Card, "4111"), key(1).hash(Kind::Iban, "4111"));
    assert_eq!(format!("{:?}", key(7)), "MaskKey");
}

#[test]
fn past_the_bound_values_share_one_placeholder() {
    let mut numbering = Numbering::default();
    let run = key(1);
    let mut show = |index: usize| {
        numbering.placeholder(Kind::Email, &run.hash(Kind::Email, &index.to_string()))
    };
    for index in 1..=Numbering::LIMIT {
        assert_eq!(show(index), format!("[email:{index}]"));
    }
    assert_eq!(show(Numbering::LIMIT + 1), "[email:other]");
    assert_eq!(show(Numbering::LIMIT + 2), "[email:other]");
    assert_eq!(show(3), "[email:3]");
    assert_eq!(contains_placeholder("to [email:other]."), Some("[email:other]"));
}

#[test]
fn placeholders_are_known_in_arguments() {
    for kind in Kind::ALL {
        let placeholder = format!("[{}:12]", kind.name());
        let argument = format!("to: <[x] {placeholder}>");
        assert_eq!(contains_placeholder(&argument), Some(placeholder.as_str()));
        let at = argument.find(&placeholder).unwrap();
        for inside in at + 1..at + placeholder.len() {
            assert_eq!(covering_placeholder(&argument, inside), Some(at..at + placeholder.len()));
        }
        assert_eq!(covering_placeholder(&argument, at), None);
        assert_eq!(covering_placeholder(&argument, at + placeholder.len()), None);
    }
    for harmless in [
        "[email]",
        "[email:]",
        "[email:x]",
        "[mail:1]",
        "email:1",
        "[email:1",
        "[email:1234567]",
        "[EMAIL:1]",
    ] {
        assert_eq!(contains_placeholder(harmless), None, "{harmless}");
    }
}

#[test]
fn the_index_sees_kinds_only() {
    let text = "ann@x.org bob@x.org";
    assert_eq!(mask_for_index(text, &detect(text)).text, "[email] [email]");
}

#[test]
fn bare_numbers_become_strings() {
    let text = r#"{"card":4111111111111111,"to":["ann\u0040x.org"],"ann@x.org":1}"#;
    let masked = mask(text, &detect_json(text), &key(1), &mut Numbering::default());
    assert_eq!(masked.text, r#"{"card":"[card:1]","to":["[email:1]"],"[email:1]":1}"#);
}

#[test]
fn places_lead_both_ways() {
    let text = "to ann@example.org or bob@x.org.";
    let masked = mask(text, &detect(text), &key(1), &mut Numbering::default());
    assert_eq!(masked.text, "to [email:1] or [email:2].");
    let offsets = &masked.offsets;
    assert_eq!(offsets.to_masked(0..2), 0..2);
    assert_eq!(offsets.to_masked(5..6), 3..12);
    assert_eq!(offsets.to_raw(4..5), 3..18);
    assert_eq!(offsets.to_raw(13..15), 19..21);
    assert_eq!(offsets.to_raw(0..masked.text.len()), 0..text.len());
    assert_eq!(offsets.to_raw(5..5), 3..3);
}

/// Values that are found wherever they stand between signs.
const VALUES: &[&str] = &[
    "ann@example.org",
    "+49 151 12345678",
    "GB82WEST12345698765432",
    "4111 1111 1111 1111",
    "529.982.247-25",
    "sk_live_51H8abcdefGHIJ",
    "bob@caf\u{e9}.example",
    "5500000000000004",
    "123-12-1234",
];

fn pieces() -> impl Strategy<Value = Vec<String>> {
    let piece = prop_oneof![
        prop::sample::select(VALUES).prop_map(str::to_owned),
        "[a-z \u{e9}\u{2192}\n]{0,10}",
        prop::sample::select(vec!["\"", "tel ", "password=", "{", "}", "[email:1]", "\\", ", "])
            .prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..10)
}

fn value() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<i64>().prop_map(Into::into),
        Just(serde_json::json!(4_111_111_111_111_111_u64)),
        pieces().prop_map(|pieces| pieces.join(" ").into()),
    ];
    let name = prop::sample::select(vec!["phone", "token", "a", "ann@example.org", "cpf"])
        .prop_map(str::to_owned);
    leaf.prop_recursive(3, 24, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
            prop::collection::vec((name.clone(), inner), 0..4)
                .prop_map(|members| members.into_iter().collect()),
        ]
    })
}

proptest! {
    #[test]
    fn no_value_is_left(pieces in pieces(), joint in prop::sample::select(vec![" ", "\n", " | ", "; "])) {
        let text = pieces.join(joint);
        let masked = masked(&text);
        for value in VALUES {
            prop_assert!(!masked.contains(value), "{} in {}", value, masked);
        }
    }

    #[test]
    fn masking_twice_masks_once(pieces in pieces()) {
        let once = masked(&pieces.join(" "));
        prop_assert_eq!(masked(&once), once);
    }

    #[test]
    fn what_is_not_masked_stays(pieces in pieces()) {
        let text = pieces.join(" ");
        let spans = detect(&text);
        let masked = mask(&text, &spans, &key(1), &mut Numbering::default());
        prop_assert_eq!(masked.offsets.to_raw(0..masked.text.len()), 0..text.len());
        let mut from = 0;
        let ends = spans.iter().map(|span| (span.start, span.end)).chain([(text.len(), text.len())]);
        for (start, end) in ends {
            let place = masked.offsets.to_masked(from..start);
            prop_assert_eq!(masked.text.get(place), text.get(from..start));
            from = end;
        }
    }

    #[test]
    fn json_stays_json(value in value(), lines in any::<bool>()) {
        let document = value.to_string();
        let text = if lines { format!("{document}\n{document}\n") } else { document };
        let spans = detect_for(if lines { "application/x-ndjson" } else { "application/json" }, &text);
        for masked in [mask(&text, &spans, &key(1), &mut Numbering::default()), mask_for_index(&text, &spans)] {
            for document in masked.text.lines() {
                prop_assert!(json::is_json(document), "{}", document);
            }
        }
    }

    #[test]
    fn wrong_spans_never_panic(text in "[a\u{e9}\u{2192}]{0,9}", spans in prop::collection::vec((0_usize..20, 0_usize..20), 0..4)) {
        let spans: Vec<_> = spans.into_iter().map(|(start, end)| Span::new(start, end, Kind::Email)).collect();
        let masked = mask_for_index(&text, &spans);
        prop_assert!(masked.offsets.to_raw(0..masked.text.len()) == (0..text.len()));
    }
}
