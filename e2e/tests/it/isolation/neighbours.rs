//! Every verb of the contract, tried by whom it is none of the business of: another identity, a
//! neighbour project, an operator and nobody. What is another's is answered like what is not there, in
//! every word; nothing of it is shown, and nothing of it is changed.

use std::collections::BTreeSet;

use contract::Effect;
use contract::verb::{Needs, Registry, Verb};
use e2e::alike::alike;
use e2e::surface::route;
use e2e::{Said, Surface, World};
use futures::{StreamExt, future, stream};
use serde_json::{Value, json};

use super::attack::{Attack, attacks};
use super::target::{MARK, Target, snapshot};

/// Who tries, how, and whether only to be told what would happen.
struct Stranger {
    who: &'static str,
    token: String,
    surface: Surface,
    dry: bool,
}

/// Tries at the same moment: a process each, on the command line.
const AT_A_TIME: usize = 4;

/// The verbs that show and touch nothing that could be another's.
const UNCOVERED: &str = include_str!("../../../golden/uncovered.txt");

async fn strangers(world: &mut World) -> (Vec<Stranger>, Vec<String>) {
    let (ana, gus) = (world.ana.clone(), world.gus.clone());
    let (there, here) = ([("owner", "globex")], [("owner", "acme/shop/returns")]);
    let mut all = Vec::new();
    let mut principals = vec![world.id("principal/returns-bot").to_owned()];
    for (who, kind, surface, dry) in [
        ("person", "user", Surface::Rest, false),
        ("person over MCP", "user", Surface::Mcp, false),
        ("agent", "agent", Surface::Rest, false),
        ("agent over MCP", "agent", Surface::Mcp, false),
        ("agent by command", "agent", Surface::Cli, false),
        ("agent, dry", "agent", Surface::Rest, true),
    ] {
        let name = format!("s{}", all.len());
        for (by, grants, of) in
            [(&gus, &there, "another identity's"), (&ana, &here, "a neighbour's")]
        {
            let token = world.principal(by, kind, &name, "autonomous", grants).await;
            principals.push(world.id(&format!("principal/{name}")).to_owned());
            let who: &'static str = format!("{of} {who}").leak();
            all.push(Stranger { who, token, surface, dry });
        }
    }
    let operator = world.operator.clone();
    all.push(Stranger { who: "operator", token: operator, surface: Surface::Rest, dry: false });
    all.push(Stranger { who: "nobody", token: String::new(), surface: Surface::Rest, dry: false });
    (all, principals)
}

async fn ask(world: &World, stranger: &Stranger, verb: &'static Verb, input: &Value) -> Said {
    if !stranger.dry {
        return world.on(stranger.surface, &stranger.token, verb.name, input).await;
    }
    let (path, body) = route(verb, input);
    let and = if path.contains('?') { '&' } else { '?' };
    let path = format!("{path}{and}dry_run=true");
    world.rest(&stranger.token, verb.method.as_str(), &path, body).await
}

/// An answer with the names that the two inputs differ in put out of sight as well.
fn normal(value: &Value) -> Value {
    alike(value, &|text| {
        let places = text.replace("shop/checkout", "PLACE").replace("shop/nothing", "PLACE");
        let names = [MARK, "checkout", "nothing"];
        names.iter().fold(places, |text, name| text.replace(name, "NAME")).into()
    })
}

/// What of the target's an answer shows, beside what the question said itself. A stranger's own ledger
/// holds the addresses that they tried.
fn shown(target: &Target, verb: &Verb, input: &Value, said: &Said) -> Vec<String> {
    let (asked, answered) = (input.to_string(), said.body.to_string().to_lowercase());
    let words = [MARK, "shop/checkout", "did what it does", "cannot pay", "marta", "shop-bot"];
    let marks = target.ids.values().cloned().chain(words.map(str::to_owned));
    let tried = |mark: &str| verb.noun() == "ledger" && [MARK, "shop/checkout"].contains(&mark);
    let shown = |mark: &String| {
        answered.contains(mark.as_str()) && !asked.contains(mark.as_str()) && !tried(mark)
    };
    marks.filter(shown).collect()
}

/// A role is named by its name: whoever may make roles in another identity makes one of this name there,
/// sees it and changes it.
fn makes_own_role(stranger: &Stranger, verb: &Verb) -> bool {
    verb.noun() == "role" && stranger.who.starts_with("another identity's")
}

/// Where what is there may be answered unlike what is not there, and why.
fn excepted(stranger: &Stranger, verb: &Verb, attack: &Attack) -> bool {
    let neighbour = stranger.who.starts_with("a neighbour");
    match (verb.name, attack.of.as_str()) {
        // The group is that of the neighbour's own project, and only that project is listed. And a
        // pack belongs to the identity, not to a project.
        ("project.list", _) | ("token.narrow", "a pack") => neighbour,
        // The stranger's own ledger holds what they tried.
        ("ledger.query", "address") => !neighbour,
        // Some are tried at a time by command, and each role that one makes is there for the next.
        ("role.create" | "role.update" | "role.delete", _) => {
            !neighbour && stranger.surface == Surface::Cli
        }
        _ => false,
    }
}

/// Tries one input and its absent twin. Answers what is wrong.
async fn tried(
    world: &World,
    target: &Target,
    stranger: &Stranger,
    verb: &'static Verb,
    attack: &Attack,
) -> Option<String> {
    let real = ask(world, stranger, verb, &attack.real).await;
    let why = |what: String| {
        let Stranger { who, surface, .. } = stranger;
        Some(format!(
            "{} ({}) by {who} on {surface:?}: {what}\n  {}\n  {}",
            verb.name, attack.of, attack.real, real.body
        ))
    };
    let mut of = shown(target, verb, &attack.real, &real);
    of.retain(|mark| mark != MARK || !makes_own_role(stranger, verb));
    if !of.is_empty() {
        return why(format!("shows {of:?}"));
    }
    let open = matches!(stranger.who, "operator" | "nobody");
    // What anyone may use is answered to anyone: `leak` holds that it tells nothing.
    if open && real.status == 200 && verb.needs != Needs::Anyone {
        return why("is answered".to_owned());
    }
    if real.code() == "rate_limited" || real.status == 503 {
        return why("was not judged".to_owned());
    }
    if !attack.aims() || excepted(stranger, verb, attack) {
        return None;
    }
    let absent = ask(world, stranger, verb, &attack.absent).await;
    if (real.status, normal(&real.body)) != (absent.status, normal(&absent.body)) {
        return why(format!("is answered unlike what is not there, which is {}", absent.body));
    }
    // Nothing of another's is changed, whatever the answer is; a read may come back empty.
    let writes = verb.effect != Effect::Read && attack.of == "example" && !stranger.dry;
    let own_role = makes_own_role(stranger, verb);
    let own = own_role || matches!(verb.name, "catalogue.call" | "run.start" | "token.narrow");
    if writes && !own && real.status < 300 {
        return why("is done".to_owned());
    }
    None
}

/// The verbs that were tried with something of the target's in the question or, as its owner sees it,
/// in the answer.
async fn covered(world: &World, target: &Target) -> BTreeSet<&'static str> {
    let mut covered = BTreeSet::new();
    for verb in Registry::get().iter() {
        let attacks = attacks(verb, target);
        let aims = attacks.iter().any(Attack::aims);
        let token = if verb.needs == Needs::Operator { &world.operator } else { &world.ana };
        let mut shows = false;
        for attack in attacks.iter().filter(|_| verb.effect == Effect::Read && !aims) {
            let said = world.on(Surface::Rest, token, verb.name, &attack.real).await;
            shows |= said.status == 200 && !shown(target, verb, &json!({}), &said).is_empty();
        }
        if aims || shows {
            covered.insert(verb.name);
        }
    }
    covered
}

/// That the inputs are about what is there: asked by the target's own people, they are not refused.
async fn control(world: &World, target: &Target) {
    let asked = |verb: &&Verb| !matches!(verb.needs, Needs::Operator | Needs::Anyone);
    for verb in Registry::get().iter().filter(asked) {
        let attack = attacks(verb, target).remove(0);
        // A person's own run is none of the agent's, and the other way round.
        let own = matches!(verb.noun(), "run" | "content" | "catalogue" | "approval");
        let decides = matches!(verb.name, "approval.release" | "approval.refuse");
        let token = if own && !decides { &target.token } else { &world.ana };
        let asks =
            Stranger { who: "control", token: token.clone(), surface: Surface::Rest, dry: true };
        let said = ask(world, &asks, verb, &attack.real).await;
        let fits = said.status == 200
            || matches!(said.code().as_str(), "already_exists" | "version_mismatch")
            // The target is an agent, and that it is one is said to those who may see it.
            || (verb.name == "invite.create" && said.text("/refusal/say").contains("is an agent"));
        assert!(fits, "{} {} is about nothing: {}", verb.name, attack.real, said.body);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_anothers_is_answered_like_what_is_not_there() {
    let mut world = World::start().await;
    let (strangers, principals) = strangers(&mut world).await;
    let target = Target::set(&mut world).await;
    control(&world, &target).await;
    let before = snapshot(&world, &principals).await;
    let mut wrong = Vec::new();
    for stranger in &strangers {
        let verbs = Registry::get().iter();
        let verbs =
            verbs.filter(|verb| stranger.who != "operator" || verb.needs != Needs::Operator);
        let tries =
            verbs.flat_map(|verb| attacks(verb, &target).into_iter().map(move |one| (verb, one)));
        let (world, target) = (&world, &target);
        let tries = stream::iter(tries).map(|(verb, attack)| async move {
            tried(world, target, stranger, verb, &attack).await
        });
        let at_a_time = if stranger.surface == Surface::Cli { AT_A_TIME } else { 1 };
        wrong.extend(tries.buffered(at_a_time).filter_map(future::ready).collect::<Vec<_>>().await);
        let after = snapshot(world, &principals).await;
        for (what, was) in &before {
            let is = after.get(what);
            if is != Some(was) {
                wrong.push(format!("{} changed {what}: {was} is {is:?}", stranger.who));
            }
        }
        wrong.extend(
            after
                .keys()
                .filter(|what| !before.contains_key(*what))
                .map(|what| format!("{} made {what}", stranger.who)),
        );
    }
    assert!(wrong.is_empty(), "{} faults:\n{}", wrong.len(), wrong.join("\n"));
}

/// Whoever may ask why at a scope sees what decides there, and no grant that lies elsewhere.
#[tokio::test(flavor = "multi_thread")]
async fn an_explanation_shows_no_grant_elsewhere() {
    let mut world = World::start().await;
    let (strangers, _) = strangers(&mut world).await;
    let target = Target::set(&mut world).await;
    let ask = json!({
        "principal": target.ids["principal"], "action": "call.read", "scope": "acme/shop/returns"
    });
    for stranger in strangers.iter().filter(|one| one.who.starts_with("a neighbour") && !one.dry) {
        let said = world.on(stranger.surface, &stranger.token, "access.explain", &ask).await;
        assert_eq!(said.result()["allowed"], false, "{}: {}", stranger.who, said.body);
        for shown in ["checkout", &target.ids["grant"]] {
            assert!(!said.body.to_string().contains(shown), "{}: {}", stranger.who, said.body);
        }
    }
    let said = world.on(Surface::Rest, &world.ana, "access.explain", &ask).await;
    assert!(said.body.to_string().contains(&target.ids["grant"]), "{}", said.body);
}

/// A run is named in a header on every call: another's is answered like none.
#[tokio::test(flavor = "multi_thread")]
async fn anothers_run_is_no_run() {
    let mut world = World::start().await;
    let (strangers, _) = strangers(&mut world).await;
    let target = Target::set(&mut world).await;
    for stranger in strangers.iter().filter(|one| one.surface == Surface::Rest && !one.dry) {
        let mut said = Vec::new();
        for run in [target.ids["run"].clone(), contract::sample::text("run", 77)] {
            let header = [("bailiwick-run", run.as_str())];
            let body = json!({ "query": "anything" });
            let one =
                world.rest_with(&stranger.token, "POST", "/v1/content/search", body, &header).await;
            assert_ne!(one.status, 200, "{}: {}", stranger.who, one.body);
            said.push((one.status, normal(&one.body)));
        }
        assert_eq!(said[0], said[1], "{}", stranger.who);
    }
}

/// The list may only shrink: a verb that is covered leaves it, and no verb joins it.
#[tokio::test(flavor = "multi_thread")]
async fn the_verbs_that_are_not_covered_are_listed() {
    let mut world = World::start().await;
    let target = Target::set(&mut world).await;
    let covered = covered(&world, &target).await;
    // What anyone may use names nothing but a secret: see `leak`.
    let all = Registry::get().iter().filter(|verb| verb.needs != Needs::Anyone);
    let all = all.map(|verb| verb.name);
    let uncovered: Vec<&str> = all.filter(|name| !covered.contains(name)).collect();
    let listed: Vec<&str> = UNCOVERED.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(uncovered, listed, "left: what is not covered; right: golden/uncovered.txt");
}
