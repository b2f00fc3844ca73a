use proptest::prelude::*;

use super::proof::{consistency, continues, includes, inclusion};
use super::*;

/// The eight leaves that the certificate-transparency projects test their trees with.
const LEAVES: [&[u8]; 8] = [
    b"",
    b"\x00",
    b"\x10",
    b"\x20\x21",
    b"\x30\x31",
    b"\x40\x41\x42\x43",
    b"\x50\x51\x52\x53\x54\x55\x56\x57",
    b"\x60\x61\x62\x63\x64\x65\x66\x67\x68\x69\x6a\x6b\x6c\x6d\x6e\x6f",
];

/// The roots of the trees of none to all of them.
const ROOTS: [&str; 9] = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
];

fn leaves(count: usize) -> Vec<Hash> {
    LEAVES[..count].iter().map(|leaf| leaf_hash(&[leaf])).collect()
}

fn hashes(hex: &[&str]) -> Vec<Hash> {
    hex.iter().map(|text| text.parse().unwrap()).collect()
}

/// The definition of RFC 6962, 2.1, word for word.
fn root_by_definition(leaves: &[Hash]) -> Hash {
    match leaves {
        [] => empty_root(),
        [leaf] => *leaf,
        _ => {
            let mut half = 1;
            while half * 2 < leaves.len() {
                half *= 2;
            }
            let (left, right) = leaves.split_at(half);
            node_hash(&root_by_definition(left), &root_by_definition(right))
        }
    }
}

#[test]
fn roots_are_the_known_ones() {
    for (count, expected) in ROOTS.iter().enumerate() {
        assert_eq!(root(&leaves(count)).to_string(), *expected, "{count} leaves");
    }
}

#[test]
fn inclusion_proofs_are_the_known_ones() {
    let vectors: [(usize, usize, &[&str]); 4] = [
        (
            0,
            8,
            &[
                "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
                "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
            ],
        ),
        (
            5,
            8,
            &[
                "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
                "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
                "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
            ],
        ),
        (2, 3, &["fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"]),
        (
            1,
            5,
            &[
                "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
                "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
            ],
        ),
    ];
    for (index, size, path) in vectors {
        assert_eq!(inclusion(&leaves(size), index), Some(hashes(path)), "{index} of {size}");
    }
    assert_eq!(inclusion(&leaves(3), 3), None);
}

#[test]
fn consistency_proofs_are_the_known_ones() {
    let vectors: [(usize, usize, &[&str]); 4] = [
        (1, 1, &[]),
        (
            1,
            8,
            &[
                "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
                "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
            ],
        ),
        (
            6,
            8,
            &[
                "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
                "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
                "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
            ],
        ),
        (
            2,
            5,
            &[
                "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
            ],
        ),
    ];
    for (old, new, proof) in vectors {
        assert_eq!(consistency(&leaves(new), old), Some(hashes(proof)), "{old} to {new}");
    }
    assert_eq!(consistency(&leaves(3), 0), None);
    assert_eq!(consistency(&leaves(3), 4), None);
}

#[test]
fn only_the_empty_trees_root_is_continued_by_everything() {
    let new = (3, root(&leaves(3)));
    assert!(continues((0, empty_root()), new, &[]));
    assert!(continues((0, empty_root()), (0, empty_root()), &[]));
    assert!(!continues((0, new.1), new, &[]));
    assert!(!continues((3, empty_root()), new, &[]));
    assert!(!continues((4, new.1), new, &[]));
}

#[test]
fn a_hash_has_one_text() {
    let text = ROOTS[1];
    assert_eq!(text.parse::<Hash>().unwrap().to_string(), text);
    for bad in [
        text.trim_start_matches('6'),
        &text.to_uppercase(),
        &format!("{text}00"),
        &text.replace('6', "g"),
        "",
    ] {
        assert_eq!(bad.parse::<Hash>(), Err(NotAHash), "{bad}");
    }
}

#[test]
fn bytes_that_are_no_frontier_are_refused() {
    let mut frontier = Frontier::default();
    for leaf in leaves(5) {
        frontier.push(leaf);
    }
    let bytes = frontier.to_bytes();
    assert_eq!(bytes.len(), 8 + 2 * 32);
    assert_eq!(Frontier::from_bytes(&bytes), Ok(frontier));
    for cut in 0..bytes.len() {
        assert!(Frontier::from_bytes(&bytes[..cut]).is_err(), "{cut}");
    }
    assert!(Frontier::from_bytes(&[bytes.as_slice(), &[0]].concat()).is_err());
    assert!(Frontier::from_bytes(&[bytes.as_slice(), &[0; 32]].concat()).is_err());
}

fn any_leaves() -> impl Strategy<Value = Vec<Hash>> {
    prop::collection::vec(any::<[u8; 32]>().prop_map(Hash::new), 1..80)
}

proptest! {
    #[test]
    fn a_frontier_has_the_root_of_the_definition(leaves in any_leaves()) {
        let mut frontier = Frontier::default();
        for (index, leaf) in leaves.iter().enumerate() {
            frontier.push(*leaf);
            prop_assert_eq!(frontier.root(), root_by_definition(&leaves[..=index]));
        }
        prop_assert_eq!(frontier.size(), leaves.len() as u64);
    }

    #[test]
    fn inclusion_holds_for_this_leaf_at_this_place_alone(
        leaves in any_leaves(), at in any::<prop::sample::Index>(), bit in 0_usize..256
    ) {
        let (index, size) = (at.index(leaves.len()), leaves.len() as u64);
        let (leaf, top) = (leaves[index], root(&leaves));
        let path = inclusion(&leaves, index).unwrap();
        let place = index as u64;
        prop_assert!(includes(leaf, place, size, &path, top));
        for other in (0..size + 2).filter(|other| *other != place) {
            prop_assert!(!includes(leaf, other, size, &path, top));
        }
        prop_assert!(!includes(flipped(leaf, bit), place, size, &path, top));
        prop_assert!(!includes(leaf, place, size, &path, flipped(top, bit)));
        for changed in changed_proofs(&path, bit) {
            prop_assert!(!includes(leaf, place, size, &changed, top));
        }
    }

    #[test]
    fn consistency_holds_between_these_trees_alone(
        leaves in any_leaves(), at in any::<prop::sample::Index>(), bit in 0_usize..256
    ) {
        let old_size = at.index(leaves.len()) + 1;
        let old = (old_size as u64, root(&leaves[..old_size]));
        let new = (leaves.len() as u64, root(&leaves));
        let proof = consistency(&leaves, old_size).unwrap();
        prop_assert!(continues(old, new, &proof));
        prop_assert!(!continues((old.0, flipped(old.1, bit)), new, &proof));
        prop_assert!(!continues(old, (new.0, flipped(new.1, bit)), &proof));
        for changed in changed_proofs(&proof, bit) {
            prop_assert!(!continues(old, new, &changed));
        }
    }

    #[test]
    fn a_rewritten_past_has_no_consistency_proof(
        leaves in any_leaves(), at in any::<prop::sample::Index>(), bit in 0_usize..256
    ) {
        let index = at.index(leaves.len());
        let old = (leaves.len() as u64, root(&leaves));
        let mut rewritten = leaves.clone();
        rewritten[index] = flipped(rewritten[index], bit);
        rewritten.push(empty_root());
        let new = (rewritten.len() as u64, root(&rewritten));
        let proof = consistency(&rewritten, leaves.len()).unwrap();
        prop_assert!(!continues(old, new, &proof));
    }

    #[test]
    fn any_proof_is_judged_without_a_panic(
        index in any::<u64>(), size in any::<u64>(), leaves in any_leaves()
    ) {
        let hash = leaves[0];
        let _ = includes(hash, index, size, &leaves, hash);
        let _ = continues((index, hash), (size, hash), &leaves);
    }
}

fn flipped(hash: Hash, bit: usize) -> Hash {
    let mut bytes = *hash.as_bytes();
    bytes[bit / 8] ^= 1 << (bit % 8);
    Hash::new(bytes)
}

fn changed_proofs(proof: &[Hash], bit: usize) -> Vec<Vec<Hash>> {
    let mut changed = vec![[proof, &[empty_root()]].concat()];
    for index in 0..proof.len() {
        let mut one = proof.to_vec();
        one[index] = flipped(one[index], bit);
        changed.push(one);
        changed.push([&proof[..index], &proof[index + 1..]].concat());
    }
    changed
}
