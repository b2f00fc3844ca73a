use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use contract::Timestamp;
use contract::id::{Content, Credential};
use proptest::prelude::*;
use uuid::Uuid;

use super::*;
use crate::clock::Fake;

fn source() -> Fake {
    Fake::at(Timestamp::from_ms(1_000))
}

fn id<K: Kind>(n: u128) -> Id<K> {
    Id::new(Uuid::from_u128(n))
}

fn binding(origins: &[String]) -> Binding<'_, Credential> {
    Binding { identity: id(1), record: id(2), version: 3, origins }
}

fn origins(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn what_is_sealed_opens_for_its_binding() {
    let source = source();
    let dek = Dek::generate(&source);
    let one = origins(&["https://a.example", "https://b.example:8443"]);
    let long = vec![7; 100_000];
    for secret in [&b""[..], b"s", b"\0\xff not text", &long] {
        let sealed = dek.seal(&binding(&one), secret, &source).unwrap();
        let stored: Sealed = serde_json::from_value(serde_json::json!(sealed)).unwrap();
        assert_eq!(stored, sealed);
        assert_eq!(dek.open(&binding(&one), &stored).unwrap().expose(), secret);
    }
}

#[test]
fn origins_are_a_set_and_its_members_do_not_run_together() {
    let source = source();
    let dek = Dek::generate(&source);
    let ab = origins(&["a", "b"]);
    let sealed = dek.seal(&binding(&ab), b"secret", &source).unwrap();
    assert!(dek.open(&binding(&origins(&["b", "a", "b"])), &sealed).is_ok());
    for other in [&["ab"][..], &["a"], &["b"], &[], &["a", "b", ""], &["a", "b", "c"], &["A", "b"]]
    {
        let opened = dek.open(&binding(&origins(other)), &sealed);
        assert_eq!(opened.map(drop), Err(Error::DoesNotOpen), "{other:?}");
    }
}

#[test]
fn another_identity_record_kind_or_version_does_not_open() {
    let source = source();
    let dek = Dek::generate(&source);
    let to = origins(&["https://a.example"]);
    let own = binding(&to);
    let sealed = dek.seal(&own, b"secret", &source).unwrap();
    let others = [
        Binding { identity: id(9), ..own },
        Binding { record: id(9), ..own },
        Binding { version: 4, ..own },
        // Identity and record changed places.
        Binding { identity: id(2), record: id(1), ..own },
    ];
    for other in others {
        assert_eq!(dek.open(&other, &sealed).map(drop), Err(Error::DoesNotOpen), "{other:?}");
    }
    let kind: Binding<'_, Content> =
        Binding { identity: id(1), record: id(2), version: 3, origins: &to };
    assert_eq!(dek.open(&kind, &sealed).map(drop), Err(Error::DoesNotOpen));
}

#[test]
fn another_data_key_is_named_and_a_forged_name_does_not_help() {
    let source = source();
    let (dek, other) = (Dek::generate(&source), Dek::generate(&source));
    let sealed = dek.seal(&binding(&[]), b"secret", &source).unwrap();
    let named = Error::OtherKey { sealed_under: dek.id(), given: other.id() };
    assert_eq!(other.open(&binding(&[]), &sealed).map(drop), Err(named));
    let mut forged = sealed;
    forged.0.key = other.id();
    assert_eq!(other.open(&binding(&[]), &forged).map(drop), Err(Error::DoesNotOpen));
}

#[test]
fn the_same_secret_is_never_sealed_to_the_same_text() {
    let source = source();
    let dek = Dek::generate(&source);
    let one = dek.seal(&binding(&[]), b"secret", &source).unwrap();
    let two = dek.seal(&binding(&[]), b"secret", &source).unwrap();
    assert_ne!(one.0.nonce, two.0.nonce);
    assert_ne!(one.0.body, two.0.body);
}

#[test]
fn a_wrapped_key_opens_under_its_kek_for_its_identity() {
    let source = source();
    let (old, new) = (Kek::generate(&source), Kek::generate(&source));
    let dek = Dek::generate(&source);
    let sealed = dek.seal(&binding(&[]), b"secret", &source).unwrap();
    let wrapped = dek.wrap(&old, id(1), &source).unwrap();
    let stored: Wrapped = wrapped.to_string().parse().unwrap();
    assert_eq!(stored.kek(), old.id());
    assert_eq!(stored.open(&old, id(2)).map(drop), Err(Error::DoesNotOpen));
    let named = Error::OtherKey { sealed_under: old.id(), given: new.id() };
    assert_eq!(stored.open(&new, id(1)).map(drop), Err(named));

    let rewrapped = stored.rewrap(&old, &new, id(1), &source).unwrap();
    assert_eq!(rewrapped.kek(), new.id());
    assert!(rewrapped.open(&old, id(1)).is_err());
    let again = rewrapped.open(&new, id(1)).unwrap();
    assert_eq!(again.open(&binding(&[]), &sealed).unwrap().expose(), b"secret");
    assert!(stored.rewrap(&new, &old, id(1), &source).is_err());
}

#[test]
fn a_text_that_is_no_seal_is_refused_by_name() {
    let source = source();
    let sealed = Dek::generate(&source).seal(&binding(&[]), b"", &source).unwrap().to_string();
    let bytes = STANDARD.decode(&sealed).unwrap();
    assert_eq!("".parse::<Sealed>(), Err(Malformed::Cut));
    assert_eq!("%".parse::<Sealed>(), Err(Malformed::Base64));
    assert_eq!(format!("{sealed}\n").parse::<Sealed>(), Err(Malformed::Base64));
    for len in 1..bytes.len() {
        assert_eq!(STANDARD.encode(&bytes[..len]).parse::<Sealed>(), Err(Malformed::Cut), "{len}");
    }
    let newer = [&[2], &bytes[1..]].concat();
    let refused = STANDARD.encode(newer).parse::<Sealed>();
    assert_eq!(refused, Err(Malformed::Format { found: 2 }));
}

#[test]
fn nothing_secret_shows() {
    let source = source();
    let kek = Kek::new(Zeroizing::new([0x41; KEY_BYTES]));
    let dek = Dek::new(Zeroizing::new([0x41; KEY_BYTES]));
    assert_ne!(kek.id(), dek.id());
    let sealed = dek.seal(&binding(&[]), b"AAAA", &source).unwrap();
    let wrapped = dek.wrap(&kek, id(1), &source).unwrap();
    let secret = dek.open(&binding(&[]), &sealed).unwrap();
    let shown = format!("{kek:?} {dek:?} {secret:?} {sealed:?} {wrapped:?}");
    assert!(!shown.contains("AAAA") && !shown.contains("65, 65"), "{shown}");
    assert_eq!(secret.expose_text(), Some("AAAA"));
    assert_eq!(Secret::from(vec![0xff]).expose_text(), None);
}

/// The written form is a promise: what was stored must open after an upgrade.
#[test]
fn the_written_form_stays() {
    let source = source();
    let kek = Kek::new(Zeroizing::new([1; KEY_BYTES]));
    let dek = Dek::new(Zeroizing::new([2; KEY_BYTES]));
    let to = origins(&["https://a.example"]);
    let wrapped = dek.wrap(&kek, id(1), &source).unwrap().to_string();
    let sealed = dek.seal(&binding(&to), b"secret", &source).unwrap().to_string();
    assert_eq!((wrapped.as_str(), sealed.as_str()), (WRAPPED, SEALED));
    let opened = WRAPPED.parse::<Wrapped>().unwrap().open(&kek, id(1)).unwrap();
    let secret = opened.open(&binding(&to), &SEALED.parse().unwrap()).unwrap();
    assert_eq!(secret.expose(), b"secret");
}

const WRAPPED: &str = "AS6V8AfuXHLlnjd5uX9KfBU8bvNyVrTguITV8PR0WXJ/nO1yghZzzugVbIRUGfsyGKGHbJR9\
                       cmrU1D2yLsGKiUFwC6tl";
const SEALED: &str = "AZfwH/G4eQ+22qZtLH3fdD943eblMprIJMDkxGsLdPPcXf0kiOCgiOSf0g==";

proptest! {
    #[test]
    fn no_changed_byte_opens(
        secret in proptest::collection::vec(any::<u8>(), 0..64), at in any::<prop::sample::Index>(),
        bit in 0_u8..8,
    ) {
        let source = source();
        let (kek, dek) = (Kek::generate(&source), Dek::generate(&source));
        let flip = |text: String| {
            let mut bytes = STANDARD.decode(text).unwrap();
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
            STANDARD.encode(bytes)
        };
        let sealed = flip(dek.seal(&binding(&[]), &secret, &source).unwrap().to_string());
        let opened = sealed.parse::<Sealed>().map(|sealed| dek.open(&binding(&[]), &sealed));
        prop_assert!(!matches!(opened, Ok(Ok(_))));
        let wrapped = flip(dek.wrap(&kek, id(1), &source).unwrap().to_string());
        let opened = wrapped.parse::<Wrapped>().map(|wrapped| wrapped.open(&kek, id(1)));
        prop_assert!(!matches!(opened, Ok(Ok(_))));
    }

    #[test]
    fn it_opens_exactly_when_the_bindings_agree(
        a in (0_u128..2, 0_u128..2, 0_u64..2, proptest::collection::vec("[ab]{0,2}", 0..3)),
        b in (0_u128..2, 0_u128..2, 0_u64..2, proptest::collection::vec("[ab]{0,2}", 0..3)),
    ) {
        let source = source();
        let dek = Dek::generate(&source);
        let of = |parts: &(u128, u128, u64)| (id(parts.0), id::<Credential>(parts.1), parts.2);
        let set = |origins: &[String]| -> std::collections::BTreeSet<String> {
            origins.iter().cloned().collect()
        };
        let (left, right) = (of(&(a.0, a.1, a.2)), of(&(b.0, b.1, b.2)));
        let sealing =
            Binding { identity: left.0, record: left.1, version: left.2, origins: &a.3 };
        let opening =
            Binding { identity: right.0, record: right.1, version: right.2, origins: &b.3 };
        let sealed = dek.seal(&sealing, b"secret", &source).unwrap();
        let agree = left == right && set(&a.3) == set(&b.3);
        prop_assert_eq!(dek.open(&opening, &sealed).is_ok(), agree);
    }

    #[test]
    fn any_text_is_refused_or_kept(text in "[A-Za-z0-9+/=]{0,80}") {
        if let Ok(sealed) = text.parse::<Sealed>() {
            prop_assert_eq!(sealed.to_string(), text);
        }
    }
}

#[test]
fn a_keyed_digest_is_of_its_key_purpose_and_message() {
    let source = source();
    let (kek, other) = (Kek::generate(&source), Kek::generate(&source));
    let digest = kek.keyed_digest("a", b"message");
    assert_eq!(digest, kek.keyed_digest("a", b"message"));
    assert_eq!(digest, Kek::new(Zeroizing::new(*kek.expose())).keyed_digest("a", b"message"));
    for another in [
        other.keyed_digest("a", b"message"),
        kek.keyed_digest("b", b"message"),
        kek.keyed_digest("am", b"essage"),
        kek.keyed_digest("a", b"messag"),
        *mac(kek.expose(), b"message"),
        Sha256::digest(b"message").into(),
    ] {
        assert_ne!(another, digest);
    }
    // RFC 4231, test case 2 has a shorter key; HMAC pads it with zeros.
    let mut key = [0; KEY_BYTES];
    key[..4].copy_from_slice(b"Jefe");
    let tag = mac(&key, b"what do ya want for nothing?");
    assert_eq!(tag[..4], [0x5b, 0xdc, 0xc1, 0x46]);
}
