//! Looking at a program on this machine.
//!
//! Apart from the look at other machines because it is on the way of every local session: without a
//! process, and a program that has not changed is not read again.

use std::{
    collections::HashMap,
    env, fs,
    fs::File,
    io::{self, Read as _},
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use sha2::{Digest as _, Sha256};
use tokio::task::spawn_blocking;

use super::{Inspected, Unknown, hex};
use crate::config::ProfileConfig;

/// The beginning of a program that the kernel runs by itself.
const ELF: [u8; 4] = *b"\x7fELF";

/// How many digests are remembered: more than there are harnesses.
const REMEMBERED: usize = 64;

/// How much is read at once.
const PIECE: usize = 256 * 1024;

/// A file as it was read. The kernel moves the time of the last change with every change, and nobody
/// can set it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Version {
    device: u64,
    inode: u64,
    size: u64,
    changed: (i64, i64),
}

static DIGESTS: Mutex<Option<HashMap<Version, String>>> = Mutex::new(None);

pub(super) async fn inspect(profile: &ProfileConfig, cwd: &Path) -> Inspected {
    let program = profile
        .command
        .first()
        .map_or("", String::as_str)
        .to_owned();
    let path = profile.env.get("PATH").cloned();
    let cwd = cwd.to_owned();
    let digest = spawn_blocking(move || {
        let search = path.map_or_else(|| env::var_os("PATH").unwrap_or_default(), Into::into);
        let file = find(&program, &cwd, &search).ok_or(Unknown::Missing)?;
        digest(&file)
    });
    Inspected {
        // As `uname` says it on the targets that are not this machine.
        platform: format!("{}-{}", env::consts::OS, env::consts::ARCH),
        digest: digest
            .await
            .unwrap_or_else(|error| Err(Unknown::Unreadable(error.to_string()))),
    }
}

/// The file that is executed, as the launch finds it: a path with a slash from the working directory,
/// a bare name on the `PATH`.
fn find(program: &str, cwd: &Path, search: &std::ffi::OsStr) -> Option<PathBuf> {
    if program.contains('/') {
        return fs::canonicalize(cwd.join(program)).ok();
    }
    let is_executable = |path: &PathBuf| {
        fs::metadata(path)
            .is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
    };
    let found = env::split_paths(search).map(|folder| cwd.join(folder).join(program));
    fs::canonicalize(found.into_iter().find(is_executable)?).ok()
}

fn digest(path: &Path) -> Result<String, Unknown> {
    read(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Unknown::Missing,
        _ => Unknown::Unreadable(error.to_string()),
    })?
}

fn read(path: &Path) -> io::Result<Result<String, Unknown>> {
    let mut file = File::open(path)?;
    let about = file.metadata()?;
    let version = Version {
        device: about.dev(),
        inode: about.ino(),
        size: about.size(),
        changed: (about.ctime(), about.ctime_nsec()),
    };
    if let Some(known) = remembered(&version) {
        return Ok(Ok(known));
    }
    let mut magic = [0; 4];
    if file.read_exact(&mut magic).is_err() || magic != ELF {
        return Ok(Err(Unknown::Script));
    }
    let mut hasher = Sha256::new_with_prefix(magic);
    let mut piece = vec![0; PIECE];
    loop {
        let length = file.read(&mut piece)?;
        if length == 0 {
            break;
        }
        hasher.update(&piece[..length]);
    }
    let digest = hex(&hasher.finalize());
    // One that changes while it is read may be neither the old nor the new one.
    let after = file.metadata()?;
    if (after.ctime(), after.ctime_nsec()) == version.changed {
        remember(version, &digest);
    }
    Ok(Ok(digest))
}

fn remembered(version: &Version) -> Option<String> {
    let digests = DIGESTS.lock().unwrap_or_else(PoisonError::into_inner);
    digests.as_ref()?.get(version).cloned()
}

fn remember(version: Version, digest: &str) {
    let mut digests = DIGESTS.lock().unwrap_or_else(PoisonError::into_inner);
    let digests = digests.get_or_insert_default();
    if digests.len() >= REMEMBERED {
        digests.clear();
    }
    digests.insert(version, digest.to_owned());
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

    use super::{Unknown, digest, find};

    #[test]
    fn the_program_is_found_as_the_launch_finds_it() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        for (name, mode) in [("a", 0o755), ("b", 0o644)] {
            fs::write(folder.join(name), name).unwrap();
            fs::set_permissions(folder.join(name), fs::Permissions::from_mode(mode)).unwrap();
        }
        std::os::unix::fs::symlink("a", folder.join("link")).unwrap();
        let search = folder.as_os_str();
        let absolute = folder.join("a");
        //  program               found
        let table = [
            ("a", Some("a")),
            ("link", Some("a")),
            ("./a", Some("a")),
            (absolute.to_str().unwrap(), Some("a")),
            ("b", None),
            ("c", None),
            ("./c", None),
        ];
        for (program, expected) in table {
            let found = find(program, &folder, search);
            assert_eq!(found, expected.map(|name| folder.join(name)), "{program}");
        }
    }

    #[test]
    fn a_digest_follows_the_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p");
        let written = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            digest(&path)
        };
        let first = written(b"\x7fELF one").unwrap();
        assert_eq!(digest(&path).unwrap(), first);
        assert_eq!(first.len(), 64);
        assert_ne!(written(b"\x7fELF two and more").unwrap(), first);
        assert_eq!(written(b"#!/bin/sh\n"), Err(Unknown::Script));
        assert_eq!(written(b""), Err(Unknown::Script));
        assert_eq!(digest(Path::new("/nowhere")), Err(Unknown::Missing));
    }
}
