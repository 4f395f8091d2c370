//! Where an instance keeps its files: one configuration directory, one data directory.
//!
//! Instances share nothing, so tests and careful users can run several.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use crate::api::Endpoint;

/// Names the instance, like `--instance`.
pub const INSTANCE_VARIABLE: &str = "ACP_SESSIONS_INSTANCE";

/// Names the configuration directory.
pub const CONFIG_DIR_VARIABLE: &str = "ACP_SESSIONS_CONFIG_DIR";

/// Names the data directory.
pub const DATA_DIR_VARIABLE: &str = "ACP_SESSIONS_DATA_DIR";

/// The folder below the user's own directories.
const FOLDER: &str = "acp-sessions";

/// Names of instances are folder names.
const LONGEST_NAME: usize = 64;

/// The directories of an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// Its name; none for the user's usual one.
    pub name: Option<String>,
    /// Holds `config.toml`.
    pub config_dir: PathBuf,
    /// Holds everything else.
    pub data_dir: PathBuf,
}

/// Why there is no instance.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum InstanceError {
    /// Its name cannot be a folder.
    #[error(
        "{0:?} cannot be the name of an instance: 1 to {LONGEST_NAME} letters, digits, \"-\" and \"_\""
    )]
    Name(String),
    /// Nothing says where the user's files are.
    #[error("cannot find the {what} directory: set {variable}, or HOME")]
    NoHome {
        /// Which.
        what: &'static str,
        /// What would name it.
        variable: &'static str,
    },
}

impl Instance {
    /// Finds the directories: the variables name them outright; else they lie in the user's own
    /// directories, by the name of the instance. `name` is that of the command line and outranks
    /// the variable.
    ///
    /// # Errors
    /// See [`InstanceError`].
    pub fn resolve(
        name: Option<&str>,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self, InstanceError> {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let name = match name {
            Some(name) => Some(name.to_owned()),
            None => set(INSTANCE_VARIABLE).map(|name| name.to_string_lossy().into_owned()),
        };
        if let Some(bad) = name.as_ref().filter(|name| !is_name(name)) {
            return Err(InstanceError::Name(bad.clone()));
        }
        let dir = |what, own: &'static str, xdg: &str, below_home: &str| {
            if let Some(dir) = set(own) {
                // The daemon works elsewhere, and must mean the same.
                return Ok(std::path::absolute(&dir).unwrap_or_else(|_| dir.into()));
            }
            let base = set(xdg)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute());
            let base = base.or_else(|| Some(PathBuf::from(set("HOME")?).join(below_home)));
            let missing = InstanceError::NoHome {
                what,
                variable: own,
            };
            let folder = base.ok_or(missing)?.join(FOLDER);
            Ok(match &name {
                Some(name) => folder.join("instances").join(name),
                None => folder,
            })
        };
        let config_dir = dir(
            "configuration",
            CONFIG_DIR_VARIABLE,
            "XDG_CONFIG_HOME",
            ".config",
        )?;
        let data_dir = dir("data", DATA_DIR_VARIABLE, "XDG_DATA_HOME", ".local/share")?;
        Ok(Self {
            name,
            config_dir,
            data_dir,
        })
    }

    /// The configuration.
    pub fn config_file(&self) -> PathBuf {
        self.config_dir.join("config.toml")
    }

    /// What the daemon knows (SQLite).
    pub fn store_file(&self) -> PathBuf {
        self.data_dir.join("store.sqlite")
    }

    /// Where the daemon is, as long as it answers.
    pub fn endpoint_file(&self) -> PathBuf {
        self.data_dir.join("daemon.json")
    }

    /// The bearer token, only for the user. It survives restarts.
    pub fn token_file(&self) -> PathBuf {
        self.data_dir.join("token")
    }

    /// Held by those that look for a daemon (shared) or start one (exclusively).
    pub fn start_lock(&self) -> PathBuf {
        self.data_dir.join("start.lock")
    }

    /// Held by the daemon as long as it lives, from before it opens the store.
    pub fn owner_lock(&self) -> PathBuf {
        self.data_dir.join("owner.lock")
    }

    /// What the daemon writes to standard error.
    pub fn daemon_log(&self) -> PathBuf {
        self.data_dir.join("daemon.log")
    }

    /// What fronts have to say beside the protocol.
    pub fn front_log(&self) -> PathBuf {
        self.data_dir.join("front.log")
    }

    /// Checkpoints and exports, a folder for each session.
    pub fn archives_dir(&self) -> PathBuf {
        self.data_dir.join("archives")
    }

    /// Clones on this machine, and control sockets.
    pub fn places_dir(&self) -> PathBuf {
        self.data_dir.join("places")
    }
}

impl Endpoint {
    /// Reads the endpoint file; none if there is none, or nothing sensible in it.
    pub fn read(path: &Path) -> Option<Self> {
        serde_json::from_slice(&std::fs::read(path).ok()?).ok()
    }
}

fn is_name(name: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (1..=LONGEST_NAME).contains(&name.len()) && name.bytes().all(is_allowed)
}

#[cfg(test)]
mod tests {
    use std::{ffi::OsString, path::Path};

    use super::{CONFIG_DIR_VARIABLE, DATA_DIR_VARIABLE, Instance, InstanceError};

    type Variables = [(&'static str, &'static str)];

    fn resolve(name: Option<&str>, variables: &Variables) -> Result<Instance, InstanceError> {
        Instance::resolve(name, |wanted| {
            let found = variables.iter().find(|(name, _)| *name == wanted);
            found.map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    fn directories_follow_the_variables_then_the_name() {
        let own = "ACP_SESSIONS_DATA_DIR";
        //  name         variables                                              data directory
        let table: [(Option<&str>, &Variables, &str); 6] = [
            (None, &[("HOME", "/h")], "/h/.local/share/acp-sessions"),
            (
                None,
                &[("HOME", "/h"), ("XDG_DATA_HOME", "/x")],
                "/x/acp-sessions",
            ),
            (
                None,
                &[("HOME", "/h"), ("XDG_DATA_HOME", "x")],
                "/h/.local/share/acp-sessions",
            ),
            (
                Some("a"),
                &[("HOME", "/h")],
                "/h/.local/share/acp-sessions/instances/a",
            ),
            (
                Some("a"),
                &[("HOME", "/h"), ("ACP_SESSIONS_INSTANCE", "b")],
                "/h/.local/share/acp-sessions/instances/a",
            ),
            (Some("a"), &[("HOME", "/h"), (own, "/d")], "/d"),
        ];
        for (name, variables, expected) in table {
            let data_dir = resolve(name, variables).map(|instance| instance.data_dir);
            assert_eq!(
                data_dir.as_deref(),
                Ok(Path::new(expected)),
                "{variables:?}"
            );
        }
    }

    #[test]
    fn a_relative_directory_is_meant_from_here() {
        let resolved = resolve(
            None,
            &[(CONFIG_DIR_VARIABLE, "c"), (DATA_DIR_VARIABLE, "d/e")],
        );
        let here = std::env::current_dir().unwrap();
        let resolved = resolved.unwrap();
        assert_eq!(resolved.config_dir, here.join("c"));
        assert_eq!(resolved.data_dir, here.join("d/e"));
    }

    #[test]
    fn what_cannot_be_resolved_says_what_to_set() {
        let error = resolve(None, &[]).unwrap_err().to_string();
        assert_eq!(
            error,
            "cannot find the configuration directory: set ACP_SESSIONS_CONFIG_DIR, or HOME"
        );
        let error = resolve(Some("../up"), &[("HOME", "/h")]).unwrap_err();
        assert_eq!(error, InstanceError::Name("../up".to_owned()));
    }
}
