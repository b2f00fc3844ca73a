//! Owns [`Timestamp`]: a moment in milliseconds since the Unix epoch, shown as RFC 3339 in UTC.
//! Invariant: this crate never asks what time it is.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::name::Malformed;

/// A moment, in milliseconds since 1970-01-01T00:00:00Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timestamp(i64);

const RULE: &str = "an RFC 3339 time between the years 1970 and 9999, such as 2026-11-30T12:00:00Z";
const LAST_MS: i64 = 253_402_300_799_999;

impl Timestamp {
    /// The moment `ms` milliseconds after the epoch, held inside the years 1970 to 9999.
    pub const fn from_ms(ms: i64) -> Self {
        if ms < 0 {
            Self(0)
        } else if ms > LAST_MS {
            Self(LAST_MS)
        } else {
            Self(ms)
        }
    }

    /// Milliseconds since the epoch.
    pub const fn ms(self) -> i64 {
        self.0
    }

    /// This moment and `ms` milliseconds more.
    #[must_use]
    pub const fn plus_ms(self, ms: i64) -> Self {
        Self::from_ms(self.0.saturating_add(ms))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moment = OffsetDateTime::from_unix_timestamp_nanos(i128::from(self.0) * 1_000_000)
            .map_err(|_| fmt::Error)?;
        f.write_str(&moment.format(&Rfc3339).map_err(|_| fmt::Error)?)
    }
}

impl FromStr for Timestamp {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        let malformed = || Malformed::new("time", text, RULE);
        let moment = OffsetDateTime::parse(text, &Rfc3339).map_err(|_| malformed())?;
        let ms =
            i64::try_from(moment.unix_timestamp_nanos() / 1_000_000).map_err(|_| malformed())?;
        if (0..=LAST_MS).contains(&ms) { Ok(Self(ms)) } else { Err(malformed()) }
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}
impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        Cow::<'de, str>::deserialize(d)?.parse().map_err(serde::de::Error::custom)
    }
}
impl JsonSchema for Timestamp {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Timestamp".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string", "format": "date-time",
            "description": "A time in RFC 3339, such as 2026-11-30T12:00:00Z."
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_keep_their_milliseconds_and_lose_their_zone() {
        let moment: Timestamp = "2026-11-30T12:00:00.250+02:00".parse().expect("a time");
        assert_eq!(moment.to_string(), "2026-11-30T10:00:00.25Z");
        assert_eq!(moment.to_string().parse(), Ok(moment));
        for bad in ["", "2026-11-30", "1969-12-31T23:59:59Z", "yesterday", "2026-13-01T00:00:00Z"] {
            assert!(bad.parse::<Timestamp>().is_err(), "{bad:?} must be refused");
        }
    }
}
