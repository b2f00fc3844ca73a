use super::*;
use columns::Type::{Boolean, Date, Empty, Number, Text};
use proptest::prelude::*;

fn size(summary: &Summary) -> usize {
    serde_json::to_string(summary).unwrap().len()
}

fn keys(text: &str) -> Vec<(String, usize, Vec<&'static str>)> {
    let (Structure::Json { keys, .. } | Structure::JsonLines { keys, .. }) =
        summarise(text, None).structure
    else {
        panic!("{text} has no keys");
    };
    keys.into_iter().map(|key| (key.path, key.count, key.types.into_iter().collect())).collect()
}

/// Case C3: an answer of 318,000 characters, of every kind.
#[test]
fn a_large_answer_has_a_small_summary() {
    let row = "{\"id\":1,\"name\":\"\u{e9}\u{2192}\",\"items\":[{\"sku\":\"a\",\"n\":2}]},";
    let filler = |unit: &str| unit.repeat(318_000 / unit.chars().count());
    for text in [
        format!("[{}0]", filler(row)),
        filler("2024-01-02T10:20:30Z ERROR request 17 failed: timeout after 30 ms\n"),
        format!("id,name,amount\n{}", filler("1,Ann,2.50\n")),
        filler("prose \u{1f600} without end. "),
        filler("\u{1}"),
        filler("\"\\\n"),
        filler("["),
        filler("{\"a\":"),
        filler("a,"),
        filler("[email:1]"),
        many_keys(30_000),
        format!("{}\n{}", filler("c1,"), filler("1,")),
    ] {
        let summary = summarise(&text, None);
        assert!(size(&summary) <= LIMIT_BYTES, "{} of {:?}", size(&summary), summary.media_type);
        assert_eq!((summary.bytes, summary.characters), (text.len(), text.chars().count()));
        assert!(summary.head_is_cut && text.starts_with(&summary.head));
        assert!(summary.head.len() >= 100, "{} of {:?}", summary.head.len(), summary.structure);
    }
}

#[test]
fn json_keys_are_counted_by_path() {
    let text =
        r#"{"total": 2, "items": [{"id": 1, "tags": ["a"]}, {"id": "x", "tags": []}], "at": null}"#;
    assert_eq!(
        keys(text),
        [
            ("total".to_owned(), 1, vec!["number"]),
            ("items".to_owned(), 1, vec!["array"]),
            ("items[]".to_owned(), 2, vec!["object"]),
            ("at".to_owned(), 1, vec!["null"]),
            ("items[].id".to_owned(), 2, vec!["number", "string"]),
            ("items[].tags".to_owned(), 2, vec!["array"]),
            ("items[].tags[]".to_owned(), 1, vec!["string"]),
        ]
    );
    let Structure::Json { root, elements, .. } = summarise("[1, 2, 3]", None).structure else {
        panic!("another shape")
    };
    assert_eq!((root, elements), ("array", Some(3)));
}

fn many_keys(count: usize) -> String {
    let members: Vec<_> = (0..count).map(|index| format!("\"k{index}\":{index}")).collect();
    format!("{{{}}}", members.join(","))
}

#[test]
fn left_out_keys_are_counted() {
    let Structure::Json { keys, keys_left_out, .. } = summarise(&many_keys(1000), None).structure
    else {
        panic!("no keys");
    };
    assert_eq!(keys.len() + keys_left_out, 1000);
    let row = r#"{"a":{"b":{"c":{"d":{"e":1,"f":2}}}}}"#;
    let rows = format!("[{}{row}]", format!("{row},").repeat(99));
    let Structure::Json { keys_left_out, .. } = summarise(&rows, None).structure else {
        panic!("no keys")
    };
    assert_eq!(keys_left_out, 2);
}

#[test]
fn json_lines_have_rows_and_levels() {
    let text = "{\"level\":\"error\",\"m\":\"a\"}\n{\"level\":\"INFO\",\"m\":\"b\",\"ts\":\"2024-01-02T10:20\"}\n{\"level\":\"error\",\"m\":1,\"ts\":\"2024-01-03T10:20\"}\n";
    let summary = summarise(text, None);
    assert_eq!(summary.media_type, media::JSON_LINES);
    let Structure::JsonLines { rows, levels, first, last, .. } = summary.structure else {
        panic!("another shape")
    };
    let levels: Vec<_> = levels.iter().map(|level| (level.level, level.lines)).collect();
    assert_eq!((rows, levels), (3, vec![("error", 2), ("info", 1)]));
    let times = (first.as_deref(), last.as_deref());
    assert_eq!(times, (Some("2024-01-02T10:20"), Some("2024-01-03T10:20")));
    assert_eq!(keys(text)[1], ("m".to_owned(), 3, vec!["number", "string"]));
}

/// Case C1 as a summary.
#[test]
fn tables_have_columns_of_types() {
    let text = "\u{feff}\"id\",\"n\",on,at,x\n1,\"a\nb\",true,2024-01-02,\n-2.5,c,false,2024-01-02T10:00:00Z,\n";
    let Structure::Table { rows, columns, .. } = summarise(text, None).structure else {
        panic!("another shape")
    };
    let columns: Vec<_> =
        columns.iter().map(|column| (column.name.as_str(), column.kind, column.empty)).collect();
    assert_eq!(rows, 2);
    assert_eq!(
        columns,
        [("id", Number, 0), ("n", Text, 0), ("on", Boolean, 0), ("at", Date, 0), ("x", Empty, 2)]
    );
}

#[test]
fn repeated_log_lines_are_folded() {
    let time = |index: usize| format!("2024-01-02T10:20:{:02}.{index:03}Z", index % 60);
    let failed = |index| {
        format!(
            "{} ERROR [worker-{index}] request 9f8b{index:04x} to 10.0.0.{index}:80 failed\n",
            time(index)
        )
    };
    let slow = |index| format!("{} WARN slow: {index}.5ms [email:{index}]\n", time(index));
    let mut text: String = (0..40).flat_map(|index| [failed(index), slow(index)]).collect();
    text += "2024-01-02 10:20:30 INFO started\n";
    let Structure::Log { levels, repeated, other_lines, first, last } =
        summarise(&text, None).structure
    else {
        panic!("another shape")
    };
    let times = (first.as_deref(), last.as_deref());
    assert_eq!(times, (Some("2024-01-02T10:20:00.000Z"), Some("2024-01-02 10:20:30")));
    let levels: Vec<_> = levels.iter().map(|level| (level.level, level.lines)).collect();
    assert_eq!(levels, [("error", 40), ("warn", 40), ("info", 1)]);
    let repeated: Vec<_> =
        repeated.iter().map(|entry| (entry.line.as_str(), entry.times)).collect();
    assert_eq!(repeated.iter().map(|entry| entry.1).collect::<Vec<_>>(), [40, 40], "{repeated:?}");
    assert!(repeated[0].0.contains("ERROR [worker-#] request # to # failed"), "{repeated:?}");
    assert_eq!(other_lines, 1);
}

#[test]
fn media_types_are_told_from_the_text() {
    for (declared, text, expected) in [
        (None, " {\"a\": [1]}", media::JSON),
        (Some("text/plain"), "[1]", media::JSON),
        (Some("application/json; charset=utf-8"), "3", media::JSON),
        (Some("application/json"), "{\"a\": ", media::PLAIN),
        (Some("application/vnd.x+json"), "{}", media::JSON),
        (None, "{\"a\":1}\n{\"a\":2}\n", media::JSON_LINES),
        (None, "a,b\n1,2\n", media::CSV),
        (Some("text/csv"), "1,2\n", media::CSV),
        (None, "a\tb\n1\t2\n", media::TSV),
        (None, "<!DOCTYPE html><p>x", media::HTML),
        (None, "<?xml version=\"1.0\"?><a/>", media::XML),
        (None, "<a><b/></a>\n", media::XML),
        (None, "< 3 of them", media::PLAIN),
        (Some("text/markdown"), "# Hi", media::MARKDOWN),
        (Some("image/png"), "Hello, world", media::PLAIN),
        (None, "", media::PLAIN),
        (None, "10:00:00 INFO a, b\n10:00:01 INFO c, d\n", media::PLAIN),
    ] {
        assert_eq!(detect_media_type(declared, text), expected, "{text:?}");
    }
}

#[test]
fn text_is_counted_in_paragraphs() {
    assert_eq!(
        summarise("one\ntwo\n\n\nthree\n", None).structure,
        Structure::Text { paragraphs: 2, headings: Vec::new(), headings_left_out: 0 }
    );
    assert_eq!(summarise("", None).lines, 0);
}

/// Lines that differ in ids alone are one line, however an id is written.
#[test]
fn ids_of_every_form_are_folded() {
    for (one, other) in [
        ("deadbeef-cafe-4bad-beef-abcdefabcdef", "01234567-89ab-7def-8123-456789abcdef"),
        ("10.0.0.1:80", "192.168.17.4:8080"),
        ("2024-01-02T10:20:30Z", "2025-11-30T23:59:59.125+01:00"),
        ("0xdeadbeef01", "0x00000000ff"),
        ("42", "17.5"),
        ("[email:1]", "[email:22]"),
    ] {
        let line = |id: &&str| format!("10:00:00 ERROR request {id} has failed\n");
        let text = [one, other, one, other].iter().map(line).collect::<Vec<_>>().concat();
        let Structure::Log { repeated, other_lines, .. } = summarise(&text, None).structure else {
            panic!("another shape")
        };
        assert_eq!((repeated.len(), other_lines), (1, 0), "{repeated:?}");
    }
}

/// Nothing that is hostile takes more than its length: each is a megabyte or two, and is summarised in
/// the time that a test may take.
#[test]
fn hostile_texts_are_summarised() {
    let columns = (0..20_000).map(|n| format!("c{n}")).collect::<Vec<_>>().join(",");
    for (declared, text) in [
        ("application/json", format!("{}{}", "[".repeat(300_000), "]".repeat(300_000))),
        ("application/json", format!("{}1{}", "{\"a\":".repeat(200_000), "}".repeat(200_000))),
        ("application/json", many_keys(100_000)),
        ("application/json", format!("[{}0]", "{\"a\":[],\"b\":{}},".repeat(60_000))),
        ("text/plain", "x".repeat(2_000_000)),
        ("text/plain", "- [email:1] ".repeat(100_000)),
        ("text/csv", format!("{columns}\n{}", "1\n".repeat(400_000))),
        ("text/csv", format!("a,b\n\"{}", "\"\"".repeat(500_000))),
        ("text/csv", ",".repeat(500_000)),
        (
            "application/x-ndjson",
            format!("{}\nnot json\n", "{\"level\":\"error\"}\n".repeat(40_000)),
        ),
        ("text/plain", "2024-01-02T10:20:30Z ERROR ".repeat(40_000)),
        ("text/plain", "10:00:00 ERROR a\n{\"a\":1}\na,b\n# c\n".repeat(20_000)),
        ("text/markdown", "# h\n```\n".repeat(100_000)),
        ("text/plain", "a\n---\n".repeat(200_000)),
    ] {
        let summary = summarise(&text, Some(declared));
        assert!(size(&summary) <= LIMIT_BYTES, "{} of {declared}", size(&summary));
        assert_eq!(summary.bytes, text.len());
    }
}

/// What an answer of each kind takes, and what is said of it instead.
#[test]
fn a_summary_is_a_small_part_of_what_it_is_of() {
    let row = |n: usize| format!("{{\"id\":{n},\"state\":\"open\",\"lines\":[{{\"sku\":\"a\"}}]}}");
    let json = format!("[{}]", (0..2000).map(row).collect::<Vec<_>>().join(","));
    let csv = format!(
        "id,state\n{}",
        (0..9000).map(|n| format!("{n},open\n")).collect::<Vec<_>>().concat()
    );
    let line =
        |n: usize| format!("2024-01-02T10:20:30Z INFO request {n} answered in {} ms\n", n % 90);
    let log = (0..2000).map(line).collect::<Vec<_>>().concat();
    let part = |n: usize| format!("## Part {n}\n\n{}\n\n", "words ".repeat(30));
    let prose = (0..500).map(part).collect::<Vec<_>>().concat();
    for (kind, text) in [("json", json), ("csv", csv), ("log", log), ("text", prose)] {
        let summary = summarise(&text, None);
        let share = size(&summary) * 100 / text.len();
        assert!(share <= 3, "{kind}: {} of {} bytes", size(&summary), text.len());
    }
}

/// Values that detection finds, in the forms that content has them in.
const VALUES: [&str; 4] =
    ["ann@example.org", "+49 151 12345678", "4111 1111 1111 1111", "sk_live_51H8abcdefGHIJ"];

/// A text with values in every place that a summary takes words from.
fn holding(value: &str, form: usize, times: usize) -> (&'static str, String) {
    let many = |line: String| line.repeat(times);
    match form {
        0 => {
            let member =
                serde_json::json!({ value: { value: [value, { "a": value }] } }).to_string();
            ("application/json", format!("[{}0]", many(format!("{member},"))))
        }
        1 => (
            "application/x-ndjson",
            many(format!("{{\"level\":\"{value}\",\"ts\":\"{value}\"}}\n")),
        ),
        2 => ("text/csv", format!("id,\"{value}\"\n{}", many(format!("1,\"{value}\"\n")))),
        3 => ("text/plain", many(format!("10:00:00 ERROR {value} failed\n"))),
        4 => ("text/markdown", many(format!("# {value}\n\n{value}\n===\n"))),
        _ => ("text/plain", many(format!("{value} ERROR: {value}\n"))),
    }
}

const PIECES: [&str; 18] = [
    "{",
    "}",
    "[",
    "]",
    "\"a\":",
    "1,",
    "\"x\"",
    "\n",
    "a,b\n",
    "1\t2\n",
    "# head\n",
    "===\n",
    "```\n",
    "10:00:00 ERROR a 1\n",
    "2024-01-02T10:20:30Z INFO b\n",
    "\u{feff}",
    "\u{1f600}",
    "[email:1]",
];

proptest! {
    /// A summary is made as it is when content is stored: from the masked text.
    #[test]
    fn no_summary_shows_a_value(value in prop::sample::select(&VALUES[..]), form in 0_usize..6, times in 1_usize..40, cut in 0_usize..200) {
        let (media_type, text) = holding(value, form, times);
        let text = text.get(text.floor_char_boundary(cut.min(text.len() / 4))..).unwrap_or_default();
        let spans = crate::content::detect::detect_for(media_type, text);
        let masked = crate::content::mask::mask_for_index(text, &spans).text;
        let whole = serde_json::to_string(&summarise(&masked, Some(media_type))).unwrap();
        prop_assert!(!whole.contains(value), "{}", whole);
        prop_assert!(whole.len() <= LIMIT_BYTES);
    }

    /// Pieces of every kind, put together anyhow.
    #[test]
    fn mixed_texts_have_a_summary(pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..200), declared in prop::option::of(prop::sample::select(&[media::JSON, media::JSON_LINES, media::CSV, media::TSV, media::MARKDOWN, media::PLAIN, media::HTML][..]))) {
        let text = pieces.concat();
        let summary = summarise(&text, declared);
        prop_assert!(size(&summary) <= LIMIT_BYTES);
        prop_assert_eq!(summary.lines, text.lines().count());
    }

    #[test]
    fn every_summary_fits(text in "(\\PC|[\u{0}-\u{1f}\"\\\\,{}\\[\\]:]|[email:1]){0,2000}", keyed in any::<bool>()) {
        let text = if keyed { serde_json::json!({ text.clone(): { text.clone(): [text] } }).to_string() } else { text };
        let summary = summarise(&text, None);
        prop_assert!(size(&summary) <= LIMIT_BYTES, "{}", size(&summary));
        prop_assert!(text.starts_with(&summary.head));
        prop_assert_eq!(summary.head_is_cut, summary.head.len() < text.len());
    }
}
