use contract::Timestamp;
use proptest::prelude::*;

use super::base62::{ALPHABET, CHECKSUM_CHARS};
use super::route::MAX_CHARS;
use super::*;
use crate::clock::Fake;

fn route() -> Route {
    "k3x9".parse().expect("a route")
}

fn minted(kind: Kind) -> Secret {
    mint(&Fake::at(Timestamp::from_ms(0)), kind, &route())
}

#[test]
fn a_minted_token_parses_to_its_kind_route_and_hash() {
    for kind in Kind::ALL {
        let secret = minted(kind);
        let presented = Presented::parse(secret.expose()).expect("parses");
        assert_eq!((presented.kind(), presented.route()), (kind, "k3x9"));
        assert_eq!(presented.hash(), secret.hash());
    }
}

#[test]
fn two_tokens_are_never_alike() {
    let source = Fake::at(Timestamp::from_ms(0));
    let (a, b) = (mint(&source, Kind::Agent, &route()), mint(&source, Kind::Agent, &route()));
    assert_ne!(a.expose(), b.expose());
    assert_ne!(a.hash(), b.hash());
    assert_ne!(Route::random(&source), Route::random(&source));
}

#[test]
fn the_longest_token_is_taken_and_keeps_its_buffer() {
    let long: Route = "z".repeat(MAX_CHARS).parse().expect("a route");
    let secret = mint(&Fake::at(Timestamp::from_ms(0)), Kind::Operator, &long);
    assert!(secret.expose().len() <= TOKEN_MAX_BYTES);
    assert_eq!(secret.text.capacity(), TOKEN_MAX_BYTES);
    assert!(Presented::parse(secret.expose()).is_ok());
}

#[test]
fn nothing_but_expose_shows_the_secret() {
    let secret = minted(Kind::Agent);
    let presented = Presented::parse(secret.expose()).expect("parses");
    for shown in [format!("{secret}"), format!("{secret:?}"), format!("{presented:?}")] {
        assert_eq!(shown, "bw_agent_k3x9_…");
    }
    let hex = secret.hash().to_string();
    assert!(!format!("{:?}", secret.hash()).contains(&hex));
}

#[test]
fn an_error_never_repeats_what_was_sent() {
    let secret = minted(Kind::User);
    let inside = secret.expose().split('_').nth(3).expect("a secret");
    let (cut, _) = secret.expose().split_at(secret.expose().len() - 1);
    let foreign = secret.expose().replace("bw_", "xx_");
    let doubled = format!("{}_", secret.expose());
    for bad in [cut, foreign.as_str(), doubled.as_str()] {
        let error = Presented::parse(bad).expect_err("is refused");
        assert!(!format!("{error} {error:?}").contains(inside));
    }
}

#[test]
fn what_has_a_right_checksum_and_wrong_parts_is_refused() {
    let secret = "0".repeat(SECRET_CHARS);
    for (body, error) in [
        (format!("bw_robot_k3x9_{secret}"), Malformed::Kind),
        (format!("bw_agent_K3x9_{secret}"), Malformed::Route),
        (format!("bw_agent_k3x_{secret}"), Malformed::Route),
        (format!("bw_agent_k3x9_{secret}0"), Malformed::Shape),
        (format!("bw_agent_k3x9_{secret}").replace("_00", "_-0"), Malformed::Shape),
        (format!("bw_agent_k3x9__{secret}"), Malformed::Shape),
        (format!("bw_agent_{secret}"), Malformed::Shape),
        (format!("bw_agent_k3x9_{}", "0".repeat(9_000)), Malformed::Shape),
        (format!("BW_agent_k3x9_{secret}"), Malformed::Foreign),
        (String::new(), Malformed::Foreign),
    ] {
        let check = String::from_utf8(checksum(&body).to_vec()).expect("is text");
        assert_eq!(Presented::parse(&format!("{body}_{check}")).err(), Some(error), "{body}");
    }
}

#[test]
fn routes_keep_their_grammar() {
    for bad in ["", "abc", "ABCD", "ab-d", "ab_d", "abcd ", "äbcd", &"a".repeat(33)] {
        assert_eq!(bad.parse::<Route>(), Err(Malformed::Route), "{bad:?}");
    }
    let identity = contract::Id::new(uuid::Uuid::from_u128(7));
    assert_eq!(Route::of(identity).as_str().parse(), Ok(Route::of(identity)));
    let random = Route::random(&Fake::at(Timestamp::from_ms(0)));
    assert_eq!(random.as_str().parse(), Ok(random));
}

#[test]
fn a_hash_travels_as_lower_case_hexadecimal() {
    let hash = minted(Kind::Node).hash();
    let wire = serde_json::to_string(&hash).expect("serialises");
    assert_eq!(serde_json::from_str::<Hash>(&wire).expect("parses"), hash);
    assert_eq!(Hash::from_bytes(*hash.as_bytes()), hash);
    let upper = wire.to_uppercase();
    let long = wire.replacen('"', "\"00", 1);
    for bad in [upper.as_str(), long.as_str(), "\"\"", "\"zz\""] {
        assert!(serde_json::from_str::<Hash>(bad).is_err(), "{bad}");
    }
}

proptest! {
    #[test]
    fn any_one_character_more_less_or_other_is_refused(at in 0_usize..200, new in "\\PC") {
        let token = minted(Kind::Agent).expose().to_owned();
        let at = at % token.len();
        let (head, tail) = token.split_at(at);
        let (_, rest) = tail.split_at(1);
        for (other, why) in [
            (format!("{head}{new}{rest}"), "another"),
            (format!("{head}{rest}"), "one less"),
            (format!("{head}{new}{tail}"), "one more"),
        ] {
            prop_assert!(other == token || Presented::parse(&other).is_err(), "{}", why);
        }
    }

    #[test]
    fn any_text_is_taken_or_refused_without_harm(text in "(bw_)?\\PC{0,120}") {
        prop_assert!(Presented::parse(&text).is_err());
    }

    #[test]
    fn base_62_is_the_number_itself(number: u32) {
        let mut digits = [0_u8; CHECKSUM_CHARS];
        base62(&mut number.to_be_bytes(), &mut digits);
        let back = digits.iter().fold(0_u64, |sum, digit| {
            let value = ALPHABET.iter().position(|known| known == digit).expect("a digit");
            sum * 62 + value as u64
        });
        prop_assert_eq!(back, u64::from(number));
    }
}
