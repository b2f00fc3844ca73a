//! Where a document says that its system is. Invariant: of that only the path is used, before the
//! paths of the operations; no origin of a document is ever called.

use contract::Fault;
use contract::shape::http::Origin;
use serde_json::Value;
use url::Url;

use super::{Asked, brief, text_of};

/// The most origins that are listed.
const ORIGINS_MAX: usize = 16;

/// Where the operations are.
#[derive(Debug)]
pub(super) struct Place {
    /// What goes before each path: empty, or a path without a slash at its end.
    pub(super) base_path: String,
    /// The origins that the document names for itself, each once.
    pub(super) origins: Vec<String>,
    /// The hosts that the document names for itself.
    hosts: Vec<String>,
}

impl Place {
    /// What goes before the path of an operation: by its own servers, or those of its path, or the
    /// document's; `None` if all of those that it names are on other hosts than the document's.
    pub(super) fn base(&self, operation: &Value, item: &Value) -> Option<String> {
        let own = [operation, item].into_iter().map(servers).find(|own| !own.is_empty());
        let Some(own) = own else { return Some(self.base_path.clone()) };
        let near = |server: &Server| {
            let host = server.host.as_ref();
            host.is_none_or(|host| self.hosts.is_empty() || self.hosts.contains(host))
        };
        own.into_iter().find(near).map(|server| server.path)
    }
}

/// Where the document's operations are.
pub(super) fn of(root: &Value, asked: &Asked<'_>) -> Result<Place, Vec<Fault>> {
    let servers = servers(root);
    let declared = asked.server.origin.parse::<Origin>().ok().map(|origin| origin.to_string());
    let here = servers.iter().find(|one| one.origin.is_some() && one.origin == declared);
    let said = here.or_else(|| servers.first()).map(|one| one.path.clone()).unwrap_or_default();
    let base_path = match asked.base_path {
        None => said,
        Some(given) => {
            let path = given.trim_end_matches('/');
            let well = path.is_empty() || path.starts_with('/');
            if !well || path.contains(['?', '#', '{', '}']) {
                let say = "It is no path to go before others.";
                return Err(vec![Fault::new("base_path", say, "Write it as in `/v1`.")]);
            }
            path.to_owned()
        }
    };
    let mut origins: Vec<String> = Vec::new();
    for origin in servers.iter().filter_map(|one| one.origin.clone()) {
        if !origins.contains(&origin) && origins.len() < ORIGINS_MAX {
            origins.push(origin);
        }
    }
    let hosts = servers.into_iter().filter_map(|one| one.host).collect();
    Ok(Place { base_path, origins, hosts })
}

#[derive(Debug)]
struct Server {
    origin: Option<String>,
    host: Option<String>,
    path: String,
}

/// The servers that `holder` names, with the defaults of their variables put in.
fn servers(holder: &Value) -> Vec<Server> {
    let servers = holder.get("servers").and_then(Value::as_array).into_iter().flatten();
    servers.take(64).filter_map(|one| server(&filled(one)?)).collect()
}

fn filled(server: &Value) -> Option<String> {
    let mut url = text_of(server, "url")?.to_owned();
    let variables = server.get("variables").and_then(Value::as_object).into_iter().flatten();
    for (name, variable) in variables.take(16) {
        let default = text_of(variable, "default").unwrap_or_default();
        if url.len() > 4_000 || default.len() > 400 {
            return None;
        }
        url = url.replace(&format!("{{{name}}}"), default);
    }
    Some(url)
}

fn server(url: &str) -> Option<Server> {
    let path = |path: &str| path.trim_end_matches('/').to_owned();
    if url.starts_with('/') && !url.starts_with("//") {
        let cut = url.split(['?', '#']).next().unwrap_or_default();
        return Some(Server { origin: None, host: None, path: path(cut) });
    }
    let url = Url::parse(url).ok()?;
    let host = url.host_str()?.to_owned();
    let origin = Origin::of(&url).map(|origin| origin.to_string());
    let origin = origin.unwrap_or_else(|| brief(&url.origin().ascii_serialization()));
    Some(Server { origin: Some(origin), host: Some(host), path: path(url.path()) })
}
