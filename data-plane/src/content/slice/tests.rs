use super::*;
use crate::content::json as values;
use proptest::prelude::*;

const BIG: usize = 1 << 20;

fn by_byte(text: &str, start: usize, end: usize, cap_bytes: usize) -> Sliced {
    slice(text, "text/plain", &Selector::Bytes { start, end: Some(end) }, cap_bytes).unwrap()
}

fn by_line(text: &str, start: usize, end: Option<usize>, cap_bytes: usize) -> Sliced {
    slice(text, "text/plain", &Selector::Lines { start, end }, cap_bytes).unwrap()
}

fn at(text: &str, pointer: &str) -> Result<String, Error> {
    let selector = Selector::Pointer { pointer: pointer.to_owned() };
    slice(text, "application/json", &selector, BIG).map(|sliced| sliced.text)
}

fn along(text: &str, path: &str) -> Result<String, Error> {
    let selector = Selector::Path { path: path.to_owned(), start: 0, end: None };
    slice(text, "application/json", &selector, BIG).map(|sliced| sliced.text)
}

/// Case C2: an arrow at bytes 198 to 200 and a cut at 200.
#[test]
fn a_cut_inside_a_character_moves_before_it() {
    let text = format!("{}\u{2192}{}", "a".repeat(198), "b".repeat(99));
    let sliced = by_byte(&text, 0, 200, BIG);
    assert_eq!(sliced.text, "a".repeat(198));
    assert_eq!(sliced.range, Range { unit: Unit::Byte, start: 0, end: 198, of: 300 });
    assert_eq!((sliced.left_before, sliced.left_after, sliced.truncated), (0, 102, false));
    assert_eq!(by_byte(&text, 198, 300, 4).text, "\u{2192}b");
    assert_eq!(by_byte(&text, 199, 200, BIG).text, "\u{2192}");
}

#[test]
fn a_cut_never_splits_a_placeholder() {
    let text = "to [email:12], by [secret:3]";
    assert_eq!(by_byte(text, 0, 8, BIG).text, "to ");
    assert_eq!(by_byte(text, 5, 14, BIG).text, "[email:12],");
    assert_eq!(by_byte(text, 3, 28, 2).text, "[email:12]");
}

#[test]
fn lines_are_counted_and_capped() {
    let text = "one\r\ntwo\nthree\n\nfive";
    let sliced = by_line(text, 1, Some(3), BIG);
    assert_eq!(sliced.text, "two\nthree\n");
    assert_eq!(sliced.range, Range { unit: Unit::Line, start: 1, end: 3, of: 5 });
    assert_eq!((sliced.left_before, sliced.left_after, sliced.truncated), (1, 2, false));
    let capped = by_line(text, 0, None, 9);
    assert_eq!(
        (capped.text.as_str(), capped.range.end, capped.truncated),
        ("one\r\ntwo\n", 2, true)
    );
    let long = by_line("short\nvery long line\n", 1, None, 4);
    assert_eq!((long.text.as_str(), long.truncated, long.left_after), ("very", true, 11));
    assert_eq!(long.range, Range { unit: Unit::Byte, start: 6, end: 10, of: 21 });
    assert_eq!(by_line("", 0, None, BIG).range.of, 0);
}

#[test]
fn pointers_lead_to_values_as_written() {
    let text = r#"{"a/b": {"m~n": [1, 12345678901234567890.10, {"": "x"}]}, "a": 1, "a": 2}"#;
    assert_eq!(at(text, "").unwrap(), text);
    assert_eq!(at(text, "/a~1b/m~0n/1").unwrap(), "12345678901234567890.10");
    assert_eq!(at(text, "/a~1b/m~0n/2/").unwrap(), "\"x\"");
    assert_eq!(at(text, "/a").unwrap(), "2");
    assert!(matches!(at(text, "a"), Err(Error::BadPointer { .. })));
    assert!(matches!(at(text, "/a~2"), Err(Error::BadPointer { .. })));
    for missing in ["/x", "/a~1b/m~0n/3", "/a~1b/m~0n/01", "/a~1b/m~0n/-", "/a/b"] {
        assert!(matches!(at(text, missing), Err(Error::Nowhere { .. })), "{missing}");
    }
    let capped =
        slice(text, "", &Selector::Pointer { pointer: "/a~1b/m~0n/1".to_owned() }, 5).unwrap();
    assert_eq!((capped.text.as_str(), capped.left_after, capped.truncated), ("12345", 18, true));
    assert_eq!(by_byte(text, capped.range.end, capped.range.end + 5, BIG).text, "67890");
}

const STORE: &str = r#"{"store":{"book":[{"t":"A","p":8.95,"c":"ref"},{"t":"B","p":12.99},{"t":"C","p":8.95,"i":null}],"bike":{"p":399}},"n'":[0,1,2,3,4]}"#;

#[test]
fn paths_select_values_as_written() {
    for (path, selected) in [
        ("$", STORE.to_owned().as_str()),
        ("$.store.book[*].t", r#""A","B","C""#),
        ("$..p", "8.95,12.99,8.95,399"),
        ("$.store..p", "8.95,12.99,8.95,399"),
        ("$['store']['book'][-1]['t']", r#""C""#),
        (r"$['n\''][1:4:2]", "1,3"),
        ("$[\"n'\"][::-1]", "4,3,2,1,0"),
        ("$[\"n'\"][0, 3, 0]", "0,3,0"),
        ("$.store.book[?@.p < 10 && @.c].t", r#""A""#),
        ("$.store.book[?@.p == 12.99 || !@.c].t", r#""B","C""#),
        ("$.store.book[?@.i == null].t", r#""C""#),
        ("$.store.book[?'B' == @.t].p", "12.99"),
        ("$.store.book[?(@.p > 9 || @.c == 'ref')].t", r#""A","B""#),
        ("$.store.book[?@['t'] != \"B\"].t", r#""A","C""#),
        ("$[\"n'\"][?@ >= 3]", "3,4"),
        ("$.store.book[?@.p < $.store.bike].t", ""),
        ("$.none.at.all", ""),
    ] {
        if path.ends_with("bike].t") {
            assert!(matches!(along(STORE, path), Err(Error::BadPath { .. })));
        } else {
            assert_eq!(along(STORE, path).unwrap(), format!("[{selected}]"), "{path}");
        }
    }
}

#[test]
fn what_is_no_path_is_refused_at_its_byte() {
    for (path, place) in [
        ("store", 0),
        ("$store", 1),
        ("$.", 2),
        ("$[", 2),
        ("$[01]", 2),
        ("$['a", 2),
        ("$.a[?length(@) == 1]", 5),
        ("$[?(@.a) && @.b]", 9),
        ("$['\\q']", 2),
        ("$[?@.a == ]", 10),
        ("$[?@..a]", 4),
        ("$[1 2]", 4),
        ("$.a.1", 4),
    ] {
        match along("{}", path) {
            Err(error @ Error::BadPath { at, .. }) => {
                assert_eq!(at, place, "{path}: {error}");
                assert_eq!(error.field(), "path");
            }
            other => panic!("{path}: {other:?}"),
        }
    }
}

#[test]
fn a_path_that_asks_for_too_much_is_stopped() {
    let deep = format!("{}1{}", "[".repeat(4000), "]".repeat(4000));
    assert_eq!(along(&deep, "$..*..*..*"), Err(Error::TooBroad));
    let nested = Selector::Path { path: "$..[0]".to_owned(), start: 3999, end: None };
    assert_eq!(slice(&deep, "", &nested, 9).unwrap().text, "[1]");
}

#[test]
fn matches_come_in_pages() {
    let text = "[10,11,12,13,14]";
    let page = |start, cap| {
        slice(text, "", &Selector::Path { path: "$[*]".to_owned(), start, end: None }, cap).unwrap()
    };
    let first = page(0, 7);
    assert_eq!((first.text.as_str(), first.truncated, first.left_after), ("[10,11]", true, 3));
    assert_eq!(first.range, Range { unit: Unit::Match, start: 0, end: 2, of: 5 });
    assert_eq!(page(first.range.end, BIG).text, "[12,13,14]");
}

#[test]
fn rows_of_tables_lines_and_arrays() {
    let rows =
        |text: &str, start, end| slice(text, "", &Selector::Rows { start, end: Some(end) }, BIG);
    let table = rows("\u{feff}\"id\",\"n\"\n1,\"a\nb\"\n2,c\n3,d\n", 0, 2).unwrap();
    assert_eq!(
        (table.text.as_str(), table.header.as_deref()),
        ("1,\"a\nb\"\n2,c", Some("\"id\",\"n\""))
    );
    assert_eq!(table.range, Range { unit: Unit::Row, start: 0, end: 2, of: 3 });
    let lines = rows("{\"a\":1}\n\n{\"a\":2}\n{\"a\":3}\n", 1, 2).unwrap();
    assert_eq!((lines.text.as_str(), lines.left_after), ("{\"a\":2}\n", 1));
    let array = rows("[ {\"a\": 1} , 2, [3] ]", 0, 2).unwrap();
    assert_eq!((array.text.as_str(), array.range.of), ("[{\"a\": 1},2]", 3));
    assert_eq!(rows("just text", 0, 1), Err(Error::NoRows));
    assert_eq!(rows("{\"a\": 1}", 0, 1), Err(Error::NoRows));
}

#[test]
fn faults_name_the_field_and_the_fix() {
    let fail = |selector| slice("a\nb\n", "text/plain", &selector, BIG).unwrap_err();
    let backwards = fail(Selector::Lines { start: 2, end: Some(1) });
    assert_eq!(
        (backwards.field(), backwards.fix().as_str()),
        ("end", "give an `end` of 2 or more, or leave it out")
    );
    let beyond = fail(Selector::Bytes { start: 5, end: None });
    assert_eq!((beyond.field(), beyond.fix().as_str()), ("start", "give a `start` from 0 to 4"));
    assert_eq!(beyond.to_string(), "`start` (5) lies past the last byte (there are 4)");
    assert_eq!(fail(Selector::Pointer { pointer: String::new() }).field(), "pointer");
    assert_eq!(
        fail(Selector::Path { path: "$".to_owned(), start: 0, end: None }).fix(),
        "ask by line or by byte"
    );
}

fn any_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a\u{e9}\u{2192}\u{1f600}\n\r ,\"\\[\\]{}:]{0,8}",
        prop::sample::select(vec![
            "[email:1]",
            "[national_id:123456]",
            "[secret:other]",
            "[email:"
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

fn any_selector() -> impl Strategy<Value = Selector> {
    let path = prop_oneof!["\\$(\\.[a*]|\\[[0-9:?@'*-]{0,4}\\]|\\.\\.a){0,4}", any::<String>()];
    (0_usize..60, prop::option::of(0_usize..60), path, 0..5).prop_map(
        |(start, end, path, which)| match which {
            0 => Selector::Lines { start, end },
            1 => Selector::Bytes { start, end },
            2 => Selector::Rows { start, end },
            3 => Selector::Pointer { pointer: path },
            _ => Selector::Path { path, start, end },
        },
    )
}

proptest! {
    #[test]
    fn any_range_of_any_text(text in any_text(), start in 0_usize..80, end in 0_usize..80, cap in 0_usize..40) {
        match slice(&text, "text/plain", &Selector::Bytes { start, end: Some(end) }, cap) {
            Err(_) => prop_assert!(start > text.len() || end < start),
            Ok(sliced) => {
                let Range { start: from, end: to, of, .. } = sliced.range;
                prop_assert_eq!(text.get(from..to), Some(sliced.text.as_str()));
                prop_assert_eq!((sliced.left_before, sliced.left_after, of), (from, text.len() - to, text.len()));
                prop_assert!(sliced.text.len() <= cap.max(1) + 24);
                prop_assert!(mask::covering_placeholder(&text, from).is_none() && mask::covering_placeholder(&text, to).is_none());
                prop_assert!(start >= end.min(text.len()) || to > start.min(from));
            }
        }
    }

    #[test]
    fn going_on_from_the_end_reads_the_whole(text in any_text(), cap in 1_usize..20, lines in any::<bool>()) {
        let (mut read, mut start, mut unit) = (String::new(), 0, if lines { Unit::Line } else { Unit::Byte });
        while read.len() < text.len() {
            let selector = match unit {
                Unit::Line => Selector::Lines { start, end: None },
                Unit::Byte | Unit::Row | Unit::Match => Selector::Bytes { start, end: None },
            };
            let sliced = slice(&text, "text/plain", &selector, cap).unwrap();
            prop_assert!(!sliced.text.is_empty());
            // A line longer than the cap is read on by byte.
            prop_assert!(sliced.truncated || sliced.range.end == sliced.range.of);
            read.push_str(&sliced.text);
            (start, unit) = (sliced.range.end, sliced.range.unit);
        }
        prop_assert_eq!(read, text);
    }

    #[test]
    fn any_request_has_an_answer(text in any_text(), selector in any_selector(), cap in 0_usize..40) {
        for media_type in ["", "text/csv", "application/json", "application/x-ndjson"] {
            match slice(&text, media_type, &selector, cap) {
                Ok(sliced) => prop_assert!(sliced.text.len() <= cap.max(2) + 24),
                Err(error) => prop_assert!(!error.fix().is_empty() && error.to_string().contains('`') || error == Error::NoRows),
            }
        }
    }

    #[test]
    fn names_lead_back_to_their_values(name in any::<String>(), number in any::<i64>()) {
        let text = serde_json::json!({ "x": [0], name.clone(): { "v": number } }).to_string();
        let pointer = format!("/{}/v", name.replace('~', "~0").replace('/', "~1"));
        prop_assert_eq!(at(&text, &pointer).unwrap(), number.to_string());
        let path = format!("$[{}].v", serde_json::to_string(&name).unwrap());
        prop_assert_eq!(along(&text, &path).unwrap(), format!("[{number}]"));
    }

    #[test]
    fn selected_values_are_json(depth in 0_usize..5, path in "\\$(\\.\\.)?\\[[*0-2]\\]") {
        let text = format!("{}{}{}", "[{\"a\": ".repeat(depth), "[1, \"\\u00e9\"]", "}]".repeat(depth));
        prop_assert!(values::is_json(&along(&text, &path).unwrap()));
    }
}
