//! Where contenders work and keep their sessions: temporary folders, in memory and on the disk.
//!
//! Two kinds, because an agent that saves each turn before it answers pays for the disk, and that
//! is to be told apart from what its own work costs.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

use crate::fault::Fault;

/// A file system that is memory, on Linux.
const MEMORY: &str = "/dev/shm";

/// What the folders are called, for someone who finds one.
const PREFIX: &str = "acp-bench-";

/// All that the bench puts anywhere. Removed when it is dropped.
#[derive(Debug)]
pub struct Folders {
    memory: TempDir,
    disk: TempDir,
}

impl Folders {
    /// Makes the folders: in memory, and beside the program, which is on a disk.
    ///
    /// # Errors
    /// No folder can be made.
    pub fn new() -> Result<Self, Fault> {
        let make = |parent: &Path| tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent);
        let or_temporary = |made: io::Result<TempDir>| made.or_else(|_| make(&env::temp_dir()));
        let beside =
            env::current_exe().and_then(|program| make(program.parent().unwrap_or(Path::new("."))));
        Ok(Self {
            memory: or_temporary(make(Path::new(MEMORY)))
                .map_err(Fault::machine("making a folder"))?,
            disk: or_temporary(beside).map_err(Fault::machine("making a folder"))?,
        })
    }

    /// The folder for what belongs to no contender.
    pub fn shared(&self) -> &Path {
        self.memory.path()
    }

    /// A new place, whose sessions cost no disk.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn in_memory(&self) -> Result<Place, Fault> {
        Place::new(self.memory.path())
    }

    /// A new place, whose sessions are on the disk.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn on_disk(&self) -> Result<Place, Fault> {
        Place::new(self.disk.path())
    }
}

/// Where one contender runs. Removed when it is dropped.
#[derive(Debug)]
pub struct Place(TempDir);

impl Place {
    fn new(parent: &Path) -> Result<Self, Fault> {
        let make = || {
            let folder = TempDir::new_in(parent)?;
            fs::create_dir(folder.path().join("workspace"))?;
            Ok(Self(folder))
        };
        make().map_err(Fault::machine::<io::Error>("making a folder"))
    }

    /// The folder that its sessions work in.
    pub fn workspace(&self) -> PathBuf {
        self.0.path().join("workspace")
    }

    /// The folder that it keeps its sessions in.
    pub fn state(&self) -> PathBuf {
        self.0.path().join("state")
    }

    /// The file that its stderr goes to.
    pub fn log(&self) -> PathBuf {
        self.0.path().join("stderr")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_folder_is_left() {
        let folders = Folders::new().unwrap();
        let place = folders.on_disk().unwrap();
        fs::write(place.workspace().join("a"), "a").unwrap();
        fs::create_dir(place.state()).unwrap();
        let of_place = place.0.path().to_owned();
        drop(place);
        assert!(!of_place.exists());
        let paths = [
            folders.memory.path().to_owned(),
            folders.disk.path().to_owned(),
        ];
        assert!(paths.iter().all(|path| path.is_dir()));
        drop(folders);
        assert!(paths.iter().all(|path| !path.exists()));
    }
}
