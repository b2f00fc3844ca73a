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
        output::out(&made(*shell));
    }
    0
}

fn made(shell: Shell) -> String {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut arguments::command(), "bailiwick", &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum as _;
    use contract::Registry;

    use super::*;

    #[test]
    fn completions_for_every_shell_name_every_verb() {
        for shell in Shell::value_variants() {
            let text = made(*shell);
            for verb in Registry::get().iter() {
                for word in [verb.noun(), verb.act()] {
                    assert!(text.contains(word), "{shell}: {} is not completed", verb.name);
                }
            }
            assert!(text.contains("expected-version"), "{shell}: flags are not completed");
        }
    }
}
