//! Owns the world: the identities `acme` and `globex` with their people, agents and servers.

use std::path::Path;
use std::sync::Arc;

use contract::shape::http::Policy;
use control_plane::{Local, Options, Plane};
use data_plane::{Config, Reach};
use serde_json::{Value, json};
use tenancy::clock::{Machine, Shared};
use tenancy::keys::{self, Absent};

use crate::upstream::Upstream;

/// An answer over HTTP.
#[derive(Debug, Clone)]
pub struct Said {
    /// The status.
    pub status: u16,
    /// The body.
    pub body: Value,
}

impl Said {
    /// `result` of an ordinary answer.
    pub fn result(&self) -> &Value {
        assert_eq!(self.status, 200, "{}", self.body);
        self.body.get("result").expect("a result")
    }

    /// A text at a JSON pointer of the body.
    pub fn text(&self, pointer: &str) -> String {
        let value = self.body.pointer(pointer).unwrap_or(&Value::Null);
        value.as_str().map_or_else(|| value.to_string(), str::to_owned)
    }

    /// The refusal's code; empty if this is none.
    pub fn code(&self) -> String {
        self.body.pointer("/refusal/code").and_then(Value::as_str).unwrap_or_default().to_owned()
    }
}

/// A running service.
#[derive(Debug)]
pub struct Service {
    /// Where it listens.
    pub url: String,
    /// The operator's token; empty if the folder was opened before.
    pub operator: String,
    stop: tokio::sync::oneshot::Sender<()>,
}

/// Installs the TLS provider. A second installation in one process is the same provider.
fn tls() {
    drop(rustls::crypto::ring::default_provider().install_default());
}

/// Starts both planes on a data folder.
pub async fn serve(dir: &Path) -> Service {
    serve_by(dir, Arc::new(Machine)).await
}

/// Starts both planes on a data folder, by a clock of the test's own.
pub async fn serve_by(dir: &Path, clock: Shared) -> Service {
    tls();
    let policy = Policy { http: true, private: vec!["127.0.0.0/8".parse().expect("a block")] };
    let kek =
        keys::load_kek(&dir.join(keys::KEK_FILE), None, Absent::Make, &*clock).expect("a key");
    let options = Options { policy: policy.clone(), ..Options::default() };
    let opened = Plane::open(dir, Arc::clone(&clock), kek, options).await.expect("opens");
    let operator = opened.operator_token.map(|token| token.expose().to_owned()).unwrap_or_default();
    let link = Arc::new(Local::new(opened.plane));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let config = Config {
        dir: dir.to_owned(),
        node: "test".to_owned(),
        policy,
        signing_seed: [7; 32],
        own: vec![address],
    };
    let app = data_plane::router(link, clock, config, Reach::default());
    let (stop, stopped) = tokio::sync::oneshot::channel();
    tokio::spawn(data_plane::serve(listener, app, async {
        // A service that was dropped stops as well.
        drop::<Result<(), _>>(stopped.await);
    }));
    Service { url: format!("http://{address}"), operator, stop }
}

impl Service {
    /// Stops listening.
    pub fn stop(self) {
        // A listener that has stopped already needs no telling.
        let _gone = self.stop.send(());
    }
}

/// Both planes, with two identities in them.
#[derive(Debug)]
pub struct World {
    /// Where they listen.
    pub url: String,
    /// The operator's token.
    pub operator: String,
    /// `acme`'s owner, a person.
    pub ana: String,
    /// A person who may approve in `acme`.
    pub rui: String,
    /// An autonomous agent, member at `acme/shop`.
    pub shop_bot: String,
    /// A supervised agent, member at `acme/shop/returns`.
    pub returns_bot: String,
    /// `globex`'s owner, a person.
    pub gus: String,
    /// `globex`'s agent.
    pub globex_bot: String,
    /// Ids by what they are of: `principal/shop-bot`, `grant/shop-bot`, `token/shop-bot`, ….
    pub ids: std::collections::BTreeMap<String, String>,
    /// The upstream.
    pub upstream: Upstream,
    pub(crate) client: reqwest::Client,
    /// The data folder.
    pub dir: tempfile::TempDir,
}

/// The secret of the credential that `billing` sends along.
pub const API_KEY: &str = "upstream-key-4f9a2c7e11";

impl World {
    /// Starts the service and fills it.
    pub async fn start() -> Self {
        Self::start_by(Arc::new(Machine)).await
    }

    /// Starts the service by a clock of the test's own, and fills it.
    pub async fn start_by(clock: Shared) -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let service = serve_by(dir.path(), clock).await;
        let world = Self::over(service.url.clone(), service.operator.clone(), dir).await;
        // The service lives as long as the test's runtime.
        std::mem::forget(service);
        world
    }

    /// Starts the service and leaves it empty.
    pub async fn empty() -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let service = serve(dir.path()).await;
        let world = Self::unfilled(service.url.clone(), service.operator.clone(), dir).await;
        // The service lives as long as the test's runtime.
        std::mem::forget(service);
        world
    }

    /// Fills a service that runs already.
    pub async fn over(url: String, operator: String, dir: tempfile::TempDir) -> Self {
        let mut world = Self::unfilled(url, operator, dir).await;
        world.fill().await;
        world
    }

    async fn unfilled(url: String, operator: String, dir: tempfile::TempDir) -> Self {
        tls();
        Self {
            url,
            operator,
            ana: String::new(),
            rui: String::new(),
            shop_bot: String::new(),
            returns_bot: String::new(),
            gus: String::new(),
            globex_bot: String::new(),
            ids: std::collections::BTreeMap::new(),
            upstream: Upstream::start().await,
            client: reqwest::Client::builder().no_proxy().build().expect("a client"),
            dir,
        }
    }

    /// A request with a token.
    pub async fn rest(&self, token: &str, method: &str, path: &str, body: Value) -> Said {
        self.rest_with(token, method, path, body, &[]).await
    }

    /// A request with a token and headers of its own.
    pub async fn rest_with(
        &self,
        token: &str,
        method: &str,
        path: &str,
        body: Value,
        headers: &[(&str, &str)],
    ) -> Said {
        let method = method.parse().expect("a method");
        let mut request = self.client.request(method, format!("{}{path}", self.url));
        if !token.is_empty() {
            request = request.bearer_auth(token);
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if !body.is_null() {
            request = request.json(&body);
        }
        let response = request.send().await.expect("an answer");
        let status = response.status().as_u16();
        let text = response.text().await.expect("a body");
        let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
        Said { status, body }
    }

    /// Calls a tool by its address.
    pub async fn call(&self, token: &str, address: &str, arguments: Value) -> Said {
        let body = json!({ "address": address, "arguments": arguments });
        self.rest(token, "POST", "/v1/call", body).await
    }

    /// A write that must succeed.
    pub async fn must(&self, token: &str, method: &str, path: &str, body: Value) -> Value {
        let said = self.rest(token, method, path, body.clone()).await;
        assert_eq!(said.status, 200, "{method} {path} {body}: {}", said.body);
        said.result().clone()
    }

    /// The id that was kept under this name.
    pub fn id(&self, name: &str) -> &str {
        self.ids.get(name).expect(name)
    }

    /// A principal with a grant and a token.
    pub async fn principal(
        &mut self,
        by: &str,
        kind: &str,
        name: &str,
        stage: &str,
        grants: &[(&str, &str)],
    ) -> String {
        let body = json!({ "kind": kind, "name": name, "stage": stage });
        let principal = self.must(by, "POST", "/v1/principals", body).await;
        let id = principal["id"].as_str().expect("an id").to_owned();
        for (role, scope) in grants {
            let body = json!({ "principal": id, "scope": scope, "role": role });
            let grant = self.must(by, "POST", "/v1/grants", body).await;
            self.keep(&format!("grant/{name}"), &grant["id"]);
        }
        let minted = self.must(by, "POST", "/v1/tokens", json!({ "principal": id })).await;
        self.keep(&format!("token/{name}"), &minted["token"]["id"]);
        self.ids.insert(format!("principal/{name}"), id);
        minted["secret"].as_str().expect("a secret").to_owned()
    }

    fn keep(&mut self, name: &str, id: &Value) {
        self.ids.insert(name.to_owned(), id.as_str().expect("an id").to_owned());
    }

    /// Registers a server and classifies its tools as they are declared.
    pub async fn server(&mut self, by: &str, body: Value) -> Value {
        let server = self.must(by, "POST", "/v1/servers", body.clone()).await;
        let (scope, name) = (server["scope"].clone(), server["name"].clone());
        let place = scope.as_str().expect("a scope").to_owned();
        let name = name.as_str().expect("a name").to_owned();
        self.keep(&format!("server/{place}/{name}"), &server["id"]);
        for tool in server["tools"].as_array().expect("tools").clone() {
            let id = tool["id"].as_str().expect("an id").to_owned();
            self.classify(by, &id, json!({})).await;
            let tool = tool["name"].as_str().expect("a name").to_owned();
            self.ids.insert(format!("tool/{place}/{name}.{tool}"), id);
        }
        server
    }

    /// Classifies a tool as it is declared, but for what `instead` says.
    pub async fn classify(&self, by: &str, id: &str, instead: Value) -> Value {
        let tool = self.must(by, "GET", &format!("/v1/tools/{id}"), Value::Null).await;
        let mut body = json!({
            "digest": tool["digest"], "effect": tool["declared"]["effect"],
            "labels": tool["declared"]["labels"],
        });
        let members = body.as_object_mut().expect("an object");
        members.extend(instead.as_object().expect("an object").clone());
        self.must(by, "POST", &format!("/v1/tools/{id}/classify"), body).await
    }

    async fn fill(&mut self) {
        let operator = self.operator.clone();
        for (identity, owner) in [("acme", "ana"), ("globex", "gus")] {
            let body = json!({ "name": identity, "owner": owner });
            let created = self.must(&operator, "POST", "/v1/identities", body).await;
            let token = created["owner_token"].as_str().expect("a token").to_owned();
            self.keep(&format!("principal/{owner}"), &created["owner"]);
            if owner == "ana" { self.ana = token } else { self.gus = token }
        }
        let ana = self.ana.clone();
        for group in ["shop", "support"] {
            self.must(&ana, "POST", "/v1/groups", json!({ "name": group })).await;
        }
        for (group, project) in [("shop", "checkout"), ("shop", "returns"), ("support", "mail")] {
            let path = format!("/v1/groups/{group}/projects");
            self.must(&ana, "POST", &path, json!({ "name": project })).await;
        }
        self.rui = self.principal(&ana, "user", "rui", "autonomous", &[("approver", "acme")]).await;
        let member = [("member", "acme/shop")];
        self.shop_bot = self.principal(&ana, "agent", "shop-bot", "autonomous", &member).await;
        let member = [("member", "acme/shop/returns")];
        self.returns_bot =
            self.principal(&ana, "agent", "returns-bot", "supervised", &member).await;
        let gus = self.gus.clone();
        let member = [("member", "globex")];
        self.globex_bot = self.principal(&gus, "agent", "globex-bot", "autonomous", &member).await;
        self.servers(&ana, &gus).await;
    }

    async fn servers(&mut self, ana: &str, gus: &str) {
        let origin = self.upstream.origin.clone();
        let body = json!({ "name": "billing-key", "scope": "acme/shop", "origins": [origin], "secret": API_KEY });
        let credential = self.must(ana, "POST", "/v1/credentials", body).await;
        self.keep("credential/billing-key", &credential["id"]);
        let body = json!({ "credential": credential["id"], "scope": "acme/shop" });
        let grant = self.must(ana, "POST", "/v1/credential-grants", body).await;
        self.keep("credgrant/billing-key", &grant["id"]);
        self.server(ana, tickets("acme/shop", &origin)).await;
        for project in ["checkout", "returns"] {
            let scope = format!("acme/shop/{project}");
            self.server(ana, billing(&scope, &origin, &credential["id"])).await;
        }
        self.server(gus, tickets("globex", &origin)).await;
    }
}

fn instance(origin: &str) -> Value {
    json!({ "shape": "http", "origin": origin, "allow_http": true, "allow_private": ["127.0.0.0/8"] })
}

/// The declaration of a ticket system: untrusted texts, a write, and a large answer.
pub fn tickets(scope: &str, origin: &str) -> Value {
    let number = json!({ "name": "number", "in": "path", "required": true,
        "schema": { "type": "integer", "description": "The ticket's number." } });
    json!({
        "scope": scope, "name": "tickets", "title": "Tickets", "instance": instance(origin),
        "tools": [
            { "name": "ticket.get", "about": "One ticket, by its number.", "effect": "read",
              "labels": ["untrusted"],
              "endpoint": { "method": "GET", "path": "/tickets/{number}", "arguments": [number],
                "clean_outputs": [{ "pointer": "/number", "kind": { "type": "integer" } }] } },
            { "name": "ticket.create", "about": "Opens a ticket.", "effect": "write",
              "endpoint": { "method": "POST", "path": "/tickets", "body": "json", "arguments": [
                { "name": "subject", "in": "body", "required": true,
                  "schema": { "type": "string", "maxLength": 200, "description": "What it is about." } }],
                "idempotency": { "window_seconds": 86400 } } },
            { "name": "log.read", "about": "The log of the payment worker, whole.", "effect": "read",
              "labels": ["untrusted"],
              "endpoint": { "method": "GET", "path": "/log", "media_types": ["text/plain"] } },
        ]
    })
}

/// The declaration of a billing system: personal values, a credential.
pub fn billing(scope: &str, origin: &str, credential: &Value) -> Value {
    let mut instance = instance(origin);
    let members = instance.as_object_mut().expect("an object");
    let placement = json!({ "kind": "header", "name": "X-Api-Key" });
    members.insert("credential".to_owned(), json!({ "id": credential, "placement": placement }));
    json!({
        "scope": scope, "name": "billing", "title": "Billing", "instance": instance,
        "tools": [
            { "name": "customer.lookup", "about": "A customer, by id.", "effect": "read",
              "endpoint": { "method": "GET", "path": "/customers/{id}", "arguments": [
                { "name": "id", "in": "path", "required": true,
                  "schema": { "type": "string", "description": "The customer's id." } }] } },
            { "name": "echo", "about": "What the upstream was sent.", "effect": "read",
              "endpoint": { "method": "GET", "path": "/echo", "arguments": [
                { "name": "limit", "in": "query", "schema": { "type": "integer", "minimum": 1 } }] } },
        ]
    })
}
