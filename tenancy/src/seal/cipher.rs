//! Owns the cipher and the one way bytes are joined for it. Invariant: a nonce is drawn anew for
//! every value, and nothing half opened leaves this module.

use ring::{aead, hkdf, hmac};
use zeroize::Zeroizing;

use super::envelope::{Envelope, KeyId};
use super::{Error, KEY_BYTES, Secret};
use crate::clock::Source;

/// One text out of several that no other list of parts makes: each part behind its length.
pub(super) fn canonical(parts: &[&[u8]]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for part in parts {
        bytes.extend_from_slice(&(part.len() as u64).to_be_bytes());
        bytes.extend_from_slice(part);
    }
    bytes
}

pub(super) fn derive(key: &[u8; KEY_BYTES], info: &[u8]) -> Result<aead::LessSafeKey, Error> {
    let prk = hkdf::Salt::new(hkdf::HKDF_SHA256, b"bailiwick").extract(key);
    let info = [info];
    let okm = prk.expand(&info, &aead::AES_256_GCM).map_err(|_| Error::TooLong { bytes: 0 })?;
    Ok(aead::LessSafeKey::new(aead::UnboundKey::from(okm)))
}

/// HMAC-SHA256 (RFC 2104).
pub(super) fn mac(key: &[u8; KEY_BYTES], message: &[u8]) -> Zeroizing<[u8; KEY_BYTES]> {
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), message);
    let mut bytes = Zeroizing::new([0; KEY_BYTES]);
    bytes.copy_from_slice(tag.as_ref());
    bytes
}

#[expect(clippy::needless_pass_by_value, reason = "a derived key serves one value and is gone")]
pub(super) fn encrypt(
    key: aead::LessSafeKey,
    id: KeyId,
    aad: &[u8],
    plain: &[u8],
    source: &dyn Source,
) -> Result<Envelope, Error> {
    let mut nonce = [0; aead::NONCE_LEN];
    source.random(&mut nonce);
    // Room for the tag from the start: growing would leave a copy of the secret behind.
    let mut body = Vec::with_capacity(plain.len() + aead::MAX_TAG_LEN);
    body.extend_from_slice(plain);
    let nonce_once = aead::Nonce::assume_unique_for_key(nonce);
    key.seal_in_place_append_tag(nonce_once, aead::Aad::from(aad), &mut body)
        .map_err(|_| Error::TooLong { bytes: plain.len() })?;
    Ok(Envelope { key: id, nonce, body })
}

#[expect(clippy::needless_pass_by_value, reason = "a derived key serves one value and is gone")]
pub(super) fn decrypt(
    key: aead::LessSafeKey,
    id: KeyId,
    aad: &[u8],
    envelope: &Envelope,
) -> Result<Secret, Error> {
    if envelope.key != id {
        return Err(Error::OtherKey { sealed_under: envelope.key, given: id });
    }
    let mut body = Zeroizing::new(envelope.body.clone());
    let nonce = aead::Nonce::assume_unique_for_key(envelope.nonce);
    let plain = key
        .open_in_place(nonce, aead::Aad::from(aad), &mut body)
        .map_err(|_| Error::DoesNotOpen)?;
    Ok(Secret::from(plain.to_vec()))
}
