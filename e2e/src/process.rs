//! Owns the real binary as a process: started on a folder, killed without warning.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

/// The `bailiwick` binary that was built with this test.
///
/// # Panics
/// When it was not built: `cargo build --workspace` builds it.
pub fn binary() -> PathBuf {
    let test = std::env::current_exe().expect("a path");
    let profile = test.parent().and_then(Path::parent).expect("a target folder");
    let binary = profile.join("bailiwick");
    assert!(binary.exists(), "{} is not built: run `cargo build --workspace`", binary.display());
    binary
}

/// A running `bailiwick serve`.
#[derive(Debug)]
pub struct Process {
    child: Child,
    /// Where it listens.
    pub url: String,
}

impl Process {
    /// Starts it on a folder, and waits until it listens.
    pub async fn start(data: &Path) -> Self {
        Self::start_with(data, &[]).await
    }

    /// Starts it on a folder with these variables in its environment, and waits until it listens.
    pub async fn start_with(data: &Path, environment: &[(&str, &Path)]) -> Self {
        let mut child = Command::new(binary())
            .envs(environment.iter().copied())
            .args(["serve", "--listen", "127.0.0.1:0", "--allow-http"])
            .args(["--allow-private", "127.0.0.0/8", "--data"])
            .arg(data)
            .env("BAILIWICK_LOG", "warn")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .kill_on_drop(true)
            .spawn()
            .expect("starts");
        let out = child.stdout.take().expect("its output");
        let mut lines = BufReader::new(out).lines();
        let url = loop {
            let line = lines.next_line().await.expect("its output").expect("it listens");
            if let Some(at) = line.find("http://127.0.0.1:") {
                let url = line.get(at..).unwrap_or_default();
                break url
                    .trim_end_matches(['.', ',', ' '])
                    .split_whitespace()
                    .next()
                    .unwrap_or_default()
                    .to_owned();
            }
        };
        // What it goes on to say must not fill the pipe.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        Self { child, url }
    }

    /// Kills it with SIGKILL, at once.
    pub async fn kill(mut self) {
        self.child.start_kill().expect("is killed");
        self.child.wait().await.expect("ends");
    }
}
