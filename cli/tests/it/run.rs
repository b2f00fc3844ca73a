//! Runs the binary with an environment of its own.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// An operator's token: well-formed, and known to nobody.
pub(crate) fn token() -> String {
    let source = tenancy::clock::Fake::at("2026-11-30T12:00:00Z".parse().expect("a time"));
    let route: tenancy::token::Route = "operator".parse().expect("a route");
    tenancy::token::mint(&source, tenancy::token::Kind::Operator, &route).expose().to_owned()
}

/// A home that nothing else uses.
#[derive(Debug)]
pub(crate) struct Home {
    dir: tempfile::TempDir,
    variables: Vec<(String, String)>,
}

/// What a run of the binary left.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    /// What was printed, as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The fields of the faults of a refusal in JSON.
    pub(crate) fn faults(&self) -> Vec<String> {
        let body = self.json();
        let faults = body["refusal"]["faults"].as_array().unwrap_or_else(|| panic!("{self:?}"));
        faults.iter().map(|fault| fault["field"].as_str().expect("a field").to_owned()).collect()
    }
}

impl Home {
    pub(crate) fn new() -> Self {
        Self { dir: tempfile::tempdir().expect("a folder"), variables: Vec::new() }
    }

    /// A home whose calls go to `url` with a token.
    pub(crate) fn calling(url: &str) -> Self {
        Self::new().with("BAILIWICK_URL", url).with("BAILIWICK_TOKEN", &token())
    }

    pub(crate) fn with(mut self, variable: &str, value: &str) -> Self {
        self.variables.push((variable.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn file(&self, name: &str, text: &str, mode: u32) -> String {
        use std::os::unix::fs::PermissionsExt as _;
        let path = self.path(name);
        std::fs::write(&path, text).expect("writes");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("sets");
        path.display().to_string()
    }

    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bailiwick"));
        command.args(words).env_clear().env("HOME", self.dir.path()).current_dir(self.dir.path());
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    pub(crate) fn run(&self, words: &[&str]) -> Ran {
        self.run_with(words, "")
    }

    pub(crate) fn run_with(&self, words: &[&str], stdin: &str) -> Ran {
        let mut command = self.command(words);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("starts");
        let mut pipe = child.stdin.take().expect("a pipe");
        // The command may end without reading it.
        drop(pipe.write_all(stdin.as_bytes()));
        drop(pipe);
        let output = child.wait_with_output().expect("ends");
        Ran {
            code: output.status.code().expect("exits"),
            out: String::from_utf8(output.stdout).expect("text"),
            err: String::from_utf8(output.stderr).expect("text"),
        }
    }
}

/// The permission bits of a file.
pub(crate) fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(path).expect("is there").permissions().mode() & 0o7777
}
