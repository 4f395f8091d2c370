//! Opening a file of the workspace, and nothing else.
//!
//! The opening is confined by the kernel (openat2(2), by the crate `cap-std`): the path is walked
//! from the workspace's own folder and may not leave it, so there is no moment between a check and
//! a use. Only regular files are opened: a pipe would hang, a device may do anything.

use std::{
    io::{self, Read as _, Write as _},
    path::Path,
};

use cap_std::fs::{Dir, File, OpenOptions, OpenOptionsExt as _};
use nix::{
    errno::Errno,
    fcntl::{FallocateFlags, fallocate},
};

/// The largest file that is read, in bytes.
pub(super) const MAX_READ: u64 = 16 * 1024 * 1024;

/// What a file holds.
pub(super) enum Opened {
    /// Bytes that are not UTF-8 are replaced.
    Text(String),
    /// Too much; its size.
    TooLarge(u64),
}

/// Reads a file.
pub(super) fn read(root: &Dir, relative: &Path) -> io::Result<Opened> {
    let file = open(root, relative, OpenOptions::new().read(true))?;
    let size = file.metadata()?.len();
    if size > MAX_READ {
        return Ok(Opened::TooLarge(size));
    }
    let mut bytes = Vec::new();
    // It may grow while it is read.
    file.take(MAX_READ + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_READ {
        return Ok(Opened::TooLarge(bytes.len() as u64));
    }
    Ok(Opened::Text(match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    }))
}

/// Replaces the content of a file, which is made if it is not there, with its folders. Where the disk
/// has no room for the new content, the old one stays.
pub(super) fn write(root: &Dir, relative: &Path, content: &str) -> io::Result<()> {
    if let Some(folder) = relative.parent().filter(|folder| *folder != Path::new("")) {
        root.create_dir_all(folder)?;
    }
    let mut file = open(root, relative, OpenOptions::new().write(true).create(true))?;
    let before = file.metadata()?.len();
    if let Err(error) = reserve(&file, content.len()) {
        // What could be reserved is given back.
        file.set_len(before)?;
        return Err(error);
    }
    file.write_all(content.as_bytes())?;
    file.set_len(content.len() as u64)
}

/// Makes sure that so many bytes can be written.
fn reserve(file: &File, length: usize) -> io::Result<()> {
    let length = i64::try_from(length).unwrap_or(i64::MAX);
    if length == 0 {
        return Ok(());
    }
    match fallocate(file, FallocateFlags::FALLOC_FL_KEEP_SIZE, 0, length) {
        Err(error @ (Errno::ENOSPC | Errno::EDQUOT | Errno::EFBIG)) => Err(error.into()),
        // Where it cannot be known, it is tried.
        _ => Ok(()),
    }
}

fn open(root: &Dir, relative: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let relative = if relative == Path::new("") {
        Path::new(".")
    } else {
        relative
    };
    // The opening of a pipe must not wait for its other end.
    options.custom_flags(nix::libc::O_NONBLOCK | nix::libc::O_NOCTTY);
    let file = root.open_with(relative, options)?;
    let kind = file.metadata()?.file_type();
    if kind.is_dir() {
        return Err(io::Error::new(
            io::ErrorKind::IsADirectory,
            "it is a folder",
        ));
    }
    if !kind.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        os::unix::fs::symlink,
        sync::atomic::{AtomicBool, Ordering},
        thread,
    };

    use nix::fcntl::{AT_FDCWD, RenameFlags, renameat2};

    use super::*;

    #[test]
    fn what_there_is_no_room_for_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("f"), "old").unwrap();
        let dir = Dir::open_ambient_dir(folder.path(), cap_std::ambient_authority()).unwrap();
        let file = dir.open_with("f", OpenOptions::new().write(true)).unwrap();
        // No disk has so much.
        assert!(reserve(&file, 1 << 60).is_err());
        assert!(reserve(&file, 0).is_ok());
        assert_eq!(fs::read_to_string(folder.path().join("f")).unwrap(), "old");
        for content in ["longer than before", "short", ""] {
            write(&dir, Path::new("f"), content).unwrap();
            assert_eq!(
                fs::read_to_string(folder.path().join("f")).unwrap(),
                content
            );
        }
    }

    #[test]
    fn e12_a_link_that_is_swapped_in_leads_nowhere() {
        let folder = tempfile::tempdir().unwrap();
        let (root, out) = (folder.path().join("ws"), folder.path().join("out"));
        fs::create_dir_all(root.join("d")).unwrap();
        fs::create_dir(&out).unwrap();
        fs::write(root.join("d/f"), "inside").unwrap();
        fs::write(out.join("f"), "outside").unwrap();
        symlink(&out, root.join("link")).unwrap();
        let dir = Dir::open_ambient_dir(&root, cap_std::ambient_authority()).unwrap();
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                // `d` is by turns a folder inside and a link to the folder outside.
                while !done.load(Ordering::Relaxed) {
                    let (one, other) = (root.join("d"), root.join("link"));
                    renameat2(
                        AT_FDCWD,
                        &one,
                        AT_FDCWD,
                        &other,
                        RenameFlags::RENAME_EXCHANGE,
                    )
                    .unwrap();
                }
            });
            let mut leaks = 0;
            for round in 0..1_000 {
                if let Ok(Opened::Text(text)) = read(&dir, Path::new("d/f")) {
                    leaks += usize::from(text == "outside");
                }
                let _ = write(&dir, Path::new("d/f"), &format!("written {round}"));
            }
            // Before anything that may fail, or the other thread would go on for ever.
            done.store(true, Ordering::Relaxed);
            assert_eq!(leaks, 0);
        });
        assert_eq!(fs::read_to_string(out.join("f")).unwrap(), "outside");
        assert_eq!(fs::read_dir(&out).unwrap().count(), 1);
    }
}
