//! Credentials: sealed for their origins, rotated and destroyed, and their secrets seen nowhere.

use contract::shape::http::Policy;
use contract::{Code, Id, id};
use control_plane::Options;
use serde_json::{Value, json};
use sqlx::Row as _;
use tenancy::plane::Granted;
use tenancy::seal::{Binding, Dek, Sealed};

use crate::stock::{SECRET, fields};
use crate::world::{How, World, column, refused, text};

fn of(name: &str, scope: &str, origins: &[&str]) -> Value {
    json!({ "name": name, "scope": scope, "origins": origins, "secret": SECRET })
}

/// The secret of the credential in what the holder was given, opened as `version` for `origins`.
fn opened(given: &Granted, credential: &str, version: u64, origins: &[&str]) -> Option<String> {
    let id: Id<id::Credential> = credential.parse().expect("an id");
    let told = given.view.credentials.iter().find(|told| told.id == id).expect("is told");
    let sealed: Sealed = told.sealed.parse().expect("is sealed");
    let origins: Vec<String> = origins.iter().map(|&origin| origin.to_owned()).collect();
    let identity = given.view.identity_id;
    let binding = Binding { identity, record: id, version, origins: &origins };
    let dek = Dek::from_text(&given.key).expect("a key");
    let secret = dek.open(&binding, &sealed).ok()?;
    Some(secret.expose_text().expect("text").to_owned())
}

#[tokio::test]
async fn a_secret_opens_for_its_origins_and_version_only() {
    let (world, acme, _) = World::full().await;
    let origins = ["https://b.example.com:443", "https://a.example.com:8443"];
    let input = of("key", "acme/shop", &origins);
    let made = world.envelope(&acme.owner, "credential.create", input).await;
    let id = text(&made.result, "id");
    let plain = ["https://b.example.com", "https://a.example.com:8443"];
    assert_eq!(made.result["origins"], json!(plain), "in their one spelling");
    assert_eq!(
        (made.written[0].object.table.as_str(), made.written[0].version),
        ("credentials", 1)
    );
    let given = world.given("acme").await;
    assert_eq!(given.view.credentials[0].version, 1);
    assert_eq!(given.view.credentials[0].origins, plain);
    assert_eq!(opened(&given, &id, 1, &plain).as_deref(), Some(SECRET));
    assert_eq!(opened(&given, &id, 2, &plain), None);
    for others in [&plain[..1], &["https://evil.example.com"][..], &[]] {
        assert_eq!(opened(&given, &id, 1, others), None, "{others:?}");
    }
    let input = json!({ "credential": id, "secret": "n3w", "expected_version": 1 });
    let rotated = world.done(&acme.owner, "credential.rotate", input.clone()).await;
    assert_eq!((&rotated["version"], &rotated["origins"]), (&json!(2), &json!(plain)));
    let given = world.given("acme").await;
    assert_eq!(given.view.credentials[0].version, 2);
    assert_eq!(opened(&given, &id, 2, &plain).as_deref(), Some("n3w"));
    assert_eq!(opened(&given, &id, 1, &plain), None);
    let stale = world.refused(&acme.owner, "credential.rotate", input).await;
    assert_eq!(stale.code, Code::VersionMismatch);
    assert_eq!(stale.more["current_version"], json!(2));
}

#[tokio::test]
async fn a_destroyed_secret_is_gone_and_its_name_is_free() {
    let (world, acme, _) = World::stocked().await;
    let id = world.seal(&acme, "key", "https://a.example.com").await;
    let sealed_now = async || {
        let pool = world.database().await;
        let sql = "SELECT sealed FROM credentials WHERE id = $1";
        let row = sqlx::query(sql).bind(id.clone()).fetch_one(&pool).await.expect("reads");
        pool.close().await;
        row.get::<Option<String>, _>("sealed")
    };
    assert!(sealed_now().await.is_some());
    let which = json!({ "credential": id });
    let gone = world.envelope(&acme.owner, "credential.destroy", which.clone()).await;
    assert_eq!((&gone.result["version"], gone.written[0].version), (&json!(2), 2));
    assert_eq!(sealed_now().await, None);
    let given = world.given("acme").await;
    assert!(given.view.credentials.iter().all(|told| told.id.to_string() != id));
    let again = world.envelope(&acme.owner, "credential.destroy", which).await;
    assert_eq!((again.result, again.written), (gone.result, vec![]));
    let input = json!({ "credential": id, "secret": "n3w", "expected_version": 2 });
    world.refused_as(&acme.owner, "credential.rotate", input, Code::WrongState).await;
    let listed = world.done(&acme.owner, "credential.list", json!({})).await;
    assert_eq!(column(&listed, "name"), ["billing-key"]);
    assert_ne!(world.seal(&acme, "key", "https://a.example.com").await, id);
}

#[tokio::test]
async fn an_origin_is_one_that_a_server_could_have() {
    let (world, acme, _) = World::full().await;
    let bad = [
        "http://a.example.com",
        "https://user@a.example.com",
        "https://a.example.com/v1",
        "https://A.example.com",
        "https://{t}.example.com",
        "https://127.0.0.1",
        "https://[::ffff:a9fe:a9fe]",
        "https://2130706433",
    ];
    let more = [
        "https://0",
        "https://127.1",
        "https://localhost.",
        "https://localhost",
        "a.example.com",
        "https://10.1.2.3",
        "https://db.internal",
        "https://a.example.com?x",
    ];
    let twice = ["https://a.example.com", "https://a.example.com:443"];
    let (rows, revision) = (world.rows().await, world.revision("acme").await);
    for origins in [&bad[..], &more[..]] {
        let input = of("key", "acme/shop", origins);
        let refusal = world.refused(&acme.owner, "credential.create", input).await;
        for (at, origin) in origins.iter().enumerate() {
            let field = format!("origins.{at}");
            assert!(fields(&refusal).contains(&field.as_str()), "{origin} is taken");
        }
        let whole = |text: &str| text.ends_with('.') && !text.starts_with(char::is_lowercase);
        assert!(refusal.faults.iter().all(|fault| whole(&fault.say) && whole(&fault.fix)));
    }
    let mut input = of("key", "acme/shop", &twice);
    input["secret"] = json!(format!("{SECRET}\n"));
    let refusal = world.refused(&acme.owner, "credential.create", input).await;
    assert_eq!(fields(&refusal), ["origins.1", "secret"]);
    assert_eq!((world.rows().await, world.revision("acme").await), (rows, revision));
}

#[tokio::test]
async fn an_operator_may_allow_plain_http_and_a_private_network() {
    let (world, acme, _) = World::full().await;
    let policy = Policy { http: true, private: vec!["10.0.0.0/8".parse().expect("a block")] };
    let (world, _) = world.reopened(Options { policy, ..Options::default() }).await;
    let origins = ["http://a.example.com", "https://10.1.2.3", "http://db.internal:8080"];
    world.done(&acme.owner, "credential.create", of("key", "acme/shop", &origins)).await;
    let refusal = of("other", "acme/shop", &["https://192.168.1.1", "http://169.254.169.254"]);
    let refusal = world.refused(&acme.owner, "credential.create", refusal).await;
    assert_eq!(fields(&refusal), ["origins.0", "origins.1"]);
}

#[tokio::test]
async fn a_secret_is_seen_nowhere() {
    let (world, acme, _) = World::full().await;
    let keyed = How { key: Some("k-1"), ..How::default() };
    let mut answers = Vec::new();
    let input = of("key", "acme/shop", &["https://a.example.com"]);
    for _ in 0..2 {
        let verb = "credential.create";
        answers.push(world.call_so(&acme.owner, verb, input.clone(), &keyed).await);
    }
    let other = of("other", "acme/shop", &["https://a.example.com"]);
    let refusal = refused(world.call_so(&acme.owner, "credential.create", other, &keyed).await);
    assert_eq!(refusal.code, Code::IdempotencyMismatch);
    let id = text(&answers[0].body()["result"], "id");
    for version in [7, 1] {
        let input = json!({ "credential": id, "secret": SECRET, "expected_version": version });
        answers.push(world.call(&acme.owner, "credential.rotate", input).await);
    }
    let taken = of("key", "acme/shop", &["https://a.example.com"]);
    let taken = world.refused(&acme.owner, "credential.create", taken).await;
    assert_eq!((taken.code, taken.field.as_deref()), (Code::AlreadyExists, Some("name")));
    answers.push(taken.into());
    let mut blank = of("blank", "acme/shop", &["http://a.example.com"]);
    blank["secret"] = json!(format!(" {SECRET}"));
    answers.push(world.call(&acme.owner, "credential.create", blank).await);
    answers.push(world.call(&acme.owner, "credential.list", json!({})).await);
    answers.push(refusal.into());
    for answer in answers {
        assert!(!answer.body().to_string().contains(SECRET), "{answer:?}");
    }
    let acts = serde_json::to_string(&world.all_acts("acme").await).expect("JSON");
    assert!(acts.contains(&format!("credentials/{id}")) && !acts.contains(SECRET));
    for file in ["control.db", "control.db-wal"] {
        let bytes = std::fs::read(world.dir.path().join(file)).expect("reads");
        let found = bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes());
        assert!(!found, "the secret is in {file}");
    }
}

#[tokio::test]
async fn credentials_are_managed_and_seen_at_their_scope() {
    let (world, acme, globex) = World::stocked().await;
    let admin = world.caller(&acme.owner, "user", "admin", "acme/shop/returns").await;
    let own = of("own-key", "acme/shop/returns", &["https://a.example.com"]);
    let own = text(&world.done(&admin, "credential.create", own).await, "id");
    let beyond = of("x", "acme/shop", &["https://a.example.com"]);
    world.refused_as(&admin, "credential.create", beyond, Code::NotGranted).await;
    let listed = world.done(&admin, "credential.list", json!({})).await;
    assert_eq!(column(&listed, "id"), std::slice::from_ref(&own));
    let listed = world.done(&acme.owner, "credential.list", json!({ "limit": 1 })).await;
    assert_eq!(column(&listed, "name"), ["billing-key"]);
    let next = json!({ "cursor": listed["cursor"] });
    let listed = world.done(&acme.owner, "credential.list", next).await;
    assert_eq!(column(&listed, "name"), ["own-key"]);
    // Of the group's credential, and of a neighbour's, nothing is known.
    let shops = acme.stocked("credential");
    for (token, id) in [(&admin, &shops), (&globex.owner, &own)] {
        let which = json!({ "credential": id });
        let known = world.refused(token, "credential.destroy", which).await;
        let nobodys = json!({ "credential": contract::sample::text("credential", 9) });
        let unknown = world.refused(token, "credential.destroy", nobodys).await;
        assert_eq!((known.code, &known.say), (Code::NotFound, &unknown.say));
    }
    for role in ["member", "viewer", "curator", "approver", "billing"] {
        let other = world.caller(&acme.owner, "user", role, "acme").await;
        world.refused_as(&other, "credential.list", json!({}), Code::NotGranted).await;
    }
}
