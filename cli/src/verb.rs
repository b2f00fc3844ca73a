//! Owns a verb of the contract as a command: flags to input, input to the service, answer to the
//! terminal. Invariant: what can be found wrong here is refused here, all faults together, and
//! nothing is sent.

use std::fs::File;
use std::io::{self, Read};

use clap::ArgMatches;
use contract::render::cli::{Source, chosen, collect, source};
use contract::{Fault, Refusal};

use crate::client::{Client, With};
use crate::failure::Failure;
use crate::{Exit, target};

/// The largest input that is read: what the service takes, and one more byte to notice.
const INPUT_MAX_BYTES: u64 = 4 * 1024 * 1024;

/// Carries out the verb that `matches` name.
pub(crate) async fn command(matches: &ArgMatches) -> Exit {
    let Some((verb, of_verb)) = chosen(matches) else {
        let fix = "Add --help to see the commands there are.";
        return Err(Fault::new("command", "There is no such command.", fix).into());
    };
    let whole = source(of_verb).map(read).transpose()?;
    let input = collect(verb, of_verb, whole.as_deref());
    let target = target::find(of_verb);
    let with = With::of(verb, of_verb);
    let (input, target, with) = match (input, target, with) {
        (Ok(input), Ok(target), Ok(with)) => (input, target, with),
        (input, target, with) => {
            let more = target.err().into_iter().chain(with.err()).flatten();
            return Err(together(input.err(), more));
        }
    };
    let reply = Client::new(target)?.call(verb, &input, &with).await?;
    Ok(reply.show(verb, of_verb.get_flag("json")))
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

/// The whole input that `--input` names.
fn read(source: Source<'_>) -> Result<Vec<u8>, Fault> {
    let (name, read) = match source {
        Source::Stdin => ("standard input".to_owned(), bytes(io::stdin().lock())),
        Source::File(path) => (path.display().to_string(), File::open(path).and_then(bytes)),
    };
    let fix = "Name a file of JSON, or `-` for standard input.";
    let bytes = read.map_err(|error| Fault::new("input", format!("{name}: {error}."), fix))?;
    if bytes.len() as u64 > INPUT_MAX_BYTES {
        let say = format!("{name} is larger than {INPUT_MAX_BYTES} bytes.");
        return Err(Fault::new("input", say, "Send less."));
    }
    Ok(bytes)
}

fn bytes(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(INPUT_MAX_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
