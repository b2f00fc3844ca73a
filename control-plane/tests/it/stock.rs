//! What a catalogue can be stocked with: servers, tools, credentials and packs, as the contract's
//! examples speak of them.

use contract::{Refusal, sample};
use serde_json::{Value, json};
use tenancy::plane::{Act, Answered, Granted, ToControl};

use crate::world::{Tenant, World, name, text};

/// The secret of every stocked credential.
pub(crate) const SECRET: &str = "k3y-of-the-billing-system";

impl World {
    /// A world with `acme` and `globex`, each with a server, a credential and a pack.
    pub(crate) async fn stocked() -> (Self, Tenant, Tenant) {
        let (world, mut acme, mut globex) = Self::full().await;
        acme.more = world.stock(&acme).await;
        globex.more = world.stock(&globex).await;
        (world, acme, globex)
    }

    async fn stock(&self, tenant: &Tenant) -> Vec<(String, String)> {
        let shop = format!("{}/shop", tenant.name);
        let credential = self.seal(tenant, "billing-key", "https://billing.example.com").await;
        let input = json!({ "credential": credential, "scope": shop });
        let grant = self.done(&tenant.owner, "credential-grant.create", input).await;
        let server =
            self.register(&tenant.owner, &shop, "tickets", json!([get("ticket.get")])).await;
        let tool = text(&server["tools"][0], "id");
        self.classify(&tenant.owner, &tool, "read").await;
        let input = json!({ "name": "support", "tools": [tool] });
        let pack = self.done(&tenant.owner, "pack.publish", input).await;
        let input = json!({ "name": "support", "actions": ["catalogue.read", "call.read"] });
        let role = self.done(&tenant.owner, "role.create", input).await;
        let input = json!({ "principal": tenant.owner_id, "email": "ana@example.com" });
        let invited = self.done(&tenant.owner, "invite.create", input).await;
        [
            ("role", text(&role, "id")),
            ("invite", text(&invited["invite"], "id")),
            ("credential", credential),
            ("credgrant", text(&grant, "id")),
            ("server", text(&server, "id")),
            ("tool", tool),
            ("pack", text(&pack, "id")),
        ]
        .into_iter()
        .map(|(kind, id)| (sample::text(kind, 1), id))
        .collect()
    }

    /// A credential at `shop`: its id.
    pub(crate) async fn seal(&self, tenant: &Tenant, name: &str, origin: &str) -> String {
        let scope = format!("{}/shop", tenant.name);
        let input = json!({ "name": name, "scope": scope, "origins": [origin], "secret": SECRET });
        text(&self.done(&tenant.owner, "credential.create", input).await, "id")
    }

    /// A server of `https://tickets.example.com`.
    pub(crate) async fn register(
        &self,
        token: &str,
        scope: &str,
        name: &str,
        tools: Value,
    ) -> Value {
        self.done(token, "server.register", server(scope, name, tools)).await
    }

    /// Publishes these tools at the server's current version.
    pub(crate) async fn publish(&self, token: &str, server: &str, tools: Value) -> Value {
        let now = self.done(token, "server.get", json!({ "server": server })).await;
        let input = json!({ "server": server, "tools": tools, "expected_version": now["version"] });
        self.done(token, "server.publish", input).await
    }

    /// Withdraws a server or some of its tools at its current version.
    pub(crate) async fn withdraw(&self, token: &str, server: &str, tools: Option<Value>) -> Value {
        let now = self.done(token, "server.get", json!({ "server": server })).await;
        let mut input = json!({ "server": server, "expected_version": now["version"] });
        if let Some(tools) = tools {
            input["tools"] = tools;
        }
        self.done(token, "server.withdraw", input).await
    }

    /// A tool, as `tool.get` answers it.
    pub(crate) async fn tool(&self, token: &str, tool: &str) -> Value {
        self.done(token, "tool.get", json!({ "tool": tool })).await
    }

    /// Judges a tool by its newest digest.
    pub(crate) async fn classify(&self, token: &str, tool: &str, effect: &str) -> Value {
        let digest = text(&self.tool(token, tool).await, "digest");
        let input = json!({ "tool": tool, "digest": digest, "effect": effect });
        self.done(token, "tool.classify", input).await
    }

    /// What the holder of an identity is given. The lease is handed back, so that writes do not wait
    /// for it.
    pub(crate) async fn given(&self, identity: &str) -> Granted {
        let granted = self.hold(identity, "n1").await;
        self.hand_back(identity, granted.epoch).await;
        granted
    }

    /// The acts of an identity that were not folded.
    pub(crate) async fn all_acts(&self, identity: &str) -> Vec<Act> {
        let epoch = self.hold(identity, "n1").await.epoch;
        let acts = self.acts(identity, epoch, 0).await;
        self.hand_back(identity, epoch).await;
        acts
    }

    pub(crate) async fn hand_back(&self, identity: &str, epoch: u64) {
        let answered = self.ask(ToControl::Release { identity: name(identity), epoch }).await;
        assert!(matches!(answered, Answered::Done));
    }
}

impl Tenant {
    /// The id of what was stocked of a kind.
    pub(crate) fn stocked(&self, kind: &str) -> String {
        let sample = sample::text(kind, 1);
        let (_, id) = self.more.iter().find(|(of, _)| *of == sample).expect("was stocked");
        id.clone()
    }
}

/// What registers a server of `https://tickets.example.com`.
pub(crate) fn server(scope: &str, name: &str, tools: Value) -> Value {
    let instance = json!({ "shape": "http", "origin": "https://tickets.example.com" });
    let mut input = json!({ "scope": scope, "name": name, "title": "Tickets" });
    input["instance"] = instance;
    input["tools"] = tools;
    input
}

/// The declaration of a tool that reads.
pub(crate) fn get(name: &str) -> Value {
    json!({
        "name": name, "about": "One ticket, by its number.", "effect": "read",
        "labels": ["untrusted"],
        "endpoint": { "method": "GET", "path": "/tickets/{number}", "arguments": [
            { "name": "number", "in": "path", "required": true, "schema": { "type": "integer" } },
        ] },
    })
}

/// The same with other words about it.
pub(crate) fn told_as(mut tool: Value, about: &str) -> Value {
    tool["about"] = json!(about);
    tool
}

/// The fields that a refusal names, in order.
pub(crate) fn fields(refusal: &Refusal) -> Vec<&str> {
    refusal.faults.iter().map(|fault| fault.field.as_str()).collect()
}

/// A member of each tool of a server.
pub(crate) fn tools(server: &Value, member: &str) -> Vec<Value> {
    let tools = server["tools"].as_array().expect("tools");
    tools.iter().map(|tool| tool[member].clone()).collect()
}
