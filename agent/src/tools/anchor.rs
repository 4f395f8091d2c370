//! Opens the file that was located, and no other.
//!
//! Between the moment a path is checked and the moment it is opened, a command that runs beside us
//! can swap a folder for a symbolic link that leads elsewhere. So a located path, which has no
//! symbolic links, is walked folder by folder, each opened below the one before, and no link is
//! followed: whoever swaps one in gets an error. The walk is openat(2) with `O_NOFOLLOW`; openat2(2)
//! could do it in one call, but not on every kernel and not in every sandbox.
//!
//! Must stay true: the file tools read and list what they show through this file, and change files
//! through `replace` alone.

use std::{
    fs::{File, Metadata},
    io,
    os::fd::{AsFd, OwnedFd},
    path::{Component, Path},
};

use nix::{
    dir::Dir,
    errno::Errno,
    fcntl::{OFlag, open, openat},
    sys::stat::{Mode, SFlag, fstatat, mkdirat},
};

use super::ToolError;

/// How a folder on the way is opened: to go on from it, not to read it.
const WAY: OFlag = OFlag::O_PATH
    .union(OFlag::O_DIRECTORY)
    .union(OFlag::O_NOFOLLOW)
    .union(OFlag::O_CLOEXEC);

/// How the file at the end is opened, whatever it is: a FIFO must not block, a terminal must not
/// become ours.
const END: OFlag = OFlag::O_NOFOLLOW
    .union(OFlag::O_NONBLOCK)
    .union(OFlag::O_NOCTTY)
    .union(OFlag::O_CLOEXEC);

/// Whether folders that are not there are made on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// They must be there.
    Existing,
    /// They are made.
    Made,
}

/// The folder at a located path.
pub(crate) fn folder(path: &Path, way: Way) -> Result<OwnedFd, ToolError> {
    let fail = |errno| failure(path, errno);
    let mut here = open("/", WAY, Mode::empty()).map_err(fail)?;
    for part in path.components() {
        let Component::Normal(name) = part else {
            continue;
        };
        here = match openat(&here, name, WAY, Mode::empty()) {
            Err(Errno::ENOENT) if way == Way::Made => {
                match mkdirat(&here, name, Mode::from_bits_truncate(0o777)) {
                    Ok(()) | Err(Errno::EEXIST) => {}
                    Err(errno) => return Err(fail(errno)),
                }
                openat(&here, name, WAY, Mode::empty())
            }
            opened => opened,
        }
        .map_err(fail)?;
    }
    Ok(here)
}

/// The regular file at a located path, opened for reading, and what is known of it.
pub(crate) fn file(path: &Path) -> Result<(File, Metadata), ToolError> {
    let (parent, name) = split(path)?;
    let parent = folder(parent, Way::Existing)?;
    file_in(&parent, name, path, OFlag::O_RDONLY)?
        .ok_or_else(|| ToolError::Missing(path.to_owned()))
}

/// The regular file of this name in an open folder; `None` when there is none. `path` is for
/// messages.
pub(crate) fn file_in(
    parent: &OwnedFd,
    name: &Path,
    path: &Path,
    access: OFlag,
) -> Result<Option<(File, Metadata)>, ToolError> {
    // Looked at before it is opened: opening a device can already do something.
    match fstatat(parent, name, nix::fcntl::AtFlags::AT_SYMLINK_NOFOLLOW) {
        Err(Errno::ENOENT) => return Ok(None),
        Err(errno) => return Err(failure(path, errno)),
        Ok(found) => {
            let kind = SFlag::from_bits_truncate(found.st_mode & SFlag::S_IFMT.bits());
            if kind == SFlag::S_IFLNK {
                return Err(ToolError::Changed(path.to_owned()));
            }
            if kind != SFlag::S_IFREG {
                return Err(not_a_file(path, name_of(kind)));
            }
        }
    }
    let fd = openat(parent, name, access | END, Mode::empty()).map_err(|e| failure(path, e))?;
    let file = File::from(fd);
    let found = file.metadata().map_err(|e| io_failure(path, e))?;
    if !found.is_file() {
        return Err(ToolError::Changed(path.to_owned()));
    }
    Ok(Some((file, found)))
}

/// The folder at a located path, to be listed.
pub(crate) fn listing(path: &Path) -> Result<Dir, ToolError> {
    let Some(name) = path.file_name() else {
        return Dir::open("/", LISTED, Mode::empty()).map_err(|errno| failure(path, errno));
    };
    let parent = folder(path.parent().unwrap_or(Path::new("/")), Way::Existing)?;
    listing_in(&parent, Path::new(name)).map_err(|errno| match errno {
        Errno::ENOTDIR => ToolError::Kind {
            path: path.to_owned(),
            found: "not a folder",
            wanted: "a folder; use read_file for files",
        },
        errno => failure(path, errno),
    })
}

/// The folder of this name in an open folder, to be listed.
pub(crate) fn listing_in(parent: impl AsFd, name: &Path) -> nix::Result<Dir> {
    Dir::openat(parent, name, LISTED, Mode::empty())
}

const LISTED: OFlag = OFlag::O_RDONLY
    .union(OFlag::O_DIRECTORY)
    .union(OFlag::O_NOFOLLOW)
    .union(OFlag::O_CLOEXEC);

/// A located path as folder and name.
pub(crate) fn split(path: &Path) -> Result<(&Path, &Path), ToolError> {
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => Ok((parent, Path::new(name))),
        _ => Err(not_a_file(path, "a folder")),
    }
}

/// What the system refused, as an error of the tool.
pub(crate) fn failure(path: &Path, errno: Errno) -> ToolError {
    match errno {
        Errno::ENOENT => ToolError::Missing(path.to_owned()),
        // The path was walked a moment ago and had neither links nor files in the middle.
        Errno::ELOOP | Errno::ENOTDIR => ToolError::Changed(path.to_owned()),
        errno => io_failure(path, errno.into()),
    }
}

/// An error of reading or writing, as an error of the tool.
pub(crate) fn io_failure(path: &Path, source: io::Error) -> ToolError {
    ToolError::Io {
        path: path.to_owned(),
        source,
    }
}

fn not_a_file(path: &Path, found: &'static str) -> ToolError {
    ToolError::Kind {
        path: path.to_owned(),
        found,
        wanted: if found == "a folder" {
            "a file; use list_directory for folders"
        } else {
            "a regular file"
        },
    }
}

fn name_of(kind: SFlag) -> &'static str {
    match kind {
        SFlag::S_IFDIR => "a folder",
        SFlag::S_IFIFO => "a FIFO",
        SFlag::S_IFSOCK => "a socket",
        SFlag::S_IFBLK | SFlag::S_IFCHR => "a device",
        _ => "a special file",
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, io::Read, os::unix::fs::symlink};

    use super::*;

    fn top() -> (tempfile::TempDir, std::path::PathBuf) {
        let temp = tempfile::tempdir().unwrap();
        let top = fs::canonicalize(temp.path()).unwrap();
        (temp, top)
    }

    #[test]
    fn a_link_that_was_swapped_in_leads_nowhere() {
        let (_temp, top) = top();
        fs::create_dir_all(top.join("out")).unwrap();
        fs::write(top.join("out/secret"), "secret").unwrap();
        fs::create_dir(top.join("w")).unwrap();
        symlink("../out", top.join("w/folder")).unwrap();
        symlink("../out/secret", top.join("w/file")).unwrap();
        for path in ["w/folder/secret", "w/file"] {
            let error = file(&top.join(path)).unwrap_err();
            assert!(matches!(error, ToolError::Changed(_)), "{path}: {error}");
        }
        let error = folder(&top.join("w/folder/new"), Way::Made).unwrap_err();
        assert!(matches!(error, ToolError::Changed(_)), "{error}");
        assert!(!top.join("out/new").exists());
        assert!(listing(&top.join("w/folder")).is_err());
    }

    #[test]
    fn odd_files_are_refused_without_being_opened() {
        let (_temp, top) = top();
        nix::unistd::mkfifo(&top.join("fifo"), Mode::from_bits_truncate(0o600)).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(top.join("socket")).unwrap();
        fs::create_dir(top.join("folder")).unwrap();
        let rows = [
            (top.join("fifo"), "a FIFO"),
            (top.join("socket"), "a socket"),
            (top.join("folder"), "list_directory"),
            ("/dev/zero".into(), "a device"),
            ("/".into(), "a folder"),
        ];
        for (path, words) in rows {
            let text = file(&path).unwrap_err().to_string();
            assert!(text.contains(words), "{text}");
        }
    }

    #[test]
    fn what_is_there_is_opened_and_what_is_not_is_missing() {
        let (_temp, top) = top();
        fs::write(top.join("a"), "text").unwrap();
        let (mut opened, found) = file(&top.join("a")).unwrap();
        let mut text = String::new();
        opened.read_to_string(&mut text).unwrap();
        assert_eq!((text.as_str(), found.len()), ("text", 4));
        let error = file(&top.join("none/a")).unwrap_err();
        assert!(matches!(error, ToolError::Missing(_)), "{error}");
        folder(&top.join("x/y"), Way::Made).unwrap();
        assert!(top.join("x/y").is_dir());
    }
}
