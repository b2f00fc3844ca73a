//! From a validated declaration and the arguments of a call to one request, or to faults that name
//! the arguments.
//!
//! The invariant: a [`Built`] has the declared origin, exactly the declared path segments with each
//! argument whole in its own, and exactly the declared query pairs. Values that would change any of
//! this are refused, never repaired, and the finished URL is read back and compared before it is
//! let out. Pure: nothing is sent here, and no secret is known here.

mod body;
mod query;
mod segment;

use std::fmt;

use bytes::Bytes;
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, percent_encode};
use serde_json::{Map, Value};
use url::Url;

use super::declaration::{Argument, Location, Method, Segment, Validated};
use super::fault::{Fault, Faults};
use super::header_rule;
use super::origin::Origin;

const MAX_URL_BYTES: usize = 8 << 10;
const MAX_BODY_BYTES: usize = 1 << 20;

/// How many unknown arguments are named, and how much of each name.
const MAX_UNKNOWN: usize = 16;
const MAX_NAME_CHARS: usize = 64;

/// A request that is the declaration's, with a call's values in it. Its credential is not.
#[derive(Clone)]
pub struct Built {
    method: Method,
    url: Url,
    origin: Origin,
    headers: HeaderMap,
    body: Bytes,
    key_header: Option<HeaderName>,
}

impl fmt::Debug for Built {
    /// Leaves out everything that a call's values are in.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let method = self.method;
        write!(f, "Built({method:?} {}, {} bytes of body)", self.origin, self.body.len())
    }
}

impl Built {
    /// The method.
    pub fn method(&self) -> Method {
        self.method
    }

    /// The whole URL, without any credential.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// The declared origin, equal to that of [`Self::url`].
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The headers, without `Host`, length and credential.
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// The body; empty where there is none.
    pub fn body(&self) -> &Bytes {
        &self.body
    }

    /// Sends the platform's idempotency key along, where the declaration says that the upstream
    /// honours one. Answers whether it does. A key is visible ASCII; any other is not sent.
    pub fn set_idempotency_key(&mut self, key: &str) -> bool {
        match (&self.key_header, header_rule::value(key)) {
            (Some(name), Ok(value)) => {
                self.headers.insert(name.clone(), value);
                true
            }
            (Some(_) | None, _) => false,
        }
    }
}

/// The parts that arguments fill.
#[derive(Debug, Default)]
struct Parts {
    segments: Vec<(usize, String)>,
    pairs: Vec<query::Pair>,
    headers: HeaderMap,
    members: Vec<(String, Value)>,
    whole: Option<Value>,
}

/// Builds the request of one call.
///
/// # Errors
///
/// Every [`Fault`] of the arguments together: unknown and missing ones, values their schema refuses,
/// and values that cannot stand where they would go.
pub fn build(validated: &Validated, arguments: &Map<String, Value>) -> Result<Built, Vec<Fault>> {
    let mut faults = Faults::default();
    let declared = &validated.endpoint().arguments;
    unknown(declared, arguments, &mut faults);
    let mut parts = Parts::default();
    for (index, (argument, check)) in declared.iter().zip(validated.checks()).enumerate() {
        let given = if argument.fixed.is_none() { arguments.get(&argument.name) } else { None };
        let Some(value) = given.or_else(|| argument.fallback()) else {
            if argument.required {
                faults.add(&argument.name, "it is missing", "send it");
            }
            continue;
        };
        let before = faults.count();
        for error in check.iter_errors(value).take(8) {
            let field = format!("{}{}", argument.name, error.instance_path());
            faults.add(field, error.masked().to_string(), "send what the input schema describes");
        }
        if faults.count() == before
            && let Err(misfit) = place(&mut parts, index, argument, value)
        {
            faults.add(&argument.name, misfit.say, misfit.fix);
        }
    }
    let parts = faults.none_or(parts)?;
    finish(validated, parts).map_err(|fault| vec![fault])
}

/// A value that cannot stand where its argument goes.
#[derive(Debug, PartialEq, Eq)]
struct Misfit {
    say: String,
    fix: &'static str,
}

impl Misfit {
    fn new(say: impl Into<String>, fix: &'static str) -> Self {
        Self { say: say.into(), fix }
    }
}

fn unknown(declared: &[Argument], arguments: &Map<String, Value>, faults: &mut Faults) {
    let shown = || declared.iter().filter(|one| one.fixed.is_none()).map(|one| one.name.as_str());
    let strangers = arguments.keys().filter(|name| !shown().any(|known| known == *name));
    for name in strangers.take(MAX_UNKNOWN) {
        let name: String = name.chars().take(MAX_NAME_CHARS).collect();
        let nearest = shown()
            .map(|known| (strsim::damerau_levenshtein(known, &name), known))
            .min()
            .filter(|(distance, known)| *distance <= known.len().div_ceil(2));
        let fix = match nearest {
            Some((_, known)) => format!("did you mean `{known}`?"),
            None if shown().next().is_none() => String::from("send no arguments"),
            None => format!("the arguments are {}", shown().collect::<Vec<_>>().join(", ")),
        };
        faults.add(name, "there is no argument of this name", fix);
    }
}

fn place(
    parts: &mut Parts,
    index: usize,
    argument: &Argument,
    value: &Value,
) -> Result<(), Misfit> {
    match argument.location {
        Location::Path => {
            let text = scalar(argument.schema.get("type"), value)?;
            segment::check(&text, argument.allow_percent)?;
            parts.segments.push((index, text));
        }
        Location::Query => parts.pairs.extend(query::pairs(argument, value)?),
        Location::Header => {
            let text = scalar(argument.schema.get("type"), value)?;
            let fix = "send visible ASCII, without a space at either end";
            let name = header_rule::name(argument.target());
            let name = name.map_err(|refused| Misfit::new(refused.to_string(), fix))?;
            let value = header_rule::value(&text);
            let value = value.map_err(|refused| Misfit::new(refused.to_string(), fix))?;
            parts.headers.insert(name, value);
        }
        Location::Body if argument.whole_body => parts.whole = Some(value.clone()),
        Location::Body => parts.members.push((argument.target().to_owned(), value.clone())),
    }
    Ok(())
}

/// The text of a string, number or boolean.
///
/// A number that was written with a fraction or that overflowed 64 bits is no integer any more: its
/// digits are not those that were sent.
fn scalar(declared: Option<&Value>, value: &Value) -> Result<String, Misfit> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Bool(yes) => Ok(yes.to_string()),
        Value::Number(number)
            if number.is_f64() && declared.is_some_and(|one| one == "integer") =>
        {
            Err(Misfit::new("the number is not a 64-bit integer", "send it without a fraction"))
        }
        Value::Number(number) => Ok(number.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => {
            Err(Misfit::new("it is not a text, number or boolean", "send one of those"))
        }
    }
}

fn finish(validated: &Validated, parts: Parts) -> Result<Built, Fault> {
    let endpoint = validated.endpoint();
    let target = validated.target();
    let path = path(validated.segments(), &parts.segments)?;
    let query = query::written(&parts.pairs);
    let mut text = format!("{}{path}", target.origin());
    if let Some(query) = &query {
        text.push('?');
        text.push_str(query);
    }
    if text.len() > MAX_URL_BYTES {
        let say = format!("the URL would be longer than {MAX_URL_BYTES} bytes");
        return Err(internal("arguments", &say, "send less in path and query"));
    }
    let url = Url::parse(&text).map_err(|_| moved())?;
    assert_unmoved(validated, &parts, &url, &path, query.as_deref())?;
    let (media_type, body) = body::written(endpoint.body, &parts.members, parts.whole.as_ref())?;
    if body.len() > MAX_BODY_BYTES {
        let say = format!("the body would be longer than {MAX_BODY_BYTES} bytes");
        return Err(internal("arguments", &say, "send less in the body"));
    }
    let mut headers = target.headers().clone();
    headers.extend(parts.headers);
    if let Some(media_type) = media_type {
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    }
    if !headers.contains_key(header::ACCEPT)
        && let Ok(accept) = HeaderValue::from_str(&endpoint.media_types.join(", "))
        && !accept.is_empty()
    {
        headers.insert(header::ACCEPT, accept);
    }
    let key = endpoint.idempotency.as_ref().and_then(|one| one.upstream_header.as_deref());
    Ok(Built {
        method: endpoint.method,
        url,
        origin: target.origin().clone(),
        headers,
        body,
        key_header: key.and_then(|name| header_rule::name(name).ok()),
    })
}

fn path(segments: &[Segment], filled: &[(usize, String)]) -> Result<String, Fault> {
    let mut path = String::new();
    for segment in segments {
        path.push('/');
        match segment {
            Segment::Literal(text) => path.push_str(text),
            Segment::Argument(index) => {
                let found = filled.iter().find(|(argument, _)| argument == index);
                let (_, text) = found.ok_or_else(moved)?;
                path.push_str(&encode(text.as_bytes()));
            }
        }
    }
    Ok(path)
}

/// Reads the finished URL back and compares it with the declaration. None of this can fail while the
/// checks of the values are right; it is here for the day one of them is not.
fn assert_unmoved(
    validated: &Validated,
    parts: &Parts,
    url: &Url,
    path: &str,
    query: Option<&str>,
) -> Result<(), Fault> {
    let plain = Origin::of(url).as_ref() == Some(validated.target().origin())
        && url.username().is_empty()
        && url.password().is_none()
        && url.fragment().is_none()
        && url.path() == path
        && url.query() == query;
    let read: Vec<&str> = url.path_segments().map(Iterator::collect).unwrap_or_default();
    let segments = validated.segments();
    let same_segments = read.len() == segments.len()
        && read.iter().zip(segments).all(|(read, declared)| match declared {
            Segment::Literal(text) => read == text,
            Segment::Argument(index) => parts.segments.iter().any(|(argument, text)| {
                argument == index && percent_decode_str(read).eq(text.bytes())
            }),
        });
    let same_pairs = url
        .query_pairs()
        .eq(parts.pairs.iter().map(|pair| (pair.name.as_str().into(), pair.value.as_str().into())));
    if plain && same_segments && same_pairs { Ok(()) } else { Err(moved()) }
}

fn moved() -> Fault {
    internal(
        "arguments",
        "the finished address is not the declared one",
        "report the declaration to its owner; nothing was sent",
    )
}

fn internal(field: &str, say: &str, fix: &str) -> Fault {
    Fault { field: field.to_owned(), say: say.to_owned(), fix: fix.to_owned() }
}

/// Everything but RFC 3986's unreserved characters.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Percent-encodes everything but RFC 3986's unreserved characters.
pub(super) fn encode(bytes: &[u8]) -> String {
    percent_encode(bytes, RESERVED).to_string()
}

#[cfg(test)]
mod tests;
