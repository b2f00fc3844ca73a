//! Owns the opening of namespaces: one database file per identity.
//!
//! Invariant: a [`Namespace`] is fixed to one identity when it is opened. There is nothing on it
//! that takes an identity, and the file says itself whose it is. Nothing is written but through a
//! [`Writer`], which holds an epoch and compares it in every transaction, so a worker that was
//! paused past its lease cannot write.
//!
//! Whoever holds the folder can still replace a file by an older copy of itself: that shows in the
//! ledger's checkpoints, not here.

pub mod migration;
pub mod sqlite;

use std::path::{Path, PathBuf};

use contract::Id;
use contract::id::Identity;
use sqlx::{Sqlite, SqlitePool, Transaction};

use crate::keys::{FileError, private_folder};
use migration::{Migration, Schema};

/// The folder, inside the data folder, that holds one file per identity.
pub const FOLDER: &str = "namespaces";

/// The schema of a namespace in `SQLite`.
pub const SCHEMA: Schema = Schema {
    // "BWns": tells a namespace from every other SQLite file.
    application_id: 0x4257_6e73,
    migrations: &[
        Migration {
            name: "0001_namespace",
            sql: include_str!("../../migrations/namespace/sqlite/0001_namespace.sql"),
        },
        Migration {
            name: "0002_vectors",
            sql: include_str!("../../migrations/namespace/sqlite/0002_vectors.sql"),
        },
        Migration {
            name: "0003_lookup",
            sql: include_str!("../../migrations/namespace/sqlite/0003_lookup.sql"),
        },
    ],
};

/// Why a namespace cannot be opened or written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The folder of the namespaces cannot be used.
    #[error("cannot use the folder of the namespaces")]
    Folder(#[source] FileError),
    /// The file cannot be used; [`migration::Error::Mark`] beneath if it is another identity's.
    #[error("cannot use the namespace of {identity}")]
    File {
        /// Whose namespace it is.
        identity: Id<Identity>,
        /// What is wrong.
        #[source]
        source: sqlite::Error,
    },
    /// The writer's epoch is over: another holds the lease now, or did since.
    #[error("epoch {held} does not write: the namespace is at epoch {current}")]
    Stale {
        /// The writer's epoch.
        held: u64,
        /// The epoch that the namespace is at.
        current: u64,
    },
    /// The epoch is larger than the store keeps (2^63 - 1).
    #[error("epoch {epoch} is out of range")]
    Range {
        /// The epoch.
        epoch: u64,
    },
    /// The database refused.
    #[error("cannot {doing}")]
    Sql {
        /// What was tried.
        doing: &'static str,
        /// What the database said.
        #[source]
        source: sqlx::Error,
    },
    /// A reader that will not end keeps the log of writes from being emptied. Worth trying again.
    #[error("a reader keeps the log of writes in use")]
    LogInUse,
}

/// One identity's database, open.
#[derive(Debug)]
pub struct Namespace {
    identity: Id<Identity>,
    file: sqlite::File,
}

/// The right to write a namespace in one epoch.
#[derive(Debug, Clone)]
pub struct Writer {
    pool: SqlitePool,
    epoch: u64,
}

impl Namespace {
    /// Opens the namespace of `identity` under the data folder `dir`. An identity never seen before
    /// gets its file, with every table, here.
    ///
    /// # Errors
    /// [`Error::Folder`] and [`Error::File`].
    pub async fn open(dir: &Path, identity: Id<Identity>) -> Result<Self, Error> {
        let folder = dir.join(FOLDER);
        private_folder(&folder).map_err(Error::Folder)?;
        let path = path(dir, identity);
        let options = sqlite::Options::default();
        let marks = [("identity", identity.to_string())];
        let file = sqlite::open(&path, &SCHEMA, &marks, &options)
            .await
            .map_err(|source| Error::File { identity, source })?;
        Ok(Self { identity, file })
    }

    /// Whose it is.
    pub const fn identity(&self) -> Id<Identity> {
        self.identity
    }

    /// Connections that only read. Each sees what was committed when its transaction began.
    pub const fn readers(&self) -> &SqlitePool {
        &self.file.readers
    }

    /// Takes the namespace over for `epoch`: from when this returns, no earlier epoch writes.
    /// Taking it again in the same epoch is allowed; that is what a restarted holder does.
    ///
    /// # Errors
    /// [`Error::Stale`] if a later epoch has it.
    pub async fn writer(&self, epoch: u64) -> Result<Writer, Error> {
        let sql = |source| Error::Sql { doing: "take over the namespace", source };
        let stored = i64::try_from(epoch).map_err(|_| Error::Range { epoch })?;
        let raise = "UPDATE ledger_head SET epoch = $1 WHERE one = 1 AND epoch <= $1";
        let raised =
            sqlx::query(raise).bind(stored).execute(&self.file.writer).await.map_err(sql)?;
        if raised.rows_affected() == 0 {
            let mut writer = self.file.writer.acquire().await.map_err(sql)?;
            let current = current_epoch(&mut writer).await.map_err(sql)?;
            return Err(Error::Stale { held: epoch, current });
        }
        Ok(Writer { pool: self.file.writer.clone(), epoch })
    }

    /// Moves the log of writes into the file and empties it. What was erased is in neither then;
    /// before, the log may still hold it.
    ///
    /// # Errors
    /// [`Error::LogInUse`] if a reader is in the middle of something.
    pub async fn empty_log(&self) -> Result<(), Error> {
        let sql = |source| Error::Sql { doing: "empty the log of writes", source };
        let (in_use, ..): (i64, i64, i64) = sqlx::query_as("PRAGMA wal_checkpoint(TRUNCATE)")
            .fetch_one(&self.file.writer)
            .await
            .map_err(sql)?;
        if in_use == 0 { Ok(()) } else { Err(Error::LogInUse) }
    }

    /// Closes every connection, once each is done with what it is doing.
    pub async fn close(self) {
        self.file.close().await;
    }
}

impl Writer {
    /// The epoch that it writes in.
    pub const fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Says how much the transactions that follow promise once they are committed: with `full`, that
    /// they are on the disk; without, that they outlive this process (the log of writes is synced
    /// later, so the machine may lose the last of them, and never a part of one).
    ///
    /// # Errors
    /// [`Error::Sql`] if the database refuses.
    pub async fn sync(&self, full: bool) -> Result<(), Error> {
        let pragma = if full { "PRAGMA synchronous=FULL" } else { "PRAGMA synchronous=NORMAL" };
        // There is one connection that writes, so what is set here holds for the next transaction.
        sqlx::query(pragma)
            .execute(&self.pool)
            .await
            .map(drop)
            .map_err(|source| Error::Sql { doing: "set how writes are synced", source })
    }

    /// Begins a transaction that holds the write lock, after comparing the epoch under it: no other
    /// can take the namespace over until the transaction ends. Dropped without a commit, it is
    /// rolled back.
    ///
    /// # Errors
    /// [`Error::Stale`] once a later epoch has the namespace.
    pub async fn begin(&self) -> Result<Transaction<'static, Sqlite>, Error> {
        let sql = |source| Error::Sql { doing: "begin to write", source };
        let mut transaction = self.pool.begin_with("BEGIN IMMEDIATE").await.map_err(sql)?;
        let current = current_epoch(&mut transaction).await.map_err(sql)?;
        if current != self.epoch {
            return Err(Error::Stale { held: self.epoch, current });
        }
        Ok(transaction)
    }
}

/// Where the namespace of `identity` lies under the data folder `dir`. For export and deletion; to
/// use it, [`Namespace::open`] it.
pub fn path(dir: &Path, identity: Id<Identity>) -> PathBuf {
    dir.join(FOLDER).join(format!("{}.db", identity.uuid().hyphenated()))
}

async fn current_epoch(connection: &mut sqlx::SqliteConnection) -> Result<u64, sqlx::Error> {
    let epoch: i64 = sqlx::query_scalar("SELECT epoch FROM ledger_head WHERE one = 1")
        .fetch_one(connection)
        .await?;
    // The table's check keeps it from being negative.
    Ok(u64::try_from(epoch).unwrap_or_default())
}

#[cfg(test)]
mod tests;
