//! Owns the command line: `bailiwick <noun> <verb>` with its flags, read from each verb's schema, the
//! way back from flags to an input, and what is printed for people. Invariant: a flag adds no rule of
//! its own; what was typed is judged by the verb's schema, all faults together.
//!
//! How a field is said:
//!
//! | field | flag |
//! |---|---|
//! | text, number, closed list | `--name VALUE` |
//! | true or false | `--name`, `--name=false` |
//! | list of those | `--name A --name B`; `--name '[]'` is the empty list |
//! | list of objects | each `--name` as JSON, or as `key=value,key=value` if all members are single values; a JSON list gives all at once |
//! | object with known fields, tagged union | one flag a field: `--instance-origin …` |
//! | object with free names | `--name key=text`, `--name key:=JSON`, or one JSON object |
//! | anything | `--name JSON` |
//!
//! The fields of the verb's path can be given without their flags, in their order; if there are none,
//! the first required field can, if it is a single value or a list of them. `--input FILE` (`-` is
//! standard input) gives a whole input as JSON; flags beside it win over it.
//!
//! Names that the `bailiwick` command keeps for itself ([`GLOBAL`]) are no field's flag: a field of
//! such a name gets `--of-NAME`. The one exception are verbs that take `run`, `dry_run` and
//! `idempotency_key` all three, as the call itself does: there they mean the same as the global flags
//! `--run`, `--dry-run` and `--idempotency-key`, and are read from those (ids `run`, `dry_run`,
//! `idempotency_key`).

mod argv;
mod collect;
mod help;
mod human;
mod plan;

pub use argv::{argv, line};
pub use collect::{Source, collect, source};
pub use human::human;
pub use human::visible::visible;

use clap::builder::{PossibleValue, StyledStr, TypedValueParser};
use clap::{Arg, ArgAction, Command, value_parser};

use crate::schema::{first_sentence, one_line};
use crate::verb::{Registry, Verb};
use plan::{Flag, Form, Item, Need};

/// The long flags that belong to the command as a whole.
pub const GLOBAL: [&str; 10] = [
    "json",
    "profile",
    "url",
    "token-file",
    "idempotency-key",
    "run",
    "dry-run",
    "input",
    "help",
    "version",
];

/// The heading of the fields that must be given.
pub const REQUIRED: &str = "Required";
/// The heading of the fields that can be left out.
pub const OPTIONAL: &str = "Optional";

/// The id of the argument `--input`.
const INPUT: &str = "input";

/// `base` with a subcommand for each noun, and in it one for each of its verbs. A noun that `base`
/// already has keeps what is in it.
pub fn command(base: Command) -> Command {
    let program = base.get_name().to_owned();
    let registry = Registry::get();
    registry.nouns().into_iter().fold(base, |base, noun| {
        let verbs = || registry.iter().filter(|verb| verb.noun() == noun);
        let acts: Vec<_> = verbs().map(Verb::act).collect();
        let with_verbs = |mut command: Command| {
            for verb in verbs() {
                command = command.subcommand(of(&program, verb));
            }
            command
        };
        if base.find_subcommand(noun).is_some() {
            base.mut_subcommand(noun, with_verbs)
        } else {
            let about = format!("{}: {}", noun.replace('-', " "), acts.join(", "));
            let command = Command::new(noun).about(about).subcommand_required(true);
            base.subcommand(with_verbs(command.arg_required_else_help(true)))
        }
    })
}

/// The verb that the matches of [`command`] name, with the matches of its own flags.
pub fn chosen(matches: &clap::ArgMatches) -> Option<(&'static Verb, &clap::ArgMatches)> {
    let (noun, inner) = matches.subcommand()?;
    let (act, inner) = inner.subcommand()?;
    Some((Registry::get().verb(&format!("{noun}.{act}"))?, inner))
}

fn of(program: &str, verb: &'static Verb) -> Command {
    let flags = plan::of(verb);
    let mut usage = vec![program.to_owned(), verb.noun().to_owned(), verb.act().to_owned()];
    usage.push("[OPTIONS]".to_owned());
    let mut command = Command::new(verb.act())
        .about(first_sentence(verb.about))
        .long_about(one_line(verb.about))
        .after_help(format!("Example:\n  {}", line(program, verb, &verb.example_input)));
    let mut places: Vec<&Flag> = flags.iter().filter(|flag| flag.position.is_some()).collect();
    places.sort_by_key(|flag| flag.position);
    for flag in places {
        let more = if matches!(flag.form, Form::List(_)) { "…" } else { "" };
        usage.push(format!("<{}>{more}", flag.value_name()));
        command = command.arg(position(flag));
    }
    for flag in flags.iter().filter(|flag| !flag.shared) {
        if flag.need == Need::Always && flag.position.is_none() {
            usage.push(format!("--{} <{}>", flag.long, flag.value_name()));
        }
        command = command.arg(named(flag));
    }
    command.override_usage(usage.join(" ")).arg(
        Arg::new(INPUT)
            .long(INPUT)
            .value_name("FILE")
            .value_parser(value_parser!(std::path::PathBuf))
            .allow_hyphen_values(true)
            .help_heading(OPTIONAL)
            .help("Read the whole input from this file as JSON (`-`: standard input); flags win over it"),
    )
}

/// The flag of a field. One that can be given by its place is not shown a second time.
fn named(flag: &Flag) -> Arg {
    let arg = Arg::new(flag.id()).long(flag.long.clone()).hide(flag.position.is_some());
    let arg = match &flag.form {
        Form::Boolean => arg.num_args(0..=1).require_equals(true).default_missing_value("true"),
        Form::Scalar | Form::Choice(_) | Form::List(_) | Form::Pairs | Form::Json => arg,
    };
    said(arg, flag)
}

/// The field given by its place.
fn position(flag: &Flag) -> Arg {
    said(Arg::new(flag.position_id()), flag).display_order(0)
}

fn said(arg: Arg, flag: &Flag) -> Arg {
    let heading = if flag.need == Need::Always { REQUIRED } else { OPTIONAL };
    let arg = arg
        .value_name(flag.value_name())
        .help_heading(heading)
        .help(help::short(flag))
        .long_help(StyledStr::from(help::long(flag)))
        .allow_negative_numbers(true)
        .action(if flag.repeats() { ArgAction::Append } else { ArgAction::Set });
    let arg = if flag.repeats() && !arg.get_id().as_str().starts_with("field:") {
        arg.num_args(0..)
    } else {
        arg
    };
    match &flag.form {
        Form::Choice(choices) | Form::List(Item::Choice(choices)) => {
            let values = choices.iter().map(|choice| {
                let value = PossibleValue::new(choice.value.clone());
                match &choice.about {
                    Some(about) => value.help(about.clone()),
                    None => value,
                }
            });
            arg.value_parser(Suggest(values.collect()))
        }
        Form::Boolean => {
            arg.value_parser(Suggest(["true", "false"].map(PossibleValue::new).to_vec()))
        }
        Form::Scalar | Form::List(_) | Form::Pairs | Form::Json => arg,
    }
}

/// Names the values of a closed list for help and completion, and takes any text: what is not in the
/// list is refused by the schema, together with every other fault.
#[derive(Debug, Clone)]
struct Suggest(Vec<PossibleValue>);

impl TypedValueParser for Suggest {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        _: Option<&Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<String, clap::Error> {
        let not_text = || clap::Error::new(clap::error::ErrorKind::InvalidUtf8).with_cmd(command);
        value.to_str().map(str::to_owned).ok_or_else(not_text)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().cloned()))
    }
}

#[cfg(test)]
mod tests;
