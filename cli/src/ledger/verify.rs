//! Owns `bailiwick ledger verify`: an export is checked with no server and no network. Invariant: it
//! exits with 0 only if every byte of the export holds.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clap::{Arg, ArgMatches, Command, value_parser};
use contract::render::cli::visible;
use contract::{Fault, Refusal, Timestamp};
use data_plane::ledger::export::Role;
use data_plane::ledger::merkle::Hash;
use data_plane::ledger::verify::{Error, Pins, Report, SignedBy, verify};
use serde_json::json;

use crate::{Exit, output};

/// The exit code of an export that does not hold.
const NOT_GOOD: u8 = 1;
/// How many of the open rulings are named.
const OPEN_SHOWN_MAX: usize = 5;

/// The command.
pub(super) fn arguments() -> Command {
    Command::new("verify")
        .about("Check an export with no server and no network")
        .long_about(
            "Checks an export with no server and no network: that no entry was changed, left out, \
             doubled or moved, and that the keys it names signed it. Whose keys those are, and that \
             nothing later was kept back, shows only against what you knew before: give the key \
             with --key, and the size and root of an earlier checkpoint with --tree.\n\n\
             Exit codes: 0 it holds, 1 it does not (the line and the reason are said), 2 wrong use.",
        )
        .after_help("Example:\n  bailiwick ledger verify acme.jsonl --tree 41:5f1c…")
        .arg(
            Arg::new("FILE")
                .required(true)
                .value_parser(value_parser!(PathBuf))
                .help("The export; `-` is standard input"),
        )
        .arg(
            Arg::new("key")
                .long("key")
                .value_name("KEY")
                .help("An Ed25519 public key that must have signed, in base64 or hexadecimal"),
        )
        .arg(
            Arg::new("tree")
                .long("tree")
                .value_name("SIZE:ROOT")
                .help("An earlier checkpoint that the export must continue"),
        )
}

/// Carries it out.
pub(crate) fn command(matches: &ArgMatches) -> Exit {
    let mut faults = Vec::new();
    let mut keep = |fault: Fault| faults.push(fault);
    let text = |id| matches.get_one::<String>(id).map(String::as_str);
    let key = text("key").map(key).transpose().map_err(&mut keep).ok().flatten();
    let tree = text("tree").map(tree).transpose().map_err(&mut keep).ok().flatten();
    let file = matches.get_one::<PathBuf>("FILE").map_or_else(|| Path::new("-"), PathBuf::as_path);
    let opened = if file.as_os_str() == "-" { Ok(None) } else { open(file).map(Some) };
    let opened = opened.map_err(&mut keep).ok();
    let Some(opened) = opened.filter(|_| faults.is_empty()) else {
        return Err(Refusal::of_input(faults).into());
    };
    let pins = Pins { key, tree };
    let result = match opened {
        Some(file) => verify(BufReader::new(file), &pins),
        None => verify(io::stdin().lock(), &pins),
    };
    Ok(show(&result, &pins, matches.get_flag("json")))
}

/// Prints what was found. Answers the exit code.
fn show(result: &Result<Report, Error>, pins: &Pins, as_json: bool) -> u8 {
    match result {
        Ok(report) if as_json => {
            output::line(&json!({ "holds": true, "report": report }).to_string());
            0
        }
        Ok(report) => {
            output::out(&words(report, pins));
            0
        }
        Err(error) => {
            let reasons = reasons(error);
            if as_json {
                let body = json!({ "holds": false, "line": error.line, "reasons": reasons });
                output::line(&body.to_string());
            } else {
                let reasons = visible(&reasons.join(": "));
                output::out(&format!("does not hold: line {}: {reasons}\n", error.line));
            }
            NOT_GOOD
        }
    }
}

/// Why, from the outermost reason to the innermost.
fn reasons(error: &Error) -> Vec<String> {
    let first: &dyn std::error::Error = &error.reason;
    std::iter::successors(Some(first), |error| error.source()).map(ToString::to_string).collect()
}

/// An export that holds, for people.
pub(super) fn words(report: &Report, pins: &Pins) -> String {
    let mut out = String::from("the export holds\n");
    let mut say = |name: &str, value: &str| {
        // Writing to a text cannot fail.
        let _ = writeln!(out, "  {name:14} {}", visible(value));
    };
    say("identity", &report.identity);
    let time = |ms: Option<i64>| {
        ms.map_or_else(|| "-".to_owned(), |ms| Timestamp::from_ms(ms).to_string())
    };
    let (first, last) = (time(report.first_at_ms), time(report.last_at_ms));
    say("entries", &format!("{}, from number {}", report.entries, report.first_seq));
    say("from", &first);
    say("to", &last);
    let kinds = report.kinds.iter().map(|(kind, count)| format!("{kind} {count}"));
    say("of kinds", &kinds.collect::<Vec<_>>().join(", "));
    say("root", &report.root.to_string());
    for key in &report.signed_by {
        say("signed by", &signed(key));
    }
    say("open rulings", &open_rulings(report));
    if report.stray_outcomes > 0 {
        say("stray outcomes", &report.stray_outcomes.to_string());
    }
    out.push_str(match (pins.key, pins.tree) {
        (None, None) => "Nothing that was known before was compared.",
        (Some(_), None) => "The key given signed it.",
        (None, Some(_)) => "It continues the tree given.",
        (Some(_), Some(_)) => "The key given signed it, and it continues the tree given.",
    });
    out.push_str(" Keep this for the next time:\n");
    let _ = writeln!(out, "  --tree {}:{}", report.next_seq, report.root);
    out
}

fn open_rulings(report: &Report) -> String {
    let first = report.open_rulings_first.iter().take(OPEN_SHOWN_MAX);
    let named = first.map(|one| format!("{} {}", one.seq, one.id)).collect::<Vec<_>>().join(", ");
    match report.open_rulings {
        0 => "none".to_owned(),
        count => format!("{count}: {named}"),
    }
}

fn signed(key: &SignedBy) -> String {
    let role = match key.role {
        Role::Worker => "worker",
        Role::ControlPlane => "control plane",
    };
    format!("{role} {}, {}, up to entry {}", key.name, key.fingerprint, key.up_to_seq)
}

fn open(file: &Path) -> Result<File, Fault> {
    let is_file = |file: &File| file.metadata().is_ok_and(|metadata| !metadata.is_dir());
    let opened = File::open(file);
    let why = match opened {
        Ok(opened) if is_file(&opened) => return Ok(opened),
        Ok(_) => "it is a folder".to_owned(),
        Err(error) => error.to_string(),
    };
    let say = format!("{} cannot be read: {why}.", file.display());
    Err(Fault::new("FILE", say, "Name an export, as `bailiwick ledger save` writes it."))
}

fn key(text: &str) -> Result<[u8; 32], Fault> {
    let hexadecimal = text.to_ascii_lowercase().parse::<Hash>().ok().map(|hash| *hash.as_bytes());
    let base64 = || STANDARD.decode(text).ok().and_then(|bytes| bytes.try_into().ok());
    hexadecimal.or_else(base64).ok_or_else(|| {
        let fix = "Give the 32 bytes of an Ed25519 public key in base64 or hexadecimal.";
        Fault::new("key", "`key` is no public key.", fix)
    })
}

fn tree(text: &str) -> Result<(u64, Hash), Fault> {
    let read = text.split_once(':').and_then(|(size, root)| {
        Some((size.parse().ok()?, root.to_ascii_lowercase().parse().ok()?))
    });
    read.ok_or_else(|| {
        let fix = "Give SIZE:ROOT, such as 41: and 64 hexadecimal digits, as it was printed then.";
        Fault::new("tree", "`tree` is no size and root.", fix)
    })
}
