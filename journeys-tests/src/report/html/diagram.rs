//! The drawing of a sequence: a grid with a column for each that takes part, and a row for each step.

use std::collections::HashSet;

use maud::{Markup, html};
use serde_json::Value;

use super::{
    anchor,
    sequence::{self, Kind, Lane, Row},
};
use crate::{
    check::Verdict,
    evidence::Part,
    recording::{Ending, ProcessRecording},
    result::JourneyResult,
};

/// How much of a message is shown; the result file has the whole.
const MAX_DETAIL_CHARS: usize = 6000;

/// Bars side by side in the column of the processes.
const MAX_BARS: usize = 6;

/// The diagram of one process of the agent.
pub(super) fn of(journey: &JourneyResult, index: usize, process: &ProcessRecording) -> Markup {
    let failed = parts(journey, index, |verdict| verdict == Verdict::Fail);
    let warned = parts(journey, index, |verdict| verdict == Verdict::Warn);
    let marked: HashSet<Part> = failed.union(&warned).copied().collect();
    let rows = sequence::rows(process, &marked);
    html! {
        section.process {
            h3 {
                "Process " (index + 1)
                span.ending { (ending(process.ending)) }
            }
            div.diagram {
                div.row.lanes {
                    span.t { "ms" }
                    span.lane.client { "client" }
                    span.lane.agent { "agent" }
                    span.lane.tools { "tool server" }
                    span.lane.below { "processes" }
                }
                @for row in &rows { (line(journey, index, row, &failed, &warned)) }
            }
            @if !process.stderr.tail.trim().is_empty() {
                details.stderr.searchable {
                    summary { "standard error, " (process.stderr.bytes) " bytes" }
                    pre { (tail(&process.stderr.tail)) }
                }
            }
        }
    }
}

fn line(
    journey: &JourneyResult,
    process: usize,
    row: &Row,
    failed: &HashSet<Part>,
    warned: &HashSet<Part>,
) -> Markup {
    let is = |parts: &HashSet<Part>| row.part.is_some_and(|part| parts.contains(&part));
    let mark = if is(failed) {
        "fail"
    } else if is(warned) {
        "warn"
    } else {
        "plain"
    };
    let id = row.part.map(|part| anchor(journey.name, part.of(process)));
    let body = html! {
        span.t { @if let Some(t_ms) = row.t_ms { (t_ms) } }
        i.life.l1 {} i.life.l2 {} i.life.l3 {}
        span.bars {
            @for track in row.alive.iter().take(MAX_BARS) { i.bar.{ "b" (track % MAX_BARS) } {} }
        }
        span.step.(class_of(row.kind)) { span.label { (row.label) } }
    };
    html! {
        @if row.detail.is_empty() {
            div.row.searchable.(mark) id=[id] { (body) }
        } @else {
            details.row.searchable.(mark) id=[id] {
                summary { (body) }
                pre { (detail(&row.detail)) }
            }
        }
    }
}

const fn class_of(kind: Kind) -> &'static str {
    match kind {
        Kind::ToAgent => "to-agent",
        Kind::ToClient => "to-client",
        Kind::Junk => "junk",
        Kind::ToolCall => "to-tools",
        Kind::Note(Lane::Client) => "note at-client",
        Kind::Note(Lane::Agent) => "note at-agent",
        Kind::Note(Lane::ToolServer) => "note at-tools",
        Kind::Note(Lane::Processes) => "note at-below",
        Kind::Gap => "gap",
    }
}

/// The parts of this process that checks with such a verdict point at.
fn parts(
    journey: &JourneyResult,
    process: usize,
    wanted: impl Fn(Verdict) -> bool,
) -> HashSet<Part> {
    let checks = journey.checks.iter().filter(|check| wanted(check.verdict));
    checks
        .flat_map(|check| &check.evidence)
        .filter(|evidence| evidence.process == process)
        .map(|evidence| evidence.part)
        .collect()
}

fn ending(ending: Ending) -> String {
    match ending {
        Ending::BeforeInputClosed { status } => {
            format!("{status}, before its input was closed")
        }
        Ending::AfterInputClosed { status, after_ms } => {
            format!("{status}, {after_ms} ms after its input was closed")
        }
        Ending::Killed { after_ms } => format!("did not end in {after_ms} ms and was killed"),
        Ending::KilledByJourney => "killed by the journey".to_owned(),
    }
}

/// A message, indented; other text as it is.
fn detail(text: &str) -> String {
    let json: Option<Value> = serde_json::from_str(text).ok();
    let pretty = json.and_then(|json| serde_json::to_string_pretty(&json).ok());
    let mut shown = pretty.unwrap_or_else(|| text.to_owned());
    if let Some((end, _)) = shown.char_indices().nth(MAX_DETAIL_CHARS) {
        shown.truncate(end);
        shown.push_str("\n… the rest is in the result file");
    }
    shown
}

fn tail(text: &str) -> &str {
    let skipped = text.chars().count().saturating_sub(MAX_DETAIL_CHARS);
    text.char_indices()
        .nth(skipped)
        .map_or("", |(start, _)| &text[start..])
}
