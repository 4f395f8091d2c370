//! The result file: written so that nobody reads half of it, read as something that a stranger sent.
//!
//! What must stay true: no path that is named in a file is opened, and the memory for reading one is
//! bounded before anything is parsed.

use std::{
    fs::{File, Permissions},
    io::{self, Read as _, Write as _},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use serde::Deserialize;
use serde_json::Value;

use super::{FORMAT, RunResult, digest};

/// A longer file was not written by the checker: of each process at most 8 MiB of messages are kept,
/// twice as much when quoted, and a run has a dozen processes.
pub const MAX_FILE_BYTES: u64 = 256 * 1024 * 1024;

/// Values in a file; each costs some 72 bytes in memory beside its text. A flooded run has 2 million.
const MAX_VALUES: usize = 4_000_000;

/// The oldest format that is read.
const OLDEST_FORMAT: u32 = 1;

/// A result as it was stored, and what its content gives.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    /// What the file says.
    pub result: RunResult,
    /// The digest of its content.
    pub digest: String,
}

/// Why a result file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ResultFileError {
    /// It cannot be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It cannot be written.
    #[error("cannot write {path}: {source}; name another file with --json")]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is too large to be one.
    #[error(
        "{path} has more than {MAX_FILE_BYTES} bytes or {MAX_VALUES} values; \
         acp-journeys never writes such a file"
    )]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// It is not a result file.
    #[error("{path} is not a result of acp-journeys: {source}")]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Where the JSON is wrong.
        source: serde_json::Error,
    },
    /// It has another format version.
    #[error(
        "{path} has the format {found}; this acp-journeys reads the formats \
         {OLDEST_FORMAT} to {FORMAT}"
    )]
    OtherFormat {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u64,
    },
}

impl RunResult {
    /// The result with the digest of its content.
    #[must_use]
    pub fn sealed(mut self) -> Self {
        // A result holds nothing that JSON cannot; without a digest the file would be refused.
        self.digest = serde_json::to_value(&self)
            .ok()
            .map(|content| digest::of(&content));
        self
    }

    /// Writes the file: first beside it, then renamed, so that nobody reads half of it.
    ///
    /// # Errors
    /// [`ResultFileError::Write`].
    pub fn write(&self, path: &Path) -> Result<(), ResultFileError> {
        write_beside(path, |out| {
            serde_json::to_writer_pretty(&mut *out, self)?;
            out.write_all(b"\n")
        })
        .map_err(|source| ResultFileError::Write {
            path: path.to_owned(),
            source,
        })
    }
}

/// Writes a file under another name and renames it.
///
/// # Errors
/// What the system says.
pub fn write_beside(
    path: &Path,
    write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>,
) -> io::Result<()> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let mut file = tempfile::Builder::new()
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(folder.unwrap_or(Path::new(".")))?;
    let mut buffered = io::BufWriter::new(&mut file);
    write(&mut buffered)?;
    buffered.flush()?;
    drop(buffered);
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Reads a file.
///
/// # Errors
/// All of [`ResultFileError`] but `Write`.
pub fn read(path: &Path) -> Result<Stored, ResultFileError> {
    let owned = || path.to_owned();
    let failed = |source: io::Error| ResultFileError::Read {
        path: owned(),
        source,
    };
    let mut text = Vec::new();
    let file = File::open(path).map_err(failed)?;
    file.take(MAX_FILE_BYTES + 1)
        .read_to_end(&mut text)
        .map_err(failed)?;
    if text.len() as u64 > MAX_FILE_BYTES || values_in(&text) > MAX_VALUES {
        return Err(ResultFileError::TooLarge { path: owned() });
    }
    let malformed = |source: serde_json::Error| ResultFileError::Malformed {
        path: owned(),
        source,
    };
    let content: Value = serde_json::from_slice(&text).map_err(malformed)?;
    drop(text);
    // The version first: another format may have other members.
    if let Some(found) = content["format"].as_u64()
        && !(u64::from(OLDEST_FORMAT)..=u64::from(FORMAT)).contains(&found)
    {
        return Err(ResultFileError::OtherFormat {
            path: owned(),
            found,
        });
    }
    let digest = digest::of(&content);
    let result = RunResult::deserialize(content).map_err(malformed)?;
    Ok(Stored { result, digest })
}

/// How many values a JSON text can have at most: one for each separator and bracket outside strings.
fn values_in(text: &[u8]) -> usize {
    let mut values = 1;
    let (mut in_string, mut escaped) = (false, false);
    for &byte in text {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b',' | b':' | b'[' | b'{' if !in_string => values += 1,
            _ => {}
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_back(text: &str) -> Result<Stored, ResultFileError> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        read(file.path())
    }

    #[test]
    fn a_file_that_is_no_result_is_refused() {
        for text in ["{}", "[1", "null", "{\"format\": 2}", "{\"format\": \"2\"}"] {
            let read = read_back(text);
            assert!(
                matches!(read, Err(ResultFileError::Malformed { .. })),
                "{text}"
            );
        }
        let other = read_back("{\"format\": 3}");
        assert!(matches!(
            other,
            Err(ResultFileError::OtherFormat { found: 3, .. })
        ));
        let missing = read(Path::new("/nonexistent/result.json"));
        assert!(matches!(missing, Err(ResultFileError::Read { .. })));
    }

    #[test]
    fn a_file_of_many_small_values_is_refused_before_it_is_parsed() {
        let many = format!("[{}0]", "0,".repeat(MAX_VALUES));
        assert!(matches!(
            read_back(&many),
            Err(ResultFileError::TooLarge { .. })
        ));
        let nested = "[".repeat(100_000);
        assert!(matches!(
            read_back(&nested),
            Err(ResultFileError::Malformed { .. })
        ));
    }

    #[test]
    fn values_are_counted_outside_strings() {
        assert_eq!(values_in(br#"{"a,b\",[": [1, "\\", {}]}"#), 7);
    }
}
