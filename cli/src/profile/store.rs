//! Owns the profiles on disk: one JSON file, and beside it a file a token. Invariant: a token is in no
//! other file than its own, which only its owner may read; each file is whole or absent.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use contract::{Fault, Name};
use serde::{Deserialize, Serialize};
use tenancy::clock::Source;
use tenancy::keys::{private_folder, write_private};

use crate::environment::{self, Token};

/// A server under a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Profile {
    /// Where it answers.
    pub(crate) url: String,
}

/// What the file holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
    /// The profile in use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) current: Option<Name>,
    /// All profiles.
    #[serde(default)]
    pub(crate) profiles: BTreeMap<Name, Profile>,
}

impl Config {
    /// The profile in use.
    pub(crate) fn in_use(&self) -> Option<(Name, Profile)> {
        let name = self.current.as_ref()?;
        Some((name.clone(), self.profiles.get(name)?.clone()))
    }

    /// The profile of that name.
    pub(crate) fn named(&self, name: &str) -> Result<(Name, Profile), Fault> {
        let found = self.profiles.iter().find(|(known, _)| known.as_str() == name);
        found.map(|(name, profile)| (name.clone(), profile.clone())).ok_or_else(|| {
            let known: Vec<&str> = self.profiles.keys().map(Name::as_str).collect();
            let fix = if known.is_empty() {
                format!("Make it: bailiwick profile set {name} --url URL --token-file FILE.")
            } else {
                format!("Name one of: {}.", known.join(", "))
            };
            Fault::new("profile", format!("There is no profile {name:?}."), fix)
        })
    }

    /// Makes the profile, or changes where it leads.
    pub(crate) fn set(&mut self, name: &Name, url: String) {
        self.profiles.insert(name.clone(), Profile { url });
    }
}

/// Where profiles are kept.
#[derive(Debug)]
pub(crate) struct Store {
    /// `None` if there is no place for them.
    file: Option<PathBuf>,
}

impl Store {
    /// Where the environment says.
    pub(crate) fn of_this_user() -> Self {
        Self { file: environment::config_file() }
    }

    /// In this file.
    #[cfg(test)]
    pub(crate) fn at(file: PathBuf) -> Self {
        Self { file: Some(file) }
    }

    /// The file, if there is a place for it.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// What is there; nothing at first.
    pub(crate) fn read(&self) -> Result<Config, Fault> {
        let Some(file) = &self.file else { return Ok(Config::default()) };
        match fs::read(file) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| {
                let say = format!("{} holds no profiles: {error}.", file.display());
                Fault::new("profile", say, "Mend the file, or remove it and set the profiles anew.")
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Config::default()),
            Err(error) => {
                let say = format!("{} cannot be read: {error}.", file.display());
                Err(Fault::new("profile", say, "Name another file with BAILIWICK_CONFIG."))
            }
        }
    }

    /// Puts `config` in the place of what was there.
    pub(crate) fn write(&self, config: &Config, source: &dyn Source) -> anyhow::Result<()> {
        let mut text = serde_json::to_vec_pretty(config)?;
        text.push(b'\n');
        Ok(write_private(self.folder_made()?, &text, source)?)
    }

    /// The file of a profile's token.
    pub(crate) fn token_file(&self, name: &Name) -> PathBuf {
        let beside = format!("{name}.token");
        self.file
            .as_ref()
            .map_or_else(|| PathBuf::from(&beside), |file| file.with_file_name(&beside))
    }

    /// Keeps a profile's token, in place of the one before.
    pub(crate) fn write_token(
        &self,
        name: &Name,
        token: &Token,
        source: &dyn Source,
    ) -> anyhow::Result<()> {
        self.folder_made()?;
        Ok(write_private(&self.token_file(name), token.expose().as_bytes(), source)?)
    }

    /// Forgets a profile's token.
    pub(crate) fn remove_token(&self, name: &Name) -> anyhow::Result<()> {
        match fs::remove_file(self.token_file(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// The file, whose folder is there. One that is made is its owner's alone; one that was there is
    /// left as it is, since it may be anybody's.
    fn folder_made(&self) -> anyhow::Result<&Path> {
        let file = self.file.as_deref().ok_or_else(|| {
            anyhow::anyhow!("there is no home for profiles: set {}", environment::CONFIG)
        })?;
        if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty())
            && !folder.exists()
        {
            if let Some(above) = folder.parent() {
                fs::create_dir_all(above)?;
            }
            private_folder(folder)?;
        }
        Ok(file)
    }
}
