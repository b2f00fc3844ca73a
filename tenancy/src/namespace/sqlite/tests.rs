use std::collections::BTreeMap;

use sqlx::Row;

use super::*;
use crate::namespace::migration::Migration;

const SCHEMA: Schema = Schema {
    application_id: 7,
    migrations: &[Migration { name: "0001_test", sql: "CREATE TABLE t (a TEXT) STRICT;" }],
};

async fn pragmas(connection: &mut SqliteConnection) -> BTreeMap<&'static str, String> {
    let mut values = BTreeMap::new();
    for (name, sql) in [
        ("busy_timeout", "PRAGMA busy_timeout"),
        ("cell_size_check", "PRAGMA cell_size_check"),
        ("foreign_keys", "PRAGMA foreign_keys"),
        ("journal_mode", "PRAGMA journal_mode"),
        ("query_only", "PRAGMA query_only"),
        ("secure_delete", "PRAGMA secure_delete"),
        ("synchronous", "PRAGMA synchronous"),
        ("temp_store", "PRAGMA temp_store"),
        ("trusted_schema", "PRAGMA trusted_schema"),
    ] {
        let row = sqlx::query(sql).fetch_one(&mut *connection).await.unwrap();
        let value = row.try_get::<i64, _>(0).map(|value| value.to_string());
        values.insert(name, value.unwrap_or_else(|_| row.get(0)));
    }
    // A build without mapped memory answers with no row.
    let mapped = sqlx::query_scalar::<_, i64>("PRAGMA mmap_size").fetch_optional(&mut *connection);
    values.insert("mmap_size", mapped.await.unwrap().unwrap_or_default().to_string());
    values
}

fn expected(writer: bool) -> BTreeMap<&'static str, String> {
    [
        ("busy_timeout", "1234"),
        ("cell_size_check", "1"),
        ("foreign_keys", "1"),
        ("journal_mode", "wal"),
        ("mmap_size", "0"),
        ("query_only", if writer { "0" } else { "1" }),
        ("secure_delete", "1"),
        ("synchronous", "2"),
        ("temp_store", "2"),
        ("trusted_schema", "0"),
    ]
    .map(|(name, value)| (name, value.to_owned()))
    .into()
}

#[tokio::test]
async fn every_connection_has_its_settings() {
    let dir = tempfile::tempdir().unwrap();
    let options = Options { readers: 3, busy_timeout_ms: 1_234, acquire_timeout_ms: 200 };
    let file = open(&dir.path().join("t.db"), &SCHEMA, &[], &options).await.unwrap();
    let mut writer = file.writer.acquire().await.unwrap();
    assert_eq!(pragmas(&mut writer).await, expected(true));
    assert!(file.writer.acquire().await.is_err(), "a second writer");
    let mut readers = Vec::new();
    for _ in 0..3 {
        let mut reader = file.readers.acquire().await.unwrap();
        assert_eq!(pragmas(&mut reader).await, expected(false));
        readers.push(reader);
    }
    assert!(file.readers.acquire().await.is_err(), "a fourth reader");
    // A connection that is made anew, after one was lost, has them too.
    writer.close().await.unwrap();
    let mut writer = file.writer.acquire().await.unwrap();
    assert_eq!(pragmas(&mut writer).await, expected(true));
}

#[tokio::test]
async fn a_reader_cannot_write_whatever_it_says() {
    let dir = tempfile::tempdir().unwrap();
    let file = open(&dir.path().join("t.db"), &SCHEMA, &[], &Options::default()).await.unwrap();
    let mut reader = file.readers.acquire().await.unwrap();
    sqlx::query("PRAGMA query_only = OFF").execute(&mut *reader).await.unwrap();
    for sql in ["INSERT INTO t VALUES ('x')", "CREATE TABLE u (a)", "PRAGMA user_version = 9"] {
        assert!(sqlx::query(sql).execute(&mut *reader).await.is_err(), "{sql}");
    }
}

#[tokio::test]
async fn no_extension_can_be_loaded() {
    let dir = tempfile::tempdir().unwrap();
    let file = open(&dir.path().join("t.db"), &SCHEMA, &[], &Options::default()).await.unwrap();
    let loaded = sqlx::query("SELECT load_extension('x')").fetch_all(&file.writer).await;
    assert!(loaded.unwrap_err().to_string().contains("not authorized"));
}

#[tokio::test]
async fn the_library_is_new_enough() {
    assert_sqlite_version().await.unwrap();
    for good in ["3.51.3", "3.51.10", "3.52.0", "4.0.0", "3.51.3.1"] {
        assert!(check_version(good).is_ok(), "{good}");
    }
    for bad in ["3.51.2", "3.50.9", "3.9.9", "2.99.99", "3.51", "", "x", "3.51.x", "-3.51.3"] {
        assert!(matches!(check_version(bad), Err(Error::Version { .. })), "{bad:?}");
    }
}

#[tokio::test]
async fn what_is_no_file_of_ours_is_refused_and_left_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::create_dir(at("folder")).unwrap();
    let folder = open(&at("folder"), &SCHEMA, &[], &Options::default()).await;
    assert!(matches!(folder, Err(Error::Make { .. })), "{folder:?}");
    let nowhere = open(&at("none/t.db"), &SCHEMA, &[], &Options::default()).await;
    assert!(matches!(nowhere, Err(Error::Make { .. })), "{nowhere:?}");

    fs::write(at("garbage"), "no database at all ".repeat(100)).unwrap();
    assert!(open(&at("garbage"), &SCHEMA, &[], &Options::default()).await.is_err());

    let foreign = SqliteConnectOptions::new().filename(at("foreign")).create_if_missing(true);
    let mut foreign = foreign.connect().await.unwrap();
    sqlx::raw_sql("CREATE TABLE theirs (a)").execute(&mut foreign).await.unwrap();
    foreign.close().await.unwrap();
    for name in ["garbage", "foreign"] {
        let before = fs::read(at(name)).unwrap();
        let refused = open(&at(name), &SCHEMA, &[], &Options::default()).await;
        assert!(refused.is_err(), "{name}");
        assert_eq!(fs::read(at(name)).unwrap(), before, "{name}");
    }
}

#[tokio::test]
async fn closing_leaves_one_file() {
    let dir = tempfile::tempdir().unwrap();
    let file = open(&dir.path().join("t.db"), &SCHEMA, &[], &Options::default()).await.unwrap();
    sqlx::query("INSERT INTO t VALUES ('x')").execute(&file.writer).await.unwrap();
    sqlx::query("SELECT * FROM t").fetch_one(&file.readers).await.unwrap();
    file.close().await;
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}
