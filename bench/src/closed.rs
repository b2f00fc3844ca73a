//! Owns the closed loop: so many connections, each of which sends its next request when the answer to
//! the one before is there. Invariant: ours and its baseline take turns, so that what else the machine
//! does falls on both.

use std::time::{Duration, Instant};

use anyhow::Context;
use tokio::task::JoinSet;

use crate::client::{Connection, Shot};
use crate::process;
use crate::report::Sides;
use crate::stat::real;

/// How long each connection is used before it is counted.
const WARM_UP: u32 = 8;

/// How a loop is run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Loop {
    /// How many connections.
    pub(crate) connections: usize,
    /// How many rounds, of ours and of the baseline each.
    pub(crate) rounds: usize,
    /// How long one round lasts.
    pub(crate) lasts: Duration,
}

/// What one round came to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Round {
    /// Calls in a second.
    pub(crate) per_second: f64,
    /// Processor time of the serving threads for one call, in microseconds.
    pub(crate) served_us: f64,
}

/// Runs both in turn.
///
/// # Errors
/// When one of them does not answer as it should.
pub(crate) async fn duel(ours: Shot, base: Shot, how: Loop) -> anyhow::Result<Sides> {
    let mut sides = Sides::default();
    for at in 0..how.rounds {
        // Whoever goes first may find the machine in another state: they take turns in that too.
        let (first, second) = if at % 2 == 0 { (&ours, &base) } else { (&base, &ours) };
        let one = round(first, how).await?;
        let other = round(second, how).await?;
        let (ours, base) = if at % 2 == 0 { (one, other) } else { (other, one) };
        sides.push(ours.per_second, base.per_second);
        sides.push_time(ours.served_us, base.served_us);
    }
    Ok(sides)
}

/// One round of one request.
///
/// # Errors
/// When it is not answered as it should be.
pub(crate) async fn round(shot: &Shot, how: Loop) -> anyhow::Result<Round> {
    let mut open = Vec::with_capacity(how.connections);
    for _ in 0..how.connections {
        open.push(Connection::open(shot.to).await?);
    }
    let mut warming = JoinSet::new();
    for mut connection in open {
        let shot = shot.clone();
        warming.spawn(async move {
            for _ in 0..WARM_UP {
                connection.exchange(&shot).await?;
            }
            anyhow::Ok((connection, shot))
        });
    }
    let warm = warming.join_all().await.into_iter().collect::<Result<Vec<_>, _>>()?;
    let served = process::served_s()?;
    let start = Instant::now();
    let end = start + how.lasts;
    let mut calling = JoinSet::new();
    for (mut connection, shot) in warm {
        calling.spawn(async move {
            let mut calls = 0_usize;
            while Instant::now() < end {
                connection.exchange(&shot).await?;
                calls += 1;
            }
            anyhow::Ok(calls)
        });
    }
    let mut calls = 0;
    while let Some(ended) = calling.join_next().await {
        calls += ended.context("a caller panicked")??;
    }
    let took_s = start.elapsed().as_secs_f64();
    let served = process::served_s()? - served;
    Ok(Round { per_second: real(calls) / took_s, served_us: served * 1e6 / real(calls) })
}
