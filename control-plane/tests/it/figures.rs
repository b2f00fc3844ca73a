//! `usage.query`: figures by whatever is asked, of what may be seen, and never over-counted.

use contract::{Code, Effect, Timestamp};
use serde_json::{Value, json};
use tenancy::plane::{Answered, ToControl, Total};

use crate::world::{Tenant, World, name, text};

const HOUR_MS: i64 = 60 * 60 * 1000;
const DIMENSIONS: [&str; 5] = ["hour", "scope", "principal", "address", "effect"];

fn at(text: &str) -> Timestamp {
    text.parse().expect("a time")
}

/// Totals of two incarnations over three hours, three scopes, two principals, three addresses.
fn totals(acme: &Tenant) -> Vec<Total> {
    let mut totals = Vec::new();
    for n in 0..36_u32 {
        let (scope, address, effect) = [
            ("acme/shop", "shop/tickets.ticket.get", Effect::Read),
            ("acme/shop/returns", "shop/returns/parcels.parcel.track", Effect::Read),
            ("acme/shopping", "shopping/tickets.ticket.close", Effect::Write),
        ][n as usize % 3];
        let principal = if n % 2 == 0 { &acme.bot } else { &acme.owner_id };
        let hour = at("2026-11-30T12:00:00Z").plus_ms(-HOUR_MS * i64::from(n / 12));
        totals.push(Total {
            hour,
            scope: scope.parse().expect("a scope"),
            principal: principal.parse().expect("an id"),
            address: address.parse().expect("an address"),
            effect,
            incarnation: u64::from(n / 6 % 2),
            calls: u64::from(n) + 1,
            refused: u64::from(n % 4),
            bytes_sent: 10 * u64::from(n),
            bytes_stored: 100 * u64::from(n),
        });
    }
    totals
}

impl World {
    async fn tell_of(&self, totals: &[Total], fresh_until: Timestamp) {
        let epoch = self.hold("acme", "n1").await.epoch;
        let (identity, totals) = (name("acme"), totals.to_vec());
        let message = ToControl::Usage { identity, epoch, totals, fresh_until };
        assert!(matches!(self.ask(message).await, Answered::Done));
        self.hand_back("acme", epoch).await;
    }

    async fn rows_of(&self, token: &str, input: Value) -> Vec<Value> {
        let figures = self.done(token, "usage.query", input).await;
        figures["rows"].as_array().expect("rows").clone()
    }
}

fn sum(rows: &[Value], member: &str) -> u64 {
    rows.iter().map(|row| row[member].as_u64().expect("a number")).sum()
}

#[tokio::test]
async fn every_way_of_grouping_counts_the_same() {
    let (world, acme, _) = World::full().await;
    let told = totals(&acme);
    world.tell_of(&told, at("2026-11-30T12:01:30Z")).await;
    // Told again, it is the same.
    world.tell_of(&told, at("2026-11-30T12:01:30Z")).await;
    let all = |member: fn(&Total) -> u64| told.iter().map(member).sum::<u64>();
    for mask in 0..32_u32 {
        let by: Vec<_> =
            (0..5).filter(|bit| mask & (1 << bit) != 0).map(|bit| DIMENSIONS[bit]).collect();
        let rows = world.rows_of(&acme.owner, json!({ "group_by": by })).await;
        assert_eq!(sum(&rows, "calls"), all(|total| total.calls), "{by:?}");
        assert_eq!(sum(&rows, "refused"), all(|total| total.refused), "{by:?}");
        assert_eq!(sum(&rows, "bytes_sent"), all(|total| total.bytes_sent), "{by:?}");
        assert_eq!(sum(&rows, "bytes_stored"), all(|total| total.bytes_stored), "{by:?}");
        let keys: std::collections::BTreeSet<String> = rows
            .iter()
            .map(|row| {
                for dimension in DIMENSIONS {
                    assert_eq!(row.get(dimension).is_some(), by.contains(&dimension), "{row}");
                }
                by.iter().map(|dimension| row[*dimension].to_string()).collect()
            })
            .collect();
        assert_eq!(keys.len(), rows.len(), "each row once, by {by:?}");
        let calls: Vec<_> = rows.iter().map(|row| row["calls"].as_u64()).collect();
        assert!(calls.is_sorted_by(|a, b| a >= b), "most calls first, by {by:?}");
    }
    let figures = world.done(&acme.owner, "usage.query", json!({})).await;
    assert_eq!(figures["fresh_until"], json!("2026-11-30T12:01:30Z"));
    assert_eq!(figures["truncated"], json!(false));
}

#[tokio::test]
async fn figures_are_of_the_span_the_scope_and_the_principal_asked_for() {
    let (world, acme, _) = World::full().await;
    let told = totals(&acme);
    world.tell_of(&told, at("2026-11-30T12:01:00Z")).await;
    let count = |wanted: &dyn Fn(&Total) -> bool| {
        told.iter().filter(|total| wanted(total)).map(|total| total.calls).sum::<u64>()
    };
    let noon = at("2026-11-30T12:00:00Z");
    let before = at("2026-11-30T11:00:00Z");
    for (input, expected) in [
        // The hour in which it begins is counted whole.
        (json!({ "from": "2026-11-30T11:59:59Z" }), count(&|total| total.hour >= before)),
        (json!({ "to": "2026-11-30T12:00:00Z" }), count(&|total| total.hour < noon)),
        (json!({ "from": "2026-11-30T12:00:59Z" }), count(&|total| total.hour >= noon)),
        (json!({ "from": "2026-11-01T00:00:00Z", "to": "2026-11-02T00:00:00Z" }), 0),
        // By segment: `acme/shopping` is no part of `acme/shop`.
        (json!({ "scope": "acme/shop" }), count(&|total| total.scope.as_str() != "acme/shopping")),
        (
            json!({ "scope": "acme/shop/returns" }),
            count(&|total| total.scope.as_str() == "acme/shop/returns"),
        ),
        (json!({ "principal": acme.bot }), count(&|total| total.principal.to_string() == acme.bot)),
    ] {
        let rows = world.rows_of(&acme.owner, input.clone()).await;
        assert_eq!((rows.len(), sum(&rows, "calls")), (1, expected), "{input}");
    }
    world.clock.pass(24 * 60 * 60 * 1000 - 60_000);
    let rows = world.rows_of(&acme.owner, json!({})).await;
    let day = count(&|total| total.hour >= noon);
    assert_eq!(sum(&rows, "calls"), day, "a day back, if nothing is said");
    let none = json!({ "group_by": ["hour"], "scope": "acme/shop/checkout" });
    assert!(world.rows_of(&acme.owner, none).await.is_empty());
    for (input, field) in [
        (json!({ "from": "2027-01-01T00:00:00Z" }), "from"),
        (json!({ "to": "2026-11-01T00:00:00Z" }), "to"),
        (json!({ "from": "2026-11-02T00:00:00Z", "to": "2026-11-02T00:00:00Z" }), "from"),
        (json!({ "group_by": ["colour"] }), "group_by.0"),
    ] {
        let refusal = world.refused(&acme.owner, "usage.query", input.clone()).await;
        assert_eq!(refusal.code, Code::InvalidInput);
        assert_eq!(refusal.field.as_deref(), Some(field), "{input}");
    }
}

#[tokio::test]
async fn figures_are_seen_where_usage_may_be_read() {
    let (world, acme, globex) = World::full().await;
    world.tell_of(&totals(&acme), at("2026-11-30T12:01:00Z")).await;
    let billing = world.caller(&acme.owner, "user", "billing", "acme/shop/returns").await;
    let refusal = world.refused(&billing, "usage.query", json!({})).await;
    assert_eq!((refusal.code, refusal.field.as_deref()), (Code::NotGranted, Some("scope")));
    assert!(refusal.fix.contains("`scope`"));
    for scope in ["acme/shop", "acme/shop/checkout", "globex", "acme/nowhere"] {
        let input = json!({ "scope": scope });
        let other = world.refused(&billing, "usage.query", input).await;
        assert_eq!(
            (other.code, &other.say, &other.fix),
            (refusal.code, &refusal.say, &refusal.fix)
        );
    }
    let input = json!({ "scope": "acme/shop/returns", "group_by": ["scope"] });
    let rows = world.rows_of(&billing, input).await;
    assert_eq!(rows.len(), 1);
    assert_eq!(text(&rows[0], "scope"), "acme/shop/returns");
    let member = world.caller(&acme.owner, "user", "member", "acme").await;
    world.refused_as(&member, "usage.query", json!({}), Code::NotGranted).await;
    let narrowed = json!({ "scope": "acme/shop" });
    let narrowed = text(&world.done(&acme.owner, "token.narrow", narrowed).await, "secret");
    let refusal = world.refused(&narrowed, "usage.query", json!({})).await;
    assert_eq!((refusal.code, refusal.field.as_deref()), (Code::Narrowed, Some("scope")));
    let theirs = world.rows_of(&globex.owner, json!({})).await;
    assert_eq!(sum(&theirs, "calls"), 0, "the neighbour's figures are the neighbour's");
}

#[tokio::test]
async fn more_than_a_thousand_rows_are_cut_and_said_to_be() {
    let (world, acme, _) = World::full().await;
    let template = totals(&acme).remove(0);
    let many: Vec<_> = (0..1_001_u64)
        .map(|n| Total {
            address: format!("shop/tickets.t{n}").parse().expect("an address"),
            calls: n + 1,
            ..template.clone()
        })
        .collect();
    world.tell_of(&many[..1_000], at("2026-11-30T12:01:00Z")).await;
    let by = json!({ "group_by": ["address"] });
    let figures = world.done(&acme.owner, "usage.query", by.clone()).await;
    assert_eq!(figures["truncated"], json!(false));
    assert_eq!(figures["rows"].as_array().map(Vec::len), Some(1_000));
    world.tell_of(&many[1_000..], at("2026-11-30T12:01:00Z")).await;
    let figures = world.done(&acme.owner, "usage.query", by).await;
    assert_eq!(figures["truncated"], json!(true));
    let rows = figures["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 1_000);
    assert_eq!(rows[0]["calls"], json!(1_001));
    assert_eq!(rows[999]["calls"], json!(2), "the least is left out");
}
