//! Proofs that an entry is in a tree and that one tree continues another (RFC 6962, 2.1.1 and
//! 2.1.2; checked as RFC 9162, 2.1.3.2 and 2.1.4.2 say).
//!
//! Invariant: a proof is accepted only if the hashes it holds lead to the very roots given.

use super::{Hash, empty_root, node_hash, root};

/// The audit path of the leaf at `index`, nearest sibling first; nothing if there is no such leaf.
pub fn inclusion(leaves: &[Hash], index: usize) -> Option<Vec<Hash>> {
    let mut path = Vec::new();
    let (mut leaves, mut index) = (leaves, index);
    if index >= leaves.len() {
        return None;
    }
    while leaves.len() > 1 {
        let (left, right) = split(leaves);
        if index < left.len() {
            path.push(root(right));
            leaves = left;
        } else {
            path.push(root(left));
            index -= left.len();
            leaves = right;
        }
    }
    path.reverse();
    Some(path)
}

/// Whether `path` shows that `leaf` stands at `index` in the tree of `size` leaves under `root`.
pub fn includes(leaf: Hash, index: u64, size: u64, path: &[Hash], root: Hash) -> bool {
    if index >= size {
        return false;
    }
    let (mut node, mut last, mut hash) = (index, size - 1, leaf);
    for sibling in path {
        if last == 0 {
            return false;
        }
        if node & 1 == 1 || node == last {
            hash = node_hash(sibling, &hash);
            while node & 1 == 0 && node != 0 {
                node >>= 1;
                last >>= 1;
            }
        } else {
            hash = node_hash(&hash, sibling);
        }
        node >>= 1;
        last >>= 1;
    }
    last == 0 && hash == root
}

/// The proof that the tree of these leaves continues the tree of the first `old_size` of them;
/// nothing if `old_size` is zero or more than there are.
pub fn consistency(leaves: &[Hash], old_size: usize) -> Option<Vec<Hash>> {
    if old_size == 0 || old_size > leaves.len() {
        return None;
    }
    let mut proof = Vec::new();
    let (mut leaves, mut old_size, mut whole) = (leaves, old_size, true);
    while old_size < leaves.len() {
        let (left, right) = split(leaves);
        if old_size <= left.len() {
            proof.push(root(right));
            leaves = left;
        } else {
            proof.push(root(left));
            old_size -= left.len();
            leaves = right;
            whole = false;
        }
    }
    if !whole {
        proof.push(root(leaves));
    }
    proof.reverse();
    Some(proof)
}

/// Whether `proof` shows that the tree of `new` (size, root) continues the tree of `old`.
///
/// The empty tree is continued by every tree, and needs no proof.
pub fn continues(old: (u64, Hash), new: (u64, Hash), proof: &[Hash]) -> bool {
    let ((old_size, old_root), (new_size, new_root)) = (old, new);
    if old_size == 0 || old_size >= new_size {
        let same = old_size == new_size && old_root == new_root;
        let from_nothing = old_size == 0 && new_size > 0 && old_root == empty_root();
        return proof.is_empty() && (same || from_nothing);
    }
    let (mut node, mut last) = (old_size - 1, new_size - 1);
    while node & 1 == 1 {
        node >>= 1;
        last >>= 1;
    }
    // An old tree that is a full subtree is its own first node, and the proof leaves it out.
    let stated = (!old_size.is_power_of_two()).then(|| proof.split_first());
    let (start, rest) = match stated {
        None => (old_root, proof),
        Some(Some((first, rest))) => (*first, rest),
        Some(None) => return false,
    };
    let (mut old_hash, mut new_hash) = (start, start);
    for sibling in rest {
        if last == 0 {
            return false;
        }
        if node & 1 == 1 || node == last {
            old_hash = node_hash(sibling, &old_hash);
            new_hash = node_hash(sibling, &new_hash);
            while node & 1 == 0 && node != 0 {
                node >>= 1;
                last >>= 1;
            }
        } else {
            new_hash = node_hash(&new_hash, sibling);
        }
        node >>= 1;
        last >>= 1;
    }
    last == 0 && old_hash == old_root && new_hash == new_root
}

/// Cuts two or more leaves where the tree does: at the largest power of two below their number.
fn split(leaves: &[Hash]) -> (&[Hash], &[Hash]) {
    let half = leaves.len().next_power_of_two() / 2;
    leaves.split_at_checked(half).unwrap_or((leaves, &[]))
}
