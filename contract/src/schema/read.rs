//! Owns how a schema is read by those who render it or explain it: what can be chosen, what may be
//! left out, which fields an object has. Invariant: nothing here adds a rule that the schema does
//! not hold.

use serde_json::{Map, Value, json};

/// One value that a closed list takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Choice {
    /// The value on the wire.
    pub(crate) value: String,
    /// What it means, if the declaration says so.
    pub(crate) about: Option<String>,
}

/// One way to fill an object: all of it, or one variant of a tagged union.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Variant<'a> {
    /// Its fields.
    pub(crate) fields: &'a Map<String, Value>,
    /// The schema it was read from.
    pub(crate) schema: &'a Value,
}

impl Variant<'_> {
    /// Whether the field must be there.
    pub(crate) fn requires(&self, field: &str) -> bool {
        self.schema
            .get("required")
            .and_then(Value::as_array)
            .is_some_and(|names| names.iter().any(|name| name == field))
    }

    /// The first field that takes exactly one text, and that text: the tag of a union.
    pub(crate) fn tag(&self) -> Option<(&str, &str)> {
        self.fields.iter().find_map(|(name, schema)| Some((name.as_str(), only_text(schema)?)))
    }
}

/// The schema without `null` among what it takes: to leave a field out says the same.
pub(crate) fn bare(schema: &Value) -> Value {
    let mut schema = schema.clone();
    let Some(map) = schema.as_object_mut() else { return schema };
    if let Some(Value::Array(types)) = map.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            map.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(values)) = map.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    let Some(Value::Array(branches)) = map.get_mut("anyOf") else { return schema };
    branches.retain(|branch| branch.get("type").is_none_or(|kind| kind != "null"));
    let [Value::Object(only)] = branches.as_slice() else { return schema };
    let mut merged = only.clone();
    for (key, value) in map.iter().filter(|(key, _)| *key != "anyOf") {
        merged.insert(key.clone(), value.clone());
    }
    Value::Object(merged)
}

/// The values of a closed list of texts, with what each means; `None` if it is no such list.
pub(crate) fn choices(schema: &Value) -> Option<Vec<Choice>> {
    let about = schema.get("description").and_then(Value::as_str).map(one_line);
    if let Some(text) = schema.get("const") {
        return Some(vec![Choice { value: text.as_str()?.to_owned(), about }]);
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        let choice =
            |value: &Value| Some(Choice { value: value.as_str()?.to_owned(), about: None });
        return values.iter().map(choice).collect();
    }
    let branches = schema.get("oneOf").or_else(|| schema.get("anyOf"))?.as_array()?;
    let lists: Option<Vec<_>> = branches.iter().map(choices).collect();
    lists.map(|lists| lists.into_iter().flatten().collect())
}

/// Every way to fill the object that the schema asks for; empty if it names no fields.
pub(crate) fn variants(schema: &Value) -> Vec<Variant<'_>> {
    if let Some(fields) = schema.get("properties").and_then(Value::as_object) {
        return vec![Variant { fields, schema }];
    }
    let branches = schema.get("oneOf").or_else(|| schema.get("anyOf")).and_then(Value::as_array);
    let found: Vec<_> = branches.into_iter().flatten().map(variants).collect();
    if found.iter().any(|variants| variants.len() != 1) {
        return Vec::new();
    }
    found.into_iter().flatten().collect()
}

/// Whether the schema takes any value at all.
pub(crate) fn is_free(schema: &Value) -> bool {
    match schema {
        Value::Bool(all) => *all,
        Value::Object(map) => map.keys().all(|key| key == "description" || key == "default"),
        Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) => false,
    }
}

/// Writes each `const` as an `enum` of one value, for readers that drop `const`.
pub(crate) fn const_as_enum(schema: &mut Value) {
    each_schema(schema, &mut |map| {
        if let Some(value) = map.shift_remove("const") {
            map.insert("enum".to_owned(), Value::Array(vec![value]));
        }
    });
}

/// Writes the schemas `true` and `false` of fields as objects: some clients take a field's schema
/// for an object and refuse the whole tool otherwise.
pub(crate) fn open_objects(schema: &mut Value) {
    each_schema(schema, &mut |map| {
        let fields = map.get_mut("properties").and_then(Value::as_object_mut);
        for field in fields.into_iter().flat_map(Map::values_mut) {
            if let Value::Bool(any) = field {
                *field = if *any { json!({}) } else { json!({ "not": {} }) };
            }
        }
    });
}

/// Calls `change` on the schema and on every schema in it, and on nothing else: a field called
/// `const` and a default that looks like a schema are left alone.
fn each_schema(schema: &mut Value, change: &mut impl FnMut(&mut Map<String, Value>)) {
    let Some(map) = schema.as_object_mut() else { return };
    change(map);
    if let Some(Value::Object(fields)) = map.get_mut("properties") {
        for field in fields.values_mut() {
            each_schema(field, change);
        }
    }
    for key in ["items", "additionalProperties", "not"] {
        if let Some(inner) = map.get_mut(key) {
            each_schema(inner, change);
        }
    }
    for key in ["oneOf", "anyOf", "allOf", "prefixItems"] {
        if let Some(Value::Array(branches)) = map.get_mut(key) {
            for branch in branches {
                each_schema(branch, change);
            }
        }
    }
}

/// The first sentence of a paragraph, on one line.
pub(crate) fn first_sentence(paragraph: &str) -> String {
    let line = one_line(paragraph);
    match line.split_once(". ") {
        Some((first, _)) => format!("{first}."),
        None => line,
    }
}

/// The paragraph on one line.
pub(crate) fn one_line(paragraph: &str) -> String {
    paragraph.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn only_text(schema: &Value) -> Option<&str> {
    if let Some(text) = schema.get("const") {
        return text.as_str();
    }
    match schema.get("enum")?.as_array()?.as_slice() {
        [only] => only.as_str(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_is_no_choice_and_the_outer_description_wins() {
        let optional = json!({
            "anyOf": [
                { "oneOf": [{ "const": "a", "description": "The\nfirst." }, { "enum": ["b"] }], "description": "inner" },
                { "type": "null" }
            ],
            "description": "outer"
        });
        let schema = bare(&optional);
        assert_eq!(schema["description"], "outer");
        let choices = choices(&schema).expect("a closed list");
        let values: Vec<_> = choices.iter().map(|choice| choice.value.as_str()).collect();
        assert_eq!(values, ["a", "b"]);
        assert_eq!(choices[0].about.as_deref(), Some("The first."));
        assert_eq!(bare(&json!({ "type": ["string", "null"] })), json!({ "type": "string" }));
    }

    #[test]
    fn a_union_is_read_by_its_variants() {
        let union = json!({ "oneOf": [
            { "type": "object", "properties": { "kind": { "const": "a" }, "x": {} }, "required": ["kind"] },
            { "type": "object", "properties": { "kind": { "const": "b" } }, "required": ["kind"] }
        ] });
        let variants = variants(&union);
        let tags: Vec<_> = variants.iter().filter_map(Variant::tag).collect();
        assert_eq!(tags, [("kind", "a"), ("kind", "b")]);
        assert!(variants[0].requires("kind") && !variants[0].requires("x"));
    }

    #[test]
    fn const_becomes_enum_but_a_field_called_const_stays() {
        let mut schema =
            json!({ "properties": { "const": { "const": "x" } }, "default": { "const": 1 } });
        const_as_enum(&mut schema);
        assert_eq!(
            schema,
            json!({ "properties": { "const": { "enum": ["x"] } }, "default": { "const": 1 } })
        );
    }

    #[test]
    fn a_first_sentence_ends_at_its_full_stop() {
        assert_eq!(first_sentence("Reads\n1.5 lines. Then\nmore."), "Reads 1.5 lines.");
        assert_eq!(first_sentence("One"), "One");
    }
}
