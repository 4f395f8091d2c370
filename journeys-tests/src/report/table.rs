//! The table of journeys: one row each.

use comfy_table::{
    Cell, CellAlignment, Color, ContentArrangement, Table, presets::UTF8_FULL_CONDENSED,
};

use crate::{
    check::Verdict,
    result::{JourneyResult, RunResult},
};

/// The table of a run.
#[must_use]
pub fn of(result: &RunResult) -> Table {
    let mut table = Table::new();
    table
        .load_style(UTF8_FULL_CONDENSED)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_header(["Journey", "Verdict", "Time", "Checks", "Not as required"]);
    for journey in result.all_journeys() {
        table.add_row([
            Cell::new(name(journey)),
            verdict(journey),
            Cell::new(time(journey)).set_alignment(CellAlignment::Right),
            Cell::new(counts(journey)),
            Cell::new(ids(journey)),
        ]);
    }
    table
}

fn verdict(journey: &JourneyResult) -> Cell {
    let (word, colour) = match journey.verdict {
        Verdict::Pass => ("pass", Color::Green),
        Verdict::Warn => ("pass, with warnings", Color::Yellow),
        Verdict::Fail if journey.could_not_run() => ("could not run", Color::Red),
        Verdict::Fail => ("FAIL", Color::Red),
    };
    Cell::new(word).fg(colour)
}

fn name(journey: &JourneyResult) -> String {
    let mark = if journey.name.is_stand_in() {
        " (stand-in)"
    } else {
        ""
    };
    format!("{}{mark}", journey.name)
}

fn time(journey: &JourneyResult) -> String {
    let timing = journey.recording.timing;
    timing.map_or_else(String::new, |timing| format!("{} ms", timing.took_ms))
}

fn counts(journey: &JourneyResult) -> String {
    let passed = journey
        .checks
        .iter()
        .filter(|check| check.verdict == Verdict::Pass);
    format!("{} of {}", passed.count(), journey.checks.len())
}

fn ids(journey: &JourneyResult) -> String {
    let open = journey
        .checks
        .iter()
        .filter(|check| check.verdict != Verdict::Pass);
    let ids: Vec<String> = open
        .map(|check| match check.verdict {
            Verdict::Warn => format!("{} (warning)", check.id),
            _ => check.id.clone(),
        })
        .collect();
    ids.join("\n")
}
