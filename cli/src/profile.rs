//! Owns `bailiwick profile`: servers and tokens under names. Invariant: no token is taken from the
//! command line, where every process of the machine could read it, and none is ever printed.

pub(crate) mod store;

use std::io::{self, Read as _};
use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command};
use contract::render::cli::visible;
use contract::{Fault, Name, Refusal};
use serde_json::json;
use tenancy::clock::Machine;

use crate::environment::Token;
use crate::{Exit, output, target};
use store::{Config, Store};

/// More than any token, in bytes.
const TOKEN_MAX_BYTES: u64 = 4096;

/// The command.
pub(crate) fn arguments() -> Command {
    let name = || Arg::new("NAME").required(true).help("The profile's name, such as acme");
    let set = Command::new("set")
        .about("Make a profile, or change its server or its token")
        .long_about(
            "Makes a profile, or changes its server (--url) or its token (--token-file or \
             --token-stdin). The first profile is in use at once. The token goes into a file of its \
             own that only you may read.",
        )
        .after_help(
            "Example:\n  bailiwick profile set acme --url http://127.0.0.1:7500 --token-file ./ana.token",
        )
        .arg(name())
        .arg(
            Arg::new("token_stdin")
                .long("token-stdin")
                .action(ArgAction::SetTrue)
                .conflicts_with("token_file")
                .help("Read the token from standard input"),
        );
    let list = Command::new("list")
        .about("List the profiles; the one in use is marked")
        .after_help("Example:\n  bailiwick profile list");
    let switch = Command::new("use")
        .about("Call as this profile from now on")
        .after_help("Example:\n  bailiwick profile use acme")
        .arg(name());
    let remove = Command::new("remove")
        .about("Forget a profile and its token")
        .after_help("Example:\n  bailiwick profile remove acme")
        .arg(name());
    Command::new("profile")
        .about("Keep servers and tokens under names")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands([set, list, switch, remove])
}

/// Carries it out.
pub(crate) fn command(matches: &ArgMatches) -> Exit {
    let store = Store::of_this_user();
    match matches.subcommand() {
        Some(("set", matches)) => set(&store, matches),
        Some(("use", matches)) => switch(&store, matches),
        Some(("remove", matches)) => remove(&store, matches),
        Some((_, matches)) => list(&store, matches.get_flag("json")),
        None => Ok(2),
    }
}

fn set(store: &Store, matches: &ArgMatches) -> Exit {
    let mut faults = Vec::new();
    let mut keep = |fault: Fault| faults.push(fault);
    let config = store.read().map_err(&mut keep).ok();
    let name = name_of(matches).map_err(&mut keep).ok();
    let known = name.as_ref().and_then(|name| config.as_ref()?.profiles.get(name));
    let url = match (matches.get_one::<String>("url"), known) {
        (Some(url), _) => target::base(url).map_err(&mut keep).ok().map(|_| url.clone()),
        (None, Some(known)) => Some(known.url.clone()),
        (None, None) => {
            let fix = format!("Give --url, such as {}.", target::DEFAULT);
            keep(Fault::new("url", "A new profile needs the URL of its server.", fix));
            None
        }
    };
    let token = match token(matches) {
        Some(token) => {
            token.and_then(|token| target::check(&token).map(|()| token)).map_err(&mut keep).ok()
        }
        None => None,
    };
    let (Some(mut config), Some(name), Some(url), true) = (config, name, url, faults.is_empty())
    else {
        return Err(Refusal::of_input(faults).into());
    };
    // A token goes with the server it was given for, and to no other.
    let moved = config.profiles.get(&name).is_some_and(|known| known.url != url);
    config.set(&name, url);
    config.current.get_or_insert_with(|| name.clone());
    match &token {
        Some(token) => store.write_token(&name, token, &Machine)?,
        None if moved => store.remove_token(&name)?,
        None => {}
    }
    store.write(&config, &Machine)?;
    said(store, &config, &name);
    Ok(0)
}

fn said(store: &Store, config: &Config, name: &Name) {
    let Some(profile) = config.profiles.get(name) else { return };
    output::line(&format!("profile {name}: {}", visible(&profile.url)));
    if !store.token_file(name).exists() {
        output::line("  It has no token yet: give --token-file FILE or --token-stdin.");
    } else if config.current.as_ref() == Some(name) {
        output::line("  It is in use. See who it calls as: bailiwick token whoami");
    } else {
        let in_use = config.current.as_ref().map_or("None", Name::as_str);
        output::line(&format!("  {in_use} is in use. Use this one: bailiwick profile use {name}"));
    }
}

fn list(store: &Store, as_json: bool) -> Exit {
    let config = store.read()?;
    let in_use = |name: &Name| config.current.as_ref() == Some(name);
    if as_json {
        let all = config.profiles.iter().map(|(name, profile)| {
            let token = store.token_file(name).exists();
            json!({ "name": name, "url": profile.url, "token": token, "in_use": in_use(name) })
        });
        output::line(&json!({ "profiles": all.collect::<Vec<_>>() }).to_string());
        return Ok(0);
    }
    if config.profiles.is_empty() {
        output::line("(none)");
        output::line("Make one: bailiwick profile set NAME --url URL --token-file FILE");
    }
    let width = config.profiles.keys().map(|name| name.as_str().len()).max().unwrap_or(0);
    for (name, profile) in &config.profiles {
        let mark = if in_use(name) { "*" } else { " " };
        let token = if store.token_file(name).exists() { "" } else { "  (no token)" };
        output::line(&format!("{mark} {:width$}  {}{token}", name.as_str(), visible(&profile.url)));
    }
    if let Some(file) = store.file().filter(|_| !config.profiles.is_empty()) {
        output::line(&format!("kept in {}", file.display()));
    }
    Ok(0)
}

fn switch(store: &Store, matches: &ArgMatches) -> Exit {
    let mut config = store.read()?;
    let (name, _) = config.named(text_of(matches))?;
    config.current = Some(name.clone());
    store.write(&config, &Machine)?;
    said(store, &config, &name);
    Ok(0)
}

fn remove(store: &Store, matches: &ArgMatches) -> Exit {
    let mut config = store.read()?;
    let (name, _) = config.named(text_of(matches))?;
    config.profiles.remove(&name);
    if config.current.as_ref() == Some(&name) {
        config.current = None;
    }
    store.remove_token(&name)?;
    store.write(&config, &Machine)?;
    output::line(&format!("profile {name} is forgotten; its token stands until it is revoked"));
    Ok(0)
}

fn text_of(matches: &ArgMatches) -> &str {
    matches.get_one::<String>("NAME").map_or("", String::as_str)
}

fn name_of(matches: &ArgMatches) -> Result<Name, Fault> {
    text_of(matches).parse().map_err(|error: contract::name::Malformed| {
        Fault::new("NAME", format!("{error}."), "Name it as tenants are named, such as acme.")
    })
}

/// The token that is given, if one is.
fn token(matches: &ArgMatches) -> Option<Result<Token, Fault>> {
    if let Some(file) = matches.get_one::<PathBuf>("token_file") {
        return Some(target::read_token(file));
    }
    if !matches.get_flag("token_stdin") {
        return None;
    }
    let mut text = zeroize::Zeroizing::new(String::new());
    let read = io::stdin().lock().take(TOKEN_MAX_BYTES).read_to_string(&mut text);
    Some(read.map(|_| Token::new(&text)).map_err(|error| {
        let say = format!("Standard input cannot be read: {error}.");
        Fault::new("token_stdin", say, "Send the token as text.")
    }))
}
