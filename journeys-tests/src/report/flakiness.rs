//! What differed between the repetitions of a run.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use comfy_table::{ContentArrangement, Table, presets::UTF8_FULL_CONDENSED};

use crate::{check::Verdict, journey::Journey, result::RunResult};

/// What one journey came to over all repetitions.
#[derive(Debug, Default)]
struct Tally {
    passed: usize,
    times_ms: Vec<u64>,
    /// How often each check failed.
    failed: BTreeMap<String, usize>,
}

/// Writes a table of all journeys and one sentence; nothing for a single run.
///
/// # Errors
/// What the writer says.
pub fn write(results: &[RunResult], out: &mut impl Write) -> io::Result<()> {
    if results.len() < 2 {
        return Ok(());
    }
    let tallies = tally(results);
    let mut table = Table::new();
    table
        .load_style(UTF8_FULL_CONDENSED)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_header([
            "Journey",
            "Passed",
            "Least, middle, most ms",
            "Failed checks",
        ]);
    for (journey, tally) in &tallies {
        let failed: Vec<String> = tally
            .failed
            .iter()
            .map(|(id, times)| format!("{id} ({times} times)"))
            .collect();
        table.add_row([
            journey.name().to_owned(),
            format!("{} of {}", tally.passed, tally.times_ms.len()),
            spread(&tally.times_ms),
            failed.join("\n"),
        ]);
    }
    writeln!(out, "\n{} repetitions:\n{table}", results.len())?;
    let flaky: Vec<&str> = tallies
        .iter()
        .filter(|(_, tally)| tally.passed > 0 && tally.passed < tally.times_ms.len())
        .map(|(journey, _)| journey.name())
        .collect();
    if flaky.is_empty() {
        writeln!(out, "nothing is flaky")
    } else {
        writeln!(out, "flaky: {}", flaky.join(", "))
    }
}

/// In the order in which the journeys ran.
fn tally(results: &[RunResult]) -> Vec<(Journey, Tally)> {
    let mut tallies: Vec<(Journey, Tally)> = Vec::new();
    for journey in results.iter().flat_map(RunResult::all_journeys) {
        let known = tallies.iter().position(|(name, _)| *name == journey.name);
        let at = known.unwrap_or_else(|| {
            tallies.push((journey.name, Tally::default()));
            tallies.len() - 1
        });
        let tally = &mut tallies[at].1;
        tally.passed += usize::from(journey.passes());
        let timing = journey.recording.timing;
        tally
            .times_ms
            .push(timing.map_or(0, |timing| timing.took_ms));
        let failed = journey
            .checks
            .iter()
            .filter(|check| check.verdict == Verdict::Fail);
        for check in failed {
            *tally.failed.entry(check.id.clone()).or_default() += 1;
        }
    }
    tallies
}

fn spread(times_ms: &[u64]) -> String {
    let mut sorted = times_ms.to_vec();
    sorted.sort_unstable();
    match sorted.as_slice() {
        [] => String::new(),
        [least, ..] => {
            let (middle, most) = (sorted[sorted.len() / 2], sorted[sorted.len() - 1]);
            format!("{least}, {middle}, {most}")
        }
    }
}
