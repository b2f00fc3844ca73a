//! Owns what is said of a value that fits none of several forms. Invariant: a tagged union is judged
//! by the variant its tag names, so that the faults name fields and not "none of the schemas".

use serde_json::Value;

use super::{Validator, brief, join};
use crate::refusal::Fault;
use crate::schema::{choices, variants};

/// Every fault of `value`, which fits none of the forms that `schema` takes. `at` is its field.
pub(super) fn explain(schema: &Value, value: &Value, at: &str, out: &mut Vec<Fault>) {
    let given = brief(value);
    if let Some(choices) = choices(schema) {
        let values: Vec<_> = choices.iter().map(|choice| format!("`{}`", choice.value)).collect();
        out.push(one_of(at, &given, &values));
        return;
    }
    let variants = variants(schema);
    let tag = variants.iter().find_map(|variant| Some(variant.tag()?.0));
    let (Some(tag), Some(object)) = (tag, value.as_object()) else {
        let fix =
            if variants.is_empty() { "Read the schema of this field." } else { "Send an object." };
        out.push(Fault::new(at, format!("{given} fits none of the forms taken here."), fix));
        return;
    };
    let named = object.get(tag).and_then(Value::as_str);
    match variants.iter().find(|variant| variant.tag().map(|(_, text)| text) == named) {
        Some(variant) if named.is_some() => {
            out.extend(Validator::new(variant.schema).faults(value, at));
        }
        _ => {
            let tags =
                variants.iter().filter_map(|variant| Some(format!("`{}`", variant.tag()?.1)));
            let given = object.get(tag).map_or_else(|| format!("`{tag}` is missing"), brief);
            out.push(one_of(&join(at, tag), &given, &tags.collect::<Vec<_>>()));
        }
    }
}

fn one_of(at: &str, given: &str, values: &[String]) -> Fault {
    Fault::new(
        at,
        format!("{given} is not one of the values taken."),
        format!("Send one of {}.", values.join(", ")),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn validator() -> Validator {
        Validator::new(&json!({
            "type": "object", "properties": {
                "state": { "anyOf": [{ "oneOf": [{ "const": "open" }, { "const": "shut" }] }, { "type": "null" }] },
                "instance": { "oneOf": [
                    {
                        "type": "object", "additionalProperties": false, "required": ["shape", "origin"],
                        "properties": { "shape": { "const": "http" }, "origin": { "type": "string" } }
                    },
                    { "type": "object", "required": ["shape"], "properties": { "shape": { "const": "sql" } } }
                ] }
            }
        }))
    }

    fn faults(input: &Value) -> Vec<(String, String)> {
        let faults = validator().faults(input, "");
        faults.into_iter().map(|fault| (fault.field, fault.fix)).collect()
    }

    #[test]
    fn a_closed_list_is_told_whole() {
        let told = faults(&json!({ "state": "opne" }));
        assert_eq!(told, [("state".to_owned(), "Send one of `open`, `shut`.".to_owned())]);
    }

    #[test]
    fn the_tag_chooses_what_is_judged() {
        let told = faults(&json!({ "instance": { "shape": "http", "orgin": "x" } }));
        assert!(
            told.contains(&("instance.orgin".to_owned(), "Did you mean `origin`?".to_owned())),
            "{told:?}"
        );
        assert!(told.iter().any(|(field, _)| field == "instance.origin"), "{told:?}");
        for wrong in [json!({ "shape": "ftp" }), json!({})] {
            let told = faults(&json!({ "instance": wrong }));
            assert_eq!(
                told,
                [("instance.shape".to_owned(), "Send one of `http`, `sql`.".to_owned())]
            );
        }
        assert_eq!(faults(&json!({ "instance": 7 })).len(), 1);
    }
}
