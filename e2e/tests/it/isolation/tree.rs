//! Grows a planned identity over the API, as its owner would.

use std::collections::BTreeMap;

use e2e::World;
use serde_json::{Value, json};

use super::plan::{Credential, Packs, Plan, Principal, SCOPES, Server, State, place};

/// Stands in every description, so that one search finds everything.
pub(super) const WORD: &str = "quillwort";

/// A generated identity that stands.
pub(super) struct Tree<'w> {
    pub(super) world: &'w World,
    pub(super) plan: &'w Plan,
    identity: String,
    owner: String,
    /// A token for each principal.
    pub(super) tokens: Vec<String>,
}

pub(super) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

impl<'w> Tree<'w> {
    /// The plan, grown as an identity of its own.
    pub(super) async fn grown(world: &'w World, plan: &'w Plan, identity: String) -> Self {
        let body = json!({ "name": identity, "owner": "olga" });
        let created = world.must(&world.operator, "POST", "/v1/identities", body).await;
        let owner = text(&created["owner_token"]);
        let mut tree = Self { world, plan, identity, owner, tokens: Vec::new() };
        tree.grow().await;
        tree
    }

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
