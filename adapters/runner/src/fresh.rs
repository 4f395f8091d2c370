//! A folder that one run has for itself, and that is removed with it.
//!
//! A run that is killed cannot remove it. So each folder is locked as long as its run lives, and the
//! next run that wants one removes those that nobody locks.
//!
//! Man pages: flock(2).

use std::{
    fs::{self, File},
    io,
    path::Path,
    time::{Duration, SystemTime},
};

use tempfile::TempDir;

/// What the names of the folders begin with.
const PREFIX: &str = "acp-runner-";

/// A younger folder may be about to be locked.
const YOUNG: Duration = Duration::from_secs(60);

/// The folder. It is removed when this is dropped.
#[derive(Debug)]
pub struct Fresh {
    folder: TempDir,
    /// Let go by the kernel, however the run ends.
    _lock: File,
}

impl Fresh {
    /// Makes one in the folder for temporary files.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn make() -> io::Result<Self> {
        Self::make_in(&std::env::temp_dir())
    }

    fn make_in(parent: &Path) -> io::Result<Self> {
        remove_abandoned(parent);
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent)?;
        let lock = File::open(folder.path())?;
        lock.lock()?;
        Ok(Self {
            folder,
            _lock: lock,
        })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes what killed runs have left. What cannot be removed belongs to somebody else.
fn remove_abandoned(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        if is_ours && is_abandoned(&entry.path()).unwrap_or(false) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn is_abandoned(path: &Path) -> io::Result<bool> {
    let found = path.symlink_metadata()?;
    let age = SystemTime::now().duration_since(found.modified()?);
    if !found.is_dir() || age.unwrap_or_default() < YOUNG {
        return Ok(false);
    }
    Ok(File::open(path)?.try_lock().is_ok())
}

#[cfg(test)]
mod tests {
    use std::fs::FileTimes;

    use super::*;

    fn make_old(path: &Path) {
        let times = FileTimes::new().set_modified(SystemTime::UNIX_EPOCH);
        File::open(path).unwrap().set_times(times).unwrap();
    }

    #[test]
    fn what_a_killed_run_left_is_removed_and_nothing_else() {
        let parent = tempfile::tempdir().unwrap();
        let at = |name: &str| parent.path().join(name);
        for name in ["acp-runner-dead", "acp-runner-young", "other-old"] {
            fs::create_dir(at(name)).unwrap();
            fs::write(at(name).join("f"), "").unwrap();
        }
        make_old(&at("acp-runner-dead"));
        make_old(&at("other-old"));
        let living = Fresh::make_in(parent.path()).unwrap();
        make_old(living.path());
        let next = Fresh::make_in(parent.path()).unwrap();
        assert!(living.path().is_dir() && next.path().is_dir());
        assert!(!at("acp-runner-dead").exists());
        assert!(at("acp-runner-young").exists() && at("other-old").exists());
        let gone = next.path().to_owned();
        drop(next);
        assert!(!gone.exists());
    }
}
