//! Where commands run: what the rules about paths must know of the machine.

use std::{
    collections::HashMap,
    env,
    path::{Path, PathBuf},
};

use crate::{files::confine::lexical, small_file};

/// The list of folders that are not thrown away with the machine, and the variable with another
/// place for it.
const HOST_MOUNTS: (&str, &str) = ("COLONIZER_HOST_MOUNTS", "/colonizer/host-mounts");
const MAX_HOST_MOUNTS: u64 = 64 * 1024;

/// The list of scripts as they are in the repository, and the variable with another place for it.
const TRACKED_SCRIPTS: (&str, &str) = ("COLONIZER_TRACKED_SCRIPTS", "/colonizer/tracked-scripts");
const MAX_TRACKED_SCRIPTS: u64 = 4 * 1024 * 1024;

/// What is known of the machine.
#[derive(Debug, Default)]
pub struct Ground {
    /// The workspace.
    pub cwd: PathBuf,
    /// The user's home.
    pub home: PathBuf,
    /// Folders of the host; nothing if it is not known which.
    pub host_mounts: Option<Vec<PathBuf>>,
    /// The ids of the repository's scripts, by path below the workspace.
    pub tracked_scripts: HashMap<PathBuf, String>,
}

impl Ground {
    /// Looks at the machine.
    pub fn load(workspace: &Path) -> Self {
        Self {
            cwd: workspace.to_owned(),
            home: env::var_os("HOME").unwrap_or_else(|| "/root".into()).into(),
            host_mounts: list(HOST_MOUNTS, MAX_HOST_MOUNTS).map(|text| mounts(&text)),
            tracked_scripts: list(TRACKED_SCRIPTS, MAX_TRACKED_SCRIPTS)
                .map(|text| tracked(&text))
                .unwrap_or_default(),
        }
    }

    /// A word with the home directory put in where a shell would.
    pub fn expand(&self, word: &str) -> String {
        let home = self.home.to_string_lossy();
        for short in ["~", "$HOME"] {
            if let Some(rest) = word.strip_prefix(short)
                && (rest.is_empty() || rest.starts_with('/'))
            {
                return format!("{home}{rest}");
            }
        }
        word.to_owned()
    }
}

fn list((variable, file): (&str, &str), most: u64) -> Option<String> {
    let path = env::var_os(variable)
        .filter(|path| !path.is_empty())
        .unwrap_or_else(|| file.into());
    let bytes = small_file::read(Path::new(&path), most)?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// One absolute path a line.
fn mounts(text: &str) -> Vec<PathBuf> {
    text.lines()
        .map(str::trim)
        .filter(|line| line.starts_with('/'))
        .map(|line| lexical(Path::new(line)))
        .collect()
}

/// An id and a path a line.
fn tracked(text: &str) -> HashMap<PathBuf, String> {
    text.lines()
        .filter_map(|line| line.trim().split_once(' '))
        .filter(|(id, _)| matches!(id.len(), 40 | 64) && id.bytes().all(|b| b.is_ascii_hexdigit()))
        .map(|(id, path)| (lexical(Path::new(path.trim())), id.to_ascii_lowercase()))
        .collect()
}
