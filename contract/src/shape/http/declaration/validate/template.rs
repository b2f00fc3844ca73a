//! The path template: literal segments, and segments that one argument fills whole.

use super::super::super::fault::Faults;
use super::super::{Endpoint, Location};

/// One segment of a declared path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Segment {
    /// Sent as it stands.
    Literal(String),
    /// Filled by the argument at this index.
    Argument(usize),
}

const FIELD: &str = "/endpoint/path";
const MAX_SEGMENTS: usize = 64;

pub(super) fn check(endpoint: &Endpoint, faults: &mut Faults) -> Vec<Segment> {
    let Some(rest) = endpoint.path.strip_prefix('/') else {
        faults.add(FIELD, "it does not start with a slash", "write it as in `/v1/users/{id}`");
        return Vec::new();
    };
    let texts: Vec<&str> = rest.split('/').collect();
    if texts.len() > MAX_SEGMENTS || endpoint.path.len() > 2048 {
        faults.add(FIELD, "it is too long", format!("use at most {MAX_SEGMENTS} segments"));
        return Vec::new();
    }
    let mut segments = Vec::new();
    for (index, text) in texts.iter().enumerate() {
        let last = index + 1 == texts.len();
        let inner = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        match inner {
            Some(name) if !name.contains(['{', '}']) => {
                if let Some(filled) = argument(endpoint, name, &segments, faults) {
                    segments.push(filled);
                }
            }
            Some(_) | None => segments.push(literal(text, last, faults)),
        }
    }
    for (index, declared) in endpoint.arguments.iter().enumerate() {
        let used = segments.contains(&Segment::Argument(index));
        if declared.location == Location::Path && !used {
            let target = declared.target();
            faults.add(
                format!("/endpoint/arguments/{index}/in"),
                format!("the path has no segment `{{{target}}}`"),
                "put it into the path, or send the argument elsewhere",
            );
        }
    }
    segments
}

fn argument(
    endpoint: &Endpoint,
    name: &str,
    before: &[Segment],
    faults: &mut Faults,
) -> Option<Segment> {
    let index = endpoint
        .arguments
        .iter()
        .position(|one| one.location == Location::Path && one.target() == name);
    let Some(index) = index else {
        let say = format!("no path argument is called `{name}`");
        faults.add(FIELD, say, "declare it with `in: path`, or take it out of the path");
        return None;
    };
    let segment = Segment::Argument(index);
    if before.contains(&segment) {
        faults.add(FIELD, format!("`{{{name}}}` is there twice"), "name each argument once");
    }
    Some(segment)
}

fn literal(text: &str, last: bool, faults: &mut Faults) -> Segment {
    let fault = if text.contains(['{', '}']) {
        Some("an argument fills one whole segment, and braces mean nothing else")
    } else if text.is_empty() && !last {
        Some("a segment is empty")
    } else if !text.is_empty() && text.bytes().all(|byte| byte == b'.') {
        Some("a segment is made of dots")
    } else if !text.bytes().all(is_literal) {
        Some("a segment holds a character that would have to be encoded")
    } else {
        None
    };
    if let Some(say) = fault {
        faults.add(FIELD, format!("{say}: `{text}`"), "write it as in `/v1/users/{id}`");
    }
    Segment::Literal(text.to_owned())
}

/// What the URL parser leaves as it is in a path, without `%`, `;` and `\`, which upstreams read in
/// more than one way.
fn is_literal(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,:=@".contains(&byte)
}
