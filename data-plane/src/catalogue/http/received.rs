//! What came back from an upstream, cut to size and free of the secret that was sent.
//!
//! The invariant: a [`Received`] is made only by the client, after the scrubber went over the body
//! and every header it keeps.

use std::fmt;

use bytes::Bytes;
use hyper::header::{self, HeaderMap};

use super::scrub::Scrubber;

/// An upstream's answer.
#[derive(Clone, PartialEq, Eq)]
pub struct Received {
    /// The HTTP status.
    pub status: u16,
    /// The media type in lower case without parameters, where the upstream named one.
    pub media_type: Option<String>,
    /// The few headers that are kept, by lower-case name.
    pub headers: Vec<(String, String)>,
    /// The body, decompressed.
    pub body: Bytes,
    /// Whether the body was cut off. Only the body of an error ever is.
    pub truncated: bool,
}

impl fmt::Debug for Received {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Received")
            .field("status", &self.status)
            .field("media_type", &self.media_type)
            .field("body_bytes", &self.body.len())
            .field("truncated", &self.truncated)
            .finish_non_exhaustive()
    }
}

/// The headers a caller can do something with.
const KEPT: [&str; 8] = [
    "etag",
    "last-modified",
    "link",
    "location",
    "retry-after",
    "x-request-id",
    "x-total-count",
    "x-ratelimit-remaining",
];

const MAX_KEPT_BYTES: usize = 2048;

/// The kept headers, scrubbed. Values that are too long or no visible ASCII are left out.
pub(super) fn kept(headers: &HeaderMap, scrubber: &Scrubber) -> Vec<(String, String)> {
    let texts = KEPT.iter().filter_map(|name| Some((*name, headers.get(*name)?.to_str().ok()?)));
    texts
        .filter(|(_, text)| text.len() <= MAX_KEPT_BYTES)
        .map(|(name, text)| (name.to_owned(), scrubber.scrub_text(text)))
        .collect()
}

/// The media type in lower case without parameters (RFC 9110 §8.3.1). A message that names two is
/// given as both, which no declaration equals.
pub(super) fn media_type(headers: &HeaderMap, scrubber: &Scrubber) -> Option<String> {
    let named: Vec<String> = headers
        .get_all(header::CONTENT_TYPE)
        .iter()
        .map(|value| {
            let text = String::from_utf8_lossy(value.as_bytes());
            let essence = text.split(';').next().unwrap_or_default().trim();
            let essence: String = scrubber.scrub_text(essence).chars().take(127).collect();
            essence.to_ascii_lowercase()
        })
        .take(2)
        .collect();
    (!named.is_empty()).then(|| named.join(", "))
}
