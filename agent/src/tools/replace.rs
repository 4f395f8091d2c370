//! Puts new content in the place of a file, all at once.
//!
//! Readers see the old content or the new, never a half: a temporary file in the same folder is
//! written, given the old file's mode, and renamed over it. It is apart from [`super::anchor`]
//! because it is the one place of the file tools that changes anything.
//!
//! Must stay true: a file that is not what it was when the user was shown the diff is not touched.
//!
//! Owner, extended attributes and hard links of a replaced file are not carried over.

use std::{
    fs::{File, Metadata},
    io::{Read, Write},
    os::{
        fd::OwnedFd,
        unix::fs::{MetadataExt, PermissionsExt},
    },
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use nix::{
    errno::Errno,
    fcntl::{OFlag, openat, renameat},
    sys::stat::Mode,
    unistd::{UnlinkatFlags, unlinkat},
};

use super::{
    ToolError,
    anchor::{self, Way},
};
use crate::roots::Located;

/// The largest file that is read whole to be edited, or to be shown in a diff, in bytes.
pub(crate) const EDIT_LIMIT: u64 = 4 * 1024 * 1024;

/// Names that are tried for the temporary file. One is enough unless a crash left some behind.
const MAX_NAMES: usize = 100;

/// Tells whether a file is still the one that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stamp {
    file: (u64, u64),
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    fn new(found: &Metadata) -> Self {
        Self {
            file: (found.dev(), found.ino()),
            size: found.len(),
            modified: (found.mtime(), found.mtime_nsec()),
            changed: (found.ctime(), found.ctime_nsec()),
        }
    }

    /// The size of the file in bytes.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }
}

/// What is at a path before it is changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Before {
    /// Nothing.
    Absent,
    /// This file, with its content unless that is over [`EDIT_LIMIT`].
    File {
        /// Recognises it.
        stamp: Stamp,
        /// What it holds.
        content: Option<Vec<u8>>,
    },
}

impl Before {
    /// The stamp to hand to [`replace`].
    pub(crate) fn stamp(&self) -> Option<&Stamp> {
        match self {
            Self::Absent => None,
            Self::File { stamp, .. } => Some(stamp),
        }
    }
}

/// Looks at what is there before a change.
pub(crate) fn before(path: &Path) -> Result<Before, ToolError> {
    let (mut file, found) = match anchor::file(path) {
        Err(ToolError::Missing(_)) => return Ok(Before::Absent),
        opened => opened?,
    };
    let content = (found.len() <= EDIT_LIMIT)
        .then(|| read(&mut file, path))
        .transpose()?;
    Ok(Before::File {
        stamp: Stamp::new(&found),
        content,
    })
}

/// A file's content; a file that grows while it is read is cut at the limit.
fn read(file: &mut File, path: &Path) -> Result<Vec<u8>, ToolError> {
    let mut content = Vec::new();
    file.take(EDIT_LIMIT)
        .read_to_end(&mut content)
        .map_err(|source| anchor::io_failure(path, source))?;
    Ok(content)
}

/// Puts `content` at the path, which must still hold what `expected` recognises (`None`: nothing).
/// Missing folders are made inside the roots only.
pub(crate) fn replace(
    located: &Located,
    expected: Option<&Stamp>,
    content: &[u8],
) -> Result<(), ToolError> {
    let path = &located.path;
    let (parent, name) = anchor::split(path)?;
    let way = if located.inside {
        Way::Made
    } else {
        Way::Existing
    };
    let parent = anchor::folder(parent, way)?;
    // Opened for writing, though it is not written: a rename would pass over the file's own
    // permissions, and a read-only file is meant to stay as it is.
    let found = anchor::file_in(&parent, name, path, OFlag::O_RDWR)?.map(|(_, found)| found);
    if found.as_ref().map(Stamp::new).as_ref() != expected {
        return Err(ToolError::Changed(path.clone()));
    }
    let fail = |source| anchor::io_failure(path, source);
    let mut temporary = Temporary::new(parent, path, found.is_some())?;
    temporary.file.write_all(content).map_err(fail)?;
    if let Some(found) = found {
        let mode = std::fs::Permissions::from_mode(found.mode() & 0o7777);
        temporary.file.set_permissions(mode).map_err(fail)?;
    }
    temporary.file.sync_all().map_err(fail)?;
    temporary
        .rename(name)
        .map_err(|errno| anchor::failure(path, errno))
}

/// The new file before it has its name. Dropped, it is removed.
struct Temporary {
    folder: OwnedFd,
    name: PathBuf,
    file: File,
    renamed: bool,
}

impl Temporary {
    /// `private`: nobody else may read it until it gets the mode of the file that it replaces.
    fn new(folder: OwnedFd, path: &Path, private: bool) -> Result<Self, ToolError> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let mode = Mode::from_bits_truncate(if private { 0o600 } else { 0o666 });
        let flags = OFlag::O_WRONLY | OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_CLOEXEC;
        let mut last = Errno::EEXIST;
        for _ in 0..MAX_NAMES {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = PathBuf::from(format!(".acp-agent-{}-{number}", std::process::id()));
            match openat(&folder, &name, flags, mode) {
                Ok(fd) => {
                    return Ok(Self {
                        folder,
                        name,
                        file: File::from(fd),
                        renamed: false,
                    });
                }
                Err(Errno::EEXIST) => {}
                Err(errno) => {
                    last = errno;
                    break;
                }
            }
        }
        Err(anchor::failure(path, last))
    }

    fn rename(mut self, name: &Path) -> nix::Result<()> {
        renameat(&self.folder, &self.name, &self.folder, name)?;
        self.renamed = true;
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.renamed
            && let Err(error) = unlinkat(&self.folder, &self.name, UnlinkatFlags::NoRemoveDir)
        {
            let name = self.name.display();
            tracing::warn!("the temporary file {name} could not be removed: {error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::*;

    fn located(path: PathBuf, inside: bool) -> Located {
        Located {
            shown: path.clone(),
            path,
            inside,
        }
    }

    fn scene() -> (tempfile::TempDir, PathBuf) {
        let temp = tempfile::tempdir().unwrap();
        let top = fs::canonicalize(temp.path()).unwrap();
        (temp, top)
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn the_mode_stays_and_nothing_else_is_left() {
        let (_temp, top) = scene();
        let path = top.join("a");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).unwrap();
        let seen = before(&path).unwrap();
        replace(&located(path.clone(), true), seen.stamp(), b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o750);
        assert_eq!(names(&top), ["a"]);
    }

    #[test]
    fn a_file_that_does_not_get_its_name_is_removed() {
        let (_temp, top) = scene();
        let folder = anchor::folder(&top, Way::Existing).unwrap();
        let temporary = Temporary::new(folder, &top, true).unwrap();
        assert_eq!(names(&top).len(), 1);
        drop(temporary);
        assert!(names(&top).is_empty());
    }

    #[test]
    fn folders_are_made_inside_only() {
        let (_temp, top) = scene();
        let path = top.join("x/y/z");
        let error = replace(&located(path.clone(), false), None, b"new").unwrap_err();
        assert!(matches!(error, ToolError::Missing(_)), "{error}");
        assert!(names(&top).is_empty());
        replace(&located(path.clone(), true), None, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }

    #[test]
    fn what_changed_meanwhile_is_not_touched() {
        let (_temp, top) = scene();
        let path = top.join("a");
        let absent = before(&path).unwrap();
        assert_eq!(absent, Before::Absent);
        fs::write(&path, "theirs").unwrap();
        let error = replace(&located(path.clone(), true), absent.stamp(), b"ours").unwrap_err();
        assert!(matches!(error, ToolError::Changed(_)), "{error}");

        let seen = before(&path).unwrap();
        fs::remove_file(&path).unwrap();
        fs::write(top.join("secret"), "secret").unwrap();
        symlink("secret", &path).unwrap();
        let error = replace(&located(path.clone(), true), seen.stamp(), b"ours").unwrap_err();
        assert!(matches!(error, ToolError::Changed(_)), "{error}");
        assert_eq!(fs::read(top.join("secret")).unwrap(), b"secret");
        assert_eq!(names(&top), ["a", "secret"]);
    }
}
