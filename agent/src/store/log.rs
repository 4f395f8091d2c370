//! The writing end of a session: items appended, and made durable.
//!
//! Apart from the folder, because a log is a promise of its own: what [`SessionLog::append`] took
//! and [`SessionLog::sync`] confirmed is there after a power cut.
//!
//! Must stay true: a line is written whole or not at all as far as a reader can tell; the file is
//! never written anywhere but at its end; nothing is confirmed that might be gone.

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::StoreError;
use super::encoding::{encode_header, encode_item};
use super::error::io_error;
use super::item::{Header, Item};
use super::lock::Locked;

/// An open session that can be appended to. It is the only one of its session in the system, and
/// dropping it lets others open the session.
///
/// All methods block on the disk.
#[derive(Debug)]
pub struct SessionLog {
    file: Locked,
    path: PathBuf,
    session_id: String,
    /// The length of all whole lines.
    length: u64,
    tail: Tail,
    /// Whether items were written since the last sync. A header alone need not be durable.
    is_synced: bool,
    /// Whether the folder was synced, so that the file is found by its name after a power cut.
    name_is_durable: bool,
}

/// What is behind the last whole line.
#[derive(Debug)]
enum Tail {
    /// Nothing.
    Clean,
    /// Part of a line, perhaps. It is cut off before the next line is written.
    Torn,
    /// Nobody knows: the kernel could not write what it had taken, for this reason.
    Unknown(String),
}

impl SessionLog {
    /// The log of a file that was just made: writes the header.
    pub(super) fn begin(
        file: Locked,
        path: PathBuf,
        header: &Header,
    ) -> Result<SessionLog, StoreError> {
        let line = encode_header(header, &path)?;
        let mut log = SessionLog::resume(file, path, header.session_id.clone(), 0, false);
        log.write_line(&line)?;
        Ok(log)
    }

    /// The log of a file that was just read: `length` bytes of whole lines, and perhaps a torn one.
    pub(super) fn resume(
        file: Locked,
        path: PathBuf,
        session_id: String,
        length: u64,
        torn: bool,
    ) -> SessionLog {
        SessionLog {
            file,
            path,
            session_id,
            length,
            tail: if torn { Tail::Torn } else { Tail::Clean },
            is_synced: true,
            name_is_durable: false,
        }
    }

    /// The session's id.
    pub fn session_id(&self) -> &str {
        &self.session_id
    }

    /// Writes one item behind the others. It is in the kernel's hands then: it survives the end of
    /// this process, and a power cut after the next [`SessionLog::sync`].
    ///
    /// # Errors
    ///
    /// After [`StoreError::Io`] and [`StoreError::Unstorable`] the log is as it was before, and
    /// the next item may be tried. After [`StoreError::Lost`] it is of no more use.
    pub fn append(&mut self, item: &Item) -> Result<(), StoreError> {
        let line = encode_item(item, &self.path)?;
        self.check()?;
        self.is_synced = false;
        self.write_line(&line)
    }

    /// Makes all that was appended durable. Only when this returns may anybody be told.
    ///
    /// # Errors
    ///
    /// Whatever the error, items may be lost. A failed flush is final, because the kernel forgets
    /// what it could not write and reports it once, see fsync(2): each later call gives
    /// [`StoreError::Lost`].
    pub fn sync(&mut self) -> Result<(), StoreError> {
        self.check()?;
        if let Err(error) = self.file.file().sync_data() {
            return Err(self.failed_to_flush(error));
        }
        if !self.name_is_durable {
            let folder = folder_of(&self.path).map_err(self.failed("open the folder of"))?;
            if let Err(error) = sync_folder(&folder) {
                return Err(self.failed_to_flush(error));
            }
            self.name_is_durable = true;
        }
        // Last, because a file without a name would have been flushed as happily.
        self.check()?;
        self.is_synced = true;
        Ok(())
    }

    /// Whether every item that was appended is durable.
    pub fn is_synced(&self) -> bool {
        self.is_synced
    }

    /// Refuses to go on in a file that others cannot find, or that is not as we left it.
    fn check(&self) -> Result<(), StoreError> {
        let lost = |reason: String| {
            Err(StoreError::Lost {
                path: self.path.clone(),
                reason,
            })
        };
        if let Tail::Unknown(cause) = &self.tail {
            return lost(format!("could not be flushed ({cause})"));
        }
        if !self
            .file
            .is_at(&self.path)
            .map_err(self.failed("look at"))?
        {
            return lost("was removed or replaced while the session was open".to_owned());
        }
        let length = self
            .file
            .file()
            .metadata()
            .map_err(self.failed("look at"))?
            .size();
        match self.tail {
            Tail::Clean if length == self.length => Ok(()),
            Tail::Torn if length >= self.length => Ok(()),
            _ => lost("was changed by another program while the session was open".to_owned()),
        }
    }

    /// Appends a whole line, or nothing.
    fn write_line(&mut self, line: &[u8]) -> Result<(), StoreError> {
        self.cut_torn_tail()?;
        match self.file.file().write_all(line) {
            Ok(()) => {
                self.length += line.len() as u64;
                Ok(())
            }
            Err(error) => {
                self.tail = Tail::Torn;
                // Now, so that the room is free at once and others read a whole file. If it
                // fails, it is tried again before the next line.
                let _ = self.cut_torn_tail();
                Err(io_error("write to", &self.path)(error))
            }
        }
    }

    /// Removes what is behind the last whole line.
    fn cut_torn_tail(&mut self) -> Result<(), StoreError> {
        if let Tail::Torn = self.tail {
            let cut = self.file.file().set_len(self.length);
            cut.map_err(self.failed("cut the torn end of"))?;
            self.tail = Tail::Clean;
        }
        Ok(())
    }

    /// Ends the log: what the kernel still has may never reach the disk.
    fn failed_to_flush(&mut self, error: io::Error) -> StoreError {
        self.tail = Tail::Unknown(error.to_string());
        io_error("flush", &self.path)(error)
    }

    fn failed(&self, what: &'static str) -> impl FnOnce(io::Error) -> StoreError {
        io_error(what, &self.path)
    }
}

/// The folder that a file or folder is in, opened to be synced.
pub(super) fn folder_of(path: &Path) -> io::Result<File> {
    match path.parent() {
        Some(folder) if folder != Path::new("") => File::open(folder),
        _ => File::open("."),
    }
}

/// Makes the names in a folder durable.
pub(super) fn sync_folder(folder: &File) -> io::Result<()> {
    match folder.sync_all() {
        // Some file systems have no such operation: they need none, or none is to be had.
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::InvalidInput | ErrorKind::Unsupported
            ) =>
        {
            Ok(())
        }
        other => other,
    }
}

#[cfg(test)]
#[path = "log_tests.rs"]
mod tests;
