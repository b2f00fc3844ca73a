//! Owns what ends a command early. Invariant: what the caller can mend is a refusal in the form that
//! the service itself answers, all faults together; what broke is said with its causes, and exits
//! with a code that no answer has.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use contract::render::cli::human;
use contract::{Answer, Fault, Refusal, Registry};
use serde_json::json;

use crate::{Exit, environment, output};

/// The exit code of what broke.
const BROKEN: u8 = 1;

/// Why a command was not carried out.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It was answered so, here or by the service.
    Answer(Box<Answer>),
    /// Something broke on this machine.
    Broken(anyhow::Error),
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self::Broken(error)
    }
}

impl From<Answer> for Failure {
    fn from(answer: Answer) -> Self {
        Self::Answer(Box::new(answer))
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Answer::from(refusal).into()
    }
}

impl From<Box<Refusal>> for Failure {
    fn from(refusal: Box<Refusal>) -> Self {
        Answer::from(refusal).into()
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Refusal::of_input(vec![fault]).into()
    }
}

impl Failure {
    /// Prints it, and answers the exit code.
    pub(crate) fn show(&self, as_json: bool) -> u8 {
        match self {
            Self::Answer(answer) => {
                show(answer, as_json);
                answer.exit_code()
            }
            Self::Broken(error) if as_json => {
                output::line(&json!({ "broken": format!("{error:#}") }).to_string());
                BROKEN
            }
            Self::Broken(error) => {
                output::err(&format!("failed: {error:#}\n"));
                BROKEN
            }
        }
    }
}

/// Prints an answer that no verb's own form is needed for.
fn show(answer: &Answer, as_json: bool) {
    if as_json {
        return output::line(&answer.body().to_string());
    }
    // A verb gives form to results only, and this is none; so any of them will do.
    match Registry::get().iter().next() {
        Some(verb) => output::err(&human(verb, answer, environment::width())),
        None => output::err(&format!("{}\n", answer.body())),
    }
}

/// What the words of the command line amount to where they are no command: help that was asked for,
/// or a refusal.
pub(crate) fn of_words(error: &clap::Error) -> Exit {
    let kind = error.kind();
    if matches!(kind, ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        output::out(&error.render().to_string());
        Ok(0)
    } else if kind == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        output::err(&error.render().to_string());
        Ok(2)
    } else {
        Err(fault(error).into())
    }
}

/// The fault that a clap error names. Clap stops at the first, so there is one.
fn fault(error: &clap::Error) -> Fault {
    let context = |kind| error.get(kind).map(words);
    let field = context(ContextKind::InvalidArg)
        .or_else(|| context(ContextKind::InvalidSubcommand))
        .unwrap_or_else(|| "command".to_owned());
    let text = error.render().to_string();
    let first = text.lines().next().unwrap_or_default();
    let say = first.strip_prefix("error: ").unwrap_or(first).trim_end_matches('.').to_owned();
    let near = context(ContextKind::SuggestedArg)
        .or_else(|| context(ContextKind::SuggestedSubcommand))
        .or_else(|| context(ContextKind::SuggestedValue));
    let fix = near.map_or_else(
        || "Add --help to see what can be said here.".to_owned(),
        |near| format!("Did you mean {near}? Add --help to see what can be said here."),
    );
    Fault::new(field.split_whitespace().next().unwrap_or("command"), capital(&say), fix)
}

fn words(value: &ContextValue) -> String {
    if let ContextValue::Strings(several) = value { several.join(", ") } else { value.to_string() }
}

/// As a sentence.
fn capital(say: &str) -> String {
    let mut letters = say.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).chain(['.']).collect()
}
