//! `acp-journeys merge DIR...`: the summary of a matrix whose shards ran apart.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use serde_json::json;

use super::{CommandError, Status, run::cannot_write, status};
use crate::{
    matrix::{Manifest, MatrixError, Outcome, Summary},
    report::matrix_table,
    result::file::write_beside,
};

/// Sums up the folders of the shards.
///
/// # Errors
/// [`CommandError::Matrix`], [`CommandError::Output`].
pub fn merge(folders: &[PathBuf], json: Option<&Path>) -> Result<Status, CommandError> {
    let names = names_of(folders)?;
    let summary = Summary::of(&names, folders)?;
    if let Some(path) = json {
        write_json(&summary, path).map_err(cannot_write(path))?;
    }
    write_summary(&summary, &mut io::stdout().lock())
}

/// The agents of the matrix; all shards must be of the same one.
fn names_of(folders: &[PathBuf]) -> Result<Vec<String>, CommandError> {
    let mut known: Option<(&PathBuf, Vec<String>)> = None;
    for folder in folders {
        for manifest in Manifest::read_all(folder)? {
            match &known {
                None => known = Some((folder, manifest.agents)),
                Some((one, agents)) if *agents != manifest.agents => {
                    let (one, other) = ((*one).clone(), folder.clone());
                    return Err(MatrixError::Different { one, other }.into());
                }
                Some(_) => {}
            }
        }
    }
    match known {
        Some((_, agents)) => Ok(agents),
        None => Err(MatrixError::Malformed {
            path: folders.first().cloned().unwrap_or_default(),
            reason: "no folder has the manifest of a shard".to_owned(),
        }
        .into()),
    }
}

/// Writes the table and returns what it comes to.
pub(super) fn write_summary(
    summary: &Summary,
    out: &mut impl Write,
) -> Result<Status, CommandError> {
    writeln!(out, "{}", matrix_table::of(summary))?;
    let statuses = || summary.agents.iter().map(|(_, outcome)| status_of(outcome));
    let passed = statuses()
        .filter(|status| *status == Status::Passed)
        .count();
    writeln!(out, "{passed} of {} agents pass", summary.agents.len())?;
    Ok(if statuses().any(|status| status == Status::CouldNotRun) {
        Status::CouldNotRun
    } else if passed == summary.agents.len() {
        Status::Passed
    } else {
        Status::Failed
    })
}

fn status_of(outcome: &Outcome) -> Status {
    match outcome {
        Outcome::Driven(result) => status(result),
        Outcome::Edited(_) => Status::Failed,
        Outcome::Missing(_) => Status::CouldNotRun,
    }
}

fn write_json(summary: &Summary, path: &Path) -> io::Result<()> {
    let agents = summary.agents.iter().map(|(name, outcome)| match outcome {
        Outcome::Driven(result) => json!({
            "name": name,
            "outcome": "driven",
            "passed": result.passed,
            "journeys": result.journeys.len(),
            "digest": result.digest,
        }),
        Outcome::Edited(differences) => {
            json!({"name": name, "outcome": "edited", "differences": differences})
        }
        Outcome::Missing(reason) => {
            json!({"name": name, "outcome": "missing", "reason": reason})
        }
    });
    let summary = json!({"format": 1, "agents": agents.collect::<Vec<_>>()});
    write_beside(path, |out| {
        serde_json::to_writer_pretty(&mut *out, &summary)?;
        out.write_all(b"\n")
    })
}
