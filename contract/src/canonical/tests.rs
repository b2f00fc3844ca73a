use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn text_of(value: &Value) -> String {
    to_canonical_text(value).unwrap()
}

fn parsed(text: &str) -> Value {
    parse_strict(text.as_bytes()).unwrap()
}

#[test]
fn numbers_of_rfc_8785_appendix_b() {
    let vectors: [(u64, Option<&str>); 28] = [
        (0x0000_0000_0000_0000, Some("0")),
        (0x8000_0000_0000_0000, Some("0")),
        (0x0000_0000_0000_0001, Some("5e-324")),
        (0x8000_0000_0000_0001, Some("-5e-324")),
        (0x7fef_ffff_ffff_ffff, Some("1.7976931348623157e+308")),
        (0xffef_ffff_ffff_ffff, Some("-1.7976931348623157e+308")),
        (0x4340_0000_0000_0000, Some("9007199254740992")),
        (0xc340_0000_0000_0000, Some("-9007199254740992")),
        (0x4430_0000_0000_0000, Some("295147905179352830000")),
        (0x7fff_ffff_ffff_ffff, None),
        (0x7ff0_0000_0000_0000, None),
        (0x44b5_2d02_c7e1_4af5, Some("9.999999999999997e+22")),
        (0x44b5_2d02_c7e1_4af6, Some("1e+23")),
        (0x44b5_2d02_c7e1_4af7, Some("1.0000000000000001e+23")),
        (0x444b_1ae4_d6e2_ef4e, Some("999999999999999700000")),
        (0x444b_1ae4_d6e2_ef4f, Some("999999999999999900000")),
        (0x444b_1ae4_d6e2_ef50, Some("1e+21")),
        (0x3eb0_c6f7_a0b5_ed8c, Some("9.999999999999997e-7")),
        (0x3eb0_c6f7_a0b5_ed8d, Some("0.000001")),
        (0x41b3_de43_5555_5553, Some("333333333.3333332")),
        (0x41b3_de43_5555_5554, Some("333333333.33333325")),
        (0x41b3_de43_5555_5555, Some("333333333.3333333")),
        (0x41b3_de43_5555_5556, Some("333333333.3333334")),
        (0x41b3_de43_5555_5557, Some("333333333.33333343")),
        (0xbecb_f647_612f_3696, Some("-0.0000033333333333333333")),
        (0x4314_3ff3_c1cb_0959, Some("1424953923781206.2")),
        (0x3ff0_0000_0000_0000, Some("1")),
        (0xc024_0000_0000_0000, Some("-10")),
    ];
    for (bits, expected) in vectors {
        let written = number::ecmascript(f64::from_bits(bits));
        assert_eq!(written.as_deref(), expected, "{bits:016x}");
        if let Some(expected) = expected {
            assert_eq!(text_of(&parsed(expected)), expected, "{bits:016x} read back");
        }
    }
}

#[test]
fn literals_strings_and_numbers_of_rfc_8785_section_3_2() {
    let source = r#"{
        "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
        "literals": [null, true, false]
    }"#;
    let expected = concat!(
        r#"{"literals":[null,true,false],"#,
        r#""numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"#,
        r#""string":"€$\u000f\nA'B\"\\\\\"/"}"#
    );
    assert_eq!(text_of(&parsed(source)), expected);
}

#[test]
fn keys_sort_by_utf16_code_units() {
    // The sorting sample of RFC 8785, 3.2.3: the emoji (a surrogate pair) stands before U+FB33.
    let value = json!({
        "\u{20ac}": 1, "\r": 2, "\u{fb33}": 3, "1": 4, "\u{1f600}": 5, "\u{80}": 6, "\u{f6}": 7
    });
    let order: Vec<u64> =
        parsed(&text_of(&value)).as_object().unwrap().values().filter_map(Value::as_u64).collect();
    assert_eq!(order, [2, 4, 6, 7, 1, 5, 3]);
}

#[test]
fn control_characters_are_escaped_and_nothing_else() {
    let all: String =
        (0..0x20).filter_map(char::from_u32).chain("\u{7f}\u{2028}/".chars()).collect();
    let written = text_of(&Value::String(all.clone()));
    assert!(written.contains(r"\u0000") && written.contains(r"\u001f") && written.contains(r"\b"));
    assert!(written.contains("\u{7f}\u{2028}/"));
    assert_eq!(parsed(&written), Value::String(all));
}

#[test]
fn an_integer_that_would_change_its_digits_is_refused_by_pointer() {
    for (value, pointer) in [
        (json!({"a": [0, {"b/c~": 9_007_199_254_740_993_u64}]}), "/a/1/b~1c~0"),
        (json!([-9_007_199_254_740_993_i64]), "/0"),
        (json!(u64::MAX), ""),
        (json!(i64::MIN), ""),
        // A power of two fits a double, yet its canonical text would be another integer's.
        (json!({"id": 1_u64 << 60}), "/id"),
    ] {
        let Err(Error::Inexact { pointer: named, .. }) = to_canonical(&value) else {
            panic!("{value} was taken");
        };
        assert_eq!(named, pointer);
    }
    for exact in
        ["9007199254740991", "-9007199254740991", "9007199254740992", "1152921504606847000"]
    {
        assert_eq!(text_of(&parsed(exact)), exact);
    }
}

#[test]
fn parsing_never_rounds_an_integer_beyond_64_bits() {
    for (text, offset) in [
        ("18446744073709551617", 0),
        (r#"{"a":"\"-1","b":[1, -9223372036854775809]}"#, 20),
        ("1000000000000000000000000", 0),
    ] {
        let error = parse_strict(text.as_bytes()).unwrap_err();
        assert!(matches!(error, StrictError::Inexact { offset: at } if at == offset), "{error}");
    }
    for text in ["100000000000000000000", "1e30", "1.8446744073709551617", "18446744073709551615"] {
        assert!(parse_strict(text.as_bytes()).is_ok(), "{text}");
    }
}

#[test]
fn a_key_given_twice_is_refused_at_any_depth_and_however_escaped() {
    for (text, key, pointer) in [
        (r#"{"name":"a","name":"b"}"#, "name", ""),
        (r#"{"name":"a","x":1,"name":"a"}"#, "name", ""),
        (r#"{"name":"a","na\u006de":"b"}"#, "name", ""),
        (r#"{"params":{"name":"a","name":"b"}}"#, "name", "/params"),
        (r#"[{"p":[0,{"k/":{"":1,"":2}}]}]"#, "", "/0/p/1/k~1"),
        (r#"{"params":{"name":"a"},"params":{"name":"b"}}"#, "params", ""),
    ] {
        let error = parse_strict(text.as_bytes()).unwrap_err();
        let StrictError::DuplicateKey { key: named, pointer: at } = &error else {
            panic!("{text}: {error}");
        };
        assert_eq!((named.as_str(), at.as_str()), (key, pointer), "{text}");
    }
    assert!(parse_strict(br#"[{"a":1},{"a":{"a":2}}]"#).is_ok());
}

#[test]
fn bytes_after_the_value_bad_syntax_and_bad_text_are_refused() {
    for text in ["{} {}", "1 2", "[]x", "{}\0"] {
        let error = parse_strict(text.as_bytes()).unwrap_err();
        assert!(matches!(error, StrictError::Trailing { line: 1, .. }), "{text}: {error}");
    }
    let bad: [&[u8]; 8] = [
        b"",
        b"{",
        b"{\"a\":1,}",
        b"NaN",
        b"1e400",
        b"\"\\ud800\"",
        b"\"\xff\"",
        b"\xef\xbb\xbf{}",
    ];
    for bytes in bad {
        let error = parse_strict(bytes).unwrap_err();
        assert!(matches!(error, StrictError::Syntax { .. }), "{bytes:?}: {error}");
    }
    assert_eq!(parse_strict(b" \n{ } \t\r\n").unwrap(), json!({}));
}

#[test]
fn both_directions_stop_at_the_same_depth() {
    let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
    let deepest = parsed(&nested(DEPTH_MAX));
    assert_eq!(text_of(&deepest), nested(DEPTH_MAX));
    assert_eq!(to_canonical(&json!([deepest])), Err(Error::TooDeep { limit: DEPTH_MAX }));
    for levels in [DEPTH_MAX + 1, 1000] {
        let error = parse_strict(nested(levels).as_bytes()).unwrap_err();
        assert!(matches!(error, StrictError::TooDeep { limit: DEPTH_MAX }), "{error}");
    }
    let objects = r#"{"a":"#.repeat(DEPTH_MAX + 1) + "1" + &"}".repeat(DEPTH_MAX + 1);
    assert!(matches!(parse_strict(objects.as_bytes()), Err(StrictError::TooDeep { .. })));
}

#[test]
fn names_that_differ_by_case_alone_are_found() {
    for (value, a, b) in [
        (json!({"name": "x", "Name": "y"}), "name", "Name"),
        (json!({"method": 1, "params": {"nAme": 1, "NAME": 2}}), "nAme", "NAME"),
        (json!([[{"params": 1, "param\u{17f}": 2}]]), "params", "param\u{17f}"),
        (json!({"token": 1, "to\u{212a}en": 2}), "token", "to\u{212a}en"),
    ] {
        assert_eq!(case_twins(&value), Some((a.to_owned(), b.to_owned())));
    }
    assert_eq!(case_twins(&json!({"name": {"Name": "NAME"}, "é": 1, "É": 2, "names": 3})), None);
}

#[test]
fn digests_are_over_the_canonical_bytes() {
    let hex = |bytes: [u8; 32]| bytes.map(|byte| format!("{byte:02x}")).concat();
    assert_eq!(
        hex(digest(&json!({})).unwrap()),
        "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
    );
    let (one, other) = (json!({"a": 1, "b": 2.0}), json!({"b": 2, "a": 1}));
    assert_eq!(digest(&one), digest(&other));
    let salted = |salt: u8| salted_digest(&[salt; 16], &one).unwrap();
    assert_ne!(salted(1), salted(2));
    assert_eq!(salted(1), salted_digest_of_bytes(&[1; 16], br#"{"a":1,"b":2}"#));
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-(1_i64 << 53) + 1..1 << 53).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 64, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((any::<String>(), inner), 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn reversed(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            Value::Object(members.iter().rev().map(|(k, v)| (k.clone(), reversed(v))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(reversed).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

proptest! {
    #[test]
    fn the_canonical_form_is_a_fixed_point(value in any_value()) {
        let once = to_canonical(&value).unwrap();
        let again = to_canonical(&parse_strict(&once).unwrap()).unwrap();
        prop_assert_eq!(again, once);
    }

    #[test]
    fn the_order_of_members_does_not_matter(value in any_value()) {
        prop_assert_eq!(digest(&reversed(&value)), digest(&value));
    }

    #[test]
    fn every_double_reads_back_as_itself(bits in any::<u64>()) {
        let double = f64::from_bits(bits);
        prop_assume!(double.is_finite() && double != 0.0);
        let text = number::ecmascript(double).unwrap();
        prop_assert_eq!(text.parse::<f64>().unwrap().to_bits(), bits);
        prop_assert_eq!(parse_strict(text.as_bytes()).unwrap().as_f64().unwrap().to_bits(), bits);
    }

    #[test]
    fn an_integer_is_written_with_its_own_digits_or_refused(integer in any::<i64>()) {
        match to_canonical_text(&Value::from(integer)) {
            Ok(text) => prop_assert_eq!(text, integer.to_string()),
            Err(error) => prop_assert_eq!(
                error,
                Error::Inexact { pointer: String::new(), number: integer.to_string() }
            ),
        }
    }

    #[test]
    fn whatever_is_accepted_agrees_with_the_lax_parser(
        text in r#"[\[\]{}:,"a\\u0-9eE.+ -]{0,24}"#
    ) {
        let strict = parse_strict(text.as_bytes());
        let lax = serde_json::from_str::<Value>(&text);
        match (strict, lax) {
            (Ok(strict), Ok(lax)) => prop_assert_eq!(strict, lax),
            (Ok(_), Err(error)) => prop_assert!(false, "{}", error),
            (Err(StrictError::Syntax { .. } | StrictError::Trailing { .. }), lax) => {
                prop_assert!(lax.is_err());
            }
            (Err(_), _) => {}
        }
    }

    #[test]
    fn garbage_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = parse_strict(&bytes).map(|value| (to_canonical(&value), case_twins(&value)));
    }
}
