//! The tables of vectors as they lie in a file: packed, replaced, and gone when their content goes.

use contract::{Labels, Timestamp, sample};
use proptest::prelude::*;
use sqlx::{Sqlite, Transaction};
use tenancy::namespace::Namespace;

use super::*;
use crate::content::store::{Keep, Origin};

const MODEL: &str = "m";

/// A namespace of its own, with content of this many passages in it.
struct Bench {
    dir: tempfile::TempDir,
    namespace: Namespace,
}

impl Bench {
    async fn new() -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let namespace = Namespace::open(dir.path(), sample::id(1)).await.expect("opens");
        Self { dir, namespace }
    }

    async fn write(&self) -> Transaction<'static, Sqlite> {
        let writer = self.namespace.writer(1).await.expect("takes over");
        writer.begin().await.expect("begins")
    }

    /// Keeps content number `n` of `passages` passages, and answers their rows.
    async fn keep(&self, n: u8, passages: usize) -> Vec<i64> {
        let origin = Origin {
            id: sample::id(n),
            scope: "acme/shop".parse().expect("a scope"),
            principal: sample::id(1),
            run: sample::id(1),
            ruling: None,
            address: "shop/x.y".parse().expect("an address"),
            created: Timestamp::from_ms(1),
            salt: [0; 16],
        };
        let text = format!("{}\n", "x".repeat(1100)).repeat(passages);
        let keep = Keep::of(origin, "text/plain", text.into_bytes(), Labels::NONE);
        let mut tx = self.write().await;
        keep.apply(&mut tx).await.expect("is kept");
        tx.commit().await.expect("commits");
        let id = keep.record.id.to_string();
        sqlx::query_scalar("SELECT chunk FROM content_chunk WHERE content = $1 ORDER BY ordinal")
            .bind(id)
            .fetch_all(self.namespace.readers())
            .await
            .expect("reads")
    }

    async fn give(&self, given: &Given) -> Result<(), Fault> {
        let mut tx = self.write().await;
        given.apply(&mut tx).await?;
        tx.commit().await.expect("commits");
        Ok(())
    }

    /// Erases content number `n` as erasure does: its payload's row goes.
    async fn erase(&self, n: u8) {
        let id = sample::id::<id::Content>(n).to_string();
        let mut tx = self.write().await;
        let gone = sqlx::query("DELETE FROM content_payload WHERE content = $1").bind(id);
        assert_eq!(gone.execute(&mut *tx).await.expect("goes").rows_affected(), 1);
        tx.commit().await.expect("commits");
    }

    /// Every row that is in a block, by giver and passage.
    async fn rows(&self) -> Vec<(String, i64, Vec<u8>)> {
        let blocks =
            sqlx::query("SELECT giver, width, live, used, rows FROM vector_block ORDER BY block")
                .fetch_all(self.namespace.readers())
                .await
                .expect("reads");
        let mut all = Vec::new();
        for block in blocks {
            let width = usize::try_from(block.get::<i64, _>("width")).expect("a width");
            let rows: Vec<u8> = block.get("rows");
            let used = usize::try_from(block.get::<i64, _>("used")).expect("a count");
            assert_eq!(rows.len(), used * row_bytes(width));
            let before = all.len();
            for row in rows.chunks_exact(row_bytes(width)) {
                if Vector::of_row(row).is_none() {
                    assert!(row.iter().all(|byte| *byte == 0), "an empty slot is empty");
                } else {
                    let passage = i64::from_le_bytes(row[..8].try_into().expect("eight bytes"));
                    all.push((block.get("giver"), passage, row.to_vec()));
                }
            }
            assert_eq!(
                i64::try_from(all.len() - before).expect("a count"),
                block.get::<i64, _>("live")
            );
        }
        all.sort();
        all
    }
}

fn given(giver: u8, vectors: Vec<(i64, Vector)>) -> Given {
    Given {
        scope: "acme/shop".parse().expect("a scope"),
        principal: sample::id(1),
        giver: sample::id(giver),
        unmasked: false,
        model: MODEL.to_owned(),
        vectors,
    }
}

fn vector(numbers: &[f64]) -> Vector {
    Vector::of(numbers).expect("a vector")
}

#[tokio::test]
async fn rows_are_packed_and_nobody_replaces_anothers() {
    let bench = Bench::new().await;
    let chunks = bench.keep(1, 1100).await;
    let all = |numbers: &[f64]| chunks.iter().map(|chunk| (*chunk, vector(numbers))).collect();
    bench.give(&given(1, all(&[1.0, 2.0]))).await.expect("is kept");
    bench.give(&given(2, all(&[3.0, 1.0]))).await.expect("is kept");
    let blocks: Vec<(i64, i64)> =
        sqlx::query_as("SELECT used, live FROM vector_block ORDER BY block")
            .fetch_all(bench.namespace.readers())
            .await
            .expect("reads");
    let rest = i64::try_from(chunks.len()).expect("a count") - 1024;
    assert_eq!(blocks, [(1024, 1024), (rest, rest), (1024, 1024), (rest, rest)]);
    let before = bench.rows().await;
    // The first giver's again: theirs are replaced, the other's stay.
    bench.give(&given(1, vec![(chunks[7], vector(&[-1.0, 0.5]))])).await.expect("is kept");
    let after = bench.rows().await;
    assert_eq!(before.len(), after.len());
    let changed: Vec<_> = after.iter().filter(|row| !before.contains(row)).collect();
    let row = vector(&[-1.0, 0.5]).row(chunks[7]);
    assert_eq!(changed, [&(sample::id::<id::Principal>(1).to_string(), chunks[7], row)]);
}

#[tokio::test]
async fn one_givers_vectors_of_a_model_have_one_width() {
    let bench = Bench::new().await;
    let chunks = bench.keep(1, 3).await;
    bench.give(&given(1, vec![(chunks[0], vector(&[1.0, 2.0]))])).await.expect("is kept");
    let wider = given(1, vec![(chunks[1], vector(&[1.0, 2.0, 3.0]))]);
    assert!(matches!(bench.give(&wider).await, Err(Fault::Conflict(_))));
    // Another's width is their own affair, and so is that of another model.
    bench.give(&given(2, wider.vectors.clone())).await.expect("is kept");
    let mut tx = bench.write().await;
    let held = held(&mut tx, sample::id(1), MODEL).await.expect("reads");
    assert_eq!(held, Held { width: Some(2), models: 1, vectors: 1 });
}

/// Whether these bytes stand anywhere in the folder.
fn in_files(dir: &std::path::Path, bytes: &[u8]) -> bool {
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in
            std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file"))
        {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else {
                let file = std::fs::read(entry.path()).expect("a file");
                if file.windows(bytes.len()).any(|window| window == bytes) {
                    return true;
                }
            }
        }
    }
    false
}

#[tokio::test]
async fn vectors_go_with_the_content_that_they_are_of() {
    let bench = Bench::new().await;
    let (first, second) = (bench.keep(1, 2).await, bench.keep(2, 2).await);
    let secret: Vec<f64> = (0..64).map(|n| f64::from(n % 13) - 4.5).collect();
    let other: Vec<f64> = (0..64).map(|n| f64::from(n % 7) - 2.5).collect();
    let (secret, other) = (vector(&secret), vector(&other));
    let vectors =
        vec![(first[0], secret.clone()), (second[0], other.clone()), (first[1], secret.clone())];
    bench.give(&given(1, vectors.clone())).await.expect("is kept");
    bench.give(&given(2, vectors)).await.expect("is kept");
    bench.namespace.empty_log().await.expect("is emptied");
    let (secret_row, other_row) = (secret.row(0), other.row(0));
    let bytes = |row: &[u8]| row[12..].to_vec();
    assert!(in_files(bench.dir.path(), &bytes(&secret_row)), "the test can see it");
    bench.erase(1).await;
    bench.namespace.empty_log().await.expect("is emptied");
    assert!(!in_files(bench.dir.path(), &bytes(&secret_row)), "the vector is still in the file");
    assert!(in_files(bench.dir.path(), &bytes(&other_row)), "and the other's has to stay");
    let left: Vec<_> = bench.rows().await.into_iter().map(|(_, passage, _)| passage).collect();
    assert_eq!(left, [second[0], second[0]]);
    // With the last vector of it a block goes whole.
    bench.erase(2).await;
    let blocks: i64 = sqlx::query_scalar("SELECT count(*) FROM vector_block")
        .fetch_one(bench.namespace.readers())
        .await
        .expect("reads");
    assert_eq!(blocks, 0);
}

/// A step of the model test: who gives for which passages, or which content is erased.
#[derive(Debug, Clone)]
enum Step {
    Give(u8, Vec<(usize, i8)>),
    Erase(u8),
}

fn step() -> impl Strategy<Value = Step> {
    let one = (0_usize..6, any::<i8>().prop_filter("no zero", |n| *n != 0));
    prop_oneof![
        4 => (1_u8..3, prop::collection::vec(one, 1..5)).prop_map(|(giver, all)| Step::Give(giver, all)),
        1 => (1_u8..4).prop_map(Step::Erase),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// What lies in the blocks is what a plain map would hold, whatever was given, replaced and erased.
    #[test]
    fn blocks_are_a_map(steps in prop::collection::vec(step(), 1..12)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let bench = Bench::new().await;
            let mut chunks = Vec::new();
            for content in 1..4 {
                chunks.extend(bench.keep(content, 2).await.into_iter().map(|chunk| (content, chunk)));
            }
            let mut model = std::collections::BTreeMap::new();
            let mut erased = Vec::new();
            for step in steps {
                match step {
                    Step::Give(giver, all) => {
                        let there: std::collections::BTreeMap<_, _> = all
                            .iter()
                            .map(|(at, number)| (chunks[*at], *number))
                            .filter(|((content, _), _)| !erased.contains(content))
                            .collect();
                        let vectors: Vec<_> = there
                            .into_iter()
                            .map(|((_, chunk), number)| (chunk, vector(&[f64::from(number), 1.0])))
                            .collect();
                        for (chunk, vector) in &vectors {
                            let key = (sample::id::<id::Principal>(giver).to_string(), *chunk);
                            model.insert(key, vector.row(*chunk));
                        }
                        if !vectors.is_empty() {
                            bench.give(&given(giver, vectors)).await.expect("is kept");
                        }
                    }
                    Step::Erase(content) if !erased.contains(&content) => {
                        bench.erase(content).await;
                        erased.push(content);
                        model.retain(|(_, chunk), _| !chunks.contains(&(content, *chunk)));
                    }
                    Step::Erase(_) => {}
                }
            }
            let expected: Vec<_> = model.into_iter().map(|((giver, chunk), row)| (giver, chunk, row)).collect();
            assert_eq!(bench.rows().await, expected);
        });
    }
}
