use proptest::prelude::*;
use serde_json::json;

use super::*;

fn declaration() -> Value {
    json!({
        "name": "ticket.list", "about": "The open tickets of a shop.", "effect": "read",
        "labels": ["untrusted"],
        "endpoint": {
            "method": "GET", "path": "/tickets", "timeout_ms": 10_000,
            "media_types": ["application/json"],
            "arguments": [
                { "name": "limit", "in": "query", "required": false,
                  "schema": { "type": "integer", "maximum": 50, "minimum": 1, "description": "How many." } },
                { "name": "state", "in": "query", "required": true,
                  "schema": { "type": "string", "enum": ["open", "shut"] } }
            ],
            "clean_outputs": [{ "pointer": "/number", "kind": { "type": "integer" } }]
        }
    })
}

/// The older declaration with the changes put into it, with its keyed lists as objects: what the
/// newer one is then too. It uses nothing of the product but what a change says.
fn put_into(older: &Value, changes: &[(Group, Change)]) -> Value {
    let mut lists: Vec<(&str, Vec<(String, Value)>)> = Vec::new();
    let mut whole = older.clone();
    for (list, member) in KEYED {
        let items = whole["endpoint"][list].as_array().cloned().unwrap_or_default();
        let named = items.into_iter().map(|item| (item[member].as_str().unwrap().to_owned(), item));
        lists.push((list, named.collect()));
    }
    let unescape = |part: &str| part.replace("~1", "/").replace("~0", "~");
    for (_, change) in changes.iter().filter(|(_, change)| !is_order(change)) {
        let path: Vec<String> = change.at.split('/').skip(1).map(unescape).collect();
        let list = lists.iter_mut().find(|(name, _)| path.len() > 2 && path[1] == *name);
        match list {
            Some((_, items)) if path.len() == 3 => match &change.after {
                None => items.retain(|(name, _)| *name != path[2]),
                Some(item) => items.push((path[2].clone(), item.clone())),
            },
            Some((_, items)) => {
                let (_, item) = items.iter_mut().find(|(name, _)| *name == path[2]).unwrap();
                set(item, &path[3..], change.after.as_ref());
            }
            None => set(&mut whole, &path, change.after.as_ref()),
        }
    }
    for (list, items) in lists {
        let stay: Vec<String> = items
            .iter()
            .map(|(name, _)| name.clone())
            .filter(|name| !is_new(changes, list, name))
            .collect();
        let mut items = items;
        items.sort_by_key(|(name, _)| {
            let place = stay.iter().position(|one| one == name);
            (place.unwrap_or(usize::MAX), name.clone())
        });
        let order = changes.iter().find(|(_, one)| is_order(one) && one.at.ends_with(list));
        if let Some((_, order)) = order {
            let order = order.after.as_ref().unwrap().as_array().unwrap();
            items.sort_by_key(|(name, _)| order.iter().position(|one| one == name));
        }
        whole["endpoint"][list] = items.into_iter().map(|(_, item)| item).collect();
    }
    whole
}

fn is_new(changes: &[(Group, Change)], list: &str, name: &str) -> bool {
    let at = pointer(&["endpoint", list, name]);
    changes.iter().any(|(_, change)| change.at == at && change.before.is_none())
}

fn is_order(change: &Change) -> bool {
    KEYED.iter().any(|(list, _)| change.at == format!("/endpoint/{list}"))
}

fn set(target: &mut Value, path: &[String], after: Option<&Value>) {
    let (last, above) = path.split_last().expect("a field");
    let mut inner = target;
    for part in above {
        inner = &mut inner[part.as_str()];
    }
    let fields = inner.as_object_mut().expect("an object");
    match after {
        Some(value) => drop(fields.insert(last.clone(), value.clone())),
        None => drop(fields.shift_remove(last)),
    }
}

fn groups(change: impl FnOnce(&mut Value)) -> Vec<(Group, String)> {
    let before = declaration();
    let mut after = before.clone();
    change(&mut after);
    diff(&before, &after).into_iter().map(|(group, change)| (group, change.at)).collect()
}

fn one(group: Group, at: &str) -> Vec<(Group, String)> {
    vec![(group, at.to_owned())]
}

#[test]
fn a_change_stands_in_the_group_that_a_curator_looks_for_it_in() {
    use Group::{Narrows, Other, Widens, Words};
    type Edit = fn(&mut Value);
    let cases: [(Group, &str, Edit); 22] = [
        (Words, "/about", |d| d["about"] = json!("The tickets.")),
        (Other, "/effect", |d| d["effect"] = json!("write")),
        (Widens, "/endpoint/path", |d| d["endpoint"]["path"] = json!("/all")),
        (Widens, "/endpoint/method", |d| d["endpoint"]["method"] = json!("POST")),
        (Widens, "/endpoint/timeout_ms", |d| d["endpoint"]["timeout_ms"] = json!(20_000)),
        (Narrows, "/endpoint/timeout_ms", |d| d["endpoint"]["timeout_ms"] = json!(5_000)),
        (Widens, "/endpoint/media_types", |d| d["endpoint"]["media_types"] = json!(["text/csv"])),
        (Narrows, "/endpoint/rate_limit", |d| d["endpoint"]["rate_limit"] = json!({ "calls": 1 })),
        (Narrows, "/endpoint/arguments/state", |d| {
            d["endpoint"]["arguments"].as_array_mut().unwrap().pop().unwrap();
        }),
        (Widens, "/endpoint/arguments/q", |d| {
            d["endpoint"]["arguments"].as_array_mut().unwrap().push(json!({ "name": "q" }));
        }),
        (Other, "/endpoint/arguments/q", |d| {
            let fixed = json!({ "name": "q", "fixed": 1 });
            d["endpoint"]["arguments"].as_array_mut().unwrap().push(fixed);
        }),
        (Other, "/endpoint/arguments", |d| {
            d["endpoint"]["arguments"].as_array_mut().unwrap().reverse();
        }),
        (Widens, "/endpoint/arguments/state/required", |d| {
            d["endpoint"]["arguments"][1]["required"] = json!(false);
        }),
        (Widens, "/endpoint/arguments/limit/schema/maximum", |d| {
            d["endpoint"]["arguments"][0]["schema"]["maximum"] = json!(500);
        }),
        (Narrows, "/endpoint/arguments/limit/schema/minimum", |d| {
            d["endpoint"]["arguments"][0]["schema"]["minimum"] = json!(2);
        }),
        (Words, "/endpoint/arguments/limit/schema/description", |d| {
            d["endpoint"]["arguments"][0]["schema"]["description"] = json!("How few.");
        }),
        (Widens, "/endpoint/arguments/limit/schema/type", |d| {
            d["endpoint"]["arguments"][0]["schema"]["type"] = json!("number");
        }),
        (Narrows, "/endpoint/arguments/state/schema/enum", |d| {
            d["endpoint"]["arguments"][1]["schema"]["enum"] = json!(["open"]);
        }),
        (Widens, "/endpoint/arguments/state/schema/enum", |d| {
            d["endpoint"]["arguments"][1]["schema"]["enum"] = json!(["open", "lost"]);
        }),
        (Narrows, "/endpoint/arguments/state/schema/pattern", |d| {
            d["endpoint"]["arguments"][1]["schema"]["pattern"] = json!("^o");
        }),
        (Widens, "/endpoint/clean_outputs/~1number/kind/type", |d| {
            d["endpoint"]["clean_outputs"][0]["kind"] = json!({ "type": "boolean" });
        }),
        (Narrows, "/endpoint/clean_outputs/~1number", |d| {
            d["endpoint"]["clean_outputs"] = json!([]);
        }),
    ];
    for (group, at, edit) in cases {
        assert_eq!(groups(edit), one(group, at), "{at}");
    }
}

#[test]
fn members_of_a_schema_are_told_from_its_keywords() {
    let object = |schema: Value| {
        let mut whole = declaration();
        whole["endpoint"]["arguments"][0]["schema"] = schema;
        whole
    };
    let before =
        object(json!({ "type": "object", "required": ["a"], "additionalProperties": false,
        "properties": { "a": {}, "maximum": { "description": "x" } } }));
    let after = object(json!({ "type": "object", "required": ["a", "description"],
        "properties": { "a": {}, "maximum": { "description": "y" }, "description": {} } }));
    let at = |rest: &str| format!("/endpoint/arguments/limit/schema/{rest}");
    let found: Vec<_> = diff(&before, &after).into_iter().map(|(g, c)| (g, c.at)).collect();
    assert_eq!(
        found,
        [
            (Group::Widens, at("additionalProperties")),
            (Group::Widens, at("properties/description")),
            (Group::Narrows, at("required")),
            (Group::Words, at("properties/maximum/description")),
        ]
    );
}

#[test]
fn texts_are_compared_word_by_word_on_one_line_each() {
    let mut after = declaration();
    after["about"] = json!("The open and\nlate tickets of a shop.");
    after["endpoint"]["timeout_ms"] = json!(1);
    after["endpoint"]["path"] = json!("/x\n+ forged");
    let said = text(&diff(&declaration(), &after));
    assert_eq!(
        said,
        "+ /endpoint/path: \"/tickets\" -> \"/x\\n+ forged\"  (It asks something else of the system.)\n\
         - /endpoint/timeout_ms: 10000 -> 1  (It lets less through.)\n\
         ~ /about: The open {+and late+} tickets of a shop.  (What the tool says of itself changed.)\n"
    );
    assert_eq!(text(&[]), "Nothing changed.\n");
}

fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(|b| json!(b)),
        (0_i32..3).prop_map(|n| json!(n)),
        "[a-c/~ ]{0,3}".prop_map(|text| json!(text)),
    ]
}

fn tree() -> impl Strategy<Value = Value> {
    leaf().prop_recursive(3, 16, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::Array),
            prop::collection::btree_map("[a-c/~]{1,2}|maximum|enum|properties", inner, 0..3)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

prop_compose! {
    fn any_declaration()(
        about in leaf(),
        extra in tree(),
        arguments in prop::collection::btree_map("[a-d/~]{1,2}", tree(), 0..4),
        order in any::<u8>(),
        clean in prop::collection::btree_map("/[a-c]", leaf(), 0..2),
    ) -> Value {
        let mut items: Vec<Value> = arguments.into_iter()
            .map(|(name, schema)| json!({ "name": name, "schema": schema })).collect();
        let len = items.len().max(1);
        if !items.is_empty() {
            items.rotate_left(usize::from(order) % len);
        }
        let clean: Vec<Value> = clean.into_iter()
            .map(|(pointer, kind)| json!({ "pointer": pointer, "kind": kind })).collect();
        json!({ "about": about, "endpoint": { "arguments": items, "clean_outputs": clean, "x": extra } })
    }
}

proptest! {
    #[test]
    fn between_a_declaration_and_itself_there_is_nothing(one in any_declaration()) {
        prop_assert_eq!(diff(&one, &one), vec![]);
    }

    #[test]
    fn the_changes_put_into_the_older_make_the_newer(
        older in any_declaration(), newer in any_declaration(),
    ) {
        let changes = diff(&older, &newer);
        prop_assert_eq!(&put_into(&older, &changes), &newer);
        prop_assert_eq!(changes.is_empty(), to_canonical(&older) == to_canonical(&newer));
        prop_assert_eq!(text(&changes).lines().count(), changes.len().max(1));
    }
}
