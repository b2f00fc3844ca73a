//! No sequence of narrowing, rotating and editing roles lets a token do more than it could, or than
//! whoever edited holds.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use contract::{Action, Answer, Id, Scope, id};
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use tenancy::authority::{Asked, Now, Subject, explain};
use tenancy::lease::Standing;
use tenancy::view::AuthorityView;

use crate::world::{Tenant, World, text};

const SCOPES: [&str; 4] = ["acme", "acme/shop", "acme/shop/checkout", "acme/shop/returns"];
const ROLES: [&str; 2] = ["first", "second"];

/// One act; the indices choose among the tokens there are.
#[derive(Debug, Clone)]
enum Act {
    Narrow { by: Index, scope: Option<Index>, actions: Option<Vec<Action>> },
    Rotate { by: Index, of: Index, overlap_seconds: u32 },
    Edit { role: Index, actions: Vec<Action> },
    Pass { ms: u32 },
}

fn actions() -> impl Strategy<Value = Vec<Action>> {
    proptest::sample::subsequence(Action::ALL, 1..=12)
}

fn act() -> impl Strategy<Value = Act> {
    let any = any::<Index>;
    prop_oneof![
        3 => (any(), proptest::option::of(any()), proptest::option::of(actions()))
            .prop_map(|(by, scope, actions)| Act::Narrow { by, scope, actions }),
        3 => (any(), any(), prop_oneof![Just(0), Just(60)])
            .prop_map(|(by, of, overlap_seconds)| Act::Rotate { by, of, overlap_seconds }),
        2 => (any(), actions()).prop_map(|(role, actions)| Act::Edit { role, actions }),
        1 => (1_000..100_000_u32).prop_map(|ms| Act::Pass { ms }),
    ]
}

type May = BTreeSet<(Action, &'static str)>;

/// What each token may do, decided by the view that a holder would be given.
async fn may(world: &World) -> BTreeMap<Id<id::Token>, May> {
    let document = world.given("acme").await.view;
    let tokens: Vec<_> = document.tokens.iter().map(|token| token.id).collect();
    let view = AuthorityView::new(document).expect("a view");
    let now = Now::of(&*world.source());
    let mut all = BTreeMap::new();
    for token in tokens {
        let mut set = May::new();
        for place in SCOPES {
            let target: Scope = place.parse().expect("a scope");
            for action in Action::ALL.iter().copied() {
                let asked = Asked { action, target: &target, called: None };
                let of = Subject::Token(token);
                let told = explain(&view, &Standing::Primary, of, &asked, now).expect("told");
                if told.permitted {
                    set.insert((action, place));
                }
            }
        }
        all.insert(token, set);
    }
    all
}

/// The tokens that the acts are done with: secret and id.
struct Play {
    world: World,
    acme: Tenant,
    admin: String,
    admin_id: Id<id::Token>,
    tokens: Vec<(String, String)>,
}

impl Play {
    async fn begin() -> Self {
        let (world, acme, _) = World::full().await;
        for role in ROLES {
            let made = json!({ "name": role, "actions": ["call.read", "unmask", "token.manage"] });
            world.done(&acme.owner, "role.create", made).await;
            let grant = json!({ "principal": acme.bot, "scope": "acme/shop", "role": role });
            world.done(&acme.owner, "grant.create", grant).await;
        }
        let admin = world.caller(&acme.owner, "user", "admin", "acme").await;
        let who = world.done(&admin, "token.whoami", json!({})).await;
        let admin_id = text(&who, "token").parse().expect("an id");
        let tokens = vec![(acme.bot_token.clone(), acme.bot_token_id.clone())];
        Self { world, acme, admin, admin_id, tokens }
    }

    /// Does an act. Answers the token that was minted and the one that it must not exceed.
    async fn act(&mut self, act: &Act) -> Option<(String, String)> {
        let (by, verb, input, of) = match act {
            Act::Narrow { by, scope, actions } => {
                let (by, of) = by.get(&self.tokens).clone();
                let mut input = json!({});
                if let Some(scope) = scope {
                    input["scope"] = json!(scope.get(&SCOPES));
                }
                if let Some(actions) = actions {
                    input["actions"] = json!(actions);
                }
                (by, "token.narrow", input, of)
            }
            Act::Rotate { by, of, overlap_seconds } => {
                let of = of.get(&self.tokens).1.clone();
                let (mut by, _) = by.get(&self.tokens).clone();
                if by == self.tokens[0].0 {
                    by.clone_from(&self.admin);
                }
                let input = json!({ "token": of, "overlap_seconds": overlap_seconds });
                (by, "token.rotate", input, of)
            }
            Act::Edit { role, actions } => {
                let name = role.get(&ROLES);
                let page = self.world.done(&self.acme.owner, "role.list", json!({})).await;
                let roles = page["items"].as_array().expect("roles");
                let now = roles.iter().find(|role| role["name"] == json!(name)).expect("there");
                let input =
                    json!({ "role": name, "actions": actions, "expected_version": now["version"] });
                (self.admin.clone(), "role.update", input, String::new())
            }
            Act::Pass { ms } => {
                self.world.clock.pass(*ms);
                return None;
            }
        };
        let Answer::Done(done) = self.world.call(&by, verb, input).await else { return None };
        let secret = done.result.get("secret").and_then(Value::as_str)?.to_owned();
        let id = text(&done.result["token"], "id");
        self.tokens.push((secret, id.clone()));
        Some((id, of))
    }
}

async fn play(acts: Vec<Act>) -> Result<(), TestCaseError> {
    let mut play = Play::begin().await;
    let mut before = may(&play.world).await;
    for act in &acts {
        let minted = play.act(act).await;
        let after = may(&play.world).await;
        let admins = before.get(&play.admin_id).cloned().unwrap_or_default();
        let edits = matches!(act, Act::Edit { .. });
        for (token, set) in &after {
            let could = before.get(token).cloned().unwrap_or_default();
            let old = minted.as_ref().filter(|(id, _)| *id == token.to_string());
            let bound = match old {
                Some((_, of)) => {
                    before.get(&of.parse().expect("an id")).cloned().unwrap_or_default()
                }
                None => could,
            };
            for one in set.difference(&bound) {
                prop_assert!(edits && admins.contains(&(one.0, "acme")), "{act:?} gives {one:?}");
            }
        }
        before = after;
    }
    Ok(())
}

#[test]
fn no_sequence_of_acts_widens_what_a_token_may_do() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime");
    let config =
        ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() };
    let check = RefCell::new(|acts: Vec<Act>| runtime.block_on(play(acts)));
    let ran = TestRunner::new(config)
        .run(&proptest::collection::vec(act(), 1..14), |acts| (check.borrow_mut())(acts));
    ran.expect("holds");
}
