//! Equality test (2) of the contract: every verb's worked example is run over all three surfaces, each
//! time in the sample world as it was laid out, and the three answers are equal apart from ids, times
//! and secrets. Each fits the verb's schema, and shows what the example says it shows.

use std::collections::BTreeMap;

use contract::validate::Validator;
use contract::verb::{Needs, Registry, Verb};
use contract::{Effect, sample};
use e2e::alike::alike;
use e2e::world::serve;
use e2e::{Said, Surface, World};
use serde_json::{Value, json};

/// Verbs whose example is not run over a surface yet. May only shrink.
const NOT_YET: [(&str, Surface); 0] = [];

/// The sample world, laid out and closed: what each sample id stands for.
struct Sample {
    world: World,
    ids: BTreeMap<String, String>,
    /// The digest of the sample's tool.
    digest: String,
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

impl Sample {
    /// Lays out what the examples speak of: `acme` with `shop` and `checkout`, ana (principal 1) and
    /// shop-bot (2) with its grant and token, the ticket system and its first tool, the billing key,
    /// the pack `support`, a log that was read (content 1) in the default run (run 1) with the vectors of
    /// its first passages, a run that was started before (2), a write that waits (approval 1), the role
    /// `support` (1), and rui (3), who is invited (1).
    async fn lay_out() -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let service = serve(dir.path()).await;
        let mut world = World::over(service.url.clone(), service.operator.clone(), dir).await;
        let (ana, bot) = (world.ana.clone(), world.shop_bot.clone());
        let mut ids = BTreeMap::new();
        let mut stands = |prefix: &str, n: u8, id: &str| {
            assert!(id.starts_with(prefix), "{id} is no {prefix}");
            ids.insert(sample::text(prefix, n), id.to_owned());
        };
        for (prefix, n, name) in [
            ("principal", 1, "principal/ana"),
            ("principal", 2, "principal/shop-bot"),
            ("principal", 3, "principal/rui"),
            ("token", 2, "token/shop-bot"),
            ("grant", 2, "grant/shop-bot"),
            ("credential", 1, "credential/billing-key"),
            ("credgrant", 1, "credgrant/billing-key"),
            ("server", 1, "server/acme/shop/tickets"),
            ("tool", 1, "tool/acme/shop/tickets.ticket.get"),
        ] {
            stands(prefix, n, world.id(name));
        }
        let run = json!({ "title": "Refunds of November" });
        let run = world.must(&bot, "POST", "/v1/runs", run).await;
        stands("run", 2, &text(&run["id"]));
        let read = world.call(&bot, "shop/tickets.log.read", json!({})).await;
        let handle = text(&read.result()["handle"]);
        let vectors: Vec<_> = (0..3)
            .map(|n| json!({ "number": n, "vector": [0.25, 0.5, 0.125 * f64::from(n)] }))
            .collect();
        let body = json!({ "model": "minilm-l6", "vectors": vectors });
        world.must(&bot, "POST", &format!("/v1/content/{handle}/vectors"), body).await;
        stands("content", 1, &handle);
        let write = json!({ "subject": "Refund 412" });
        let waits = world.call(&bot, "shop/tickets.ticket.create", write).await;
        stands("approval", 1, &waits.text("/held/approval"));
        let runs = world.must(&bot, "GET", "/v1/runs", Value::Null).await;
        let default = runs["items"].as_array().expect("runs");
        let default = default.iter().find(|run| run["default"] == json!(true)).expect("its run");
        stands("run", 1, &text(&default["id"]));
        let tool = world.id("tool/acme/shop/tickets.ticket.get").to_owned();
        let pack = json!({ "name": "support", "tools": [tool] });
        stands("pack", 1, &text(&world.must(&ana, "POST", "/v1/packs", pack).await["id"]));
        let role = json!({ "name": "support", "title": "Answers customers",
            "actions": ["catalogue.read", "call.read"] });
        stands("role", 1, &text(&world.must(&ana, "POST", "/v1/roles", role).await["id"]));
        let invite = json!({ "principal": world.id("principal/rui"), "email": "rui@example.com" });
        let invited = world.must(&ana, "POST", "/v1/invites", invite).await;
        stands("invite", 1, &text(&invited["invite"]["id"]));
        let refused = world.call(&bot, "support/mail/desk.ticket.get", json!({})).await;
        assert_eq!(refused.code(), "not_granted", "{}", refused.body);
        let tool = world.must(&ana, "GET", &format!("/v1/tools/{tool}"), Value::Null).await;
        let digest = text(&tool["digest"]);
        ids.insert("bw_invite_…".to_owned(), text(&invited["secret"]));
        // Until the last figures of usage are with the control plane.
        tokio::time::sleep(std::time::Duration::from_millis(2500)).await;
        world.close(service).await;
        Self { world, ids, digest }
    }

    /// An example's value with what it stands for in the place of what is the sample's.
    fn real(&self, value: &Value) -> Value {
        match value {
            Value::String(text) if text.len() == 64 && text.bytes().all(|byte| byte == b'0') => {
                self.digest.clone().into()
            }
            Value::String(text) => self.ids.get(text).unwrap_or(text).clone().into(),
            Value::Array(items) => items.iter().map(|item| self.real(item)).collect(),
            Value::Object(map) => {
                let members = map.iter().map(|(name, item)| (name.clone(), self.real(item)));
                Value::Object(members.collect())
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }

    /// Whose example it is: that of the one who can ask it.
    fn caller(&self, verb: &Verb) -> &str {
        let own = matches!(verb.noun(), "run" | "content" | "catalogue")
            || matches!(
                verb.name,
                "approval.cancel" | "token.narrow" | "token.whoami" | "token.rotate"
            );
        match verb.needs {
            Needs::Operator => &self.world.operator,
            Needs::Caller | Needs::Action(_) if own => &self.world.shop_bot,
            // What anyone may use comes with a token over MCP, which is not looked at.
            Needs::Caller | Needs::Action(_) | Needs::Anyone => &self.world.ana,
        }
    }
}

/// An answer apart from ids, times and secrets. Of an export the kinds of its entries are left: what a
/// surface's own worker wrote when it took the ledger up is none of the answer.
fn normal(value: &Value) -> Value {
    alike(value, &|text| {
        if !text.starts_with("{\"bailiwick_ledger\"") {
            return text.into();
        }
        let lines = text.lines().map(|line| serde_json::from_str(line).expect("JSON"));
        let kinds = lines.filter_map(|line: Value| line.pointer("/body/kind").cloned());
        Value::Array(kinds.filter(|kind| *kind != json!("start")).collect())
    })
}

/// The members that an example shows and a real answer does not have. Of a list some item has each.
fn missing(at: &str, shown: &Value, real: &Value) -> Vec<String> {
    match (shown, real) {
        (Value::Object(shown), Value::Object(real)) => shown
            .iter()
            .flat_map(|(name, shown)| match real.get(name) {
                Some(real) => missing(&format!("{at}/{name}"), shown, real),
                None => vec![format!("{at}/{name}")],
            })
            .collect(),
        (Value::Array(shown), Value::Array(real)) => shown
            .iter()
            .flat_map(|shown| {
                let each = real.iter().map(|real| missing(&format!("{at}/*"), shown, real));
                each.min_by_key(Vec::len).unwrap_or_else(|| vec![format!("{at}/*")])
            })
            .collect(),
        (shown, real) if std::mem::discriminant(shown) == std::mem::discriminant(real) => {
            Vec::new()
        }
        (shown, real) => vec![format!("{at} is {real}, not like {shown}")],
    }
}

/// What is wrong with what a verb answered its example with.
fn faults(verb: &Verb, said: &Said) -> Vec<String> {
    if said.status != 200 {
        return vec![format!("is not answered: {}", said.body)];
    }
    let schema = Validator::new(&verb.answer);
    let unfit = schema.faults(said.result(), "result");
    let mut faults: Vec<String> =
        unfit.iter().map(|fault| format!("{} does not fit: {}", fault.field, fault.say)).collect();
    faults.extend(
        missing("", &verb.example_answer, said.result())
            .into_iter()
            .map(|member| format!("the example shows {member}, which {} has not", said.body)),
    );
    faults
}

/// The answers of every verb's example over one surface.
async fn answers(sample: &Sample, surface: Surface) -> BTreeMap<&'static str, Said> {
    let mut answers = BTreeMap::new();
    // What only reads shares a world; what writes has one of its own.
    let (shared, service) = sample.world.copy().await;
    for verb in Registry::get().iter() {
        let skipped = surface == Surface::Mcp && !verb.on_mcp();
        if skipped || NOT_YET.contains(&(verb.name, surface)) {
            continue;
        }
        let (token, input) = (sample.caller(verb), sample.real(&verb.example_input));
        // What was read before is in the ledger and in the figures.
        let counts = matches!(verb.noun(), "ledger" | "usage");
        let said = if verb.effect == Effect::Read && !counts {
            shared.on(surface, token, verb.name, &input).await
        } else {
            let (own, service) = sample.world.copy().await;
            let said = own.on(surface, token, verb.name, &input).await;
            service.stop();
            said
        };
        answers.insert(verb.name, said);
    }
    service.stop();
    answers
}

#[tokio::test(flavor = "multi_thread")]
async fn every_example_is_answered_alike_over_all_surfaces() {
    let sample = Sample::lay_out().await;
    let mut by_surface = Vec::new();
    for surface in Surface::ALL {
        by_surface.push((surface, answers(&sample, surface).await));
    }
    let mut wrong = Vec::new();
    for verb in Registry::get().iter() {
        let said =
            by_surface.iter().filter_map(|(surface, all)| Some((surface, all.get(verb.name)?)));
        let said: Vec<(&Surface, &Said)> = said.collect();
        let (_, first) = said[0];
        wrong
            .extend(faults(verb, first).into_iter().map(|fault| format!("{}: {fault}", verb.name)));
        for (surface, said) in &said[1..] {
            let (one, other) = (normal(&first.body), normal(&said.body));
            if (first.status, &one) != (said.status, &other) {
                wrong.push(format!("{} on {surface:?}:\n  {other}\n  {one}", verb.name));
            }
        }
        let least = if verb.on_mcp() { 3 } else { 2 };
        let off = NOT_YET.iter().filter(|(name, _)| *name == verb.name).count();
        assert_eq!(said.len() + off, least, "{} was not run everywhere", verb.name);
    }
    assert!(wrong.is_empty(), "{} faults:\n{}", wrong.len(), wrong.join("\n"));
}
