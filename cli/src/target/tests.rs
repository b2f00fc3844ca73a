//! Which server and which token, from flags, environment and profiles.

use std::os::unix::fs::PermissionsExt as _;

use tenancy::clock::{Fake, Source};
use tenancy::token::{Kind, Route, mint};

use super::*;

fn clock() -> Fake {
    Fake::at("2026-11-30T12:00:00Z".parse().expect("a time"))
}

fn token() -> String {
    let route: Route = "operator".parse().expect("a route");
    mint(&clock(), Kind::Operator, &route).expose().to_owned()
}

/// A store with the profiles `near` (in use) and `far`, both with a token.
fn store(dir: &Path) -> Store {
    let store = Store::at(dir.join("config.json"));
    let source = clock();
    for (name, url) in [("near", "http://127.0.0.1:7500"), ("far", "https://far.example/b")] {
        let name: Name = name.parse().expect("a name");
        let mut config = store.read().expect("reads");
        config.set(&name, url.to_owned());
        config.current.get_or_insert_with(|| name.clone());
        store.write_token(&name, &Token::new(&token()), &source as &dyn Source).expect("writes");
        store.write(&config, &source).expect("writes");
    }
    store
}

fn fields(result: Result<Target, Vec<Fault>>) -> Vec<String> {
    result.expect_err("refused").into_iter().map(|fault| fault.field).collect()
}

fn in_environment(url: Option<&str>, token: Option<&str>) -> Environment {
    Environment { url: url.map(str::to_owned), token: token.map(Token::new) }
}

#[test]
fn a_flag_goes_before_the_environment_and_that_before_the_profile_in_use() {
    let dir = tempfile::tempdir().expect("a folder");
    let store = store(dir.path());
    let base =
        |said: &Said, environment| resolve(said, environment, &store).expect("resolves").base;
    let nothing = Said::default();
    assert_eq!(base(&nothing, Environment::default()).as_str(), "http://127.0.0.1:7500/");
    let elsewhere = || in_environment(Some("http://c.example"), Some(&token()));
    assert_eq!(base(&nothing, elsewhere()).as_str(), "http://c.example/");
    let flag = Said { url: Some("http://d.example".to_owned()), ..Said::default() };
    assert_eq!(base(&flag, elsewhere()).as_str(), "http://d.example/");
    let named = Said { profile: Some("far".to_owned()), ..Said::default() };
    assert_eq!(base(&named, elsewhere()).as_str(), "https://far.example/b");
}

#[test]
fn a_profiles_token_is_not_sent_to_another_server() {
    let dir = tempfile::tempdir().expect("a folder");
    let store = store(dir.path());
    for url in ["http://evil.example", "https://127.0.0.1:7500", "http://127.0.0.1:7501"] {
        let said = Said { url: Some(url.to_owned()), ..Said::default() };
        assert_eq!(fields(resolve(&said, Environment::default(), &store)), ["url"], "{url}");
        let environment = in_environment(Some(url), None);
        assert_eq!(fields(resolve(&Said::default(), environment, &store)), ["url"], "{url}");
    }
}

#[test]
fn a_token_goes_to_no_server_that_was_only_guessed() {
    let dir = tempfile::tempdir().expect("a folder");
    let store = store(dir.path());
    let file = dir.path().join("operator.token");
    write_token(&file);
    let by_file = || Said { token_file: Some(file.clone()), ..Said::default() };
    let nothing = Environment::default;
    // The profile in use is for the server that is called where nothing is said: no guess.
    let target = resolve(&by_file(), nothing(), &store).expect("resolves");
    assert_eq!(target.whence(), format!("{DEFAULT} (token in {})", file.display()));
    let mut config = store.read().expect("reads");
    config.current = Some("far".parse().expect("a name"));
    store.write(&config, &clock()).expect("writes");
    assert_eq!(fields(resolve(&by_file(), nothing(), &store)), ["url"]);
    let environment = in_environment(None, Some(&token()));
    assert_eq!(fields(resolve(&Said::default(), environment, &store)), ["url"]);
    // Said, it goes there.
    let said = Said { url: Some(DEFAULT.to_owned()), ..by_file() };
    assert_eq!(
        resolve(&said, nothing(), &store).expect("resolves").base.as_str(),
        "http://127.0.0.1:7500/"
    );
    let said = Said { profile: Some("far".to_owned()), ..by_file() };
    assert_eq!(
        resolve(&said, nothing(), &store).expect("resolves").base.as_str(),
        "https://far.example/b"
    );
    let own = resolve(&Said::default(), nothing(), &store).expect("resolves");
    assert_eq!(own.whence(), "https://far.example/b (profile far)");
}

fn write_token(file: &Path) {
    std::fs::write(file, token()).expect("writes");
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o600)).expect("sets");
}

#[test]
fn faults_are_found_together() {
    let dir = tempfile::tempdir().expect("a folder");
    let store = Store::at(dir.path().join("config.json"));
    let said = Said {
        url: Some("ftp://x".to_owned()),
        token_file: Some(dir.path().join("none")),
        ..Said::default()
    };
    assert_eq!(fields(resolve(&said, Environment::default(), &store)), ["token_file", "url"]);
    let environment = in_environment(Some("http://u:p@x/"), Some("bw_usr_short"));
    assert_eq!(fields(resolve(&Said::default(), environment, &store)), ["url", "token"]);
    let nothing = resolve(&Said::default(), Environment::default(), &store);
    assert_eq!(fields(nothing), ["token"]);
    let named = Said { profile: Some("far".to_owned()), ..Said::default() };
    assert_eq!(fields(resolve(&named, Environment::default(), &store)), ["profile"]);
}

#[test]
fn a_token_file_that_others_may_read_is_refused() {
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("token");
    std::fs::write(&file, token()).expect("writes");
    let mode = |mode| std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode));
    mode(0o644).expect("opens it up");
    assert_eq!(read_token(&file).expect_err("refused").field, "token_file");
    mode(0o600).expect("closes it");
    assert_eq!(read_token(&file).expect("reads").expose(), token());
}
