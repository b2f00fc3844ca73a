use serde_json::{Value, json};

use super::*;

fn input() -> Value {
    json!({
        "type": "object", "additionalProperties": false, "required": ["name"],
        "properties": {
            "name": { "type": "string", "maxLength": 10, "pattern": "^[a-z]+$" },
            "limit": { "type": ["integer", "null"], "minimum": 1, "maximum": 200 },
            "state": { "enum": ["open", "shut"] },
            "tags": { "type": "array", "items": { "type": "string" } },
            "how": { "oneOf": [
                { "type": "object", "required": ["by"], "properties": { "by": { "enum": ["key"] }, "name": { "type": "string" } } },
                { "type": "object", "required": ["by"], "properties": { "by": { "enum": ["none"] } } }
            ] }
        }
    })
}

fn answer() -> Value {
    json!({ "type": "object", "required": ["id", "state"], "properties": {
        "id": { "type": "string" }, "state": { "enum": ["open", "shut"] }, "note": { "type": "string" }
    } })
}

fn documents() -> Value {
    json!({
        "paths": { "/v1/things/{thing}": { "patch": {
            "operationId": "thing.update", "security": [{ "token": [] }], "x-effect": "write", "x-needs": "thing.manage",
            "parameters": [
                { "name": "thing", "in": "path", "required": true, "schema": { "type": "string" } },
                { "name": "dry_run", "in": "query", "required": false, "schema": { "type": "boolean" } }
            ],
            "requestBody": { "required": true, "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Input" } } } },
            "responses": { "200": { "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Answer" } } } } }
        } } },
        "components": { "schemas": { "Input": input(), "Answer": answer(), "Hint": { "type": "object", "required": ["say"], "properties": { "say": {} } } } },
        "announced": ["thing_update"],
        "tools": [{ "name": "thing_update", "inputSchema": input(), "outputSchema": answer() }]
    })
}

fn says(edit: impl FnOnce(&mut Value)) -> Vec<String> {
    let before = documents();
    let mut now = before.clone();
    edit(&mut now);
    of_openapi(&before, &now).iter().map(ToString::to_string).collect()
}

const OPERATION: &str = "/paths/~1v1~1things~1{thing}/patch";
const INPUT: &str = "/components/schemas/Input";
const ANSWER: &str = "/components/schemas/Answer";

/// The document with the member `name` of what is at `at` set, or removed.
fn set(at: String, name: &str, value: Option<Value>) -> impl FnOnce(&mut Value) {
    move |document| {
        let target = document.pointer_mut(&at).and_then(Value::as_object_mut).expect(&at);
        match value {
            Some(value) => drop(target.insert(name.to_owned(), value)),
            None => drop(target.shift_remove(name).expect("was there")),
        }
    }
}

#[test]
fn nothing_breaks_where_nothing_changed() {
    assert_eq!(says(|_| ()), Vec::<String>::new());
    assert_eq!(of_tools(&documents(), &documents()), BTreeSet::new());
}

#[test]
fn what_a_caller_sends_must_still_be_taken() {
    let field = |name: &str| format!("{INPUT}/properties/{name}");
    let all = format!("{INPUT}/properties");
    for (at, name, value, told) in [
        (all, "limit", None, "`limit` is no longer taken"),
        (INPUT.to_owned(), "required", Some(json!(["name", "state"])), "`state` must be sent now"),
        (field("name"), "maxLength", Some(json!(9)), "maxLength was 10, is 9"),
        (field("name"), "minLength", Some(json!(2)), "minLength was none, is 2"),
        (field("name"), "pattern", Some(json!("^a")), "pattern was"),
        (field("name"), "format", Some(json!("uri")), "format was none"),
        (field("limit"), "type", Some(json!("integer")), "another type"),
        (field("limit"), "minimum", Some(json!(2)), "minimum was 1, is 2"),
        (field("state"), "enum", Some(json!(["open"])), "no longer takes \"shut\""),
        (
            field("tags"),
            "items",
            Some(json!({ "type": "string", "maxLength": 3 })),
            "`tags[]` takes less",
        ),
        (field("tags"), "enum", Some(json!([[]])), "closed list now"),
        (field("how/oneOf/0"), "required", Some(json!(["by", "name"])), "`name` must be sent now"),
        (
            field("how/oneOf/1/properties/by"),
            "enum",
            Some(json!(["never"])),
            "nothing stands for the form",
        ),
        (OPERATION.to_owned(), "requestBody", None, "takes no body"),
        (OPERATION.to_owned(), "x-needs", Some(json!("operator")), "what it needs is another"),
        (OPERATION.to_owned(), "x-effect", Some(json!("destructive")), "its effect is another"),
        (
            format!("{OPERATION}/parameters/1"),
            "required",
            Some(json!(true)),
            "`dry_run` must be sent",
        ),
        (
            format!("{OPERATION}/parameters/1"),
            "name",
            Some(json!("dry")),
            "`dry_run` is no longer taken",
        ),
        (format!("{OPERATION}/parameters/0/schema"), "maxLength", Some(json!(3)), "thing: "),
    ] {
        let said = says(set(at.clone(), name, value));
        assert!(said.len() == 1 && said[0].contains(told), "{at} {name}: {said:?}, not {told}");
        assert!(said[0].starts_with("thing.update: "), "{said:?}");
    }
}

#[test]
fn what_a_caller_reads_must_still_be_there() {
    let field = |name: &str| format!("{ANSWER}/properties/{name}");
    for (at, name, value, told) in [
        (format!("{ANSWER}/properties"), "note", None, "`note` of the answer is gone"),
        (format!("{ANSWER}/properties"), "id", None, "`id` of the answer is gone"),
        (
            ANSWER.to_owned(),
            "required",
            Some(json!(["id"])),
            "`state` of the answer may be left out",
        ),
        (field("id"), "type", Some(json!(["string", "null"])), "another type"),
        (field("id"), "type", None, "another type"),
        (field("state"), "enum", None, "no longer a closed list"),
    ] {
        let said = says(set(at.clone(), name, value));
        assert!(said.len() == 1 && said[0].contains(told), "{at} {name}: {said:?}, not {told}");
    }
    let shared = says(set("/components/schemas/Hint".to_owned(), "required", None));
    assert_eq!(shared, ["Hint: `say` of the answer may be left out now."]);
}

#[test]
fn what_is_added_or_let_through_breaks_nobody() {
    let field = |name: &str| format!("{INPUT}/properties/{name}");
    for (at, name, value) in [
        (format!("{INPUT}/properties"), "more", Some(json!({ "type": "string" }))),
        (INPUT.to_owned(), "required", None),
        (INPUT.to_owned(), "description", Some(json!("Words."))),
        (field("name"), "maxLength", Some(json!(11))),
        (field("name"), "pattern", None),
        (field("limit"), "type", Some(json!(["number", "null"]))),
        (field("state"), "enum", Some(json!(["open", "shut", "lost"]))),
        (field("state"), "enum", None),
        (field("how"), "oneOf", None),
        (format!("{ANSWER}/properties"), "more", Some(json!({}))),
        (ANSWER.to_owned(), "required", Some(json!(["id", "state", "note"]))),
        (format!("{ANSWER}/properties/state"), "enum", Some(json!(["open", "shut", "lost"]))),
        ("/paths".to_owned(), "/v1/more", Some(json!({ "get": { "operationId": "more.get" } }))),
    ] {
        assert_eq!(says(set(at.clone(), name, value)), Vec::<String>::new(), "{at} {name}");
    }
}

#[test]
fn a_verb_that_moved_or_went_is_told_once() {
    let gone = says(set("/paths".to_owned(), "/v1/things/{thing}", Some(json!({}))));
    assert_eq!(gone, ["thing.update: the verb is gone."]);
    let moved = says(|document| {
        let paths = document["paths"].as_object_mut().expect("paths");
        let item = paths.shift_remove("/v1/things/{thing}").expect("the item");
        paths.insert("/v1/thing/{thing}".to_owned(), item);
    });
    assert_eq!(
        moved,
        ["thing.update: `PATCH /v1/things/{thing}` is `PATCH /v1/thing/{thing}` now."]
    );
}

#[test]
fn a_tool_is_held_to_its_schemas_as_well() {
    let before = documents();
    let said = |edit: fn(&mut Value)| {
        let mut now = before.clone();
        edit(&mut now);
        of_tools(&before, &now).iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(said(|now| now["tools"] = json!([])), ["thing_update: the tool is gone."]);
    assert_eq!(
        said(|now| now["announced"] = json!([])),
        ["thing_update: the tool is no longer announced."]
    );
    assert_eq!(
        said(|now| now["tools"][0]["inputSchema"]["required"] = json!(["name", "tags"])),
        ["thing_update: `tags` must be sent now."]
    );
    assert_eq!(said(|now| now["tools"][0]["outputSchema"]["required"] = json!([])).len(), 2);
}

#[test]
fn a_break_is_announced_by_its_name_in_the_unreleased_part_alone() {
    let breaks =
        BTreeSet::from([Break { of: "thing.update".to_owned(), say: "It is.".to_owned() }]);
    let log = |text: &str| {
        format!(
            "# Changelog\n\n## [0.2.0] - unreleased\n\n{text}\n\n## [0.1.0] - 2026-11-30\n\n### Breaking\n\n- `thing.update` was.\n"
        )
    };
    let open = |text: &str| unannounced(&breaks, &log(text)).len();
    for told in [
        "### Breaking\n\n- `thing.update` takes\n  no `limit`.",
        "### Changed\n\n- **Breaking**: the limit of\n  `thing.update` is 9.",
        "### Breaking\n\n- The tool thing_update.",
    ] {
        assert_eq!(open(told), 0, "{told}");
    }
    for silent in [
        "",
        "### Added\n\n- `thing.update`.",
        "### Breaking\n\n- `thing.updates`, `a.thing.update`.\n\n### Added\n\n- `thing.update`.",
        "### Changed\n\n- **Breaking**: another.\n- `thing.update`.",
    ] {
        assert_eq!(open(silent), 1, "{silent}");
    }
}
