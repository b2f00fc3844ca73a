//! The service killed in the middle of its work, again and again. After every start: the ledger
//! verifies, no answered write is missing, nothing was sent twice, and what was cut off is marked.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use data_plane::ledger::verify::{Pins, verify};
use e2e::{Process, Said, Upstream, World};
use serde_json::{Value, json};
use tokio::sync::Mutex;

/// How many kills, unless `BAILIWICK_KILLS` says otherwise.
const KILLS: u32 = 50;
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

#[tokio::test(flavor = "multi_thread")]
async fn nothing_answered_is_lost_and_nothing_is_sent_twice_when_it_is_killed() {
    let kills =
        std::env::var("BAILIWICK_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(KILLS);
    let dir = tempfile::tempdir().expect("a folder");
    let data = dir.path().join("data");
    let mut process = Process::start(&data).await;
    let operator =
        std::fs::read_to_string(data.join("operator.token")).expect("the operator's token");
    let world = World::over(process.url.clone(), operator.trim().to_owned(), dir).await;
    let (next, writes) = (Arc::new(AtomicU64::new(0)), Writes::default());
    let mut entries = 0;
    for kill in 0..kills {
        let url = process.url.clone();
        let callers: Vec<_> = (0..CALLERS)
            .map(|_| {
                let (next, writes) = (Arc::clone(&next), Arc::clone(&writes));
                tokio::spawn(work(url.clone(), world.shop_bot.clone(), next, writes))
            })
            .collect();
        // A different moment each time, without asking for randomness.
        tokio::time::sleep(Duration::from_millis(40 + u64::from(kill) * 37 % 211)).await;
        process.kill().await;
        for caller in callers {
            caller.await.expect("a caller ends");
        }
        process = Process::start(&data).await;
        let now = verified(&world, &process.url).await;
        assert!(now > entries, "the ledger lost entries: {now} after {entries}");
        entries = now;
        check(&world, &process.url, &writes).await;
    }
    process.kill().await;
    let done = writes.lock().await.values().filter(|heard| **heard == Heard::Done).count();
    assert!(
        done > usize::try_from(kills).unwrap_or(0) * 4,
        "{kills} kills, {entries} entries, and too little work: {done} writes"
    );
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
