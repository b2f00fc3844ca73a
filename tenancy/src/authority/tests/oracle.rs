//! Asks two others the same questions: a naive model that reads the document line by line, and Cedar
//! with the same document written down as its policies.

use std::collections::{HashMap, HashSet};
use std::str::FromStr;

use cedar_policy::{
    Authorizer, Context, Decision, Entities, Entity, EntityId, EntityTypeName, EntityUid,
    PolicySet, Request, RestrictedExpression,
};
use contract::{Action, Scope, Timestamp};
use proptest::prelude::*;

use super::generated::{outcome, question, tenant};
use super::id;
use crate::role::{ActionSet, BuiltIn};
use crate::token::Kind;
use crate::view::{Document, PrincipalKind, Token};

/// What is refused at an archived scope, written down a second time.
pub(super) const ARCHIVED_REFUSES: [&str; 9] = [
    "catalogue.read",
    "call.read",
    "call.write",
    "call.destructive",
    "call.financial",
    "tool.classify",
    "pack.manage",
    "run.open_clean",
    "approval.decide",
];

fn role(document: &Document, name: &str) -> ActionSet {
    let own = document.roles.iter().find(|role| role.name.as_str() == name);
    let built_in = BuiltIn::named(name).map(BuiltIn::actions);
    built_in.or_else(|| own.map(|role| role.actions)).unwrap_or(ActionSet::EMPTY)
}

fn over(end: Option<Timestamp>, now: Timestamp) -> bool {
    end.is_some_and(|end| end <= now)
}

/// Whether `scope` is `above` or below it, by its segments.
fn within(scope: &Scope, above: &Scope) -> bool {
    let (scope, above) = (scope.as_str().split('/'), above.as_str().split('/'));
    let (scope, above): (Vec<_>, Vec<_>) = (scope.collect(), above.collect());
    scope.starts_with(&above)
}

/// The naive model: no index, nothing worked out before.
fn naive(
    document: &Document,
    token: &Token,
    action: Action,
    target: &Scope,
    now: Timestamp,
) -> bool {
    let Some(principal) = document.principals.iter().find(|p| p.id == token.principal) else {
        return false;
    };
    let mut line = vec![token];
    while let Some(parent) = line[line.len() - 1].parent {
        let Some(parent) = document.tokens.iter().find(|token| token.id == parent) else {
            return false;
        };
        line.push(parent);
    }
    let person =
        principal.kind == PrincipalKind::User && token.kind == Kind::User && line.len() == 1;
    let archived = document.scopes.iter().any(|s| s.archived && within(target, &s.scope));
    let granted = document.grants.iter().any(|grant| {
        grant.principal == principal.id
            && !grant.revoked
            && !over(grant.expires, now)
            && within(target, &grant.scope)
            && role(document, grant.role.as_str()).has(action)
    });
    granted
        && !document.suspended
        && !principal.suspended
        && (person || !action.users_only())
        && document.scopes.iter().any(|record| record.scope == *target)
        && !(archived && ARCHIVED_REFUSES.contains(&action.as_str()))
        && line.iter().all(|token| {
            !token.revoked
                && !over(token.expires, now)
                && token.actions.is_none_or(|actions| actions.has(action))
                && token.scope.as_ref().is_none_or(|scope| within(target, scope))
        })
}

fn uid(kind: &str, id: &str) -> EntityUid {
    let kind = EntityTypeName::from_str(kind).expect("a type");
    EntityUid::from_type_name_and_id(kind, EntityId::new(id))
}

fn entity(uid: EntityUid, attribute: (&str, bool), parents: HashSet<EntityUid>) -> Entity {
    let (name, value) = attribute;
    let attributes = HashMap::from([(name.to_owned(), RestrictedExpression::new_bool(value))]);
    Entity::new(uid, attributes, parents).expect("an entity")
}

/// The document as Cedar's entities: tokens in their parents and these in their principal, scopes in
/// the scopes above. What does not exist is an entity that says so.
fn entities(document: &Document, target: &Scope) -> Entities {
    let mut all = Vec::new();
    for token in &document.tokens {
        let owner = document.principals.iter().find(|p| p.id == token.principal);
        let user = owner.is_some_and(|owner| owner.kind == PrincipalKind::User);
        let person = user && token.kind == Kind::User && token.parent.is_none();
        let mut above = HashSet::from([uid("Principal", &token.principal.to_string())]);
        above.extend(token.parent.map(|parent| uid("Token", &parent.to_string())));
        all.push(entity(uid("Token", &token.id.to_string()), ("person", person), above));
    }
    let mut scopes: Vec<_> = document.scopes.iter().map(|record| (&record.scope, true)).collect();
    if scopes.iter().all(|(scope, _)| *scope != target) {
        scopes.push((target, false));
    }
    for (scope, exists) in scopes {
        let above = scope.parent().map(|up| uid("Scope", up.as_str())).into_iter().collect();
        all.push(entity(uid("Scope", scope.as_str()), ("exists", exists), above));
    }
    Entities::from_entities(all, None).expect("entities")
}

fn list(actions: impl IntoIterator<Item = &'static str>) -> String {
    let actions: Vec<_> = actions.into_iter().map(|word| format!("Action::\"{word}\"")).collect();
    format!("[{}]", actions.join(", "))
}

fn words(actions: ActionSet) -> String {
    list(actions.iter().map(Action::as_str))
}

/// The document as Cedar's policies: a permit for every grant, a forbid for everything that cuts.
fn policies(document: &Document) -> PolicySet {
    let mut text = String::new();
    let mut say = |line: String| text.push_str(&line);
    for grant in document.grants.iter().filter(|grant| !grant.revoked) {
        let (principal, scope) = (grant.principal, &grant.scope);
        let actions = words(role(document, grant.role.as_str()));
        let until = grant.expires.map_or(i64::MAX, Timestamp::ms);
        say(format!(
            "permit(principal in Principal::\"{principal}\", action in {actions}, \
             resource in Scope::\"{scope}\") when {{ context.now < {until} }};\n"
        ));
    }
    for token in &document.tokens {
        let whoever = format!("forbid(principal in Token::\"{}\", action, resource)", token.id);
        if token.revoked {
            say(format!("{whoever};\n"));
        }
        if let Some(end) = token.expires {
            say(format!("{whoever} when {{ context.now >= {} }};\n", end.ms()));
        }
        if let Some(scope) = &token.scope {
            say(format!("{whoever} unless {{ resource in Scope::\"{scope}\" }};\n"));
        }
        if let Some(actions) = token.actions {
            say(format!("{whoever} unless {{ action in {} }};\n", words(actions)));
        }
        if let Some(parent) = token.parent
            && document.tokens.iter().all(|token| token.id != parent)
        {
            say(format!("forbid(principal in Token::\"{parent}\", action, resource);\n"));
        }
    }
    for principal in document.principals.iter().filter(|principal| principal.suspended) {
        say(format!("forbid(principal in Principal::\"{}\", action, resource);\n", principal.id));
    }
    for record in document.scopes.iter().filter(|record| record.archived) {
        let (actions, scope) = (list(ARCHIVED_REFUSES), &record.scope);
        say(format!("forbid(principal, action in {actions}, resource in Scope::\"{scope}\");\n"));
    }
    let people = list(["approval.decide", "tool.classify"]);
    say(format!(
        "forbid(principal, action in {people}, resource) unless {{ principal.person }};\n"
    ));
    say("forbid(principal, action, resource) unless { resource.exists };\n".to_owned());
    PolicySet::from_str(&text).expect("policies")
}

/// Cedar's answer. `policies` are those of the document, worked out once for all its questions.
fn cedar(
    (document, policies): (&Document, &PolicySet),
    token: &Token,
    action: Action,
    target: &Scope,
    now: Timestamp,
) -> bool {
    let now = RestrictedExpression::new_long(now.ms());
    let request = Request::new(
        uid("Token", &token.id.to_string()),
        uid("Action", action.as_str()),
        uid("Scope", target.as_str()),
        Context::from_pairs([("now".to_owned(), now)]).expect("a context"),
        None,
    );
    let (request, entities) = (request.expect("a request"), entities(document, target));
    let answer = Authorizer::new().is_authorized(&request, policies, &entities);
    assert_eq!(answer.diagnostics().errors().count(), 0, "a policy that fails is a policy skipped");
    answer.decision() == Decision::Allow
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn the_naive_model_and_cedar_decide_the_same(
        tenant in tenant(), questions in proptest::collection::vec(question(), 8)
    ) {
        let document = tenant.0.clone();
        let policies = policies(&document);
        let view = tenant.view();
        for (number, action, target, now) in questions {
            let Some(token) = document.tokens.iter().find(|token| token.id == id(number)) else {
                continue;
            };
            let ours = outcome(&view, number, action, &target, now);
            let model = naive(&document, token, action, &target, now.wall);
            let oracle = cedar((&document, &policies), token, action, &target, now.wall);
            prop_assert_eq!(ours.is_ok(), model, "the naive model, against {:?}", ours);
            prop_assert_eq!(ours.is_ok(), oracle, "Cedar, against {:?}", ours);
        }
    }
}

/// The questions are worth asking: of a thousand, some are permitted and most reasons occur.
#[test]
fn generated_tenants_reach_the_reasons() {
    use crate::authority::Reason::{
        ForeignIdentity, NarrowedAction, NarrowedScope, NoGrant, PrincipalSuspended, ScopeArchived,
        TokenExpired, TokenRevoked, UnknownScope, UserRequired,
    };
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    let mut runner = TestRunner::deterministic();
    let mut seen = HashMap::new();
    for _ in 0..1_000 {
        let drawn = (tenant(), question()).new_tree(&mut runner).expect("is drawn").current();
        let (tenant, (token, action, target, now)) = drawn;
        let outcome = outcome(&tenant.view(), token, action, &target, now);
        *seen.entry(outcome).or_insert(0_u32) += 1;
    }
    assert!(seen.get(&Ok(())).is_some_and(|times| *times > 60), "{seen:?}");
    for reason in [
        ForeignIdentity,
        NarrowedAction,
        NarrowedScope,
        NoGrant,
        PrincipalSuspended,
        ScopeArchived,
        TokenExpired,
        TokenRevoked,
        UnknownScope,
        UserRequired,
    ] {
        assert!(seen.contains_key(&Err(reason)), "{reason} was never reached: {seen:?}");
    }
}
