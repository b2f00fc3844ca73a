//! Tools: where they stand, and what a person judges them to be, by the definition that they read.

use contract::{Code, sample};
use serde_json::{Value, json};

use crate::stock::{get, told_as, tools};
use crate::world::{Tenant, World, column, text};

impl World {
    /// The names of the tools that stand so.
    async fn standing(&self, acme: &Tenant, state: &str) -> Vec<String> {
        let listed = self.done(&acme.owner, "tool.list", json!({ "state": state })).await;
        column(&listed, "address")
    }
}

#[tokio::test]
async fn a_tool_stands_where_its_newest_definition_does() {
    let (world, acme, _) = World::full().await;
    let made = world
        .register(&acme.owner, "acme/shop", "tickets", json!([get("a.one"), get("b.two")]))
        .await;
    let server = text(&made, "id");
    let (one, two) = (text(&made["tools"][0], "id"), text(&made["tools"][1], "id"));
    let (at_one, at_two) = ("shop/tickets.a.one".to_owned(), "shop/tickets.b.two".to_owned());
    let both = vec![at_one.clone(), at_two.clone()];
    let mut waiting = world.standing(&acme, "unclassified").await;
    waiting.sort();
    assert_eq!(waiting, both);
    world.classify(&acme.owner, &one, "read").await;
    assert_eq!(world.standing(&acme, "classified").await, std::slice::from_ref(&at_one));
    assert_eq!(world.standing(&acme, "unclassified").await, std::slice::from_ref(&at_two));
    // One word of the description is enough; what was judged is still told.
    let words = json!([told_as(get("a.one"), "One ticket, by number.")]);
    world.publish(&acme.owner, &server, words).await;
    assert_eq!(world.standing(&acme, "drifted").await, std::slice::from_ref(&at_one));
    let drifted = world.tool(&acme.owner, &one).await;
    assert_eq!((&drifted["state"], &drifted["declaration"]), (&json!("drifted"), &json!(2)));
    assert_eq!(drifted["classification"]["declaration"], json!(1));
    assert_ne!(drifted["classification"]["digest"], drifted["digest"]);
    assert_eq!(drifted["declared"]["about"], json!("One ticket, by number."));
    // Back to what was judged: the judgement is of this definition.
    world.publish(&acme.owner, &server, json!([get("a.one")])).await;
    let back = world.tool(&acme.owner, &one).await;
    assert_eq!((&back["state"], &back["declaration"]), (&json!("classified"), &json!(3)));
    world.withdraw(&acme.owner, &server, Some(json!(["a.one"]))).await;
    assert_eq!(world.standing(&acme, "withdrawn").await, [at_one]);
    assert_eq!(world.standing(&acme, "classified").await, Vec::<String>::new());
    let all = world.done(&acme.owner, "tool.list", json!({ "limit": 1 })).await;
    assert_eq!(column(&all, "id").len(), 1);
    let hint = world.envelope(&acme.owner, "tool.get", json!({ "tool": two })).await.hints;
    assert_eq!(hint.len(), 1, "says what to do with one that waits");
    let input = json!({ "tool": one, "digest": back["digest"], "effect": "read" });
    world.refused_as(&acme.owner, "tool.classify", input, Code::WrongState).await;
}

#[tokio::test]
async fn a_judgement_is_counted_recorded_and_told() {
    let (world, acme, _) = World::full().await;
    let made = world.register(&acme.owner, "acme/shop", "tickets", json!([get("a.one")])).await;
    let tool = text(&made["tools"][0], "id");
    let digest = text(&world.tool(&acme.owner, &tool).await, "digest");
    let input = json!({
        "tool": tool, "digest": digest, "effect": "write", "labels": ["untrusted", "personal"],
        "cleared": ["personal"], "on_tainted": "block",
    });
    let judged = world.envelope(&acme.owner, "tool.classify", input.clone()).await;
    let told = &judged.result["classification"];
    assert_eq!((&told["version"], &told["declaration"]), (&json!(1), &json!(1)));
    assert_eq!((&told["digest"], &told["effect"]), (&json!(digest), &json!("write")));
    assert_eq!((&told["cleared"], &told["on_tainted"]), (&json!(["personal"]), &json!("block")));
    assert_eq!((&told["by"], &told["at"]), (&json!(acme.owner_id), &json!("2026-11-30T12:01:00Z")));
    assert_eq!(judged.result["state"], json!("classified"));
    assert_eq!(judged.result, world.tool(&acme.owner, &tool).await);
    assert_eq!((judged.written[0].object.table.as_str(), judged.written[0].version), ("tools", 2));
    let again = world.done(&acme.owner, "tool.classify", input).await;
    assert_eq!(again["classification"]["version"], json!(2));
    let act = world.all_acts("acme").await.pop().expect("an act");
    assert_eq!((act.verb.as_str(), act.scope.as_str()), ("tool.classify", "acme/shop"));
    assert_eq!(act.objects, [format!("tools/{tool}")]);
    let given = world.given("acme").await;
    let told = &given.catalogue.servers[0].tools[0].classifications;
    assert_eq!(told.iter().map(|one| one.version).collect::<Vec<_>>(), [2]);
    assert_eq!(given.catalogue.revision, 3);
}

#[tokio::test]
async fn a_judgement_of_another_definition_is_refused() {
    let (world, acme, _) = World::stocked().await;
    let (server, tool) = (acme.stocked("server"), acme.stocked("tool"));
    let read = text(&world.tool(&acme.owner, &tool).await, "digest");
    let words = json!([told_as(get("ticket.get"), "Deletes every ticket.")]);
    world.publish(&acme.owner, &server, words).await;
    let now = world.tool(&acme.owner, &tool).await;
    let revision = world.revision("acme").await;
    let input = json!({ "tool": tool, "digest": read, "effect": "read" });
    let refusal = world.refused(&acme.owner, "tool.classify", input).await;
    assert_eq!((refusal.code, refusal.field.as_deref()), (Code::VersionMismatch, Some("digest")));
    assert_eq!(refusal.more["current_digest"], now["digest"]);
    assert_eq!(refusal.more["current_version"], json!(2));
    assert_eq!(world.revision("acme").await, revision);
    let input = json!({ "tool": tool, "digest": "xyz", "effect": "read" });
    world.refused_as(&acme.owner, "tool.classify", input, Code::InvalidInput).await;
}

#[tokio::test]
async fn a_person_judges_and_only_where_they_may() {
    let (world, acme, globex) = World::stocked().await;
    let tool = acme.stocked("tool");
    let digest = text(&world.tool(&acme.owner, &tool).await, "digest");
    let judge = |tool: &str| json!({ "tool": tool, "digest": digest, "effect": "read" });
    let agent = world.caller(&acme.owner, "agent", "owner", "acme").await;
    let child = world.done(&acme.owner, "token.narrow", json!({})).await;
    for token in [&agent, &text(&child, "secret"), &acme.bot_token] {
        for tool in [tool.clone(), sample::text("tool", 9)] {
            world.refused_as(token, "tool.classify", judge(&tool), Code::UserRequired).await;
        }
    }
    let near = world.caller(&acme.owner, "user", "curator", "acme/shop/returns").await;
    let admin = world.caller(&acme.owner, "user", "admin", "acme").await;
    for token in [&near, &admin, &globex.owner] {
        world.refused_as(token, "tool.classify", judge(&tool), Code::NotFound).await;
    }
    world.refused_as(&near, "tool.get", json!({ "tool": tool }), Code::NotFound).await;
    assert_eq!(world.done(&near, "tool.list", json!({})).await["items"], json!([]));
    let curator = world.caller(&acme.owner, "user", "curator", "acme/shop").await;
    world.done(&curator, "tool.classify", judge(&tool)).await;
    assert_eq!(
        world.done(&globex.owner, "tool.list", json!({})).await["items"][0]["scope"],
        json!("globex/shop")
    );
}

#[tokio::test]
async fn a_full_address_names_the_scope() {
    let (world, acme, _) = World::full().await;
    for (scope, address) in [
        ("acme", "./tickets.a.one"),
        ("acme/shop", "shop/tickets.a.one"),
        ("acme/shop/returns", "shop/returns/tickets.a.one"),
    ] {
        let made = world.register(&acme.owner, scope, "tickets", json!([get("a.one")])).await;
        let tool = world.tool(&acme.owner, &text(&made["tools"][0], "id")).await;
        assert_eq!((&tool["address"], &tool["scope"]), (&json!(address), &json!(scope)));
        assert_eq!(tool["declared"]["endpoint"]["path"], json!("/tickets/{number}"));
    }
}

/// The declarations and classifications of the one tool that the holder is told of.
async fn told(world: &World) -> (Vec<u32>, Vec<u32>) {
    let catalogue = world.given("acme").await.catalogue;
    let tool = &catalogue.servers[0].tools[0];
    let declarations = tool.declarations.iter().map(|one| one.version).collect();
    (declarations, tool.classifications.iter().map(|one| one.version).collect())
}

#[tokio::test]
async fn the_holder_is_told_what_can_be_called_and_nothing_older() {
    let (world, acme, _) = World::stocked().await;
    let (server, tool) = (acme.stocked("server"), acme.stocked("tool"));
    let next = async |n: u32| {
        let words = json!([told_as(get("ticket.get"), &format!("Version {n}."))]);
        let server: Value = world.publish(&acme.owner, &server, words).await;
        assert_eq!(tools(&server, "declaration"), [n]);
    };
    // Pack `support` pins the first.
    assert_eq!(told(&world).await, (vec![1], vec![1]));
    next(2).await;
    assert_eq!(told(&world).await, (vec![1, 2], vec![1]));
    world.classify(&acme.owner, &tool, "read").await;
    next(3).await;
    next(4).await;
    assert_eq!(told(&world).await, (vec![1, 2, 4], vec![1, 2]), "3 was never judged or pinned");
    world.classify(&acme.owner, &tool, "read").await;
    next(5).await;
    assert_eq!(told(&world).await, (vec![1, 4, 5], vec![1, 3]), "nothing needs 2 any more");
}
