//! The contract's verbs as commands.

use contract::{Answer, Code, Envelope, Fault, Refusal, Registry};
use serde_json::{Value, json};

use super::run::{Home, token};
use super::stand_in::StandIn;

fn done(result: Value) -> (&'static str, String) {
    ("200 OK", Answer::from(Envelope::of(result)).body().to_string())
}

fn example(verb: &str) -> (String, Value) {
    let verb = Registry::get().verb(verb).expect("a verb");
    let id = verb.example_input.as_object().expect("an object").values().next().expect("a field");
    (id.as_str().expect("a text").to_owned(), verb.example_answer.clone())
}

#[test]
fn a_read_travels_in_path_and_query_with_the_callers_headers() {
    let (id, answer) = example("principal.get");
    let service = StandIn::answering(vec![done(answer)]);
    let home = Home::calling(&service.url);
    let words =
        ["principal", "get", &id, "--idempotency-key", "k-1", "--run", "run_x", "--dry-run"];
    let ran = home.run(&words);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("shop-bot"), "{ran:?}");
    let sent = service.sent();
    assert_eq!(sent.line, format!("GET /v1/principals/{id}?dry_run=true HTTP/1.1"));
    assert_eq!(sent.header("authorization"), Some(format!("Bearer {}", token()).as_str()));
    assert_eq!(sent.header("idempotency-key"), Some("k-1"));
    assert_eq!(sent.header("bailiwick-run"), Some("run_x"));
    assert_eq!(sent.body, "");
}

#[test]
fn a_write_travels_as_json_from_flags_and_from_standard_input() {
    let (_, answer) = example("group.create");
    let service = StandIn::answering(vec![done(answer.clone()), done(answer)]);
    let home = Home::calling(&service.url);
    let ran = home.run(&["group", "create", "shop", "--title", "Shop & more"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let sent = service.sent();
    assert_eq!(sent.line, "POST /v1/groups HTTP/1.1");
    assert_eq!(sent.header("content-type"), Some("application/json"));
    let body: Value = serde_json::from_str(&sent.body).expect("JSON");
    assert_eq!(body, json!({ "name": "shop", "title": "Shop & more" }));
    let whole = r#"{ "name": "mail", "title": "Mail" }"#;
    let ran = home.run_with(&["group", "create", "--input", "-", "--title", "Letters"], whole);
    assert_eq!(ran.code, 0, "{ran:?}");
    let body: Value = serde_json::from_str(&service.sent().body).expect("JSON");
    assert_eq!(body, json!({ "name": "mail", "title": "Letters" }));
}

#[test]
fn a_call_says_its_run_in_the_body_and_not_a_second_time() {
    let (_, answer) = example("catalogue.call");
    let run = Registry::get().verb("run.get").expect("a verb").example_input["run"].clone();
    let run = run.as_str().expect("a text");
    let service = StandIn::answering(vec![done(answer)]);
    let home = Home::calling(&service.url);
    let words =
        ["catalogue", "call", "shop/tickets.ticket.get", "--arguments", "id=7", "--run", run];
    let ran = home.run(&words);
    assert_eq!(ran.code, 0, "{ran:?}");
    let sent = service.sent();
    let body: Value = serde_json::from_str(&sent.body).expect("JSON");
    assert_eq!(body["run"], run);
    assert_eq!(sent.header("bailiwick-run"), None);
}

#[test]
fn each_of_the_four_answers_has_its_exit_code_and_json_is_as_it_came() {
    let (approval, _) = example("approval.get");
    let held = json!({ "held": {
        "approval": approval, "why": "it writes", "expires": "2026-11-30T12:00:00Z",
    } });
    let spaced = "{ \"result\": {\"items\":  []}, \"written\": [], \"hints\": [] }".to_owned();
    let refusal = Answer::from(Refusal::new(Code::Unauthenticated, "No.", "Log in."));
    let answers = [
        (0, "200 OK", spaced),
        (2, "401 Unauthorized", refusal.body().to_string()),
        (3, "503 Service Unavailable", Answer::unavailable("worker", 500).body().to_string()),
        (4, "202 Accepted", held.to_string()),
    ];
    for (code, status, body) in answers {
        let twice = vec![(status, body.clone()), (status, body.clone())];
        let home = Home::calling(&StandIn::answering(twice).url);
        let ran = home.run(&["group", "list", "--json"]);
        assert_eq!((ran.code, ran.out.trim_end()), (code, body.as_str()));
        let ran = home.run(&["group", "list"]);
        assert_eq!(ran.code, code);
        let (said, silent) =
            if code == 2 || code == 3 { (&ran.err, &ran.out) } else { (&ran.out, &ran.err) };
        assert!(!said.is_empty() && silent.is_empty(), "{ran:?}");
    }
}

#[test]
fn what_is_wrong_here_is_refused_here_all_together() {
    let home = Home::new();
    let words = ["--json", "grant", "create", "nobody", "--scope", "UP", "--url", "ftp://x"];
    let ran = home.run(&words);
    assert_eq!(ran.code, 2);
    let mut faults = ran.faults();
    faults.sort();
    assert_eq!(faults, ["principal", "role", "scope", "token", "url"], "{ran:?}");
    let body = ran.json();
    assert_eq!(body["refusal"]["code"], "invalid_input");
    assert!(body["type"].is_string() && body["status"].is_number());
    let ran = home.run(&words[1..]);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert!(ran.err.contains("fix:"), "{ran:?}");
}

#[test]
fn the_arguments_of_a_call_and_their_types_can_be_mended_as_they_were_typed() {
    let fault = Fault::new("arguments.item", "\"42\" is not of type integer.", "Send an integer.");
    let refusal = Answer::from(Refusal::of_input(vec![fault])).body().to_string();
    let answers = vec![("422 Unprocessable Entity", refusal.clone()); 2];
    let service = StandIn::answering(answers);
    let home = Home::calling(&service.url);
    let ran = home.run(&["catalogue.call", "shop/stock.item.count", "item=42"]);
    let body: Value = serde_json::from_str(&service.sent().body).expect("JSON");
    assert_eq!(body["arguments"], json!({ "item": "42" }));
    assert!(ran.code == 2 && ran.err.contains("item:=42"), "{ran:?}");
    let ran = home.run(&["catalogue", "call", "shop/stock.item.count", "item=42", "--json"]);
    assert_eq!(ran.out.trim_end(), refusal, "JSON is as it came");
}

#[test]
fn a_secret_comes_from_a_file_or_standard_input() {
    let (_, answer) = example("credential.create");
    let service = StandIn::answering(vec![done(answer.clone()), done(answer)]);
    let home = Home::calling(&service.url);
    let file = home.file("key", "s3 cr3t\n", 0o600);
    let words =
        ["credential", "create", "key", "--scope", "acme", "--origins", "https://a.example"];
    for (named, stdin) in [(file.as_str(), ""), ("-", "s3 cr3t\n")] {
        let ran = home.run_with(&[&words[..], &["--secret-file", named]].concat(), stdin);
        assert_eq!(ran.code, 0, "{ran:?}");
        let body: Value = serde_json::from_str(&service.sent().body).expect("JSON");
        assert_eq!(body["secret"], "s3 cr3t");
    }
    for more in [&["--secret-file", "none"][..], &["--secret-file", "-", "--input", "-"]] {
        let ran = home.run_with(&[&words[..], more, &["--json"]].concat(), "{}");
        assert_eq!((ran.code, ran.faults()), (2, vec!["secret_file".to_owned()]), "{ran:?}");
    }
}

#[test]
fn the_schema_of_an_input_is_printed_where_it_is_asked_for() {
    let home = Home::new();
    let ran = home.run(&["server", "register", "--schema"]);
    let verb = Registry::get().verb("server.register").expect("a verb");
    assert_eq!((ran.code, ran.json()), (0, verb.input.clone()));
}

#[test]
fn which_server_it_was_is_said_where_that_explains_the_answer() {
    let whoami = Registry::get().verb("token.whoami").expect("a verb");
    let refusal = Answer::from(Refusal::new(Code::Unauthenticated, "No.", "Log in."));
    let service = StandIn::answering(vec![
        done(whoami.example_answer.clone()),
        ("401 Unauthorized", refusal.body().to_string()),
        ("503 Service Unavailable", Answer::unavailable("worker", 500).body().to_string()),
    ]);
    let home = Home::new();
    let set = ["profile", "set", "ana", "--url", &service.url, "--token-stdin"];
    assert_eq!(home.run_with(&set, &token()).code, 0);
    let server = format!("{} (profile ana)", service.url);
    let words = ["token", "whoami"];
    let said = home.run(&words).out;
    let line = said.lines().find(|line| line.starts_with("server "));
    assert!(line.is_some_and(|line| line.ends_with(&server)), "{said}");
    for code in [2, 3] {
        let ran = home.run(&words);
        assert!(ran.code == code && ran.err.contains(&format!("server: {server}")), "{ran:?}");
    }
}

#[test]
fn answers_are_as_wide_as_the_window_is_said_to_be() {
    let about = "One ticket, by its number, with everything that was answered to it.";
    let hit = json!({ "address": "shop/tickets.ticket.get", "effect": "read", "about": about });
    let service = StandIn::answering(vec![done(json!({ "hits": [hit] })); 2]);
    let widest = |columns: &str| {
        let home = Home::calling(&service.url).with("COLUMNS", columns);
        let ran = home.run(&["catalogue", "search", "ticket"]);
        let widths = ran.out.lines().map(|line| line.chars().count());
        widths.max().unwrap_or(0)
    };
    assert!(widest("80") <= 80);
    assert!(widest("200") > 100);
}

#[test]
fn wrong_use_is_a_refusal_too() {
    let home = Home::new();
    for (words, field) in [
        (vec!["group", "create", "shop", "--titel", "x", "--json"], "--titel"),
        (vec!["grup", "list", "--json"], "grup"),
        (vec!["group", "lst", "--json"], "lst"),
        (vec!["serve", "--json"], "--data"),
    ] {
        let ran = home.run(&words);
        assert_eq!((ran.code, ran.faults()), (2, vec![field.to_owned()]), "{ran:?}");
    }
    let ran = home.run_with(&["group", "create", "--input", "-", "--json"], "{\"a\":1,\"a\":2}");
    assert_eq!(
        (ran.code, &ran.json()["refusal"]["code"]),
        (2, &json!("malformed_body")),
        "{ran:?}"
    );
    let ran = home.run(&["group", "create", "--help"]);
    assert_eq!(ran.code, 0);
    assert!(ran.out.contains("Example:"), "{ran:?}");
    assert_eq!(home.run(&["--version"]).code, 0);
}

#[test]
fn where_nobody_answers_nothing_was_done() {
    let home = Home::calling("http://127.0.0.1:9");
    let ran = home.run(&["group", "create", "shop", "--title", "x", "--json"]);
    assert_eq!(ran.code, 3, "{ran:?}");
    let what = ran.json()["unavailable"]["what"].as_str().expect("a text").to_owned();
    assert!(what.contains("bailiwick serve"), "{what}");
}

#[test]
fn an_answer_of_somebody_else_leaves_a_write_unknown_and_a_read_unavailable() {
    let strange = || ("502 Bad Gateway", "<html>no</html>".to_owned());
    let moved = ("307 Temporary Redirect", String::new());
    let service = StandIn::answering(vec![strange(), strange(), moved]);
    let home = Home::calling(&service.url);
    let ran = home.run(&["group", "create", "shop", "--title", "x", "--json"]);
    assert_eq!(
        (ran.code, &ran.json()["refusal"]["code"]),
        (2, &json!("outcome_unknown")),
        "{ran:?}"
    );
    assert_eq!(home.run(&["group", "list"]).code, 3);
    // A redirect is not followed: it is the answer, and none of ours.
    let ran = home.run(&["group", "list", "--json"]);
    let what = ran.json()["unavailable"]["what"].to_string();
    assert!(ran.code == 3 && what.contains("HTTP 307"), "{ran:?}");
}
