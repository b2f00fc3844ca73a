//! Secrets that only their name gives away: `password=…`, `"api_key": "…"`, a column `token`.
//!
//! The name must say secret and the value must look like one, because `token_type: Bearer` and
//! `password: required` are everyday text. Invariant: a value that holds a placeholder is never
//! taken, so masking twice masks once.

use super::hint;
use super::key::Key;
use super::scan::Scan;
use crate::content::mask;

/// What the name lets one expect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Strength {
    /// Chosen by people: short, but hardly ever without a digit or a sign.
    Password,
    /// Made by machines: long and without pattern.
    Token,
}

const PASSWORDS: &[&str] = &[
    "contrasena",
    "contraseña",
    "kennwort",
    "mdp",
    "passphrase",
    "passwd",
    "password",
    "passwort",
    "pwd",
    "senha",
];
const TOKENS: &[&str] = &[
    "apikey",
    "authorization",
    "bearer",
    "credential",
    "credentials",
    "jwt",
    "secret",
    "secrets",
    "sig",
    "token",
];
/// Kinds of key that are secret, when `key` follows.
const SECRET_KEYS: &[&str] = &[
    "access",
    "account",
    "api",
    "auth",
    "encryption",
    "master",
    "private",
    "secret",
    "shared",
    "signing",
    "storage",
];
/// Words that make a name speak about a secret, or about a place in a list, instead of holding one.
const ABOUT: &[&str] = &[
    "arn",
    "at",
    "continuation",
    "count",
    "cursor",
    "endpoint",
    "expires",
    "expiry",
    "field",
    "hint",
    "id",
    "ids",
    "length",
    "limit",
    "max",
    "min",
    "name",
    "next",
    "page",
    "policy",
    "prev",
    "previous",
    "public",
    "ref",
    "sync",
    "total",
    "type",
    "uri",
    "url",
    "usage",
    "version",
];

/// What a name of these words lets one expect.
pub(super) fn strength(name: &[String]) -> Option<Strength> {
    let has = |list: &[&str]| name.iter().any(|word| list.contains(&word.as_str()));
    if has(ABOUT) {
        return None;
    }
    if has(PASSWORDS) {
        return Some(Strength::Password);
    }
    let pair = |first: &str, second: &str| {
        SECRET_KEYS.contains(&first) && second == "key" || (first, second) == ("amz", "signature")
    };
    let mut pairs = name.windows(2).filter_map(|two| Some((two.first()?, two.last()?)));
    (has(TOKENS) || pairs.any(|(first, second)| pair(first, second))).then_some(Strength::Token)
}

/// Bits of surprise a character must carry on average (Shannon).
const ENTROPY: f64 = 3.0;
/// The same where no digit speaks for a secret.
const ENTROPY_WITHOUT_DIGIT: f64 = 4.2;
/// How much of a value its judgement looks at, in bytes.
const JUDGED: usize = 256;

fn entropy(value: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for &byte in value {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count += 1;
        }
    }
    let total = f64::from(u32::try_from(value.len()).unwrap_or(u32::MAX));
    let share = |count: u32| f64::from(count) / total;
    counts
        .into_iter()
        .filter(|&count| count > 0)
        .map(|count| -share(count) * share(count).log2())
        .sum()
}

fn classes(value: &[u8]) -> usize {
    let classes: [fn(&u8) -> bool; 4] =
        [u8::is_ascii_lowercase, u8::is_ascii_uppercase, u8::is_ascii_digit, |byte| {
            !byte.is_ascii_alphanumeric()
        }];
    classes.iter().filter(|class| value.iter().any(class)).count()
}

/// Values that stand for a secret to be put there, or for none.
fn stands_in(value: &str) -> bool {
    let openings =
        ["${", "{{", "$(", "%(", "<", "http://", "https://", "arn:", "process.env", "os.environ"];
    openings.iter().any(|opening| value.starts_with(opening))
        || mask::find_placeholder(value).is_some()
}

/// Whether a value, or its first [`JUDGED`] bytes, looks like a secret.
fn is_secret(strength: Strength, value: &str) -> bool {
    let least = match strength {
        Strength::Password => 6,
        Strength::Token => 16,
    };
    if value.len() < least || value.contains(char::is_whitespace) || stands_in(value) {
        return false;
    }
    let judged = value.as_bytes();
    let random = |bits: f64| judged.len() >= 12 && entropy(judged) >= bits;
    match strength {
        Strength::Password => classes(judged) >= 2 || random(ENTROPY),
        // Programs are full of names and calls after `token:`, and those hardly hold a digit.
        Strength::Token => {
            let digit = judged.iter().any(u8::is_ascii_digit)
                && !value.contains("::")
                && !value.contains(['(', '[', '{']);
            let even =
                judged.iter().all(u8::is_ascii_alphanumeric) && random(ENTROPY_WITHOUT_DIGIT);
            classes(judged) >= 2 && random(ENTROPY) && (digit || even)
        }
    }
}

/// Whether an unquoted value is a name, a path of names or a call, as in programs.
fn is_name(value: &str) -> bool {
    let part =
        |part: &str| part.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    let path = value.contains('.') && value.split('.').all(part);
    let call = value.contains("::") || value.ends_with(['(', '{', '[']);
    path || call || !value.contains(|character: char| !is_name_character(character))
}

const fn is_name_character(character: char) -> bool {
    character.is_ascii_alphabetic()
        || matches!(character, '_' | '.' | ':' | '-' | '?' | '*' | '[' | ']' | '(' | ')' | '/')
}

/// Schemes that stand before the secret in an `Authorization` header.
const SCHEMES: &[&str] = &["basic", "bearer", "token"];

/// The secret that a whole value is, given its name.
pub(super) fn whole(name: &Key, value: &str) -> Option<(usize, usize)> {
    let strength = name.strength?;
    let trimmed = value.trim();
    let secret = match trimmed.split_once(' ') {
        Some((scheme, rest)) if SCHEMES.contains(&scheme.to_ascii_lowercase().as_str()) => {
            rest.trim_start()
        }
        _ => trimmed,
    };
    let end = value.len() - (value.len() - value.trim_end().len());
    let judged = secret.get(..secret.floor_char_boundary(JUDGED)).unwrap_or(secret);
    is_secret(strength, judged).then_some((end - secret.len(), end))
}

/// Longest name that is looked for before a `=` or `:`, and longest quoted value, in bytes.
const NAME_LIMIT: usize = 64;
const QUOTED_LIMIT: usize = 512;

/// The secret assigned by the `=` or `:` at `at`.
pub(super) fn around(scan: &mut Scan<'_>, at: usize) -> Option<(usize, usize)> {
    let name = name_before(scan, at);
    let strength = if name.len() < 3 { None } else { strength(&hint::words(name)) }?;
    let (quote, start) = value_start(scan, at + 1);
    let (start, end) = match quote {
        Some(quote) => (start, quoted_end(scan, start, quote)?),
        None => unquoted(scan, start),
    };
    let value = scan.head(start, end, JUDGED);
    (is_secret(strength, value) && (quote.is_some() || !is_name(value))).then_some((start, end))
}

fn name_before<'t>(scan: &Scan<'t>, at: usize) -> &'t str {
    let mut end = at;
    let floor = at.saturating_sub(4);
    while end > floor && matches!(scan.before(end), Some(b' ' | b'"' | b'\'' | b'\\' | b']' | b'`'))
    {
        end -= 1;
    }
    let mut start = end;
    let floor = end.saturating_sub(NAME_LIMIT);
    let is_name = |byte: u8| {
        byte.is_ascii_alphanumeric() || !byte.is_ascii() || matches!(byte, b'_' | b'-' | b'.')
    };
    while start > floor && scan.before(start).is_some_and(is_name) {
        start -= 1;
    }
    // The limit may fall inside a character.
    while start < end && scan.byte(start).is_some_and(|byte| byte & 0xc0 == 0x80) {
        start += 1;
    }
    scan.get(start, end)
}

/// The quote that opens the value at or after `at`, and where the value starts.
fn value_start(scan: &Scan<'_>, at: usize) -> (Option<u8>, usize) {
    let mut start = at;
    while start < at + 6 && matches!(scan.byte(start), Some(b' ' | b'=' | b'>' | b'\\' | b':')) {
        start += 1;
    }
    match scan.byte(start) {
        Some(quote @ (b'"' | b'\'' | b'`')) => (Some(quote), start + 1),
        _ => (None, start),
    }
}

fn quoted_end(scan: &Scan<'_>, start: usize, quote: u8) -> Option<usize> {
    let end = (start..start + QUOTED_LIMIT).find(|&end| {
        matches!(scan.byte(end), Some(b'\n' | b'\\')) || scan.byte(end) == Some(quote)
    })?;
    Some(end)
}

fn unquoted(scan: &mut Scan<'_>, start: usize) -> (usize, usize) {
    let end = scan.value_end(start);
    let head = scan.head(start, end, JUDGED);
    let scheme = SCHEMES.iter().any(|scheme| head.eq_ignore_ascii_case(scheme));
    if scheme && scan.byte(end) == Some(b' ') {
        return (end + 1, scan.value_end(end + 1));
    }
    let bracketed = scan.before(end) == Some(b']') && !head.contains('[');
    let stopped = end > start && (bracketed || scan.before(end) == Some(b'.'));
    (start, if stopped { end - 1 } else { end })
}
