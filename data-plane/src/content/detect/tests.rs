use super::echo::Echo;
use super::*;
use crate::content::json;
use proptest::prelude::*;

/// What is found, as (kind, text).
fn found(text: &str) -> Vec<(Kind, &str)> {
    shown(text, &detect(text))
}

fn shown<'t>(text: &'t str, spans: &[Span]) -> Vec<(Kind, &'t str)> {
    spans.iter().map(|span| (span.kind, text.get(span.start..span.end).unwrap())).collect()
}

/// Values that are found in any surroundings.
const PLAIN: &[(Kind, &str)] = &[
    (Kind::Email, "ann.o-brien+x@mail.example.org"),
    (Kind::Email, "jos\u{e9}@caf\u{e9}.example"),
    (Kind::Email, "ann%40example.org"),
    (Kind::Email, "ann&#64;example.org"),
    (Kind::Email, "x@a.xn--p1ai"),
    (Kind::Email, "jose\u{301}@example.org"),
    (Kind::Phone, "+49 151 1234 5678"),
    (Kind::Phone, "+5511912345678"),
    (Kind::Phone, "+44 (0)20 7946 0958"),
    (Kind::Phone, "+1 (212) 555-0123"),
    (Kind::Phone, "%2B4915112345678"),
    (Kind::Phone, "(212) 555-0123"),
    (Kind::Phone, "212-555-0123"),
    (Kind::Phone, "(11) 91234-5678"),
    (Kind::Phone, "06 12 34 56 78"),
    (Kind::Phone, "07700 900123"),
    (Kind::Phone, "0151/12345678"),
    (Kind::Iban, "GB82WEST12345698765432"),
    (Kind::Iban, "DE89 3704 0044 0532 0130 00"),
    (Kind::Iban, "fr1420041010050500013m02606"),
    (Kind::Card, "4111111111111111"),
    (Kind::Card, "4111 1111 1111 1111"),
    (Kind::Card, "5500-0000-0000-0004"),
    (Kind::Card, "3782 822463 10005"),
    (Kind::Card, "3530111333300000"),
    (Kind::Card, "6011000990139424"),
    (Kind::Card, "30569309025904"),
    (Kind::Card, "4111\u{a0}1111\u{a0}1111\u{a0}1111"),
    (Kind::NationalId, "529.982.247-25"),
    (Kind::NationalId, "11.222.333/0001-81"),
    (Kind::NationalId, "12.ABC.345/01DE-35"),
    (Kind::NationalId, "12345678Z"),
    (Kind::NationalId, "X-1234567-L"),
    (Kind::NationalId, "123-12-1234"),
    (Kind::NationalId, "AB 12 34 56 C"),
    (Kind::NationalId, "2 55 08 14 168 025 38"),
    (Kind::NationalId, "RSSMRA85T10A562S"),
    (Kind::Secret, "sk_live_51H8abcdefGHIJ"),
    (Kind::Secret, "ghp_0123456789abcdefABCDEF0123456789abcd"),
    (Kind::Secret, "github_pat_11ABCDEFG0abcdefghijkl_xyz"),
    (Kind::Secret, "AKIAIOSFODNN7EXAMPLE"),
    (Kind::Secret, "xoxb-123456789012-abcdefABCDEF"),
    (Kind::Secret, "AIzaSyA-1234567890abcdefghijklmnopqrstu"),
    (Kind::Secret, "glpat-abcdefghij0123456789"),
    (Kind::Secret, "bw_agent_r0ute_0123456789abcdefghijABCDEFGHIJ0123456789abc_1a2b3c4d"),
    (Kind::Secret, "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P"),
    (Kind::Secret, "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEE+/=\n-----END EC PRIVATE KEY-----"),
];

/// Texts of which nothing may be taken: ids, times, versions, amounts, places.
const HARMLESS: &[&str] = &[
    "2024-01-02T10:20:30.123456Z 1732999999 1732999999123 1732999999123456789",
    "550e8400-e29b-41d4-a716-446655440000 ord_4111111111111112 4111111111111112",
    "1234567812345670 0.4111111111111111 3.4111111111111111e5 192.168.100.200 10.0.0.1:5432",
    "1 234 567 890 EUR, 12,345,678.90, -12345678901, +3, 1+12345678901 +3.1415926535 +012024-05-12 +9999-365 23:59 1a 06 12 34 56 78 4566814905495150320",
    "react@18.2.0 logo@2x.png git@github.com:acme/shop @ann a@b",
    "12345678901 52998224725 86095742719 44051401359 123456789 4006381333931",
    "token_type: Bearer, password: required, max_tokens: 4096, secret_name: acme/shop/stripe",
    "{\"next_page_token\":\"CAEQAhgFIgwIq7Kz9gYQ\", \"password\":\"${PASSWORD}\"}",
    "SELECT id FROM t WHERE phone IS NULL LIMIT 100000000; hotel 12345678",
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8 sha256:2c26b46b68ffc68ff99b453c1d30413413422d70",
    "01/02/2024 05-12-2024 10.12.2024 2024.12.05 12:30:45 phone on 2024-01-02 10",
    "https://example.org/a@v1/b?id=12345678&at=20240102030405 2001:db8::1",
    "000-12-1234 900-12-1234 078-05-1120 AA000000E 12345678A DE00370400440532013000",
    "sk_live_ ghp_short AKIA eyJ eyJ.eyJ -----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
];

#[test]
fn values_are_found_whole_in_any_surroundings() {
    for (kind, value) in PLAIN {
        for (before, after) in [
            ("", ""),
            ("x ", " y"),
            ("\u{e9}: (", ")."),
            ("a=\"", "\","),
            ("\n<", ">\n"),
            ("„", "“"),
            ("\u{8bf7}\u{ff1a}", "\u{3002}"),
            ("\u{8bf7}", "\u{8c22}"),
        ] {
            let text = format!("{before}{value}{after}");
            assert_eq!(found(&text), [(*kind, *value)], "{text}");
        }
    }
}

#[test]
fn harmless_numbers_and_names_are_left_alone() {
    for text in HARMLESS {
        assert_eq!(found(text), [], "{text}");
    }
}

#[test]
fn plain_digits_need_a_word() {
    for (kind, word, value) in [
        (Kind::Phone, "phone", "5551234567"),
        (Kind::Phone, "celular", "91234-5678"),
        (Kind::Phone, "Tel.", "030 1234567"),
        (Kind::NationalId, "cpf", "52998224725"),
        (Kind::NationalId, "CNPJ", "11222333000181"),
        (Kind::NationalId, "ssn", "123121234"),
        (Kind::NationalId, "Steuer-ID", "86 095 742 719"),
        (Kind::NationalId, "PESEL", "44051401359"),
        (Kind::Card, "card", "4222222222222"),
        (Kind::Card, "card", "4566814905495150320"),
    ] {
        let text = format!("{word}: {value}");
        assert_eq!(found(&text), [(kind, value)], "{text}");
        assert_eq!(found(&format!("order: {value}")), [], "{value}");
        let keyed = format!("{{\"{word}\": \"{value}\", \"order\": 7}}");
        assert_eq!(shown(&keyed, &detect_json(&keyed)), [(kind, value)], "{keyed}");
    }
}

#[test]
fn secrets_are_known_by_their_name() {
    for (text, secret) in [
        ("password=hunter2!", "hunter2!"),
        ("DB_PASSWORD: \"correct-horse\"", "correct-horse"),
        ("api_key = 9f8e7d6c5b4a39281706", "9f8e7d6c5b4a39281706"),
        ("Authorization: Bearer a8Kd93jfKs02mVnQ", "a8Kd93jfKs02mVnQ"),
        ("https://h/x?page=2&access_token=a8Kd93jfKs02mVnQ&z=1", "a8Kd93jfKs02mVnQ"),
        ("postgres://app:s3cr3t@db.example.org/shop", "s3cr3t"),
        ("{\\\"clientSecret\\\":\\\"a8Kd93jfKs02mVnQ\\\"}", "a8Kd93jfKs02mVnQ"),
    ] {
        assert_eq!(found(text), [(Kind::Secret, secret)], "{text}");
    }
    let json = r#"{"headers":{"Authorization":"Basic YW5uOmh1bnRlcjIxMjM0"},"tokens":["x"]}"#;
    assert_eq!(shown(json, &detect_json(json)), [(Kind::Secret, "YW5uOmh1bnRlcjIxMjM0")]);
}

#[test]
fn a_cut_off_key_block_is_taken_as_far_as_it_goes() {
    let text = "x -----BEGIN RSA PRIVATE KEY-----\nMIIEow+/\nAAAA=\n\u{e9} after";
    let spans = detect(text);
    assert_eq!(
        shown(text, &spans)[0].1.trim_end(),
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEow+/\nAAAA="
    );
}

#[test]
fn what_is_known_once_is_known_everywhere() {
    let text = "tel: 5551234567\nretry for 5551234567 and x5551234567";
    assert_eq!(found(text).len(), 2);
    let json = r#"[{"phone":"5551234567"},{"ref":"call 5551234567","n":5551234567}]"#;
    let spans = detect_json(json);
    assert_eq!(shown(json, &spans).len(), 3);
    assert_eq!(spans.iter().map(|span| span.bare).collect::<Vec<_>>(), [false, false, true]);
    let lines = "{\"password\":\"hunter2x\"}\n{\"n\":1,\"msg\":\"login hunter2x\"}\n";
    assert_eq!(detect_for("application/x-ndjson", lines).len(), 2);
}

/// What begins like a number and is none: the digits before the place where it stops being JSON are
/// searched with those behind it.
#[test]
fn a_value_across_the_end_of_json_is_found_whole() {
    for text in ["4111 1111 1111 1111", "4111 1111 1111 1111\",\"ts\":1}", "[4111 1111 1111 1111"] {
        for media_type in ["application/json", "application/x-ndjson"] {
            let masked = crate::content::mask::mask_for_index(text, &detect_for(media_type, text));
            assert!(!masked.text.contains("1111"), "{media_type} {}", masked.text);
        }
    }
}

#[test]
fn json_strings_are_searched_as_what_they_mean() {
    for written in
        [r"ann\u0040example.org", r"\u0061nn@example\u002eorg", r"ann\u0040ex\u0061mple.org"]
    {
        let text = format!(r#"{{"a": ["x", "mail \"{written}\" now"], "n": 1}}"#);
        assert_eq!(shown(&text, &detect_json(&text)), [(Kind::Email, written)], "{text}");
    }
    let key = r#"{"ann@example.org": {"card": 4111111111111111, "phone": 5551234567}}"#;
    let kinds: Vec<_> = detect_json(key).iter().map(|span| (span.kind, span.bare)).collect();
    assert_eq!(kinds, [(Kind::Email, false), (Kind::Card, true), (Kind::Phone, true)]);
    let broken = r#"{"a": "ann\u0040example.org", "b": ["bob@example.org"#;
    assert_eq!(detect_json(broken).len(), 2);
}

#[test]
fn column_names_speak_for_their_cells() {
    let text = "id,phone,cpf\n5551234567,5551234568,52998224725\n\"5551234569\",\"5551234560\",\n";
    let values = [
        (Kind::Phone, "5551234568"),
        (Kind::NationalId, "52998224725"),
        (Kind::Phone, "5551234560"),
    ];
    assert_eq!(shown(text, &detect_for("text/csv; charset=utf-8", text)), values);
}

#[test]
fn mislabelled_json_is_searched_as_json() {
    let text = r#"{"a":"ann\u0040example.org","c":4111111111111111}"#;
    for media_type in ["text/plain", "", "application/problem+json", "application/octet-stream"] {
        assert_eq!(detect_for(media_type, text).len(), 2, "{media_type}");
        let lines = format!("{text}\n{text}\n");
        assert!(detect_for(media_type, &lines).iter().any(|span| span.bare), "{media_type}");
    }
}

#[test]
fn kinds_map_to_labels_and_keep_their_names() {
    for kind in Kind::ALL {
        assert_eq!(serde_json::to_string(&kind).unwrap(), format!("\"{}\"", kind.name()));
        let confidential = kind.sensitivity() == Sensitivity::Confidential;
        assert_eq!(confidential, kind == Kind::Secret);
    }
}

/// Bytes looked at while searching `unit`, repeated to about `size` bytes.
fn work(unit: &str, size: usize) -> usize {
    let text = unit.repeat(size / unit.len());
    let key = Key::default();
    let mut scan = Scan::new(&text, &key);
    let mut hits = Vec::new();
    for at in 0..scan.len() {
        at_byte(&mut scan, at, &mut hits);
    }
    let mut echo = Echo::default();
    echo.learn(&text, &hit::resolve(hits));
    drop(echo.find(&scan));
    scan.work.get()
}

/// Four times the text is about four times the work, whatever is repeated.
#[test]
fn work_grows_in_step_with_the_text() {
    for unit in [
        "@",
        "a@",
        "a.",
        "a@a.",
        "a@a.aa",
        "a@a-.",
        "1",
        "1 ",
        "1-",
        "1.",
        "(1) ",
        "+1 ",
        "4111 ",
        "4111-",
        "GB82 ",
        "GB82",
        "eyJ-",
        "eyJ.",
        "eyJaaaaaaaa.",
        "sk_live_",
        "sk_live_-",
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY----- \u{e9}",
        "-----BEGIN PRIVATE KEY-----\u{e9}-----END A-----",
        "-----BEGIN ",
        "-",
        "password=",
        "password='",
        "token:",
        "://a:",
        "://a:@",
        "=",
        "\u{e9}",
        "%40",
        "\\u0040",
        "&#64;",
        "A",
        "A ",
        "phone 5551234 ",
        "tel:(5) 5",
        "SG.-",
        "SG.a.",
        "[email:1]",
        "\u{ff20}",
        "12345678Z ",
    ] {
        // The shape that closes a run differs: open-ended, and closed at the far end.
        let (small, large) = (work(unit, 5_000), work(unit, 20_000));
        assert!(large < small * 5, "{unit:?}: {small} -> {large}");
        assert!(large < 20_000 * 150, "{unit:?}: {large}");
    }
}

fn any_text() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        prop::sample::select(PLAIN).prop_map(|(_, value)| value.to_owned()),
        prop::sample::select(HARMLESS).prop_map(str::to_owned),
        "[ -~\u{e9}\u{2192}\n]{0,12}",
        prop::sample::select(vec![
            "@",
            ".",
            "\"",
            "\\u0040",
            "tel ",
            "password=",
            "é",
            "+",
            "-",
            "4111",
            "eyJ",
            "{",
            "["
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(pieces, 0..12).prop_map(|pieces| pieces.concat())
}

fn assert_orderly(text: &str, spans: &[Span]) {
    let mut last = 0;
    for span in spans {
        assert!(span.start >= last && span.end > span.start, "{spans:?} of {text:?}");
        assert!(text.get(span.start..span.end).is_some(), "{spans:?} of {text:?}");
        last = span.end;
    }
}

proptest! {
    #[test]
    fn spans_are_sorted_apart_and_on_boundaries(text in any_text()) {
        assert_orderly(&text, &detect(&text));
        assert_orderly(&text, &detect_json(&text));
        for media_type in ["text/csv", "application/x-ndjson", "application/json"] {
            assert_orderly(&text, &detect_for(media_type, &text));
        }
    }

    #[test]
    fn what_json_means_is_found_however_it_is_written(text in any_text(), escape in any::<bool>()) {
        let mut written = serde_json::to_string(&serde_json::json!({ "note": text })).unwrap();
        if escape {
            written = written.replace('@', "\\u0040").replace('1', "\\u0031");
        }
        let spans = detect_json(&written);
        assert_orderly(&written, &spans);
        let mean = |span: &Span| json::decode(written.get(span.start..span.end).unwrap()).text.into_owned();
        let meant: Vec<String> = spans.iter().map(mean).collect();
        let key = Key::of("note");
        for span in hit::spans(search(&text, &key)) {
            let value = text.get(span.start..span.end).unwrap();
            prop_assert!(meant.iter().any(|meant| meant.contains(value)), "{} not in {:?}", value, meant);
        }
    }

    #[test]
    fn numbers_without_a_word_are_left_alone(number in 0_u64..100_000_000_000, text in "[a-z]{1,8}") {
        let text = format!("zz{text} {number} {{\"zz{text}\":{number}}}");
        prop_assert_eq!(detect(&text), vec![]);
    }
}

#[test]
fn a_number_after_a_phone_does_not_hide_it() {
    for after in ["4111 1111 1111 1111", "+49 30 1234567", "2024-01-02", "12 34 56 78 90 12"] {
        let text = format!("+49 151 12345678 {after}");
        assert_eq!(detect(&text).first().map(|span| span.start), Some(0), "{text}");
    }
}
