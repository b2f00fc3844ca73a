//! Which headers a declaration may name, and what a value may hold.
//!
//! The invariant: the headers that say where a message goes, how long it is, who sent it or what is
//! really asked for are never an argument's nor a declaration's; a value is visible ASCII.

use ::http::header::{HeaderName, HeaderValue};

/// Names that are the platform's, the connection's or the credential's.
const RESERVED: [&str; 31] = [
    "accept-encoding",
    "alt-used",
    "authorization",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "cookie",
    "cookie2",
    "expect",
    "forwarded",
    "host",
    "http2-settings",
    "keep-alive",
    "origin",
    "referer",
    "set-cookie",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "via",
    "x-http-method",
    "x-http-method-override",
    "x-method-override",
    "x-original-host",
    "x-original-url",
    "x-real-ip",
    "x-rewrite-url",
    "x-host",
    "true-client-ip",
];

const RESERVED_PREFIXES: [&str; 3] = ["proxy-", "sec-", "x-forwarded-"];

/// Why a header is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("it is not a header name")]
    Name,
    #[error("this header is not a declaration's to set")]
    Reserved,
    #[error("the value holds something else than visible ASCII, or starts or ends with a space")]
    Value,
    #[error("the value is empty or longer than {MAX_VALUE_BYTES} bytes")]
    Length,
}

/// The longest header value sent.
pub const MAX_VALUE_BYTES: usize = 4096;

/// A name that arguments and fixed headers may use.
pub fn name(text: &str) -> Result<HeaderName, Refused> {
    let name = credential_name(text)?;
    let lower = name.as_str();
    let reserved = RESERVED.contains(&lower)
        || RESERVED_PREFIXES.iter().any(|prefix| lower.starts_with(prefix));
    if reserved { Err(Refused::Reserved) } else { Ok(name) }
}

/// A name that a credential may be placed under: `authorization` and `cookie` too, but none that
/// frames the message or says where it goes.
pub fn credential_name(text: &str) -> Result<HeaderName, Refused> {
    let name = HeaderName::from_bytes(text.as_bytes()).map_err(|_| Refused::Name)?;
    match name.as_str() {
        "connection" | "content-encoding" | "content-length" | "content-type" | "expect"
        | "host" | "keep-alive" | "te" | "trailer" | "transfer-encoding" | "upgrade"
        | "accept-encoding" | "set-cookie" => Err(Refused::Reserved),
        _ => Ok(name),
    }
}

/// A value of visible ASCII. A space may stand inside, never at an end, where receivers trim it.
pub fn value(text: &str) -> Result<HeaderValue, Refused> {
    if text.is_empty() || text.len() > MAX_VALUE_BYTES {
        return Err(Refused::Length);
    }
    let visible = text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    if !visible || text.starts_with(' ') || text.ends_with(' ') {
        return Err(Refused::Value);
    }
    HeaderValue::from_str(text).map_err(|_| Refused::Value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_names_are_refused_in_any_case() {
        for text in [
            "Host",
            "AUTHORIZATION",
            "cookie",
            "Content-Length",
            "Transfer-Encoding",
            "connection",
            "Proxy-Authorization",
            "proxy-anything",
            "TE",
            "Upgrade",
            "X-Forwarded-For",
            "Forwarded",
            "X-HTTP-Method-Override",
            "X-Original-URL",
            "Sec-Fetch-Site",
        ] {
            assert_eq!(name(text), Err(Refused::Reserved), "{text}");
        }
        for text in ["", "a b", "a:b", "x\r\ny", "é"] {
            assert_eq!(name(text), Err(Refused::Name), "{text}");
        }
        assert!(name("X-Tenant").is_ok());
        assert!(credential_name("Authorization").is_ok());
        assert_eq!(credential_name("Host"), Err(Refused::Reserved));
    }

    #[test]
    fn values_are_visible_ascii() {
        for text in ["a\rb", "a\nb", "a\0b", "a\tb", "é", " a", "a ", "a\u{7f}"] {
            assert_eq!(value(text), Err(Refused::Value), "{text:?}");
        }
        assert_eq!(value(""), Err(Refused::Length));
        assert_eq!(value(&"x".repeat(MAX_VALUE_BYTES + 1)), Err(Refused::Length));
        assert!(value("return=minimal; wait=10").is_ok());
    }
}
