//! Owns what goes into a statement and what comes out of one. Invariant: decoding never panics; a
//! value that is not what its column holds is an error that names the column.

use std::str::FromStr;

use contract::id::{Id, Kind};
use contract::{Name, Scope, Timestamp};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sqlx::Row as _;
use sqlx::sqlite::SqliteRow;

use super::Error;

/// A parameter of a statement.
#[derive(Debug, Clone)]
pub(crate) enum Arg {
    /// TEXT, or its null.
    Text(Option<String>),
    /// BIGINT, or its null.
    Int(Option<i64>),
}

/// The parameters of a statement, in order: `args![permit.identity(), permit.scope(), id]`.
macro_rules! args {
    ($($value:expr),* $(,)?) => { vec![$($crate::store::row::Arg::from($value)),*] };
}
pub(crate) use args;

/// Text of a value that is written as it shows itself.
macro_rules! shown {
    ($($type:ty),+ $(,)?) => { $(
        impl From<$type> for Arg {
            fn from(value: $type) -> Self { Self::Text(Some(value.to_string())) }
        }
        impl From<Option<$type>> for Arg {
            fn from(value: Option<$type>) -> Self { Self::Text(value.map(|value| value.to_string())) }
        }
    )+ };
}
shown!(&Name, &Scope, &str, &String, tenancy::token::Hash);

impl<K: Kind> From<Id<K>> for Arg {
    fn from(id: Id<K>) -> Self {
        Self::Text(Some(id.to_string()))
    }
}
impl<K: Kind> From<Option<Id<K>>> for Arg {
    fn from(id: Option<Id<K>>) -> Self {
        Self::Text(id.map(|id| id.to_string()))
    }
}
impl From<String> for Arg {
    fn from(text: String) -> Self {
        Self::Text(Some(text))
    }
}
impl From<Option<String>> for Arg {
    fn from(text: Option<String>) -> Self {
        Self::Text(text)
    }
}
impl From<i64> for Arg {
    fn from(number: i64) -> Self {
        Self::Int(Some(number))
    }
}
impl From<u32> for Arg {
    fn from(number: u32) -> Self {
        Self::Int(Some(i64::from(number)))
    }
}
impl From<Option<u32>> for Arg {
    fn from(number: Option<u32>) -> Self {
        Self::Int(number.map(i64::from))
    }
}
impl From<bool> for Arg {
    fn from(flag: bool) -> Self {
        Self::Int(Some(i64::from(flag)))
    }
}
impl From<Timestamp> for Arg {
    fn from(moment: Timestamp) -> Self {
        Self::Int(Some(moment.ms()))
    }
}
impl From<Option<Timestamp>> for Arg {
    fn from(moment: Option<Timestamp>) -> Self {
        Self::Int(moment.map(Timestamp::ms))
    }
}

/// A number as a BIGINT holds it.
pub(crate) fn big(what: &'static str, number: u64) -> Result<i64, Error> {
    i64::try_from(number).map_err(|_| Error::Range { what })
}

/// A value as JSON text.
pub(crate) fn json<T: Serialize + ?Sized>(what: &'static str, value: &T) -> Result<String, Error> {
    serde_json::to_string(value).map_err(|source| Error::Unwritable { what, source })
}

/// The word that a unit enum is on the wire.
pub(crate) fn word<T: Serialize>(what: &'static str, value: &T) -> Result<String, Error> {
    Ok(json(what, value)?.trim_matches('"').to_owned())
}

/// A row of an answer.
#[derive(Debug)]
pub(crate) struct Row(SqliteRow);

impl Row {
    pub(super) const fn new(row: SqliteRow) -> Self {
        Self(row)
    }

    /// A text, or null.
    pub(crate) fn opt_text(&self, column: &'static str) -> Result<Option<String>, Error> {
        self.0.try_get(column).map_err(|error| corrupt(column, &error))
    }

    /// A number, or null.
    pub(crate) fn opt_int(&self, column: &'static str) -> Result<Option<i64>, Error> {
        self.0.try_get(column).map_err(|error| corrupt(column, &error))
    }

    /// A text.
    pub(crate) fn text(&self, column: &'static str) -> Result<String, Error> {
        self.opt_text(column)?.ok_or_else(|| corrupt(column, &"null"))
    }

    /// A number.
    pub(crate) fn int(&self, column: &'static str) -> Result<i64, Error> {
        self.opt_int(column)?.ok_or_else(|| corrupt(column, &"null"))
    }

    /// A number that is not negative.
    pub(crate) fn count(&self, column: &'static str) -> Result<u64, Error> {
        u64::try_from(self.int(column)?).map_err(|error| corrupt(column, &error))
    }

    /// A small number that is not negative.
    pub(crate) fn small(&self, column: &'static str) -> Result<u32, Error> {
        u32::try_from(self.int(column)?).map_err(|error| corrupt(column, &error))
    }

    /// A small number that is not negative, or null.
    pub(crate) fn opt_small(&self, column: &'static str) -> Result<Option<u32>, Error> {
        let number = self.opt_int(column)?.map(u32::try_from).transpose();
        number.map_err(|error| corrupt(column, &error))
    }

    /// A flag.
    pub(crate) fn flag(&self, column: &'static str) -> Result<bool, Error> {
        Ok(self.int(column)? != 0)
    }

    /// A moment.
    pub(crate) fn time(&self, column: &'static str) -> Result<Timestamp, Error> {
        self.int(column).map(Timestamp::from_ms)
    }

    /// A moment, or null.
    pub(crate) fn opt_time(&self, column: &'static str) -> Result<Option<Timestamp>, Error> {
        Ok(self.opt_int(column)?.map(Timestamp::from_ms))
    }

    /// An id, a name, a scope: whatever is read from its text.
    pub(crate) fn parse<T: FromStr<Err: ToString>>(
        &self,
        column: &'static str,
    ) -> Result<T, Error> {
        self.text(column)?.parse().map_err(|error: T::Err| corrupt(column, &error.to_string()))
    }

    /// The same, or null.
    pub(crate) fn opt_parse<T: FromStr<Err: ToString>>(
        &self,
        column: &'static str,
    ) -> Result<Option<T>, Error> {
        let parsed = self.opt_text(column)?.map(|text| text.parse()).transpose();
        parsed.map_err(|error: T::Err| corrupt(column, &error.to_string()))
    }

    /// JSON.
    pub(crate) fn json<T: DeserializeOwned>(&self, column: &'static str) -> Result<T, Error> {
        serde_json::from_str(&self.text(column)?).map_err(|error| corrupt(column, &error))
    }

    /// JSON, or null.
    pub(crate) fn opt_json<T: DeserializeOwned>(
        &self,
        column: &'static str,
    ) -> Result<Option<T>, Error> {
        let text = self.opt_text(column)?;
        let parsed = text.map(|text| serde_json::from_str(&text)).transpose();
        parsed.map_err(|error| corrupt(column, &error))
    }

    /// A word that a unit enum is on the wire.
    pub(crate) fn word<T: DeserializeOwned>(&self, column: &'static str) -> Result<T, Error> {
        let word = serde_json::Value::String(self.text(column)?);
        serde_json::from_value(word).map_err(|error| corrupt(column, &error))
    }
}

fn corrupt(column: &'static str, why: &dyn std::fmt::Display) -> Error {
    Error::Corrupt { column, why: why.to_string() }
}
