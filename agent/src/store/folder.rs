//! The folder of sessions: made, opened, deleted.
//!
//! Apart from the log, because here is all that is about names and owners, and there is all that
//! is about bytes.
//!
//! Must stay true: only this user can look into the folder and its files, whatever the umask; a
//! path is made only from a valid id; a link is never followed out of the folder; a deleted
//! session does not come back, because nothing but [`Store::create`] makes files, and that only
//! under a name that is free.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-setup>
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-delete#semantics>

use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use nix::fcntl::OFlag;

use super::encoding::check_format;
use super::error::io_error;
use super::item::Header;
use super::lock::Locked;
use super::log::{folder_of, sync_folder};
use super::replay::Opened;
use super::{SessionLog, StoreError, id};

/// The folder's name below the state folder.
const FOLDER: &str = "sessions";

/// Who may do what with the folder: its owner everything, others nothing.
const FOLDER_MODE: u32 = 0o700;

/// The same for a file.
const FILE_MODE: u32 = 0o600;

/// All sessions of one state folder.
///
/// All methods block on the disk, but [`Store::new`].
#[derive(Debug, Clone)]
pub struct Store {
    folder: PathBuf,
}

impl Store {
    /// The sessions below `state_dir`. Nothing is read or made yet.
    #[must_use]
    pub fn new(state_dir: PathBuf) -> Store {
        Store {
            folder: state_dir.join(FOLDER),
        }
    }

    /// Makes a session, and the folders that are missing. It survives a power cut only after the
    /// first [`SessionLog::sync`].
    ///
    /// # Errors
    ///
    /// [`StoreError::Io`] with [`ErrorKind::AlreadyExists`] if the id is taken.
    pub fn create(&self, header: &Header) -> Result<SessionLog, StoreError> {
        let path = self.path(&header.session_id)?;
        check_format(header.format, &path)?;
        make_folder(&self.folder)?;
        let file = open_options()
            .append(true)
            .create_new(true)
            .mode(FILE_MODE)
            .open(&path)
            .map_err(io_error("make", &path))?;
        let log = file
            // The umask may have taken our own rights away.
            .set_permissions(Permissions::from_mode(FILE_MODE))
            .map_err(io_error("make", &path))
            .and_then(|()| Locked::take(file, &path, &header.session_id))
            .and_then(|file| SessionLog::begin(file, path.clone(), header));
        if log.is_err() {
            // A file without a header would only be in the way. The first error is what counts.
            let _ = std::fs::remove_file(&path);
        }
        log
    }

    /// Opens a stored session and holds it, so that no other process writes to it.
    ///
    /// # Errors
    ///
    /// [`StoreError::InvalidId`] and [`StoreError::NotFound`] for a session that is not there,
    /// [`StoreError::InUse`] for one that is open already, here or elsewhere, and
    /// [`StoreError::NewerFormat`] or [`StoreError::Damaged`] for one without a header to trust.
    pub fn open(&self, session_id: &str) -> Result<Opened, StoreError> {
        let path = self.path(session_id)?;
        let file = open_options()
            .append(true)
            .open(&path)
            .map_err(|error| not_opened(error, session_id, &path))?;
        let file = lock(file, &path, session_id)?;
        Opened::read(file, path, session_id)
    }

    /// Removes a session for good. One that does not exist is removed already.
    ///
    /// # Errors
    ///
    /// [`StoreError::InUse`] while any process has the session open, this one too: its log has to
    /// be dropped first.
    pub fn delete(&self, session_id: &str) -> Result<(), StoreError> {
        match self.remove(session_id) {
            Err(StoreError::InvalidId { .. }) => Ok(()),
            // Perhaps by a delete that could not be flushed: this one promises it again.
            Err(StoreError::NotFound { .. }) => self.flush_names(),
            other => other,
        }
    }

    /// Makes it durable which sessions there are.
    fn flush_names(&self) -> Result<(), StoreError> {
        let flushed = File::open(&self.folder).and_then(|folder| sync_folder(&folder));
        match flushed {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            other => other.map_err(io_error("flush", &self.folder)),
        }
    }

    fn remove(&self, session_id: &str) -> Result<(), StoreError> {
        let path = self.path(session_id)?;
        let file = open_options()
            .open(&path)
            .map_err(|error| not_opened(error, session_id, &path))?;
        let _held = lock(file, &path, session_id)?;
        std::fs::remove_file(&path).map_err(io_error("delete", &path))?;
        self.flush_names()
    }

    /// The folder that the files are in.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The file of a session.
    fn path(&self, session_id: &str) -> Result<PathBuf, StoreError> {
        Ok(self.folder.join(id::file_name(session_id)?))
    }
}

/// Takes the lock of an open file, and makes sure that it is still the one at `path`: it may have
/// been deleted between the two steps.
fn lock(file: File, path: &Path, session_id: &str) -> Result<Locked, StoreError> {
    let file = Locked::take(file, path, session_id)?;
    match file.metadata_at(path).map_err(io_error("look at", path))? {
        Some(_) => Ok(file),
        None => Err(StoreError::NotFound {
            session_id: session_id.to_owned(),
        }),
    }
}

/// How each file is opened. `O_NOFOLLOW`: only what lies in the folder itself. `O_NONBLOCK`: a
/// pipe that somebody put there does not hold us up; it means nothing for a file.
pub(super) fn open_options() -> OpenOptions {
    let flags = OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK;
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(flags.bits());
    options
}

/// Tells "no such session" from the other reasons why a file cannot be opened.
fn not_opened(error: io::Error, session_id: &str, path: &Path) -> StoreError {
    if error.kind() == ErrorKind::NotFound {
        StoreError::NotFound {
            session_id: session_id.to_owned(),
        }
    } else {
        io_error("open", path)(error)
    }
}

/// Makes the folder of sessions, those above it that are missing, and its privacy.
fn make_folder(folder: &Path) -> Result<(), StoreError> {
    make_private(folder)?;
    let failed = |error| io_error("use the folder", folder)(error);
    let found = std::fs::metadata(folder).map_err(failed)?;
    if !found.is_dir() {
        return Err(failed(ErrorKind::NotADirectory.into()));
    }
    if found.permissions().mode() & 0o777 != FOLDER_MODE {
        make_owners_only(folder)?;
    }
    Ok(())
}

/// Makes a folder for this user alone, and those above it that are missing. What is there already
/// is left as it is.
fn make_private(folder: &Path) -> Result<(), StoreError> {
    let mkdir = || DirBuilder::new().mode(FOLDER_MODE).create(folder);
    let made = match mkdir() {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            if let Some(above) = folder.parent() {
                make_private(above)?;
            }
            mkdir()
        }
        made => made,
    };
    match made {
        Ok(()) => {
            make_owners_only(folder)?;
            // So that the way to the first session is as durable as the session.
            let flushed = folder_of(folder).and_then(|above| sync_folder(&above));
            flushed.map_err(|error| {
                // Whoever tries again would find it, and take it for durable.
                let _ = std::fs::remove_dir(folder);
                io_error("flush the folder above", folder)(error)
            })
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(io_error("make the folder", folder)(error)),
    }
}

/// Sets the rights that the umask may have cut down, or somebody widened.
fn make_owners_only(folder: &Path) -> Result<(), StoreError> {
    std::fs::set_permissions(folder, Permissions::from_mode(FOLDER_MODE))
        .map_err(io_error("set the rights of", folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_that_is_deleted_while_it_is_opened_is_not_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.jsonl");
        let file = File::create(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, "another").unwrap();
        let error = lock(file, &path, "s").unwrap_err();
        assert!(matches!(error, StoreError::NotFound { .. }), "{error}");
    }
}
