//! Owns the way from one version of a schema to the next, inside one `SQLite` file.
//!
//! Invariant: a migration is applied once and whole, in a transaction that also says so; a file of
//! another kind, of other marks or of a later version is refused and left as it is. The version is
//! `SQLite`'s `user_version`: reading it is all that opening a current file costs.

use sqlx::{AssertSqlSafe, Connection, SqliteConnection};

/// One step. Its version is its place in the list, counted from 1; its text is never edited once
/// it was shipped.
#[derive(Debug, Clone, Copy)]
pub struct Migration {
    /// The name of its file, without the ending.
    pub name: &'static str,
    /// Its statements. They begin and end no transaction.
    pub sql: &'static str,
}

/// What a kind of file must look like.
#[derive(Debug, Clone, Copy)]
pub struct Schema {
    /// `SQLite`'s `application_id`, by which one kind of file is told from another. At most 2^31 -
    /// 1.
    pub application_id: u32,
    /// Every step there is, oldest first.
    pub migrations: &'static [Migration],
}

/// Why a file does not have the schema.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It is a database of something else.
    #[error("it is a database of another kind (application id {found:#x}, not {expected:#x})")]
    Kind {
        /// The id it should have.
        expected: u32,
        /// The id it has; 0 is none.
        found: i64,
    },
    /// A later version of this program has written it.
    #[error(
        "it has schema version {found}, but only versions up to {known} are known here: upgrade"
    )]
    Newer {
        /// The file's version.
        found: i64,
        /// The newest known here.
        known: usize,
    },
    /// Its marks are others: it is another identity's, for example.
    #[error("its {key} is {found:?}, not {expected:?}")]
    Mark {
        /// Which mark.
        key: String,
        /// The value it should have.
        expected: String,
        /// The value it has; empty if it has none.
        found: String,
    },
    /// A step failed. The file is as it was before that step.
    #[error("migration {name} failed")]
    Step {
        /// The step.
        name: &'static str,
        /// What the database said.
        #[source]
        source: sqlx::Error,
    },
    /// The version or a mark cannot be read.
    #[error("its version cannot be read")]
    Read(#[source] sqlx::Error),
}

/// Brings the file behind `connection` to `schema`. `marks` are rows of the table `meta`, which the
/// first migration must make if there are any.
///
/// # Errors
/// [`Error`].
pub async fn run(
    connection: &mut SqliteConnection,
    schema: &Schema,
    marks: &[(&str, String)],
) -> Result<(), Error> {
    loop {
        let version = check(connection, schema, marks).await?;
        match schema.migrations.get(version) {
            Some(step) => apply(connection, schema, marks, step, version).await?,
            None => return Ok(()),
        }
    }
}

/// The file's version, if the file is blank or ours and not too new. Changes nothing.
pub(super) async fn check(
    connection: &mut SqliteConnection,
    schema: &Schema,
    marks: &[(&str, String)],
) -> Result<usize, Error> {
    // One statement, because another process may be making the file between two.
    let (version, found, objects): (i64, i64, i64) = sqlx::query_as(
        "SELECT user_version, application_id, (SELECT count(*) FROM sqlite_schema)
         FROM pragma_user_version, pragma_application_id",
    )
    .fetch_one(&mut *connection)
    .await
    .map_err(Error::Read)?;
    let blank = version == 0 && found == 0 && objects == 0;
    if blank {
        return Ok(0);
    }
    if found != i64::from(schema.application_id) {
        return Err(Error::Kind { expected: schema.application_id, found });
    }
    for (key, expected) in marks {
        let found: Option<String> = sqlx::query_scalar("SELECT value FROM meta WHERE key = $1")
            .bind(*key)
            .fetch_optional(&mut *connection)
            .await
            .map_err(Error::Read)?;
        let found = found.unwrap_or_default();
        if found != *expected {
            let (key, expected) = ((*key).to_owned(), expected.clone());
            return Err(Error::Mark { key, expected, found });
        }
    }
    let known = schema.migrations.len();
    usize::try_from(version)
        .ok()
        .filter(|version| *version <= known)
        .ok_or(Error::Newer { found: version, known })
}

/// Takes one step, unless another process has taken it since the version was read.
async fn apply(
    connection: &mut SqliteConnection,
    schema: &Schema,
    marks: &[(&str, String)],
    step: &Migration,
    from: usize,
) -> Result<(), Error> {
    let failed = |source| Error::Step { name: step.name, source };
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await.map_err(failed)?;
    let now = number(&mut transaction, "PRAGMA user_version").await.map_err(failed)?;
    if usize::try_from(now) != Ok(from) {
        return transaction.rollback().await.map_err(failed);
    }
    sqlx::raw_sql(step.sql).execute(&mut *transaction).await.map_err(failed)?;
    if from == 0 {
        for (key, value) in marks {
            sqlx::query("INSERT INTO meta (key, value) VALUES ($1, $2)")
                .bind(*key)
                .bind(value)
                .execute(&mut *transaction)
                .await
                .map_err(failed)?;
        }
    }
    // Two numbers of ours; a pragma takes no parameters.
    let (id, to) = (schema.application_id, from.saturating_add(1));
    let stamp = format!("PRAGMA application_id = {id}; PRAGMA user_version = {to}");
    sqlx::raw_sql(AssertSqlSafe(stamp)).execute(&mut *transaction).await.map_err(failed)?;
    transaction.commit().await.map_err(failed)
}

async fn number(connection: &mut SqliteConnection, sql: &'static str) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar(sql).fetch_one(connection).await
}

#[cfg(test)]
mod tests;
