//! Once a revoke is answered, the first call that starts afterwards is refused: for each thing that can
//! be taken away, on each surface, and under a crowd of calls.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use e2e::world::tickets;
use e2e::{Surface, World};
use serde_json::{Value, json};

/// An agent of one test's own, so that what is taken from it is taken from nobody else.
struct Bot {
    token: String,
    token_id: String,
    principal: String,
    grant: String,
}

async fn bot(world: &mut World, name: &str, scope: &str) -> Bot {
    let ana = world.ana.clone();
    let token = world.principal(&ana, "agent", name, "autonomous", &[("member", scope)]).await;
    let id = |what: &str| world.id(&format!("{what}/{name}")).to_owned();
    Bot { token, token_id: id("token"), principal: id("principal"), grant: id("grant") }
}

const TICKET: &str = "shop/tickets.ticket.get";

fn ticket() -> Value {
    json!({ "number": 412 })
}

/// A call that is answered before something is taken away, and refused after.
struct Cut<'a> {
    way: &'a str,
    token: &'a str,
    address: &'a str,
    arguments: Value,
    code: &'a str,
}

impl<'a> Cut<'a> {
    fn ticket(way: &'a str, token: &'a str, code: &'a str) -> Self {
        Self { way, token, address: TICKET, arguments: ticket(), code }
    }
}

/// Calls, revokes, and calls again: first on `surface`, then on the others. Nothing reaches the upstream
/// after the revoke was answered.
async fn cut(world: &World, surface: Surface, cut: &Cut<'_>, revoke: impl Future<Output = Value>) {
    let Cut { way, token, address, arguments, code } = cut;
    let before = world.call_on(surface, token, address, arguments.clone()).await;
    assert_eq!(before.status, 200, "{way} on {surface:?}, before: {}", before.body);
    revoke.await;
    let seen = world.upstream.seen().len();
    let others = Surface::ALL.into_iter().filter(|other| *other != surface);
    for surface in std::iter::once(surface).chain(others) {
        let after = world.call_on(surface, token, address, arguments.clone()).await;
        assert_eq!(after.code(), *code, "{way} on {surface:?}, after: {}", after.body);
    }
    assert_eq!(world.upstream.seen().len(), seen, "{way} on {surface:?}: the upstream was called");
}

async fn token(world: &mut World, surface: Surface) {
    let bot = bot(world, "of-token", "acme/shop").await;
    let path = format!("/v1/tokens/{}", bot.token_id);
    let revoke = world.must(&world.ana, "DELETE", &path, Value::Null);
    let call = Cut::ticket("token", &bot.token, "unauthenticated");
    cut(world, surface, &call, revoke).await;
}

/// A child, and a child's child, end with the token that they come from.
async fn parent(world: &mut World, surface: Surface) {
    for depth in [1, 2] {
        let bot = bot(world, &format!("of-parent-{depth}"), "acme/shop").await;
        let mut child = bot.token.clone();
        for _ in 0..depth {
            let body = json!({ "actions": ["catalogue.read", "call.read"] });
            let minted = world.must(&child, "POST", "/v1/tokens/narrow", body).await;
            child = minted["secret"].as_str().expect("a secret").to_owned();
        }
        let path = format!("/v1/tokens/{}", bot.token_id);
        let revoke = world.must(&world.ana, "DELETE", &path, Value::Null);
        let call = Cut::ticket("parent token", &child, "unauthenticated");
        cut(world, surface, &call, revoke).await;
    }
}

/// A token that was rotated without an overlap, and one whose overlap has passed.
async fn rotation(world: &mut World, surface: Surface) {
    let bot = bot(world, "of-rotation", "acme/shop").await;
    let path = format!("/v1/tokens/{}/rotate", bot.token_id);
    let mut next = String::new();
    let revoke = async {
        let rotated = world.must(&bot.token, "POST", &path, json!({ "overlap_seconds": 0 })).await;
        next = rotated["secret"].as_str().expect("a secret").to_owned();
        rotated
    };
    cut(world, surface, &Cut::ticket("rotation", &bot.token, "unauthenticated"), revoke).await;
    let may = world.call(&next, TICKET, ticket()).await;
    assert_eq!(may.status, 200, "its successor went with it: {}", may.body);
    let bot = self::bot(world, "of-overlap", "acme/shop").await;
    let path = format!("/v1/tokens/{}/rotate", bot.token_id);
    world.must(&bot.token, "POST", &path, json!({ "overlap_seconds": 4 })).await;
    let passed = async {
        tokio::time::sleep(Duration::from_millis(4100)).await;
        Value::Null
    };
    cut(world, surface, &Cut::ticket("overlap", &bot.token, "unauthenticated"), passed).await;
}

/// A token that somebody reported, and what it made: without any token, over the surface itself.
async fn leak(world: &mut World, surface: Surface) {
    for what in ["itself", "child", "successor"] {
        let bot = bot(world, &format!("of-leak-{what}"), "acme/shop").await;
        let rotate = format!("/v1/tokens/{}/rotate", bot.token_id);
        let minted = match what {
            "child" => world.must(&bot.token, "POST", "/v1/tokens/narrow", json!({})).await,
            "successor" => world.must(&bot.token, "POST", &rotate, json!({})).await,
            _ => json!({ "secret": bot.token }),
        };
        let token = minted["secret"].as_str().expect("a secret").to_owned();
        let report = json!({ "secret": bot.token });
        // MCP knows its callers; whose token comes along makes no difference.
        let who = if surface == Surface::Mcp { world.globex_bot.as_str() } else { "" };
        let revoke = async {
            let said = world.on(surface, who, "token.report_leaked", &report).await;
            said.result().clone()
        };
        cut(world, surface, &Cut::ticket("leak", &token, "unauthenticated"), revoke).await;
    }
}

/// An action that was taken out of a role, and a role of which the grant was revoked.
async fn role(world: &mut World, surface: Surface) {
    let ana = world.ana.clone();
    let bot = bot(world, "of-role", "acme/support").await;
    let body = json!({ "name": "of-role", "actions": ["catalogue.read", "call.read"] });
    world.must(&ana, "POST", "/v1/roles", body).await;
    let grant = json!({ "principal": bot.principal, "scope": "acme/shop", "role": "of-role" });
    world.must(&ana, "POST", "/v1/grants", grant).await;
    let less = json!({ "actions": ["catalogue.read"], "expected_version": 1 });
    let revoke = world.must(&ana, "PATCH", "/v1/roles/of-role", less);
    cut(world, surface, &Cut::ticket("role edit", &bot.token, "not_granted"), revoke).await;
}

async fn grant(world: &mut World, surface: Surface) {
    let bot = bot(world, "of-grant", "acme/shop").await;
    let path = format!("/v1/grants/{}", bot.grant);
    let revoke = world.must(&world.ana, "DELETE", &path, Value::Null);
    cut(world, surface, &Cut::ticket("grant", &bot.token, "not_granted"), revoke).await;
}

async fn suspension(world: &mut World, surface: Surface) {
    let bot = bot(world, "of-suspension", "acme/shop").await;
    let path = format!("/v1/principals/{}/suspend", bot.principal);
    let revoke = world.must(&world.ana, "POST", &path, json!({}));
    let call = Cut::ticket("principal suspension", &bot.token, "unauthenticated");
    cut(world, surface, &call, revoke).await;
}

/// A token that is bound to no pack, or to one without the tool.
async fn packs(world: &mut World, surface: Surface) {
    let other = json!({ "name": "other", "tools": [world.id("tool/acme/shop/tickets.log.read")] });
    world.must(&world.ana, "POST", "/v1/packs", other).await;
    let to = [json!([]), json!([{ "name": "other", "version": 1 }])];
    for (at, packs) in to.into_iter().enumerate() {
        let bot = bot(world, &format!("of-pack-{at}"), "acme/shop").await;
        let path = format!("/v1/tokens/{}/packs", bot.token_id);
        let body = json!({ "packs": packs, "expected_version": 1 });
        let revoke = world.must(&world.ana, "PATCH", &path, body);
        cut(world, surface, &Cut::ticket("pack binding", &bot.token, "not_in_pack"), revoke).await;
    }
    let may = world.call(&world.shop_bot, TICKET, ticket()).await;
    assert_eq!(may.status, 200, "another's token lost its packs: {}", may.body);
}

/// The credential grant, and the credential itself, of a server of the test's own.
async fn credential(world: &mut World, surface: Surface) {
    for (way, verb) in [("credential grant", "credential-grants"), ("credential", "credentials")] {
        let (ana, name) = (world.ana.clone(), format!("of-{verb}"));
        let bot = bot(world, &name, "acme/shop").await;
        let origin = world.upstream.origin.clone();
        let scope = "acme/shop";
        let body =
            json!({ "name": name, "scope": scope, "origins": [origin], "secret": "k3y-for-it" });
        let credential = world.must(&ana, "POST", "/v1/credentials", body).await;
        let body = json!({ "credential": credential["id"], "scope": scope });
        let granted = world.must(&ana, "POST", "/v1/credential-grants", body).await;
        let mut server = e2e::world::billing(scope, &origin, &credential["id"].clone());
        server["name"] = json!(name);
        world.server(&ana, server).await;
        let of = if verb == "credentials" { &credential } else { &granted };
        let path = format!("/v1/{verb}/{}", of["id"].as_str().expect("an id"));
        let revoke = world.must(&ana, "DELETE", &path, Value::Null);
        let address = format!("shop/{name}.echo");
        let (token, arguments) = (bot.token.as_str(), json!({ "limit": 1 }));
        let call = Cut { way, token, address: &address, arguments, code: "not_granted" };
        cut(world, surface, &call, revoke).await;
    }
}

/// One tool of a server, then the server.
async fn withdrawal(world: &mut World, surface: Surface) {
    let bot = bot(world, "of-withdrawal", "acme/shop").await;
    let (ana, origin) = (world.ana.clone(), world.upstream.origin.clone());
    let mut body = tickets("acme/shop", &origin);
    body["name"] = json!("leaving");
    let server = world.server(&ana, body).await;
    let path = format!("/v1/servers/{}/withdraw", server["id"].as_str().expect("an id"));
    let call = |way, address, arguments| Cut {
        way,
        token: &bot.token,
        address,
        arguments,
        code: "not_granted",
    };
    let one = json!({ "tools": ["ticket.get"], "expected_version": server["version"] });
    let revoke = world.must(&ana, "POST", &path, one);
    let of_tool = call("tool withdrawal", "shop/leaving.ticket.get", ticket());
    cut(world, surface, &of_tool, revoke).await;
    let version = server["version"].as_i64().expect("a version") + 1;
    let revoke = world.must(&ana, "POST", &path, json!({ "expected_version": version }));
    let of_server = call("server withdrawal", "shop/leaving.log.read", json!({}));
    cut(world, surface, &of_server, revoke).await;
    let may = world.call(&bot.token, TICKET, ticket()).await;
    assert_eq!(may.status, 200, "another server went with it: {}", may.body);
}

/// A project, and a group with the project in it.
async fn archive(world: &mut World, surface: Surface) {
    let (ana, origin) = (world.ana.clone(), world.upstream.origin.clone());
    world.server(&ana, tickets("acme/shop/returns", &origin)).await;
    world.server(&ana, tickets("acme/support/mail", &origin)).await;
    for (way, scope, archive) in [
        ("project archive", "shop/returns", "/v1/groups/shop/projects/returns/archive"),
        ("group archive", "support/mail", "/v1/groups/support/archive"),
    ] {
        let name = format!("of-{}", scope.replace('/', "-"));
        let bot = bot(world, &name, &format!("acme/{scope}")).await;
        let address = format!("{scope}/tickets.ticket.get");
        let revoke = world.must(&ana, "POST", archive, json!({ "expected_version": 1 }));
        let (token, arguments) = (bot.token.as_str(), ticket());
        let call = Cut { way, token, address: &address, arguments, code: "not_granted" };
        cut(world, surface, &call, revoke).await;
    }
}

/// A whole identity.
async fn identity(world: &mut World, surface: Surface) {
    let token = world.globex_bot.clone();
    let path = "/v1/identities/globex/suspend";
    let revoke = world.must(&world.operator, "POST", path, json!({}));
    let call = Cut {
        way: "identity suspension",
        token: &token,
        address: "./tickets.ticket.get",
        arguments: ticket(),
        code: "unauthenticated",
    };
    cut(world, surface, &call, revoke).await;
    let owner = world.rest(&world.gus, "GET", "/v1/groups", Value::Null).await;
    assert_eq!(owner.code(), "unauthenticated", "its owner too: {}", owner.body);
    let may = world.call(&world.shop_bot, TICKET, ticket()).await;
    assert_eq!(may.status, 200, "another identity went with it: {}", may.body);
}

/// Everything that can be taken away.
async fn every_way(surface: Surface) {
    let mut world = World::start().await;
    token(&mut world, surface).await;
    parent(&mut world, surface).await;
    rotation(&mut world, surface).await;
    leak(&mut world, surface).await;
    role(&mut world, surface).await;
    grant(&mut world, surface).await;
    suspension(&mut world, surface).await;
    packs(&mut world, surface).await;
    credential(&mut world, surface).await;
    withdrawal(&mut world, surface).await;
    archive(&mut world, surface).await;
    identity(&mut world, surface).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_call_after_a_revoke_is_refused_over_rest() {
    every_way(Surface::Rest).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_call_after_a_revoke_is_refused_over_mcp() {
    every_way(Surface::Mcp).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_call_after_a_revoke_is_refused_on_the_command_line() {
    every_way(Surface::Cli).await;
}

/// What was answered before is no way around: not the record of a write, not what is kept.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_answered_before_is_refused_after() {
    let mut world = World::start().await;
    let bot = bot(&mut world, "of-before", "acme/shop").await;
    let write = json!({ "subject": "Refund 412" });
    let made = world.call(&bot.token, "shop/tickets.ticket.create", write.clone()).await;
    assert_eq!(made.status, 200, "{}", made.body);
    let again = world.call(&bot.token, "shop/tickets.ticket.create", write.clone()).await;
    assert_eq!(again.text("/hints/0/hint"), "repeated", "{}", again.body);
    let kept = world.call(&bot.token, "shop/tickets.log.read", json!({})).await;
    let slice = json!({ "handle": kept.result()["handle"], "bytes": { "start": 0, "end": 10 } });
    let read = world.rest(&bot.token, "POST", "/v1/content/slice", slice.clone()).await;
    assert_eq!(read.status, 200, "{}", read.body);

    let path = format!("/v1/grants/{}", bot.grant);
    world.must(&world.ana, "DELETE", &path, Value::Null).await;
    let again = world.call(&bot.token, "shop/tickets.ticket.create", write).await;
    assert_eq!(again.code(), "not_granted", "{}", again.body);
    let read = world.rest(&bot.token, "POST", "/v1/content/slice", slice).await;
    assert_eq!(read.code(), "not_found", "{}", read.body);
    let search = json!({ "query": "payment worker" });
    let found = world.rest(&bot.token, "POST", "/v1/content/search", search).await;
    assert!(!found.body.to_string().contains("payment worker"), "{}", found.body);
}

/// An agent that is supervised from now on has its next write held.
#[tokio::test(flavor = "multi_thread")]
async fn the_first_write_after_supervision_is_held() {
    let mut world = World::start().await;
    let bot = bot(&mut world, "of-stage", "acme/shop").await;
    let create = "shop/tickets.ticket.create";
    let before = world.call(&bot.token, create, json!({ "subject": "one" })).await;
    assert_eq!(before.status, 200, "{}", before.body);
    let path = format!("/v1/principals/{}", bot.principal);
    let body = json!({ "stage": "supervised", "expected_version": 1 });
    world.must(&world.ana, "PATCH", &path, body).await;
    let after = world.call(&bot.token, create, json!({ "subject": "two" })).await;
    assert_eq!(after.status, 202, "{}", after.body);
    assert_eq!(world.upstream.count("POST", "/tickets"), 1);
}

/// When a call started, and whether it was answered.
struct Started {
    at: Instant,
    status: u16,
}

const CROWD: u64 = 200;

/// Two hundred callers call while the grant is revoked, and again at once when they see it answered.
#[tokio::test(flavor = "multi_thread")]
async fn of_two_hundred_calls_none_that_starts_after_the_revoke_succeeds() {
    let mut world = World::start().await;
    let bot = bot(&mut world, "of-crowd", "acme/shop").await;
    let (world, revoked) = (Arc::new(world), Arc::new(AtomicBool::new(false)));
    let mut crowd = tokio::task::JoinSet::new();
    for nth in 0..CROWD {
        let (world, revoked) = (Arc::clone(&world), Arc::clone(&revoked));
        let token = bot.token.clone();
        let surface = if nth % 2 == 0 { Surface::Rest } else { Surface::Mcp };
        crowd.spawn(async move {
            let call = async || {
                let at = Instant::now();
                let said = world.call_on(surface, &token, TICKET, ticket()).await;
                Started { at, status: said.status }
            };
            tokio::time::sleep(Duration::from_millis(nth * 2)).await;
            let first = call().await;
            while !revoked.load(Ordering::Acquire) {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            [first, call().await]
        });
    }
    // In the middle of the crowd, as counted by what the upstream has seen.
    while (world.upstream.count("GET", "/tickets/412") as u64) < CROWD / 4 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let path = format!("/v1/grants/{}", bot.grant);
    world.must(&world.ana, "DELETE", &path, Value::Null).await;
    let answered = Instant::now();
    revoked.store(true, Ordering::Release);
    let calls: Vec<Started> = crowd.join_all().await.into_iter().flatten().collect();
    let (after, before): (Vec<&Started>, Vec<&Started>) =
        calls.iter().partition(|call| call.at >= answered);
    assert!(before.iter().any(|call| call.status == 200), "nothing was answered before");
    assert!(after.len() as u64 >= CROWD, "{} calls started after the revoke", after.len());
    // What is unavailable (503) was not honoured either.
    let refused = |status: u16| matches!(status, 403 | 503);
    let late: Vec<u16> =
        after.iter().map(|call| call.status).filter(|status| !refused(*status)).collect();
    assert_eq!(late, Vec::<u16>::new(), "of {} calls that started after", after.len());
    assert!(after.iter().any(|call| call.status == 403), "none was refused, all were unavailable");
}
