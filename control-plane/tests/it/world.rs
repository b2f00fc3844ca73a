//! A world to test in: a control plane over a real file with a fake clock, two identities, and the
//! people, agents and scopes that the contract's examples speak of.

use std::collections::BTreeMap;
use std::sync::Arc;

use contract::{Answer, Code, Envelope, Name, Refusal};
use control_plane::{Local, Opened, Options, Plane};
use serde_json::{Value, json};
use sqlx::Row as _;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePool};
use tenancy::clock::{self, Fake};
use tenancy::lease::Timing;
use tenancy::plane::{
    Act, Answered, Granted, Link as _, Push, ToControl, VerbCall, decode, encode,
};
use tenancy::seal::Kek;
use tokio::sync::mpsc;

/// The moment at which every world begins.
pub(crate) const BEGIN: &str = "2026-11-30T12:00:00Z";

/// A control plane and what is in it.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) clock: Arc<Fake>,
    pub(crate) plane: Arc<Plane>,
    pub(crate) link: Local,
    pub(crate) operator: String,
    pub(crate) dir: tempfile::TempDir,
}

/// What a call says beside its verb and input.
#[derive(Debug, Clone, Default)]
pub(crate) struct How<'h> {
    pub(crate) key: Option<&'h str>,
    pub(crate) ungated: bool,
    pub(crate) dry_run: bool,
}

/// An identity of a world, with what its owner made in it.
#[derive(Debug, Clone)]
pub(crate) struct Tenant {
    pub(crate) name: String,
    pub(crate) owner: String,
    pub(crate) owner_id: String,
    /// An agent with the role `member` at `shop`.
    pub(crate) bot: String,
    pub(crate) bot_token: String,
    pub(crate) bot_token_id: String,
    pub(crate) bot_grant: String,
    /// Other sample ids, and what they are here.
    pub(crate) more: Vec<(String, String)>,
}

pub(crate) fn kek() -> Kek {
    Kek::generate(&Fake::at(BEGIN.parse().expect("a time")))
}

impl World {
    /// An empty world.
    pub(crate) async fn empty() -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let clock = Arc::new(Fake::at(BEGIN.parse().expect("a time")));
        // A second sequence than the key's own, and a clock that has been running for a while.
        clock.pass(60_000);
        let source: clock::Shared = Arc::<Fake>::clone(&clock);
        let opened = Plane::open(dir.path(), source, kek(), Options::default()).await;
        let Opened { plane, operator_token } = opened.expect("opens");
        let operator = operator_token.expect("the first start makes one").expose().to_owned();
        Self { clock, link: Local::new(Arc::clone(&plane)), plane, operator, dir }
    }

    /// A world with `acme` and `globex`.
    pub(crate) async fn full() -> (Self, Tenant, Tenant) {
        let world = Self::empty().await;
        let acme = world.tenant("acme").await;
        let globex = world.tenant("globex").await;
        (world, acme, globex)
    }

    /// Its clock, as the plane takes it.
    pub(crate) fn source(&self) -> clock::Shared {
        Arc::<Fake>::clone(&self.clock)
    }

    /// The same data folder, opened again.
    pub(crate) async fn reopened(self, options: Options) -> (Self, Option<String>) {
        self.plane.close().await;
        let opened = Plane::open(self.dir.path(), self.source(), kek(), options).await;
        let Opened { plane, operator_token } = opened.expect("opens");
        let link = Local::new(Arc::clone(&plane));
        (Self { plane, link, ..self }, operator_token.map(|token| token.expose().to_owned()))
    }

    async fn tenant(&self, name: &str) -> Tenant {
        let created = self
            .done(&self.operator, "identity.create", json!({ "name": name, "owner": "ana" }))
            .await;
        let owner = text(&created, "owner_token");
        self.done(&owner, "group.create", json!({ "name": "shop", "title": "Shop" })).await;
        for project in ["checkout", "returns"] {
            let input = json!({ "group": "shop", "name": project });
            self.done(&owner, "project.create", input).await;
        }
        let (bot, bot_grant) =
            self.agent(&owner, "shop-bot", "member", &format!("{name}/shop")).await;
        let minted = self.done(&owner, "token.create", json!({ "principal": bot })).await;
        Tenant {
            name: name.to_owned(),
            owner,
            owner_id: text(&created, "owner"),
            bot,
            bot_token: text(&minted, "secret"),
            bot_token_id: text(&minted["token"], "id"),
            bot_grant,
            more: Vec::new(),
        }
    }

    /// An autonomous agent with a role at a scope: its id and the grant's.
    pub(crate) async fn agent(
        &self,
        owner: &str,
        name: &str,
        role: &str,
        scope: &str,
    ) -> (String, String) {
        let input = json!({ "kind": "agent", "name": name, "stage": "autonomous" });
        let bot = text(&self.done(owner, "principal.create", input).await, "id");
        let input = json!({ "principal": bot, "scope": scope, "role": role });
        let grant = text(&self.done(owner, "grant.create", input).await, "id");
        (bot, grant)
    }

    /// A caller with a role at a scope: its token. A `user` or an `agent`.
    pub(crate) async fn caller(&self, owner: &str, kind: &str, role: &str, scope: &str) -> String {
        let name = format!("{role}-{}", scope.replace('/', "-"));
        let input = json!({ "kind": kind, "name": format!("{kind}-{name}") });
        let id = text(&self.done(owner, "principal.create", input).await, "id");
        let input = json!({ "principal": id, "scope": scope, "role": role });
        self.done(owner, "grant.create", input).await;
        text(&self.done(owner, "token.create", json!({ "principal": id })).await, "secret")
    }

    /// Asks, in frames.
    pub(crate) async fn ask(&self, message: ToControl) -> Answered {
        let frame = encode(message).expect("a frame");
        let answer = self.link.ask(frame).await.expect("the plane answers");
        decode(&answer).expect("a frame")
    }

    /// Calls a verb, as a Gate does that has let it through.
    pub(crate) async fn call(&self, token: &str, verb: &str, input: Value) -> Answer {
        self.call_so(token, verb, input, &How::default()).await
    }

    pub(crate) async fn call_so(
        &self,
        token: &str,
        verb: &str,
        input: Value,
        how: &How<'_>,
    ) -> Answer {
        let call = VerbCall {
            token: token.to_owned(),
            verb: verb.to_owned(),
            input,
            idempotency_key: how.key.map(str::to_owned),
            surface: "rest".to_owned(),
            gated: !how.ungated,
            dry_run: how.dry_run,
        };
        let answered = self.ask(ToControl::Verb(Box::new(call))).await;
        let Answered::Verb(answer) = answered else { panic!("{verb}: {answered:?}") };
        answer
    }

    /// Calls a verb that is to be carried out; its result.
    pub(crate) async fn done(&self, token: &str, verb: &str, input: Value) -> Value {
        self.envelope(token, verb, input).await.result
    }

    /// Calls a verb that is to be carried out.
    pub(crate) async fn envelope(&self, token: &str, verb: &str, input: Value) -> Envelope {
        done(self.call(token, verb, input).await)
    }

    /// Calls a verb that is to be refused.
    pub(crate) async fn refused(&self, token: &str, verb: &str, input: Value) -> Refusal {
        refused(self.call(token, verb, input).await)
    }

    /// Calls a verb that is to be refused with this code.
    pub(crate) async fn refused_as(&self, token: &str, verb: &str, input: Value, code: Code) {
        let refusal = self.refused(token, verb, input).await;
        assert_eq!(refusal.code, code, "{verb}: {refusal:?}");
    }

    /// Takes the lease of an identity.
    pub(crate) async fn hold(&self, identity: &str, node: &str) -> Granted {
        let asked = ToControl::Acquire { identity: name(identity), node: node.to_owned() };
        let answered = self.ask(asked).await;
        let Answered::Granted(granted) = answered else { panic!("{identity}: {answered:?}") };
        *granted
    }

    /// Says that the holder decides by `revision`.
    pub(crate) async fn ack(&self, identity: &str, epoch: u64, revision: u64) -> Answered {
        self.ask(ToControl::Ack { identity: name(identity), epoch, revision }).await
    }

    /// The acts after number `folded`.
    pub(crate) async fn acts(&self, identity: &str, epoch: u64, folded: u64) -> Vec<Act> {
        let identity = name(identity);
        let asked = ToControl::Outbox { identity, epoch, folded, limit: 1000 };
        let answered = self.ask(asked).await;
        let Answered::Outbox(acts) = answered else { panic!("{answered:?}") };
        acts
    }

    /// The database, to look at.
    pub(crate) async fn database(&self) -> SqlitePool {
        let options = SqliteConnectOptions::new()
            .filename(self.dir.path().join("control.db"))
            .read_only(true);
        SqlitePool::connect_with(options).await.expect("opens")
    }

    /// How many rows each table has, but for the outbox.
    pub(crate) async fn rows(&self) -> BTreeMap<String, i64> {
        let pool = self.database().await;
        let tables = sqlx::query("SELECT name FROM sqlite_schema WHERE type = 'table'")
            .fetch_all(&pool)
            .await
            .expect("reads");
        let mut rows = BTreeMap::new();
        for table in tables {
            let table: String = table.get("name");
            let count = format!("SELECT count(*) AS rows FROM {table}");
            let counted = sqlx::query(sqlx::AssertSqlSafe(count)).fetch_one(&pool).await;
            rows.insert(table, counted.expect("counts").get("rows"));
        }
        pool.close().await;
        rows.remove("outbox");
        rows
    }

    /// An identity's authority revision.
    pub(crate) async fn revision(&self, identity: &str) -> i64 {
        let pool = self.database().await;
        let row = sqlx::query("SELECT revision FROM identities WHERE name = $1")
            .bind(identity.to_owned())
            .fetch_one(&pool)
            .await
            .expect("reads");
        pool.close().await;
        row.get("revision")
    }
}

/// The next push, which must be there by now.
pub(crate) fn pushed(pushes: &mut mpsc::Receiver<Vec<u8>>) -> Push {
    decode(&pushes.try_recv().expect("a push")).expect("a frame")
}

pub(crate) fn done(answer: Answer) -> Envelope {
    let Answer::Done(envelope) = answer else { panic!("not carried out: {answer:?}") };
    envelope
}

pub(crate) fn refused(answer: Answer) -> Refusal {
    let Answer::Refused(refusal) = answer else { panic!("not refused: {answer:?}") };
    *refusal
}

pub(crate) fn name(text: &str) -> Name {
    text.parse().expect("a name")
}

pub(crate) fn text(value: &Value, member: &str) -> String {
    value[member].as_str().unwrap_or_else(|| panic!("no {member} in {value}")).to_owned()
}

/// The values of `member` in a page.
pub(crate) fn column(page: &Value, member: &str) -> Vec<String> {
    page["items"].as_array().expect("a page").iter().map(|item| text(item, member)).collect()
}

/// A timing that a test can wait out on the fake clock.
pub(crate) fn wait_ms() -> u32 {
    Timing::default().revoke_max_ms()
}
