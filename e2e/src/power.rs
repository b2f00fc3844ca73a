//! Owns the power cut: a file layer under the service that remembers what was not synced, and takes it
//! back when the service was killed. Invariant: nothing of what was synced is touched.

use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::Process;

/// Ends each record of a log.
const MARK: u64 = 0x6277_2d75_6e73_796e;
/// The bytes of a record before the old ones.
const HEAD: usize = 32;

/// The file layer, built for this machine.
#[derive(Debug)]
pub struct Layer {
    library: PathBuf,
}

impl Layer {
    /// Builds it in that folder, with the C compiler of this machine.
    ///
    /// # Panics
    /// When there is no C compiler.
    pub fn build(dir: &Path) -> Self {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/power/unsynced.c");
        let library = dir.join("unsynced.so");
        let built = Command::new("cc")
            .args(["-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-pthread", "-o"])
            .args([&library, &source])
            .status()
            .expect("there is a C compiler");
        assert!(built.success(), "{} does not build", source.display());
        Self { library }
    }

    /// Starts the service over it.
    pub async fn start(&self, data: &Path) -> Process {
        let environment = [("LD_PRELOAD", self.library.as_path()), ("UNSYNCED_DIR", data)];
        Process::start_with(data, &environment).await
    }
}

/// One write, and what was there before.
struct Record<'l> {
    offset: u64,
    size: u64,
    old: &'l [u8],
}

/// The records of a log, oldest first. One that was cut off belongs to a write that was never made.
fn records(log: &[u8]) -> Vec<Record<'_>> {
    let mut all = Vec::new();
    let mut rest = log;
    while let Some((head, after)) = rest.split_at_checked(HEAD) {
        let number = |at: usize| {
            let bytes = head[at * 8..(at + 1) * 8].try_into().expect("eight bytes");
            u64::from_ne_bytes(bytes)
        };
        assert_eq!(number(3), MARK, "this is no record");
        let len = usize::try_from(number(1)).expect("a length");
        let Some((old, next)) = after.split_at_checked(len) else { break };
        all.push(Record { offset: number(0), size: number(2), old });
        rest = next;
    }
    all
}

/// Takes back everything under the folder that was written and not synced. Answers how many writes.
///
/// # Panics
/// When a file cannot be written.
pub fn cut(data: &Path) -> usize {
    let mut taken_back = 0;
    for entry in std::fs::read_dir(data).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            taken_back += cut(&path);
            continue;
        }
        let text = path.to_string_lossy().into_owned();
        if text.ends_with("-shm") {
            // Shared memory is made anew from what is on the disk.
            std::fs::remove_file(&path).expect("is removed");
        }
        let Some(file) = text.strip_suffix(".unsynced") else { continue };
        let log = std::fs::read(&path).expect("is read");
        if let Ok(file) = std::fs::OpenOptions::new().write(true).open(file) {
            for record in records(&log).iter().rev() {
                file.write_all_at(record.old, record.offset).expect("is written");
                file.set_len(record.size).expect("is cut");
                taken_back += 1;
            }
            file.sync_all().expect("is synced");
        }
        std::fs::remove_file(&path).expect("is removed");
    }
    taken_back
}
