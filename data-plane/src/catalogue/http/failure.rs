//! Why a call to an upstream has no good answer, told apart by what the caller may conclude.
//!
//! The invariant: [`Failure::reached`] is never wrong in the dangerous direction. `Never` is said only
//! where no byte of the request was handed to the connection; where that cannot be known, it is
//! `Unknown`. No text here holds a URL, a secret, or an upstream's words that were not scrubbed.

use super::address_guard::Denied;
use super::received::Received;

/// Why there is no good answer.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// Nothing was sent, because the upstream could not be reached. Safe to try again.
    #[error("nothing was sent; {stage}: {say}")]
    BeforeSend {
        /// How far it came.
        stage: Stage,
        /// What the system or TLS said.
        say: String,
    },
    /// Nothing was sent, because the upstream's address may not be reached.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// Nothing was sent, because the credential may not go to this origin or cannot be written there.
    #[error("nothing was sent: {say}")]
    Credential {
        /// What is wrong with it.
        say: String,
    },
    /// Something was sent, and the answer was lost.
    #[error("the request was sent and the answer was lost")]
    Unknown {
        /// The status, if it was heard before the rest was lost.
        status: Option<u16>,
    },
    /// The time was up.
    #[error("there was no answer in time")]
    Timeout {
        /// Whether anything was sent before.
        sent: bool,
        /// The status, if it was heard before the time was up.
        status: Option<u16>,
    },
    /// The upstream answered with a status other than 2xx.
    #[error("the upstream answered with status {}", .0.status)]
    Upstream(Box<Received>),
    /// The upstream answered with a redirect, which is never followed.
    #[error("the upstream redirects to {}", .origin.as_deref().unwrap_or("a place that is no URL"))]
    Redirect {
        /// The status, 300 to 399.
        status: u16,
        /// Where it points: scheme, host and port only.
        origin: Option<String>,
    },
    /// The answer is larger than was declared.
    #[error("the answer is over the limit of {limit} {what}")]
    TooLarge {
        /// Which limit.
        what: Limit,
        /// The limit's value.
        limit: u64,
        /// The status, if it was heard.
        status: Option<u16>,
    },
    /// The answer is of a media type that was not declared.
    #[error("the answer is of media type {}", .got.as_deref().unwrap_or("unknown"))]
    MediaType {
        /// What the upstream said.
        got: Option<String>,
        /// What was declared.
        expected: Vec<String>,
        /// The status.
        status: u16,
    },
    /// The body is compressed in a way that was not asked for, or is damaged.
    #[error("the body cannot be decompressed")]
    Undecodable {
        /// The status.
        status: u16,
    },
}

/// How far a connection came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Looking up the name.
    Resolve,
    /// Connecting.
    Connect,
    /// Agreeing on TLS.
    Tls,
    /// Handing over the request.
    Send,
}

impl std::fmt::Display for Stage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Resolve => "looking up the name",
            Self::Connect => "connecting",
            Self::Tls => "agreeing on TLS",
            Self::Send => "handing over the request",
        })
    }
}

/// Which limit an answer went over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Bytes of the body after decompression.
    Body,
    /// Times the body is larger than what came over the wire.
    Ratio,
    /// The number or the bytes of the headers.
    Headers,
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Body => "bytes",
            Self::Ratio => "times its compressed size",
            Self::Headers => "bytes or 128 headers",
        })
    }
}

/// What may be concluded about the effect of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reached {
    /// It did not happen: not a byte was sent.
    Never,
    /// It may or may not have happened.
    Unknown,
    /// The upstream answered with this status.
    Answered(u16),
}

impl Failure {
    /// What may be concluded about the effect of the call.
    pub fn reached(&self) -> Reached {
        match self {
            Self::BeforeSend { .. }
            | Self::Denied(_)
            | Self::Credential { .. }
            | Self::Timeout { sent: false, .. } => Reached::Never,
            Self::Unknown { status }
            | Self::Timeout { sent: true, status }
            | Self::TooLarge { status, .. } => status.map_or(Reached::Unknown, Reached::Answered),
            Self::Upstream(received) => Reached::Answered(received.status),
            Self::Redirect { status, .. }
            | Self::MediaType { status, .. }
            | Self::Undecodable { status } => Reached::Answered(*status),
        }
    }

    /// A stable word for the kind of failure.
    pub fn code(&self) -> &'static str {
        match self {
            Self::BeforeSend { .. } => "upstream_unreachable",
            Self::Denied(_) => "address_denied",
            Self::Credential { .. } => "credential_not_for_origin",
            Self::Unknown { .. } => "outcome_unknown",
            Self::Timeout { .. } => "upstream_timeout",
            Self::Upstream(_) => "upstream_error",
            Self::Redirect { .. } => "upstream_redirect",
            Self::TooLarge { .. } => "response_too_large",
            Self::MediaType { .. } => "media_type_undeclared",
            Self::Undecodable { .. } => "response_undecodable",
        }
    }
}
