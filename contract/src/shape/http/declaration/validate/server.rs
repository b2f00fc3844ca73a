//! The rules of a server: where it may point, and what it may say on every request.

use std::net::IpAddr;

use ::http::header::HeaderMap;
use url::Host;

use super::super::super::address_guard;
use super::super::super::cidr::Cidr;
use super::super::super::fault::Faults;
use super::super::super::header_rule;
use super::super::super::origin::{Malformed, Origin};
use super::super::{Credential, Placement, Policy, Server};

/// A server without a fault.
#[derive(Debug, Clone)]
pub struct Target {
    origin: Origin,
    allow: Vec<Cidr>,
    headers: HeaderMap,
    credential: Option<Credential>,
}

impl Target {
    /// Where requests go.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The private blocks it may reach.
    pub fn allow(&self) -> &[Cidr] {
        &self.allow
    }

    /// The headers sent with each request.
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// The credential put on each request.
    pub fn credential(&self) -> Option<&Credential> {
        self.credential.as_ref()
    }
}

/// Whether the server itself sets a header of this name: fixed, or by its credential.
pub(super) fn sets_header(server: &Server, name: &str) -> bool {
    let placed = match server.credential.as_ref().map(|credential| &credential.placement) {
        Some(Placement::Header { name, .. }) => Some(name.as_str()),
        Some(Placement::Bearer {} | Placement::Basic {}) => Some("authorization"),
        Some(Placement::Query { .. }) | None => None,
    };
    let fixed = server.static_headers.keys().map(String::as_str);
    fixed.chain(placed).any(|taken| taken.eq_ignore_ascii_case(name))
}

/// The name of the query pair that the server's credential takes.
pub(super) fn credential_pair(server: &Server) -> Option<&str> {
    match server.credential.as_ref().map(|credential| &credential.placement) {
        Some(Placement::Query { name }) => Some(name),
        Some(Placement::Header { .. } | Placement::Bearer {} | Placement::Basic {}) | None => None,
    }
}

pub(super) fn check(server: &Server, policy: &Policy, faults: &mut Faults) -> Option<Target> {
    private_blocks(server, policy, faults);
    credential(server, faults);
    let headers = static_headers(server, faults);
    let origin = origin(server, policy, faults)?;
    Some(Target {
        origin,
        allow: server.allow_private.clone(),
        headers,
        credential: server.credential.clone(),
    })
}

fn private_blocks(server: &Server, policy: &Policy, faults: &mut Faults) {
    for (index, block) in server.allow_private.iter().enumerate() {
        if !policy.private.iter().any(|allowed| allowed.covers(block)) {
            faults.add(
                format!("/server/allow_private/{index}"),
                format!("{block} is not within what an operator has allowed"),
                "leave it out, or ask an operator to allow it",
            );
        }
    }
}

fn origin(server: &Server, policy: &Policy, faults: &mut Faults) -> Option<Origin> {
    const FIELD: &str = "/server/origin";
    let (origin, read) = match server.origin.parse::<Origin>() {
        Ok(origin) => (Some(origin.clone()), origin),
        Err(malformed) => {
            let say = malformed.to_string();
            // The host is judged all the same, so that the next attempt is not refused anew.
            let read = if let Malformed::OtherSpelling { read } = malformed {
                faults.add(FIELD, say, format!("write {read}, if that is meant"));
                read
            } else {
                faults.add(FIELD, say, "write scheme, host and port: `https://api.example.com`");
                server.origin.trim_end_matches('.').parse().ok()?
            };
            (None, read)
        }
    };
    let http_allowed = server.allow_http && policy.http;
    if !(read.is_https() || http_allowed) {
        let fix = if policy.http {
            "set `allow_http`, or use https"
        } else {
            "use https, or ask an operator to allow plain http"
        };
        faults.add(FIELD, "plain http is not allowed", fix);
    } else if server.allow_http && !policy.http {
        let say = "plain http is not within what an operator has allowed";
        faults.add("/server/allow_http", say, "leave it out");
    }
    host(read.host(), &server.allow_private, faults);
    origin
}

fn host(host: &Host<String>, allow: &[Cidr], faults: &mut Faults) {
    let (say, fix) = match host {
        Host::Ipv4(address) => (literal(IpAddr::V4(*address), allow), LITERAL_FIX),
        Host::Ipv6(address) => (literal(IpAddr::V6(*address), allow), LITERAL_FIX),
        Host::Domain(name) if allow.is_empty() => (
            local_name(name),
            "name a host of the public internet, or ask an operator for its block",
        ),
        Host::Domain(_) => (None, ""),
    };
    if let Some(say) = say {
        faults.add("/server/origin", say, fix);
    }
}

const LITERAL_FIX: &str = "name the host, or ask an operator to allow the address as a block";

/// An address is never a host unless an operator's block covers it, even a public one: whoever
/// writes an address means a machine, and certificates and audits speak of names.
fn literal(address: IpAddr, allow: &[Cidr]) -> Option<String> {
    if let Err(denied) = address_guard::check(address, allow) {
        return Some(denied.to_string());
    }
    let covered = allow.iter().any(|block| block.contains(address.to_canonical()));
    (!covered).then(|| String::from("the host is an address, not a name"))
}

/// Names that are looked up inside a machine or its network (RFC 6761, RFC 6762, RFC 8375, and what
/// clouds call their metadata service).
fn local_name(name: &str) -> Option<String> {
    const ENDINGS: [&str; 8] = [
        "localhost",
        "localdomain",
        "local",
        "internal",
        "intranet",
        "lan",
        "home.arpa",
        "instance-data.ec2",
    ];
    let ends = |ending: &&str| -> bool {
        name.strip_suffix(*ending).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    let local = !name.contains('.') || ENDINGS.iter().any(ends);
    local.then(|| format!("`{name}` is a name of a private network"))
}

fn credential(server: &Server, faults: &mut Faults) {
    let Some(credential) = &server.credential else {
        return;
    };
    if credential.id.is_empty() {
        faults.add("/server/credential/id", "it is empty", "name the id of a credential");
    }
    let field = "/server/credential/placement/name";
    match &credential.placement {
        Placement::Bearer {} | Placement::Basic {} => {}
        Placement::Query { name } => {
            if name.is_empty() || name.contains(char::is_control) {
                faults.add(field, "it is no name of a query pair", "write it as in `api_key`");
            }
        }
        Placement::Header { name, prefix } => {
            if let Err(refused) = header_rule::credential_name(name) {
                faults.add(field, refused.to_string(), "write it as in `X-Api-Key`");
            }
            if !prefix.bytes().all(|byte| matches!(byte, b' '..=b'~')) || prefix.len() > 64 {
                let say = "it holds something else than visible ASCII, or is too long";
                faults.add("/server/credential/placement/prefix", say, "write it as in `Token `");
            }
        }
    }
}

fn static_headers(server: &Server, faults: &mut Faults) -> HeaderMap {
    let mut headers = HeaderMap::new();
    if server.static_headers.len() > 32 {
        faults.add("/server/static_headers", "there are more than 32", "declare at most 32");
        return headers;
    }
    let placed = server.credential.as_ref().and_then(|credential| match &credential.placement {
        Placement::Header { name, .. } => Some(name.as_str()),
        Placement::Bearer {} | Placement::Basic {} | Placement::Query { .. } => None,
    });
    for (text, value) in &server.static_headers {
        let field = format!("/server/static_headers/{text}");
        if placed.is_some_and(|placed| placed.eq_ignore_ascii_case(text)) {
            faults.add(field, "the credential takes this header", "leave it out");
            continue;
        }
        match (header_rule::name(text), header_rule::value(value)) {
            (Ok(name), Ok(value)) => {
                if headers.insert(name, value).is_some() {
                    faults.add(field, "the header is there twice", "keep one of the two");
                }
            }
            (Err(refused), _) | (_, Err(refused)) => {
                faults.add(field, refused.to_string(), "leave it out, or use a credential");
            }
        }
    }
    headers
}
