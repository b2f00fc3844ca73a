//! Owns checkpoints: the size and root of the chain, signed by this worker and countersigned by the
//! control plane, which remembers the last, so that a fork shows.

use contract::Timestamp;
use tenancy::plane::{Answered, ToControl};

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
                let note = Note::parse(&countersigned.note).ok();
                let key = Key::from_base64(&countersigned.name, &countersigned.public_key).ok();
                match (note, key) {
                    (Some(note), Some(key)) if note.is_signed_by(&key).unwrap_or(false) => {
                        Signed { note, countersigned: Some(key) }
                    }
                    _ => Signed { note: own, countersigned: None },
                }
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
