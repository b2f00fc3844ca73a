//! Checkpoints: countersigned, remembered, and neither smaller nor forked ever after.

use control_plane::Options;
use ring::signature::{ED25519, UnparsedPublicKey};
use sha2::{Digest as _, Sha256};
use tenancy::plane::{Answered, Countersigned, ToControl};

use crate::world::{World, name};

const ROOT_A: &str = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
const ROOT_B: &str = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=";
const LINE: &str = "\u{2014} worker AAAAAGFzZGY=\n";

fn note(size: u64, root: &str) -> String {
    format!("bailiwick.example/acme\n{size}\n{root}\n\n{LINE}")
}

impl World {
    async fn countersign(&self, epoch: u64, note: String) -> Option<Countersigned> {
        let identity = name("acme");
        let answered = self.ask(ToControl::Checkpoint { identity, epoch, note }).await;
        if let Answered::Countersigned(signed) = answered {
            return Some(signed);
        }
        assert!(matches!(answered, Answered::Denied(_)), "{answered:?}");
        None
    }
}

fn unbase64(text: &str) -> Vec<u8> {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.decode(text).expect("base64")
}

#[tokio::test]
async fn the_line_that_is_added_verifies_under_the_key_that_is_told() {
    let (world, _, _) = World::full().await;
    let epoch = world.hold("acme", "n1").await.epoch;
    let signed = world.countersign(epoch, note(7, ROOT_A)).await.expect("is signed");
    let added = signed.note.strip_prefix(&note(7, ROOT_A)).expect("the note is as it was");
    let mut words = added.trim_end().split(' ');
    assert_eq!((words.next(), words.next()), (Some("\u{2014}"), Some(signed.name.as_str())));
    let blob = unbase64(words.next().expect("a signature"));
    let public = unbase64(&signed.public_key);
    let named = [signed.name.as_bytes(), b"\n\x01", &public].concat();
    assert_eq!(blob[..4], Sha256::digest(named)[..4]);
    let text = format!("bailiwick.example/acme\n7\n{ROOT_A}\n");
    UnparsedPublicKey::new(&ED25519, public).verify(text.as_bytes(), &blob[4..]).expect("verifies");
    let key = world.plane.verifier_key();
    let parts: Vec<_> = key.splitn(3, '+').collect();
    assert_eq!(
        (parts[0], &unbase64(parts[2])[1..]),
        (&*signed.name, &unbase64(&signed.public_key)[..])
    );
    // Signing what is signed already adds no second line.
    let again = world.countersign(epoch, signed.note.clone()).await.expect("is signed");
    assert_eq!(again.note, signed.note);
}

#[tokio::test]
async fn a_ledger_neither_shrinks_nor_forks() {
    let (world, _, _) = World::full().await;
    let epoch = world.hold("acme", "n1").await.epoch;
    let key = world.plane.verifier_key();
    assert!(world.countersign(epoch, note(7, ROOT_A)).await.is_some());
    assert!(world.countersign(epoch, note(7, ROOT_A)).await.is_some());
    assert!(world.countersign(epoch, note(7, ROOT_B)).await.is_none(), "a fork");
    assert!(world.countersign(epoch, note(6, ROOT_A)).await.is_none(), "a smaller one");
    assert!(world.countersign(epoch, note(8, ROOT_B)).await.is_some());
    let moved = note(9, ROOT_A).replace("/acme", "/globex");
    assert!(world.countersign(epoch, moved).await.is_none(), "another ledger");
    let (world, _) = world.reopened(Options::default()).await;
    assert_eq!(world.plane.verifier_key(), key);
    assert!(world.countersign(epoch, note(8, ROOT_A)).await.is_none(), "still a fork");
    assert!(world.countersign(epoch + 1, note(9, ROOT_A)).await.is_none(), "not the holder");
    world.clock.pass(3000);
    assert!(world.countersign(epoch, note(9, ROOT_A)).await.is_none(), "no longer the holder");
}

#[tokio::test]
async fn what_is_no_checkpoint_is_not_signed() {
    let (world, _, _) = World::full().await;
    let epoch = world.hold("acme", "n1").await.epoch;
    for bad in [
        String::new(),
        "\n\n".to_owned(),
        format!("o\n07\n{ROOT_A}\n\n{LINE}"),
        format!("o\n7\n{ROOT_A}\nmore\n\n{LINE}"),
        format!("o\n7\nAAAA\n\n{LINE}"),
        format!("\n7\n{ROOT_A}\n\n{LINE}"),
        format!("o\n7\n{ROOT_A}\n\n"),
        format!("o\n7\n{ROOT_A}\n\nworker AAAA\n"),
        format!("o\n7\n{ROOT_A}\n\n{}", LINE.trim_end()),
        format!("o\n7\n{ROOT_A}\n\n{}", LINE.repeat(2000)),
    ] {
        assert!(world.countersign(epoch, bad.clone()).await.is_none(), "{bad:?}");
    }
    assert!(world.countersign(epoch, format!("o\n7\n{ROOT_A}\n\n{LINE}")).await.is_some());
}
