use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use proptest::prelude::*;

use super::*;

/// What stands between the quotes of a JSON string.
fn json_escaped(text: &str) -> String {
    let quoted = serde_json::to_string(text).unwrap();
    quoted.get(1..quoted.len() - 1).unwrap().to_owned()
}

fn scrubbed(secret: &str, text: &str) -> String {
    Scrubber::new([secret.as_bytes()]).scrub_text(text)
}

fn url_encoded(text: &str, lower: bool) -> String {
    text.bytes()
        .map(|byte| match (byte.is_ascii_alphanumeric(), lower) {
            (true, _) => char::from(byte).to_string(),
            (false, true) => format!("%{byte:02x}"),
            (false, false) => format!("%{byte:02X}"),
        })
        .collect()
}

#[test]
fn every_form_of_an_echo_is_marked() {
    let secret = "p&w/\"x\\y%41 z+é<k";
    let html = "p&amp;w/&quot;x\\y%41 z+é&lt;k";
    let json = json_escaped(secret);
    let forms = [
        secret.to_owned(),
        url_encoded(secret, false),
        url_encoded(secret, true),
        url_encoded(secret, false).replace("%20", "+"),
        url_encoded(&url_encoded(secret, false), false).replace("%252F", "/"),
        json.clone(),
        json.replace('/', "\\/").replace('é', "\\u00c3\\u00a9"),
        html.to_owned(),
        "&#112;&#x26;w/&#34;x\\y%41 z+é&#60;k".to_owned(),
        STANDARD.encode(secret),
        URL_SAFE.encode(secret),
        url_encoded(&STANDARD.encode(secret), false),
        STANDARD.encode(secret).replace('/', "\\/"),
    ];
    for form in forms {
        let text = format!("[{form}]");
        let clean = scrubbed(secret, &text);
        assert_eq!(clean.trim_end_matches(['=', 'D', '3', '%', ']']), "[[credential", "{form}");
    }
}

#[test]
fn base64_of_more_than_the_secret_holds_none_of_it() {
    let secret = "correct-horse-battery";
    for lead in ["", "u", "us", "use", "user:", "a much longer name:"] {
        for tail in ["", "x", "xy", " and more"] {
            let whole = format!("{lead}{secret}{tail}");
            for text in [STANDARD.encode(&whole), URL_SAFE.encode(&whole)] {
                let clean = scrubbed(secret, &format!("Basic {text}"));
                // Not even the characters that hold bits of the secret and of a neighbour are left.
                let (before, after) = clean.split_once(MARK).expect(&whole);
                let first = lead.len() * 8 / 6;
                let end = ((lead.len() + secret.len()) * 8).div_ceil(6);
                assert!(before.len() <= "Basic ".len() + first, "{clean}");
                assert!(after.len() <= text.len() - end, "{clean}");
                let sure = STANDARD.encode(secret);
                for window in sure.as_bytes().windows(5) {
                    let window = std::str::from_utf8(window).unwrap();
                    assert!(!clean.contains(window), "{clean} still holds {window}");
                }
            }
        }
    }
}

#[test]
fn a_percent_of_the_secret_stands_for_itself_or_its_escape() {
    for secret in ["a%25b", "%41%42", "100%", "\\\\n\\", "&amp;&"] {
        for form in [secret.to_owned(), url_encoded(secret, false)] {
            assert_eq!(scrubbed(secret, &format!("<{form}>")), format!("<{MARK}>"), "{form}");
        }
    }
}

#[test]
fn what_holds_no_secret_is_left_alone() {
    let text = "nothing here: %41 &amp; \\u0041 YWJj";
    assert_eq!(scrubbed("s3cr3t-s3cr3t", text), text);
    let none = Scrubber::new([]);
    assert!(matches!(none.scrub(text.as_bytes()), Cow::Borrowed(_)));
    assert_eq!(none.reach(), 0);
    assert_eq!(Scrubber::new([&b""[..]]).scrub_text("abc"), "abc");
}

#[test]
fn neighbouring_and_repeated_secrets_are_all_marked() {
    assert_eq!(scrubbed("abcdef", "abcdefabcdef abcdef"), format!("{MARK}{MARK} {MARK}"));
    let two = Scrubber::new([&b"user:password"[..], b"password"]);
    assert_eq!(two.scrub_text("user:password, password"), format!("{MARK}, {MARK}"));
}

#[test]
fn a_hostile_echo_takes_no_more_than_a_moment() {
    let secret = "\\".repeat(60);
    let started = std::time::Instant::now();
    let body = "\\".repeat(59) + "x";
    scrubbed(&secret, &body.repeat(20));
    assert!(started.elapsed().as_secs() < 10);
}

proptest! {
    #[test]
    fn no_form_of_any_secret_is_left(
        secret in "[ -~é]{6,40}",
        before in proptest::collection::vec(any::<u8>(), 0..8),
        after in proptest::collection::vec(any::<u8>(), 0..8),
    ) {
        let scrubber = Scrubber::new([secret.as_bytes()]);
        let json = json_escaped(&secret);
        let wrapped = [&before[..], secret.as_bytes(), &after].concat();
        for form in [
            secret.clone(),
            url_encoded(&secret, true),
            url_encoded(&secret, false),
            json,
            STANDARD.encode(&wrapped),
            URL_SAFE.encode(&wrapped),
        ] {
            let clean = scrubber.scrub_text(&form);
            prop_assert!(clean.contains(MARK), "{}", form);
            prop_assert!(!clean.replace(MARK, "").contains(&secret));
        }
    }

    #[test]
    fn scrubbing_twice_changes_nothing_more(body: Vec<u8>, secret in "[x-z]{8}") {
        let scrubber = Scrubber::new([secret.as_bytes()]);
        let once = scrubber.scrub(&body).into_owned();
        prop_assert_eq!(scrubber.scrub(&once).into_owned(), once);
    }
}
