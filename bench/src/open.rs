//! Owns the open loop: requests are due at fixed moments, whether the ones before are answered or not.
//! Invariant: a latency counts from the moment at which the request was due, so that a server that stalls
//! is charged for every request that it kept waiting (coordinated omission).

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use rustix::thread::set_current_timer_slack;
use tokio::sync::Mutex;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;

use crate::client::{Connection, Shot};
use crate::insert::Inserts;
use crate::pin::{self, LOAD};

/// How requests fall due.
#[derive(Debug, Clone)]
pub(crate) struct Rate {
    /// Between two of them.
    pub(crate) every: Duration,
    /// How many.
    pub(crate) requests: u32,
    /// How many may be under way.
    pub(crate) connections: usize,
    /// Where the clock that says when they are due runs.
    pub(crate) cpus: Vec<usize>,
}

/// What one request is.
#[derive(Debug, Clone)]
pub(crate) enum Call {
    /// One exchange.
    Plain(Shot),
    /// One exchange and, after it, one row.
    Recorded(Shot, Inserts, String),
}

impl Call {
    fn shot(&self) -> &Shot {
        match self {
            Self::Plain(shot) | Self::Recorded(shot, ..) => shot,
        }
    }

    async fn make(&self, connection: &mut Connection) -> anyhow::Result<()> {
        connection.exchange(self.shot()).await?;
        match self {
            Self::Plain(_) => Ok(()),
            Self::Recorded(_, inserts, body) => inserts.insert(body.clone()).await,
        }
    }
}

/// Makes the requests of one round, and answers every latency in milliseconds, in ascending order.
///
/// # Errors
/// When one is not answered as it should be.
pub(crate) async fn round(call: &Call, rate: &Rate) -> anyhow::Result<Vec<f64>> {
    let (due, waiting) = unbounded_channel();
    let waiting = Arc::new(Mutex::new(waiting));
    let mut calling = JoinSet::new();
    for _ in 0..rate.connections {
        let mut connection = Connection::open(call.shot().to).await?;
        call.make(&mut connection).await?;
        calling.spawn(answer(connection, call.clone(), Arc::clone(&waiting)));
    }
    let rate = rate.clone();
    let clock = thread::Builder::new().name(LOAD.to_owned()).spawn(move || tick(&rate, &due));
    let mut latencies = Vec::new();
    while let Some(ended) = calling.join_next().await {
        latencies.extend(ended.context("a caller panicked")??);
    }
    drop(clock);
    latencies.sort_by(f64::total_cmp);
    Ok(latencies)
}

/// Says of each request when it is due, at that moment.
fn tick(rate: &Rate, due: &UnboundedSender<Instant>) {
    pin::stay(&rate.cpus);
    // The system may wake a thread up to 50 µs late, to save power, unless it is told otherwise.
    let _kept = set_current_timer_slack(std::num::NonZeroU64::new(1));
    let start = Instant::now() + rate.every;
    for number in 0..rate.requests {
        let at = start + rate.every * number;
        thread::sleep(at.saturating_duration_since(Instant::now()));
        if due.send(at).is_err() {
            return;
        }
    }
}

async fn answer(
    mut connection: Connection,
    call: Call,
    waiting: Arc<Mutex<UnboundedReceiver<Instant>>>,
) -> anyhow::Result<Vec<f64>> {
    let mut latencies = Vec::new();
    loop {
        let due = waiting.lock().await.recv().await;
        let Some(due) = due else { return Ok(latencies) };
        call.make(&mut connection).await?;
        latencies.push(due.elapsed().as_secs_f64() * 1e3);
    }
}
