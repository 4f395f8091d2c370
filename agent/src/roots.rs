//! The folders a session works in, and where a path leads seen from them.
//!
//! It stands apart from the file tools, because "inside or outside" is the question that the
//! permission of every one of them hangs on, and must have one answer.
//!
//! Must stay true:
//!
//! - Paths are resolved as the kernel does it: a symbolic link is followed *before* a `..` behind
//!   it. Shortening `link/../x` as text would name another file.
//! - Inside is decided on whole components of resolved paths: `/w/proj-evil` is not in `/w/proj`.
//! - [`Located::path`] contains no symbolic link, so whoever opens it without following any
//!   (see `tools::anchor`) reaches that file or nothing.
//!
//! A hard link to an outside file cannot be told from a file of the workspace.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-setup#working-directory>

use std::{
    collections::VecDeque,
    ffi::{OsStr, OsString},
    fs, io,
    path::{Component, Path, PathBuf},
};

/// Linux gives up on a path after this many symbolic links, see path_resolution(7).
const MAX_LINKS: usize = 40;

/// The working directory of a session and its additional directories.
#[derive(Debug, Clone)]
pub struct Roots {
    /// Never empty; the first is the working directory.
    roots: Vec<Root>,
}

#[derive(Debug, Clone)]
struct Root {
    /// As the client spells it.
    given: PathBuf,
    /// As the kernel resolves it.
    real: PathBuf,
}

/// Where a path leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// The absolute path without any symbolic link. Its last components may not exist yet.
    pub path: PathBuf,
    /// The same file in the client's own spelling: below the root as the client gave it.
    pub shown: PathBuf,
    /// Whether it lies in one of the roots.
    pub inside: bool,
}

/// Why a path leads nowhere.
#[derive(Debug, thiserror::Error)]
pub enum RootsError {
    /// A root that is no folder, or cannot be reached.
    #[error("{}: cannot be a root of the session: {source}", path.display())]
    Root {
        /// The root as it was given.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A part of the path cannot be looked at.
    #[error("{}: {source}", path.display())]
    Lookup {
        /// The part that failed.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The path goes on behind something that is no folder.
    #[error("{}: is not a folder, so nothing can be below it", .0.display())]
    NotAFolder(PathBuf),
    /// `..` behind something that does not exist.
    #[error("{}: does not exist, so `..` leads nowhere from there", .0.display())]
    UpFromNothing(PathBuf),
    /// Symbolic links that lead in a circle.
    #[error("{}: too many symbolic links", .0.display())]
    TooManyLinks(PathBuf),
}

impl Roots {
    /// The roots of a session. Each must be an existing folder.
    ///
    /// # Errors
    /// [`RootsError::Root`] names the first that is not.
    pub fn new(cwd: &Path, additional: &[PathBuf]) -> Result<Self, RootsError> {
        let roots = std::iter::once(cwd)
            .chain(additional.iter().map(PathBuf::as_path))
            .map(Root::new)
            .collect::<Result<_, _>>()?;
        Ok(Self { roots })
    }

    /// The resolved roots, the working directory first.
    pub fn iter(&self) -> impl Iterator<Item = &Path> {
        self.roots.iter().map(|root| root.real.as_path())
    }

    /// Finds out where a path leads. A relative one starts at the working directory.
    ///
    /// # Errors
    /// Where the kernel could not resolve it either, but for a tail that does not exist: that is
    /// where new files go.
    pub fn locate(&self, path: &Path) -> Result<Located, RootsError> {
        let start = self.roots.first().map_or(Path::new("/"), |cwd| &cwd.real);
        let real = resolve(&start.join(path))?;
        let home = self
            .roots
            .iter()
            .filter_map(|root| Some((root, real.strip_prefix(&root.real).ok()?)))
            .min_by_key(|(_, below)| below.components().count());
        let (shown, inside) = match home {
            Some((root, below)) if below.as_os_str().is_empty() => (root.given.clone(), true),
            Some((root, below)) => (root.given.join(below), true),
            None => (real.clone(), false),
        };
        Ok(Located {
            path: real,
            shown,
            inside,
        })
    }
}

impl Root {
    fn new(given: &Path) -> Result<Self, RootsError> {
        let fail = |source| RootsError::Root {
            path: given.to_owned(),
            source,
        };
        let real = fs::canonicalize(given).map_err(fail)?;
        if !real.is_dir() {
            return Err(fail(io::ErrorKind::NotADirectory.into()));
        }
        Ok(Self {
            given: given.to_owned(),
            real,
        })
    }
}

/// Walks an absolute path as path_resolution(7) describes it, but goes on where the last
/// components do not exist.
fn resolve(path: &Path) -> Result<PathBuf, RootsError> {
    let mut ahead: VecDeque<OsString> = parts(path).map(OsStr::to_owned).collect();
    let mut here = PathBuf::from("/");
    let mut exists = true;
    let mut links = 0;
    while let Some(part) = ahead.pop_front() {
        if part == "/" {
            here = PathBuf::from("/");
            continue;
        }
        if part == ".." {
            if !exists {
                return Err(RootsError::UpFromNothing(here));
            }
            here.pop();
            continue;
        }
        here.push(part);
        if !exists {
            continue;
        }
        match fs::symlink_metadata(&here) {
            Ok(found) if found.is_symlink() => {
                links += 1;
                if links > MAX_LINKS {
                    return Err(RootsError::TooManyLinks(path.to_owned()));
                }
                let target = fs::read_link(&here).map_err(|source| RootsError::Lookup {
                    path: here.clone(),
                    source,
                })?;
                here.pop();
                for part in parts(&target).collect::<Vec<_>>().into_iter().rev() {
                    ahead.push_front(part.to_owned());
                }
            }
            Ok(found) if !found.is_dir() && !ahead.is_empty() => {
                return Err(RootsError::NotAFolder(here));
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => exists = false,
            Err(source) => return Err(RootsError::Lookup { path: here, source }),
        }
    }
    Ok(here)
}

/// The components that matter: `/`, `..` and names, but no `.`.
fn parts(path: &Path) -> impl Iterator<Item = &OsStr> {
    path.components()
        .filter(|part| *part != Component::CurDir)
        .map(Component::as_os_str)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A scene with a workspace `w`, a neighbour `w-evil` and all kinds of links.
    fn scene() -> (tempfile::TempDir, PathBuf) {
        let temp = tempfile::tempdir().unwrap();
        let top = fs::canonicalize(temp.path()).unwrap();
        for folder in ["w/deep/dir", "w-evil", "out"] {
            fs::create_dir_all(top.join(folder)).unwrap();
        }
        for file in ["w/target", "w/deep/target", "w-evil/y", "out/secret"] {
            fs::write(top.join(file), file).unwrap();
        }
        for (link, target) in [
            ("w/alias", "deep/dir"),
            ("w/link", "../out"),
            ("w/abs", "/"),
            ("w/dangling", "deep/new"),
            ("w/dangling-out", "../out/new"),
            ("w/loop", "loop"),
            ("w/file-link", "deep/target"),
            ("door", "w"),
        ] {
            symlink(target, top.join(link)).unwrap();
        }
        (temp, top)
    }

    #[test]
    fn paths_lead_where_the_kernel_says() {
        let (_temp, top) = scene();
        let roots = Roots::new(&top.join("w"), &[]).unwrap();
        let absolute = |path: &str| top.join(path).to_string_lossy().into_owned();
        let rows: Vec<(String, &str, bool)> = vec![
            ("target".into(), "w/target", true),
            ("./deep//./target".into(), "w/deep/target", true),
            ("alias/../target".into(), "w/deep/target", true),
            (absolute("w/alias/../target"), "w/deep/target", true),
            ("file-link".into(), "w/deep/target", true),
            ("link/secret".into(), "out/secret", false),
            ("../w/target".into(), "w/target", true),
            ("../out/secret".into(), "out/secret", false),
            (absolute("w-evil/y"), "w-evil/y", false),
            (absolute("door/target"), "w/target", true),
            ("dangling".into(), "w/deep/new", true),
            ("dangling-out".into(), "out/new", false),
            ("new/deeper/file".into(), "w/new/deeper/file", true),
            ("link/new/file".into(), "out/new/file", false),
            (".".into(), "w", true),
        ];
        for (path, leads_to, inside) in rows {
            let located = roots.locate(Path::new(&path)).unwrap();
            assert_eq!(located.path, top.join(leads_to), "{path}");
            assert_eq!(located.inside, inside, "{path}");
        }
        let root = roots.locate(Path::new("abs/etc")).unwrap();
        assert_eq!(
            (root.path.as_path(), root.inside),
            (Path::new("/etc"), false)
        );
    }

    #[test]
    fn what_leads_nowhere_is_an_error() {
        let (_temp, top) = scene();
        let roots = Roots::new(&top.join("w"), &[]).unwrap();
        let error = |path: &str| roots.locate(Path::new(path)).unwrap_err();
        assert!(matches!(error("loop"), RootsError::TooManyLinks(_)));
        assert!(matches!(error("target/x"), RootsError::NotAFolder(_)));
        assert!(matches!(error("target/.."), RootsError::NotAFolder(_)));
        assert!(matches!(error("none/../x"), RootsError::UpFromNothing(_)));
        let long = "n".repeat(300);
        assert!(matches!(error(&long), RootsError::Lookup { .. }));
        for root in ["none", "w/target"] {
            assert!(Roots::new(&top.join(root), &[]).is_err(), "{root}");
        }
    }

    #[test]
    fn a_root_behind_a_link_keeps_the_spelling_of_the_client() {
        let (_temp, top) = scene();
        let roots = Roots::new(&top.join("door"), &[top.join("out")]).unwrap();
        let located = roots.locate(Path::new("target")).unwrap();
        assert_eq!(located.path, top.join("w/target"));
        assert_eq!(located.shown, top.join("door/target"));
        let real = roots.locate(&top.join("w/target")).unwrap();
        assert!(real.inside);
        let other = roots.locate(Path::new("link/secret")).unwrap();
        assert!(other.inside, "an additional directory is inside too");
        let itself = roots.locate(Path::new("")).unwrap();
        assert_eq!(itself.shown, top.join("door"));
    }
}
