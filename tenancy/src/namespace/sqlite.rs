//! Owns how an `SQLite` file is opened, for namespaces and for the control database alike: one
//! connection that writes, a few that can only read, and the settings on which the promises rest.
//!
//! Invariant: no connection exists without its settings; they are made in the step that connects.

use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection, SqliteConnection, SqlitePool};

use super::migration::{self, Schema};
use crate::keys::{FileError, sync_folder_of};

/// The oldest `SQLite` that may be used: earlier ones can corrupt a file when its write-ahead log
/// is reset.
pub const VERSION_MIN: (u32, u32, u32) = (3, 51, 3);

/// Why a file was not opened.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The library linked in is too old.
    #[error(
        "SQLite {found} is too old: {}.{}.{} is the oldest that keeps files whole",
        VERSION_MIN.0,
        VERSION_MIN.1,
        VERSION_MIN.2
    )]
    Version {
        /// Its version.
        found: String,
    },
    /// The file cannot be made or is no regular file.
    #[error("cannot make the file {path}")]
    Make {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The folder of the file cannot be synced.
    #[error("cannot make the file last")]
    Sync(#[source] FileError),
    /// The database refused.
    #[error("cannot open {path}")]
    Sql {
        /// The file.
        path: PathBuf,
        /// What the database said.
        #[source]
        source: sqlx::Error,
    },
    /// The file cannot be written ahead: its file system lacks shared memory, a network's for one.
    #[error("{path} cannot have a write-ahead log, only {mode:?}")]
    Journal {
        /// The file.
        path: PathBuf,
        /// The journal mode it has instead.
        mode: String,
    },
    /// The file's schema is not one that can be used.
    #[error("cannot use the schema of {path}")]
    Schema {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        #[source]
        source: migration::Error,
    },
}

/// What may differ between files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// The most connections that read. Each is a thread and three file descriptors while it lives;
    /// it is made when it is first needed.
    pub readers: u32,
    /// How long a statement waits for another process's lock.
    pub busy_timeout_ms: u64,
    /// How long a caller waits for a connection.
    pub acquire_timeout_ms: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { readers: 3, busy_timeout_ms: 5_000, acquire_timeout_ms: 5_000 }
    }
}

/// An open file.
#[derive(Debug, Clone)]
pub struct File {
    /// The one connection that writes. Every commit through it is on disk.
    pub writer: SqlitePool,
    /// The connections that can only read.
    pub readers: SqlitePool,
}

impl File {
    /// Closes every connection, the writer last, so that it leaves no log behind.
    pub async fn close(self) {
        self.readers.close().await;
        self.writer.close().await;
    }
}

/// Opens the file at `path`, made if absent with access for its owner only, and brings it to
/// `schema`. `marks` say what the file is (whose it is, say): written into its table `meta` when it
/// is made, and compared ever after.
///
/// # Errors
/// [`Error`]. Nothing is changed in a file that is refused.
pub async fn open(
    path: &Path,
    schema: &Schema,
    marks: &[(&str, String)],
    options: &Options,
) -> Result<File, Error> {
    make(path)?;
    let sql = |source| Error::Sql { path: path.to_owned(), source };
    let writer = pool(1, options).connect_with(writing(path, options)).await.map_err(sql)?;
    let opened = prepare(&writer, path, schema, marks).await;
    if let Err(error) = opened {
        writer.close().await;
        return Err(error);
    }
    let readers = pool(options.readers, options).connect_lazy_with(reading(path, options));
    Ok(File { writer, readers })
}

/// Asserts that the `SQLite` linked in is [`VERSION_MIN`] or later. [`open`] asserts it too; this
/// is for a start that wants to fail before it touches a file.
///
/// # Errors
/// [`Error::Version`].
pub async fn assert_sqlite_version() -> Result<(), Error> {
    let sql = |source| Error::Sql { path: PathBuf::from(":memory:"), source };
    let mut memory = SqliteConnectOptions::new().in_memory(true).connect().await.map_err(sql)?;
    check_version(&version(&mut memory).await.map_err(sql)?)?;
    memory.close().await.map_err(sql)
}

async fn prepare(
    writer: &SqlitePool,
    path: &Path,
    schema: &Schema,
    marks: &[(&str, String)],
) -> Result<(), Error> {
    let sql = |source| Error::Sql { path: path.to_owned(), source };
    let mut connection = writer.acquire().await.map_err(sql)?;
    check_version(&version(&mut connection).await.map_err(sql)?)?;
    let unusable = |source| Error::Schema { path: path.to_owned(), source };
    migration::check(&mut connection, schema, marks).await.map_err(unusable)?;
    // The mode is the file's, not the connection's, so it is set once the file is known for ours.
    let mode: String = sqlx::query_scalar("PRAGMA journal_mode = WAL")
        .fetch_one(&mut *connection)
        .await
        .map_err(sql)?;
    if mode != "wal" {
        return Err(Error::Journal { path: path.to_owned(), mode });
    }
    migration::run(&mut connection, schema, marks).await.map_err(unusable)
}

async fn version(connection: &mut SqliteConnection) -> Result<String, sqlx::Error> {
    sqlx::query_scalar("SELECT sqlite_version()").fetch_one(connection).await
}

fn check_version(text: &str) -> Result<(), Error> {
    let mut numbers = text.split('.').map(|part| part.parse::<u32>().ok());
    let mut next = || numbers.next().flatten();
    match (next(), next(), next()) {
        (Some(major), Some(minor), Some(patch)) if (major, minor, patch) >= VERSION_MIN => Ok(()),
        _ => Err(Error::Version { found: text.to_owned() }),
    }
}

/// Makes an empty file before `SQLite` would, because `SQLite` makes it readable for all. Its log
/// and index take over its mode.
fn make(path: &Path) -> Result<(), Error> {
    let failed = |source| Error::Make { path: path.to_owned(), source };
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Ok(_) => sync_folder_of(path).map_err(Error::Sync),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            // A link could lead to another identity's file, which is then refused anyway; but its
            // log would lie beside the link, and two logs of one file destroy it.
            if fs::symlink_metadata(path).map_err(failed)?.is_file() {
                Ok(())
            } else {
                Err(failed(io::Error::other("it is not a regular file")))
            }
        }
        Err(error) => Err(failed(error)),
    }
}

fn pool(connections: u32, options: &Options) -> SqlitePoolOptions {
    SqlitePoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(Duration::from_millis(options.acquire_timeout_ms))
        // A local file does not go away: asking costs a hop to the connection's thread per call.
        .test_before_acquire(false)
        .idle_timeout(None)
        .max_lifetime(None)
}

fn writing(path: &Path, options: &Options) -> SqliteConnectOptions {
    settings(path, options)
        .synchronous(SqliteSynchronous::Full)
        // What a burst of writes made of the log is given back after the next checkpoint.
        .pragma("journal_size_limit", "16777216")
}

fn reading(path: &Path, options: &Options) -> SqliteConnectOptions {
    settings(path, options).read_only(true).pragma("query_only", "ON")
}

fn settings(path: &Path, options: &Options) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .busy_timeout(Duration::from_millis(options.busy_timeout_ms))
        .foreign_keys(true)
        // An I/O error through mapped memory is a signal that ends the process.
        .pragma("mmap_size", "0")
        // What is deleted is overwritten. FTS5 needs its own switch, which lies in the schema.
        .pragma("secure_delete", "ON")
        // Intermediate results would else be written to files that nothing erases.
        .pragma("temp_store", "MEMORY")
        // A schema from elsewhere (a restored export) gets no function with effects to run.
        .pragma("trusted_schema", "OFF")
        .pragma("cell_size_check", "ON")
}

#[cfg(test)]
mod tests;
