use serde_json::json;

use super::*;

fn written(root: &Value, schema: &Value, is_30: bool) -> Result<Value, Reason> {
    let mut writer = Writer::new(Document { root, is_30 }, 100_000);
    writer.write(schema).map_err(|skip| skip.reason)
}

/// That each schema, of 3.0 or not, is written so.
fn all_written<const N: usize>(cases: [(bool, Value, Value); N]) {
    let root = json!({ "components": { "schemas": {
        "Id": { "type": "integer", "minimum": 0, "exclusiveMinimum": true, "x-own": 1 },
        "Base": { "type": "object", "required": ["id"], "properties": { "id": { "$ref": "#/components/schemas/Id" } } },
    } } });
    for (is_30, schema, expected) in cases {
        assert_eq!(written(&root, &schema, is_30), Ok(expected), "{schema}");
    }
}

#[test]
fn schemas_of_both_versions_become_json_schema_that_stands_alone() {
    all_written([
        // OpenAPI 3.0: null and exclusive bounds.
        (
            true,
            json!({ "type": "string", "nullable": true, "enum": ["a"], "example": "a" }),
            json!({ "type": ["string", "null"], "enum": ["a", null] }),
        ),
        (
            true,
            json!({ "$ref": "#/components/schemas/Id", "minimum": 7 }),
            json!({ "type": "integer", "exclusiveMinimum": 0 }),
        ),
        (
            true,
            json!({ "type": "number", "maximum": 3, "exclusiveMaximum": false }),
            json!({ "type": "number", "maximum": 3 }),
        ),
        (
            true,
            json!({ "nullable": true, "allOf": [{ "$ref": "#/components/schemas/Id" }] }),
            json!({ "type": ["integer", "null"], "exclusiveMinimum": 0 }),
        ),
        (
            true,
            json!({ "nullable": true, "oneOf": [{ "type": "string" }, { "type": "integer" }] }),
            json!({ "anyOf": [{ "oneOf": [{ "type": "string" }, { "type": "integer" }] }, { "type": "null" }] }),
        ),
        // OpenAPI 3.1: what stands beside a reference counts.
        (
            false,
            json!({ "$ref": "#/components/schemas/Id", "maximum": 7, "description": "It." }),
            json!({ "type": "integer", "exclusiveMinimum": 0, "description": "It.", "maximum": 7 }),
        ),
        (
            false,
            json!({ "type": ["string", "null"], "exclusiveMinimum": 2, "nullable": true }),
            json!({ "type": ["string", "null"], "exclusiveMinimum": 2 }),
        ),
    ]);
}

#[test]
fn all_of_is_merged_where_that_is_simple_and_what_is_not_known_is_left() {
    all_written([
        // allOf: merged where that is simple, kept where not.
        (
            true,
            json!({ "allOf": [{ "$ref": "#/components/schemas/Base" },
                { "type": "object", "required": ["name"], "properties": { "name": { "type": "string" } } }] }),
            json!({ "type": "object", "required": ["id", "name"], "properties": {
                "id": { "type": "integer", "exclusiveMinimum": 0 }, "name": { "type": "string" } } }),
        ),
        (
            true,
            json!({ "allOf": [{ "type": "object", "properties": { "a": {} }, "additionalProperties": false },
                { "properties": { "b": {} } }] }),
            json!({ "allOf": [{ "type": "object", "properties": { "a": {} }, "additionalProperties": false },
                { "properties": { "b": {} } }] }),
        ),
        (
            true,
            json!({ "allOf": [{ "maximum": 3 }, { "maximum": 5 }] }),
            json!({ "allOf": [{ "maximum": 3 }, { "maximum": 5 }] }),
        ),
        // What is not known, or not as it has to be, is in no declaration.
        (
            false,
            json!({ "type": "string", "discriminator": {}, "xml": {}, "$id": "x", "default": "d",
                "maxLength": "3", "required": true, "pattern": "(?=a)b", "items": [], "format": "uuid" }),
            json!({ "type": "string", "format": "uuid" }),
        ),
        (
            false,
            json!({ "properties": { "$ref": { "type": "string" }, "a": true, "b": false } }),
            json!({ "properties": { "$ref": { "type": "string" }, "a": {}, "b": { "not": {} } } }),
        ),
    ]);
}

#[test]
fn what_has_no_end_or_no_bound_is_refused() {
    let wide: Map<String, Value> = (0..400)
        .map(|n| (format!("m{n}"), json!({ "$ref": "#/components/schemas/Leaf" })))
        .collect();
    let mut schemas = json!({
        "Tree": { "type": "object", "properties": { "left": { "$ref": "#/components/schemas/Tree" } } },
        "A": { "items": { "$ref": "#/components/schemas/B" } },
        "B": { "not": { "$ref": "#/components/schemas/A" } },
        "Leaf": { "type": "object", "properties": { "a": {}, "b": {}, "c": {}, "d": {} } },
        "Wide": { "type": "object", "properties": wide },
        "L0": { "type": "string" },
    });
    for n in 1..30 {
        let below = format!("#/components/schemas/L{}", n - 1);
        schemas[format!("L{n}")] =
            json!({ "properties": { "a": { "$ref": below }, "b": { "$ref": below } } });
    }
    let root = json!({ "components": { "schemas": schemas } });
    let of = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
    for (name, reason) in [
        ("Tree", Reason::Recursive),
        ("A", Reason::Recursive),
        ("Wide", Reason::TooLarge),
        // Each level is twice the one below: a billion in all.
        ("L29", Reason::TooLarge),
        ("None", Reason::BrokenReference),
    ] {
        assert_eq!(written(&root, &of(name), true), Err(reason), "{name}");
    }
    assert_eq!(
        written(&root, &json!({ "$ref": "other.json#/a" }), true),
        Err(Reason::ExternalReference)
    );
    assert_eq!(written(&root, &json!({ "items": 3 }), true), Err(Reason::Malformed));
    // One schema cannot eat what is left for the others, and all together have an end.
    let mut writer = Writer::new(Document { root: &root, is_30: true }, 100);
    assert!(writer.write(&of("Wide")).is_err());
    assert!(writer.write(&of("L0")).is_err());
    let mut writer = Writer::new(Document { root: &root, is_30: true }, 5_000);
    assert!(writer.write(&of("Wide")).is_err());
    assert!(writer.write(&of("L3")).is_ok());
}

#[test]
fn plain_values_are_known_and_null_is_none() {
    let plain = |mut schema: Value| is_plain(&mut schema).then_some(schema);
    assert_eq!(plain(json!({ "type": ["string", "null"] })), Some(json!({ "type": "string" })));
    assert_eq!(plain(json!({ "enum": [1, null] })), Some(json!({ "enum": [1] })));
    assert_eq!(
        plain(json!({ "anyOf": [{ "type": "integer" }, { "type": "null" }], "title": "N" })),
        Some(json!({ "title": "N", "type": "integer" }))
    );
    let either = json!({ "oneOf": [{ "type": "integer" }, { "type": "string" }] });
    assert_eq!(plain(either).expect("plain")["type"], json!(["integer", "string"]));
    for schema in [json!({}), json!({ "type": "object" }), json!({ "type": "array", "items": {} })]
    {
        assert_eq!(plain(schema.clone()), None, "{schema}");
    }
    let mut filter = json!({ "properties": { "a": { "type": "string" } } });
    assert!(members(&mut filter) && filter["additionalProperties"] == json!(false));
    let mut ids = json!({ "items": { "type": "integer" } });
    assert!(is_list(&mut ids) && ids["type"] == json!("array"));
}
