//! The table of a matrix: one row for each agent.

use comfy_table::{Cell, Color, ContentArrangement, Table, presets::UTF8_FULL_CONDENSED};

use super::failure::printable;
use crate::{
    matrix::{Outcome, Summary},
    result::RunResult,
};

/// The table of a summary.
#[must_use]
pub fn of(summary: &Summary) -> Table {
    let mut table = Table::new();
    table
        .load_style(UTF8_FULL_CONDENSED)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_header(["Agent", "Verdict", "Journeys", "Not passed"]);
    for (name, outcome) in &summary.agents {
        let (verdict, journeys, open) = match outcome {
            Outcome::Driven(result) => driven(result),
            Outcome::Edited(differences) => (
                Cell::new("EDITED").fg(Color::Red),
                String::new(),
                differences.first().cloned().unwrap_or_default(),
            ),
            Outcome::Missing(reason) => (
                Cell::new("MISSING").fg(Color::Red),
                String::new(),
                reason.clone(),
            ),
        };
        table.add_row([
            Cell::new(name),
            verdict,
            Cell::new(journeys),
            Cell::new(printable(&open)),
        ]);
    }
    table
}

fn driven(result: &RunResult) -> (Cell, String, String) {
    let journeys = format!("{} of {}", result.passed, result.journeys.len());
    let could_not = result
        .journeys
        .iter()
        .find(|journey| journey.could_not_run());
    if let Some(journey) = could_not {
        let trouble = journey.recording.trouble.as_ref();
        let words = trouble.map(ToString::to_string).unwrap_or_default();
        return (Cell::new("could not run").fg(Color::Red), journeys, words);
    }
    let open: Vec<&str> = result
        .journeys
        .iter()
        .filter(|journey| !journey.passes())
        .map(|journey| journey.name.name())
        .collect();
    let verdict = if result.all_pass() {
        Cell::new("pass").fg(Color::Green)
    } else {
        Cell::new("FAIL").fg(Color::Red)
    };
    (verdict, journeys, open.join(", "))
}
