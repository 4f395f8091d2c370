//! Many agents: the file that names them, and the summary of what they came to.
//!
//! What must stay true: an agent is counted once, whatever shard ran it and however often; what was
//! not run is missing, and never a pass.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::{
    journey::Journey,
    result::{
        RunResult,
        file::{self, ResultFileError},
    },
    shard::Shard,
};

/// A longer file names no agents.
const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// The file of a matrix.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Matrix {
    /// The agents.
    pub agents: Vec<MatrixAgent>,
}

/// One agent of a matrix.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatrixAgent {
    /// Its name, and that of its result file.
    pub name: String,
    /// The command that starts it.
    pub command: Vec<String>,
    /// Added to its environment.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Variables whose values must not be in the result.
    #[serde(default)]
    pub secret_env: Vec<String>,
    /// The journeys; all seven if empty.
    #[serde(default)]
    pub only: Vec<JourneyName>,
    /// Whether the stand-in journeys run, too.
    #[serde(default)]
    pub stand_in: bool,
}

/// A journey, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct JourneyName(pub Journey);

/// Why a matrix cannot be run or summed up.
#[derive(Debug, thiserror::Error)]
pub enum MatrixError {
    /// A file or folder.
    #[error("{}: {source}", path.display())]
    Path {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Not a matrix.
    #[error("{} is no matrix: {reason}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A result.
    #[error(transparent)]
    ResultFile(#[from] ResultFileError),
    /// Shards of different matrices.
    #[error(
        "{} and {} were written for different matrices; merge the shards of one",
        one.display(), other.display()
    )]
    Different {
        /// A folder.
        one: PathBuf,
        /// Another.
        other: PathBuf,
    },
}

impl Matrix {
    /// Reads a matrix.
    ///
    /// # Errors
    /// [`MatrixError::Path`], [`MatrixError::Malformed`].
    pub fn read(path: &Path) -> Result<Self, MatrixError> {
        let text = read_text(path)?;
        let malformed = |reason: String| MatrixError::Malformed {
            path: path.to_owned(),
            reason,
        };
        let matrix: Self =
            serde_saphyr::from_str(&text).map_err(|error| malformed(error.to_string()))?;
        matrix.check().map_err(malformed)?;
        Ok(matrix)
    }

    /// The agents' names, in order.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.agents.iter().map(|agent| agent.name.clone()).collect()
    }

    fn check(&self) -> Result<(), String> {
        if self.agents.is_empty() {
            return Err("it names no agents".to_owned());
        }
        let mut names = BTreeSet::new();
        for agent in &self.agents {
            let name = &agent.name;
            if !is_file_name(name) {
                return Err(format!(
                    "the name {name:?} may have letters, digits, '.', '_' and '-', and a letter or \
                     digit first"
                ));
            }
            if !names.insert(name.to_lowercase()) {
                return Err(format!("the name {name:?} is there twice"));
            }
            if agent.command.first().is_none_or(String::is_empty) {
                return Err(format!("{name} has an empty command"));
            }
        }
        Ok(())
    }
}

fn is_file_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.len() <= 100
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
}

fn read_text(path: &Path) -> Result<String, MatrixError> {
    let failed = |source| MatrixError::Path {
        path: path.to_owned(),
        source,
    };
    let length = fs::metadata(path).map_err(failed)?.len();
    if length > MAX_FILE_BYTES {
        let source = io::Error::other(format!("it has more than {MAX_FILE_BYTES} bytes"));
        return Err(failed(source));
    }
    fs::read_to_string(path).map_err(failed)
}

/// What a shard writes beside its results: which agents there are in all. So a shard that is missing
/// is noticed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of this format: 1.
    pub format: u32,
    /// All agents of the matrix, in order.
    pub agents: Vec<String>,
}

impl Manifest {
    /// The name of the file of a shard.
    #[must_use]
    pub fn file_name(shard: Shard) -> String {
        format!("shard-{}-of-{}.manifest", shard.number, shard.of)
    }

    /// Reads all manifests of a folder.
    ///
    /// # Errors
    /// [`MatrixError`].
    pub fn read_all(folder: &Path) -> Result<Vec<Self>, MatrixError> {
        let paths = files_with(folder, "manifest")?;
        let read = |path: PathBuf| {
            let text = read_text(&path)?;
            serde_json::from_str(&text).map_err(|error| MatrixError::Malformed {
                path,
                reason: error.to_string(),
            })
        };
        paths.into_iter().map(read).collect()
    }
}

/// The files of a folder with this extension, sorted.
///
/// # Errors
/// [`MatrixError::Path`].
pub fn files_with(folder: &Path, extension: &str) -> Result<Vec<PathBuf>, MatrixError> {
    let failed = |source| MatrixError::Path {
        path: folder.to_owned(),
        source,
    };
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|found| found == extension) {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// What an agent of a matrix came to.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// It was driven.
    Driven(Box<RunResult>),
    /// Its file was edited, or its verdict does not follow.
    Edited(Vec<String>),
    /// There is no result, for this reason.
    Missing(String),
}

/// All agents of a matrix, in order, with what each came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Name and outcome.
    pub agents: Vec<(String, Outcome)>,
}

impl Summary {
    /// Sums up the results of these folders; the newest result of an agent counts, and that once.
    ///
    /// # Errors
    /// [`MatrixError`].
    pub fn of(names: &[String], folders: &[PathBuf]) -> Result<Self, MatrixError> {
        let mut newest: BTreeMap<String, file::Stored> = BTreeMap::new();
        for folder in folders {
            for path in files_with(folder, "json")? {
                // Whatever else lies there is none of ours; a damaged result leaves its agent missing.
                let Ok(stored) = file::read(&path) else {
                    continue;
                };
                let Some(name) = stored.result.agent.name.clone() else {
                    continue;
                };
                let older = newest.get(&name).is_some_and(|known| {
                    known.result.started_unix_ms >= stored.result.started_unix_ms
                });
                if !older {
                    newest.insert(name, stored);
                }
            }
        }
        let mut outcome = |name: &String| match newest.remove(name).map(file::Stored::verified) {
            None => Outcome::Missing("no result".to_owned()),
            Some(verified) if verified.differences.is_empty() => {
                Outcome::Driven(Box::new(verified.result))
            }
            Some(verified) => Outcome::Edited(verified.differences),
        };
        Ok(Self {
            agents: names
                .iter()
                .map(|name| (name.clone(), outcome(name)))
                .collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Matrix, String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), text).unwrap();
        Matrix::read(file.path()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_matrix_is_read() {
        let matrix = read(
            "agents:\n\
             \x20 - name: one\n    command: [one, --acp]\n\
             \x20 - name: two.2\n    command: [/bin/two]\n    env: {A: b}\n    secret_env: [KEY]\n\
             \x20   only: [reply, question]\n    stand_in: true\n",
        )
        .unwrap();
        assert_eq!(matrix.names(), ["one", "two.2"]);
        assert_eq!(matrix.agents[0].command, ["one", "--acp"]);
        let two = &matrix.agents[1];
        assert_eq!(two.env["A"], "b");
        assert_eq!(two.secret_env, ["KEY"]);
        let only = [Journey::Reply, Journey::Question].map(JourneyName);
        assert_eq!(two.only, only);
        assert!(two.stand_in);
    }

    #[test]
    fn what_is_wrong_with_a_matrix_is_said() {
        let agent = |name: &str| format!("  - name: {name}\n    command: [x]\n");
        #[rustfmt::skip]
        let table = [
            ("agents: []".to_owned(), "names no agents"),
            ("agents: [".to_owned(), "is no matrix"),
            (format!("agents:\n{}{}", agent("a"), agent("A")), "\"A\" is there twice"),
            (format!("agents:\n{}", agent("../x")), "may have letters"),
            (format!("agents:\n{}", agent("\".x\"")), "may have letters"),
            ("agents:\n  - name: a\n    command: []\n".to_owned(), "a has an empty command"),
            ("agents:\n  - name: a\n    comand: [x]\n".to_owned(), "comand"),
            ("agents:\n  - name: a\n    command: [x]\n    only: [cook]\n".to_owned(), "cook"),
        ];
        for (text, wanted) in table {
            let error = read(&text).unwrap_err();
            assert!(error.contains(wanted), "{text}: {error}");
        }
    }
}
