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
//! the first required field can, if it is a single value or a list of them, and after a single value
//! the pairs of the verb's only object with free names. `--input FILE` (`-` is standard input) gives
//! a whole input as JSON; flags beside it win over it. A text that is a secret (`writeOnly`) or a document (`contentMediaType`) can be
//! read from a file: `--name-file FILE`. `--schema` prints the schema of the input.
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
mod mend;
mod plan;

pub use argv::{argv, line};
pub use collect::{Source, collect, secrets, source};
pub(super) use help::limits;
pub use human::visible::visible;
pub use human::{WIDTH, human};
pub use mend::mend;

use clap::builder::{PossibleValue, StyledStr, TypedValueParser};
use clap::{Arg, ArgAction, Command, value_parser};

use crate::schema::{first_sentence, one_line};
use crate::verb::{Registry, Verb};
use plan::{Flag, Form, Item, Need};

/// The long flags that belong to the command as a whole.
pub const GLOBAL: [&str; 11] = [
    "json",
    "schema",
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
/// The id of the argument `--schema`.
const SCHEMA: &str = "schema";

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

/// Whether the schema of the verb's input is asked for, and nothing else.
pub fn schema_asked(matches: &clap::ArgMatches) -> bool {
    matches.try_get_one::<bool>(SCHEMA).ok().flatten().copied().unwrap_or_default()
}

/// The verb's worked example as one line for a shell.
pub fn example(verb: &Verb) -> String {
    argv::example("bailiwick", verb)
}

/// The schema of the verb's input, indented. Ends with a newline.
pub fn schema(verb: &Verb) -> String {
    format!("{:#}\n", verb.input)
}

fn of(program: &str, verb: &'static Verb) -> Command {
    let flags = plan::of(verb);
    let path = format!("{program} {} {}", verb.noun(), verb.act());
    let mut usage = vec![path.clone(), "[OPTIONS]".to_owned()];
    let mut command = Command::new(verb.act())
        .about(first_sentence(verb.about))
        .long_about(one_line(verb.about))
        .after_help(format!("Example:\n  {}", argv::example(program, verb)));
    let mut places: Vec<&Flag> = flags.iter().filter(|flag| flag.position.is_some()).collect();
    places.sort_by_key(|flag| flag.position);
    for flag in places {
        let more = if flag.repeats() { "…" } else { "" };
        usage.push(if flag.form == Form::Pairs {
            format!("[{}]{more}", flag.value_name())
        } else {
            format!("<{}>{more}", flag.value_name())
        });
        command = command.arg(said(Arg::new(flag.position_id()), flag, &path).display_order(0));
    }
    for flag in flags.iter().filter(|flag| !flag.shared) {
        if flag.need == Need::Always && flag.position.is_none() {
            usage.push(if flag.is_in_file() {
                format!("--{} <FILE>", flag.file_long())
            } else {
                format!("--{} <{}>", flag.long, flag.value_name())
            });
        }
        command = command.arg(named(flag, &path));
        if flag.is_in_file() {
            command = command.arg(in_file(flag));
        }
    }
    let command = command.override_usage(usage.join(" "));
    command.arg(whole()).arg(
        Arg::new(SCHEMA)
            .long(SCHEMA)
            .action(ArgAction::SetTrue)
            .help_heading(OPTIONAL)
            .help("Print the JSON Schema of the input, and do nothing else"),
    )
}

fn whole() -> Arg {
    file(INPUT, INPUT).help_heading(OPTIONAL).help(
        "Read the whole input from this file as JSON (`-`: standard input); flags win over it",
    )
}

/// The flag that names a file with a secret or a document.
fn in_file(flag: &Flag) -> Arg {
    file(&flag.file_id(), &flag.file_long()).help_heading(heading(flag)).help(format!(
        "Read `{}` from this file (`-`: standard input), without the line feed at its end",
        flag.field()
    ))
}

fn file(id: &str, long: &str) -> Arg {
    Arg::new(id.to_owned())
        .long(long.to_owned())
        .value_name("FILE")
        .value_parser(value_parser!(std::path::PathBuf))
        .allow_hyphen_values(true)
}

/// The flag of a field. One that can be given by its place is not shown a second time.
fn named(flag: &Flag, path: &str) -> Arg {
    let arg = Arg::new(flag.id()).long(flag.long.clone()).hide(flag.position.is_some());
    let arg = match &flag.form {
        Form::Boolean => arg.num_args(0..=1).require_equals(true).default_missing_value("true"),
        Form::Scalar | Form::Choice(_) | Form::List(_) | Form::Pairs | Form::Json => arg,
    };
    said(arg, flag, path)
}

fn heading(flag: &Flag) -> &'static str {
    if flag.need == Need::Always { REQUIRED } else { OPTIONAL }
}

/// What help and completion say of a field, by its name or its place. `path` is the command's.
fn said(arg: Arg, flag: &Flag, path: &str) -> Arg {
    let arg = arg
        .value_name(flag.value_name())
        .help_heading(heading(flag))
        .help(help::short(flag))
        .long_help(StyledStr::from(help::long(flag, path)))
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
