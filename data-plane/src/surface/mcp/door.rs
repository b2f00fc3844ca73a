//! Owns who may knock: the Host and Origin that a request may name, and CORS for pages.
//!
//! Invariant: a page of a foreign origin gets no answer, even if its name was made to resolve to
//! this machine (DNS rebinding). A program sends no Origin, and needs none.

use std::sync::Arc;

use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Uri, header};
use contract::{Code, Refusal};
use http::request::Parts;
use http::uri::Authority;
use tower_http::cors::{AllowHeaders, AllowOrigin, CorsLayer};

/// How long a browser may remember what a preflight answered.
const PREFLIGHT_AGE_S: u64 = 600;

/// The names and origins that an endpoint answers to. Loopback's own are always among them.
#[derive(Debug)]
pub(crate) struct Door {
    hosts: Vec<String>,
    origins: Vec<String>,
}

impl Door {
    pub(crate) fn new(hosts: Vec<String>, origins: &[String]) -> Self {
        Self { hosts, origins: origins.iter().map(|origin| plain(origin)).collect() }
    }

    /// Refuses a request that names a foreign host, or comes from a page of a foreign origin.
    /// HTTP/1.0 and what a front took out of HTTP/2 name no host; that is nothing foreign.
    pub(crate) fn admit(&self, parts: &Parts) -> Result<(), Box<Refusal>> {
        let own_name = match parts.uri.authority() {
            Some(authority) => self.is_host(authority.as_str()),
            None => true,
        };
        let text = |value: &HeaderValue| value.to_str().unwrap_or("?").to_owned();
        let all = |headers: &HeaderMap, name: HeaderName| -> Vec<String> {
            headers.get_all(name).iter().map(text).collect()
        };
        let hosts = all(&parts.headers, header::HOST);
        let origins = all(&parts.headers, header::ORIGIN);
        if own_name
            && hosts.iter().all(|host| self.is_host(host))
            && origins.iter().all(|origin| self.is_origin(origin))
        {
            return Ok(());
        }
        Err(Box::new(Refusal::new(
            Code::ForeignOrigin,
            "The Host or Origin of this request is not one that this service answers to.",
            "Call it by its own name, or ask the operator to allow this one.",
        )))
    }

    /// Lets the page that sent a request read a response that was made before any endpoint.
    pub(crate) fn readable(&self, request: &HeaderMap, response: &mut HeaderMap) {
        let origin = request.get(header::ORIGIN);
        let known =
            origin.and_then(|origin| origin.to_str().ok()).is_some_and(|o| self.is_origin(o));
        if let Some(origin) = origin.filter(|_| known) {
            response.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
            response.insert(
                header::ACCESS_CONTROL_EXPOSE_HEADERS,
                HeaderValue::from_static("www-authenticate,retry-after"),
            );
        }
    }

    fn is_host(&self, host: &str) -> bool {
        let Ok(authority) = Authority::try_from(host) else { return false };
        let bare = authority.host();
        let known =
            |name: &String| name.eq_ignore_ascii_case(host) || name.eq_ignore_ascii_case(bare);
        !host.contains('@') && (is_loopback(bare) || self.hosts.iter().any(known))
    }

    fn is_origin(&self, origin: &str) -> bool {
        let origin = plain(origin);
        let Some((scheme, host)) = origin.split_once("://") else {
            return self.origins.contains(&origin);
        };
        let Ok(authority) = Authority::try_from(host) else { return false };
        let any_port = format!("{scheme}://{}:*", authority.host());
        let loopback = matches!(scheme, "http" | "https") && is_loopback(authority.host());
        loopback || self.origins.iter().any(|known| *known == origin || *known == any_port)
    }

    /// Answers preflights, and lets pages of the allowed origins read the answers.
    pub(crate) fn cors(door: &Arc<Self>) -> CorsLayer {
        let door = Arc::clone(door);
        let known = move |origin: &HeaderValue, _: &_| {
            origin.to_str().is_ok_and(|origin| door.is_origin(origin))
        };
        CorsLayer::new()
            .allow_origin(AllowOrigin::predicate(known))
            .allow_methods([Method::POST])
            // `Mcp-Param-*` headers are named by tools: they cannot be listed.
            .allow_headers(AllowHeaders::mirror_request())
            .expose_headers([header::WWW_AUTHENTICATE, header::RETRY_AFTER])
            .max_age(std::time::Duration::from_secs(PREFLIGHT_AGE_S))
    }
}

/// An origin as browsers write it (RFC 6454, section 6.2): lower case, without a default port.
fn plain(origin: &str) -> String {
    let origin = origin.trim().trim_end_matches('/').to_ascii_lowercase();
    let default_port = if origin.starts_with("https://") { ":443" } else { ":80" };
    origin.strip_suffix(default_port).map(str::to_owned).unwrap_or(origin)
}

fn is_loopback(host: &str) -> bool {
    ["localhost", "127.0.0.1", "[::1]"].iter().any(|name| name.eq_ignore_ascii_case(host))
}

/// Where a client finds how to get a token: the challenge of RFC 6750, with the metadata of
/// RFC 9728 for the resource at `path`. `bad` says that a token was sent and is none that stands.
///
/// A token travels over TLS, except on the machine itself.
pub(crate) fn challenge(headers: &HeaderMap, uri: &Uri, bad: bool) -> String {
    let named = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let host = named.or_else(|| uri.authority().map(Authority::as_str)).unwrap_or("localhost");
    let bare = Authority::try_from(host);
    let local = bare.is_ok_and(|authority| is_loopback(authority.host()));
    let scheme = if local { "http" } else { "https" };
    let error = if bad { "error=\"invalid_token\", " } else { "" };
    let path = uri.path();
    format!(
        "Bearer {error}resource_metadata=\"{scheme}://{host}/.well-known/oauth-protected-resource{path}\""
    )
}
