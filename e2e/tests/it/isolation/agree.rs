//! G5: in a generated identity, for every principal and every tool, overview, place, search, describe
//! and call agree with the model on what is reachable.

use std::collections::{BTreeMap, BTreeSet};

use e2e::{Surface, World};
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use super::plan::{
    Credential, Found, Packs, Plan, Principal, SCOPES, Server, State, found, place, plan,
};

/// Generated identities: few, and large.
const CASES: u32 = 4;
/// Stands in every description, so that one search finds everything.
const WORD: &str = "quillwort";

/// A generated identity that stands.
struct Tree<'w> {
    world: &'w World,
    plan: &'w Plan,
    identity: String,
    owner: String,
    /// A token for each principal.
    tokens: Vec<String>,
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

impl Tree<'_> {
    async fn post(&self, path: &str, body: Value) -> Value {
        self.world.must(&self.owner, "POST", path, body).await
    }

    fn scope(&self, scope: &str) -> String {
        format!("{}{scope}", self.identity)
    }

    async fn scopes(&self) {
        for scope in SCOPES {
            match scope.split('/').collect::<Vec<_>>()[..] {
                [_, group] => drop(self.post("/v1/groups", json!({ "name": group })).await),
                [_, group, project] => {
                    let path = format!("/v1/groups/{group}/projects");
                    self.post(&path, json!({ "name": project })).await;
                }
                _ => {}
            }
        }
    }

    /// The credential of a server, granted as the plan says.
    async fn credential(&self, server: &Server) -> Option<Value> {
        let at = match server.credential {
            Credential::None => return None,
            Credential::Granted(scope) => scope,
            Credential::Revoked => server.scope,
        };
        let name = format!("{}-of-{}", server.name, place(server.scope).replace(['/', '.'], "x"));
        let body = json!({
            "name": name, "scope": self.scope(""), "secret": "k3y-for-it",
            "origins": [self.world.upstream.origin],
        });
        let credential = self.post("/v1/credentials", body).await;
        let body = json!({ "credential": credential["id"], "scope": self.scope(at) });
        let grant = self.post("/v1/credential-grants", body).await;
        if server.credential == Credential::Revoked {
            let path = format!("/v1/credential-grants/{}", text(&grant["id"]));
            self.world.must(&self.owner, "DELETE", &path, Value::Null).await;
        }
        Some(json!({ "id": credential["id"], "placement": { "kind": "bearer" } }))
    }

    /// Registers a server and brings its tools to where the plan has them. Answers the ids of those
    /// that the pack pins.
    async fn server(&self, server: &Server) -> Vec<Value> {
        let mut instance = json!({
            "shape": "http", "origin": self.world.upstream.origin, "allow_http": true,
            "allow_private": ["127.0.0.0/8"],
        });
        if let Some(credential) = self.credential(server).await {
            instance["credential"] = credential;
        }
        let declared = |name: &str, about: &str| {
            json!({ "name": name, "about": about, "effect": "read",
                "endpoint": { "method": "GET", "path": "/echo" } })
        };
        let tools: Vec<Value> = server
            .tools
            .iter()
            .map(|tool| declared(tool.name, &format!("Says {WORD}, and no more.")))
            .collect();
        let body = json!({
            "scope": self.scope(server.scope), "name": server.name, "instance": instance,
            "interchangeable": server.interchangeable, "tools": tools,
        });
        let registered = self.post("/v1/servers", body).await;
        let ids: BTreeMap<String, Value> = registered["tools"]
            .as_array()
            .expect("tools")
            .iter()
            .map(|tool| (text(&tool["name"]), tool["id"].clone()))
            .collect();
        let mut pinned = Vec::new();
        for tool in &server.tools {
            if tool.state != State::Unclassified {
                let id = text(&ids[tool.name]);
                let judged = json!({ "effect": tool.effect });
                self.world.classify(&self.owner, &id, judged).await;
            }
            if self.plan.pins(server, tool) {
                pinned.push(ids[tool.name].clone());
            }
        }
        let path = format!("/v1/servers/{}", text(&registered["id"]));
        let drifted = server.tools.iter().filter(|tool| tool.state == State::Drifted);
        let drifted: Vec<Value> =
            drifted.map(|tool| declared(tool.name, &format!("Says {WORD}, and more."))).collect();
        let mut version = registered["version"].as_i64().expect("a version");
        if !drifted.is_empty() {
            let body = json!({ "tools": drifted, "expected_version": version });
            self.post(&format!("{path}/publish"), body).await;
            version += 1;
        }
        let gone: Vec<&str> = server
            .tools
            .iter()
            .filter(|tool| tool.state == State::Withdrawn)
            .map(|tool| tool.name)
            .collect();
        // Withdrawn once the pack is published: a pack does not keep what was withdrawn.
        if !gone.is_empty() && pinned.is_empty() {
            let body = json!({ "tools": gone, "expected_version": version });
            self.post(&format!("{path}/withdraw"), body).await;
        }
        pinned
    }

    /// Withdraws what was left for the pack to be published before, and whole servers.
    async fn withdraw(&self) {
        let listed =
            self.world.must(&self.owner, "GET", "/v1/servers?limit=200", Value::Null).await;
        for registered in listed["items"].as_array().expect("servers") {
            let server = self.plan.servers.iter().find(|server| {
                registered["scope"] == json!(self.scope(server.scope))
                    && registered["name"] == json!(server.name)
            });
            let server = server.expect("a server of the plan");
            let state = |name: &str| {
                let tools = registered["tools"].as_array().expect("tools");
                let tool = tools.iter().find(|tool| tool["name"] == json!(name));
                tool.map(|tool| text(&tool["state"])).unwrap_or_default()
            };
            let gone: Vec<&str> = server
                .tools
                .iter()
                .filter(|tool| tool.state == State::Withdrawn && state(tool.name) != "withdrawn")
                .map(|tool| tool.name)
                .collect();
            let path = format!("/v1/servers/{}/withdraw", text(&registered["id"]));
            let version = registered["version"].as_i64().expect("a version");
            if server.withdrawn {
                self.post(&path, json!({ "expected_version": version })).await;
            } else if !gone.is_empty() {
                let body = json!({ "tools": gone, "expected_version": version });
                self.post(&path, body).await;
            }
        }
    }

    async fn principal(&self, nth: usize, principal: &Principal) -> String {
        let kind = if principal.agent { "agent" } else { "user" };
        let stage = if principal.supervised { "supervised" } else { "autonomous" };
        let body = json!({ "kind": kind, "name": format!("p{nth}"), "stage": stage });
        let id = self.post("/v1/principals", body).await["id"].clone();
        for grant in &principal.grants {
            let scope = self.scope(grant.scope);
            let body = json!({ "principal": id, "role": grant.role, "scope": scope });
            let given = self.post("/v1/grants", body).await;
            if grant.revoked {
                let path = format!("/v1/grants/{}", text(&given["id"]));
                self.world.must(&self.owner, "DELETE", &path, Value::Null).await;
            }
        }
        let mut body = json!({ "principal": id });
        if let Some(scope) = principal.token.scope {
            body["scope"] = json!(self.scope(scope));
        }
        if let Some(effects) = &principal.token.effects {
            let calls = effects.iter().map(|effect| format!("call.{effect}"));
            body["actions"] = json!(calls.collect::<Vec<_>>());
        }
        match principal.token.packs {
            Packs::Live => {}
            Packs::None => body["packs"] = json!([]),
            Packs::Half => body["packs"] = json!([{ "name": "half", "version": 1 }]),
        }
        let token = text(&self.post("/v1/tokens", body).await["secret"]);
        let Some(scope) = principal.child else { return token };
        let body = json!({ "scope": self.scope(scope) });
        let child = self.world.must(&token, "POST", "/v1/tokens/narrow", body).await;
        text(&child["secret"])
    }

    async fn archive(&self) {
        for scope in &self.plan.archived {
            let path = match scope.split('/').collect::<Vec<_>>()[..] {
                [_, group, project] => format!("/v1/groups/{group}/projects/{project}/archive"),
                [_, group] => format!("/v1/groups/{group}/archive"),
                _ => continue,
            };
            let body = json!({ "expected_version": 1 });
            let said = self.world.rest(&self.owner, "POST", &path, body).await;
            // What lies in an archived group is archived already.
            let known = said.status == 200 || matches!(said.status, 404 | 409 | 403);
            assert!(known, "{path}: {}", said.body);
        }
    }

    async fn grow(&mut self) {
        self.scopes().await;
        let mut pinned = Vec::new();
        for server in &self.plan.servers {
            pinned.extend(self.server(server).await);
        }
        self.post("/v1/packs", json!({ "name": "half", "tools": pinned })).await;
        self.withdraw().await;
        for (nth, principal) in self.plan.principals.iter().enumerate() {
            let token = self.principal(nth, principal).await;
            self.tokens.push(token);
        }
        self.archive().await;
    }
}

/// A principal of a tree that asks over a surface.
struct Asker<'t> {
    tree: &'t Tree<'t>,
    who: &'t Principal,
    token: &'t str,
    surface: Surface,
    may: BTreeSet<Found>,
}

impl Asker<'_> {
    async fn ask(&self, verb: &str, input: Value) -> Value {
        let said = self.tree.world.on(self.surface, self.token, verb, &input).await;
        assert_eq!(said.status, 200, "{verb} {input} on {:?}: {}", self.surface, said.body);
        said.result().clone()
    }

    fn why(&self, what: &str) -> String {
        format!("{what} on {:?} for {:?} in {:#?}", self.surface, self.who, self.tree.plan)
    }

    fn addresses(&self) -> BTreeSet<String> {
        self.may.iter().map(|found| found.address.clone()).collect()
    }

    async fn overview(&self) {
        let overview = self.ask("catalogue.overview", json!({})).await;
        let said: BTreeMap<String, u64> = overview["places"]
            .as_array()
            .expect("places")
            .iter()
            .map(|place| (text(&place["place"]), place["tools"].as_u64().expect("a count")))
            .collect();
        let mut want: BTreeMap<String, u64> = BTreeMap::new();
        for found in &self.may {
            *want.entry(place(found.scope).to_owned()).or_default() += 1;
        }
        assert_eq!(said, want, "{}", self.why("overview"));
    }

    async fn place(&self, scope: &str) {
        let answer = self.ask("catalogue.place", json!({ "place": place(scope) })).await;
        let servers = answer["servers"].as_array().expect("servers").iter();
        let tools = servers.flat_map(|server| server["tools"].as_array().expect("tools"));
        let said: BTreeSet<String> = tools.map(|tool| text(&tool["address"])).collect();
        let here = self.may.iter().filter(|found| found.scope == scope);
        let want: BTreeSet<String> = here.map(|found| found.address.clone()).collect();
        assert_eq!(said, want, "{}", self.why("place"));
    }

    async fn search(&self) {
        let answer = self.ask("catalogue.search", json!({ "query": WORD, "limit": 50 })).await;
        let hits = answer["hits"].as_array().expect("hits").iter();
        let said: BTreeSet<String> = hits.map(|hit| text(&hit["address"])).collect();
        assert_eq!(said, self.addresses(), "{}", self.why("search"));
    }

    async fn describe(&self, addresses: &[String]) {
        let answer = self.ask("catalogue.describe", json!({ "addresses": addresses })).await;
        let tools = answer["tools"].as_array().expect("tools").iter();
        let said: BTreeSet<String> = tools.map(|tool| text(&tool["address"])).collect();
        let asked: BTreeSet<String> = addresses.iter().cloned().collect();
        let want: BTreeSet<String> = self.addresses().intersection(&asked).cloned().collect();
        assert_eq!(said, want, "{}", self.why("describe"));
        let missing: BTreeSet<String> =
            answer["not_found"].as_array().expect("a list").iter().map(text).collect();
        assert_eq!(missing, asked.difference(&want).cloned().collect(), "{}", self.why("describe"));
    }

    /// Calls for real over REST, and to be told only over the others.
    async fn call(&self, address: &str) {
        let dry = self.surface != Surface::Rest;
        let input = json!({ "address": address, "dry_run": dry });
        let said = self.tree.world.on(self.surface, self.token, "catalogue.call", &input).await;
        let blocked = said.body.pointer("/result/verdict") == Some(&json!("block"));
        let reached = matches!(said.status, 200 | 202) && !(dry && blocked);
        let want = self.addresses().contains(address);
        assert_eq!(reached, want, "{address}: {}\n{}", said.body, self.why("call"));
        let known = ["not_granted", "narrowed", "not_in_pack", "unclassified", ""];
        assert!(known.contains(&said.code().as_str()), "{address}: {}", said.body);
    }

    /// A call that names no place names those that could be named, and only those.
    async fn without_place(&self, server: &str, tool: &str) {
        let address = format!("{server}.{tool}");
        let input = json!({ "address": address, "dry_run": true });
        let said = self.tree.world.on(self.surface, self.token, "catalogue.call", &input).await;
        let plan = self.tree.plan;
        let could: Vec<(&Server, String)> = plan
            .tools()
            .filter(|(of, one)| of.name == server && one.name == tool)
            .filter(|(of, one)| plan.may(self.who, of, one))
            .map(|(of, one)| (of, found(of, one).address))
            .collect();
        if could.iter().any(|(server, _)| server.interchangeable) {
            let chosen = text(&said.result()["address"]);
            let fits = |(server, address): &(&Server, String)| {
                server.interchangeable && *address == chosen
            };
            assert!(could.iter().any(fits), "{chosen}: {}", self.why("no place"));
        } else if could.is_empty() {
            assert_eq!(said.code(), "not_granted", "{}\n{}", said.body, self.why("no place"));
        } else {
            assert_eq!(said.code(), "place_required", "{}\n{}", said.body, self.why("no place"));
            let places = said.body["refusal"]["more"]["places"].as_array().expect("places");
            let said: BTreeSet<String> = places.iter().map(text).collect();
            let want = could.iter().map(|(server, _)| place(server.scope).to_owned()).collect();
            assert_eq!(said, want, "{}", self.why("no place"));
        }
    }

    async fn everything(&self) {
        let all: Vec<String> =
            self.tree.plan.tools().map(|(server, tool)| found(server, tool).address).collect();
        self.overview().await;
        self.search().await;
        for scope in SCOPES {
            self.place(scope).await;
        }
        for some in all.chunks(20) {
            self.describe(some).await;
        }
        for address in &all {
            self.call(address).await;
        }
        for (server, tool) in [("orders", "ask"), ("letters", "ask"), ("orders", "tell.more")] {
            self.without_place(server, tool).await;
        }
    }

    /// As much as a process for each question allows.
    async fn a_little(&self) {
        let all: Vec<String> =
            self.tree.plan.tools().map(|(server, tool)| found(server, tool).address).collect();
        self.overview().await;
        self.search().await;
        self.describe(&all[..all.len().min(20)]).await;
        for (server, tool) in self.tree.plan.tools().take(2) {
            self.place(server.scope).await;
            self.call(&found(server, tool).address).await;
        }
    }
}

async fn check(world: &World, nth: u32, plan: &Plan) {
    let identity = format!("tree{nth}");
    let body = json!({ "name": identity, "owner": "olga" });
    let created = world.must(&world.operator, "POST", "/v1/identities", body).await;
    let owner = text(&created["owner_token"]);
    let mut tree = Tree { world, plan, identity, owner, tokens: Vec::new() };
    tree.grow().await;
    for (nth, who) in plan.principals.iter().enumerate() {
        let token = &tree.tokens[nth];
        for surface in Surface::ALL {
            let may = plan.callable(who);
            let asker = Asker { tree: &tree, who, token, surface, may };
            match surface {
                Surface::Rest | Surface::Mcp => asker.everything().await,
                Surface::Cli if nth < 3 => asker.a_little().await,
                Surface::Cli => {}
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_found_listed_described_and_called_is_what_is_granted() {
    let world = World::start().await;
    let config = Config {
        cases: CASES,
        failure_persistence: None,
        max_shrink_iters: 40,
        ..Config::default()
    };
    let (mut runner, nth) = (TestRunner::new(config), std::sync::atomic::AtomicU32::new(0));
    let reached = std::sync::atomic::AtomicUsize::new(0);
    let handle = tokio::runtime::Handle::current();
    let run = tokio::task::block_in_place(|| {
        runner.run(&plan(), |plan| {
            let nth = nth.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            let found: usize = plan.principals.iter().map(|who| plan.callable(who).len()).sum();
            reached.fetch_add(found, std::sync::atomic::Ordering::SeqCst);
            handle.block_on(check(&world, nth, &plan));
            Ok(())
        })
    });
    run.unwrap_or_else(|error| panic!("{error}"));
    let reached = reached.into_inner();
    assert!(reached > 40, "the plans grant next to nothing: {reached} tools are reached");
}
