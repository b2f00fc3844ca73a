//! Owns the demo's REST caller: a verb of the contract, sent with one token. Invariant: it knows no
//! route of its own; method and path are the verb's declaration.

use std::time::Duration;

use anyhow::{Context as _, bail};
use contract::Registry;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value, json};

/// How long an answer may take: longer than any of the demo's upstreams.
const TIMEOUT: Duration = Duration::from_mins(1);
/// What is not sent as it is in a path or query (RFC 3986, section 2.3).
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Whoever calls with one token.
#[derive(Clone)]
pub(crate) struct Api {
    http: reqwest::Client,
    url: String,
    token: String,
}

impl std::fmt::Debug for Api {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Api").field("url", &self.url).finish_non_exhaustive()
    }
}

/// What came back.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    /// The HTTP status.
    pub(crate) status: u16,
    /// The body, as it came.
    pub(crate) body: Value,
    /// The body's length in bytes.
    pub(crate) bytes: usize,
}

/// An HTTP client for loopback: no proxy, and no certificates, since there is no TLS.
pub(crate) fn http() -> anyhow::Result<reqwest::Client> {
    let builder = reqwest::Client::builder().no_proxy().tls_certs_only([]).timeout(TIMEOUT);
    builder.build().context("cannot make an HTTP client")
}

impl Api {
    /// A caller of the service at `url` with `token`.
    pub(crate) fn new(http: &reqwest::Client, url: &str, token: &str) -> Self {
        Self { http: http.clone(), url: url.to_owned(), token: token.to_owned() }
    }

    /// The token it calls with.
    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    /// Sends `verb` with `input`, an object.
    pub(crate) async fn call(&self, verb: &str, input: Value) -> anyhow::Result<Reply> {
        let known =
            Registry::get().verb(verb).with_context(|| format!("there is no verb {verb}"))?;
        let mut fields = members(input);
        let mut url = self.url.clone();
        for part in known.path.split('/').skip(1) {
            url.push('/');
            match part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
                Some(name) => url.push_str(&escaped(&fields.remove(name).unwrap_or_default())),
                None => url.push_str(part),
            }
        }
        let method: reqwest::Method = known.method.as_str().parse()?;
        let request = if known.method.has_body() {
            self.http.request(method, url).json(&fields)
        } else {
            let pairs = query(&fields);
            let url = if pairs.is_empty() { url } else { format!("{url}?{pairs}") };
            self.http.request(method, url)
        };
        let sent = request.bearer_auth(&self.token).send().await;
        let response = sent.with_context(|| format!("{verb} was not answered"))?;
        let status = response.status().as_u16();
        let text = response.text().await?;
        let body = serde_json::from_str(&text).with_context(|| format!("{verb}: no JSON"))?;
        Ok(Reply { status, body, bytes: text.len() })
    }

    /// Sends `verb` with `input` and answers its result; anything else ends the demo.
    pub(crate) async fn done(&self, verb: &str, input: Value) -> anyhow::Result<Value> {
        let reply = self.call(verb, input).await?;
        match reply.body.get("result") {
            Some(result) if reply.status == 200 => Ok(result.clone()),
            _ => bail!("{verb} was answered with {}: {}", reply.status, reply.body),
        }
    }

    /// Calls the tool at `address`.
    pub(crate) async fn tool(&self, address: &str, arguments: Value) -> anyhow::Result<Reply> {
        let input = json!({ "address": address, "arguments": arguments });
        self.call("catalogue.call", input).await
    }
}

/// The members of an object; none of anything else.
pub(crate) fn members(value: Value) -> Map<String, Value> {
    if let Value::Object(members) = value { members } else { Map::new() }
}

/// A list is said once for each item.
fn query(fields: &Map<String, Value>) -> String {
    let mut pairs = Vec::new();
    for (name, value) in fields {
        let one = std::slice::from_ref(value);
        let items = value.as_array().map_or(one, Vec::as_slice);
        pairs.extend(items.iter().map(|item| format!("{name}={}", escaped(item))));
    }
    pairs.join("&")
}

/// A text as it is, anything else as JSON.
fn escaped(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    utf8_percent_encode(&text, ESCAPED).to_string()
}

/// A text member of an answer; empty if it is not there, which no check takes for the right one.
pub(crate) fn text(value: &Value, pointer: &str) -> String {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
}
