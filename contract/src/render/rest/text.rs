//! Owns percent-encoding as it is read from a path and a query (RFC 3986, and
//! `application/x-www-form-urlencoded` for the query). Invariant: a text is decoded once and whole,
//! or not at all.

use crate::refusal::Fault;

/// Why a text could not be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum Undecodable {
    /// `%` without two hexadecimal digits after it.
    #[error("a percent sign without two hexadecimal digits after it")]
    Escape,
    /// What the escapes say is not UTF-8.
    #[error("escapes that are not UTF-8")]
    Utf8,
}

/// Decodes the escapes of one path segment.
pub(super) fn segment(raw: &str) -> Result<String, Undecodable> {
    let mut bytes = raw.bytes();
    let mut out = Vec::with_capacity(raw.len());
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let high = bytes.next().and_then(hex).ok_or(Undecodable::Escape)?;
            let low = bytes.next().and_then(hex).ok_or(Undecodable::Escape)?;
            out.push(high * 16 + low);
        } else {
            out.push(byte);
        }
    }
    String::from_utf8(out).map_err(|_| Undecodable::Utf8)
}

/// The pairs of a query, decoded. What cannot be decoded becomes a fault that names its field.
pub(super) fn pairs(query: &str, faults: &mut Vec<Fault>) -> Vec<(String, String)> {
    let mut out = Vec::new();
    for part in query.split('&').filter(|part| !part.is_empty()) {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        let decode = |text: &str| segment(&text.replace('+', " "));
        match (decode(name), decode(value)) {
            (Ok(name), Ok(value)) => out.push((name, value)),
            (name, value) => {
                let field = name.clone().unwrap_or_else(|_| "query".to_owned());
                let why = name.and(value).err().unwrap_or(Undecodable::Escape);
                faults.push(undecodable(&field, why));
            }
        }
    }
    out
}

/// The fault of a field that could not be decoded.
pub(super) fn undecodable(field: &str, why: Undecodable) -> Fault {
    Fault::new(field, format!("`{field}` holds {why}."), "Percent-encode it as UTF-8.")
}

const fn hex(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn decoding_is_strict_and_happens_once() {
        assert_eq!(segment("a%2Fb%252e+c"), Ok("a/b%2e+c".to_owned()));
        for bad in ["%", "%2", "%zz", "%+1", "a%"] {
            assert_eq!(segment(bad), Err(Undecodable::Escape), "{bad}");
        }
        assert_eq!(segment("%ff"), Err(Undecodable::Utf8));
    }

    proptest! {
        #[test]
        fn whatever_is_encoded_comes_back(text in "\\PC{0,20}") {
            let encoded: Vec<_> = text.bytes().map(|byte| format!("%{byte:02x}")).collect();
            let encoded = encoded.concat();
            prop_assert_eq!(segment(&encoded), Ok(text.clone()));
            let mut faults = Vec::new();
            let read = pairs(&format!("{encoded}={encoded}"), &mut faults);
            prop_assert_eq!(read, vec![(text.clone(), text)]);
            prop_assert!(faults.is_empty());
        }

        #[test]
        fn no_query_is_lost_in_silence(query in "[a-c=&%+]{0,12}") {
            let mut faults = Vec::new();
            let read = pairs(&query, &mut faults);
            let parts = query.split('&').filter(|part| !part.is_empty()).count();
            prop_assert_eq!(read.len() + faults.len(), parts);
        }
    }
}
