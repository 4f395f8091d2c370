//! `acp-journeys explain CHECK`: what a check wants, why, and what to do about it.

use std::io::{self, Write as _};

use super::{CommandError, Status};
use crate::{
    journey::Journey,
    requirements::{self, Demand, Requirement},
};

/// Explains the check with this id, or all whose id holds the text.
///
/// # Errors
/// [`CommandError::NoSuchCheck`], [`CommandError::Output`].
pub fn explain(name: &str) -> Result<Status, CommandError> {
    let found: Vec<&Requirement> = match requirements::find(name) {
        Some(requirement) => vec![requirement],
        None => requirements::ALL
            .iter()
            .copied()
            .filter(|requirement| requirement.id.contains(name))
            .collect(),
    };
    if found.is_empty() || name.is_empty() {
        let name = name.to_owned();
        return Err(CommandError::NoSuchCheck { name });
    }
    let mut out = io::stdout().lock();
    for (index, requirement) in found.into_iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{}", requirement.id)?;
        writeln!(out, "  wants:   {}", requirement.requires)?;
        writeln!(out, "  a breach {}", weight(requirement))?;
        writeln!(out, "  advice:  {}", requirement.advice)?;
        writeln!(out, "  see:     {}", requirement.page)?;
    }
    Ok(Status::Passed)
}

/// What a breach does.
fn weight(requirement: &Requirement) -> String {
    match requirement.demand {
        Demand::Page => "fails the journey: the contract demands it".to_owned(),
        Demand::Protocol => {
            "is a warning: ACP or good manners want it, the contract does not".to_owned()
        }
        Demand::PageIn(journeys) => {
            let names: Vec<&str> = journeys
                .iter()
                .map(|journey: &Journey| journey.name())
                .collect();
            format!(
                "fails the journey {}, and is a warning in the others",
                names.join(" and ")
            )
        }
    }
}
