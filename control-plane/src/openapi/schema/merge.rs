//! `allOf` as one schema, where that is simple. Invariant: what a merged schema lets through is what
//! all its parts let through together; where that is not plain to see, `allOf` stays.

use serde_json::{Map, Value};

/// The schema with its `allOf` merged into it, if it has one and that is simple.
pub(super) fn own(mut schema: Map<String, Value>) -> Map<String, Value> {
    let Some(Value::Array(parts)) = schema.shift_remove("allOf") else { return schema };
    let mut all = Vec::with_capacity(parts.len() + 1);
    if !schema.is_empty() {
        all.push(schema);
    }
    for part in parts {
        if let Value::Object(part) = part {
            all.push(part);
        }
    }
    self::all(all)
}

/// One schema for all of `parts`; the first has the word.
pub(super) fn all(parts: Vec<Map<String, Value>>) -> Map<String, Value> {
    let mut out = Map::new();
    let closed = parts.iter().any(|part| {
        part.get("additionalProperties").is_some_and(|more| *more != Value::Bool(true))
            || part.contains_key("unevaluatedProperties")
            || part.contains_key("patternProperties")
    });
    let several = parts.iter().filter(|part| part.contains_key("properties")).count() > 1;
    let simple = !(closed && several) && parts.iter().all(|part| merge(&mut out, part));
    if simple {
        return out;
    }
    let first = parts.iter().find_map(|part| part.get("description")).cloned();
    let mut out = Map::new();
    out.extend(first.map(|said| ("description".to_owned(), said)));
    out.insert("allOf".to_owned(), parts.into_iter().map(Value::Object).collect());
    out
}

/// Puts `part` into `out`; whether that was simple.
fn merge(out: &mut Map<String, Value>, part: &Map<String, Value>) -> bool {
    for (key, value) in part {
        let fits = match (key.as_str(), out.get_mut(key)) {
            (_, None) => {
                out.insert(key.clone(), value.clone());
                true
            }
            ("description" | "title", Some(_)) => true,
            ("properties", Some(Value::Object(there))) => {
                let mut more = value.as_object().into_iter().flatten();
                more.all(|(name, schema)| match there.get(name) {
                    Some(other) => other == schema,
                    None => there.insert(name.clone(), schema.clone()).is_none(),
                })
            }
            ("required", Some(Value::Array(there))) => {
                for name in value.as_array().into_iter().flatten() {
                    if !there.contains(name) {
                        there.push(name.clone());
                    }
                }
                true
            }
            (_, Some(there)) => there == value,
        };
        if !fits {
            return false;
        }
    }
    true
}
