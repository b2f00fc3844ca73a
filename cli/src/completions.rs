//! Owns `bailiwick completions`: what a shell needs to complete commands, flags and closed lists.

use clap::{ArgMatches, Command};
use clap_complete::Shell;

use crate::{arguments, output};

/// The command.
pub(crate) fn arguments() -> Command {
    let shell = clap::Arg::new("SHELL").required(true).value_parser(clap::value_parser!(Shell));
    Command::new("completions")
        .about("Print completions for a shell")
        .after_help("Example:\n  bailiwick completions bash > ~/.local/share/bash-completion/completions/bailiwick")
        .arg(shell.help("The shell they are for"))
}

/// Prints them. Answers the exit code.
pub(crate) fn command(matches: &ArgMatches) -> u8 {
    if let Some(shell) = matches.get_one::<Shell>("SHELL") {
        let mut text = Vec::new();
        clap_complete::generate(*shell, &mut arguments::command(), "bailiwick", &mut text);
        output::out(&String::from_utf8_lossy(&text));
    }
    0
}
