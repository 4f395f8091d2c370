//! `acp-journeys list`: the journeys and the checks.

use std::io::{self, Write as _};

use super::{CommandError, Status};
use crate::{journey::Journey, requirements};

/// Writes both lists.
///
/// # Errors
/// [`CommandError::Output`].
pub fn list() -> Result<Status, CommandError> {
    let mut out = io::stdout().lock();
    for journey in Journey::ALL {
        writeln!(out, "{:26} {}", journey.name(), journey.summary())?;
    }
    writeln!(
        out,
        "\nWith --stand-in, for agents that follow scenario commands:"
    )?;
    for journey in Journey::STAND_INS {
        writeln!(out, "{:26} {}", journey.name(), journey.summary())?;
    }
    writeln!(out, "\nChecks (acp-journeys explain CHECK says more):")?;
    for requirement in requirements::ALL {
        writeln!(out, "{:34} {}", requirement.id, requirement.requires)?;
    }
    Ok(Status::Passed)
}
