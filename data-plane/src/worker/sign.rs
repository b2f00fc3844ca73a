//! Owns checkpoints: the size and root of the chain, signed by this worker and countersigned by the
//! control plane, which remembers the last, so that a fork shows.

use contract::Timestamp;
use tenancy::plane::{Answered, Countersigned, ToControl};

use super::Worker;
use super::session::ask;
use crate::ledger::checkpoint::{Checkpoint, Key, Note};
use crate::ledger_rows;
use crate::store::{Batch, Fault};

/// A checkpoint, and the control plane's key if it signed.
#[derive(Debug)]
pub(crate) struct Signed {
    /// The signed note.
    pub(crate) note: Note,
    /// Who countersigned.
    pub(crate) countersigned: Option<Key>,
}

impl Worker {
    /// Signs where the chain stands, has it countersigned and keeps it.
    pub(crate) async fn checkpoint(&self) -> Result<Signed, Fault> {
        let tip = self.store.tip();
        let origin = self.signer.key().name().to_owned();
        let own = Note::sign(Checkpoint { origin, size: tip.size, root: tip.root }, &self.signer);
        let message = ToControl::Checkpoint {
            identity: self.identity.clone(),
            epoch: self.session.epoch,
            note: own.text(),
        };
        let signed = match ask(self.session.link(), message).await {
            Ok(Answered::Countersigned(countersigned)) => {
                let signed = with_countersignature(&own, &countersigned);
                signed.unwrap_or(Signed { note: own, countersigned: None })
            }
            Ok(Answered::Denied(why)) => {
                tracing::error!(identity = %self.identity, why, "the checkpoint is not countersigned");
                Signed { note: own, countersigned: None }
            }
            Ok(_) | Err(_) => Signed { note: own, countersigned: None },
        };
        let at: Timestamp = self.now();
        let stored = ledger_rows::Checkpoint { size: tip.size, note: signed.note.text(), at };
        self.store.commit(Batch::default().with(stored).durable()).await?;
        Ok(signed)
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
