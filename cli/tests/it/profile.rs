//! Profiles: what is on disk, who may read it, and what they are used for.

use contract::{Answer, Envelope};
use serde_json::json;

use super::run::{Home, mode, token};
use super::stand_in::StandIn;

#[test]
fn a_profile_is_made_used_listed_and_removed() {
    let home = Home::new();
    let config = home.path(".config/bailiwick/config.json");
    let ran = home.run_with(
        &["profile", "set", "acme", "--url", "http://127.0.0.1:1", "--token-stdin"],
        &token(),
    );
    assert_eq!(ran.code, 0, "{ran:?}");
    let file = home.file("far.token", &format!("{}\n", token()), 0o600);
    let words = ["profile", "set", "far", "--url", "https://far.example", "--token-file", &file];
    assert_eq!(home.run(&words).code, 0);
    let kept = config.with_file_name("acme.token");
    assert_eq!((mode(&config), mode(&kept)), (0o600, 0o600));
    assert_eq!(mode(config.parent().expect("a folder")), 0o700);
    assert_eq!(std::fs::read_to_string(&kept).expect("reads"), token());
    assert!(!std::fs::read_to_string(&config).expect("reads").contains("bw_"));

    let list = || home.run(&["profile", "list", "--json"]);
    let both = json!({ "profiles": [
        { "name": "acme", "url": "http://127.0.0.1:1", "token": true, "in_use": true },
        { "name": "far", "url": "https://far.example", "token": true, "in_use": false },
    ] });
    assert_eq!(list().json(), both);
    assert_eq!(home.run(&["profile", "use", "far"]).code, 0);
    assert_eq!(list().json()["profiles"][1]["in_use"], true);
    assert_eq!(home.run(&["profile", "remove", "acme"]).code, 0);
    assert!(!kept.exists());
    let ran = home.run(&["profile", "use", "acme", "--json"]);
    assert_eq!((ran.code, ran.faults()), (2, vec!["profile".to_owned()]));
    assert!(!ran.out.contains("bw_"));
}

#[test]
fn a_call_goes_as_the_profile_in_use() {
    let body = Answer::from(Envelope::of(json!({ "items": [] }))).body().to_string();
    let service = StandIn::answering(vec![("200 OK", body)]);
    let home = Home::new();
    let set = ["profile", "set", "acme", "--url", &service.url, "--token-stdin"];
    assert_eq!(home.run_with(&set, &token()).code, 0);
    assert_eq!(home.run(&["group", "list"]).code, 0);
    let sent = service.sent();
    assert_eq!(sent.header("authorization"), Some(format!("Bearer {}", token()).as_str()));
    // Elsewhere the profile's token is not sent.
    let ran = home.run(&["group", "list", "--url", "http://127.0.0.1:9", "--json"]);
    assert_eq!((ran.code, ran.faults()), (2, vec!["url".to_owned()]));
}

#[test]
fn a_profile_that_moves_loses_the_token_of_the_server_before() {
    let home = Home::new();
    let set = ["profile", "set", "acme", "--url", "http://127.0.0.1:1", "--token-stdin"];
    assert_eq!(home.run_with(&set, &token()).code, 0);
    assert_eq!(home.run(&["profile", "set", "acme", "--url", "http://127.0.0.1:2"]).code, 0);
    assert!(!home.path(".config/bailiwick/acme.token").exists());
}

#[test]
fn bad_input_is_refused_together_and_leaves_nothing() {
    let home = Home::new();
    let open = home.file("open.token", &token(), 0o644);
    let words = ["profile", "set", "No!", "--url", "nowhere", "--token-file", &open, "--json"];
    let ran = home.run(&words);
    assert_eq!(
        (ran.code, ran.faults()),
        (2, ["NAME", "url", "token_file"].map(str::to_owned).to_vec())
    );
    let set = ["profile", "set", "acme", "--url", "http://127.0.0.1:1", "--token-stdin", "--json"];
    let cut = home.run_with(&set, &token().replacen('_', "", 1));
    assert_eq!((cut.code, cut.faults()), (2, vec!["token".to_owned()]));
    assert!(!home.path(".config").exists());
}

#[test]
fn the_file_can_be_named() {
    let home = Home::new();
    let file = home.path("mine/profiles.json");
    let home = home.with("BAILIWICK_CONFIG", &file.display().to_string());
    let set = ["profile", "set", "acme", "--url", "http://127.0.0.1:1", "--token-stdin"];
    assert_eq!(home.run_with(&set, &token()).code, 0);
    assert!(file.exists() && file.with_file_name("acme.token").exists());
}
