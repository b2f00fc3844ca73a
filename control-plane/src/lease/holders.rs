//! Owns what holders have said: by which revision each decides. Invariant: it only goes forward, and
//! a later epoch leaves every earlier one behind.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use contract::Name;
use tokio::sync::watch;

/// How far the holder of an identity has come. Compared by epoch first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Reached {
    epoch: u64,
    revision: u64,
}

impl Reached {
    /// Whether nobody decides by less than `revision` under `epoch` any more.
    pub(crate) fn has_left_behind(self, epoch: u64, revision: u64) -> bool {
        self >= Self { epoch, revision }
    }
}

/// What the holders of all identities have said since this plane was opened.
#[derive(Debug, Default)]
pub(crate) struct Holders(Mutex<HashMap<Name, watch::Sender<Reached>>>);

impl Holders {
    /// The holder of `epoch` decides by `revision` or later.
    pub(crate) fn acked(&self, identity: &Name, epoch: u64, revision: u64) {
        let reached = Reached { epoch, revision };
        self.with(identity, |sender| {
            sender.send_if_modified(|last| {
                let further = *last < reached;
                if further {
                    *last = reached;
                }
                further
            })
        });
    }

    /// The holder of `epoch` decides no more.
    pub(crate) fn released(&self, identity: &Name, epoch: u64) {
        self.acked(identity, epoch, u64::MAX);
    }

    /// Tells of what the identity's holder says from now on, and what it said last.
    pub(crate) fn watch(&self, identity: &Name) -> watch::Receiver<Reached> {
        self.with(identity, watch::Sender::subscribe)
    }

    fn with<T>(&self, identity: &Name, f: impl FnOnce(&watch::Sender<Reached>) -> T) -> T {
        let mut holders = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        f(holders.entry(identity.clone()).or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_holder_said_only_goes_forward() {
        let holders = Holders::default();
        let acme: Name = "acme".parse().expect("a name");
        let watch = holders.watch(&acme);
        let at = || *watch.borrow();
        holders.acked(&acme, 2, 7);
        holders.acked(&acme, 2, 5);
        holders.acked(&acme, 1, 90);
        assert!(at().has_left_behind(2, 7) && !at().has_left_behind(2, 8));
        assert!(at().has_left_behind(1, 1000), "an earlier epoch decides no more");
        assert!(!at().has_left_behind(3, 1));
        holders.released(&acme, 2);
        assert!(at().has_left_behind(2, 1000) && !at().has_left_behind(3, 1));
    }
}
