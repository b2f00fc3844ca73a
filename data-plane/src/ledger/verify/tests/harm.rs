//! Harm done to exports at random.

use proptest::prelude::*;

use super::*;

#[derive(Debug, Clone)]
enum Harm {
    Flip(prop::sample::Index, u8),
    Insert(prop::sample::Index, u8),
    Remove(prop::sample::Index),
    Truncate(prop::sample::Index),
    RemoveLine(prop::sample::Index),
    DoubleLine(prop::sample::Index),
    SwapLines(prop::sample::Index, prop::sample::Index),
}

fn any_harm() -> impl Strategy<Value = Harm> {
    use prop::sample::Index;
    prop_oneof![
        (any::<Index>(), 1_u8..).prop_map(|(at, mask)| Harm::Flip(at, mask)),
        (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Harm::Insert(at, byte)),
        any::<Index>().prop_map(Harm::Remove),
        any::<Index>().prop_map(Harm::Truncate),
        any::<Index>().prop_map(Harm::RemoveLine),
        any::<Index>().prop_map(Harm::DoubleLine),
        (any::<Index>(), any::<Index>()).prop_map(|(a, b)| Harm::SwapLines(a, b)),
    ]
}

fn harmed(good: &[u8], harm: &Harm) -> Vec<u8> {
    let mut bytes = good.to_vec();
    let mut lines: Vec<&[u8]> = good.split_inclusive(|byte| *byte == b'\n').collect();
    let count = lines.len();
    match harm {
        Harm::Flip(at, mask) => bytes[at.index(good.len())] ^= mask,
        Harm::Insert(at, byte) => bytes.insert(at.index(good.len() + 1), *byte),
        Harm::Remove(at) => drop(bytes.remove(at.index(good.len()))),
        Harm::Truncate(at) => bytes.truncate(at.index(good.len())),
        Harm::RemoveLine(at) => drop(lines.remove(at.index(count))),
        Harm::DoubleLine(at) => lines.insert(at.index(count), lines[at.index(count)]),
        Harm::SwapLines(a, b) => lines.swap(a.index(count), b.index(count)),
    }
    if bytes == good { lines.concat() } else { bytes }
}

#[test]
fn no_byte_changes_unseen() {
    let good = Ledger::new(4).export(1, 3).into_bytes();
    assert!(check(&good).is_ok());
    for at in 0..good.len() {
        for mask in [0x01, 0x20] {
            let mut bad = good.clone();
            bad[at] ^= mask;
            assert!(check(&bad).is_err(), "{}", String::from_utf8_lossy(&bad));
        }
        assert!(check(&good[..at]).is_err(), "cut at {at}");
    }
}

proptest! {
    #[test]
    fn no_change_goes_unseen(
        first in 0_usize..8, count in 1_u64..8, step in 1_usize..5, harm in any_harm()
    ) {
        let ledger = Ledger::new(first as u64 + count);
        let good = ledger.export(first, step).into_bytes();
        prop_assert!(check(&good).is_ok());
        let bad = harmed(&good, &harm);
        prop_assume!(bad != good);
        let lines = bad.split(|byte| *byte == b'\n').count() as u64;
        match check(&bad) {
            Ok(_) => prop_assert!(false, "{}", String::from_utf8_lossy(&bad)),
            Err(error) => prop_assert!((1..=lines).contains(&error.line), "{:?}", error),
        }
    }

    #[test]
    fn garbage_is_refused_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(check(&bytes).is_err());
    }

    #[test]
    fn garbage_after_a_header_is_refused_without_a_panic(
        bytes in r#"([{}\[\]:,"a-z0-9\\\n-]|"checkpoint"|"seq"|"at_ms"|"body"){0,60}"#
    ) {
        let good = Ledger::new(1).export(0, 1);
        let header = good.lines().next().unwrap();
        let text = format!("{header}\n{bytes}\n");
        prop_assert!(check(text).is_err());
    }
}
