//! What a changed field means to a curator. Where it cannot be told whether a tool became wider, it is
//! not said to be narrower.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Group;

type Side<'v> = Option<&'v Value>;
type Judged = (Group, &'static str);

const MORE: &str = "It lets more through.";
const LESS: &str = "It lets less through.";
const OTHERWISE: Judged = (Group::Other, "It changed otherwise.");

/// The group of the change at `path`, and what it means.
pub(super) fn judge(path: &[&str], before: Side<'_>, after: Side<'_>) -> Judged {
    match path {
        ["about"] => (Group::Words, "What the tool says of itself changed."),
        ["effect" | "labels"] => (Group::Other, "What it suggests to the curator changed."),
        ["endpoint", rest @ ..] => endpoint(rest, before, after),
        _ => OTHERWISE,
    }
}

fn endpoint(path: &[&str], before: Side<'_>, after: Side<'_>) -> Judged {
    match path {
        ["method" | "path"] => (Group::Widens, "It asks something else of the system."),
        ["timeout_ms" | "response_limit_bytes" | "max_ratio"] | ["rate_limit", "calls"] => {
            ceiling(before, after)
        }
        ["rate_limit", "per_seconds"] => floor(before, after),
        ["rate_limit" | "output_schema"] => rule(before, after),
        ["media_types"] => values(before, after),
        ["clean_outputs", _] => match (before, after) {
            (_, None) => (Group::Narrows, "Less of the answer is trusted as clean."),
            _ => (Group::Widens, "More of the answer is trusted as clean."),
        },
        ["clean_outputs", _, ..] => (Group::Widens, "It is trusted as clean by another rule."),
        ["arguments", name] if !name.is_empty() => whole_argument(before, after),
        ["arguments", _, rest @ ..] => argument(rest, before, after),
        ["output_schema", rest @ ..] => schema(rest, before, after),
        _ => OTHERWISE,
    }
}

fn whole_argument(before: Side<'_>, after: Side<'_>) -> Judged {
    let fixed = |side: Side<'_>| side.is_some_and(|one| one.get("fixed").is_some());
    if fixed(before) || fixed(after) {
        return (Group::Other, "What is sent along with every call changed.");
    }
    match (before, after) {
        (None, _) => (Group::Widens, "A new argument: callers say what they could not."),
        (_, None) => (Group::Narrows, "An argument is gone."),
        _ => OTHERWISE,
    }
}

fn argument(path: &[&str], before: Side<'_>, after: Side<'_>) -> Judged {
    let set = after == Some(&Value::Bool(true));
    match path {
        ["required"] if set => (Group::Narrows, "A call without it is refused now."),
        ["required"] => (Group::Widens, "It may be left out now."),
        ["allow_percent"] if set => (Group::Widens, MORE),
        ["allow_percent"] => (Group::Narrows, LESS),
        ["fixed"] => match (before, after) {
            (None, _) => (Group::Narrows, "Callers no longer set it."),
            (_, None) => (Group::Widens, "Callers set it now."),
            _ => (Group::Other, "What is sent along with every call changed."),
        },
        ["in" | "target"] => (Group::Widens, "It goes somewhere else on the request."),
        ["schema", rest @ ..] => schema(rest, before, after),
        _ => OTHERWISE,
    }
}

/// A place inside a JSON Schema: names of members and keywords take turns.
fn schema(path: &[&str], before: Side<'_>, after: Side<'_>) -> Judged {
    let mut path = path;
    loop {
        path = match path {
            // What is not let through is let through where it widens: that is not told here.
            [] | ["not", _, ..] => return OTHERWISE,
            ["properties" | "patternProperties" | "$defs", _] => {
                return match (before, after) {
                    (None, _) => (Group::Widens, "A new member: callers say what they could not."),
                    (_, None) => (Group::Narrows, "A member is gone."),
                    _ => OTHERWISE,
                };
            }
            [keyword] => return keyword_of_schema(keyword, before, after),
            ["properties" | "patternProperties" | "$defs", _, rest @ ..] | [_, rest @ ..] => rest,
        };
    }
}

fn keyword_of_schema(keyword: &str, before: Side<'_>, after: Side<'_>) -> Judged {
    match keyword {
        "description" | "title" | "examples" | "$comment" => {
            (Group::Words, "What is said of it changed.")
        }
        "default" => (Group::Other, "What is sent where it is left out changed."),
        "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties" => {
            ceiling(before, after)
        }
        "minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties" => {
            floor(before, after)
        }
        "enum" | "type" => values(before, after),
        // Fewer members asked for lets more through.
        "required" => values(after, before).turned(before.is_none() || after.is_none()),
        "additionalProperties" | "items" => openness(before, after),
        _ => rule(before, after),
    }
}

trait Turned {
    /// The same, or its opposite: a list that is not there asks for nothing, but takes everything.
    fn turned(self, absent: bool) -> Self;
}

impl Turned for Judged {
    fn turned(self, absent: bool) -> Self {
        match (absent, self.0) {
            (true, Group::Widens) => (Group::Narrows, LESS),
            (true, Group::Narrows) => (Group::Widens, MORE),
            (true, Group::Words | Group::Other) | (false, _) => self,
        }
    }
}

/// A number that lets more through the higher it is; none lets everything through.
fn ceiling(before: Side<'_>, after: Side<'_>) -> Judged {
    match (before, after) {
        (Some(before), Some(after)) => match (before.as_f64(), after.as_f64()) {
            (Some(before), Some(after)) if after > before => (Group::Widens, MORE),
            (Some(before), Some(after)) if after < before => (Group::Narrows, LESS),
            _ => OTHERWISE,
        },
        (None, _) => (Group::Narrows, LESS),
        (_, None) => (Group::Widens, MORE),
    }
}

/// A number that lets more through the lower it is; none lets everything through.
fn floor(before: Side<'_>, after: Side<'_>) -> Judged {
    match (before, after) {
        (Some(_), Some(_)) => ceiling(after, before),
        (None, _) | (_, None) => ceiling(before, after),
    }
}

/// Something that narrows where it stands.
fn rule(before: Side<'_>, after: Side<'_>) -> Judged {
    match (before, after) {
        (None, _) => (Group::Narrows, LESS),
        (_, None) => (Group::Widens, MORE),
        _ => OTHERWISE,
    }
}

/// A list of what is let through; none lets everything through. Something new in it widens, whatever
/// else is gone.
fn values(before: Side<'_>, after: Side<'_>) -> Judged {
    let (Some(one), Some(other)) = (before, after) else { return rule(before, after) };
    let (one, other) = (listed(one), listed(other));
    if one == other {
        return OTHERWISE;
    }
    if other.is_subset(&one) { (Group::Narrows, LESS) } else { (Group::Widens, MORE) }
}

fn listed(value: &Value) -> BTreeSet<String> {
    let items = value.as_array().map_or_else(|| std::slice::from_ref(value), Vec::as_slice);
    let mut listed: BTreeSet<String> = items.iter().map(ToString::to_string).collect();
    if listed.contains("\"number\"") {
        // Every integer is a number.
        listed.insert("\"integer\"".to_owned());
    }
    listed
}

/// What members or items that nothing else speaks of may be; nothing said lets all through.
fn openness(before: Side<'_>, after: Side<'_>) -> Judged {
    let open = |side: Side<'_>| side.is_none_or(|value| *value == Value::Bool(true));
    let closed = |side: Side<'_>| side == Some(&Value::Bool(false));
    if open(before) || closed(after) {
        (Group::Narrows, LESS)
    } else if open(after) || closed(before) {
        (Group::Widens, MORE)
    } else {
        OTHERWISE
    }
}
