//! Both planes as a process: from an empty folder to a person's own call, and a clean stop.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};

use serde_json::Value;

use super::run::{Home, mode};

/// A service that is stopped when dropped.
struct Service {
    child: Child,
    url: String,
}

impl Service {
    fn start(home: &Home) -> Self {
        let words = ["serve", "--data", "data", "--listen", "127.0.0.1:0"];
        let mut command = home.command(&words);
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("starts");
        let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let first = lines.next().expect("a line").expect("text");
        let url = first.strip_prefix("Bailiwick listens on ").expect("says where").to_owned();
        let rest: Vec<String> = lines.take(8).map(|line| line.expect("text")).collect();
        assert!(rest.iter().any(|line| line.contains("bailiwick identity create")), "{rest:?}");
        assert!(!rest.iter().any(|line| line.contains("bw_")), "a token is printed: {rest:?}");
        Self { child, url }
    }

    fn stop(mut self) -> Option<i32> {
        let pid = i32::try_from(self.child.id()).expect("a pid");
        let pid = rustix::process::Pid::from_raw(pid).expect("a pid");
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("signals");
        self.child.wait().expect("ends").code()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn result(home: &Home, words: &[&str]) -> Value {
    let ran = home.run(&[words, &["--json"]].concat());
    assert_eq!(ran.code, 0, "{words:?}: {ran:?}");
    ran.json()["result"].clone()
}

#[test]
fn from_an_empty_folder_to_a_call_of_an_agents_own() {
    let home = Home::new();
    let service = Service::start(&home);
    let operator = home.path("data/operator.token").display().to_string();
    assert_eq!(mode(&home.path("data/operator.token")), 0o600);
    assert_eq!(mode(&home.path("data")), 0o700);
    let as_operator = ["--url", &service.url, "--token-file", &operator];
    let create = ["identity", "create", "acme", "--owner", "ana"];
    let created = result(&home, &[&create[..], &as_operator].concat());
    let owner = created["owner_token"].as_str().expect("a token");
    let set = ["profile", "set", "acme", "--url", &service.url, "--token-stdin"];
    assert_eq!(home.run_with(&set, owner).code, 0);

    let words =
        ["principal", "create", "--kind", "agent", "--name", "shop-bot", "--stage", "autonomous"];
    let bot = result(&home, &words);
    let bot = bot["id"].as_str().expect("an id");
    result(&home, &["group", "create", "shop", "--title", "Shop"]);
    result(&home, &["grant", "create", bot, "--scope", "acme/shop", "--role", "member"]);
    let minted = result(&home, &["token", "create", "--principal", bot]);
    let secret = minted["secret"].as_str().expect("a token");
    let file = home.file("bot.token", secret, 0o600);
    let as_bot = ["--url", &service.url, "--token-file", &file];
    let me = result(&home, &[&["token", "whoami"][..], &as_bot].concat());
    assert!(me.to_string().contains("shop-bot"), "{me}");
    let refused = home.run(&[&["grant", "list"][..], &as_bot].concat());
    assert_eq!(refused.code, 2, "{refused:?}");

    let ran = home.run(&["ledger", "save", "acme.jsonl"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(home.run(&["ledger", "verify", "acme.jsonl"]).code, 0);

    let second = home.run(&["serve", "--data", "data", "--listen", "127.0.0.1:0"]);
    assert!(second.code == 1 && second.err.contains("data folder data is in use"), "{second:?}");
    let taken = service.url.trim_start_matches("http://");
    let second = home.run(&["serve", "--data", "other", "--listen", taken]);
    assert!(second.code == 1 && second.err.contains("--listen"), "{second:?}");

    assert_eq!(service.stop(), Some(0));
    let again = Service::start(&home);
    let at = ["--url", &again.url, "--token-file", &file];
    assert!(
        result(&home, &[&["token", "whoami"][..], &at].concat()).to_string().contains("shop-bot")
    );
    assert_eq!(again.stop(), Some(0));
}
