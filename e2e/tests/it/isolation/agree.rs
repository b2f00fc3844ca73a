//! G5: in a generated identity, for every principal and every tool, overview, place, search, describe
//! and call agree with the model on what is reachable.

use std::collections::{BTreeMap, BTreeSet};

use e2e::{Surface, World};
use futures::{StreamExt, stream};
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use super::plan::{Found, Plan, Principal, SCOPES, Server, found, place, plan};
use super::tree::{Tree, WORD, text};

/// Generated identities: few, and large.
const CASES: u32 = 4;
/// Questions at the same moment.
const AT_A_TIME: usize = 4;

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
        // A process a call on the command line: some at a time.
        stream::iter(&all).for_each_concurrent(AT_A_TIME, |address| self.call(address)).await;
        for (server, tool) in [("orders", "ask"), ("letters", "ask"), ("orders", "tell.more")] {
            self.without_place(server, tool).await;
        }
    }
}

async fn check(world: &World, case: u32, plan: &Plan) {
    let tree = Tree::grown(world, plan, format!("tree{case}")).await;
    for (nth, who) in plan.principals.iter().enumerate() {
        let token = &tree.tokens[nth];
        for surface in Surface::ALL {
            let may = plan.callable(who);
            let asker = Asker { tree: &tree, who, token, surface, may };
            // A process a question takes its time: by command, every principal of the first identity.
            if surface != Surface::Cli || case == 0 {
                asker.everything().await;
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
        max_shrink_iters: 12,
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
