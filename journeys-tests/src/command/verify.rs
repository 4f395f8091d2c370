//! `acp-journeys verify FILE`: the verdict that follows from the recordings, and what in the file does
//! not.

use std::{
    io::{self, Write as _},
    path::Path,
};

use super::{CommandError, Status, status};
use crate::{
    report::{self, failure::printable},
    result::{RunResult, again::Verified, file},
};

/// Judges a stored result again.
///
/// # Errors
/// [`CommandError::ResultFile`], [`CommandError::Output`].
pub fn verify(path: &Path) -> Result<Status, CommandError> {
    let Verified {
        result: again,
        differences,
    } = file::read(path)?.verified();
    let mut out = io::stdout().lock();
    write_header(&again, &mut out)?;
    report::write(&again, &mut out)?;
    if differences.is_empty() {
        writeln!(out, "The verdict follows from the recordings.")?;
        return Ok(status(&again));
    }
    writeln!(out, "The file was edited, or made by another checker:")?;
    for difference in &differences {
        writeln!(out, "  differs: {}", printable(difference))?;
    }
    Ok(Status::Failed)
}

/// What the file says of itself. None of it can be derived, and so none of it is believed.
fn write_header(result: &RunResult, out: &mut impl io::Write) -> io::Result<()> {
    let agent = &result.agent;
    let mut command = vec![agent.command.program.clone()];
    command.extend(agent.command.args.iter().cloned());
    let digest = |sha256: Option<&String>| sha256.map_or("unknown", String::as_str).to_owned();
    let executable = agent.executable.as_ref();
    let sha256 = executable.and_then(|file| file.sha256.as_ref());
    for (name, said) in [
        ("agent", command.join(" ")),
        ("its sha256", digest(sha256)),
        ("isolation", result.isolation.clone()),
        (
            "checker",
            format!(
                "{} {}, sha256 {}",
                result.checker.name,
                result.checker.version,
                digest(result.checker.sha256.as_ref())
            ),
        ),
    ] {
        writeln!(out, "{name:10} {}", printable(&said))?;
    }
    Ok(())
}
