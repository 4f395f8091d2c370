//! The result file: what a run saw and what it made of that, in one JSON object.
//!
//! The stored verdict is a convenience. `verify` judges the recordings again and believes only those;
//! it opens no path that the file names.

use std::{
    fs::{File, Permissions},
    io::{self, Read as _, Write as _},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::{
    agent_process::AgentCommand,
    check::{Check, Verdict, worst},
    journey::Journey,
    judge,
    recording::Recording,
};

/// The version of the format. It changes when an old reader would misread a new file.
pub const FORMAT: u32 = 1;

/// A file larger than this was not written by the checker: seven journeys with two processes each keep
/// at most 16 MiB of messages a process, twice as much when quoted.
const MAX_FILE_BYTES: u64 = 512 * 1024 * 1024;

/// A whole run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunResult {
    /// [`FORMAT`].
    pub format: u32,
    /// The checker's name and version.
    pub checker: Checker,
    /// The command that was driven.
    pub agent: AgentCommand,
    /// When the run began, in milliseconds since 1970.
    pub started_unix_ms: u64,
    /// How many journeys pass.
    pub passed: usize,
    /// The journeys, in the order in which they ran.
    pub journeys: Vec<JourneyResult>,
}

/// Who wrote the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checker {
    /// `acp-journeys`.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// One journey: its verdict, its checks, and the recording that both follow from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JourneyResult {
    /// Its name.
    pub name: Journey,
    /// The worst verdict of its checks. A journey with warnings passes.
    pub verdict: Verdict,
    /// The checks.
    pub checks: Vec<Check>,
    /// What was seen.
    pub recording: Recording,
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
    #[error("{path} has more than {MAX_FILE_BYTES} bytes; acp-journeys never writes such a file")]
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
    #[error("{path} has the format {found}; this acp-journeys reads the format {FORMAT}")]
    OtherFormat {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
}

impl JourneyResult {
    /// The result that follows from these checks.
    #[must_use]
    pub fn new(recording: Recording, checks: Vec<Check>) -> Self {
        Self {
            name: recording.inputs.journey(),
            verdict: worst(&checks),
            checks,
            recording,
        }
    }

    /// Whether the journey passes; warnings do not hinder it.
    #[must_use]
    pub fn passes(&self) -> bool {
        self.verdict != Verdict::Fail
    }
}

impl RunResult {
    /// The result of these journeys.
    #[must_use]
    pub fn new(agent: AgentCommand, started_unix_ms: u64, journeys: Vec<JourneyResult>) -> Self {
        Self {
            format: FORMAT,
            checker: Checker {
                name: "acp-journeys".to_owned(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
            },
            agent,
            started_unix_ms,
            passed: journeys.iter().filter(|journey| journey.passes()).count(),
            journeys,
        }
    }

    /// Whether all journeys of the run pass, and there is one.
    #[must_use]
    pub fn all_pass(&self) -> bool {
        !self.journeys.is_empty() && self.passed == self.journeys.len()
    }

    /// Writes the file: first beside it, then renamed, so that nobody reads half of it.
    ///
    /// # Errors
    /// [`ResultFileError::Write`].
    pub fn write(&self, path: &Path) -> Result<(), ResultFileError> {
        let failed = |source: io::Error| ResultFileError::Write {
            path: path.to_owned(),
            source,
        };
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        let mut file = tempfile::Builder::new()
            .permissions(Permissions::from_mode(0o666))
            .tempfile_in(folder.unwrap_or(Path::new(".")))
            .map_err(failed)?;
        let mut buffered = io::BufWriter::new(&mut file);
        serde_json::to_writer_pretty(&mut buffered, self).map_err(|error| failed(error.into()))?;
        buffered
            .write_all(b"\n")
            .and_then(|()| buffered.flush())
            .map_err(failed)?;
        drop(buffered);
        file.persist(path).map_err(|error| failed(error.error))?;
        Ok(())
    }

    /// Reads a file.
    ///
    /// # Errors
    /// All of [`ResultFileError`] but `Write`.
    pub fn read(path: &Path) -> Result<Self, ResultFileError> {
        let read = |source: io::Error| ResultFileError::Read {
            path: path.to_owned(),
            source,
        };
        let mut text = Vec::new();
        let file = File::open(path).map_err(read)?;
        file.take(MAX_FILE_BYTES + 1)
            .read_to_end(&mut text)
            .map_err(read)?;
        if text.len() as u64 > MAX_FILE_BYTES {
            return Err(ResultFileError::TooLarge {
                path: path.to_owned(),
            });
        }
        let malformed = |source: serde_json::Error| ResultFileError::Malformed {
            path: path.to_owned(),
            source,
        };
        // The version first: another format may have other members.
        let Version { format } = serde_json::from_slice(&text).map_err(malformed)?;
        if format != FORMAT {
            return Err(ResultFileError::OtherFormat {
                path: path.to_owned(),
                found: format,
            });
        }
        serde_json::from_slice(&text).map_err(malformed)
    }

    /// The result that follows from the recordings alone.
    #[must_use]
    pub fn judged_again(&self) -> Self {
        let journeys = self.journeys.iter().map(|journey| {
            let recording = journey.recording.clone();
            let checks = judge::judge(&recording);
            JourneyResult::new(recording, checks)
        });
        let mut again = Self::new(self.agent.clone(), self.started_unix_ms, journeys.collect());
        again.checker = self.checker.clone();
        again
    }

    /// Where what is stored differs from what follows from the recordings, in words.
    #[must_use]
    pub fn differences(&self, again: &Self) -> Vec<String> {
        let mut differences = Vec::new();
        if self.passed != again.passed {
            differences.push(format!(
                "the file says {} pass, the recordings say {}",
                self.passed, again.passed
            ));
        }
        for (stored, derived) in self.journeys.iter().zip(&again.journeys) {
            let name = derived.name;
            if stored.name != name {
                differences.push(format!(
                    "the journey {} has the recording of {name}",
                    stored.name
                ));
            }
            if stored.verdict != derived.verdict {
                differences.push(format!(
                    "{name}: the file says {:?}, the recording says {:?}",
                    stored.verdict, derived.verdict
                ));
            }
            let changed = derived
                .checks
                .iter()
                .filter(|check| !stored.checks.contains(check));
            differences.extend(changed.map(|check| {
                format!(
                    "{name}: {} is {:?}: {}",
                    check.id, check.verdict, check.came
                )
            }));
            let extra = stored.checks.len() > derived.checks.len();
            differences
                .extend(extra.then(|| format!("{name}: the file has checks that no judge makes")));
        }
        differences
    }
}

#[derive(Deserialize)]
struct Version {
    format: u32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{recording::Inputs, trouble::Trouble};

    fn run() -> RunResult {
        let recording = Recording {
            inputs: Inputs::Reply {
                marker: "M-1".to_owned(),
            },
            processes: Vec::new(),
            trouble: Some(Trouble::CouldNotStart {
                program: "x".to_owned(),
                error: "not found".to_owned(),
            }),
        };
        let checks = judge::judge(&recording);
        let agent = AgentCommand {
            program: "x".to_owned(),
            args: Vec::new(),
        };
        RunResult::new(agent, 1, vec![JourneyResult::new(recording, checks)])
    }

    fn read_back(text: &str) -> Result<RunResult, ResultFileError> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        RunResult::read(file.path())
    }

    #[test]
    fn what_was_written_is_read_and_judged_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("result.json");
        run().write(&path).unwrap();
        let stored = RunResult::read(&path).unwrap();
        assert_eq!(stored, run());
        assert_eq!(stored.judged_again(), stored);
    }

    #[test]
    fn each_edit_of_the_verdict_is_found() {
        let edits: [fn(&mut RunResult); 6] = [
            |result| result.passed = 1,
            |result| result.journeys[0].verdict = Verdict::Pass,
            |result| result.journeys[0].name = Journey::Memory,
            |result| result.journeys[0].checks[0].verdict = Verdict::Pass,
            |result| drop(result.journeys[0].checks.pop()),
            |result| {
                let extra = result.journeys[0].checks[0].clone();
                result.journeys[0].checks.push(extra);
            },
        ];
        for (number, edit) in edits.into_iter().enumerate() {
            let mut edited = run();
            edit(&mut edited);
            let differences = edited.differences(&edited.judged_again());
            assert!(!differences.is_empty(), "edit {number}");
        }
    }

    #[test]
    fn a_file_that_is_no_result_is_refused() {
        assert!(matches!(
            read_back("{}"),
            Err(ResultFileError::Malformed { .. })
        ));
        assert!(matches!(
            read_back("[1"),
            Err(ResultFileError::Malformed { .. })
        ));
        let other = read_back("{\"format\": 2}");
        assert!(matches!(
            other,
            Err(ResultFileError::OtherFormat { found: 2, .. })
        ));
        let missing = RunResult::read(Path::new("/nonexistent/result.json"));
        assert!(matches!(missing, Err(ResultFileError::Read { .. })));
    }
}
