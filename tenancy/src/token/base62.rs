//! Owns the writing of numbers in base 62. Invariant: a number of so many bytes has one text, of one
//! width.

use zeroize::Zeroize;

/// The digits, by value.
pub(super) const ALPHABET: &[u8; 62] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// 62^6 is the first power of 62 above 2^32.
pub(super) const CHECKSUM_CHARS: usize = 6;

pub(super) fn digit(value: u32, alphabet: &[u8]) -> u8 {
    usize::try_from(value).ok().and_then(|at| alphabet.get(at).copied()).unwrap_or(b'0')
}

/// CRC-32 (IEEE 802.3) of `body`. It finds every error inside 32 neighbouring bits, and so every
/// wrong character.
pub(super) fn checksum(body: &str) -> [u8; CHECKSUM_CHARS] {
    let mut digits = [0_u8; CHECKSUM_CHARS];
    base62(&mut crc32fast::hash(body.as_bytes()).to_be_bytes(), &mut digits);
    digits
}

/// Writes the big-endian number in `bytes` to `digits` in base 62, with leading zeroes, and wipes it.
pub(super) fn base62(bytes: &mut [u8], digits: &mut [u8]) {
    for slot in digits.iter_mut().rev() {
        let mut rest = 0_u32;
        for byte in bytes.iter_mut() {
            let value = rest << 8 | u32::from(*byte);
            // `rest` is below 62, so the quotient is below 256.
            *byte = u8::try_from(value / 62).unwrap_or(u8::MAX);
            rest = value % 62;
        }
        *slot = digit(rest, ALPHABET);
    }
    bytes.zeroize();
}
