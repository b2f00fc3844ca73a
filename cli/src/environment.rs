//! Owns what is read from the environment. Invariant: no other module reads it, and no value of it is
//! printed.

use std::env;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use contract::render::cli;

use zeroize::Zeroizing;

/// Names the file that profiles are kept in.
pub(crate) const CONFIG: &str = "BAILIWICK_CONFIG";
/// The token to call with, in place of the profile's.
pub(crate) const TOKEN: &str = "BAILIWICK_TOKEN";
/// The server to call, in place of the profile's.
pub(crate) const URL: &str = "BAILIWICK_URL";
/// What is logged, in the syntax of `tracing-subscriber`'s `EnvFilter`.
pub(crate) const LOG: &str = "BAILIWICK_LOG";

/// How wide the window is, in characters (POSIX.1-2024, section 8.3).
pub(crate) const COLUMNS: &str = "COLUMNS";
/// The widths that can be written for.
const WIDTHS: RangeInclusive<usize> = 40..=1000;

/// What a call takes from the environment.
#[derive(Debug, Default)]
pub(crate) struct Environment {
    /// See [`URL`].
    pub(crate) url: Option<String>,
    /// See [`TOKEN`].
    pub(crate) token: Option<Token>,
}

/// A token, which shows in no `Debug`.
#[derive(Clone)]
pub(crate) struct Token(Zeroizing<String>);

impl Token {
    /// A token as it was written down, with white space around it.
    pub(crate) fn new(text: &str) -> Self {
        Self(Zeroizing::new(text.trim().to_owned()))
    }

    /// The token.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}

/// What is there now. A variable that is empty is taken as not set.
pub(crate) fn read() -> Environment {
    Environment { url: text(URL), token: text(TOKEN).map(|text| Token::new(&text)) }
}

/// The variable's value, unless it is not set, empty or no text.
pub(crate) fn text(variable: &str) -> Option<String> {
    env::var(variable).ok().filter(|text| !text.trim().is_empty())
}

/// How wide to write, in characters, on a terminal and elsewhere.
pub(crate) fn width() -> usize {
    let said = text(COLUMNS).and_then(|text| text.trim().parse::<usize>().ok());
    said.map_or(cli::WIDTH, |said| said.clamp(*WIDTHS.start(), *WIDTHS.end()))
}

/// The file that profiles are kept in: [`CONFIG`], else in the folder that the XDG base directory
/// specification (version 0.8) names. `None` if there is neither it nor a home.
pub(crate) fn config_file() -> Option<PathBuf> {
    let path = |variable: &str| env::var_os(variable).map(PathBuf::from);
    if let Some(file) = path(CONFIG).filter(|file| !file.as_os_str().is_empty()) {
        return Some(file);
    }
    // The specification has relative paths ignored.
    let folder = path("XDG_CONFIG_HOME").filter(|folder| folder.is_absolute()).or_else(|| {
        path("HOME").filter(|home| home.is_absolute()).map(|home| home.join(".config"))
    });
    folder.map(|folder| folder.join("bailiwick").join("config.json"))
}
