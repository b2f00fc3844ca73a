//! An OpenAPI document on its way to a call: looked at, published, judged, called; and what changed
//! when it was imported anew.

use e2e::World;
use serde_json::{Value, json};

/// A document of the stand-in upstream, which knows itself by another origin.
fn document(about: &str) -> String {
    json!({
        "openapi": "3.0.3", "info": { "title": "Desk", "version": "1" },
        "servers": [{ "url": "https://desk.example.com" }],
        "paths": {
            "/tickets/{ticketNumber}": { "get": {
                "operationId": "getTicket", "tags": ["tickets"], "summary": about,
                "parameters": [{ "name": "ticketNumber", "in": "path", "required": true, "schema": { "type": "integer", "minimum": 1 } }],
                "responses": { "200": { "content": { "application/json": {} } } }
            } },
            "/tickets": { "post": {
                "operationId": "createTicket", "tags": ["tickets"], "summary": "Opens a ticket.",
                "requestBody": { "required": true, "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Ticket" } } } },
                "responses": { "201": { "content": { "application/json": {} } } }
            } },
            "/echo": { "get": {
                "operationId": "echo", "tags": ["debug"],
                "parameters": [
                    { "name": "sortBy", "in": "query", "explode": false, "schema": { "type": "array", "items": { "type": "string" } } },
                    { "name": "X-Shop", "in": "header", "schema": { "type": "string", "nullable": true } }
                ]
            } },
            "/photos": { "put": { "tags": ["tickets"], "requestBody": { "required": true, "content": { "image/png": {} } } } }
        },
        "components": { "schemas": { "Ticket": { "type": "object", "required": ["subject"], "properties": {
            "subject": { "type": "string", "maxLength": 200 }, "number": { "type": "integer", "readOnly": true } } } } }
    })
    .to_string()
}

/// A server without tools at the upstream.
async fn desk(world: &World) -> Value {
    let body = json!({
        "scope": "acme/shop", "name": "desk", "tools": [],
        "instance": { "shape": "http", "origin": world.upstream.origin, "allow_http": true, "allow_private": ["127.0.0.0/8"] }
    });
    world.must(&world.ana, "POST", "/v1/servers", body).await
}

fn list<'v>(value: &'v Value, at: &str) -> Vec<&'v Value> {
    value.pointer(at).and_then(Value::as_array).expect(at).iter().collect()
}

fn names(imported: &Value) -> Vec<&str> {
    let tools = list(imported, "/proposals").into_iter();
    tools.map(|one| one["tool"]["name"].as_str().expect("a name")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_is_looked_at_published_judged_and_called() {
    let world = World::start().await;
    let (ana, bot) = (&world.ana, &world.shop_bot);
    let server = desk(&world).await;
    let path = format!("/v1/servers/{}/import", server["id"].as_str().expect("an id"));
    let about = "One ticket, by its number.";

    // Looked at: nothing is stored, and what is elsewhere or left out is said.
    let body = json!({ "document": document(about), "tags": ["tickets"] });
    let seen = world.rest(ana, "POST", &path, body.clone()).await;
    assert_eq!(names(seen.result()), ["ticket.create", "ticket.get"], "{}", seen.body);
    assert_eq!(seen.body["written"], json!([]));
    assert_eq!(seen.result()["pruned"], json!(1));
    assert_eq!(list(seen.result(), "/left_out")[0]["reason"], json!("body"));
    let hints: Vec<_> = list(&seen.body, "/hints").iter().map(|one| one["hint"].clone()).collect();
    assert_eq!(hints, ["next_step", "look_elsewhere"]);
    assert!(seen.text("/hints/1/say").contains("https://desk.example.com"));
    let untouched = world
        .must(
            ana,
            "GET",
            &format!("/v1/servers/{}", server["id"].as_str().expect("an id")),
            Value::Null,
        )
        .await;
    assert_eq!(untouched["tools"], json!([]));

    // Published: every tool waits, and none can be called.
    let publish = json!({ "document": document(about), "publish": true, "expected_version": 1 });
    let done = world.must(ana, "POST", &path, publish.clone()).await;
    assert_eq!((&done["published"], &done["version"]), (&json!(true), &json!(2)));
    let refused = world.call(bot, "shop/desk.ticket.get", json!({ "ticket_number": 7 })).await;
    assert_eq!(refused.code(), "unclassified", "{}", refused.body);
    let waiting = world.must(ana, "GET", "/v1/tools?state=unclassified", Value::Null).await;
    assert_eq!(list(&waiting, "/items").len(), 3);
    for tool in list(&waiting, "/items") {
        let id = tool["id"].as_str().expect("an id");
        world.classify(ana, id, json!({ "cleared": ["personal", "confidential"] })).await;
    }

    // Called: each argument goes where the document says.
    let echoed = world
        .call(bot, "shop/desk.echo", json!({ "sort_by": ["a", "b"], "x_shop": "north" }))
        .await;
    assert_eq!(echoed.text("/result/target"), "/echo?sortBy=a,b", "{}", echoed.body);
    assert_eq!(echoed.text("/result/headers/x-shop"), "north");
    let ticket = world.call(bot, "shop/desk.ticket.get", json!({ "ticket_number": 7 })).await;
    assert_eq!(ticket.result()["number"], json!(7));
    let unfit = world.call(bot, "shop/desk.ticket.get", json!({ "ticket_number": 0 })).await;
    assert_eq!(unfit.code(), "invalid_input");
    assert_eq!(world.upstream.count("GET", "/tickets/7"), 1);

    imported_anew(&world, &path, publish).await;
    told_apart(&world).await;
}

/// With one word changed: told, and only replaced if that is asked for.
async fn imported_anew(world: &World, path: &str, mut publish: Value) {
    let ana = &world.ana;
    publish["document"] = json!(document("One ticket, by its secret number."));
    publish["expected_version"] = json!(2);
    let kept = world.rest(ana, "POST", path, publish.clone()).await;
    assert_eq!(kept.body["written"], json!([]), "{}", kept.body);
    let taken = list(kept.result(), "/left_out");
    assert!(taken.iter().any(|one| one["reason"] == json!("name_taken")), "{}", kept.body);
    publish["replace"] = json!(true);
    let replaced = world.rest(ana, "POST", path, publish).await;
    assert_eq!(list(&replaced.body, "/written").len(), 2, "{}", replaced.body);
}

/// What changed since it was judged, as its curator reads it.
async fn told_apart(world: &World) {
    let ana = &world.ana;
    let drifted = world.must(ana, "GET", "/v1/tools?state=drifted", Value::Null).await;
    let [tool] = list(&drifted, "/items")[..] else { panic!("{drifted}") };
    let diff = format!("/v1/tools/{}/diff", tool["id"].as_str().expect("an id"));
    let changes = world.must(ana, "GET", &diff, Value::Null).await;
    assert_eq!(changes["digest_differs"], json!(true));
    assert_eq!(list(&changes, "/words")[0]["at"], json!("/about"));
    for group in ["/widens", "/narrows", "/other"] {
        assert_eq!(list(&changes, group).len(), 0, "{changes}");
    }
    assert!(
        changes["text"]
            .as_str()
            .expect("text")
            .starts_with("~ /about: One ticket, by its {+secret+} number.")
    );
    let none = world.must(ana, "GET", &format!("{diff}?from=2&to=2"), Value::Null).await;
    assert_eq!(
        (&none["digest_differs"], &none["text"]),
        (&json!(false), &json!("Nothing changed.\n"))
    );
    let missing = world.rest(ana, "GET", &format!("{diff}?from=9"), Value::Null).await;
    assert_eq!(
        (missing.code().as_str(), missing.text("/refusal/field").as_str()),
        ("invalid_input", "from")
    );
    // Who may not see a tool is told that there is none.
    let foreign = world.rest(&world.gus, "GET", &diff, Value::Null).await;
    assert_eq!(foreign.code(), "not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_proposed_is_what_publishing_takes_and_faults_come_together() {
    let world = World::start().await;
    let ana = &world.ana;
    let server = desk(&world).await;
    let id = server["id"].as_str().expect("an id");
    let path = format!("/v1/servers/{id}/import");
    let seen = world.must(ana, "POST", &path, json!({ "document": document("x") })).await;
    let tools: Vec<Value> =
        list(&seen, "/proposals").into_iter().map(|one| one["tool"].clone()).collect();
    let body = json!({ "expected_version": seen["version"], "tools": tools });
    world.must(ana, "POST", &format!("/v1/servers/{id}/publish"), body).await;
    let again = world.must(ana, "POST", &path, json!({ "document": document("x") })).await;
    assert!(list(&again, "/proposals").iter().all(|one| one["stands"] == json!("same")), "{again}");

    let crooked = "openapi: 3.0.0\npaths:\n  /a: 3\n  b: {}\n";
    let faults =
        world.rest(ana, "POST", &path, json!({ "document": crooked, "publish": true })).await;
    let fields: Vec<_> =
        list(&faults.body, "/refusal/faults").iter().map(|one| one["field"].clone()).collect();
    assert_eq!(fields, ["expected_version", "document/paths/~1a", "document/paths/b"]);
    // Who may not manage the server learns nothing of it.
    for token in [&world.gus, &world.shop_bot] {
        let refused = world.rest(token, "POST", &path, json!({ "document": document("x") })).await;
        assert!(
            ["not_found", "not_granted"].contains(&refused.code().as_str()),
            "{}",
            refused.body
        );
    }
}
