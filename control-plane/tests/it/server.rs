//! Servers: declared without a fault or not at all, published by number, withdrawn for good.

use contract::shape::http::Policy;
use contract::verb::Registry;
use contract::{Code, sample};
use control_plane::Options;
use serde_json::{Value, json};
use tenancy::plane::{Catalogue, definition_digest};

use crate::stock::{fields, get, server, told_as, tools};
use crate::world::{How, World, column, done, refused, text};

fn names(catalogue: &Catalogue) -> Vec<String> {
    let tools = catalogue.servers.iter().flat_map(|server| {
        server
            .tools
            .iter()
            .map(move |tool| format!("{}/{}.{}", server.scope, server.name, tool.name))
    });
    let mut names: Vec<_> = tools.collect();
    names.sort();
    names
}

#[tokio::test]
async fn a_server_is_registered_told_and_waits_for_a_curator() {
    let (world, acme, _) = World::full().await;
    let input = server("acme/shop", "tickets", json!([get("ticket.get"), get("ticket.again")]));
    let made = world.envelope(&acme.owner, "server.register", input).await;
    let result = &made.result;
    assert_eq!(tools(result, "name"), ["ticket.again", "ticket.get"]);
    assert_eq!(tools(result, "state"), ["unclassified", "unclassified"]);
    assert_eq!(tools(result, "declaration"), [1, 1]);
    assert_eq!((&result["version"], &result["withdrawn"]), (&json!(1), &json!(false)));
    let tables: Vec<_> = made.written.iter().map(|one| one.object.table.as_str()).collect();
    assert_eq!(tables, ["servers", "tools", "tools"]);
    assert_eq!(made.hints.len(), 1);
    let got = json!({ "server": result["id"] });
    assert_eq!(world.done(&acme.owner, "server.get", got).await, *result);
    let catalogue = world.given("acme").await.catalogue;
    assert_eq!(catalogue.revision, 1);
    assert_eq!(
        names(&catalogue),
        ["acme/shop/tickets.ticket.again", "acme/shop/tickets.ticket.get"]
    );
    let told = &catalogue.servers[0];
    assert_eq!((told.title.as_str(), told.interchangeable), ("Tickets", false));
    let declared = &told.tools[0].declarations[0];
    let digest = definition_digest(&told.instance, &declared.declaration).expect("has a digest");
    assert_eq!((declared.version, &declared.digest), (1, &digest));
    assert!(told.tools[0].classifications.is_empty());
    let taken = server("acme/shop", "tickets", json!([]));
    let refusal = world.refused(&acme.owner, "server.register", taken).await;
    assert_eq!((refusal.code, refusal.field.as_deref()), (Code::AlreadyExists, Some("name")));
    let mut untitled = server("acme/shop/returns", "tickets", json!([]));
    untitled.as_object_mut().expect("an object").remove("title");
    let other = world.done(&acme.owner, "server.register", untitled).await;
    assert_eq!(other["title"], json!("tickets"));
}

#[tokio::test]
async fn every_fault_of_a_declaration_is_named_and_nothing_is_written() {
    let (world, acme, _) = World::full().await;
    let mut crooked = get("b.two");
    crooked["endpoint"]["path"] = json!("/tickets/../{number}");
    crooked["endpoint"]["timeout_ms"] = json!(120_000);
    crooked["endpoint"]["arguments"] = json!([
        { "name": "number", "in": "path", "required": true, "schema": { "type": "integer" } },
        { "name": "host", "in": "header", "target": "Host", "schema": { "type": "string" } },
    ]);
    let mut input = server("acme/shop", "ledger", json!([get("a.one"), crooked, get("a.one")]));
    input["instance"]["origin"] = json!("https://127.1");
    input["instance"]["static_headers"] = json!({ "Cookie": "a=b" });
    input["instance"]["credential"] = json!({ "id": "the-key", "placement": { "kind": "bearer" } });
    let (rows, revision) = (world.rows().await, world.revision("acme").await);
    let refusal = world.refused(&acme.owner, "server.register", input).await;
    assert_eq!(refusal.code, Code::InvalidInput);
    let fields = fields(&refusal);
    for field in [
        "name",
        "instance.origin",
        "instance.static_headers.Cookie",
        "instance.credential.id",
        "tools.1.endpoint.path",
        "tools.1.endpoint.arguments.1.target",
        "tools.2.name",
    ] {
        assert!(fields.contains(&field), "{field} is not among {fields:?}");
    }
    let of_server = fields.iter().filter(|field| **field == "instance.static_headers.Cookie");
    assert_eq!(of_server.count(), 1, "the server is judged once, not once a tool");
    assert!(fields.iter().all(|field| !field.starts_with('/') && !field.contains("tools.0.")));
    let whole = |text: &str| text.ends_with('.') && !text.starts_with(char::is_lowercase);
    assert!(refusal.faults.iter().all(|fault| whole(&fault.say) && whole(&fault.fix)));
    assert_eq!((world.rows().await, world.revision("acme").await), (rows, revision));
}

#[tokio::test]
async fn a_definition_that_has_no_canonical_form_is_refused() {
    let (world, acme, _) = World::full().await;
    let mut tool = get("a.one");
    tool["endpoint"]["arguments"][0]["schema"]["maximum"] = json!(9_007_199_254_740_993_u64);
    let input = server("acme/shop", "tickets", json!([get("b.two"), tool]));
    let refusal = world.refused(&acme.owner, "server.register", input).await;
    assert_eq!(fields(&refusal), ["tools.1"]);
    let mut tool = get("a.one");
    tool["endpoint"]["arguments"][0]["schema"]["maximum"] = json!(1e300);
    tool["endpoint"]["arguments"][0]["schema"]["minimum"] = json!(0.1);
    world.register(&acme.owner, "acme/shop", "tickets", json!([tool])).await;
    let told = &world.given("acme").await.catalogue.servers[0];
    let declared = &told.tools[0].declarations[0];
    let digest = definition_digest(&told.instance, &declared.declaration).expect("has a digest");
    assert_eq!(declared.digest, digest, "what was stored is what was judged");
}

#[tokio::test]
async fn a_dry_run_judges_all_of_it_and_registers_nothing() {
    let (world, acme, _) = World::full().await;
    let (rows, revision) = (world.rows().await, world.revision("acme").await);
    let dry = How { dry_run: true, ..How::default() };
    let input = server("acme/shop", "tickets", json!([get("a.one")]));
    let said = world.call_so(&acme.owner, "server.register", input, &dry).await;
    assert_eq!(tools(&done(said).result, "state"), ["unclassified"]);
    let input = server("acme/shop", "tickets", json!([get("a.one"), get("a.one")]));
    let said = world.call_so(&acme.owner, "server.register", input, &dry).await;
    assert_eq!(fields(&refused(said)), ["tools.1.name"]);
    assert_eq!((world.rows().await, world.revision("acme").await), (rows, revision));
}

#[tokio::test]
async fn hosts_that_are_read_as_something_else_are_refused() {
    let (world, acme, _) = World::full().await;
    let hosts = [
        "[::ffff:a9fe:a9fe]",
        "2130706433",
        "0",
        "127.1",
        "localhost.",
        "localhost",
        "0x7f.1",
        "127.0.0.1",
        "169.254.169.254",
        "[::1]",
        "metadata.google.internal",
        "a.example.com/x",
        "u@a.example.com",
        "a.example.com:0",
        "１２７.0.0.1",
    ];
    for host in hosts {
        let mut input = server("acme/shop", "tickets", json!([]));
        input["instance"]["origin"] = json!(format!("https://{host}"));
        let refusal = world.refused(&acme.owner, "server.register", input).await;
        assert!(fields(&refusal).iter().all(|field| *field == "instance.origin"), "{host}");
    }
}

#[tokio::test]
async fn no_server_has_the_name_of_one_of_the_platforms_own() {
    let (world, acme, _) = World::full().await;
    for noun in Registry::get().nouns() {
        let input = server("acme/shop/returns", noun, json!([]));
        let refusal = world.refused(&acme.owner, "server.register", input).await;
        assert_eq!(fields(&refusal), ["name"], "{noun}");
    }
}

#[tokio::test]
async fn a_declared_credential_is_one_that_was_sealed_for_the_origin() {
    let (world, acme, globex) = World::stocked().await;
    let admin = world.caller(&acme.owner, "user", "admin", "acme/shop/returns").await;
    let fits = world.seal(&acme, "tickets-key", "https://tickets.example.com").await;
    let gone = world.seal(&acme, "gone", "https://tickets.example.com").await;
    world.done(&acme.owner, "credential.destroy", json!({ "credential": gone })).await;
    let with = |credential: &str, origin: &str, name: &str| {
        let mut input = server("acme/shop/returns", name, json!([get("ticket.get")]));
        input["instance"]["origin"] = json!(origin);
        input["instance"]["credential"] =
            json!({ "id": credential, "placement": { "kind": "bearer" } });
        input
    };
    let mut told = Vec::new();
    for (credential, origin) in [
        (fits.as_str(), "https://evil.example.com"),
        (&fits, "https://tickets.example.com:8443"),
        (&acme.stocked("credential"), "https://tickets.example.com"),
        (&globex.stocked("credential"), "https://billing.example.com"),
        (&gone, "https://tickets.example.com"),
        (&sample::text("credential", 9), "https://tickets.example.com"),
        ("tickets-key", "https://tickets.example.com"),
    ] {
        let input = with(credential, origin, "pointed");
        let refusal = world.refused(&admin, "server.register", input).await;
        assert_eq!(fields(&refusal), ["instance.credential.id"], "{credential} at {origin}");
        told.push(refusal.faults);
    }
    assert!(told.iter().all(|faults| *faults == told[0]), "they cannot be told apart");
    // Whoever registers needs nothing more than that: the use is judged when it is called.
    for (name, origin) in
        [("one", "https://tickets.example.com"), ("two", "https://tickets.example.com:443")]
    {
        world.done(&admin, "server.register", with(&fits, origin, name)).await;
    }
}

#[tokio::test]
async fn what_an_operator_allowed_may_be_declared_and_nothing_more() {
    let (world, acme, _) = World::full().await;
    let inside = |origin: &str, block: &str| {
        let mut input = server("acme/shop", "inside", json!([get("ticket.get")]));
        input["instance"]["origin"] = json!(origin);
        input["instance"]["allow_http"] = json!(true);
        input["instance"]["allow_private"] = json!([block]);
        input
    };
    let input = inside("http://db.internal:8080", "10.1.0.0/16");
    let refusal = world.refused(&acme.owner, "server.register", input.clone()).await;
    assert!(fields(&refusal).contains(&"instance.allow_private.0"), "{refusal:?}");
    assert!(fields(&refusal).contains(&"instance.origin"), "{refusal:?}");
    let policy = Policy { http: true, private: vec!["10.0.0.0/8".parse().expect("a block")] };
    let (world, _) = world.reopened(Options { policy, ..Options::default() }).await;
    let wide = inside("http://db.internal:8080", "0.0.0.0/0");
    let refusal = world.refused(&acme.owner, "server.register", wide).await;
    assert_eq!(fields(&refusal), ["instance.allow_private.0"]);
    world.done(&acme.owner, "server.register", input).await;
}

#[tokio::test]
async fn only_what_changed_is_declared_anew() {
    let (world, acme, _) = World::full().await;
    let declared = json!([get("a.same"), get("b.words"), get("c.effect"), get("d.labels")]);
    let made = world.register(&acme.owner, "acme/shop", "tickets", declared).await;
    let id = text(&made, "id");
    // The same definition with its members in another order is the same.
    let same: Value =
        serde_json::from_str(&serde_json::to_string(&get("a.same")).expect("JSON").replace(
            "\"name\":\"a.same\",\"about\":\"One ticket, by its number.\"",
            "\"about\":\"One ticket, by its number.\",\"name\":\"a.same\"",
        ))
        .expect("is JSON");
    let (mut effect, mut labels) = (get("c.effect"), get("d.labels"));
    effect["effect"] = json!("write");
    labels["labels"] = json!([]);
    let words = told_as(get("b.words"), "One ticket by its number.");
    let changed = json!([same, words, effect, labels, get("e.new")]);
    let input = json!({ "server": id, "tools": changed, "expected_version": 1 });
    let next = world.envelope(&acme.owner, "server.publish", input.clone()).await;
    assert_eq!(tools(&next.result, "declaration"), [1, 2, 2, 2, 1]);
    assert_eq!((&next.result["version"], next.written.len()), (&json!(2), 5));
    assert_eq!(tools(&next.result, "id")[..4], tools(&made, "id")[..]);
    assert_eq!(world.given("acme").await.catalogue.revision, 2);
    let stale = world.refused(&acme.owner, "server.publish", input.clone()).await;
    assert_eq!(stale.code, Code::VersionMismatch);
    assert_eq!(stale.more["current_version"], json!(2));
    let revision = world.revision("acme").await;
    let mut again = input;
    again["expected_version"] = json!(2);
    let unchanged = world.envelope(&acme.owner, "server.publish", again.clone()).await;
    assert_eq!((unchanged.result, unchanged.written), (next.result, vec![]));
    assert_eq!(world.revision("acme").await, revision);
    // What it is an instance of is not published.
    again["instance"] = json!({ "shape": "http", "origin": "https://evil.example.com" });
    let refusal = world.refused(&acme.owner, "server.publish", again).await;
    assert_eq!(fields(&refusal), ["instance"]);
    let mut crooked = get("a.same");
    crooked["endpoint"]["path"] = json!("tickets/{number}");
    let twice = json!([crooked, get("f.new"), get("f.new")]);
    let input = json!({ "server": id, "tools": twice, "expected_version": 2 });
    let refusal = world.refused(&acme.owner, "server.publish", input).await;
    assert_eq!(fields(&refusal), ["tools.0.endpoint.path", "tools.2.name"]);
}

#[tokio::test]
async fn a_server_has_no_more_tools_than_it_could_be_registered_with() {
    let (world, acme, _) = World::full().await;
    let many: Vec<_> = (0..499).map(|n| get(&format!("t{n}"))).collect();
    let made = world.register(&acme.owner, "acme/shop", "tickets", json!(many)).await;
    let publish =
        |tools: Value| json!({ "server": made["id"], "tools": tools, "expected_version": 1 });
    let two = publish(json!([get("a.one"), get("a.two"), told_as(get("t1"), "Other words.")]));
    let refusal = world.refused(&acme.owner, "server.publish", two).await;
    assert_eq!(fields(&refusal), ["tools"]);
    world.done(&acme.owner, "server.publish", publish(json!([get("a.one"), get("t1")]))).await;
}

#[tokio::test]
async fn what_was_withdrawn_is_gone_for_good_and_its_name_is_free() {
    let (world, acme, _) = World::stocked().await;
    let (id, tool) = (acme.stocked("server"), acme.stocked("tool"));
    world.publish(&acme.owner, &id, json!([get("b.two"), get("c.three")])).await;
    let before = world.given("acme").await.catalogue;
    assert_eq!(names(&before).len(), 3);
    let unknown = json!({ "server": id, "tools": ["b.two", "x.y"], "expected_version": 2 });
    let refusal = world.refused(&acme.owner, "server.withdraw", unknown).await;
    assert_eq!(fields(&refusal), ["tools.1"]);
    // Though a pack pins it.
    let input =
        json!({ "server": id, "tools": ["ticket.get", "ticket.get"], "expected_version": 2 });
    let gone = world.envelope(&acme.owner, "server.withdraw", input).await;
    assert_eq!(tools(&gone.result, "state"), ["unclassified", "unclassified", "withdrawn"]);
    assert_eq!(gone.written.len(), 2);
    let after = world.given("acme").await.catalogue;
    assert_eq!(names(&after), ["acme/shop/tickets.b.two", "acme/shop/tickets.c.three"]);
    assert!(after.revision > before.revision);
    // What comes again by its name is another tool, and no pack pins it.
    let anew = world.publish(&acme.owner, &id, json!([get("ticket.get")])).await;
    let states = json!(["unclassified", "unclassified", "unclassified", "withdrawn"]);
    let mut sorted = tools(&anew, "state");
    sorted.sort_by_key(Value::to_string);
    assert_eq!(json!(sorted), states);
    assert!(tools(&anew, "id").contains(&json!(tool)));
    let whole = world.withdraw(&acme.owner, &id, None).await;
    assert_eq!((&whole["withdrawn"], &whole["version"]), (&json!(true), &json!(5)));
    assert_eq!(tools(&whole, "state"), vec!["withdrawn"; 4]);
    assert!(world.given("acme").await.catalogue.servers.is_empty());
    let input = json!({ "server": id, "expected_version": 5 });
    let again = world.envelope(&acme.owner, "server.withdraw", input.clone()).await;
    assert_eq!((again.result, again.written), (whole, vec![]));
    let stale = json!({ "server": id, "expected_version": 4 });
    world.refused_as(&acme.owner, "server.withdraw", stale, Code::VersionMismatch).await;
    let input = json!({ "server": id, "tools": [get("x.y")], "expected_version": 5 });
    world.refused_as(&acme.owner, "server.publish", input, Code::WrongState).await;
    let other = world.register(&acme.owner, "acme/shop", "tickets", json!([get("a.one")])).await;
    assert_ne!(text(&other, "id"), id);
    assert_eq!(names(&world.given("acme").await.catalogue), ["acme/shop/tickets.a.one"]);
}

#[tokio::test]
async fn servers_are_managed_and_seen_at_their_scope() {
    let (world, acme, globex) = World::stocked().await;
    let admin = world.caller(&acme.owner, "user", "admin", "acme/shop/returns").await;
    for scope in ["acme/shop", "acme/shop/checkout", "acme", "globex/shop", "acme/shop/nowhere"] {
        let input = server(scope, "x", json!([get("a.one")]));
        world.refused_as(&admin, "server.register", input, Code::NotGranted).await;
    }
    let own = world.register(&admin, "acme/shop/returns", "own", json!([get("a.one")])).await;
    let listed = world.done(&admin, "server.list", json!({})).await;
    assert_eq!(column(&listed, "id"), [text(&own, "id")]);
    assert_eq!(tools(&listed["items"][0], "name"), ["a.one"]);
    for (token, id) in [(&admin, acme.stocked("server")), (&globex.owner, text(&own, "id"))] {
        for verb in ["server.get", "server.withdraw", "server.publish"] {
            let input = |id: &str| match verb {
                "server.get" => json!({ "server": id }),
                "server.withdraw" => json!({ "server": id, "expected_version": 1 }),
                _ => json!({ "server": id, "tools": [get("x.y")], "expected_version": 1 }),
            };
            let known = world.refused(token, verb, input(&id)).await;
            let unknown = world.refused(token, verb, input(&sample::text("server", 9))).await;
            assert_eq!((known.code, &known.say), (Code::NotFound, &unknown.say), "{verb}");
        }
    }
    let member = world.caller(&acme.owner, "user", "member", "acme/shop").await;
    let seen = world.done(&member, "server.list", json!({})).await;
    let mut names = column(&seen, "name");
    names.sort();
    assert_eq!(names, ["own", "tickets"]);
    let input = json!({ "server": own["id"], "expected_version": 1 });
    world.refused_as(&member, "server.withdraw", input, Code::NotFound).await;
}

#[tokio::test]
async fn a_list_goes_page_by_page_over_several_scopes() {
    let (world, acme, _) = World::full().await;
    for n in 0..6 {
        let scope = ["acme/shop/returns", "acme/shop/checkout"][n % 2];
        world.register(&acme.owner, scope, &format!("s{n}"), json!([get("a.one")])).await;
        world.clock.pass(5);
    }
    let viewer = world.caller(&acme.owner, "user", "viewer", "acme/shop/returns").await;
    let who = world.done(&viewer, "token.whoami", json!({})).await;
    let input =
        json!({ "principal": who["principal"], "scope": "acme/shop/checkout", "role": "viewer" });
    world.done(&acme.owner, "grant.create", input).await;
    let (mut paged, mut input) = (Vec::new(), json!({ "limit": 4 }));
    loop {
        let page = world.done(&viewer, "server.list", input.clone()).await;
        let servers = page["items"].as_array().expect("a page");
        assert!(servers.iter().all(|server| tools(server, "name") == ["a.one"]));
        paged.extend(column(&page, "name"));
        let Some(cursor) = page.get("cursor") else { break };
        input["cursor"] = cursor.clone();
    }
    assert_eq!(paged, ["s0", "s1", "s2", "s3", "s4", "s5"]);
    input["cursor"] = json!("bm90IGFuIGlk");
    world.refused_as(&viewer, "server.list", input, Code::InvalidInput).await;
}
