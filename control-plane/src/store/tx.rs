//! Owns transactions. Invariant: what is written on a caller's behalf is committed together with the
//! act that records it and the revision it makes, or not at all: a [`Writing`] has no `commit`, only
//! [`Writing::record`] makes the [`Recorded`] that has one.

use std::ops::{Deref, DerefMut};

use sqlx::{Sqlite, Transaction};
use tenancy::permit;
use tenancy::plane::{Act, RefusedAct};

use super::lease::{self, Lease};
use super::row::{Arg, Row, args, big, json};
use super::{Error, idempotency};

/// A transaction in which to read.
#[derive(Debug)]
pub(crate) struct Conn(Inner);

#[derive(Debug)]
enum Inner {
    Sqlite(Transaction<'static, Sqlite>),
}

impl Conn {
    pub(super) const fn sqlite(transaction: Transaction<'static, Sqlite>) -> Self {
        Self(Inner::Sqlite(transaction))
    }

    /// Every row of the answer.
    pub(crate) async fn all(
        &mut self,
        sql: &'static str,
        args: Vec<Arg>,
    ) -> Result<Vec<Row>, Error> {
        let Inner::Sqlite(transaction) = &mut self.0;
        let rows = bound(sql, args).fetch_all(&mut **transaction).await;
        let rows = rows.map_err(|source| Error::Sql { doing: "read", source })?;
        Ok(rows.into_iter().map(Row::new).collect())
    }

    /// The row of the answer, if there is one.
    pub(crate) async fn one(
        &mut self,
        sql: &'static str,
        args: Vec<Arg>,
    ) -> Result<Option<Row>, Error> {
        let Inner::Sqlite(transaction) = &mut self.0;
        let row = bound(sql, args).fetch_optional(&mut **transaction).await;
        Ok(row.map_err(|source| Error::Sql { doing: "read", source })?.map(Row::new))
    }

    async fn change(&mut self, sql: &'static str, args: Vec<Arg>) -> Result<u64, Error> {
        let Inner::Sqlite(transaction) = &mut self.0;
        let done = bound(sql, args).execute(&mut **transaction).await;
        Ok(done.map_err(|source| Error::Sql { doing: "write", source })?.rows_affected())
    }

    async fn commit(self) -> Result<(), Error> {
        let Inner::Sqlite(transaction) = self.0;
        transaction.commit().await.map_err(|source| Error::Sql { doing: "commit", source })
    }
}

type Bound = sqlx::query::Query<'static, Sqlite, <Sqlite as sqlx::Database>::Arguments>;

fn bound(sql: &'static str, args: Vec<Arg>) -> Bound {
    args.into_iter().fold(sqlx::query(sql), |query, arg| match arg {
        Arg::Text(text) => query.bind(text),
        Arg::Int(number) => query.bind(number),
    })
}

/// A transaction that writes a tenant's records on somebody's behalf.
#[derive(Debug)]
pub(crate) struct Writing {
    conn: Conn,
}

/// The plane's own transaction: leases, usage, checkpoints. Writes nothing that a caller asked for.
#[derive(Debug)]
pub(crate) struct Upkeep {
    conn: Conn,
}

macro_rules! writes {
    ($($type:ident),+) => { $(
        impl $type {
            pub(super) const fn new(conn: Conn) -> Self {
                Self { conn }
            }

            /// Runs a statement; answers how many rows it changed.
            pub(crate) async fn run(
                &mut self,
                sql: &'static str,
                args: Vec<Arg>,
            ) -> Result<u64, Error> {
                self.conn.change(sql, args).await
            }
        }
        impl Deref for $type {
            type Target = Conn;
            fn deref(&self) -> &Conn {
                &self.conn
            }
        }
        impl DerefMut for $type {
            fn deref_mut(&mut self) -> &mut Conn {
                &mut self.conn
            }
        }
    )+ };
}
writes!(Writing, Upkeep);

impl AsMut<Conn> for Conn {
    fn as_mut(&mut self) -> &mut Conn {
        self
    }
}

impl AsMut<Conn> for Writing {
    fn as_mut(&mut self) -> &mut Conn {
        &mut self.conn
    }
}

impl Upkeep {
    /// Makes it last.
    pub(crate) async fn commit(self) -> Result<(), Error> {
        self.conn.commit().await
    }
}

/// An act before it has its number and revision.
#[derive(Debug)]
pub(crate) struct Draft {
    /// The act. `seq` is given by the store, and `revision` too unless it was refused.
    pub(crate) act: Act,
    /// Whether the catalogue changed with it.
    pub(crate) catalogue: bool,
}

/// A transaction whose act is written, and which can be committed.
#[derive(Debug)]
pub(crate) struct Recorded {
    conn: Conn,
    committed: Committed,
}

/// What was committed, and who held the identity at that moment. Both were one transaction.
#[derive(Debug, Clone)]
pub(crate) struct Committed {
    /// The authority revision now.
    pub(crate) revision: u64,
    /// Whether the catalogue changed.
    pub(crate) catalogue: bool,
    /// The lease in force.
    pub(crate) lease: Option<Lease>,
}

impl Writing {
    /// Counts the revision up, and the catalogue's if it changed, and writes the act.
    pub(crate) async fn record(
        mut self,
        plane: &permit::Plane,
        draft: Draft,
    ) -> Result<Recorded, Error> {
        let counted = self
            .one(
                "UPDATE identities SET revision = revision + 1, catalogue = catalogue + $2, \
                 outbox = outbox + 1 WHERE name = $1 RETURNING revision, outbox",
                args![plane.identity(), draft.catalogue],
            )
            .await?;
        self.append(plane, draft, counted).await
    }

    /// Writes a refused act, and nothing else. The revision stays.
    pub(crate) async fn record_refusal(
        mut self,
        plane: &permit::Plane,
        act: Act,
        refused: RefusedAct,
    ) -> Result<(), Error> {
        let draft = Draft { act: Act { refused: Some(refused), ..act }, catalogue: false };
        let counted = self
            .one(
                "UPDATE identities SET outbox = outbox + 1 WHERE name = $1 \
                 RETURNING revision, outbox",
                args![plane.identity()],
            )
            .await?;
        self.append(plane, draft, counted).await?.conn.commit().await
    }

    async fn append(
        mut self,
        plane: &permit::Plane,
        draft: Draft,
        counted: Option<Row>,
    ) -> Result<Recorded, Error> {
        let Draft { mut act, catalogue } = draft;
        let counted = counted.ok_or(Error::Gone { what: "the identity" })?;
        act.seq = counted.count("outbox")?;
        act.revision = counted.count("revision")?;
        self.run(
            "INSERT INTO outbox (identity, seq, act) VALUES ($1, $2, $3)",
            args![plane.identity(), big("an act's number", act.seq)?, json("an act", &act)?],
        )
        .await?;
        let lease = lease::get(&mut self, plane).await?;
        let committed = Committed { revision: act.revision, catalogue, lease };
        Ok(Recorded { conn: self.conn, committed })
    }
}

impl Recorded {
    /// Remembers the answer for whoever sends the same again, and forgets what is too old.
    pub(crate) async fn remember(
        &mut self,
        key: &idempotency::Key<'_>,
        first: &idempotency::First,
    ) -> Result<(), Error> {
        let (sql, args) = idempotency::forget(first.at);
        self.conn.change(sql, args).await?;
        let (sql, args) = idempotency::insert(key, first)?;
        self.conn.change(sql, args).await.map(drop)
    }

    /// Makes all of it last.
    pub(crate) async fn commit(self) -> Result<Committed, Error> {
        self.conn.commit().await?;
        Ok(self.committed)
    }
}
