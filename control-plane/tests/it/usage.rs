//! Usage totals: merged by maximum, from the holder only.

use contract::{Effect, Timestamp};
use sqlx::Row as _;
use tenancy::plane::{Answered, ToControl, Total};

use crate::world::{BEGIN, Tenant, World, name};

fn total(acme: &Tenant, incarnation: u64, calls: u64) -> Total {
    Total {
        hour: BEGIN.parse().expect("a time"),
        scope: "acme/shop".parse().expect("a scope"),
        principal: acme.bot.parse().expect("an id"),
        address: "shop/tickets.ticket.get".parse().expect("an address"),
        effect: Effect::Read,
        incarnation,
        calls,
        refused: 1,
        bytes_sent: 10,
        bytes_stored: 20,
    }
}

impl World {
    async fn tell(&self, epoch: u64, totals: Vec<Total>, fresh_until: Timestamp) -> Answered {
        let identity = name("acme");
        self.ask(ToControl::Usage { identity, epoch, totals, fresh_until }).await
    }

    async fn calls(&self) -> Vec<(i64, i64)> {
        let pool = self.database().await;
        let sql = "SELECT incarnation, calls FROM usage ORDER BY incarnation";
        let rows = sqlx::query(sql).fetch_all(&pool).await.expect("reads");
        pool.close().await;
        rows.iter().map(|row| (row.get("incarnation"), row.get("calls"))).collect()
    }
}

#[tokio::test]
async fn a_total_only_grows_however_often_it_is_told() {
    let (world, acme, globex) = World::full().await;
    let now = BEGIN.parse().expect("a time");
    let epoch = world.hold("acme", "n1").await.epoch;
    for calls in [3, 7, 5, 7] {
        assert!(matches!(
            world.tell(epoch, vec![total(&acme, 1, calls)], now).await,
            Answered::Done
        ));
    }
    assert!(matches!(world.tell(epoch, vec![total(&acme, 2, 4)], now).await, Answered::Done));
    assert_eq!(world.calls().await, [(1, 7), (2, 4)]);
    let mut foreign = total(&globex, 1, 9);
    foreign.scope = "globex/shop".parse().expect("a scope");
    let both = vec![total(&acme, 1, 9), foreign];
    assert!(matches!(world.tell(epoch, both, now).await, Answered::Denied(_)));
    let stale = world.tell(epoch - 1, vec![total(&acme, 1, 9)], now).await;
    assert!(matches!(stale, Answered::Denied(_)));
    assert_eq!(world.calls().await, [(1, 7), (2, 4)]);
}
