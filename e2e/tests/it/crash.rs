//! The service killed in the middle of its work, again and again, with what was not synced kept or lost.
//! After every start: the ledger verifies, no answered write or act is missing, nothing was sent twice,
//! and what was cut off is marked.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use data_plane::ledger::verify::{Pins, verify};
use e2e::power::{self, Layer};
use e2e::{Process, Said, Upstream, World};
use serde_json::{Value, json};
use tokio::sync::Mutex;
use tokio::task::JoinSet;

/// How many kills, unless `BAILIWICK_KILLS` says otherwise.
const KILLS: u32 = 50;
/// How many cuts of the power, unless `BAILIWICK_KILLS` says otherwise.
const CUTS: u32 = 15;
/// Callers that write and read at the same time.
const CALLERS: u64 = 6;

/// What came of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Heard {
    /// Answered with success.
    Done,
    /// Not answered: the connection broke.
    Nothing,
    /// Refused or unavailable.
    Not,
}

type Writes = Arc<Mutex<BTreeMap<u64, Heard>>>;

fn call(subject: u64) -> Value {
    json!({
        "address": "shop/tickets.ticket.create", "idempotency_key": format!("write-{subject}"),
        "arguments": { "subject": format!("subject-{subject}") }
    })
}

async fn post(client: &reqwest::Client, url: &str, token: &str, body: &Value) -> Option<Said> {
    let sent = client.post(format!("{url}/v1/call")).bearer_auth(token).json(body).send().await;
    let response = sent.ok()?;
    let status = response.status().as_u16();
    let body = response.json().await.ok()?;
    Some(Said { status, body })
}

/// Writes until the service goes away, each write once.
async fn work(url: String, token: String, next: Arc<AtomicU64>, writes: Writes) {
    let client = reqwest::Client::builder().no_proxy().build().expect("a client");
    loop {
        let subject = next.fetch_add(1, Ordering::Relaxed);
        let said = post(&client, &url, &token, &call(subject)).await;
        let heard = match &said {
            Some(said) if said.status == 200 => Heard::Done,
            Some(_) => Heard::Not,
            None => Heard::Nothing,
        };
        writes.lock().await.insert(subject, heard);
        if heard == Heard::Nothing {
            return;
        }
        let read = json!({ "address": "shop/returns/billing.echo", "arguments": {} });
        if post(&client, &url, &token, &read).await.is_none() {
            return;
        }
    }
}

/// Sent how often: the upstream's own count, by subject.
fn sent(upstream: &Upstream) -> BTreeMap<u64, u32> {
    let mut sent = BTreeMap::new();
    for seen in upstream.seen().iter().filter(|seen| seen.method == http::Method::POST) {
        let body: Value = serde_json::from_str(&seen.body).unwrap_or_default();
        let subject = body["subject"].as_str().and_then(|text| text.strip_prefix("subject-"));
        if let Some(subject) = subject.and_then(|number| number.parse().ok()) {
            *sent.entry(subject).or_default() += 1;
        }
    }
    sent
}

/// The whole export, verified: answers how many entries it has.
async fn verified(world: &World, url: &str) -> u64 {
    let client = reqwest::Client::builder().no_proxy().build().expect("a client");
    let (mut text, mut cursor) = (String::new(), None::<String>);
    loop {
        let query = cursor.map(|cursor| format!("?cursor={cursor}")).unwrap_or_default();
        let path = format!("{url}/v1/ledger/export{query}");
        let response = client.get(path).bearer_auth(&world.ana).send().await.expect("an answer");
        let body: Value = response.json().await.expect("JSON");
        text.push_str(body["result"]["text"].as_str().unwrap_or_else(|| panic!("{body}")));
        match body["result"]["cursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => break,
        }
    }
    let report = verify(text.as_bytes(), &Pins::default()).expect("the chain verifies");
    // The export's own ruling is not in it; whatever else was ruled has its outcome or its mark.
    assert_eq!(report.open_rulings, 0, "a ruling was left open: {:?}", report.open_rulings_first);
    report.entries
}

/// What a campaign is about: kills alone, or kills that lose what was not synced.
struct Campaign {
    layer: Option<Layer>,
    kills: u32,
    /// Writes to a file that were taken back.
    lost: usize,
}

impl Campaign {
    fn of(kills: u32, layer: Option<Layer>) -> Self {
        let asked = std::env::var("BAILIWICK_KILLS").ok().and_then(|kills| kills.parse().ok());
        Self { layer, kills: asked.unwrap_or(kills), lost: 0 }
    }

    async fn start(&self, data: &Path) -> Process {
        match &self.layer {
            None => Process::start(data).await,
            Some(layer) => layer.start(data).await,
        }
    }

    async fn kill(&mut self, process: Process, data: &Path) {
        process.kill().await;
        if self.layer.is_some() {
            self.lost += power::cut(data);
        }
    }

    /// Kills the service as often as it says, at moments that differ, and looks at what is left.
    #[expect(clippy::print_stdout, reason = "a campaign says what it did")]
    async fn run(mut self) {
        let dir = tempfile::tempdir().expect("a folder");
        let data = dir.path().join("data");
        let mut process = self.start(&data).await;
        let operator =
            std::fs::read_to_string(data.join("operator.token")).expect("the operator's token");
        let world = World::over(process.url.clone(), operator.trim().to_owned(), dir).await;
        let (next, writes) = (Arc::new(AtomicU64::new(0)), Writes::default());
        let (mut entries, mut in_flight) = (0, 0);
        for kill in 0..self.kills {
            let mut callers = JoinSet::new();
            for _ in 0..CALLERS {
                let (next, writes) = (Arc::clone(&next), Arc::clone(&writes));
                callers.spawn(work(process.url.clone(), world.shop_bot.clone(), next, writes));
            }
            let acts = tokio::spawn(administer(process.url.clone(), world.ana.clone(), kill));
            // A different moment each time, without asking for randomness.
            tokio::time::sleep(Duration::from_millis(40 + u64::from(kill) * 37 % 211)).await;
            self.kill(process, &data).await;
            callers.join_all().await;
            let made = acts.await.expect("the administrator ends");
            in_flight +=
                usize::from(writes.lock().await.values().any(|one| *one == Heard::Nothing));
            process = self.start(&data).await;
            let now = verified(&world, &process.url).await;
            // The entries of reads are written and not synced: a cut may take the last of them.
            assert!(now > entries || self.layer.is_some(), "entries were lost: {now} of {entries}");
            entries = now;
            check(&world, &process.url, &writes).await;
            there(&world, &process.url, &made).await;
        }
        self.kill(process, &data).await;
        let done = writes.lock().await.values().filter(|heard| **heard == Heard::Done).count();
        assert!(
            done > usize::try_from(self.kills).unwrap_or(0) * 4,
            "{} kills, {entries} entries, and too little work: {done} writes",
            self.kills
        );
        assert!(in_flight > 0, "no kill hit a call");
        assert!(self.layer.is_none() || self.lost > 0, "no cut lost anything");
        println!(
            "{} kills: {done} writes answered, {entries} entries, {} file writes taken back",
            self.kills, self.lost
        );
    }
}

/// Makes groups until the service goes away. Answers those that were answered as made.
async fn administer(url: String, token: String, kill: u32) -> Vec<String> {
    let client = reqwest::Client::builder().no_proxy().build().expect("a client");
    let mut made = Vec::new();
    for nth in 0..4 {
        let name = format!("g{kill}-{nth}");
        let body = json!({ "name": name });
        let sent = client.post(format!("{url}/v1/groups")).bearer_auth(&token).json(&body).send();
        match sent.await {
            Ok(answer) if answer.status() == 200 => made.push(name),
            Ok(_) => {}
            Err(_) => break,
        }
    }
    made
}

/// That what was answered as made is there: it cannot be made again.
async fn there(world: &World, url: &str, made: &[String]) {
    let client = reqwest::Client::builder().no_proxy().build().expect("a client");
    for name in made {
        let body = json!({ "name": name });
        let sent = client.post(format!("{url}/v1/groups")).bearer_auth(&world.ana).json(&body);
        let answer: Value = sent.send().await.expect("an answer").json().await.expect("JSON");
        assert_eq!(answer["refusal"]["code"], "already_exists", "{name} is lost: {answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_answered_is_lost_and_nothing_is_sent_twice_when_it_is_killed() {
    Campaign::of(KILLS, None).run().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_answered_is_lost_and_nothing_is_sent_twice_when_the_power_goes() {
    let dir = tempfile::tempdir().expect("a folder");
    Campaign::of(CUTS, Some(Layer::build(dir.path()))).run().await;
}

/// Every answered write is answered again from its record; no write is ever sent twice, however
/// often it is repeated.
async fn check(world: &World, url: &str, writes: &Writes) {
    let client = reqwest::Client::builder().no_proxy().build().expect("a client");
    let mut writes = writes.lock().await;
    let recent: Vec<(u64, Heard)> =
        writes.iter().rev().take(24).map(|(n, heard)| (*n, *heard)).collect();
    for (subject, heard) in recent {
        let said = post(&client, url, &world.shop_bot, &call(subject)).await.expect("an answer");
        let repeated = said.body["hints"].to_string().contains("repeated");
        match heard {
            Heard::Done => {
                assert!(said.status == 200 && repeated, "write {subject}: {}", said.body);
            }
            Heard::Nothing | Heard::Not => {
                let known = said.status == 200 || said.code() == "outcome_unknown";
                assert!(known, "write {subject}: {}", said.body);
                if said.status == 200 {
                    writes.insert(subject, Heard::Done);
                }
            }
        }
    }
    for (subject, times) in sent(&world.upstream) {
        assert_eq!(times, 1, "write {subject} was sent {times} times");
    }
}
