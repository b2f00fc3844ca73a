//! The command line there and back.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::refusal::{Fault, Refusal};
use crate::validate::Validator;

fn program() -> Command {
    let global =
        |id: &'static str, long: &'static str| Arg::new(id).long(long).global(true).hide(true);
    command(
        Command::new("bailiwick")
            .arg(global("run", "run"))
            .arg(global("idempotency_key", "idempotency-key"))
            .arg(global("dry_run", "dry-run").action(ArgAction::SetTrue))
            .arg(global("json", "json").action(ArgAction::SetTrue))
            .arg(global("url", "url"))
            .arg(global("profile", "profile"))
            .arg(global("token_file", "token-file"))
            .subcommand(
                Command::new("ledger").subcommand(Command::new("verify").arg(Arg::new("FILE"))),
            ),
    )
}

fn matched(words: &[&str]) -> clap::ArgMatches {
    let words = std::iter::once("bailiwick").chain(words.iter().copied());
    program().try_get_matches_from(words).unwrap_or_else(|error| panic!("{error}"))
}

fn typed(words: &[&str], whole: Option<&[u8]>) -> Result<serde_json::Value, Box<Refusal>> {
    with_secrets(words, whole, &[])
}

fn with_secrets(
    words: &[&str],
    whole: Option<&[u8]>,
    secrets: &[(String, String)],
) -> Result<serde_json::Value, Box<Refusal>> {
    let matches = matched(words);
    let (verb, matches) = chosen(&matches).expect("a verb");
    collect(verb, matches, whole, secrets)
}

fn fields(result: Result<serde_json::Value, Box<Refusal>>) -> Vec<String> {
    result.expect_err("refused").faults.into_iter().map(|fault| fault.field).collect()
}

/// What a POSIX shell makes of a line whose words are bare or in single quotes.
fn shell(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted, mut any) = (Vec::new(), String::new(), false, false);
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' => (quoted, any) = (!quoted, true),
            '\\' if !quoted => word.extend(letters.next()),
            ' ' if !quoted => {
                if any {
                    words.push(std::mem::take(&mut word));
                }
                any = false;
            }
            other => {
                word.push(other);
                any = true;
            }
        }
    }
    if any {
        words.push(word);
    }
    words
}

#[test]
fn clap_finds_no_clash() {
    program().debug_assert();
}

#[test]
fn every_example_is_a_command_line_that_says_the_same() {
    for verb in Registry::get().iter() {
        let line = line("bailiwick", verb, &verb.example_input);
        let words = shell(&line);
        let words: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
        assert_eq!(typed(&words, None).as_ref(), Ok(&verb.example_input), "{line}");
        let whole = verb.example_input.to_string();
        let words = [verb.noun(), verb.act(), "--input", "-"];
        assert_eq!(typed(&words, Some(whole.as_bytes())).as_ref(), Ok(&verb.example_input));
    }
}

#[test]
fn help_says_what_a_verb_is_for_and_shows_its_example() {
    let mut program = program();
    program.build();
    for verb in Registry::get().iter() {
        let of_verb = program
            .find_subcommand_mut(verb.noun())
            .expect("a noun")
            .find_subcommand_mut(verb.act());
        let help = of_verb.expect("a verb").render_long_help().to_string();
        let said = help.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(&one_line(verb.about)), "{help}");
        assert!(help.contains(&argv::example("bailiwick", verb)), "{help}");
        assert!(help.contains("--schema"), "{help}");
        // A schema has lines of its own, where it is asked for.
        assert!(!help.contains("\"type\":\"object\""), "{help}");
        for field in verb.path_fields() {
            assert!(help.contains(&format!("<{}>", field.to_ascii_uppercase())), "{help}");
        }
    }
    let grant = program.find_subcommand_mut("grant").expect("grant");
    let help = grant.find_subcommand_mut("create").expect("create").render_help().to_string();
    insta::assert_snapshot!(help, @r#"
    Gives a principal a role at a scope and everything below it.

    Usage: bailiwick grant create [OPTIONS] <PRINCIPAL> --scope <SCOPE> --role <ROLE>

    Options:
      -h, --help  Print help (see more with '--help')

    Required:
      [PRINCIPAL]          Who is to have it. (or --principal)
          --scope <SCOPE>  Where: this scope and everything below it.
          --role <ROLE>    The role's name: `owner`, `admin`, `curator`, `approver`, `billing`, `auditor`, `member` or `viewer`, or one of the identity's own.

    Optional:
          --expires <EXPIRES>  Until when; without an end if left out.
          --input <FILE>       Read the whole input from this file as JSON (`-`: standard input); flags win over it
          --schema             Print the JSON Schema of the input, and do nothing else

    Example:
      bailiwick grant create principal_019ad000000070008000000000000002 --scope acme/shop/returns --role viewer
    "#);
}

#[test]
fn a_noun_that_is_there_already_keeps_what_it_has() {
    let program = program();
    let ledger = program.find_subcommand("ledger").expect("ledger");
    for act in ["verify", "query", "export"] {
        assert!(ledger.find_subcommand(act).is_some(), "{act}");
    }
}

#[test]
fn the_first_fields_need_no_flag() {
    let run = crate::sample::text("run", 1);
    assert_eq!(typed(&["run", "get", &run], None), Ok(json!({ "run": run })));
    assert_eq!(typed(&["run", "get", "--of-run", &run], None), Ok(json!({ "run": run })));
    assert_eq!(typed(&["catalogue", "place", "."], None), Ok(json!({ "place": "." })));
    assert_eq!(
        typed(&["catalogue", "describe", "content.search", "content.slice"], None),
        Ok(json!({ "addresses": ["content.search", "content.slice"] }))
    );
    assert_eq!(
        typed(&["project", "archive", "shop", "checkout", "--expected-version", "1"], None),
        Ok(json!({ "group": "shop", "project": "checkout", "expected_version": 1 }))
    );
    let handle = crate::sample::text("content", 1);
    assert_eq!(
        typed(&["content", "slice", &handle, "--lines-start", "0", "--lines-end", "9"], None),
        Ok(json!({ "handle": handle, "lines": { "start": 0, "end": 9 } }))
    );
    assert_eq!(
        fields(typed(&["catalogue", "place", "shop", "--place", "globex"], None)),
        ["place"]
    );
}

#[test]
fn the_call_takes_the_flags_of_the_whole_command() {
    let run = crate::sample::text("run", 1);
    let words = [
        "catalogue",
        "call",
        "shop/tickets.ticket.get",
        "--arguments",
        "subject=7",
        "--arguments",
        "number:=7",
        "--run",
        &run,
        "--dry-run",
        "--idempotency-key",
        "k",
    ];
    assert_eq!(
        typed(&words, None),
        Ok(json!({
            "address": "shop/tickets.ticket.get", "arguments": { "subject": "7", "number": 7 }, "run": run,
            "dry_run": true, "idempotency_key": "k"
        }))
    );
    let words = ["catalogue", "call", "a.b", "--arguments", r#"{"a":1}"#, "--arguments", "a=2"];
    assert_eq!(fields(typed(&words, None)), ["arguments.a"]);
    // Another verb's field of that name is another thing.
    let words = ["content", "search", "x", "--run", &run];
    assert_eq!(typed(&words, None), Ok(json!({ "query": "x" })));
}

#[test]
fn the_arguments_of_a_call_need_no_flag() {
    let address = "shop/tickets.ticket.get";
    let said = |more: &[&str]| typed(&[&["catalogue", "call", address], more].concat(), None);
    let wanted = json!({ "address": address, "arguments": { "subject": "7", "number": 7 } });
    assert_eq!(said(&["subject=7", "number:=7"]), Ok(wanted.clone()));
    assert_eq!(said(&[r#"{"subject":"7","number":7}"#]), Ok(wanted.clone()));
    assert_eq!(said(&["subject=7", "--arguments", "number:=7", "--json"]), Ok(wanted));
    assert_eq!(fields(said(&["subject=7", "--arguments", "subject=7"])), ["arguments.subject"]);
    assert_eq!(fields(said(&["subject"])), ["arguments"]);
}

#[test]
fn a_secret_is_read_from_a_file_and_shown_so() {
    let words =
        ["credential", "create", "key", "--scope", "acme", "--origins", "https://a.example"];
    let named = matched(&[&words[..], &["--secret-file", "-"]].concat());
    let (verb, named) = chosen(&named).expect("a verb");
    assert_eq!(secrets(verb, named), [("secret".to_owned(), Source::Stdin)]);
    assert_eq!(argv::example("bailiwick", verb).matches("--secret-file ./secret.txt").count(), 1);
    assert!(!argv::example("bailiwick", verb).contains("s3cr3t"));
    for (text, secret) in [("s\n", "s"), ("s\r\n", "s"), (" s ", " s "), ("a\nb\n\n", "a\nb\n")] {
        let read = [("secret".to_owned(), text.to_owned())];
        let input = with_secrets(&words, None, &read).expect("an input");
        assert_eq!(input["secret"], secret, "{text:?}");
        let twice = [&words[..], &["--secret", "t"]].concat();
        assert_eq!(fields(with_secrets(&twice, None, &read)), ["secret"]);
    }
    let empty = [("secret".to_owned(), "\n".to_owned())];
    assert_eq!(fields(with_secrets(&words, None, &empty)), ["secret"]);
}

#[test]
fn a_text_of_the_wanted_type_is_mended_with_the_words_to_type() {
    let words = ["catalogue", "call", "a.b", "n=42", "s=x", "--arguments", "b=true", "m:=\"7\""];
    let matches = matched(&words);
    let (verb, matches) = chosen(&matches).expect("a verb");
    let fault = |field: &str, kind: &str| {
        Fault::new(field, format!("\"…\" is not of type {kind}."), "Send another.")
    };
    let mut refusal = Refusal::of_input(vec![
        fault("arguments.n", "integer"),
        fault("arguments.b", "boolean or null"),
        fault("arguments.s", "number"),
        fault("arguments.m", "integer"),
        fault("arguments.n", "array"),
        fault("address", "integer"),
    ]);
    mend(verb, matches, &mut refusal);
    let fixes: Vec<_> = refusal.faults.iter().map(|fault| fault.fix.as_str()).collect();
    assert_eq!(
        fixes,
        [
            "It was sent as a text. Write it as JSON: n:=42",
            "It was sent as a text. Write it as JSON: b:=true",
            "Send another.",
            "Send another.",
            "Send another.",
            "Send another.",
        ]
    );
    let mut only = Refusal::of_input(vec![fault("arguments.n", "number")]);
    mend(verb, matches, &mut only);
    assert_eq!(only.fix, "It was sent as a text. Write it as JSON: n:=42");
}

#[test]
fn every_fault_is_named_together_and_a_closed_list_is_told() {
    let words = [
        "token",
        "create",
        "--scope",
        "Acme",
        "--actions",
        "call.reed",
        "--packs",
        "name=live,version=x",
        "--expires",
        "tomorrow",
    ];
    let named = fields(typed(&words, None));
    for field in ["principal", "scope", "actions.0", "packs.0.version", "expires"] {
        assert!(named.iter().any(|one| one == field), "{field} is not among {named:?}");
    }
    let id = crate::sample::text("principal", 1);
    assert_eq!(fields(typed(&["token", "create", &id, "--packs", "{\"name\""], None)), ["packs"]);
    assert_eq!(fields(typed(&["token", "create", &id, "--packs", "live"], None)), ["packs"]);
}

#[test]
fn flags_win_over_the_file_and_a_file_is_strict() {
    let whole = br#"{"title":"a","clean":true}"#;
    let read = typed(&["run", "start", "--input", "f", "--title", "b"], Some(whole));
    assert_eq!(read, Ok(json!({ "title": "b", "clean": true })));
    assert_eq!(
        typed(&["run", "start", "--clean=false"], Some(whole)),
        Ok(json!({ "title": "a", "clean": false }))
    );
    for bad in [&b"[]"[..], br#"{"title":"a","title":"b"}"#, b"{", br#"{"titel":"a"}"#] {
        assert!(typed(&["run", "start"], Some(bad)).is_err());
    }
    let matches = program().get_matches_from(["bailiwick", "run", "start", "--input", "-"]);
    let (_, matches) = chosen(&matches).expect("a verb");
    assert_eq!(source(matches), Some(Source::Stdin));
}

/// A verb with every kind of field.
fn of_every_kind() -> &'static Verb {
    let input = json!({
        "type": "object", "additionalProperties": false, "required": ["where"],
        "properties": {
            "where": {
                "oneOf": [
                    { "type": "object", "properties": {
                        "kind": { "const": "http" }, "origin": { "type": "string", "description": "Of the system." },
                        "auth": { "anyOf": [{ "oneOf": [
                            { "type": "object", "properties": { "by": { "const": "none" } }, "required": ["by"] },
                            { "type": "object", "properties": { "by": { "const": "key" }, "name": { "type": "string" } }, "required": ["by", "name"] }
                        ] }, { "type": "null" }] }
                    }, "required": ["kind", "origin"] },
                    { "type": "object", "properties": {
                        "kind": { "const": "sql" }, "limit": { "type": "integer" }, "origin": { "type": "string", "description": "Of the base." }
                    }, "required": ["kind"] }
                ]
            },
            "json": {},
            "map": { "type": "object", "additionalProperties": { "type": "integer" } },
            "free": { "type": "object", "additionalProperties": true },
            "numbers": { "type": "array", "items": { "type": "number" } },
            "objects": { "type": "array", "items": { "type": "object", "properties": { "a": { "type": "string" }, "b": { "type": "integer" } } } },
            "deep": { "type": "array", "items": { "type": "object", "properties": { "a": { "type": "object", "properties": { "b": {} } } } } },
            "flag": { "type": "boolean" },
            "text": { "type": "string" }
        }
    });
    let verb = Verb {
        name: "thing.make",
        about: "Makes a thing.",
        effect: crate::Effect::Write,
        needs: crate::verb::Needs::Caller,
        plane: crate::verb::Plane::Control,
        method: crate::verb::Method::Post,
        path: "/v1/things",
        hints: &[],
        validator: Validator::new(&input),
        input,
        answer: json!({}),
        example_input: json!({}),
        example_answer: json!({}),
    };
    Box::leak(Box::new(verb))
}

#[test]
fn a_union_is_spread_over_flags_that_say_which_variant_they_belong_to() {
    let flags = plan::of(of_every_kind());
    let longs: Vec<_> = flags.iter().map(|flag| flag.long.as_str()).collect();
    assert_eq!(
        longs,
        [
            "where-kind",
            "where-origin",
            "where-auth-by",
            "where-auth-name",
            "where-limit",
            "of-json",
            "map",
            "free",
            "numbers",
            "objects",
            "deep",
            "flag",
            "text"
        ]
    );
    let flag = |long: &str| flags.iter().find(|flag| flag.long == long).expect(long);
    assert_eq!(flag("where-kind").need, Need::Always);
    assert_eq!(flag("where-limit").only, ["kind sql"]);
    assert_eq!(flag("where-auth-name").only, ["by key"]);
    assert_eq!(flag("where-origin").schema["description"], "Of the system. Or: Of the base.");
    let Form::Choice(kinds) = &flag("where-kind").form else { panic!("{:?}", flag("where-kind")) };
    assert_eq!(kinds.iter().map(|kind| kind.value.as_str()).collect::<Vec<_>>(), ["http", "sql"]);
}

fn anything() -> impl Strategy<Value = serde_json::Value> {
    let text = "[a-z\\[{'\"=,: é-]{0,6}";
    let leaf = prop_oneof![
        any::<bool>().prop_map(|flag| json!(flag)),
        (-9_i64..9).prop_map(|number| json!(number)),
        text.prop_map(|text| json!(text)),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(|items| json!(items)),
            prop::collection::btree_map("[a-z]{1,3}", inner, 0..3).prop_map(|map| json!(map)),
        ]
    })
}

fn of_kind() -> impl Strategy<Value = serde_json::Value> {
    let text = || "[a-z\\[{'\"=,: é-]{0,6}";
    let place = prop_oneof![
        (text(), text()).prop_map(|(origin, name)| json!({ "kind": "http", "origin": origin, "auth": { "by": "key", "name": name } })),
        (-9_i64..9).prop_map(|limit| json!({ "kind": "sql", "limit": limit })),
    ];
    let object = (text(), -9_i64..9).prop_map(|(a, b)| json!({ "a": a, "b": b }));
    (
        place,
        anything(),
        prop::collection::btree_map("[a-z]{1,3}", -9_i64..9, 1..3),
        prop::collection::btree_map("[a-z:=]{1,3}", anything(), 1..3),
        prop::collection::vec(-9_i32..9, 0..3),
        prop::collection::vec(object, 0..3),
        prop::collection::vec(prop::collection::btree_map("a", Just(json!({ "b": 1 })), 0..2), 0..3),
        any::<bool>(),
        text(),
    )
        .prop_map(|(place, json, map, free, numbers, objects, deep, flag, text)| {
            let numbers: Vec<_> = numbers.into_iter().map(|number| f64::from(number) / 2.0).collect();
            json!({
                "where": place, "json": json, "map": map, "free": free, "numbers": numbers, "objects": objects,
                "deep": deep, "flag": flag, "text": text
            })
        })
}

proptest! {
    #[test]
    fn whatever_is_said_in_flags_is_read_back(input in of_kind()) {
        let verb = of_every_kind();
        prop_assert_eq!(verb.validator.faults(&input, ""), []);
        let line = line("program", verb, &input);
        let words = shell(&line);
        prop_assert_eq!(words.get(1..).unwrap_or_default(), argv(verb, &input));
        let program = Command::new("program").subcommand(Command::new("thing").subcommand(of("program", verb)));
        let matches = program.try_get_matches_from(words).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let matches = matches.subcommand().and_then(|(_, inner)| inner.subcommand()).expect("a verb").1;
        prop_assert_eq!(collect(verb, matches, None, &[]), Ok(input));
    }
}
