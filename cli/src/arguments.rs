//! Owns the words of the command line: the commands of the binary and the flags that belong to all of
//! them; the contract adds a command for each verb. Invariant: the long flags here are those that
//! [`contract::render::cli::GLOBAL`] keeps free.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::{ContextKind, ContextValue};
use clap::{Arg, ArgAction, ArgMatches, Args as _, Command, value_parser};

use crate::{completions, demo, ledger, profile, serve};

/// The heading of the flags that every command takes.
const GLOBAL: &str = "Every command";

/// What the program says of itself.
const ABOUT: &str = "Governed tools for AI agents: decided where they reach, ruled on, recorded.";

const AFTER: &str = "\
Begin:
  bailiwick demo                      see the whole line at work, on a throw-away folder
  bailiwick serve --data ./data       serve for real; it says what to type next

Every other noun is a part of the service: `bailiwick grant --help` lists what can be done with
grants, and `bailiwick grant create --help` says how, with an example. `bailiwick grant.create`, as
answers name it, is the same.

Exit codes: 0 done, 2 refused or wrongly used, 3 unavailable, 4 held for a person, 1 broken (and, of
`ledger verify`, an export that does not hold).

Environment: BAILIWICK_URL and BAILIWICK_TOKEN go before the profile, BAILIWICK_CONFIG names its
file, BAILIWICK_LOG says what `serve` logs (default: info), COLUMNS how wide answers are written.";

/// The whole command line.
pub(crate) fn command() -> Command {
    let base = Command::new("bailiwick")
        .version(env!("CARGO_PKG_VERSION"))
        .about(ABOUT)
        .after_help(AFTER)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .args(global())
        .subcommand(serve::arguments())
        .subcommand(demonstration())
        .subcommand(profile::arguments())
        .subcommand(ledger::arguments())
        .subcommand(completions::arguments());
    contract::render::cli::command(base)
}

/// What the words of the command line say. A verb can be named as answers name it: `tool.get` is
/// `tool get`.
pub(crate) fn matches(words: &[OsString]) -> Result<ArgMatches, clap::Error> {
    let unknown = |error: &clap::Error| match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(word)) => Some(word.clone()),
        _ => None,
    };
    let mut error = match command().try_get_matches_from(words) {
        Ok(matches) => return Ok(matches),
        Err(error) => error,
    };
    let Some(dotted) = unknown(&error) else { return Err(error) };
    let Some((noun, act)) = dotted.split_once('.') else { return Err(error) };
    let named = |at: &usize| words.get(*at).is_some_and(|word| *word == dotted.as_str());
    // The word may be a flag's value as well, and which of them is the verb only clap can tell.
    for at in (1..words.len()).filter(named) {
        let mut words = words.to_vec();
        words.splice(at..=at, [noun.into(), act.into()]);
        match command().try_get_matches_from(words) {
            Err(again) if unknown(&again).is_some() => error = again,
            done => return done,
        }
    }
    Err(error)
}

fn demonstration() -> Command {
    demo::Args::augment_args(Command::new("demo"))
        .about("Show the main job on a throw-away folder, then stay up to be tried")
        .after_help("Example:\n  bailiwick demo --once")
}

/// The flags that every command takes. Their ids are those that the contract reads.
fn global() -> [Arg; 7] {
    let flag = |id: &'static str, long: &'static str, help: &'static str| {
        Arg::new(id).long(long).global(true).help(help).help_heading(GLOBAL)
    };
    [
        flag("json", "json", "Print the answer as JSON, as it came").action(ArgAction::SetTrue),
        flag("profile", "profile", "Call as this profile (else the one in use)").value_name("NAME"),
        flag("url", "url", "Call this server (else the profile's)").value_name("URL"),
        flag(
            "token_file",
            "token-file",
            "Call with the token in this file, which only you may read",
        )
        .value_name("FILE")
        .value_parser(value_parser!(PathBuf)),
        flag("run", "run", "The run that the call belongs to (else your default run)")
            .value_name("RUN"),
        flag(
            "idempotency_key",
            "idempotency-key",
            "Your own key of a write: sent again, it is done once",
        )
        .value_name("KEY"),
        flag("dry_run", "dry-run", "Do nothing: say how it would be ruled")
            .action(ArgAction::SetTrue),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clap_finds_no_clash_with_the_contract() {
        command().debug_assert();
    }

    #[test]
    fn a_verb_is_known_by_the_name_that_answers_give_it() {
        let said = |line: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let matches = matches(&words).map_err(|error| error.kind())?;
            let (verb, _) = contract::render::cli::chosen(&matches).expect("a verb");
            Ok(verb.name)
        };
        assert_eq!(said("bailiwick tool.list --json"), Ok("tool.list"));
        assert_eq!(said("bailiwick --profile tool.list tool.list"), Ok("tool.list"));
        assert_eq!(said("bailiwick --json catalogue.call tool.list a=1"), Ok("catalogue.call"));
        for line in ["bailiwick tool.lst", "bailiwick tol.list", "bailiwick tool.list.all"] {
            assert_eq!(said(line), Err(clap::error::ErrorKind::InvalidSubcommand), "{line}");
        }
    }

    #[test]
    fn every_global_flag_is_one_that_the_contract_keeps_free() {
        for flag in global() {
            let long = flag.get_long().expect("a long flag");
            assert!(contract::render::cli::GLOBAL.contains(&long), "{long}");
        }
    }
}
