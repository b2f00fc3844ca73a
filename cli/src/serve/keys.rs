//! Owns what `serve` keeps in the data folder outside every database: keys, the operator's token, and
//! the lock. Invariant: one process uses a data folder at a time, and a key that was ever used is
//! never made anew.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use data_plane::ledger::checkpoint::Signer;
use ring::signature::KeyPair as _;
use tenancy::clock::Source;
use tenancy::keys::{self, Absent};
use tenancy::seal::Kek;

use crate::environment;

/// The operator's token, as a file of the data folder.
pub(super) const OPERATOR_TOKEN: &str = "operator.token";
/// The control plane's database: where it is, the folder was in use before.
const DATABASE: &str = "control.db";
/// Held by the process that uses the folder.
const LOCK: &str = "lock";
/// Where the seed stands in a PKCS#8 document of an Ed25519 key (RFC 8410, section 10.3).
const SEED: std::ops::Range<usize> = 16..48;

/// A data folder in use.
pub(super) struct Folder {
    /// Wraps the identities' keys.
    pub(super) kek: Kek,
    /// Of the key that signs checkpoints.
    pub(super) signing_seed: [u8; 32],
    /// Let go when dropped.
    pub(super) lock: File,
}

/// Makes the folder if it is not there, locks it, and loads its keys or, in a folder that holds
/// nothing yet, makes them.
pub(super) fn open(dir: &Path, source: &dyn Source) -> anyhow::Result<Folder> {
    keys::private_folder(dir)?;
    let lock = lock(dir)?;
    let absent = if dir.join(DATABASE).exists() { Absent::Refuse } else { Absent::Make };
    let variable = environment::text(keys::KEK_VARIABLE);
    let kek = keys::load_kek(&dir.join(keys::KEK_FILE), variable.as_deref(), absent, source)?;
    let signing_seed = signing_seed(&dir.join(keys::SIGNING_KEY_FILE), absent, source)?;
    Ok(Folder { kek, signing_seed, lock })
}

/// Where the operator's token lies in the folder.
pub(super) fn operator_token(dir: &Path) -> PathBuf {
    dir.join(OPERATOR_TOKEN)
}

fn lock(dir: &Path) -> anyhow::Result<File> {
    let path = dir.join(LOCK);
    let mut options = File::options();
    let file = options.create(true).truncate(false).write(true).open(&path);
    let file = file.with_context(|| format!("cannot open {}", path.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            bail!(
                "the data folder {} is in use: another process serves it. Stop that one, or name \
                 another folder with --data",
                dir.display()
            )
        }
        Err(TryLockError::Error(error)) => {
            Err(error).with_context(|| format!("cannot lock {}", path.display()))
        }
    }
}

/// The seed of the signing key in `file`, checked against the key's public half.
fn signing_seed(file: &Path, absent: Absent, source: &dyn Source) -> anyhow::Result<[u8; 32]> {
    let pair = keys::load_signing_key(file, absent, source)?;
    let document = keys::read_private(file)?;
    let seed: Option<[u8; 32]> = document.expose().get(SEED).and_then(|seed| seed.try_into().ok());
    let fits = |seed: &[u8; 32]| {
        Signer::from_seed("any", seed)
            .is_ok_and(|signer| signer.key().public() == pair.public_key().as_ref())
    };
    let seed = seed.filter(fits);
    seed.with_context(|| {
        format!("{} holds its key in another form than this reads", file.display())
    })
}
