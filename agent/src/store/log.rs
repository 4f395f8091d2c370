//! The writing end of a session: items appended, and made durable.
//!
//! Apart from the folder, because a log is a promise of its own: what [`SessionLog::append`] took
//! and [`SessionLog::sync`] confirmed is there after a power cut.
//!
//! Must stay true: a line is written whole or not at all as far as a reader can tell; the file is
//! never written anywhere but at its end; nothing is confirmed that might be gone.

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::slice;

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

/// Why items were not appended, and how many were.
#[derive(Debug)]
pub struct Stopped {
    /// How many items the log has taken: those before the one that the error is about.
    pub taken: usize,
    /// Why it took no more.
    pub error: StoreError,
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
        let written = log.write_lines(&line, &[line.len()]);
        written.map_err(|stopped| stopped.error)?;
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
        let appended = self.append_all(slice::from_ref(item));
        appended.map_err(|stopped| stopped.error)
    }

    /// Writes items behind the others, as [`SessionLog::append`] does, but all of them with one look
    /// at the file and one write.
    ///
    /// # Errors
    ///
    /// As there, of the first item that was not taken. Those before it are in the log, those behind
    /// it were not tried.
    pub fn append_all(&mut self, items: &[Item]) -> Result<(), Stopped> {
        let mut lines = Vec::new();
        let mut ends = Vec::with_capacity(items.len());
        let mut encoded = Ok(());
        for item in items {
            match encode_item(item, &self.path) {
                Ok(line) => lines.extend(line),
                Err(error) => {
                    encoded = Err(error);
                    break;
                }
            }
            ends.push(lines.len());
        }
        let taken = ends.len();
        if taken > 0 {
            let unseen = |error| Stopped { taken: 0, error };
            self.check().map_err(unseen)?;
            self.is_synced = false;
            self.write_lines(&lines, &ends)?;
        }
        encoded.map_err(|error| Stopped { taken, error })
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
        let found = self.file.metadata_at(&self.path);
        let Some(found) = found.map_err(self.failed("look at"))? else {
            return lost("was removed or replaced while the session was open".to_owned());
        };
        let length = found.len();
        match self.tail {
            Tail::Clean if length == self.length => Ok(()),
            Tail::Torn if length >= self.length => Ok(()),
            _ => lost("was changed by another program while the session was open".to_owned()),
        }
    }

    /// Appends lines, which end at `ends`; each of them whole, or nothing of it.
    fn write_lines(&mut self, lines: &[u8], ends: &[usize]) -> Result<(), Stopped> {
        let torn = self.cut_torn_tail();
        torn.map_err(|error| Stopped { taken: 0, error })?;
        let (written, result) = write_most(self.file.file(), lines);
        let taken = ends.iter().take_while(|end| **end <= written).count();
        self.length += taken.checked_sub(1).map_or(0, |last| ends[last]) as u64;
        result.map_err(|error| {
            self.tail = Tail::Torn;
            // Now, so that the room is free at once and others read a whole file. If it fails, it
            // is tried again before the next line.
            let _ = self.cut_torn_tail();
            let error = io_error("write to", &self.path)(error);
            Stopped { taken, error }
        })
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

/// Writes until all is written or a write fails, and says how far it came.
fn write_most(mut file: &File, bytes: &[u8]) -> (usize, io::Result<()>) {
    let mut written = 0;
    while written < bytes.len() {
        match file.write(&bytes[written..]) {
            Ok(0) => return (written, Err(ErrorKind::WriteZero.into())),
            Ok(count) => written += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return (written, Err(error)),
        }
    }
    (written, Ok(()))
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
