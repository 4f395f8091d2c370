//! The configuration: one TOML file with profiles, targets, bundles and defaults.
//!
//! ```toml
//! [defaults]
//! profile = "reference"
//! target = "local"
//!
//! [profiles.other]
//! command = ["some-agent", "--acp"]
//! env = { SOME_KEY = "value" }
//! permissions = "reject"
//!
//! [targets.box]
//! kind = "container"
//! image = "localhost/coding:1"
//!
//! [targets.builder]
//! kind = "ssh"
//! destination = "me@builder"
//!
//! [bundles.product]
//! primary_repo = "app"
//!
//! [[bundles.product.repositories]]
//! id = "app"
//! source = "https://example.org/app.git"
//! ```
//!
//! Without a file, or beside what it says, there are the profile `reference` and the target `local`.
//!
//! What must stay true: an error names the file, the line, what is wrong and what would be right; a
//! member that is not known is an error.

mod bundle;
mod error;
mod file;
mod profile;
mod target;

use std::{collections::BTreeMap, path::Path};

pub use bundle::{BundleConfig, RepositoryConfig};
pub use error::ConfigError;
pub use profile::{FileCopy, Permissions, ProfileConfig};
pub use target::{
    ContainerConfig, KubernetesConfig, LocalConfig, SshConfig, TargetConfig, TargetKind,
};

/// The profile that is there without any file: the reference agent.
pub const REFERENCE_PROFILE: &str = "reference";

/// The target that is there without any file: this machine.
pub const LOCAL_TARGET: &str = "local";

/// A checked configuration: every reference in it names something that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// By id.
    pub profiles: BTreeMap<String, ProfileConfig>,
    /// By id.
    pub targets: BTreeMap<String, TargetConfig>,
    /// By id.
    pub bundles: BTreeMap<String, BundleConfig>,
    /// The profile of a session that names none.
    pub default_profile: String,
    /// The target of a session that names none.
    pub default_target: String,
}

impl Config {
    /// Reads the file; one that does not exist says nothing.
    ///
    /// # Errors
    /// The file cannot be read, or is wrong, see [`ConfigError`].
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        match std::fs::read_to_string(path) {
            Ok(text) => Self::parse(path, &text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(source) => Err(ConfigError::Read {
                path: path.to_owned(),
                source,
            }),
        }
    }

    /// Reads the text of a file. `path` is for the errors only.
    ///
    /// # Errors
    /// See [`ConfigError`].
    pub fn parse(path: &Path, text: &str) -> Result<Self, ConfigError> {
        file::parse(text).map_err(|wrong| wrong.at(path, text))
    }
}

impl Default for Config {
    fn default() -> Self {
        let profiles = [(REFERENCE_PROFILE.to_owned(), ProfileConfig::reference())];
        let targets = [(LOCAL_TARGET.to_owned(), TargetConfig::local(LOCAL_TARGET))];
        Self {
            profiles: profiles.into(),
            targets: targets.into(),
            bundles: BTreeMap::new(),
            default_profile: REFERENCE_PROFILE.to_owned(),
            default_target: LOCAL_TARGET.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests;
