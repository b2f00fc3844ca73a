//! Owns what the two planes say to each other: versioned messages, and the link they travel on.
//!
//! Invariant: everything crosses as bytes, also when both planes run in one process, so that a
//! process or a network can be put between them without changing either. No message vouches for a
//! caller: a verb that is passed on carries the caller's own token, and the control plane
//! authenticates it itself. A data plane is told views and keys only of the identities it holds.

mod link;

use std::fmt;

use contract::id::{self, Id};
use contract::shape::Instance;
use contract::verbs::server::Declaration;
use contract::verbs::tool::Classification;
use contract::{Address, Answer, Effect, Name, Scope, Timestamp, ToolName};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::view;

pub use link::{Boxed, Gone, Link};

/// The version of these messages. A plane refuses a frame of another version.
pub const VERSION: u32 = 1;

/// What travels on a link.
#[derive(Debug, Serialize, Deserialize)]
pub struct Frame<M> {
    /// [`VERSION`].
    pub version: u32,
    /// The message.
    pub message: M,
}

/// A frame that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// Not a message of this protocol.
    #[error("the frame is not a message of the plane protocol")]
    Malformed(#[source] serde_json::Error),
    /// Of a version this build does not speak.
    #[error("the frame is of version {0}, this build speaks {VERSION}")]
    Version(u32),
}

/// A message as bytes.
///
/// # Errors
/// When the message holds what JSON cannot say.
pub fn encode<M: Serialize>(message: M) -> Result<Vec<u8>, Unreadable> {
    serde_json::to_vec(&Frame { version: VERSION, message }).map_err(Unreadable::Malformed)
}

/// The message in these bytes.
///
/// # Errors
/// When they are not one, or of another version.
pub fn decode<M: for<'de> Deserialize<'de>>(bytes: &[u8]) -> Result<M, Unreadable> {
    let frame: Frame<M> = serde_json::from_slice(bytes).map_err(Unreadable::Malformed)?;
    if frame.version == VERSION {
        Ok(frame.message)
    } else {
        Err(Unreadable::Version(frame.version))
    }
}

/// A verb of the contract, passed on with the caller's own token; with none, if it needs none.
#[derive(Clone, Serialize, Deserialize)]
pub struct VerbCall {
    /// What the caller presented; empty for a verb that anyone may use.
    pub token: String,
    /// Which verb.
    pub verb: String,
    /// Its input, already checked against its schema; the control plane checks it again.
    pub input: Value,
    /// The caller's idempotency key.
    pub idempotency_key: Option<String>,
    /// `rest`, `mcp` or `cli`.
    pub surface: String,
    /// Whether the call has passed a Gate. Agents' writes that have not are refused.
    pub gated: bool,
    /// Only say what would happen.
    pub dry_run: bool,
}

impl fmt::Debug for VerbCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VerbCall").field("verb", &self.verb).finish_non_exhaustive()
    }
}

/// What a data plane asks of the control plane.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToControl {
    /// Carry out a verb.
    Verb(Box<VerbCall>),
    /// Which identity has this route?
    Route {
        /// The route of a token.
        route: String,
    },
    /// Does this identity exist?
    Exists {
        /// Its name.
        identity: Name,
    },
    /// Let me serve this identity.
    Acquire {
        /// Which.
        identity: Name,
        /// Who asks.
        node: String,
    },
    /// I still serve it, and hold these revisions.
    Renew {
        /// Which.
        identity: Name,
        /// Under which lease.
        epoch: u64,
        /// The authority revision I decide by.
        revision: u64,
        /// The catalogue revision I decide by.
        catalogue: u64,
    },
    /// I decide by this revision from now on.
    Ack {
        /// Which.
        identity: Name,
        /// Under which lease.
        epoch: u64,
        /// The authority revision.
        revision: u64,
    },
    /// I no longer serve it.
    Release {
        /// Which.
        identity: Name,
        /// Under which lease.
        epoch: u64,
    },
    /// Acts of administration after this number, to be folded into the ledger.
    Outbox {
        /// Which.
        identity: Name,
        /// Under which lease.
        epoch: u64,
        /// The last one folded; it and those before it may be forgotten.
        folded: u64,
        /// How many at most.
        limit: u32,
    },
    /// Cumulative usage totals.
    Usage {
        /// Which.
        identity: Name,
        /// Under which lease.
        epoch: u64,
        /// The totals.
        totals: Vec<Total>,
        /// Everything up to this moment is in them.
        fresh_until: Timestamp,
    },
    /// When tokens were last used here.
    Used {
        /// Which.
        identity: Name,
        /// Under which lease.
        epoch: u64,
        /// The uses, to the minute.
        uses: Vec<(Id<id::Token>, Timestamp)>,
    },
    /// Countersign this checkpoint, and remember it.
    Checkpoint {
        /// Which.
        identity: Name,
        /// Under which lease.
        epoch: u64,
        /// The signed note, in the C2SP tlog-checkpoint form.
        note: String,
    },
}

/// What the control plane answers.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answered {
    /// To `verb`.
    Verb(Answer),
    /// To `route` and `exists`: the identity's name, if there is one.
    Identity(Option<Name>),
    /// To `acquire`.
    Granted(Box<Granted>),
    /// To `renew`: the lease runs anew, and these revisions are current.
    Renewed(Box<Renewed>),
    /// To `outbox`, in order.
    Outbox(Vec<Act>),
    /// To `checkpoint`.
    Countersigned(Countersigned),
    /// Done, with nothing to say.
    Done,
    /// Not this caller: somebody else holds it, or the lease is over. Whoever renews has lost it.
    Denied(String),
    /// It cannot be said now: the control plane does not reach its own store. It decides nothing; the
    /// same may be asked again.
    Unavailable(String),
}

/// A lease and everything the holder needs to decide.
#[derive(Serialize, Deserialize)]
pub struct Granted {
    /// The fencing token: grows with every holder.
    pub epoch: u64,
    /// How long the lease runs, counted from when the holder sent its request.
    pub lease_ms: u64,
    /// Opens this identity's sealed records (base64).
    pub key: String,
    /// The authority, at its current revision.
    pub view: view::Document,
    /// The catalogue, at its current revision.
    pub catalogue: Catalogue,
}

impl fmt::Debug for Granted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Granted").field("epoch", &self.epoch).finish_non_exhaustive()
    }
}

/// A checkpoint that the control plane signed too, and by which key.
#[derive(Debug, Serialize, Deserialize)]
pub struct Countersigned {
    /// The note with the control plane's signature line added.
    pub note: String,
    /// The name of the control plane's key.
    pub name: String,
    /// Its public half, in base64.
    pub public_key: String,
}

/// A lease that runs anew. What changed since the revisions that the holder named comes with it.
#[derive(Debug, Serialize, Deserialize)]
pub struct Renewed {
    /// How long the lease runs, counted from when the holder sent its request.
    pub lease_ms: u64,
    /// The authority, if it is newer than what the holder has.
    pub view: Option<view::Document>,
    /// The catalogue, if it is newer than what the holder has.
    pub catalogue: Option<Catalogue>,
}

/// What the control plane pushes to the holder of an identity.
#[derive(Debug, Serialize, Deserialize)]
pub struct Push {
    /// Which identity.
    pub identity: Name,
    /// For the holder of this epoch only.
    pub epoch: u64,
    /// The authority. Installed only if newer than what is held.
    pub view: view::Document,
    /// The catalogue, when it changed.
    pub catalogue: Option<Catalogue>,
}

/// Everything that can be called in an identity, beside the seats.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Catalogue {
    /// Grows with every change.
    pub revision: u64,
    /// The servers.
    pub servers: Vec<Server>,
}

/// A server of the catalogue.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Server {
    /// Its id.
    pub id: Id<id::Server>,
    /// Where it is.
    pub scope: Scope,
    /// Its name.
    pub name: Name,
    /// What it is, for people.
    pub title: String,
    /// Whether it may answer a call that names no place.
    pub interchangeable: bool,
    /// What it is an instance of.
    pub instance: Instance,
    /// Its tools.
    pub tools: Vec<Tool>,
}

/// A tool of a server. Withdrawn tools are not told.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Tool {
    /// Its id.
    pub id: Id<id::Tool>,
    /// Its name.
    pub name: ToolName,
    /// Its declarations, oldest first: the newest, the newest classified and those that packs pin.
    pub declarations: Vec<Declared>,
    /// What curators judged those declarations to be, oldest first.
    pub classifications: Vec<Classification>,
}

/// One declaration of a tool.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Declared {
    /// Its number.
    pub version: u32,
    /// The digest of the definition (see [`definition_digest`]).
    pub digest: String,
    /// The definition.
    pub declaration: Declaration,
}

/// The digest of a tool's definition, over its declaration and the instance it belongs to: SHA-256
/// of the canonical JSON (RFC 8785), hexadecimal. A changed word counts, a reordered object does not.
///
/// # Errors
/// When the definition holds a number that canonical JSON cannot keep.
pub fn definition_digest(
    instance: &Instance,
    declaration: &Declaration,
) -> Result<String, contract::canonical::Error> {
    let definition = serde_json::json!({ "instance": instance, "declaration": declaration });
    let digest = contract::canonical::digest(&definition)?;
    Ok(crate::token::Hash::from_bytes(digest).to_string())
}

/// An act of administration, as the ledger is to record it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Act {
    /// Its number in the identity's outbox, from 1 and without gaps.
    pub seq: u64,
    /// When it was done.
    pub at: Timestamp,
    /// The verb.
    pub verb: String,
    /// Who did it.
    pub principal: Option<Id<id::Principal>>,
    /// By which token.
    pub token: Option<Id<id::Token>>,
    /// Where.
    pub scope: Scope,
    /// What it changed, as `table/id`; empty for a refusal.
    pub objects: Vec<String>,
    /// The authority revision it made, or at which it was refused.
    pub revision: u64,
    /// The code and decision of a refusal; absent for what was done.
    pub refused: Option<RefusedAct>,
}

/// A refused act.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RefusedAct {
    /// The refusal's code.
    pub code: String,
    /// The action that was needed.
    pub action: Option<contract::Action>,
    /// Replays it.
    pub decision: Id<id::Decision>,
}

/// A cumulative total of one hour, by one incarnation of the worker. Merged by maximum, so sending it
/// again is harmless.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Total {
    /// The hour's start.
    pub hour: Timestamp,
    /// The scope the calls reached.
    pub scope: Scope,
    /// Who called.
    pub principal: Id<id::Principal>,
    /// What was called.
    pub address: Address,
    /// Its effect.
    pub effect: Effect,
    /// Which incarnation counts.
    pub incarnation: u64,
    /// Calls carried out.
    pub calls: u64,
    /// Calls refused or held.
    pub refused: u64,
    /// Bytes answered.
    pub bytes_sent: u64,
    /// Bytes of results kept.
    pub bytes_stored: u64,
}
