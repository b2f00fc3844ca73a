//! Owns the plainest record of a call that there can be: one row a call, in a database file, with those of
//! concurrent calls in one transaction. Invariant: it promises what a ruling for a read promises, that it
//! outlives this process, and no more.

use std::path::Path;

use anyhow::{Context, anyhow};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection, SqliteConnection};
use tokio::sync::{mpsc, oneshot};

/// How many rows may wait, and how many share a transaction.
const QUEUE_MAX: usize = 1024;
const GROUP_MAX: usize = 256;

type Row = (String, oneshot::Sender<()>);

/// A file into which rows are put.
#[derive(Debug, Clone)]
pub(crate) struct Inserts {
    queue: mpsc::Sender<Row>,
}

impl Inserts {
    /// Makes the file, and starts what writes into it.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub(crate) async fn start(path: &Path) -> anyhow::Result<Self> {
        let options = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Normal);
        let mut file = options.connect().await.context("a file for rows")?;
        sqlx::query("CREATE TABLE row (seq INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT")
            .execute(&mut file)
            .await?;
        let (queue, rows) = mpsc::channel(QUEUE_MAX);
        tokio::spawn(async move {
            if let Err(error) = write(&mut file, rows).await {
                // Whoever waits for a row is told by its sender's end.
                drop(error);
            }
        });
        Ok(Self { queue })
    }

    /// Puts a row in, and waits until it is committed.
    ///
    /// # Errors
    /// When it was not.
    pub(crate) async fn insert(&self, body: String) -> anyhow::Result<()> {
        let (done, committed) = oneshot::channel();
        self.queue.send((body, done)).await.map_err(|_| anyhow!("the rows' writer has stopped"))?;
        committed.await.context("the row was not committed")
    }
}

async fn write(file: &mut SqliteConnection, mut rows: mpsc::Receiver<Row>) -> anyhow::Result<()> {
    let mut waiting = Vec::with_capacity(GROUP_MAX);
    while rows.recv_many(&mut waiting, GROUP_MAX).await > 0 {
        let mut tx = file.begin().await?;
        let mut committed = Vec::with_capacity(waiting.len());
        for (body, done) in waiting.drain(..) {
            sqlx::query("INSERT INTO row (body) VALUES ($1)").bind(body).execute(&mut *tx).await?;
            committed.push(done);
        }
        tx.commit().await?;
        for done in committed {
            // Who went away does not need to be told.
            let _gone = done.send(());
        }
    }
    Ok(())
}
