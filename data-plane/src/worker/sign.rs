//! Owns checkpoints: the size and root of the chain, signed by this worker and countersigned by the
//! control plane, which remembers the last, so that a fork shows. Invariants: what is signed is on the
//! disk, so that no crash makes the chain shorter than what was countersigned; checkpoints are made one
//! after another, and one that is kept with a countersignature does not lose it.

use contract::Timestamp;
use tenancy::plane::{Answered, Countersigned, ToControl};

use super::Worker;
use super::session::ask;
use crate::ledger::checkpoint::{Checkpoint, Key, Note};
use crate::ledger_rows;
use crate::store::{Batch, Fault, Tip};

/// By how many entries the chain may grow without a checkpoint.
pub(super) const ENTRIES: u64 = 1000;
/// How long a chain that grew may be without one.
pub(super) const WITHIN_MS: u64 = 60 * 1000;

/// A checkpoint, and the control plane's key if it signed.
#[derive(Debug)]
pub(crate) struct Signed {
    /// The signed note.
    pub(crate) note: Note,
    /// Who countersigned.
    pub(crate) countersigned: Option<Key>,
}

/// The last checkpoint that was tried.
#[derive(Debug)]
pub(crate) struct Signing {
    size: u64,
    boot_ms: u64,
    /// Whoever countersigned the last one that was countersigned.
    countersigner: Option<Key>,
}

impl Signing {
    /// None was tried yet.
    pub(super) const fn begun(boot_ms: u64) -> Self {
        Self { size: 0, boot_ms, countersigner: None }
    }

    /// Whether a chain of `size` is to have another at `boot_ms`.
    const fn is_due(&self, size: u64, boot_ms: u64) -> bool {
        let grown = size.saturating_sub(self.size);
        grown >= ENTRIES || (grown > 0 && boot_ms.saturating_sub(self.boot_ms) >= WITHIN_MS)
    }
}

impl Worker {
    /// Signs where the chain stands, has it countersigned and keeps it.
    pub(crate) async fn checkpoint(&self) -> Result<Signed, Fault> {
        let mut last = self.chores.signing.lock().await;
        let tip = self.settled().await?;
        if let Some(kept) = self.kept(&tip, &last).await? {
            return Ok(kept);
        }
        let signed = self.sign(&tip, &mut last).await;
        self.keep_checkpoint(&signed).await?;
        Ok(signed)
    }

    /// Makes a checkpoint and keeps it, if one is due. One that is not countersigned is not kept: it
    /// says no more than the chain itself, and is tried again when the next is due.
    pub(super) async fn checkpoint_when_due(&self) {
        let mut last = self.chores.signing.lock().await;
        if !last.is_due(self.store.tip().size, self.clock.boot_ms()) {
            return;
        }
        let made = async {
            let tip = self.settled().await?;
            let signed = self.sign(&tip, &mut last).await;
            if signed.countersigned.is_some() {
                self.keep_checkpoint(&signed).await
            } else {
                Ok(())
            }
        };
        if let Err(error) = made.await {
            tracing::warn!(identity = %self.identity, %error, "no checkpoint was made");
        }
    }

    /// Where the chain stands, on the disk.
    async fn settled(&self) -> Result<Tip, Fault> {
        let tip = self.store.tip();
        // The log of writes is synced whole: with this empty batch all that went before it.
        self.store.commit(Batch::default().durable()).await?;
        Ok(tip)
    }

    /// The countersigned checkpoint of just this size that is kept already. There is one only if this
    /// worker made it, since to start is an entry.
    async fn kept(&self, tip: &Tip, last: &Signing) -> Result<Option<Signed>, Fault> {
        let Some(key) = &last.countersigner else { return Ok(None) };
        let Some(note) = ledger_rows::checkpoint(self.store.readers(), tip.size).await? else {
            return Ok(None);
        };
        let note = Note::parse(&note).ok().filter(|note| note.is_signed_by(key).unwrap_or(false));
        Ok(note.map(|note| Signed { note, countersigned: Some(key.clone()) }))
    }

    async fn sign(&self, tip: &Tip, last: &mut Signing) -> Signed {
        (last.size, last.boot_ms) = (tip.size, self.clock.boot_ms());
        let origin = self.signer.key().name().to_owned();
        let own = Note::sign(Checkpoint { origin, size: tip.size, root: tip.root }, &self.signer);
        let message = ToControl::Checkpoint {
            identity: self.identity.clone(),
            epoch: self.session.epoch,
            note: own.text(),
        };
        let why = match ask(self.session.link(), message).await {
            Ok(Answered::Countersigned(countersigned)) => {
                if let Some(signed) = with_countersignature(&own, &countersigned) {
                    last.countersigner.clone_from(&signed.countersigned);
                    return signed;
                }
                "what came back does not sign it".to_owned()
            }
            Ok(Answered::Denied(why)) => {
                tracing::error!(identity = %self.identity, why, "the checkpoint is denied");
                return Signed { note: own, countersigned: None };
            }
            Ok(other) => format!("{other:?}"),
            Err(error) => error.to_string(),
        };
        tracing::warn!(identity = %self.identity, why, "the checkpoint is not countersigned");
        Signed { note: own, countersigned: None }
    }

    async fn keep_checkpoint(&self, signed: &Signed) -> Result<(), Fault> {
        let (size, at): (u64, Timestamp) = (signed.note.checkpoint.size, self.now());
        let stored = ledger_rows::Checkpoint { size, note: signed.note.text(), at };
        self.store.commit(Batch::default().with(stored).durable()).await.map(drop)
    }
}

/// `own` with the signature of the control plane at its place (an export's signatures stand in order),
/// or `None` if what came back does not sign this checkpoint.
fn with_countersignature(own: &Note, countersigned: &Countersigned) -> Option<Signed> {
    let key = Key::from_base64(&countersigned.name, &countersigned.public_key).ok()?;
    let mut note = own.clone();
    for signature in Note::parse(&countersigned.note).ok()?.signatures {
        if key.claims(&signature) {
            note.add(signature);
        }
    }
    let stands = note.is_signed_by(&key).unwrap_or(false);
    stands.then_some(Signed { note, countersigned: Some(key) })
}
