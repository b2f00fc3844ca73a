use proptest::prelude::*;

use super::*;

/// The example key and note of the format's reference implementation in Go.
const GO_SEED: &str = "AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz";
const GO_PUBLIC: &str = "ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
const GO_TEXT: &str = "If you think cryptography is the answer to your problem,\n\
                       then you don't know what your problem is.\n";
const GO_SIGNATURE: &str = "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXg\
                            KvqfqdngotpRZb6KE6RyyBwJnAM=";

/// The example of C2SP tlog-checkpoint.
const C2SP_EXAMPLE: &str = "example.com/behind-the-sofa\n\
    20852163\n\
    CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\
    \n\
    \u{2014} example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5\
    /Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n";

/// The 32 bytes after the type byte.
fn go_key(text: &str) -> [u8; 32] {
    let bytes = STANDARD.decode(text).unwrap();
    assert_eq!(bytes[0], 1);
    bytes[1..].try_into().unwrap()
}

fn checkpoint() -> Checkpoint {
    Checkpoint { origin: "bw.example/ledger/acme".into(), size: 7, root: Hash::new([9; 32]) }
}

fn signer(name: &str, seed: u8) -> Signer {
    Signer::from_seed(name, &[seed; 32]).unwrap()
}

#[test]
fn key_ids_and_signatures_are_those_of_the_reference_implementation() {
    let key = Key::new("PeterNeumann", go_key(GO_PUBLIC)).unwrap();
    assert_eq!(key.id(), [0xc7, 0x4f, 0x20, 0xa3]);
    let blob = STANDARD.decode(GO_SIGNATURE).unwrap();
    assert_eq!(blob[..4], key.id());
    assert_eq!(key.verify(GO_TEXT.as_bytes(), &blob[4..]), Ok(()));
    assert!(key.verify(&GO_TEXT.as_bytes()[1..], &blob[4..]).is_err());
    let signer = Signer::from_seed("PeterNeumann", &go_key(GO_SEED)).unwrap();
    assert_eq!(signer.key(), &key);
}

#[test]
fn the_example_of_the_standard_is_read_and_written_again() {
    let note = Note::parse(C2SP_EXAMPLE).unwrap();
    assert_eq!(note.checkpoint.origin, "example.com/behind-the-sofa");
    assert_eq!(note.checkpoint.size, 20_852_163);
    assert_eq!(note.signatures[0].name, "example.com/behind-the-sofa");
    assert_eq!(note.text(), C2SP_EXAMPLE);
}

#[test]
fn a_checkpoint_is_signed_and_countersigned() {
    let (worker, control) = (signer("bw.example/ledger/acme", 1), signer("bw.example/control", 2));
    let mut note = Note::sign(checkpoint(), &worker);
    assert_eq!(note.is_signed_by(control.key()), Ok(false));
    note.countersign(&control);
    note.countersign(&control);
    assert_eq!(note.signatures.len(), 2);
    let note = Note::parse(&note.text()).unwrap();
    assert_eq!(note.is_signed_by(worker.key()), Ok(true));
    assert_eq!(note.is_signed_by(control.key()), Ok(true));
    assert_eq!(note.is_signed_by(signer("bw.example/control", 3).key()), Ok(false));
    // Under another name the key has another id.
    assert_eq!(note.is_signed_by(signer("elsewhere", 1).key()), Ok(false));
}

#[test]
fn a_signature_over_another_checkpoint_does_not_verify() {
    let worker = signer("bw.example/ledger/acme", 1);
    let mut note = Note::sign(checkpoint(), &worker);
    note.checkpoint.size += 1;
    let error = Error::Signature { name: "bw.example/ledger/acme".to_owned() };
    assert_eq!(note.is_signed_by(worker.key()), Err(error));
}

#[test]
fn what_is_written_otherwise_is_refused() {
    let worker = signer("w", 1);
    let good = Note::sign(checkpoint(), &worker).text();
    assert!(Note::parse(&good).is_ok());
    let root = STANDARD.encode([9; 32]);
    for (from, to) in [
        ("\n7\n", "\n07\n"),
        ("\n7\n", "\n+7\n"),
        ("\n7\n", "\n7 \n"),
        ("\n7\n", "\n18446744073709551616\n"),
        ("\n\n", "\n"),
        ("\n\n", "\nextension\n\n"),
        ("bw.example/ledger/acme\n", "\n"),
        ("acme\n", "ac\tme\n"),
        (root.as_str(), root.trim_end_matches('=')),
        (root.as_str(), "CQkJ"),
        ("\u{2014} w ", "- w "),
        ("\u{2014} w ", "\u{2014}  "),
        ("\u{2014} w ", "\u{2014} w+ "),
        ("\u{2014} w ", "\u{2014} w\u{2003}w "),
    ] {
        let bad = good.replacen(from, to, 1);
        assert_ne!(bad, good);
        assert!(Note::parse(&bad).is_err(), "{bad}");
    }
    assert!(Note::parse(good.trim_end()).is_err());
    assert!(Note::parse(&good.replace('\n', "\r\n")).is_err());
    let line = format!("{}\n", good.lines().last().unwrap());
    assert!(Note::parse(&(good.clone() + &line.repeat(SIGNATURES_MAX - 1))).is_ok());
    assert!(Note::parse(&(good + &line.repeat(SIGNATURES_MAX))).is_err());
}

#[test]
fn names_that_a_signature_line_cannot_hold_name_no_key() {
    for name in ["", "a b", "a+b", "a\u{a0}b", "a\nb", "a\u{0}b"] {
        assert_eq!(Key::new(name, [0; 32]), Err(Error::Name { name: name.to_owned() }));
        assert!(Signer::from_seed(name, &[1; 32]).is_err());
    }
    assert_eq!(Key::from_base64("w", "AAAA"), Err(Error::Key));
}

#[test]
fn debug_shows_no_seed() {
    let seed = STANDARD.encode([1; 32]);
    let shown = format!("{:?}", signer("w", 1));
    assert!(shown.contains("\"w\""));
    assert!(!shown.contains(&seed) && !shown.contains("1, 1, 1, 1"));
}

proptest! {
    #[test]
    fn what_parses_is_written_again_byte_for_byte(text in "\\PC{0,20}\n[0-9+]{1,20}\n[A-Za-z0-9+/]{43}=\n\n(\u{2014} [a-z+ ]{1,3} [A-Za-z0-9+/]{8}\n){0,3}") {
        if let Ok(note) = Note::parse(&text) {
            prop_assert_eq!(note.text(), text);
        }
    }

    #[test]
    fn any_text_is_judged_without_a_panic(text in "(\\PC|\n|\u{2014} ){0,80}") {
        let _ = Note::parse(&text);
    }
}
