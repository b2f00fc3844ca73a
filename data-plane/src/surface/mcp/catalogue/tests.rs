//! The endpoint of a worker that serves one identity, over a control plane of canned answers.

use std::collections::BTreeSet;

use axum::body::{Body, to_bytes};
use contract::shape::Instance;
use contract::verbs::server::Declaration;
use contract::verbs::tool::Classification;
use contract::{Effect, Labels, Scope, Timestamp, sample};
use http::{Request, StatusCode, header};
use serde_json::json;
use tenancy::clock::{Fake, Shared};
use tenancy::plane::{self, Answered, Gone, Granted, Link, Renewed, ToControl};
use tenancy::seal::Dek;
use tenancy::token::{Kind, Route, Secret, mint};
use tenancy::view::{
    Document, Grant, PackRef, Principal, PrincipalKind, ScopeRecord, Stage, Token,
};
use tower::ServiceExt;

use super::*;
use crate::worker::Config;

/// How many tools the agent may call.
const TOOLS: usize = 450;

/// Grants the lease, and says nothing new ever after.
#[derive(Debug)]
struct Canned {
    view: Document,
    catalogue: plane::Catalogue,
    key: String,
}

impl Link for Canned {
    fn ask(&self, frame: Vec<u8>) -> plane::Boxed<'_, Result<Vec<u8>, Gone>> {
        let answered = match plane::decode(&frame).expect("a message") {
            ToControl::Acquire { .. } => Answered::Granted(Box::new(Granted {
                epoch: 1,
                lease_ms: 3000,
                key: self.key.clone(),
                view: self.view.clone(),
                catalogue: self.catalogue.clone(),
            })),
            ToControl::Renew { .. } => {
                Answered::Renewed(Box::new(Renewed { lease_ms: 3000, view: None, catalogue: None }))
            }
            ToControl::Outbox { .. } => Answered::Outbox(Vec::new()),
            ToControl::Verb(_)
            | ToControl::Route { .. }
            | ToControl::Exists { .. }
            | ToControl::Ack { .. }
            | ToControl::Release { .. }
            | ToControl::Usage { .. }
            | ToControl::Used { .. }
            | ToControl::Checkpoint { .. } => Answered::Done,
        };
        Box::pin(async move { plane::encode(answered).map_err(|error| Gone(error.to_string())) })
    }

    fn pushes(&self, _: &str) -> tokio::sync::mpsc::Receiver<Vec<u8>> {
        tokio::sync::mpsc::channel(1).1
    }
}

fn scope(text: &str) -> Scope {
    text.parse().expect("a scope")
}

/// A server of `tools` read-only tools.
fn server(at: &str, name: &str, tools: usize, first_id: u128) -> plane::Server {
    let instance: Instance =
        serde_json::from_value(json!({ "shape": "http", "origin": "https://tools.invalid" }))
            .expect("an instance");
    let tools = (0..tools).map(|n| {
        let name = format!("t_{n:03}");
        let declaration: Declaration = serde_json::from_value(json!({
            "name": name, "about": "Reads.", "effect": "read",
            "endpoint": { "method": "GET", "path": "/x", "arguments": [{
                "name": "region", "in": "query", "schema": { "type": "string", "x-mcp-header": "Region" }
            }] }
        }))
        .expect("a declaration");
        let digest = plane::definition_digest(&instance, &declaration).expect("a digest");
        plane::Tool {
            id: contract::Id::new(uuid::Uuid::from_u128(first_id + n as u128)),
            name: name.parse().expect("a name"),
            classifications: vec![Classification {
                version: 1,
                declaration: 1,
                digest: digest.clone(),
                effect: Effect::Read,
                labels: Labels::NONE,
                cleared: Labels::NONE,
                on_tainted: contract::verbs::tool::OnLabel::Approve,
                by: sample::id(1),
                at: Timestamp::from_ms(0),
            }],
            declarations: vec![plane::Declared { version: 1, digest, declaration }],
        }
    });
    let tools = tools.collect();
    plane::Server {
        id: contract::Id::new(uuid::Uuid::from_u128(first_id)),
        scope: scope(at),
        name: name.parse().expect("a name"),
        title: name.to_owned(),
        interchangeable: false,
        instance,
        tools,
    }
}

/// Acme's worker: the agent's token may call what is in `shop`, and nothing in `hr`.
struct World {
    app: Router,
    token: Secret,
    stranger: Secret,
    _dir: tempfile::TempDir,
}

async fn world() -> World {
    let clock = Fake::at(Timestamp::from_ms(1_000_000));
    let route: Route = "acme0".parse().expect("a route");
    let (token, stranger) = (mint(&clock, Kind::Agent, &route), mint(&clock, Kind::Agent, &route));
    let identity: contract::Name = "acme".parse().expect("a name");
    let mut view = Document::empty(identity.clone(), sample::id(9), 1);
    view.scopes = ["acme/hr", "acme/shop", "acme/shop/checkout"]
        .map(|at| ScopeRecord { scope: scope(at), id: at.to_owned(), archived: false })
        .to_vec();
    view.principals.push(Principal {
        id: sample::id(1),
        kind: PrincipalKind::Agent,
        name: "helper".parse().expect("a name"),
        display: None,
        stage: Stage::Autonomous,
        suspended: false,
    });
    view.tokens.push(Token {
        id: sample::id(1),
        principal: sample::id(1),
        kind: Kind::Agent,
        parent: None,
        family: None,
        hash: token.hash(),
        scope: None,
        actions: None,
        packs: vec![PackRef { name: "live".parse().expect("a name"), version: None }],
        expires: None,
        revoked: false,
    });
    view.grants.push(Grant {
        id: sample::id(1),
        principal: sample::id(1),
        scope: scope("acme/shop"),
        role: "member".parse().expect("a name"),
        expires: None,
        revoked: false,
    });
    let catalogue = plane::Catalogue {
        revision: 1,
        servers: vec![
            server("acme/shop/checkout", "orders", TOOLS - 10, 10_000),
            server("acme/hr", "people", 3, 20_000),
            server("acme/shop", "billing", 10, 30_000),
        ],
    };
    let key = Dek::generate(&clock).to_text().to_string();
    let dir = tempfile::tempdir().expect("a folder");
    let config = Config {
        dir: dir.path().to_owned(),
        node: "n1".to_owned(),
        policy: contract::shape::http::Policy::default(),
        signing_seed: [7; 32],
        own: Vec::new(),
    };
    let (clock, link): (Shared, Arc<dyn Link>) =
        (Arc::new(clock), Arc::new(Canned { view, catalogue, key }));
    let worker = Worker::start(identity, link, clock, &config).await.expect("a worker");
    World { app: mount(&worker, &Reach::default()), token, stranger, _dir: dir }
}

impl World {
    async fn post(
        &self,
        uri: &str,
        token: Option<&str>,
        method: &str,
        params: Value,
    ) -> (http::response::Parts, Value) {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let mut request = Request::post(uri)
            .header(header::HOST, "127.0.0.1:4000")
            .header(header::CONTENT_TYPE, "application/json");
        if let Some(token) = token {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        let request = request.body(Body::from(body.to_string())).expect("a request");
        let (parts, body) =
            self.app.clone().oneshot(request).await.expect("infallible").into_parts();
        let bytes = to_bytes(body, 16 << 20).await.expect("a body");
        (parts, serde_json::from_slice(&bytes).expect("JSON"))
    }

    async fn ask(&self, uri: &str, method: &str, params: Value) -> Value {
        let (parts, body) = self.post(uri, Some(self.token.expose()), method, params).await;
        assert_eq!(parts.status, StatusCode::OK, "{body}");
        body
    }

    /// What a tool answered, out of its text.
    async fn call(&self, name: &str, arguments: Value) -> Value {
        let params = json!({ "name": name, "arguments": arguments });
        let body = self.ask("/t/acme/mcp", "tools/call", params).await;
        let text = body["result"]["content"][0]["text"]
            .as_str()
            .unwrap_or_else(|| panic!("{name}: {body}"));
        serde_json::from_str(text).expect("JSON")
    }
}

#[test]
fn the_five_are_announced_as_the_contract_says() {
    let said = serde_json::to_value(&*announced()).expect("serialises");
    assert_eq!(said, Value::Array(rendered::announced()));
    assert!(said.to_string().len() <= rendered::ANNOUNCED_MAX_BYTES);
}

#[tokio::test]
async fn a_token_that_does_not_stand_here_gets_a_challenge() {
    let world = world().await;
    let own = world.token.expose();
    for (uri, token, bad) in [
        ("/t/acme/mcp", None, false),
        ("/mcp", None, false),
        ("/mcp", Some("nonsense"), true),
        ("/mcp", Some(world.stranger.expose()), true),
        // At the door of another identity it is as unknown as any other.
        ("/t/globex/mcp", Some(own), true),
    ] {
        let (parts, body) = world.post(uri, token, "tools/list", json!({})).await;
        assert_eq!(
            (parts.status.as_u16(), &body["error"]["data"]["refusal"]["code"]),
            (401, &json!("unauthenticated"))
        );
        let error = if bad { "error=\"invalid_token\", " } else { "" };
        let metadata = format!("http://127.0.0.1:4000/.well-known/oauth-protected-resource{uri}");
        assert_eq!(
            parts.headers[header::WWW_AUTHENTICATE],
            format!("Bearer {error}resource_metadata=\"{metadata}\"")
        );
    }
    let unknown =
        world.post("/mcp", Some(world.stranger.expose()), "tools/list", json!({})).await.1;
    let neighbour = world.post("/t/globex/mcp", Some(own), "tools/list", json!({})).await.1;
    assert_eq!(unknown, neighbour);
}

#[tokio::test]
async fn five_tools_are_announced_and_no_others() {
    let world = world().await;
    for uri in ["/mcp", "/t/acme/mcp"] {
        let body = world.ask(uri, "tools/list", json!({})).await;
        assert_eq!(body["result"]["tools"], Value::Array(rendered::announced()));
        assert_eq!(body["result"].get("nextCursor"), None);
    }
    let body = world.ask("/mcp", "tools/list", json!({ "cursor": "c2hvcA" })).await;
    assert_eq!(body["error"]["code"], -32602);
}

#[tokio::test]
async fn the_flat_catalogue_is_what_may_be_called_page_by_page() {
    let world = world().await;
    let mut names = Vec::new();
    let mut pages = Vec::new();
    let mut params = json!({});
    loop {
        let body = world.ask("/t/acme/mcp?catalogue=flat", "tools/list", params).await;
        let tools = body["result"]["tools"].as_array().expect("tools").clone();
        pages.push(tools.len());
        for tool in &tools {
            assert!(
                !tool.to_string().contains("x-mcp-header") && tool.get("outputSchema").is_none(),
                "{tool}"
            );
            names.push(tool["name"].as_str().expect("a name").to_owned());
        }
        match body["result"].get("nextCursor") {
            Some(cursor) => params = json!({ "cursor": cursor }),
            None => break,
        }
    }
    assert_eq!(pages, [205, 200, 50]);
    let distinct: BTreeSet<_> = names.iter().collect();
    assert_eq!(distinct.len(), 5 + TOOLS);
    assert!(names.iter().all(|name| name.len() <= 64 && !name.contains("people")));
    assert!(names[5].starts_with("billing_t_000_at_shop_"), "{}", names[5]);
    let body = world.ask("/mcp?catalogue=flat", "tools/list", json!({ "cursor": "%" })).await;
    assert_eq!(body["error"]["code"], -32602);
}

#[tokio::test]
async fn a_flattened_name_is_a_call_of_its_address() {
    let world = world().await;
    let flat = |address: &str| rendered::flat_name(&address.parse().expect("an address"));
    let by_name = world.call(&flat("shop/billing.t_001"), json!({ "regio": "eu" })).await;
    let arguments = json!({ "address": "shop/billing.t_001", "arguments": { "regio": "eu" } });
    let by_address = world.call("catalogue_call", arguments).await;
    for answer in [&by_name, &by_address] {
        assert_eq!(answer["refusal"]["code"], "invalid_input", "{answer}");
    }
    assert_eq!(by_name["refusal"]["faults"], by_address["refusal"]["faults"]);
}

#[tokio::test]
async fn a_flattened_name_does_not_tell_what_there_is() {
    let world = world().await;
    let flat = |address: &str| rendered::flat_name(&address.parse().expect("an address"));
    let mut said = Vec::new();
    // What is there and not the caller's, what is not there, and what was made up.
    for name in [flat("hr/people.t_001"), flat("hr/people.salaries"), "x_abcdefghijkl".to_owned()] {
        let mut answer = world.call(&name, json!({})).await;
        let decision = answer["refusal"]["decision_id"].take();
        assert!(decision.is_string(), "{name} left no decision");
        said.push(answer);
    }
    assert_eq!(said[0]["refusal"]["code"], "not_granted");
    assert_eq!((&said[0], &said[0]), (&said[1], &said[2]));
    for name in ["catalogue_nothing", "identity_create", "", "shop/billing.t_001", "x_abcdefghijk1"]
    {
        let body = world.ask("/mcp", "tools/call", json!({ "name": name })).await;
        assert_eq!(body["error"]["code"], -32602, "{name}");
    }
}

#[tokio::test]
async fn all_faults_of_an_input_are_refused_together() {
    let world = world().await;
    let answer = world.call("catalogue_search", json!({ "quer": "x", "limit": 0 })).await;
    let faults = answer["refusal"]["faults"].as_array().expect("faults");
    let fields: BTreeSet<_> = faults.iter().filter_map(|fault| fault["field"].as_str()).collect();
    assert_eq!(fields, BTreeSet::from(["quer", "query", "limit"]));
    let answer = world.call("catalogue_overview", json!({})).await;
    assert_eq!(answer["result"]["home"], "acme", "{answer}");
}

#[tokio::test]
async fn a_search_at_a_place_answers_what_is_there_and_may_be_called() {
    let world = world().await;
    let found = async |place: &str| {
        let arguments = json!({ "query": "reads by region", "place": place, "limit": 50 });
        let answer = world.call("catalogue_search", arguments).await;
        let hits = answer["result"]["hits"].as_array().unwrap_or_else(|| panic!("{answer}"));
        let hits = hits.iter().filter_map(|hit| hit["address"].as_str().map(str::to_owned));
        (hits.collect::<Vec<_>>(), answer["hints"].clone())
    };
    let (shop, _) = found("shop").await;
    assert_eq!(shop.len(), 10);
    assert!(shop.iter().all(|address| address.starts_with("shop/billing.")), "{shop:?}");
    let (below, _) = found("shop/checkout").await;
    assert!(below.iter().all(|address| address.starts_with("shop/checkout/orders.")), "{below:?}");
    assert_eq!(below.len(), 50);
    // What the caller may not reach is told from what is not there by nothing.
    assert_eq!(found("hr").await, found("nowhere").await);
    assert!(found("hr").await.0.is_empty());
}
