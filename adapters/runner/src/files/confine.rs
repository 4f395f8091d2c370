//! Where a path leads, and whether that is inside the workspace.
//!
//! Links are followed here one by one, as the kernel would, because two questions need the answer
//! before a file is opened: where would a write *land* that goes through a link to nothing, and
//! which path of the policy does it touch. Whoever opens the file then opens the resolved path, so
//! a link that is swapped in after the look leads nowhere.
//!
//! Must stay true: inside is decided on whole components of real paths. A hard link to an outside
//! file cannot be told from a file of the workspace.
//!
//! Man pages: path_resolution(7).

use cap_std::{ambient_authority, fs::Dir};
use std::{
    collections::VecDeque,
    ffi::{OsStr, OsString},
    fs, io,
    path::{Component, Path, PathBuf},
};

/// The kernel gives up on a path after this many links, and so does the look.
const MAX_LINKS: usize = 40;

/// The folder that the agent works in.
#[derive(Debug)]
pub struct Workspace {
    real: PathBuf,
    /// The folder itself, which stays the same one when its path is made to lead elsewhere.
    folder: Dir,
}

/// A path inside the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// Absolute, without links.
    pub path: PathBuf,
    /// The same below the workspace; empty for the workspace itself.
    pub relative: PathBuf,
}

/// Why a path leads nowhere.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// Out of the workspace.
    #[error("it leads out of the workspace")]
    Outside,
    /// Links in a circle, or a very long chain of them.
    #[error("it goes through more than {MAX_LINKS} symbolic links")]
    TooManyLinks,
    /// A part of it cannot be looked at.
    #[error("{}: {source}", path.display())]
    Lookup {
        /// The part.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

impl Workspace {
    /// The workspace at a path.
    ///
    /// # Errors
    /// It is not there.
    pub fn at(path: &Path) -> io::Result<Self> {
        let real = fs::canonicalize(path)?;
        let folder = Dir::open_ambient_dir(&real, ambient_authority())?;
        Ok(Self { real, folder })
    }

    /// Its real path.
    pub fn root(&self) -> &Path {
        &self.real
    }

    /// The folder itself, to open what is below it.
    pub fn folder(&self) -> &Dir {
        &self.folder
    }

    /// Where a path leads. A relative one starts at the workspace.
    ///
    /// # Errors
    /// Out of the workspace, or nowhere.
    pub fn locate(&self, path: &Path) -> Result<Located, Refused> {
        // As text first, like the agent means it: `missing/../x` is `x`.
        let path = resolve(&lexical(&self.real.join(path)))?;
        match path.strip_prefix(&self.real) {
            Ok(relative) => Ok(Located {
                relative: relative.to_owned(),
                path,
            }),
            Err(_) => Err(Refused::Outside),
        }
    }
}

/// The path without `.` and `..`, as text.
pub fn lexical(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

/// Follows every link of an absolute path. What does not exist is appended as text: nothing below
/// it can be a link.
fn resolve(path: &Path) -> Result<PathBuf, Refused> {
    let mut resolved = PathBuf::from("/");
    let mut rest: VecDeque<OsString> = parts(path).collect();
    let mut links = 0;
    while let Some(part) = rest.pop_front() {
        if part == ".." {
            resolved.pop();
            continue;
        }
        let next = resolved.join(&part);
        match fs::symlink_metadata(&next) {
            Ok(found) if found.is_symlink() => {
                links += 1;
                if links > MAX_LINKS {
                    return Err(Refused::TooManyLinks);
                }
                let target = fs::read_link(&next)
                    .map_err(|source| Refused::Lookup { path: next, source })?;
                if target.is_absolute() {
                    resolved = PathBuf::from("/");
                }
                for part in parts(&target).collect::<Vec<_>>().into_iter().rev() {
                    rest.push_front(part);
                }
            }
            Ok(_) => resolved = next,
            Err(error) if is_missing(&error) => {
                resolved.push(&part);
                resolved.extend(rest);
                return Ok(lexical(&resolved));
            }
            Err(source) => return Err(Refused::Lookup { path: next, source }),
        }
    }
    Ok(resolved)
}

fn is_missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// The components that lead somewhere: names and `..`.
fn parts(path: &Path) -> impl Iterator<Item = OsString> {
    path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some(OsStr::new("..").to_owned()),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A workspace with links of all kinds, and a folder beside it.
    fn scene() -> (tempfile::TempDir, Workspace) {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("ws/a")).unwrap();
        fs::create_dir(at("out")).unwrap();
        fs::write(at("out/file"), "x").unwrap();
        let links = [
            ("ws/to-outside", "../out/file"),
            ("ws/dangling-out", "../out/missing"),
            ("ws/dangling-far", "../none/deep/missing"),
            ("ws/a/dangling", "../../out/missing"),
            ("ws/chain", "dangling-out"),
            ("ws/loop", "loop"),
            ("ws/dangling-in", "a/new"),
            ("ws/up", "a/../a"),
        ];
        for (link, target) in links {
            symlink(target, at(link)).unwrap();
        }
        symlink(at("out/missing"), at("ws/dangling-absolute")).unwrap();
        symlink("a", at("ws/link-0")).unwrap();
        for number in 1..=41 {
            symlink(
                format!("link-{}", number - 1),
                at(&format!("ws/link-{number}")),
            )
            .unwrap();
        }
        symlink("ws", at("alias")).unwrap();
        let workspace = Workspace::at(&at("alias")).unwrap();
        (folder, workspace)
    }

    #[test]
    fn e02_to_e07_a_path_is_inside_when_what_it_leads_to_is() {
        let (folder, workspace) = scene();
        let inside = [
            ("", ""),
            (".", ""),
            ("a/../c", "c"),
            ("a/b/c", "a/b/c"),
            ("missing/../x", "x"),
            ("dangling-in", "a/new"),
            ("up/x", "a/x"),
            ("link-39/x", "a/x"),
        ];
        for (path, relative) in inside {
            let located = workspace.locate(Path::new(path)).unwrap();
            assert_eq!(located.relative, Path::new(relative), "{path}");
        }
        let outside = [
            "../outside",
            "/etc/hostname",
            "to-outside",
            "dangling-out",
            "dangling-absolute",
            "dangling-far",
            "a/dangling",
            "chain",
            "loop",
            "loop/x",
            "link-41",
            "a/../../out/file",
        ];
        for path in outside {
            assert!(workspace.locate(Path::new(path)).is_err(), "{path}");
        }
        // The workspace's own spelling, through a link.
        let alias = folder.path().join("alias/a/x");
        assert_eq!(workspace.locate(&alias).unwrap().relative, Path::new("a/x"));
        assert!(workspace.locate(&folder.path().join("ws-evil/x")).is_err());
    }
}
