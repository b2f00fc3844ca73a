//! Owns what a call costs a caller who is in no hurry: latency at a fixed rate, beyond that of the same
//! call made directly to the upstream and recorded in one row.

use std::time::Duration;

use super::{Plan, gate};
use crate::insert::Inserts;
use crate::open::{self, Call, Rate};
use crate::pin::{Halves, run};
use crate::report::{Figure, Sides, Target};
use crate::shots;
use crate::site::Site;
use crate::stat::quantile;

/// Requests in a second.
const PER_SECOND: u32 = 1_000;

/// Measures it.
///
/// # Errors
/// When a call is not answered as it should be.
pub(crate) fn figures(plan: Plan, halves: &Halves, site: &Site) -> anyhow::Result<Vec<Figure>> {
    let path = site.world.dir.path().join("rows-added.db");
    let inserts = run(&halves.serve, async move { Inserts::start(&path).await })?;
    let ours = Call::Plain(shots::rest_read(site));
    let row = "x".repeat(gate::ENTRY_BYTES);
    let base = Call::Recorded(shots::direct(site.upstream), inserts, row);
    let rate = Rate {
        every: Duration::from_secs(1) / PER_SECOND,
        requests: plan.pick(1, 2) * PER_SECOND,
        connections: 64,
        cpus: halves.calling.clone(),
    };
    let rounds = plan.pick(3, 15);
    let (half, most) = run(&halves.load, async move {
        let (mut half, mut most) = (Sides::default(), Sides::default());
        for _ in 0..rounds {
            let one = open::round(&ours, &rate).await?;
            let other = open::round(&base, &rate).await?;
            half.push(quantile(&one, 0.5), quantile(&other, 0.5));
            most.push(quantile(&one, 0.99), quantile(&other, 0.99));
        }
        Ok((half, most))
    })?;
    let figure = |name, which, sides: &Sides, target| {
        let what = format!(
            "added {which} of a declared `http` read at {PER_SECOND} requests/s, over the direct call \
             and one insert"
        );
        Figure::new(name, &what, sides.spread(|ours, base| ours - base))
            .unit("ms")
            .target(Target::AtMost(target))
            .detail(sides.said("ms"))
    };
    Ok(vec![figure("added.p50", "p50", &half, 0.3), figure("added.p99", "p99", &most, 1.5)])
}
