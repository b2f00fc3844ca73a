//! What a stranger is after: one of everything, in the project `acme/shop/checkout` or beside it, with a
//! mark on all that can be read. Invariant: nothing that belongs to anybody else carries the mark.

use std::collections::BTreeMap;

use e2e::{Said, World};
use serde_json::{Value, json};

/// What the target's things are called and say.
pub(super) const MARK: &str = "zimtstern";
/// Where they are.
pub(super) const SCOPE: &str = "acme/shop/checkout";

/// One of everything, by the prefix of its id.
pub(super) struct Target {
    pub(super) ids: BTreeMap<&'static str, String>,
    /// The digest of the target's tool.
    pub(super) digest: String,
    /// Its agent's token.
    pub(super) token: String,
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

fn done(said: &Said) -> &Value {
    said.result()
}

impl Target {
    /// Puts one of everything into the project.
    pub(super) async fn set(world: &mut World) -> Self {
        let (ana, origin) = (world.ana.clone(), world.upstream.origin.clone());
        let mut ids = BTreeMap::new();
        let group = world.must(&ana, "POST", "/v1/groups", json!({ "name": MARK })).await;
        ids.insert("group", text(&group["id"]));
        let path = "/v1/groups/shop/projects/checkout";
        let body = json!({ "title": MARK, "expected_version": 1 });
        ids.insert("project", text(&world.must(&ana, "PATCH", path, body).await["id"]));
        let body =
            json!({ "name": MARK, "scope": SCOPE, "origins": [origin], "secret": "k3y-for-it" });
        let credential = world.must(&ana, "POST", "/v1/credentials", body).await["id"].clone();
        let body = json!({ "credential": credential, "scope": SCOPE });
        let granted = world.must(&ana, "POST", "/v1/credential-grants", body).await;
        ids.insert("credential", text(&credential));
        ids.insert("credgrant", text(&granted["id"]));
        let member = [("member", SCOPE)];
        let name = format!("{MARK}-bot");
        let home = world.principal(&ana, "agent", &name, "autonomous", &member).await;
        let principal = world.id(&format!("principal/{name}")).to_owned();
        let body = json!({ "principal": principal, "scope": SCOPE });
        let minted = world.must(&ana, "POST", "/v1/tokens", body).await;
        let token = text(&minted["secret"]);
        ids.insert("token", text(&minted["token"]["id"]));
        ids.insert("grant", world.id(&format!("grant/{name}")).to_owned());
        ids.insert("principal", principal);
        drop(home);
        let digest = Self::server(world, &credential, &mut ids).await;
        let body = json!({ "name": MARK, "tools": [ids["tool"]] });
        ids.insert("pack", text(&world.must(&ana, "POST", "/v1/packs", body).await["id"]));
        let body = json!({ "name": MARK, "actions": ["call.read"] });
        ids.insert("role", text(&world.must(&ana, "POST", "/v1/roles", body).await["id"]));
        let body =
            json!({ "principal": world.id("principal/ana"), "email": format!("{MARK}@a.test") });
        let invited = world.must(&ana, "POST", "/v1/invites", body).await;
        ids.insert("invite", text(&invited["invite"]["id"]));
        Self::work(world, &token, &mut ids).await;
        let body = json!({ "name": MARK, "owner": MARK });
        let identity = world.must(&world.operator, "POST", "/v1/identities", body).await;
        ids.insert("identity", text(&identity["identity"]["id"]));
        Self { ids, digest, token }
    }

    async fn server(
        world: &mut World,
        credential: &Value,
        ids: &mut BTreeMap<&'static str, String>,
    ) -> String {
        let (ana, origin) = (world.ana.clone(), world.upstream.origin.clone());
        let mut body = e2e::world::tickets(SCOPE, &origin);
        (body["name"], body["title"]) = (json!(MARK), json!(MARK));
        let placement = json!({ "kind": "header", "name": "X-Api-Key" });
        body["instance"]["credential"] = json!({ "id": credential, "placement": placement });
        for tool in body["tools"].as_array_mut().expect("tools") {
            tool["about"] = json!(format!("About a {MARK}."));
        }
        let server = world.server(&ana, body).await;
        ids.insert("server", text(&server["id"]));
        let tool = world.id(&format!("tool/{SCOPE}/{MARK}.ticket.get")).to_owned();
        let path = format!("/v1/tools/{tool}");
        ids.insert("tool", tool);
        text(&world.must(&ana, "GET", &path, Value::Null).await["digest"])
    }

    /// A run, something it read, a call that waits and one that was refused.
    async fn work(world: &World, token: &str, ids: &mut BTreeMap<&'static str, String>) {
        let call = async |tool: &str, arguments: Value| {
            world.call(token, &format!("shop/checkout/{MARK}.{tool}"), arguments).await
        };
        let read = call("log.read", json!({})).await;
        ids.insert("content", text(&done(&read)["handle"]));
        let waits = call("ticket.create", json!({ "subject": format!("A {MARK}") })).await;
        ids.insert("approval", waits.text("/held/approval"));
        let runs = world.must(token, "GET", "/v1/runs", Value::Null).await;
        ids.insert("run", text(&runs["items"][0]["id"]));
        let refused = world.call(token, "support/mail/x.y", json!({})).await;
        ids.insert("decision", refused.text("/refusal/decision_id"));
    }
}

/// What lies in the identity, as its owner sees it, without what belongs to `strangers`.
pub(super) async fn snapshot(world: &World, strangers: &[String]) -> BTreeMap<String, Value> {
    let mut all = BTreeMap::new();
    for path in [
        "/v1/groups",
        "/v1/groups/shop/projects",
        "/v1/principals",
        "/v1/tokens",
        "/v1/grants",
        "/v1/credentials",
        "/v1/credential-grants",
        "/v1/servers",
        "/v1/tools",
        "/v1/packs",
        "/v1/roles",
        "/v1/invites",
        "/v1/approvals",
        "/v1/runs",
    ] {
        let listed = world.must(&world.ana, "GET", &format!("{path}?limit=200"), Value::Null).await;
        for item in listed["items"].as_array().expect("a list") {
            let said = item.to_string();
            if !strangers.iter().any(|stranger| said.contains(stranger.as_str())) {
                let mut item = item.clone();
                // When a token was last used is no part of what it may do, and looking uses one.
                item.as_object_mut().expect("an object").remove("last_used");
                let id = item.get("id").unwrap_or_else(|| &item["name"]);
                all.insert(format!("{path} {}", text(id)), item);
            }
        }
    }
    let listed = world.must(&world.operator, "GET", "/v1/identities", Value::Null).await;
    all.insert("/v1/identities".to_owned(), listed);
    all
}
