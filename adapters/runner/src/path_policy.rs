//! Reports about paths that the colony masks or protects.
//!
//! A report, never a verdict: the mounts of the colony are what enforces. It is told once for each
//! path and kind of access, so that an agent in a loop does not fill the log.
//!
//! Pure but for the reading of the list.

use std::{
    collections::HashSet,
    path::{Component, Path, PathBuf},
};

use crate::{
    event::{Access, Event, Policy},
    small_file,
};

/// The list's place in a colony.
const FILE: &str = "/colonizer/path-policy";
/// The variable with another place for it.
const VARIABLE: &str = "COLONIZER_PATH_POLICY";

/// The longest list. A longer one is none.
const MAX_LIST: u64 = 64 * 1024;

/// How many paths are reported. A list has some dozens, but below a folder of it an agent may touch
/// any number.
const MOST_REPORTED: usize = 10_000;

/// The listed paths, and what was reported.
#[derive(Debug, Default)]
pub struct PathPolicy {
    masked: Vec<PathBuf>,
    protected: Vec<PathBuf>,
    reported: HashSet<(Access, PathBuf)>,
}

impl PathPolicy {
    /// Reads the list. Without one there is nothing to report.
    pub fn load() -> Self {
        let path = std::env::var_os(VARIABLE)
            .filter(|path| !path.is_empty())
            .unwrap_or_else(|| FILE.into());
        small_file::read(Path::new(&path), MAX_LIST)
            .map(|bytes| Self::parse(&String::from_utf8_lossy(&bytes)))
            .unwrap_or_default()
    }

    /// Reads the text of a list. Lines that are not understood are skipped.
    pub fn parse(list: &str) -> Self {
        let mut policy = Self::default();
        for line in list.lines().map(str::trim) {
            let Some((kind, path)) = line.split_once(char::is_whitespace) else {
                continue;
            };
            let path = path.trim().trim_end_matches('/');
            if !is_plain(path) {
                continue;
            }
            let paths = match kind {
                "mask-file" | "mask-dir" if Path::new(path).starts_with(".git") => continue,
                "mask-file" | "mask-dir" => &mut policy.masked,
                "protect" => &mut policy.protected,
                _ => continue,
            };
            let path = PathBuf::from(path);
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        policy
    }

    /// The report of an access to a path below the workspace, if there is one to make.
    pub fn touch(&mut self, access: Access, relative: &Path, tool: &str) -> Option<Event> {
        let is_listed = |paths: &[PathBuf]| paths.iter().any(|path| relative.starts_with(path));
        let policy = match access {
            _ if is_listed(&self.masked) => Policy::Masked,
            Access::Write if is_listed(&self.protected) => Policy::Protected,
            _ => return None,
        };
        let is_full = self.reported.len() == MOST_REPORTED;
        if is_full || !self.reported.insert((access, relative.to_owned())) {
            return None;
        }
        Some(Event::PathPolicy {
            access,
            policy,
            path: relative.to_string_lossy().into_owned(),
            tool: tool.to_owned(),
        })
    }
}

/// Whether a path is relative, stays below where it starts, and can stand in a mount's options.
fn is_plain(path: &str) -> bool {
    let has_names_only = Path::new(path)
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    let is_odd = path.split('/').any(|part| matches!(part, "" | "." | ".."));
    has_names_only && !is_odd && !path.contains(|c: char| c.is_control() || c == ':' || c == ',')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e15_a_path_is_anchored_and_matched_by_whole_components() {
        let mut policy = PathPolicy::parse("mask-file .env\nprotect .git/config\nmask-dir keys/\n");
        let table = [
            (Access::Read, ".env", true),
            (Access::Read, ".envrc", false),
            (Access::Read, "vendor/lib/.env", false),
            (Access::Read, ".git/config", false),
            (Access::Write, ".git/config", true),
            (Access::Read, "keys/a/b", true),
            (Access::Read, "keyset", false),
        ];
        for (access, path, is_reported) in table {
            let event = policy.touch(access, Path::new(path), "t");
            assert_eq!(event.is_some(), is_reported, "{path}");
            assert!(
                policy.touch(access, Path::new(path), "t").is_none(),
                "once: {path}"
            );
        }
    }

    #[test]
    fn e16_lines_that_are_not_understood_are_skipped() {
        let list = "# c\n\nhide x\nmask-file /abs\nmask-file ../up\nmask-file a:b\nmask-file a,b\n\
                    mask-file .git/x\nmask-file .\nmask-file a//b\nprotect .git/x\nmask-file ok\nmask-file ok\n";
        let policy = PathPolicy::parse(list);
        assert_eq!(policy.masked, [Path::new("ok")]);
        assert_eq!(policy.protected, [Path::new(".git/x")]);
    }
}
