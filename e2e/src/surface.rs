//! Owns calling one verb over each of the three surfaces, as a client of that surface does. Invariant:
//! what is answered is told as REST would tell it, so that the three can be compared.

use std::process::Stdio;

use contract::Verb;
use contract::render::cli;
use contract::verb::{Method, Registry};
use serde_json::{Value, json};
use tokio::process::Command;

use crate::process;
use crate::world::{Said, World};

/// A surface of the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Surface {
    /// HTTP, by the verb's own route.
    Rest,
    /// `/mcp`, by the five tools that are announced.
    Mcp,
    /// The `bailiwick` binary.
    Cli,
}

impl Surface {
    /// Every surface.
    pub const ALL: [Self; 3] = [Self::Rest, Self::Mcp, Self::Cli];
}

/// The verb of that name.
pub fn verb(name: &str) -> &'static Verb {
    Registry::get().verb(name).expect(name)
}

impl World {
    /// Calls a verb over a surface. What is on no MCP (operators' verbs) must not be asked of it.
    pub async fn on(&self, surface: Surface, token: &str, name: &str, input: &Value) -> Said {
        match surface {
            Surface::Rest => self.by_route(token, verb(name), input).await,
            Surface::Mcp => self.by_tool(token, name, input).await,
            Surface::Cli => self.by_command(token, verb(name), input).await,
        }
    }

    /// Calls a tool by its address over a surface.
    pub async fn call_on(
        &self,
        surface: Surface,
        token: &str,
        address: &str,
        arguments: Value,
    ) -> Said {
        let input = json!({ "address": address, "arguments": arguments });
        self.on(surface, token, "catalogue.call", &input).await
    }

    async fn by_route(&self, token: &str, verb: &Verb, input: &Value) -> Said {
        let (path, body) = route(verb, input);
        self.rest(token, verb.method.as_str(), &path, body).await
    }

    async fn by_tool(&self, token: &str, name: &str, input: &Value) -> Said {
        if contract::render::mcp::ANNOUNCED.contains(&name) {
            self.mcp(token, &name.replace('.', "_"), input.clone()).await
        } else {
            let call = json!({ "address": name, "arguments": input });
            self.mcp(token, "catalogue_call", call).await
        }
    }

    async fn by_command(&self, token: &str, verb: &Verb, input: &Value) -> Said {
        let nowhere = self.dir.path().join("no-profiles.json");
        let output = Command::new(process::binary())
            .args(cli::argv(verb, input))
            .args(["--json", "--url", &self.url])
            .env("BAILIWICK_TOKEN", token)
            .env("BAILIWICK_CONFIG", nowhere)
            .env_remove("BAILIWICK_URL")
            .stdin(Stdio::null())
            .output()
            .await
            .expect("the command runs");
        let text = String::from_utf8_lossy(&output.stdout);
        let body: Value = serde_json::from_str(&text).unwrap_or_else(|error| {
            let words = String::from_utf8_lossy(&output.stderr);
            let said = format!("{}: no JSON ({error}): {text}{words}", verb.name);
            Value::String(said)
        });
        let said = told(body);
        let exit = match said.status {
            200 => 0,
            202 => 4,
            503 => 3,
            _ => 2,
        };
        assert_eq!(output.status.code(), Some(exit), "{}: {}", verb.name, said.body);
        said
    }
}

/// The status that REST would send this body with.
pub(crate) fn told(body: Value) -> Said {
    let status = if body.get("refusal").is_some() {
        body["status"].as_u64().and_then(|status| u16::try_from(status).ok()).unwrap_or(422)
    } else if body.get("held").is_some() {
        202
    } else if body.get("unavailable").is_some() {
        503
    } else {
        assert!(body.get("result").is_some(), "this is none of the four answers: {body}");
        200
    };
    Said { status, body }
}

/// The path with its query, and the body, that say `input` to `verb`.
pub fn route(verb: &Verb, input: &Value) -> (String, Value) {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let mut url = reqwest::Url::parse("http://service").expect("a URL");
    let mut rest = input.as_object().expect("an input is an object").clone();
    {
        let mut path = url.path_segments_mut().expect("it has a path");
        for part in verb.path.split('/').skip(1) {
            match part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
                Some(field) => {
                    path.push(&rest.remove(field).map(|it| text(&it)).unwrap_or_default())
                }
                None => path.push(part),
            };
        }
    }
    if verb.method.has_body() {
        let body = Value::Object(rest);
        return (url.path().to_owned(), body);
    }
    for (name, value) in &rest {
        let one = std::slice::from_ref(value);
        for item in value.as_array().map_or(one, Vec::as_slice) {
            url.query_pairs_mut().append_pair(name, &text(item));
        }
    }
    debug_assert!(matches!(verb.method, Method::Get | Method::Delete));
    let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
    (format!("{}{query}", url.path()), Value::Null)
}
