//! Owns which server a call goes to and with which token. Invariants: what is said with a flag goes
//! before the environment, and the environment before the profile in use (a profile that is named
//! goes before the environment); a profile's token is sent to the profile's own server only.

use std::path::{Path, PathBuf};

use clap::ArgMatches;
use contract::{Fault, Name};
use tenancy::keys::read_private;
use tenancy::token::Presented;
use url::Url;

use crate::environment::{self, Environment, Token};
use crate::profile::store::{Profile, Store};

/// The server that is called where nothing says which: that of `bailiwick serve`.
pub(crate) const DEFAULT: &str = "http://127.0.0.1:7500";

/// Where a call goes, and as whom.
#[derive(Debug)]
pub(crate) struct Target {
    /// The server, without what a verb adds.
    pub(crate) base: Url,
    /// The caller's token, which is well-formed; none for what anyone may call.
    pub(crate) token: Option<Token>,
    /// Where the token was found.
    found_in: FoundIn,
}

impl Target {
    /// Which server, and whose token: what to look at where a call went elsewhere than was thought.
    pub(crate) fn whence(&self) -> String {
        format!("{} ({})", self.base.as_str().trim_end_matches('/'), self.found_in)
    }
}

/// Where a token was found.
#[derive(Debug, Clone, PartialEq, Eq)]
enum FoundIn {
    Profile(Name),
    File(PathBuf),
    Variable,
    Nowhere,
}

impl std::fmt::Display for FoundIn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Profile(name) => write!(f, "profile {name}"),
            Self::File(file) => write!(f, "token in {}", file.display()),
            Self::Variable => write!(f, "token in {}", environment::TOKEN),
            Self::Nowhere => f.write_str("without a token"),
        }
    }
}

/// What the flags say.
#[derive(Debug, Default)]
struct Said {
    profile: Option<String>,
    url: Option<String>,
    token_file: Option<PathBuf>,
}

/// What the command line, the environment and the profiles amount to.
///
/// # Errors
/// Every fault of them.
pub(crate) fn find(matches: &ArgMatches) -> Result<Target, Vec<Fault>> {
    let said = Said {
        profile: matches.get_one::<String>("profile").cloned(),
        url: matches.get_one::<String>("url").cloned(),
        token_file: matches.get_one::<PathBuf>("token_file").cloned(),
    };
    resolve(&said, environment::read(), &Store::of_this_user())
}

/// Where a call goes that needs no token. None is looked for, so none is sent.
///
/// # Errors
/// Every fault of the flags and profiles.
pub(crate) fn find_open(matches: &ArgMatches) -> Result<Target, Vec<Fault>> {
    let named = matches.get_one::<String>("profile").map(String::as_str);
    let said = matches.get_one::<String>("url").cloned();
    let url = said.or_else(|| environment::read().url.filter(|_| named.is_none()));
    let base = match url {
        Some(url) => base(&url),
        None => profile(named, &Store::of_this_user()).and_then(|profile| {
            base(profile.as_ref().map_or(DEFAULT, |(_, profile)| profile.url.as_str()))
        }),
    };
    let base = base.map_err(|fault| vec![fault])?;
    Ok(Target { base, token: None, found_in: FoundIn::Nowhere })
}

fn resolve(said: &Said, environment: Environment, store: &Store) -> Result<Target, Vec<Fault>> {
    let mut faults = Vec::new();
    let mut keep = |fault: Fault| faults.push(fault);
    let environment = if said.profile.is_some() { Environment::default() } else { environment };
    let url = said.url.clone().or(environment.url);
    let given_token = match &said.token_file {
        Some(file) => {
            let token = read_token(file).map_err(&mut keep).ok();
            token.map(|token| (token, FoundIn::File(file.clone())))
        }
        None => environment.token.map(|token| (token, FoundIn::Variable)),
    };
    let has_token = given_token.is_some() || said.token_file.is_some();
    // With both in hand no profile is needed, and one that is broken is in nobody's way.
    let profile = if said.profile.is_none() && url.is_some() && has_token {
        None
    } else {
        profile(said.profile.as_deref(), store).map_err(&mut keep).ok().flatten()
    };
    let of_profile = profile.as_ref().map(|(_, profile)| profile.url.as_str());
    let base = base(url.as_deref().or(of_profile).unwrap_or(DEFAULT)).map_err(&mut keep).ok();
    if let (Some((name, profile)), Some((_, found_in))) = (&profile, &given_token)
        && said.profile.is_none()
        && url.is_none()
        && !same_server(&profile.url, DEFAULT)
    {
        keep(not_said_where(name, profile, found_in));
    }
    let token = match (given_token, &profile, &base) {
        (Some((token, found_in)), ..) => {
            check(&token).map_err(&mut keep).ok().map(|()| (token, found_in))
        }
        (None, Some((name, profile)), Some(base)) if !has_token => {
            let token = token_of(name, profile, base, store).map_err(&mut keep).ok();
            token.map(|token| (token, FoundIn::Profile(name.clone())))
        }
        (None, None, _) if !has_token && said.profile.is_none() => {
            keep(no_token());
            None
        }
        _ => None,
    };
    match (base, token) {
        (Some(base), Some((token, found_in))) if faults.is_empty() => {
            Ok(Target { base, token: Some(token), found_in })
        }
        _ => Err(faults),
    }
}

/// The profile that was named, else the one in use, if there is one.
fn profile(named: Option<&str>, store: &Store) -> Result<Option<(Name, Profile)>, Fault> {
    let config = store.read()?;
    match named {
        Some(name) => config.named(name).map(Some),
        None => Ok(config.in_use()),
    }
}

/// The profile's token, for the profile's own server.
fn token_of(name: &Name, profile: &Profile, base: &Url, store: &Store) -> Result<Token, Fault> {
    if !same_server(&profile.url, base.as_str()) {
        let say =
            format!("The token of the profile {name} is for {}, not for {base}.", profile.url);
        let fix = "Give --token-file FILE or BAILIWICK_TOKEN beside the URL, or another --profile.";
        return Err(Fault::new("url", say, fix));
    }
    let token = read_token(&store.token_file(name)).map_err(|fault| {
        let fix = format!("Save one: bailiwick profile set {name} --token-file FILE.");
        Fault::new("profile", format!("The profile {name} has no token: {}", fault.say), fix)
    })?;
    check(&token)?;
    Ok(token)
}

/// Whether both URLs lead to the same scheme, host and port.
fn same_server(one: &str, other: &str) -> bool {
    let origin = |text: &str| Url::parse(text).map(|url| url.origin());
    origin(one).is_ok_and(|one| origin(other).is_ok_and(|other| one == other))
}

/// A token that was given without a URL could be meant for the profile's server or for the one that
/// is called where nothing is said. Sent to the wrong one, it is no secret any more.
fn not_said_where(name: &Name, profile: &Profile, found_in: &FoundIn) -> Fault {
    let url = &profile.url;
    let say = format!(
        "The {found_in} was given without a URL, and the profile in use, {name}, is for {url}: it \
         is not sent on a guess."
    );
    let fix = format!("Add --url {DEFAULT}, or --url {url}, or --profile {name}.");
    Fault::new("url", say, fix)
}

/// A server's address: HTTP or HTTPS, and nothing that a call would have to drop.
pub(crate) fn base(text: &str) -> Result<Url, Fault> {
    let fault = |say: String| Fault::new("url", say, format!("Give one such as {DEFAULT}."));
    let url = Url::parse(text).map_err(|error| fault(format!("{text:?} is no URL: {error}.")))?;
    let plain = url.query().is_none()
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none();
    if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
        Err(fault(format!("{text:?} is neither http:// nor https:// with a host.")))
    } else if !plain {
        Err(fault("The URL carries a user, a query or a fragment.".to_owned()))
    } else {
        Ok(url)
    }
}

/// The token in a file that nobody else may read.
pub(crate) fn read_token(file: &Path) -> Result<Token, Fault> {
    let secret = read_private(file).map_err(|error| {
        let fix = "Name a file that holds the token and that only you may read (chmod 0600).";
        Fault::new("token_file", format!("{error}."), fix)
    })?;
    let text = secret.expose_text().ok_or_else(|| {
        let say = format!("{} holds no text.", file.display());
        Fault::new("token_file", say, "Put the token into it as it was shown.")
    })?;
    Ok(Token::new(text))
}

/// That a token is one of this service's, before it is sent or kept.
pub(crate) fn check(token: &Token) -> Result<(), Fault> {
    Presented::parse(token.expose()).map(|_| ()).map_err(|error| {
        let say = format!("This is not a token of this service: {error}.");
        Fault::new("token", say, "Give the whole token as it was shown: bw_….")
    })
}

fn no_token() -> Fault {
    let fix =
        "Give --token-file FILE, set BAILIWICK_TOKEN, or keep one with `bailiwick profile set`.";
    Fault::new("token", "There is no token to call with.", fix)
}

#[cfg(test)]
mod tests;
