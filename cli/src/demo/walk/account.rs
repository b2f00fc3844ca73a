//! Steps 8 and 9: what happened can be proved with no server, and is counted.

use std::time::{Duration, Instant};

use anyhow::bail;
use data_plane::ledger::verify::{Pins, verify};
use serde_json::{Value, json};

use super::super::show::say;
use super::{Walk, number, text};

/// More parts than the demo's ledger has.
const PARTS_MAX: usize = 200;
/// How long the counts may take to be there.
const COUNTED_WITHIN: Duration = Duration::from_secs(15);
/// How often they are asked for.
const ASKED_EVERY: Duration = Duration::from_millis(250);

pub(super) async fn ledger(walk: &mut Walk<'_>) -> anyhow::Result<()> {
    walk.page.step("ana exports the ledger, and it is verified with no server and no network.");
    let mut export = String::new();
    let mut cursor = Value::Null;
    let mut parts = 0;
    loop {
        let input = if cursor.is_null() { json!({}) } else { json!({ "cursor": cursor }) };
        let part = walk.world.ana.api.done("ledger.export", input).await?;
        export.push_str(text(&part, "/text"));
        parts += 1;
        cursor = part.get("cursor").cloned().unwrap_or_default();
        if cursor.is_null() {
            break;
        }
        if parts == PARTS_MAX {
            bail!("the export does not end");
        }
    }
    let file = walk.dir.join("acme-ledger.jsonl");
    std::fs::write(&file, &export)?;
    say(&format!("{} bytes: {}", export.len(), file.display()));
    say(&format!("Check it yourself: bailiwick ledger verify {}", file.display()));
    let verified = verify(export.as_bytes(), &Pins::default());
    let report = verified.as_ref().map(|report| json!(report)).unwrap_or_default();
    walk.page.answer("bailiwick ledger verify", &report);
    walk.page.check(
        number(&report, "/entries") > 0 && !text(&report, "/root").is_empty(),
        &format!(
            "the chain, the tree and the signatures over {} entries hold",
            number(&report, "/entries")
        ),
        verified.err().map(|error| format!("{error}: {:?}", error.reason)).unwrap_or_default(),
    );
    walk.page.check(
        !export.contains("lena.brandt") && !export.contains(super::super::upstream::INVOICE),
        "it holds no arguments and no payloads",
        "a value that was sent or answered",
    );

    let tampered = export.replacen("\"block\"", "\"allow\"", 1);
    let caught = verify(tampered.as_bytes(), &Pins::default()).err();
    walk.page.check(
        tampered != export && caught.is_some(),
        "one ruling changed from block to allow is caught",
        "an export that verifies",
    );
    let mut flipped = export.into_bytes();
    let middle = flipped.len() / 2;
    if let Some(byte) = flipped.get_mut(middle) {
        *byte ^= 1;
    }
    let caught = verify(&*flipped, &Pins::default()).err();
    let said = caught.as_ref().map(|error| format!(": {error}")).unwrap_or_default();
    walk.page.check(
        caught.is_some(),
        &format!("one bit changed in the middle is caught{said}"),
        "an export that verifies",
    );
    Ok(())
}

pub(super) async fn usage(walk: &mut Walk<'_>) -> anyhow::Result<()> {
    walk.page.step("ana asks what was used, by project.");
    let asked = Instant::now();
    let wanted = ["acme/shop", "acme/shop/checkout", "acme/shop/returns"];
    loop {
        let input = json!({ "group_by": ["scope"] });
        let figures = walk.world.ana.api.done("usage.query", input).await?;
        let rows = figures.get("rows").and_then(Value::as_array).cloned().unwrap_or_default();
        let row = |scope: &str| rows.iter().find(|row| text(row, "/scope") == scope);
        let counted = |scope: &str| row(scope).is_some_and(|row| number(row, "/calls") > 0);
        // The two that a revoked grant and a neighbour brought about were refused there.
        let refused = row("acme/shop/checkout").map_or(0, |row| number(row, "/refused"));
        let all = wanted.iter().all(|scope| counted(scope)) && refused >= 3;
        if !all && asked.elapsed() < COUNTED_WITHIN {
            tokio::time::sleep(ASKED_EVERY).await;
            continue;
        }
        for row in &rows {
            say(&format!(
                "{:20} {:>4} calls  {:>3} refused or held  {:>8} bytes sent  {:>8} bytes kept",
                text(row, "/scope"),
                number(row, "/calls"),
                number(row, "/refused"),
                number(row, "/bytes_sent"),
                number(row, "/bytes_stored"),
            ));
        }
        walk.page.check(
            all,
            "each project's calls are counted, and what was refused there",
            &figures,
        );
        return Ok(());
    }
}
