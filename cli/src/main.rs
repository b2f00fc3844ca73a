//! The `bailiwick` binary: both planes in one process, the contract's verbs as subcommands, and the
//! demo.
//!
//! The split that justifies this crate: it is the one place where the parts meet, and where the
//! wall clock, the environment and the terminal are read. No verb's name or field is written here;
//! they come from the contract.

mod arguments;
mod client;
mod completions;
mod demo;
mod environment;
mod failure;
mod ledger;
mod output;
mod profile;
mod serve;
mod target;
mod verb;

use std::ffi::{OsStr, OsString};
use std::process::ExitCode;

use clap::{ArgMatches, FromArgMatches as _};

use failure::Failure;

/// What a command that was carried out, or answered, exits with.
type Exit = Result<u8, Failure>;

fn main() -> ExitCode {
    // First of all, since the first TLS configuration that is made takes the provider of the
    // process. A second installation is the only way to fail, and there is none.
    let installed = rustls::crypto::ring::default_provider().install_default();
    let words: Vec<OsString> = std::env::args_os().collect();
    // Looked for before the words are understood, so that a fault in them is said in JSON too.
    let json =
        words.iter().take_while(|word| *word != "--").any(|word| word == OsStr::new("--json"));
    let done = match installed {
        Ok(()) => run(&words),
        Err(_) => Err(Failure::Broken(anyhow::anyhow!("a TLS provider was there already"))),
    };
    match done {
        Ok(code) => ExitCode::from(code),
        Err(failure) => ExitCode::from(failure.show(json)),
    }
}

fn run(words: &[OsString]) -> Exit {
    let matches = match arguments::matches(words) {
        Ok(matches) => matches,
        Err(error) => return failure::of_words(&error),
    };
    dispatch(&matches)
}

fn dispatch(matches: &ArgMatches) -> Exit {
    match matches.subcommand() {
        Some(("serve", of_command)) => serving(serve::command(of_command)),
        Some(("demo", of_command)) => {
            let args = demo::Args::from_arg_matches(of_command).map_err(anyhow::Error::from)?;
            serving(demo::run(args))
        }
        Some(("profile", of_command)) => profile::command(of_command),
        Some(("completions", of_command)) => Ok(completions::command(of_command)),
        Some(("ledger", of_noun)) => match of_noun.subcommand() {
            Some(("verify", of_command)) => ledger::verify::command(of_command),
            Some(("save", of_command)) => calling(ledger::save::command(of_command)),
            _ => calling(verb::command(matches)),
        },
        _ => calling(verb::command(matches)),
    }
}

/// Carries out what serves many callers at a time.
fn serving(work: impl Future<Output = Exit>) -> Exit {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = builder.enable_all().build().map_err(anyhow::Error::from)?;
    let done = runtime.block_on(work);
    // What was stopped is not waited for a second time.
    runtime.shutdown_background();
    done
}

/// Carries out what makes a call or a few.
fn calling(work: impl Future<Output = Exit>) -> Exit {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().build().map_err(anyhow::Error::from)?;
    runtime.block_on(work)
}
