//! Owns memory: whether it stays flat over many calls, and what one more identity costs that does nothing.
//! Invariant: each question is asked in a process of its own, so that nothing measured before is in the
//! figure.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::task::JoinSet;

use super::Plan;
use crate::client::{Connection, Shot};
use crate::pin::{Halves, run};
use crate::process;
use crate::report::{Figure, Plain, Target};
use crate::shots;
use crate::site::Site;
use crate::stat::{Spread, real, slope};

/// The words that name the processes.
pub(crate) const OF_CALLS: &str = "memory-of-calls";
pub(crate) const OF_IDENTITIES: &str = "memory-of-identities";

/// How often memory is looked at while calls are made.
const LOOKS: usize = 60;
/// Connections that call.
const TOGETHER: usize = 32;
/// How long identities are left alone before they are counted.
const SETTLE: Duration = Duration::from_secs(3);
/// A mebibyte.
const MIB: f64 = 1024.0 * 1024.0;

/// What was seen: how many (calls, identities), and the resident memory and threads then.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Look {
    count: f64,
    resident: f64,
    threads: f64,
}

/// Asks both questions that `chosen` lets through, each in a process of its own.
///
/// # Errors
/// When such a process fails.
pub(crate) fn figures(chosen: &dyn Fn(&str) -> bool) -> anyhow::Result<Vec<Figure>> {
    let mut figures = Vec::new();
    if chosen("memory.calls") {
        figures.extend(of_calls(&ask(OF_CALLS)?)?);
    }
    if chosen("memory.identity") {
        figures.push(of_identities(&ask(OF_IDENTITIES)?)?);
    }
    Ok(figures)
}

fn ask(question: &str) -> anyhow::Result<Vec<Look>> {
    let own = std::env::current_exe().context("this program")?;
    let output = Command::new(own).arg(question).stderr(Stdio::inherit()).output()?;
    ensure!(output.status.success(), "{question} failed");
    serde_json::from_slice(&output.stdout).context("what the process saw")
}

fn of_calls(looks: &[Look]) -> anyhow::Result<[Figure; 2]> {
    let last = looks.last().context("a look")?;
    // What a tenth of the calls needs is there for good: caches, pools, pages of the file.
    let settled: Vec<_> = looks.iter().filter(|look| look.count >= last.count / 10.0).collect();
    let first = settled.first().context("a look")?;
    let points: Vec<_> = settled.iter().map(|look| (look.count, look.resident)).collect();
    let stopped = if looks.len() < LOOKS { ", when time was up" } else { "" };
    let detail = format!(
        "{} MiB after {} calls, {} MiB after {}{stopped}",
        Plain(first.resident / MIB),
        Plain(first.count),
        Plain(last.resident / MIB),
        Plain(last.count),
    );
    let what = "resident memory at the end over that after a tenth of the calls (both calls, both surfaces)";
    Ok([
        Figure::new("memory.calls", what, Spread::once(last.resident / first.resident))
            .target(Target::AtMost(1.1))
            .detail(detail),
        Figure::new(
            "memory.calls_slope",
            "slope of resident memory over the same calls",
            Spread::once(slope(&points)),
        )
        .unit("bytes a call"),
    ])
}

fn of_identities(looks: &[Look]) -> anyhow::Result<Figure> {
    let (first, last) = (looks.first().context("a look")?, looks.last().context("a look")?);
    let points: Vec<_> = looks.iter().map(|look| (look.count, look.resident / MIB)).collect();
    let more = last.count - first.count;
    let detail = looks.iter().map(|look| {
        format!("{} identities: {} MiB", Plain(look.count), Plain(look.resident / MIB))
    });
    let detail: Vec<_> = detail.collect();
    let threads = (last.threads - first.threads) / more;
    Ok(Figure::new(
        "memory.identity",
        "what one more idle identity costs: its worker, its file, its view",
        Spread::once(slope(&points)),
    )
    .unit("MiB")
    .detail(format!("{}; {} threads each", detail.join(", "), Plain(threads))))
}

/// Makes calls in this process, and says what memory it took.
///
/// # Errors
/// When a call is not answered as it should be.
pub(crate) fn watch_calls(plan: Plan, halves: &Halves) -> anyhow::Result<String> {
    let site = Site::start(halves)?;
    let kinds = [shots::rest_metadata, shots::rest_read, shots::mcp_metadata, shots::mcp_read];
    let kinds: Vec<Shot> = kinds.iter().map(|kind| kind(&site)).collect();
    let (start, each) = (Instant::now(), (plan.calls / LOOKS / TOGETHER).max(1));
    let looks = run(&halves.load, async move {
        let mut looks: Vec<Look> = Vec::new();
        while looks.len() < LOOKS && start.elapsed() < plan.calls_limit {
            let mut calling = JoinSet::new();
            for number in 0..TOGETHER {
                let shot = kinds.get(number % kinds.len()).context("a kind")?.clone();
                calling.spawn(async move {
                    let mut connection = Connection::open(shot.to).await?;
                    for _ in 0..each {
                        connection.exchange(&shot).await?;
                    }
                    anyhow::Ok(())
                });
            }
            while let Some(ended) = calling.join_next().await {
                ended.context("a caller panicked")??;
            }
            looks.push(look((looks.len() + 1) * each * TOGETHER)?);
        }
        Ok(looks)
    })?;
    serde_json::to_string(&looks).context("what was seen")
}

/// Makes identities in this process, and says what memory they take.
///
/// # Errors
/// When one cannot be made.
pub(crate) fn watch_identities(plan: Plan, halves: &Halves) -> anyhow::Result<String> {
    let site = Site::start(halves)?;
    let counts = plan.pick(vec![5, 10, 20], vec![10, 50, 100, 150, 200]);
    let looks = run(&halves.load, async move {
        let (mut looks, mut made) = (Vec::new(), 0);
        for count in counts {
            while made < count {
                made += 1;
                Box::pin(awake(&site, made)).await?;
            }
            tokio::time::sleep(SETTLE).await;
            looks.push(look(count)?);
        }
        Ok(looks)
    })?;
    serde_json::to_string(&looks).context("what was seen")
}

/// Makes an identity, and wakes its worker with one call.
async fn awake(site: &Site, number: usize) -> anyhow::Result<()> {
    let world = &site.world;
    let body = json!({ "name": format!("idle{number}"), "owner": "ana" });
    let created = Box::pin(world.must(&world.operator, "POST", "/v1/identities", body)).await;
    let owner = created.get("owner_token").and_then(serde_json::Value::as_str);
    let owner = owner.context("an owner's token")?;
    Box::pin(world.must(owner, "GET", "/v1/catalogue", serde_json::Value::Null)).await;
    Ok(())
}

fn look(count: usize) -> anyhow::Result<Look> {
    let (resident, threads) = process::memory()?;
    Ok(Look { count: real(count), resident, threads })
}
