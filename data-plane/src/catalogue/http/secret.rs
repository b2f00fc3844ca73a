//! A secret on its way to an upstream, and where on the request it goes.
//!
//! The invariant: a [`Secret`] is never shown and is wiped when dropped, and a [`Placed`] goes only
//! to the origins its creator fixed. What an HTTP library copies into its own buffers is not wiped.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hyper::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use zeroize::Zeroizing;

use super::declaration::Placement;
use super::header_rule;
use super::origin::Origin;
use super::request::encode;

/// The bytes of a credential.
#[derive(Clone)]
pub struct Secret(Zeroizing<Vec<u8>>);

impl Secret {
    /// Takes the bytes over.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self(Zeroizing::new(bytes.into()))
    }

    /// The bytes, for the one who puts them on the wire and the one who looks for them.
    pub(super) fn reveal(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// A credential opened for one call: its secret, where it goes, and which origins it may go to.
#[derive(Debug, Clone)]
pub struct Placed {
    id: String,
    secret: Secret,
    placement: Placement,
    origins: Vec<Origin>,
}

/// The secret cannot be put where it was declared to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unplaceable {
    #[error("the credential may not go to this origin")]
    Origin,
    #[error("the credential holds bytes that cannot stand in a header")]
    Bytes,
}

impl Placed {
    /// A credential with the origins that its seal authenticates; an empty list lets it go nowhere.
    pub fn new(
        id: impl Into<String>,
        secret: Secret,
        placement: Placement,
        origins: Vec<Origin>,
    ) -> Self {
        Self { id: id.into(), secret, placement, origins }
    }

    /// The credential's id, part of the key under which connections are kept.
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// The bytes to look for in what comes back: the secret, and the password alone of a
    /// `user:password`.
    pub(super) fn needles(&self) -> Vec<&[u8]> {
        let whole = self.secret.reveal();
        let mut needles = vec![whole];
        if let Placement::Basic {} = self.placement
            && let Some(colon) = whole.iter().position(|byte| *byte == b':')
        {
            needles.extend(whole.get(colon + 1..).filter(|password| !password.is_empty()));
        }
        needles
    }

    /// Puts the secret on a request to `origin`: into `headers`, or at the end of `target`.
    ///
    /// # Errors
    ///
    /// [`Unplaceable`] if the secret may not go there, or cannot.
    pub(super) fn put(
        &self,
        origin: &Origin,
        headers: &mut HeaderMap,
        target: &mut Zeroizing<String>,
    ) -> Result<(), Unplaceable> {
        if !self.origins.contains(origin) {
            return Err(Unplaceable::Origin);
        }
        let secret = self.secret.reveal();
        match &self.placement {
            Placement::Bearer {} => insert(headers, AUTHORIZATION, b"Bearer ", secret),
            Placement::Basic {} => {
                let encoded = Zeroizing::new(STANDARD.encode(secret));
                insert(headers, AUTHORIZATION, b"Basic ", encoded.as_bytes())
            }
            Placement::Header { name, prefix } => {
                let name = header_rule::credential_name(name).map_err(|_| Unplaceable::Bytes)?;
                insert(headers, name, prefix.as_bytes(), secret)
            }
            Placement::Query { name } => {
                let separator = if target.contains('?') { '&' } else { '?' };
                target.push(separator);
                target.push_str(&encode(name.as_bytes()));
                target.push('=');
                target.push_str(&Zeroizing::new(encode(secret)));
                Ok(())
            }
        }
    }
}

fn insert(
    headers: &mut HeaderMap,
    name: HeaderName,
    prefix: &[u8],
    secret: &[u8],
) -> Result<(), Unplaceable> {
    let text = Zeroizing::new([prefix, secret].concat());
    if !text.iter().all(|byte| matches!(byte, b' '..=b'~')) {
        return Err(Unplaceable::Bytes);
    }
    let mut value = HeaderValue::from_bytes(&text).map_err(|_| Unplaceable::Bytes)?;
    value.set_sensitive(true);
    headers.insert(name, value);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(
        secret: &[u8],
        placement: Placement,
        to: &str,
    ) -> Result<(HeaderMap, String), Unplaceable> {
        let declared: Origin = "https://api.example.com".parse().unwrap();
        let placed = Placed::new("credential_1", Secret::new(secret), placement, vec![declared]);
        let mut headers = HeaderMap::new();
        let mut target = Zeroizing::new(String::from("/v1?a=b"));
        placed.put(&to.parse().unwrap(), &mut headers, &mut target)?;
        Ok((headers, target.to_string()))
    }

    const HOME: &str = "https://api.example.com:443";

    #[test]
    fn each_placement_puts_it_where_it_says() {
        let (headers, _) = put(b"s3cr3t", Placement::Bearer {}, HOME).unwrap();
        assert_eq!(headers.get(AUTHORIZATION).unwrap(), "Bearer s3cr3t");
        assert!(headers.get(AUTHORIZATION).unwrap().is_sensitive());
        let (headers, _) = put(b"ann:pw", Placement::Basic {}, HOME).unwrap();
        assert_eq!(headers.get(AUTHORIZATION).unwrap(), "Basic YW5uOnB3");
        let header = Placement::Header { name: "X-Key".into(), prefix: "Token ".into() };
        let (headers, _) = put(b"s3cr3t", header, HOME).unwrap();
        assert_eq!(headers.get("x-key").unwrap(), "Token s3cr3t");
        let query = Placement::Query { name: "api key".into() };
        let (headers, target) = put(b"a&b=c#d", query, HOME).unwrap();
        assert!(headers.is_empty());
        assert_eq!(target, "/v1?a=b&api%20key=a%26b%3Dc%23d");
    }

    #[test]
    fn it_goes_only_to_its_own_origins() {
        for other in [
            "http://api.example.com",
            "https://api.example.com:8443",
            "https://evil.example.com",
            "https://example.com",
        ] {
            let got = put(b"s3cr3t", Placement::Bearer {}, other).unwrap_err();
            assert_eq!(got, Unplaceable::Origin, "{other}");
        }
    }

    #[test]
    fn a_secret_cannot_split_a_header() {
        for secret in [&b"a\r\nX: y"[..], b"a\0", b"\xff", b"a\tb"] {
            let got = put(secret, Placement::Bearer {}, HOME).unwrap_err();
            assert_eq!(got, Unplaceable::Bytes);
        }
    }

    #[test]
    fn it_is_never_shown() {
        let placed = Placed::new("c", Secret::new("s3cr3t"), Placement::Bearer {}, Vec::new());
        let shown = format!("{placed:?}");
        assert!(!shown.contains("s3cr3t") && !shown.contains("115"), "{shown}");
    }
}
