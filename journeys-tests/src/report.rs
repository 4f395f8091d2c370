//! What people read: progress while a run goes on, a table and an explanation of each failure after it.

pub mod failure;
pub mod progress;
pub mod table;

use std::io::{self, Write};

use crate::result_file::RunResult;

/// Writes the whole report. Its last line is the count of journeys that pass.
///
/// # Errors
/// What the writer says.
pub fn write(result: &RunResult, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{}", table::of(result))?;
    for journey in &result.journeys {
        failure::write(journey, out)?;
    }
    writeln!(
        out,
        "{} of {} journeys pass",
        result.passed,
        result.journeys.len()
    )
}
