//! Secrets that show what they are: published prefixes, JSON Web Tokens, private key blocks, the
//! password inside a URL.
//!
//! Invariant: a secret is taken with the whole run it stands in, never up to the length it should
//! have, so that a longer one does not leave its end behind.

use super::scan::{Scan, is_token_byte};

/// Published prefixes, and how many token characters must follow at least.
const PREFIXES: &[(&str, usize)] = &[
    ("AIza", 30),
    ("AKIA", 16),
    ("ASIA", 16),
    ("bw_agent_", 16),
    ("bw_invite_", 16),
    ("bw_node_", 16),
    ("bw_operator_", 16),
    ("bw_user_", 16),
    ("dop_v1_", 32),
    ("gho_", 20),
    ("ghp_", 20),
    ("ghr_", 20),
    ("ghs_", 20),
    ("ghu_", 20),
    ("github_pat_", 20),
    ("glpat-", 16),
    ("glptt-", 16),
    ("hf_", 30),
    ("npm_", 30),
    ("pypi-AgEI", 30),
    ("rk_live_", 10),
    ("rk_test_", 10),
    ("shpat_", 20),
    ("sk-ant-", 16),
    ("sk-proj-", 16),
    ("sk_live_", 10),
    ("sk_test_", 10),
    ("whsec_", 16),
    ("xapp-", 10),
    ("xoxa-", 10),
    ("xoxb-", 10),
    ("xoxe-", 10),
    ("xoxp-", 10),
    ("xoxr-", 10),
    ("xoxs-", 10),
];

/// Whether a prefix begins so. Asked at every word, so it must cost next to nothing.
const fn begins_prefix(first: u8, second: u8) -> bool {
    matches!(
        (first, second),
        (b'A', b'I' | b'K' | b'S')
            | (b'b', b'w')
            | (b'd', b'o')
            | (b'g', b'h' | b'i' | b'l')
            | (b'h', b'f')
            | (b'n' | b's', b'p' | b'h' | b'k')
            | (b'p', b'y')
            | (b'r', b'k')
            | (b'w', b'h')
            | (b'x', b'a' | b'o')
    )
}

/// The end of the secret that the letter at `at` begins.
pub(super) fn starting(scan: &mut Scan<'_>, at: usize) -> Option<usize> {
    if scan.starts_with(at, "eyJ") {
        return web_token(scan, at);
    }
    if scan.starts_with(at, "SG.") {
        return two_parts(scan, at);
    }
    if !begins_prefix(scan.byte(at)?, scan.byte(at + 1)?) {
        return None;
    }
    let (prefix, least) = PREFIXES.iter().find(|entry| scan.starts_with(at, entry.0))?;
    let end = scan.token_end(0, at);
    (end >= at + prefix.len() + least).then_some(end)
}

/// RFC 7515 and RFC 7516 compact form: three parts or five, the last of which may be empty.
fn web_token(scan: &mut Scan<'_>, at: usize) -> Option<usize> {
    let mut end = scan.token_end(0, at);
    let mut parts = 1;
    while parts < 5 && scan.byte(end) == Some(b'.') && scan.byte(end + 1).is_some_and(is_token_byte)
    {
        end = scan.token_end(parts, end + 1);
        parts += 1;
    }
    let unsigned = parts == 2 && scan.byte(end) == Some(b'.');
    (end > at + 16 && (parts >= 3 || unsigned)).then_some(end)
}

/// `SG.` and two parts of token characters.
fn two_parts(scan: &mut Scan<'_>, at: usize) -> Option<usize> {
    let middle = scan.token_end(3, at + 3);
    (scan.byte(middle) == Some(b'.')).then_some(())?;
    let end = scan.token_end(4, middle + 1);
    (end >= at + 30).then_some(end)
}

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
const DASHES: &str = "-----";
/// Longest label of a block that is looked for, in bytes.
const LABEL_LIMIT: usize = 64;

/// The end of the private key block (RFC 7468, RFC 9580) that the dash at `at` begins. One that is
/// cut off goes as far as its alphabet does.
pub(super) fn key_block(scan: &mut Scan<'_>, at: usize) -> Option<usize> {
    if !scan.starts_with(at, BEGIN) {
        return None;
    }
    let body = private_label_end(scan, at + BEGIN.len())?;
    let end =
        scan.find_ahead(body, END).and_then(|found| private_label_end(scan, found + END.len()));
    Some(end.unwrap_or_else(|| scan.armour_end(body).max(body)))
}

/// Where the line ends whose label starts at `at`, if the label speaks of a private key.
fn private_label_end(scan: &Scan<'_>, at: usize) -> Option<usize> {
    let mut dashes = at;
    while !scan.starts_with(dashes, DASHES) {
        let label = scan.byte(dashes)?;
        ((label.is_ascii_graphic() || label == b' ') && dashes < at + LABEL_LIMIT).then_some(())?;
        dashes += 1;
    }
    scan.get(at, dashes).contains("PRIVATE KEY").then_some(dashes + DASHES.len())
}

/// Longest user name or password of a URL that is looked for, in bytes.
const USER_INFO_LIMIT: usize = 256;

/// The password in `scheme://user:password@host`, where `at` is the first colon.
pub(super) fn url_password(scan: &Scan<'_>, at: usize) -> Option<(usize, usize)> {
    if !scan.starts_with(at, "://") {
        return None;
    }
    let mut password = None;
    let mut found = None;
    for here in at + 3..at + 3 + USER_INFO_LIMIT {
        match scan.byte(here) {
            Some(b':') if password.is_none() => password = Some(here + 1),
            Some(b'@') => found = password.map(|start| (start, here)),
            Some(0..=b' ' | b'"' | b'\'' | b'<' | b'>' | b'`' | b'/' | b'?' | b'#' | b'\\')
            | None => break,
            Some(_) => {}
        }
    }
    found.filter(|(start, end)| start < end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_prefix_is_let_through() {
        for (prefix, _) in PREFIXES {
            assert!(begins_prefix(prefix.as_bytes()[0], prefix.as_bytes()[1]), "{prefix}");
        }
    }
}
