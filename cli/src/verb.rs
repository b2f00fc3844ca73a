//! Owns a verb of the contract as a command: flags to input, input to the service, answer to the
//! terminal. Invariant: what can be found wrong here is refused here, all faults together, and
//! nothing is sent.

use std::fs::File;
use std::io::{self, Read};

use clap::ArgMatches;
use contract::render::cli::{Source, chosen, collect, mend, schema, schema_asked, secrets, source};
use contract::verb::Needs;
use contract::{Fault, Refusal};

use crate::client::{Client, With};
use crate::failure::Failure;
use crate::{Exit, output, target};

/// The largest input that is read: what the service takes, and one more byte to notice.
const INPUT_MAX_BYTES: u64 = 4 * 1024 * 1024;

/// Carries out the verb that `matches` name.
pub(crate) async fn command(matches: &ArgMatches) -> Exit {
    let Some((verb, of_verb)) = chosen(matches) else {
        let fix = "Add --help to see the commands there are.";
        return Err(Fault::new("command", "There is no such command.", fix).into());
    };
    if schema_asked(of_verb) {
        output::out(&schema(verb));
        return Ok(0);
    }
    let whole = source(of_verb).map(|source| read(source, "input")).transpose()?;
    let secrets = read_secrets(secrets(verb, of_verb), source(of_verb) == Some(Source::Stdin))?;
    let input = collect(verb, of_verb, whole.as_deref(), &secrets);
    let open = verb.needs == Needs::Anyone;
    let target = if open { target::find_open(of_verb) } else { target::find(of_verb) };
    let with = With::of(verb, of_verb);
    let (input, target, with) = match (input, target, with) {
        (Ok(input), Ok(target), Ok(with)) => (input, target, with),
        (input, target, with) => {
            let more = target.err().into_iter().chain(with.err()).flatten();
            return Err(together(input.err(), more));
        }
    };
    let client = Client::new(target)?;
    let mut reply = client.call(verb, &input, &with).await?;
    reply.mend(|refusal| mend(verb, of_verb, refusal));
    Ok(reply.show(verb, of_verb.get_flag("json"), &client.whence()))
}

/// One refusal of everything that is wrong.
fn together(of_input: Option<Box<Refusal>>, more: impl Iterator<Item = Fault>) -> Failure {
    match of_input {
        // A body that cannot be read has no fields to name the faults of.
        Some(refusal) if refusal.faults.is_empty() => refusal.into(),
        refusal => {
            let faults = refusal.map(|refusal| refusal.faults).unwrap_or_default();
            Refusal::of_input(faults.into_iter().chain(more).collect()).into()
        }
    }
}

/// The texts of the secrets that are in files. Standard input can be read once.
fn read_secrets(
    named: Vec<(String, Source<'_>)>,
    mut stdin_is_read: bool,
) -> Result<Vec<(String, String)>, Fault> {
    let mut texts = Vec::new();
    for (field, source) in named {
        let flag = format!("{field}_file");
        if source == Source::Stdin && std::mem::replace(&mut stdin_is_read, true) {
            let say = "Standard input was named twice.";
            return Err(Fault::new(flag, say, "Name a file."));
        }
        let text = String::from_utf8(read(source, &flag)?).map_err(|_| {
            Fault::new(&flag, "The file holds no text.", "Name a file that holds the secret.")
        })?;
        texts.push((field, text));
    }
    Ok(texts)
}

/// What a flag names: the whole input, or a secret.
fn read(source: Source<'_>, flag: &str) -> Result<Vec<u8>, Fault> {
    let (name, read) = match source {
        Source::Stdin => ("standard input".to_owned(), bytes(io::stdin().lock())),
        Source::File(path) => (path.display().to_string(), File::open(path).and_then(bytes)),
    };
    let fix = "Name a file, or `-` for standard input.";
    let bytes = read.map_err(|error| Fault::new(flag, format!("{name}: {error}."), fix))?;
    if bytes.len() as u64 > INPUT_MAX_BYTES {
        let say = format!("{name} is larger than {INPUT_MAX_BYTES} bytes.");
        return Err(Fault::new(flag, say, "Send less."));
    }
    Ok(bytes)
}

fn bytes(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(INPUT_MAX_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
