//! Owns a call to the service over REST. Invariants: the token goes to the target and nowhere else
//! (no redirect is followed); a call of which the outcome is not known is never said to have failed.

pub(crate) mod reply;
mod request;

use std::time::Duration;

use anyhow::Context as _;
use clap::ArgMatches;
use contract::{Answer, Code, Effect, Fault, Refusal, Verb, idempotency};
use reqwest::header::{self, HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;
use url::Host;

use crate::failure::Failure;
use crate::target::Target;
use reply::Reply;

/// How long a connection may take to be made.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long an answer may take. Longer than a call to an upstream may.
const ANSWER_TIMEOUT: Duration = Duration::from_mins(5);
/// The largest answer that is read, in bytes.
const ANSWER_MAX_BYTES: usize = 64 * 1024 * 1024;
/// When what does not answer is tried again.
const RETRY_AFTER_MS: u64 = 1000;

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static(idempotency::HEADER);
const RUN: HeaderName = HeaderName::from_static("bailiwick-run");

/// What goes with an input and is no part of it.
#[derive(Debug, Default)]
pub(crate) struct With {
    headers: HeaderMap,
    dry_run: bool,
}

impl With {
    /// What the flags of every command say, unless the verb takes them in its input.
    ///
    /// # Errors
    /// The faults of values that cannot be sent.
    pub(crate) fn of(verb: &Verb, matches: &ArgMatches) -> Result<Self, Vec<Fault>> {
        let fields = ["run", idempotency::FIELD];
        let dry_run = matches.get_flag("dry_run");
        if fields.iter().chain(&["dry_run"]).all(|name| verb.field(name).is_some()) {
            return Ok(Self::default());
        }
        let mut with = Self { dry_run, ..Self::default() };
        let mut faults = Vec::new();
        for (field, name) in fields.into_iter().zip([RUN, IDEMPOTENCY_KEY]) {
            let Some(text) = matches.get_one::<String>(field) else { continue };
            let fault = idempotency::fault(text).filter(|_| name == IDEMPOTENCY_KEY);
            match HeaderValue::from_str(text) {
                Ok(value) if fault.is_none() && !text.is_empty() && text.is_ascii() => {
                    with.headers.insert(name, value);
                }
                _ => faults.push(fault.unwrap_or_else(|| {
                    let say = format!("`{field}` is not visible ASCII.");
                    Fault::new(field, say, "Give a plain text, such as a UUID.")
                })),
            }
        }
        if faults.is_empty() { Ok(with) } else { Err(faults) }
    }
}

/// A caller of one server.
#[derive(Debug)]
pub(crate) struct Client {
    http: reqwest::Client,
    target: Target,
}

impl Client {
    /// A caller of `target`.
    pub(crate) fn new(target: Target) -> anyhow::Result<Self> {
        let mut builder = reqwest::Client::builder()
            .user_agent(concat!("bailiwick/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(ANSWER_TIMEOUT);
        if is_loopback(target.base.host().as_ref()) {
            // What is on this machine is never meant to be reached through another.
            builder = builder.no_proxy();
        }
        if target.base.scheme() == "http" {
            // Without TLS the machine's certificates need not be there.
            builder = builder.tls_certs_only([]);
        }
        let http = builder.build().context("cannot make an HTTP client")?;
        Ok(Self { http, target })
    }

    /// Which server is called, and with whose token.
    pub(crate) fn whence(&self) -> String {
        self.target.whence()
    }

    /// Calls `verb` with `input`.
    ///
    /// # Errors
    /// An answer made here: what cannot be sent, and what did not answer as the service does.
    pub(crate) async fn call(
        &self,
        verb: &'static Verb,
        input: &Value,
        with: &With,
    ) -> Result<Reply, Failure> {
        let request = request::of(&self.target.base, verb, input, with.dry_run)?;
        let method: reqwest::Method = request.method.parse().map_err(anyhow::Error::from)?;
        let mut building = self
            .http
            .request(method, &request.url)
            .headers(with.headers.clone())
            .header(header::ACCEPT, "application/json");
        if let Some(token) = &self.target.token {
            let mut bearer = HeaderValue::from_str(&format!("Bearer {}", token.expose()))
                .map_err(anyhow::Error::from)?;
            bearer.set_sensitive(true);
            building = building.header(header::AUTHORIZATION, bearer);
        }
        if let Some(body) = request.body {
            building = building.header(header::CONTENT_TYPE, "application/json").body(body);
        }
        let reads = verb.effect == Effect::Read || with.dry_run;
        let mut response = match building.send().await {
            Ok(response) => response,
            Err(error) if error.is_connect() => return Err(self.not_there(&error).into()),
            Err(error) => return Err(self.unheard(reads, &causes(&error)).into()),
        };
        let status = response.status();
        let mut bytes = Vec::new();
        loop {
            match response.chunk().await {
                Ok(Some(chunk)) if bytes.len() + chunk.len() <= ANSWER_MAX_BYTES => {
                    bytes.extend_from_slice(&chunk);
                }
                Ok(Some(_)) => {
                    let why = format!("its answer is larger than {ANSWER_MAX_BYTES} bytes");
                    return Err(self.unheard(reads, &why).into());
                }
                Ok(None) => break,
                Err(error) => return Err(self.unheard(reads, &causes(&error)).into()),
            }
        }
        let reply = String::from_utf8(bytes).ok().and_then(Reply::read);
        reply.ok_or_else(|| {
            let why =
                format!("it answered HTTP {status} with something that is no answer of Bailiwick");
            self.unheard(reads, &why).into()
        })
    }

    /// What is answered where there is nobody: certainly nothing was done.
    fn not_there(&self, error: &reqwest::Error) -> Answer {
        let what = format!(
            "nothing was sent: {} does not answer: {}. Start it with `bailiwick serve --data DIR`, or name another \
             server with --url or a profile",
            self.whence(),
            causes(error),
        );
        Answer::unavailable(what, RETRY_AFTER_MS)
    }

    /// What is answered where the call was sent and no answer came that can be read.
    fn unheard(&self, reads: bool, why: &str) -> Answer {
        let say = format!("{} was called, and its answer is not known: {why}", self.whence());
        if reads {
            return Answer::unavailable(say, RETRY_AFTER_MS);
        }
        let fix = "See whether it was done before you send it again. A call that was sent with \
                   --idempotency-key can be sent again with the same key: it is done once.";
        Refusal::new(Code::OutcomeUnknown, format!("{say}."), fix).into()
    }
}

fn is_loopback(host: Option<&Host<&str>>) -> bool {
    match host {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => *name == "localhost",
        None => false,
    }
}

/// The innermost cause, which says most, without the address that is said already.
fn causes(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "the time for it ran out".to_owned();
    }
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}
