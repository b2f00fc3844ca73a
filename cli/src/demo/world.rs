//! Owns what the demo's two tenants are made of: scopes, people, agents, grants, credentials and
//! declared servers. Invariant: all of it is made over the REST API with the tokens of those who may;
//! there is no other way in.

mod declared;

use serde_json::{Value, json};

use super::api::{Api, text};
use super::upstream::{CHECKOUT_KEY, RETURNS_KEY, Upstream};

/// Somebody with a token.
#[derive(Debug, Clone)]
pub(crate) struct Who {
    /// The principal's id.
    pub(crate) id: String,
    /// Calls as them.
    pub(crate) api: Api,
}

/// The tenants.
#[derive(Debug, Clone)]
pub(crate) struct World {
    /// The URL of the service.
    pub(crate) url: String,
    /// Calls for everybody.
    pub(crate) http: reqwest::Client,
    /// The owner of `acme`.
    pub(crate) ana: Who,
    /// The approver of `acme`.
    pub(crate) rui: Who,
    /// The agent at `acme/shop`: autonomous.
    pub(crate) shop_bot: Who,
    /// The grant that it calls under.
    pub(crate) shop_grant: String,
    /// The agent at `acme/shop/returns`: supervised.
    pub(crate) returns_bot: Who,
    /// The owner of `globex`.
    pub(crate) gus: Who,
    /// The agent at `globex/depot`.
    pub(crate) depot_bot: Who,
}

/// Makes both tenants, with the operator's token.
pub(crate) async fn build(url: &str, operator: &str, upstream: &Upstream) -> anyhow::Result<World> {
    let http = super::api::http()?;
    let operator = Api::new(&http, url, operator);
    let tenant = Tenant { http: &http, url };
    let ana = tenant.create(&operator, "acme", "ana").await?;
    for (group, title) in [("shop", "Shop"), ("support", "Support")] {
        ana.api.done("group.create", json!({ "name": group, "title": title })).await?;
    }
    for (group, project) in [("shop", "checkout"), ("shop", "returns"), ("support", "mail")] {
        ana.api.done("project.create", json!({ "group": group, "name": project })).await?;
    }
    let rui = tenant.user(&ana, "rui").await?;
    grant(&ana, &rui.id, "acme", "approver").await?;
    let (shop_bot, shop_grant) = tenant.agent(&ana, "shop-bot", "autonomous", "acme/shop").await?;
    let (returns_bot, _) =
        tenant.agent(&ana, "returns-bot", "supervised", "acme/shop/returns").await?;
    let keys = [("acme/shop/checkout", CHECKOUT_KEY), ("acme/shop/returns", RETURNS_KEY)];
    for (scope, key) in keys {
        let credential = credential(&ana, scope, key, upstream).await?;
        declare(&ana, declared::billing(scope, &upstream.origin, &credential)).await?;
    }
    declare(&ana, declared::tickets(&upstream.origin)).await?;
    declare(&ana, declared::inbox(&upstream.origin)).await?;

    let gus = tenant.create(&operator, "globex", "gus").await?;
    gus.api.done("group.create", json!({ "name": "depot", "title": "Depot" })).await?;
    let (depot_bot, _) = tenant.agent(&gus, "depot-bot", "autonomous", "globex/depot").await?;
    declare(&gus, declared::parcels(&upstream.origin)).await?;
    let url = url.to_owned();
    let http = http.clone();
    Ok(World { url, http, ana, rui, shop_bot, shop_grant, returns_bot, gus, depot_bot })
}

/// How principals of a tenant are made.
struct Tenant<'t> {
    http: &'t reqwest::Client,
    url: &'t str,
}

impl Tenant<'_> {
    /// A tenant's first user.
    async fn create(&self, operator: &Api, name: &str, owner: &str) -> anyhow::Result<Who> {
        let input = json!({ "name": name, "owner": owner });
        let created = operator.done("identity.create", input).await?;
        Ok(self.who(text(&created, "/owner"), &text(&created, "/owner_token")))
    }

    async fn user(&self, by: &Who, name: &str) -> anyhow::Result<Who> {
        let input = json!({ "kind": "user", "name": name });
        let made = by.api.done("principal.create", input).await?;
        let id = text(&made, "/id");
        let minted = by.api.done("token.create", json!({ "principal": id })).await?;
        Ok(self.who(id, &text(&minted, "/secret")))
    }

    /// An agent with the role `member` at its home, and that grant's id.
    async fn agent(
        &self,
        by: &Who,
        name: &str,
        stage: &str,
        home: &str,
    ) -> anyhow::Result<(Who, String)> {
        let input = json!({ "kind": "agent", "name": name, "stage": stage });
        let made = by.api.done("principal.create", input).await?;
        let id = text(&made, "/id");
        let grant = grant(by, &id, home, "member").await?;
        let input = json!({ "principal": id, "scope": home });
        let minted = by.api.done("token.create", input).await?;
        Ok((self.who(id, &text(&minted, "/secret")), grant))
    }

    fn who(&self, id: String, token: &str) -> Who {
        Who { id, api: Api::new(self.http, self.url, token) }
    }
}

/// Gives a grant and answers its id.
pub(crate) async fn grant(
    by: &Who,
    principal: &str,
    scope: &str,
    role: &str,
) -> anyhow::Result<String> {
    let input = json!({ "principal": principal, "scope": scope, "role": role });
    Ok(text(&by.api.done("grant.create", input).await?, "/id"))
}

/// Seals a key for the upstream and lets the servers at `scope` use it. Answers its id.
async fn credential(
    by: &Who,
    scope: &str,
    key: &str,
    upstream: &Upstream,
) -> anyhow::Result<String> {
    let project = scope.rsplit('/').next().unwrap_or(scope);
    let input = json!({
        "name": format!("billing-{project}"), "scope": scope, "origins": [upstream.origin],
        "secret": key,
    });
    let id = text(&by.api.done("credential.create", input).await?, "/id");
    let input = json!({ "credential": id, "scope": scope });
    by.api.done("credential-grant.create", input).await?;
    Ok(id)
}

/// Registers a server and classifies each of its tools: what a curator who read the declaration
/// would judge, which here is what it says.
async fn declare(by: &Who, server: Value) -> anyhow::Result<()> {
    let registered = by.api.done("server.register", server).await?;
    let tools = registered.get("tools").and_then(Value::as_array).cloned().unwrap_or_default();
    for tool in tools {
        let id = text(&tool, "/id");
        let read = by.api.done("tool.get", json!({ "tool": id })).await?;
        let judged = json!({
            "tool": id, "digest": text(&read, "/digest"),
            "effect": read.pointer("/declared/effect"), "labels": read.pointer("/declared/labels"),
            // The systems are the tenant's own: what they told about people may go back to them.
            "cleared": ["personal"],
        });
        by.api.done("tool.classify", judged).await?;
    }
    Ok(())
}
