//! Owns `bailiwick ledger save`: the parts of an export put together in a file. Invariant: the file
//! is there whole or not at all; what was there before is replaced only if that was asked for, and
//! stays until then.

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use contract::render::cli::visible;
use contract::verb::Declare as _;
use contract::verbs::ledger::{Export, ExportInput, Part};
use contract::{Fault, Refusal, Registry};
use data_plane::ledger::export::Header;
use data_plane::ledger::verify::{Pins, verify};

use super::verify::words;
use crate::client::{Client, With};
use crate::{Exit, output, target};

/// The command.
pub(super) fn arguments() -> Command {
    Command::new("save")
        .about("Save the whole ledger as a file that verifies with no server")
        .after_help("Example:\n  bailiwick ledger save acme.jsonl")
        .arg(
            Arg::new("FILE")
                .required(true)
                .value_parser(value_parser!(PathBuf))
                .help("Where to; `-` is standard output"),
        )
        .arg(
            Arg::new("force")
                .long("force")
                .action(ArgAction::SetTrue)
                .help("Replace the file if it is there"),
        )
}

/// Carries it out.
pub(crate) async fn command(matches: &ArgMatches) -> Exit {
    let file = matches.get_one::<PathBuf>("FILE").map_or_else(|| Path::new("-"), PathBuf::as_path);
    let is_there = fs::symlink_metadata(file).is_ok() && file.as_os_str() != "-";
    let fault = (is_there && !matches.get_flag("force")).then(|| {
        let say = format!("{} is there already.", file.display());
        Fault::new("FILE", say, "Name another file, or add --force to replace it.")
    });
    let target = match (target::find(matches), fault) {
        (Ok(target), None) => target,
        (target, fault) => {
            let faults = fault.into_iter().chain(target.err().into_iter().flatten());
            return Err(Refusal::of_input(faults.collect()).into());
        }
    };
    let client = Client::new(target)?;
    let as_json = matches.get_flag("json");
    if file.as_os_str() == "-" {
        return parts(&client, as_json, &mut |text| {
            output::out(text);
            Ok(())
        })
        .await;
    }
    let part = beside(file);
    let mut options = OpenOptions::new();
    let made = options.write(true).create_new(true).mode(0o600).open(&part);
    let mut made = made.with_context(|| format!("cannot make {}", part.display()))?;
    let done = parts(&client, as_json, &mut |text| Ok(made.write_all(text.as_bytes())?)).await;
    let kept = match &done {
        Ok(0) => made
            .sync_all()
            .and_then(|()| fs::rename(&part, file))
            .with_context(|| format!("cannot put the export in its place, {}", file.display())),
        _ => Ok(()),
    };
    if !matches!(done, Ok(0)) || kept.is_err() {
        // The first failure is the one to hear of.
        drop(fs::remove_file(&part));
    }
    kept?;
    if let Ok(0) = done {
        report(file)?;
    }
    done
}

/// Reads every part. An answer that is none is printed, and its exit code answered.
async fn parts(
    client: &Client,
    as_json: bool,
    keep: &mut (dyn FnMut(&str) -> anyhow::Result<()> + Send),
) -> Exit {
    let verb = Registry::get().verb(Export::NAME).context("the contract has no export")?;
    let mut input = ExportInput::default();
    loop {
        let said = serde_json::to_value(&input).map_err(anyhow::Error::from)?;
        let reply = client.call(verb, &said, &With::default()).await?;
        let Some(part) = reply.result::<Part>() else {
            return Ok(reply.show(verb, as_json, &client.whence()));
        };
        keep(&part.text)?;
        match part.cursor {
            None => return Ok(0),
            next if next == input.cursor => {
                return Err(anyhow::anyhow!("the export does not go on from {next:?}").into());
            }
            next => input.cursor = next,
        }
    }
}

/// Verifies what was saved, and says how to do it again.
fn report(file: &Path) -> anyhow::Result<()> {
    let saved = File::open(file)?;
    let length = saved.metadata()?.len();
    let shown = visible(&file.display().to_string());
    output::line(&format!("saved {length} bytes: {shown}"));
    let pins = Pins::default();
    let report = verify(BufReader::new(&saved), &pins)
        .with_context(|| format!("{shown} was saved as it was sent, and does not hold"))?;
    output::out(&words(&report, &pins));
    let mut first = String::new();
    BufReader::new(File::open(file)?).read_line(&mut first)?;
    let header: Header = serde_json::from_str(&first)?;
    for key in header.keys {
        output::line(&format!("  --key {}   ({})", key.public_key_b64, visible(&key.name)));
    }
    output::line(&format!("Verify it anywhere: bailiwick ledger verify {shown}"));
    Ok(())
}

/// A name in the same folder, so that the file can be renamed.
fn beside(file: &Path) -> PathBuf {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    file.with_file_name(name)
}
