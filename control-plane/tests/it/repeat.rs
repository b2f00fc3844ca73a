//! Repeats and dry runs.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use contract::hint::Kind as Hint;
use contract::{Code, Envelope};
use serde_json::{Value, json};
use sqlx::Row as _;

use crate::world::{How, Tenant, World, done, kek, refused, text};

const KEYED: How<'static> = How { key: Some("k-1"), ungated: false, dry_run: false };

async fn create(world: &World, token: &str, name: &str) -> contract::Answer {
    let input = json!({ "kind": "agent", "name": name });
    world.call_so(token, "principal.create", input, &KEYED).await
}

fn hints(envelope: &Envelope) -> Vec<Hint> {
    envelope.hints.iter().map(|hint| hint.hint).collect()
}

#[tokio::test]
async fn the_same_key_gets_the_first_answer_and_does_nothing() {
    let (world, acme, globex) = World::full().await;
    let first = done(create(&world, &acme.owner, "bot").await);
    let (rows, revision) = (world.rows().await, world.revision("acme").await);
    let again = done(create(&world, &acme.owner, "bot").await);
    assert_eq!((&again.result, &again.written), (&first.result, &first.written));
    assert_eq!(hints(&again), [Hint::NextStep, Hint::Repeated]);
    assert_eq!((world.rows().await, world.revision("acme").await), (rows, revision));
    let other = refused(create(&world, &acme.owner, "other-bot").await);
    assert_eq!(
        (other.code, other.field.as_deref()),
        (Code::IdempotencyMismatch, Some("idempotency_key"))
    );
    // A key is its caller's: the neighbour's, and another verb's, are others.
    let theirs = done(create(&world, &globex.owner, "bot").await);
    assert_ne!(theirs.result["id"], first.result["id"]);
    let group = json!({ "name": "bot" });
    done(world.call_so(&acme.owner, "group.create", group, &KEYED).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_the_same_call_many_times_at_once_one_is_done() {
    let (world, acme, _) = World::full().await;
    let world = std::sync::Arc::new(world);
    let mut tasks = Vec::new();
    for _ in 0..12 {
        let (world, owner) = (std::sync::Arc::clone(&world), acme.owner.clone());
        tasks.push(tokio::spawn(async move { create(&world, &owner, "bot").await }));
    }
    let (mut first, mut ids) = (0, Vec::new());
    for task in tasks {
        let answer = done(task.await.expect("runs"));
        first += usize::from(!hints(&answer).contains(&Hint::Repeated));
        ids.push(answer.result["id"].clone());
    }
    ids.dedup();
    assert_eq!((first, ids.len()), (1, 1));
}

#[tokio::test]
async fn an_order_of_fields_is_no_other_input_and_a_day_later_a_key_is_free() {
    let (world, acme, _) = World::full().await;
    done(create(&world, &acme.owner, "bot").await);
    let input = json!({ "name": "bot", "kind": "agent" });
    let again = done(world.call_so(&acme.owner, "principal.create", input, &KEYED).await);
    assert!(hints(&again).contains(&Hint::Repeated));
    world.clock.pass(24 * 60 * 60 * 1000);
    done(create(&world, &acme.owner, "late-bot").await);
}

#[tokio::test]
async fn a_secret_is_not_repeated() {
    let (world, acme, _) = World::full().await;
    let input = json!({ "principal": acme.bot });
    let mut answers = Vec::new();
    for _ in 0..2 {
        let answer = world.call_so(&acme.owner, "token.create", input.clone(), &KEYED).await;
        answers.push(done(answer));
    }
    let secret = text(&answers[0].result, "secret");
    assert_eq!(answers[1].result["secret"], json!("shown once, not repeated"));
    assert_eq!(answers[0].result["token"], answers[1].result["token"]);
    let file = std::fs::read(world.dir.path().join("control.db")).expect("reads");
    let wal = std::fs::read(world.dir.path().join("control.db-wal")).expect("reads");
    for bytes in [file, wal] {
        let found = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
        assert!(!found, "the secret is on disk");
    }
}

/// Whoever reads the database and knows all of a call but its secret cannot hold a guess against it.
#[tokio::test]
async fn what_is_kept_of_an_input_is_no_digest_that_a_guess_can_be_held_against() {
    let (world, acme, _) = World::full().await;
    let inputs = [
        (
            "credential.create",
            json!({ "name": "key", "scope": "acme/shop",
            "origins": ["https://a.example.com"], "secret": "hunter2" }),
        ),
        ("principal.create", json!({ "kind": "agent", "name": "bot" })),
    ];
    for (verb, input) in &inputs {
        done(world.call_so(&acme.owner, verb, input.clone(), &KEYED).await);
    }
    let keyed = KEYED;
    let identity = json!({ "name": "initech", "owner": "bill" });
    done(world.call_so(&world.operator, "identity.create", identity.clone(), &keyed).await);
    let pool = world.database().await;
    let rows = sqlx::query("SELECT digest FROM idempotency").fetch_all(&pool).await.expect("reads");
    pool.close().await;
    let kept: Vec<String> = rows.iter().map(|row| row.get("digest")).collect();
    assert_eq!(kept.len(), 3);
    for input in inputs.iter().map(|(_, input)| input).chain([&identity]) {
        let plain = contract::canonical::digest(input).expect("is canonical");
        let text = contract::canonical::to_canonical(input).expect("is canonical");
        let other = tenancy::seal::Kek::generate(&tenancy::clock::Machine);
        for guess in [plain, other.keyed_digest("idempotency input", &text)] {
            assert!(!kept.contains(&STANDARD.encode(guess)), "{input}");
        }
        let own = kek().keyed_digest("idempotency input", &text);
        assert!(kept.contains(&STANDARD.encode(own)), "{input}");
    }
}

#[tokio::test]
async fn a_repeat_is_authorised_anew() {
    let (world, acme, _) = World::full().await;
    let admin = world.caller(&acme.owner, "user", "admin", "acme").await;
    done(create(&world, &admin, "bot").await);
    let who = world.done(&admin, "token.whoami", json!({})).await;
    let of = json!({ "principal": who["principal"] });
    let grants = world.done(&acme.owner, "grant.list", of).await;
    let which = json!({ "grant": grants["items"][0]["id"] });
    world.done(&acme.owner, "grant.revoke", which).await;
    assert_eq!(refused(create(&world, &admin, "bot").await).code, Code::NotGranted);
}

#[tokio::test]
async fn a_refused_call_leaves_its_key_free() {
    let (world, acme, _) = World::full().await;
    assert_eq!(refused(create(&world, &acme.owner, "ana").await).code, Code::AlreadyExists);
    done(create(&world, &acme.owner, "bot").await);
    let longest = "x".repeat(255);
    let how = How { key: Some(&longest), ..How::default() };
    let input = json!({ "name": "longest" });
    done(world.call_so(&acme.owner, "group.create", input, &how).await);
    for key in ["", "ü", "a b", &"x".repeat(256)] {
        let how = How { key: Some(key), ..How::default() };
        let input = json!({ "name": "Shop", "titel": "x" });
        let refusal = refused(world.call_so(&acme.owner, "group.create", input, &how).await);
        let fields: Vec<_> = refusal.faults.iter().map(|fault| fault.field.as_str()).collect();
        assert!(fields.contains(&"idempotency_key") && fields.contains(&"titel"), "{fields:?}");
    }
}

/// Writes that would be carried out, one a noun.
fn writes(acme: &Tenant) -> Vec<(&'static str, Value)> {
    vec![
        ("group.create", json!({ "name": "support" })),
        ("group.archive", json!({ "group": "shop", "expected_version": 1 })),
        ("project.create", json!({ "group": "shop", "name": "search" })),
        ("principal.create", json!({ "kind": "agent", "name": "bot" })),
        ("principal.suspend", json!({ "principal": acme.bot })),
        ("grant.revoke", json!({ "grant": acme.bot_grant })),
        ("token.create", json!({ "principal": acme.bot })),
        ("token.narrow", json!({})),
        ("token.revoke", json!({ "token": acme.bot_token_id })),
    ]
}

#[tokio::test]
async fn a_dry_run_answers_and_changes_nothing() {
    let (world, acme, _) = World::full().await;
    let (rows, revision) = (world.rows().await, world.revision("acme").await);
    let granted = world.hold("acme", "n1").await;
    let acts = world.acts("acme", granted.epoch, 0).await.len();
    let dry = How { key: Some("k-9"), ungated: false, dry_run: true };
    for (verb, input) in writes(&acme) {
        let answer = done(world.call_so(&acme.owner, verb, input, &dry).await);
        assert_eq!(hints(&answer).last(), Some(&Hint::DryRun), "{verb}");
        assert!(!answer.result.to_string().contains("bw_"), "{verb} tells a secret");
    }
    let mut now = world.rows().await;
    now.remove("leases");
    let mut before = rows;
    before.remove("leases");
    assert_eq!((now, world.revision("acme").await), (before, revision));
    assert_eq!(world.acts("acme", granted.epoch, 0).await.len(), acts);
    world.done(&acme.bot_token, "token.whoami", json!({})).await;
    let input = json!({ "kind": "nothing" });
    let refusal = refused(world.call_so(&acme.owner, "principal.create", input, &dry).await);
    assert_eq!(refusal.code, Code::InvalidInput);
}
