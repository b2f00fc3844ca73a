//! Owns the control database: how it is opened, and the functions that read and write its records.
//!
//! Invariant: whoever reads or writes a tenant's records shows why. For a caller that is a
//! [`Permit`](tenancy::permit::Permit), for a caller's own token a
//! [`Caller`](tenancy::authority::Caller), for the plane's own work a
//! [`permit::Plane`](tenancy::permit::Plane), for operators an
//! [`Operator`](tenancy::permit::Operator), and for whoever holds a secret and is nobody else the
//! [`Presented`](tenancy::token::Presented) text; identity and scope of it are predicates of the SQL.
//! Writes on a caller's behalf take a [`Writing`], which cannot be committed without
//! the act that records them.
//!
//! What lies at a permit's scope or below it is `scope = $2 OR (scope >= $2 || '/' AND scope < $2 ||
//! '0')`: `0` is the character after `/`, so the range is of whole segments. It wants texts compared by
//! their bytes, which in PostgreSQL is the collation `C`.
//!
//! One SQL text serves every dialect: `$1` parameters, TEXT and BIGINT columns. A second database is
//! one more arm in `tx.rs` and `row.rs`.

pub(crate) mod catalogue;
pub(crate) mod checkpoint;
pub(crate) mod credential;
pub(crate) mod credential_grant;
pub(crate) mod grant;
pub(crate) mod idempotency;
pub(crate) mod identity;
pub(crate) mod invite;
pub(crate) mod lease;
pub(crate) mod operator;
pub(crate) mod outbox;
pub(crate) mod pack;
pub(crate) mod principal;
pub(crate) mod role;
pub(crate) mod row;
pub(crate) mod scope;
pub(crate) mod server;
pub(crate) mod token;
pub(crate) mod tool;
pub(crate) mod tx;
pub(crate) mod usage;
pub(crate) mod view;

use std::path::Path;

use tenancy::namespace::migration::{Migration, Schema};
use tenancy::namespace::sqlite;

use tx::{Conn, Upkeep, Writing};

/// The name of the control database in the data folder.
pub(crate) const FILE: &str = "control.db";

/// The schema of the control database, in the dialect of `SQLite`.
const SCHEMA: Schema = Schema {
    // "BWct": tells it from a namespace and from every other SQLite file.
    application_id: 0x4257_6374,
    migrations: &[
        Migration {
            name: "0001_control",
            sql: include_str!("../../migrations/control/sqlite/0001_control.sql"),
        },
        Migration {
            name: "0002_tokens_roles_people",
            sql: include_str!("../../migrations/control/sqlite/0002_tokens_roles_people.sql"),
        },
    ],
};

/// Why the store did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The database refused or does not answer.
    #[error("cannot {doing} in the control database")]
    Sql {
        /// What was tried.
        doing: &'static str,
        /// What the database said.
        #[source]
        source: sqlx::Error,
    },
    /// A stored value is not what its column holds.
    #[error("column {column} holds what it cannot: {why}")]
    Corrupt {
        /// The column.
        column: &'static str,
        /// What is wrong with the value; never the value of a secret.
        why: String,
    },
    /// A value does not fit its column.
    #[error("{what} does not fit its column")]
    Range {
        /// What it is.
        what: &'static str,
    },
    /// A value cannot be written down as JSON.
    #[error("{what} cannot be written down")]
    Unwritable {
        /// What it is.
        what: &'static str,
        /// Why.
        #[source]
        source: serde_json::Error,
    },
    /// A row that was there a moment ago, in the same transaction, is not.
    #[error("{what} is gone")]
    Gone {
        /// What it is.
        what: &'static str,
    },
}

/// The control database, open.
#[derive(Debug)]
pub(crate) enum Store {
    /// One file, one machine, one control plane.
    Sqlite(sqlite::File),
}

impl Store {
    /// Opens the database in the data folder `dir`, made if absent.
    pub(crate) async fn open(dir: &Path) -> Result<Self, sqlite::Error> {
        let file = sqlite::open(&dir.join(FILE), &SCHEMA, &[], &sqlite::Options::default()).await?;
        Ok(Self::Sqlite(file))
    }

    /// Begins to read: one snapshot until it is dropped.
    pub(crate) async fn read(&self) -> Result<Conn, Error> {
        let Self::Sqlite(file) = self;
        let begun = file.readers.begin().await;
        begun.map(Conn::sqlite).map_err(|source| Error::Sql { doing: "begin to read", source })
    }

    /// Begins to write on a caller's behalf, alone. Dropped without a commit, it is rolled back.
    pub(crate) async fn write(&self) -> Result<Writing, Error> {
        self.alone().await.map(Writing::new)
    }

    /// Begins to write the plane's own records (leases, usage, checkpoints), alone.
    pub(crate) async fn upkeep(&self) -> Result<Upkeep, Error> {
        self.alone().await.map(Upkeep::new)
    }

    async fn alone(&self) -> Result<Conn, Error> {
        let Self::Sqlite(file) = self;
        let begun = file.writer.begin_with("BEGIN IMMEDIATE").await;
        begun.map(Conn::sqlite).map_err(|source| Error::Sql { doing: "begin to write", source })
    }

    /// Closes every connection.
    pub(crate) async fn close(&self) {
        let Self::Sqlite(file) = self;
        file.clone().close().await;
    }
}

#[cfg(test)]
mod tests {
    use contract::Scope;
    use proptest::prelude::*;
    use sqlx::sqlite::SqliteConnectOptions;
    use sqlx::{ConnectOptions as _, Row as _};

    const REACHED: &str = "SELECT $1 = $2 OR ($1 >= $2 || '/' AND $1 < $2 || '0') AS reached";

    #[test]
    fn the_range_of_a_scope_is_what_the_scope_covers() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.expect("a runtime");
        let memory = SqliteConnectOptions::new().in_memory(true);
        let mut memory = runtime.block_on(memory.connect()).expect("opens");
        let name = "[a-b](-?[a-b0-1]){0,2}(/[a-b](-?[a-b0-1]){0,1}){0,2}";
        let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
        let mut runner = proptest::test_runner::TestRunner::new(config);
        let check = |(at, permitted): (String, String)| {
            let query = sqlx::query(REACHED).bind(at.clone()).bind(permitted.clone());
            let row = runtime.block_on(query.fetch_one(&mut memory)).expect("answers");
            let scope = |text: &str| text.parse::<Scope>().expect("a scope");
            prop_assert_eq!(row.get::<bool, _>("reached"), scope(&permitted).covers(&scope(&at)));
            Ok(())
        };
        let check = std::cell::RefCell::new(check);
        let ran = runner.run(&(name, name), |pair| (check.borrow_mut())(pair));
        ran.expect("holds");
    }
}
