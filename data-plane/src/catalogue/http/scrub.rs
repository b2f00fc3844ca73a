//! Taking a secret out of what comes back.
//!
//! An upstream may echo what it was sent: plainly, URL-encoded, escaped as JSON or HTML, or in base64
//! with other bytes before it. The invariant: after [`Scrubber::scrub`], no such form of the secret is
//! left in the bytes. Beyond its reach, on purpose: forms that no echo makes by itself, such as a
//! secret turned round or encrypted; characters beyond ASCII written as code points; and secrets of fewer than six bytes inside other base64, whose
//! traces cannot be told from chance.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use zeroize::Zeroizing;

/// What stands where the secret was.
pub const MARK: &str = "[credential]";

/// The shortest secret that is also looked for inside other base64.
const MIN_INSIDE_BASE64_BYTES: usize = 6;

/// The shortest secret that is looked for in base64 at all; below, it is in any text by chance.
const MIN_BASE64_BYTES: usize = 3;

/// The most bytes one byte of a secret can take in an echo: `%255Cu0026` and the like.
const MAX_GROWTH: usize = 10;

/// Finds every form of some secrets.
pub struct Scrubber {
    needles: Vec<Needle>,
    /// Which bytes a match can start with, so that most of a body is passed over quickly.
    starts: [bool; 256],
}

struct Needle {
    bytes: Zeroizing<Vec<u8>>,
    /// How many base64 characters beside the match still hold bits of the secret.
    fringe: usize,
}

impl std::fmt::Debug for Scrubber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Scrubber({} needles)", self.needles.len())
    }
}

impl Scrubber {
    /// Looks for these secrets; empty ones are left out.
    pub fn new<'a>(secrets: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut needles = Vec::new();
        for secret in secrets {
            if secret.is_empty() {
                continue;
            }
            needles.push(Needle { bytes: Zeroizing::new(secret.to_vec()), fringe: 0 });
            base64_needles(secret, &mut needles);
        }
        needles.sort_by_key(|needle| std::cmp::Reverse(needle.bytes.len()));
        let mut starts = [false; 256];
        for first in needles.iter().filter_map(|needle| needle.bytes.first()) {
            for byte in [*first, b'%', b'\\', b'&', b'+'] {
                if let Some(start) = starts.get_mut(usize::from(byte)) {
                    *start = true;
                }
            }
        }
        Self { needles, starts }
    }

    /// How many bytes the longest form of a secret can take: what must be read beyond a cut, so that
    /// no secret is cut in two and left.
    pub fn reach(&self) -> usize {
        let longest = self.needles.iter().map(|needle| needle.bytes.len()).max().unwrap_or(0);
        longest.saturating_mul(MAX_GROWTH)
    }

    /// The bytes with a mark where a secret was; borrowed where there was none.
    pub fn scrub<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        if self.needles.is_empty() {
            return Cow::Borrowed(bytes);
        }
        let mut clean: Option<Vec<u8>> = None;
        let (mut at, mut kept) = (0, 0);
        while let Some(first) = bytes.get(at) {
            let possible = self.starts.get(usize::from(*first)).is_some_and(|start| *start);
            let rest = bytes.get(at..).filter(|_| possible);
            let Some((length, fringe)) = rest.and_then(|rest| self.find(rest)) else {
                at += 1;
                continue;
            };
            let before = bytes.get(kept..at).unwrap_or_default();
            let lead = fringe.min(base64_run(before.iter().rev()));
            let out = clean.get_or_insert_default();
            out.extend_from_slice(before.get(..before.len() - lead).unwrap_or_default());
            out.extend_from_slice(MARK.as_bytes());
            at += length;
            let after = bytes.get(at..).unwrap_or_default();
            at += fringe.min(base64_run(after.iter()));
            kept = at;
        }
        match clean {
            None => Cow::Borrowed(bytes),
            Some(mut out) => {
                out.extend_from_slice(bytes.get(kept..).unwrap_or_default());
                Cow::Owned(out)
            }
        }
    }

    /// [`Self::scrub`] for a text.
    pub fn scrub_text(&self, text: &str) -> String {
        String::from_utf8_lossy(&self.scrub(text.as_bytes())).into_owned()
    }

    /// The length of the longest match at the start of `bytes`, and its fringe.
    fn find(&self, bytes: &[u8]) -> Option<(usize, usize)> {
        self.needles
            .iter()
            .filter_map(|needle| Some((match_length(&needle.bytes, bytes)?, needle.fringe)))
            .max()
    }
}

/// How many base64 characters come first.
fn base64_run<'a>(bytes: impl Iterator<Item = &'a u8>) -> usize {
    bytes.take_while(|byte| byte.is_ascii_alphanumeric() || b"+/-_".contains(byte)).count()
}

/// The secret in both alphabets of base64 (RFC 4648), at each of the three places it can have among
/// the bytes before it. Characters that hold bits of a neighbour are left to the fringe.
fn base64_needles(secret: &[u8], needles: &mut Vec<Needle>) {
    for engine in [STANDARD_NO_PAD, URL_SAFE_NO_PAD] {
        let whole = Zeroizing::new(engine.encode(secret).into_bytes());
        if secret.len() < MIN_INSIDE_BASE64_BYTES {
            if secret.len() >= MIN_BASE64_BYTES {
                needles.push(Needle { bytes: whole, fringe: 0 });
            }
            continue;
        }
        for lead in 0..3 {
            let mut padded = Zeroizing::new(vec![0; lead]);
            padded.extend_from_slice(secret);
            let text = Zeroizing::new(engine.encode(&*padded).into_bytes());
            // Each character holds six bits: the first ones belong to the bytes before, and the
            // last one is shared where the secret does not end on a group.
            let first = (lead * 8).div_ceil(6);
            let end = padded.len() * 8 / 6;
            if let Some(sure) = text.get(first..end) {
                needles.push(Needle { bytes: Zeroizing::new(sure.to_vec()), fringe: 1 });
            }
        }
    }
}

/// How many bytes of `bytes` the needle takes at its start, in whatever escapes.
fn match_length(needle: &[u8], bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    for (index, wanted) in needle.iter().enumerate() {
        match units(*wanted, bytes.get(at..)?) {
            [None, None, None] => return None,
            [Some(length), None, None]
            | [None, Some(length), None]
            | [None, None, Some(length)] => at += length,
            _ => return forked(needle.get(index..)?, bytes, at),
        }
    }
    Some(at)
}

/// The rest of a match where a `%`, `\` or `&` may stand for itself or begin its own escape: every
/// end that is still possible is followed, and there are never more than the needle has bytes.
fn forked(needle: &[u8], bytes: &[u8], at: usize) -> Option<usize> {
    let mut ends = vec![at];
    for wanted in needle {
        let step = |end: &usize| {
            let from = *end;
            let rest = bytes.get(from..).unwrap_or_default();
            units(*wanted, rest).into_iter().flatten().map(move |length| from + length)
        };
        let mut next: Vec<usize> = ends.iter().flat_map(step).collect();
        next.sort_unstable();
        next.dedup();
        ends = next;
    }
    ends.pop()
}

/// How many bytes one byte of a secret takes at the start of `bytes`: as itself, escaped, and
/// URL-encoded twice.
fn units(wanted: u8, bytes: &[u8]) -> [Option<usize>; 3] {
    let plain =
        bytes.first().is_some_and(|first| *first == wanted || (*first == b'+' && wanted == b' '));
    let twice = match bytes {
        [b'%', b'2', b'5', high, low, ..] => hex(*high, *low) == Some(wanted),
        _ => false,
    };
    [plain.then_some(1), escape_length(wanted, bytes), twice.then_some(5)]
}

/// The length of an escape at the start of `bytes` that stands for `wanted`: URL, JSON, the usual
/// ones of programming languages, HTML.
fn escape_length(wanted: u8, bytes: &[u8]) -> Option<usize> {
    match bytes {
        [b'%', high, low, ..] => (hex(*high, *low) == Some(wanted)).then_some(3),
        [b'\\', b'u' | b'U', b'0', b'0', high, low, ..] => {
            (hex(*high, *low) == Some(wanted)).then_some(6)
        }
        [b'\\', b'x', high, low, ..] if hex(*high, *low) == Some(wanted) => Some(4),
        [b'\\', escaped, ..] => {
            let stands_for = match escaped {
                b'n' => b'\n',
                b'r' => b'\r',
                b't' => b'\t',
                b'b' => 8,
                b'f' => 12,
                other => *other,
            };
            (stands_for == wanted && !escaped.is_ascii_digit()).then_some(2)
        }
        [b'&', ..] => entity_length(wanted, bytes),
        _ => None,
    }
}

fn hex(high: u8, low: u8) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}

/// The length of an HTML entity at the start of `bytes` that stands for `wanted`.
fn entity_length(wanted: u8, bytes: &[u8]) -> Option<usize> {
    let end = bytes.iter().take(10).position(|byte| *byte == b';')?;
    let name = std::str::from_utf8(bytes.get(1..end)?).ok()?;
    let stands_for = match name {
        "amp" => u32::from(b'&'),
        "lt" => u32::from(b'<'),
        "gt" => u32::from(b'>'),
        "quot" => u32::from(b'"'),
        "apos" => u32::from(b'\''),
        _ => {
            let number = name.strip_prefix('#')?;
            match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                None => number.parse().ok()?,
            }
        }
    };
    (stands_for == u32::from(wanted)).then_some(end + 1)
}

#[cfg(test)]
mod tests;
