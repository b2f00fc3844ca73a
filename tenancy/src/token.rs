//! Owns tokens as texts: `bw_<kind>_<route>_<secret>_<checksum>`. Invariant: the text of a token is
//! shown once, by [`Secret::expose`]; every other form of it (an error, a log line, a record) holds
//! the prefix and the route, or the SHA-256 of the whole.
//!
//! The checksum makes a typing error a local one and lets a secret scanner match exactly. It proves
//! nothing: only the look-up of the [`struct@Hash`] in an identity's view does.

mod base62;
mod hash;
mod route;
mod uses;

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::clock::Source;
use base62::{base62, checksum};
use route::is_route;

pub use hash::Hash;
pub use route::Route;
pub use uses::Uses;

const BRAND: &str = "bw";
/// 62^43 is the first power of 62 above 2^256.
const SECRET_CHARS: usize = 43;
/// The longest a token can be, in bytes. Longer texts are refused unread.
pub const TOKEN_MAX_BYTES: usize = 104;

/// Who presents a token.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// An agent, or a program on behalf of a principal.
    Agent,
    /// A person who is signed in.
    User,
    /// Someone who runs the service. Opens no tenant record.
    Operator,
    /// A machine of a tenant's that has joined.
    Node,
    /// A person who is invited, once. It authenticates nobody: it is exchanged for a user's token.
    Invite,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 5] = [Self::Agent, Self::User, Self::Operator, Self::Node, Self::Invite];

    /// The word in the token.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::User => "user",
            Self::Operator => "operator",
            Self::Node => "node",
            Self::Invite => "invite",
        }
    }
}

/// Why a text is not a token. Says nothing of the text, which may be almost a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// It does not start as our tokens do.
    #[error("a token of this service starts with `bw_`")]
    Foreign,
    /// It does not have the five parts of a token.
    #[error("a token has the form bw_<kind>_<route>_<secret>_<checksum>")]
    Shape,
    /// The checksum is another one: a character is wrong, missing or too many.
    #[error("the token's checksum does not fit: it was mistyped or cut off")]
    Checksum,
    /// The kind is none that this build knows.
    #[error("the token's kind is not known")]
    Kind,
    /// The route breaks its grammar.
    #[error("a route is 4 to 32 of a-z and 0-9")]
    Route,
}

/// A token as it came in: well-formed, and not yet known to anyone.
#[derive(Clone, Copy)]
pub struct Presented<'t> {
    text: &'t str,
    kind: Kind,
    route: &'t str,
}

impl<'t> Presented<'t> {
    /// Takes a token apart and checks its checksum.
    ///
    /// # Errors
    /// When the text is not a token, whatever one character it differs in.
    pub fn parse(text: &'t str) -> Result<Self, Malformed> {
        if !text.starts_with("bw_") {
            return Err(Malformed::Foreign);
        }
        if text.len() > TOKEN_MAX_BYTES {
            return Err(Malformed::Shape);
        }
        let (body, given) = text.rsplit_once('_').ok_or(Malformed::Shape)?;
        let mut parts = body.split('_').skip(1);
        let (Some(kind), Some(route), Some(secret), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(Malformed::Shape);
        };
        if checksum(body) != given.as_bytes() {
            return Err(Malformed::Checksum);
        }
        let known = Kind::ALL.into_iter().find(|known| known.as_str() == kind);
        let kind = known.ok_or(Malformed::Kind)?;
        if !is_route(route) {
            return Err(Malformed::Route);
        }
        if secret.len() != SECRET_CHARS || !secret.bytes().all(|b| b.is_ascii_alphanumeric()) {
            return Err(Malformed::Shape);
        }
        Ok(Self { text, kind, route })
    }

    /// Who says they present it.
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// What finds the identity.
    pub const fn route(&self) -> &'t str {
        self.route
    }

    /// What is looked up in the identity's view.
    pub fn hash(&self) -> Hash {
        Hash::of(self.text)
    }
}

impl fmt::Debug for Presented<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        redacted(f, self.kind, self.route)
    }
}

/// A token that was just minted. Wiped from memory when dropped.
pub struct Secret {
    text: Zeroizing<String>,
    kind: Kind,
    route: Route,
}

/// Mints a token of `kind` for the identity that `route` finds, from 32 random bytes.
pub fn mint(source: &dyn Source, kind: Kind, route: &Route) -> Secret {
    let mut random = Zeroizing::new([0_u8; 32]);
    source.random(random.as_mut_slice());
    let mut digits = Zeroizing::new([0_u8; SECRET_CHARS]);
    base62(random.as_mut_slice(), digits.as_mut_slice());
    // With its full size from the start the text is never moved, so no copy stays behind.
    let mut text = Zeroizing::new(String::with_capacity(TOKEN_MAX_BYTES));
    for part in [BRAND, "_", kind.as_str(), "_", route.as_str(), "_"] {
        text.push_str(part);
    }
    text.extend(digits.iter().copied().map(char::from));
    let check = checksum(&text);
    text.push('_');
    text.extend(check.map(char::from));
    Secret { text, kind, route: route.clone() }
}

impl Secret {
    /// The token itself, for the one time that it is shown.
    pub fn expose(&self) -> &str {
        &self.text
    }

    /// What is stored in its place.
    pub fn hash(&self) -> Hash {
        Hash::of(&self.text)
    }

    /// Who it is for.
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// What finds its identity.
    pub const fn route(&self) -> &Route {
        &self.route
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        redacted(f, self.kind, self.route.as_str())
    }
}
impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        redacted(f, self.kind, self.route.as_str())
    }
}

fn redacted(f: &mut fmt::Formatter<'_>, kind: Kind, route: &str) -> fmt::Result {
    write!(f, "{BRAND}_{}_{route}_…", kind.as_str())
}

#[cfg(test)]
mod tests;
