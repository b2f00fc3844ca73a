use sqlx::ConnectOptions;
use sqlx::sqlite::SqliteConnectOptions;

use super::*;

const ONE: Migration = Migration {
    name: "0001_one",
    sql: "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT) STRICT; CREATE TABLE a (x);",
};
const TWO: Migration =
    Migration { name: "0002_two", sql: "ALTER TABLE a ADD COLUMN y; INSERT INTO a VALUES (1, 2);" };
const BROKEN: Migration = Migration {
    name: "0002_broken",
    sql: "CREATE TABLE b (x); INSERT INTO a VALUES (9); INSERT INTO nowhere VALUES (1);",
};

const fn schema(migrations: &'static [Migration]) -> Schema {
    Schema { application_id: 7, migrations }
}

fn marks(value: &str) -> [(&'static str, String); 1] {
    [("identity", value.to_owned())]
}

async fn memory() -> SqliteConnection {
    SqliteConnectOptions::new().in_memory(true).connect().await.unwrap()
}

async fn read(connection: &mut SqliteConnection, sql: &'static str) -> i64 {
    number(connection, sql).await.unwrap()
}

#[tokio::test]
async fn each_step_is_taken_once_in_order() {
    let mut file = memory().await;
    run(&mut file, &schema(&[ONE]), &marks("one")).await.unwrap();
    assert_eq!(read(&mut file, "PRAGMA user_version").await, 1);
    assert_eq!(read(&mut file, "PRAGMA application_id").await, 7);
    for _ in 0..3 {
        run(&mut file, &schema(&[ONE, TWO]), &marks("one")).await.unwrap();
        assert_eq!(read(&mut file, "PRAGMA user_version").await, 2);
        assert_eq!(read(&mut file, "SELECT count(*) FROM a").await, 1);
        assert_eq!(read(&mut file, "SELECT count(*) FROM meta").await, 1);
    }
}

#[tokio::test]
async fn a_step_that_fails_leaves_nothing_behind() {
    let mut file = memory().await;
    let failed = run(&mut file, &schema(&[ONE, BROKEN]), &marks("one")).await;
    assert!(matches!(failed, Err(Error::Step { name: "0002_broken", .. })), "{failed:?}");
    assert_eq!(read(&mut file, "PRAGMA user_version").await, 1);
    assert_eq!(read(&mut file, "SELECT count(*) FROM a").await, 0);
    assert_eq!(read(&mut file, "SELECT count(*) FROM sqlite_schema WHERE name = 'b'").await, 0);
    // Repaired, it goes on from there.
    run(&mut file, &schema(&[ONE, TWO]), &marks("one")).await.unwrap();
}

#[tokio::test]
async fn a_later_version_is_refused_by_name() {
    let mut file = memory().await;
    run(&mut file, &schema(&[ONE, TWO]), &marks("one")).await.unwrap();
    let refused = run(&mut file, &schema(&[ONE]), &marks("one")).await;
    assert!(matches!(refused, Err(Error::Newer { found: 2, known: 1 })), "{refused:?}");
    for version in ["PRAGMA user_version = -1", "PRAGMA user_version = 2147483647"] {
        sqlx::query(version).execute(&mut file).await.unwrap();
        let refused = run(&mut file, &schema(&[ONE, TWO]), &marks("one")).await;
        assert!(matches!(refused, Err(Error::Newer { .. })), "{refused:?}");
    }
}

#[tokio::test]
async fn other_marks_are_refused_before_any_step() {
    let mut file = memory().await;
    run(&mut file, &schema(&[ONE]), &marks("one")).await.unwrap();
    for value in ["two", "ONE", "one ", ""] {
        let refused = run(&mut file, &schema(&[ONE, TWO]), &marks(value)).await;
        assert!(matches!(refused, Err(Error::Mark { .. })), "{value:?}: {refused:?}");
    }
    assert_eq!(read(&mut file, "PRAGMA user_version").await, 1);
    sqlx::query("DELETE FROM meta").execute(&mut file).await.unwrap();
    let unmarked = run(&mut file, &schema(&[ONE]), &marks("one")).await;
    assert!(matches!(unmarked, Err(Error::Mark { .. })), "{unmarked:?}");
}

#[tokio::test]
async fn a_database_of_another_kind_is_refused() {
    let other = Schema { application_id: 8, ..schema(&[ONE]) };
    let mut file = memory().await;
    run(&mut file, &other, &marks("one")).await.unwrap();
    let refused = run(&mut file, &schema(&[ONE]), &marks("one")).await;
    assert!(matches!(refused, Err(Error::Kind { expected: 7, found: 8 })), "{refused:?}");

    for made in ["CREATE TABLE theirs (x)", "PRAGMA user_version = 1"] {
        let mut file = memory().await;
        sqlx::query(made).execute(&mut file).await.unwrap();
        let refused = run(&mut file, &schema(&[ONE]), &marks("one")).await;
        assert!(matches!(refused, Err(Error::Kind { found: 0, .. })), "{made}: {refused:?}");
    }
}

#[tokio::test]
async fn several_processes_that_open_a_new_file_at_once_agree() {
    let dir = tempfile::tempdir().unwrap();
    let options = SqliteConnectOptions::new()
        .filename(dir.path().join("t.db"))
        .create_if_missing(true)
        .busy_timeout(std::time::Duration::from_secs(20));
    let mut tasks = Vec::new();
    for _ in 0..6 {
        let options = options.clone();
        tasks.push(tokio::spawn(async move {
            let mut file = options.connect().await.unwrap();
            run(&mut file, &schema(&[ONE, TWO]), &marks("one")).await
        }));
    }
    for task in tasks {
        task.await.unwrap().unwrap();
    }
    let mut file = options.connect().await.unwrap();
    assert_eq!(read(&mut file, "SELECT count(*) FROM a").await, 1);
}
