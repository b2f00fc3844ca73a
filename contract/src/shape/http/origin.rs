//! Scheme, host and port of an upstream, fixed by its declaration.
//!
//! The invariant: an [`Origin`] is what the URL parser reads, and its text is the one spelling of
//! it. A text that is read as something else than it looks like (`https://2130706433`, full-width
//! digits, a backslash, an upper-case letter) is no origin.

use std::fmt;
use std::str::FromStr;

use url::{Host, Url};

/// Scheme, host and port (RFC 6454), of `http` or `https` only.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Origin {
    https: bool,
    host: Host<String>,
    port: u16,
}

/// Why a text is no [`Origin`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// The URL parser cannot read it.
    #[error("it is not a URL with a host")]
    Unreadable,
    /// Another scheme than `http` or `https`.
    #[error("the scheme is neither https nor http")]
    Scheme,
    /// A user name or a password stands before the host.
    #[error("a user name or password stands before the host")]
    Userinfo,
    /// Something follows the port: a path, a query or a fragment.
    #[error("something follows the host and port")]
    Tail,
    /// A brace, as if the host were a template.
    #[error("an origin holds no template")]
    Template,
    /// The host ends in a dot, which names the same machine in a second way.
    #[error("the host ends in a dot")]
    TrailingDot,
    /// Port 0.
    #[error("port 0 is not a port")]
    PortZero,
    /// The text is read as another one.
    #[error("it is read as {read}")]
    OtherSpelling {
        /// The origin as the URL parser reads it.
        read: Origin,
    },
}

impl Origin {
    /// The origin of a finished URL; none for schemes other than `http` and `https`.
    pub fn of(url: &Url) -> Option<Self> {
        let https = match url.scheme() {
            "https" => true,
            "http" => false,
            _ => return None,
        };
        let host = url.host()?.to_owned();
        let port = url.port_or_known_default()?;
        Some(Self { https, host, port })
    }

    /// Whether the connection is encrypted.
    pub fn is_https(&self) -> bool {
        self.https
    }

    /// The host, as the URL parser reads it.
    pub fn host(&self) -> &Host<String> {
        &self.host
    }

    /// The port, the scheme's own where none was written.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// What the `Host` header says: host, and port where it is not the scheme's own (RFC 9110 §7.2).
    pub fn authority(&self) -> String {
        if self.port == self.default_port() {
            self.host.to_string()
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }

    fn scheme(&self) -> &'static str {
        if self.https { "https" } else { "http" }
    }

    fn default_port(&self) -> u16 {
        if self.https { 443 } else { 80 }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.scheme(), self.authority())
    }
}

impl FromStr for Origin {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        if text.contains(['{', '}']) {
            return Err(Malformed::Template);
        }
        let url = Url::parse(text).map_err(|_| Malformed::Unreadable)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(Malformed::Scheme);
        }
        if !url.username().is_empty() || url.password().is_some() || text.contains('@') {
            return Err(Malformed::Userinfo);
        }
        if url.query().is_some() || url.fragment().is_some() || url.path() != "/" {
            return Err(Malformed::Tail);
        }
        let read = Self::of(&url).ok_or(Malformed::Unreadable)?;
        if read.port == 0 {
            return Err(Malformed::PortZero);
        }
        if matches!(&read.host, Host::Domain(name) if name.ends_with('.')) {
            return Err(Malformed::TrailingDot);
        }
        let with_port = format!("{}://{}:{}", read.scheme(), read.host, read.port);
        if text == read.to_string() || text == with_port {
            Ok(read)
        } else if text.strip_suffix('/').is_some_and(|rest| rest == read.to_string()) {
            Err(Malformed::Tail)
        } else {
            Err(Malformed::OtherSpelling { read })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_plain_spellings_are_one_origin() {
        let short: Origin = "https://api.example.com".parse().unwrap();
        let long: Origin = "https://api.example.com:443".parse().unwrap();
        assert_eq!(short, long);
        assert_eq!(long.to_string(), "https://api.example.com");
        assert_eq!(long.authority(), "api.example.com");
        let other: Origin = "http://[2001:db8::1]:8080".parse().unwrap();
        assert_eq!(other.authority(), "[2001:db8::1]:8080");
    }

    #[test]
    fn texts_that_are_read_as_something_else_are_refused() {
        for host in [
            "2130706433",
            "0x7f.1",
            "0177.0.0.1",
            "127.1",
            "0",
            "127。0。0。1",
            "１２７.０.０.１",
            "①②⑦.⓪.⓪.①",
            "127%2e0.0.1",
            "API.example.com",
            "api.example.com:0443",
            "api.example.com\t",
            "ap\ti.example.com",
            "müller.example",
            "[::0:1]",
        ] {
            let read = format!("https://{host}").parse::<Origin>();
            assert!(matches!(read, Err(Malformed::OtherSpelling { .. })), "{host}: {read:?}");
        }
        for text in ["https:1.2.3.4", "https:\\\\api.example.com", "https:///api.example.com"] {
            let read = text.parse::<Origin>();
            assert!(matches!(read, Err(Malformed::OtherSpelling { .. })), "{text}: {read:?}");
        }
    }

    #[test]
    fn each_part_too_many_is_named() {
        for (text, error) in [
            ("api.example.com", Malformed::Unreadable),
            ("https://", Malformed::Unreadable),
            ("https://a b", Malformed::Unreadable),
            ("ftp://api.example.com", Malformed::Scheme),
            ("file:///etc/passwd", Malformed::Scheme),
            ("https://user@api.example.com", Malformed::Userinfo),
            ("https://@api.example.com", Malformed::Userinfo),
            ("https://api.example.com/", Malformed::Tail),
            ("https://api.example.com/v1", Malformed::Tail),
            ("https://api.example.com?x", Malformed::Tail),
            ("https://api.example.com#x", Malformed::Tail),
            ("https://{tenant}.example.com", Malformed::Template),
            ("https://localhost.", Malformed::TrailingDot),
            ("https://api.example.com:0", Malformed::PortZero),
        ] {
            assert_eq!(text.parse::<Origin>(), Err(error), "{text}");
        }
    }
}
