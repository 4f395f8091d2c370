//! `acp-journeys doctor -- AGENT`: can the command start at all?

use std::io::{self, Write as _};

use super::{CommandError, Status};
use crate::{doctor, executable::FileDigest, executable::Format};

/// Says what would be executed, or why nothing would.
///
/// # Errors
/// [`CommandError::NoAgent`], [`CommandError::Output`].
pub fn doctor(agent: &[String]) -> Result<Status, CommandError> {
    let program = agent.first().ok_or(CommandError::NoAgent)?;
    let mut out = io::stdout().lock();
    let path = match doctor::examine(program) {
        Ok(path) => path,
        Err(ailment) => {
            writeln!(out, "{program} cannot start: {ailment}")?;
            return Ok(Status::CouldNotRun);
        }
    };
    writeln!(out, "{program} can start")?;
    if let Ok(file) = FileDigest::of(&path) {
        let digest = file.sha256.as_deref().unwrap_or("it cannot be read");
        writeln!(out, "  file:    {} ({} bytes)", file.path, file.bytes)?;
        writeln!(out, "  sha256:  {digest}")?;
    }
    let kind = match crate::executable::format(&path) {
        Ok(Format::Elf { loader: None, .. }) => "a static program".to_owned(),
        Ok(Format::Elf {
            loader: Some(loader),
            ..
        }) => format!("a program loaded by {loader}"),
        Ok(Format::Script {
            interpreter,
            argument,
        }) => format!("a script for {interpreter} {argument}")
            .trim_end()
            .to_owned(),
        Ok(Format::Other) | Err(_) => "not a program or script that is known here".to_owned(),
    };
    writeln!(out, "  kind:    {kind}")?;
    Ok(Status::Passed)
}
