use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use sqlx::Row;
use tempfile::TempDir;
use uuid::Uuid;

use super::*;

/// What is left of "Quillfeather" in the payload, in the passage and as a stem in the index. It
/// occurs in no schema and no library.
const WORD: &str = "quillf";

fn identity(n: u128) -> Id<Identity> {
    Id::new(Uuid::from_u128(n))
}

async fn opened(dir: &TempDir, n: u128) -> Namespace {
    Namespace::open(dir.path(), identity(n)).await.unwrap()
}

/// Runs statements in one transaction of the first epoch.
async fn write(namespace: &Namespace, sql: &'static str) -> Result<(), sqlx::Error> {
    let writer = namespace.writer(1).await.unwrap();
    let mut transaction = writer.begin().await.unwrap();
    sqlx::raw_sql(sql).execute(&mut *transaction).await?;
    transaction.commit().await
}

async fn count(namespace: &Namespace, sql: &'static str) -> i64 {
    sqlx::query_scalar(sql).fetch_one(namespace.readers()).await.unwrap()
}

fn raw_file_holds(path: &Path, word: &str) -> bool {
    ["", "-wal"].iter().any(|ending| {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        fs::read(name)
            .unwrap_or_default()
            .windows(word.len())
            .any(|at| at.eq_ignore_ascii_case(word.as_bytes()))
    })
}

const ADD_CONTENT: &str = "
    INSERT INTO content (id, scope, principal, address, media_type, bytes, digest, created_ms)
    VALUES ('content_1', 'acme', 'principal_1', 'billing/list', 'text/plain', 40, zeroblob(32), 5);
    INSERT INTO content_payload (content, salt, summary, payload)
    VALUES ('content_1', zeroblob(16), 'a letter by Quillfeather', CAST('by Quillfeather' AS BLOB));
    INSERT INTO content_chunk (content, ordinal, start, bytes, masked)
    VALUES ('content_1', 0, 0, 15, 'The letters were signed by Quillfeather'),
           ('content_1', 1, 15, 15, 'Quillfeather again, in Zürich');
    INSERT INTO run (id, principal, scope, started_ms, mask_key)
    VALUES ('run_1', 'principal_1', 'acme', 5, zeroblob(32));
";

#[tokio::test]
async fn an_identity_never_seen_is_ready_and_reopening_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let namespace = opened(&dir, 1).await;
    assert_eq!(namespace.identity(), identity(1));
    write(&namespace, ADD_CONTENT).await.unwrap();
    let schema = "SELECT sum(length(sql)) FROM sqlite_schema";
    let before = count(&namespace, schema).await;
    namespace.close().await;
    for _ in 0..3 {
        let namespace = opened(&dir, 1).await;
        assert_eq!(count(&namespace, schema).await, before);
        assert_eq!(count(&namespace, "SELECT count(*) FROM content").await, 1);
        namespace.close().await;
    }
}

#[tokio::test]
async fn the_file_is_closed_to_others() {
    let dir = tempfile::tempdir().unwrap();
    let namespace = opened(&dir, 1).await;
    write(&namespace, ADD_CONTENT).await.unwrap();
    let mut modes = BTreeMap::new();
    for entry in fs::read_dir(dir.path().join(FOLDER)).unwrap() {
        let entry = entry.unwrap();
        let mode = entry.metadata().unwrap().permissions().mode() & 0o7777;
        modes.insert(entry.file_name().into_string().unwrap(), mode);
    }
    let file = "00000000-0000-0000-0000-000000000001.db";
    let expected = ["", "-shm", "-wal"].map(|ending| (format!("{file}{ending}"), 0o600));
    assert_eq!(modes, BTreeMap::from(expected));
    let folder = fs::metadata(dir.path().join(FOLDER)).unwrap();
    assert_eq!(folder.permissions().mode() & 0o7777, 0o700);
}

#[tokio::test]
async fn the_file_of_another_identity_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    opened(&dir, 1).await.close().await;
    fs::rename(path(dir.path(), identity(1)), path(dir.path(), identity(2))).unwrap();
    let refused = Namespace::open(dir.path(), identity(2)).await.unwrap_err();
    let Error::File { source: sqlite::Error::Schema { source, .. }, .. } = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(
        source.to_string(),
        format!("its identity is \"{}\", not \"{}\"", identity(1), identity(2))
    );
    // It is untouched, and back in its place it opens.
    fs::rename(path(dir.path(), identity(2)), path(dir.path(), identity(1))).unwrap();
    opened(&dir, 1).await;
}

#[tokio::test]
async fn a_link_to_another_file_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    opened(&dir, 1).await.close().await;
    symlink(path(dir.path(), identity(1)), path(dir.path(), identity(2))).unwrap();
    let refused = Namespace::open(dir.path(), identity(2)).await;
    assert!(
        matches!(refused, Err(Error::File { source: sqlite::Error::Make { .. }, .. })),
        "{refused:?}"
    );
}

#[tokio::test]
async fn several_that_open_a_new_identity_at_once_all_get_it() {
    let dir = tempfile::tempdir().unwrap();
    let mut tasks = Vec::new();
    for _ in 0..6 {
        let dir = dir.path().to_owned();
        tasks.push(tokio::spawn(async move { Namespace::open(&dir, identity(1)).await }));
    }
    for task in tasks {
        task.await.unwrap().unwrap().writer(1).await.unwrap();
    }
}

#[tokio::test]
async fn two_identities_share_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (one, two) = (opened(&dir, 1).await, opened(&dir, 2).await);
    write(&one, ADD_CONTENT).await.unwrap();
    for table in [
        "SELECT count(*) FROM content",
        "SELECT count(*) FROM run",
        "SELECT count(*) FROM content_fts WHERE content_fts MATCH 'quillfeather'",
    ] {
        assert!(count(&one, table).await > 0, "{table}");
        assert_eq!(count(&two, table).await, 0, "{table}");
    }
    assert_eq!(count(&two, "SELECT epoch FROM ledger_head").await, 0);
    assert!(!raw_file_holds(&path(dir.path(), identity(2)), WORD));
}

#[tokio::test]
async fn erasing_the_payload_takes_every_word_out_of_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let namespace = opened(&dir, 1).await;
    let file = path(dir.path(), identity(1));
    write(&namespace, ADD_CONTENT).await.unwrap();
    namespace.empty_log().await.unwrap();
    assert!(raw_file_holds(&file, WORD), "the test could not see it");
    let found = "SELECT count(*) FROM content_fts WHERE content_fts MATCH '\"quillfeather\"'";
    assert_eq!(count(&namespace, found).await, 2);

    write(&namespace, "DELETE FROM content_payload WHERE content = 'content_1'").await.unwrap();
    namespace.empty_log().await.unwrap();
    assert!(!raw_file_holds(&file, WORD));
    assert_eq!(count(&namespace, found).await, 0);
    assert_eq!(count(&namespace, "SELECT count(*) FROM content_chunk").await, 0);
    // The tombstone stays, and the index is whole.
    assert_eq!(count(&namespace, "SELECT count(*) FROM content").await, 1);
    let check = "INSERT INTO content_fts (content_fts, rank) VALUES ('integrity-check', 1)";
    write(&namespace, check).await.unwrap();
    namespace.close().await;
    assert!(!raw_file_holds(&file, WORD));
}

#[tokio::test]
async fn erasure_holds_among_many_others() {
    let dir = tempfile::tempdir().unwrap();
    let namespace = opened(&dir, 1).await;
    write(&namespace, ADD_CONTENT).await.unwrap();
    let others = "
        WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
        INSERT INTO content (id, scope, principal, address, media_type, bytes, digest, created_ms)
        SELECT 'content_' || i, 'acme', 'p', 'a', 'text/plain', 9, zeroblob(32), i FROM n;
        INSERT INTO content_payload (content, salt, payload)
        SELECT id, zeroblob(16), zeroblob(6000) FROM content WHERE id <> 'content_1';
        INSERT INTO content_chunk (content, ordinal, start, bytes, masked)
        SELECT id, 0, 0, 9, 'letter number ' || id || ' signed by somebody' FROM content
        WHERE id <> 'content_1';";
    write(&namespace, others).await.unwrap();
    // Merging moves words between the index's pages, and every copy must go.
    let merge = "INSERT INTO content_fts (content_fts) VALUES ('optimize')";
    write(&namespace, merge).await.unwrap();
    write(&namespace, "DELETE FROM content_payload WHERE content = 'content_1'").await.unwrap();
    namespace.empty_log().await.unwrap();
    assert!(!raw_file_holds(&path(dir.path(), identity(1)), WORD));
    let left = "SELECT count(*) FROM content_fts WHERE content_fts MATCH 'letters'";
    assert_eq!(count(&namespace, left).await, 399);
}

#[tokio::test]
async fn words_are_found_by_stem_and_without_accents() {
    let dir = tempfile::tempdir().unwrap();
    let namespace = opened(&dir, 1).await;
    write(&namespace, ADD_CONTENT).await.unwrap();
    for sql in [
        "SELECT count(*) FROM content_fts WHERE content_fts MATCH 'letter'",
        "SELECT count(*) FROM content_fts WHERE content_fts MATCH 'signing'",
        "SELECT count(*) FROM content_fts WHERE content_fts MATCH 'zurich'",
    ] {
        assert_eq!(count(&namespace, sql).await, 1, "{sql}");
    }
}

#[tokio::test]
async fn only_the_last_epoch_writes() {
    let dir = tempfile::tempdir().unwrap();
    // As two workers: each has the file open.
    let (first, second) = (opened(&dir, 1).await, opened(&dir, 1).await);
    let old = first.writer(7).await.unwrap();
    assert_eq!(old.epoch(), 7);
    drop(old.begin().await.unwrap());
    let new = second.writer(8).await.unwrap();
    let stale = old.begin().await.map(drop);
    assert!(matches!(stale, Err(Error::Stale { held: 7, current: 8 })), "{stale:?}");
    let stale = first.writer(7).await.map(drop);
    assert!(matches!(stale, Err(Error::Stale { held: 7, current: 8 })), "{stale:?}");
    new.begin().await.unwrap().commit().await.unwrap();
    second.writer(8).await.unwrap().begin().await.unwrap();
    let range = first.writer(u64::MAX).await.map(drop);
    assert!(matches!(range, Err(Error::Range { .. })), "{range:?}");
    assert_eq!(count(&first, "SELECT epoch FROM ledger_head").await, 8);
}

#[tokio::test]
async fn a_hand_over_waits_for_the_transaction_that_is_open() {
    let dir = tempfile::tempdir().unwrap();
    let (first, second) = (opened(&dir, 1).await, opened(&dir, 1).await);
    let old = first.writer(1).await.unwrap();
    // Nothing is written yet: what was compared must hold all the same.
    let mut transaction = old.begin().await.unwrap();
    let hand_over =
        tokio::spawn(async move { second.writer(2).await.map(|writer| writer.epoch()) });
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    assert!(!hand_over.is_finished());
    sqlx::query("INSERT INTO meta (key, value) VALUES ('k', 'v')")
        .execute(&mut *transaction)
        .await
        .unwrap();
    transaction.commit().await.unwrap();
    assert_eq!(hand_over.await.unwrap().unwrap(), 2);
    assert!(matches!(old.begin().await, Err(Error::Stale { .. })));
}

#[tokio::test]
async fn a_dropped_transaction_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let namespace = opened(&dir, 1).await;
    let writer = namespace.writer(1).await.unwrap();
    let mut transaction = writer.begin().await.unwrap();
    sqlx::raw_sql(ADD_CONTENT).execute(&mut *transaction).await.unwrap();
    drop(transaction);
    assert_eq!(count(&namespace, "SELECT count(*) FROM content").await, 0);
    writer.begin().await.unwrap();
}

#[tokio::test]
async fn an_occupied_log_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    let mut namespace = opened(&dir, 1).await;
    let options = sqlite::Options { busy_timeout_ms: 50, ..sqlite::Options::default() };
    let file = path(dir.path(), identity(1));
    namespace.file = sqlite::open(&file, &SCHEMA, &[], &options).await.unwrap();
    let mut reader = namespace.readers().begin().await.unwrap();
    sqlx::query("SELECT count(*) FROM content").fetch_one(&mut *reader).await.unwrap();
    write(&namespace, ADD_CONTENT).await.unwrap();
    assert!(matches!(namespace.empty_log().await, Err(Error::LogInUse)));
    drop(reader);
    namespace.empty_log().await.unwrap();
}

#[tokio::test]
async fn the_store_keeps_what_only_grows() {
    let dir = tempfile::tempdir().unwrap();
    let namespace = opened(&dir, 1).await;
    let seed = "
        INSERT INTO ledger (seq, at_ms, kind, prev, hash, body)
        VALUES (0, 5, 'start', zeroblob(32), zeroblob(32), '{}');
        UPDATE ledger_head SET next_seq = 1, head = zeroblob(32), frontier = zeroblob(40);
        INSERT INTO run (id, principal, scope, labels, is_default, started_ms, mask_key)
        VALUES ('run_1', 'p', 'acme', 3, 1, 5, zeroblob(32));";
    write(&namespace, seed).await.unwrap();
    for refused in [
        "UPDATE ledger SET body = 'x'",
        "DELETE FROM ledger",
        "INSERT INTO ledger SELECT * FROM ledger",
        "UPDATE ledger_head SET epoch = 0",
        "UPDATE ledger_head SET next_seq = 0, head = NULL, frontier = NULL",
        "DELETE FROM ledger_head",
        "INSERT INTO ledger_head VALUES (2, 0, NULL, NULL, 0)",
        "UPDATE run SET labels = 1",
        "UPDATE run SET labels = 4",
        // A second open default run of one principal.
        "INSERT INTO run (id, principal, scope, is_default, started_ms, mask_key)
         VALUES ('run_2', 'p', 'acme', 1, 6, zeroblob(32))",
        "INSERT INTO outbox_folded VALUES (1, 99)",
        "INSERT INTO meta VALUES ('identity', 'identity_x')",
    ] {
        assert!(write(&namespace, refused).await.is_err(), "{refused}");
    }
    for taken in [
        "UPDATE run SET labels = labels | 4",
        "UPDATE run SET ended_ms = 9",
        "INSERT INTO run (id, principal, scope, is_default, started_ms, mask_key)
         VALUES ('run_2', 'p', 'acme', 1, 6, zeroblob(32))",
        "INSERT INTO outbox_folded VALUES (1, 0)",
    ] {
        write(&namespace, taken).await.unwrap();
    }
}

#[tokio::test]
async fn ledger_filters_use_their_index() {
    let dir = tempfile::tempdir().unwrap();
    let namespace = opened(&dir, 1).await;
    for (column, sql) in [
        (
            "kind",
            "EXPLAIN QUERY PLAN SELECT body FROM ledger WHERE kind = $1 AND seq < $2
                  ORDER BY seq DESC LIMIT 50",
        ),
        (
            "run",
            "EXPLAIN QUERY PLAN SELECT body FROM ledger WHERE run = $1 AND seq < $2
                 ORDER BY seq DESC LIMIT 50",
        ),
        (
            "principal",
            "EXPLAIN QUERY PLAN SELECT body FROM ledger WHERE principal = $1 AND seq < $2
                       ORDER BY seq DESC LIMIT 50",
        ),
        (
            "scope",
            "EXPLAIN QUERY PLAN SELECT body FROM ledger WHERE scope = $1 AND seq < $2
                   ORDER BY seq DESC LIMIT 50",
        ),
        (
            "address",
            "EXPLAIN QUERY PLAN SELECT body FROM ledger WHERE address = $1 AND seq < $2
                     ORDER BY seq DESC LIMIT 50",
        ),
        ("ruling", "EXPLAIN QUERY PLAN SELECT body FROM ledger WHERE ruling = $1"),
        ("decision", "EXPLAIN QUERY PLAN SELECT body FROM ledger WHERE decision = $1"),
    ] {
        let plan = sqlx::query(sql).bind("x").bind(9_i64).fetch_all(namespace.readers()).await;
        let plan: Vec<String> = plan.unwrap().iter().map(|row| row.get("detail")).collect();
        let plan = plan.join("; ");
        assert!(plan.contains(&format!("USING INDEX ledger_{column}")), "{column}: {plan}");
        assert!(!plan.contains("TEMP B-TREE"), "{column}: {plan}");
    }
}

#[tokio::test]
async fn the_tables_are_strict_and_few() {
    let dir = tempfile::tempdir().unwrap();
    let namespace = opened(&dir, 1).await;
    let loose = "SELECT count(*) FROM pragma_table_list
                 WHERE schema = 'main' AND type = 'table'
                   AND strict = 0 AND name NOT LIKE 'sqlite_%'";
    assert_eq!(count(&namespace, loose).await, 0);
    let tables = "SELECT count(*) FROM pragma_table_list
                  WHERE schema = 'main' AND type <> 'shadow' AND name NOT LIKE 'sqlite_%'";
    let tables = count(&namespace, tables).await;
    assert!((10..=20).contains(&tables), "{tables}");
}

#[test]
fn every_migration_is_listed_in_its_place() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../migrations/namespace/sqlite");
    let mut files: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    let listed: Vec<String> =
        SCHEMA.migrations.iter().map(|step| format!("{}.sql", step.name)).collect();
    assert_eq!(files, listed);
    for (place, step) in SCHEMA.migrations.iter().enumerate() {
        assert!(step.name.starts_with(&format!("{:04}_", place + 1)), "{}", step.name);
    }
}
