//! Profiles: which harness runs behind a session, and how it is started.

use std::{collections::BTreeMap, path::PathBuf};

use serde::Deserialize;

/// A harness: any ACP agent, by its command line.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProfileConfig {
    /// Program and arguments, as they are found on the target.
    pub command: Vec<String>,
    /// What the harness is called in lists; the name of its program if left out.
    #[serde(default)]
    pub harness: Option<String>,
    /// Whether sessions may be made with it.
    #[serde(default = "yes")]
    pub enabled: bool,
    /// Variables for the harness, beside the basic ones of the target.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Files that are put on the target before the harness starts.
    #[serde(default)]
    pub files: Vec<FileCopy>,
    /// What is answered to permission requests, since a program cannot be asked.
    #[serde(default)]
    pub permissions: Permissions,
}

/// A file for the target.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileCopy {
    /// On this machine.
    pub from: PathBuf,
    /// On the target: absolute, or relative to the home that a managed session then has of its own.
    pub to: PathBuf,
}

/// What is answered to every permission request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Permissions {
    /// The option that allows once.
    #[default]
    Allow,
    /// The option that rejects once.
    Reject,
}

const fn yes() -> bool {
    true
}

/// The program of the reference agent, beside this program or on the `PATH`.
pub const REFERENCE_PROGRAM: &str = "acp-agent";

impl ProfileConfig {
    /// The reference agent. Its program is the one beside ours if there is one, as in a release
    /// archive; else it is looked up on the target's `PATH`.
    pub fn reference() -> Self {
        let beside = std::env::current_exe()
            .ok()
            .and_then(|ours| Some(ours.parent()?.join(REFERENCE_PROGRAM)))
            .filter(|path| path.is_file())
            .and_then(|path| path.to_str().map(str::to_owned));
        let program = beside.unwrap_or_else(|| REFERENCE_PROGRAM.to_owned());
        Self {
            command: vec![program, "--acp".to_owned()],
            harness: Some(REFERENCE_PROGRAM.to_owned()),
            enabled: true,
            env: BTreeMap::new(),
            files: Vec::new(),
            permissions: Permissions::Allow,
        }
    }

    /// What its harness is called.
    pub fn harness_kind(&self) -> String {
        let program = || {
            let program = self.command.first()?;
            let name = std::path::Path::new(program).file_name()?;
            Some(name.to_string_lossy().into_owned())
        };
        self.harness.clone().or_else(program).unwrap_or_default()
    }
}
