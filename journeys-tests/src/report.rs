//! What people read: progress while a run goes on, a table and an explanation of each failure after it.

pub mod failure;
pub mod flakiness;
pub mod html;
pub mod junit;
pub mod matrix_table;
pub mod progress;
pub mod table;

use std::io::{self, Write};

use crate::result::RunResult;

/// Writes the whole report. Its last line is the count of journeys that pass.
///
/// # Errors
/// What the writer says.
pub fn write(result: &RunResult, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{}", table::of(result))?;
    for journey in result.all_journeys() {
        failure::write(journey, out)?;
    }
    if !result.stand_ins.is_empty() {
        let passed = result.stand_ins.iter().filter(|journey| journey.passes());
        let (passed, all) = (passed.count(), result.stand_ins.len());
        writeln!(
            out,
            "{passed} of {all} stand-in journeys pass; they are no part of the verdict"
        )?;
    }
    let (passed, all) = (result.passed, result.journeys.len());
    let could_not = result
        .journeys
        .iter()
        .find(|journey| journey.could_not_run());
    match could_not.and_then(|journey| journey.recording.trouble.as_ref()) {
        Some(trouble) => writeln!(
            out,
            "could not run, which says nothing of the agent: {}",
            failure::printable(&trouble.to_string())
        ),
        None if all == 0 => Ok(()),
        None => writeln!(out, "{passed} of {all} journeys pass"),
    }
}
