//! What every process of an agent must do: speak version 1, end by itself, leave nobody behind.

use super::{Case, Process, holds_if};
use crate::{
    check::{Check, Finding, Found},
    recording::{Ending, ExitStatus, Look, SeenProcess, What, When},
    requirements::{
        ENDS_ON_INPUT_CLOSE, EXIT_STATUS_ZERO, NO_PROCESS_LEFT, PROCESSES_DO_NOT_GROW,
        PROTOCOL_VERSION_1,
    },
};

/// The contract's number, in milliseconds.
const MAX_END_MS: u64 = 10_000;

pub(super) fn judge(case: &Case<'_>, process: &Process<'_>) -> Vec<Check> {
    let ending = process.recording.ending;
    let end =
        || process.events_where(|what| matches!(what, What::InputClosed | What::Exited { .. }));
    let mut checks = vec![case.check(&PROTOCOL_VERSION_1, version(process, &case.trouble))];
    // How a process ends that was killed for the story's sake says nothing.
    if ending != Ending::KilledByJourney {
        checks.extend([
            case.check(&ENDS_ON_INPUT_CLOSE, ends(ending).seen_in(end())),
            case.check(&EXIT_STATUS_ZERO, exit_status(ending).seen_in(end())),
            case.check(&NO_PROCESS_LEFT, left(process)),
        ]);
    }
    let counts: Vec<usize> = looks(process, When::AfterTurn)
        .map(|look| look.processes.len() + look.zombies)
        .collect();
    if counts.len() > 1 {
        let evidence = process.looks_where(|when| when == When::AfterTurn);
        checks.push(case.check(&PROCESSES_DO_NOT_GROW, grows(&counts).seen_in(evidence)));
    }
    checks
}

/// The checks of a process that never came to be.
pub(super) fn not_started(case: &Case<'_>) -> Vec<Check> {
    [&PROTOCOL_VERSION_1, &ENDS_ON_INPUT_CLOSE, &NO_PROCESS_LEFT]
        .map(|requirement| case.not_reached(requirement))
        .into()
}

/// Processes in words, for a check.
pub(super) fn in_words<'p>(processes: impl Iterator<Item = &'p SeenProcess>) -> String {
    let words: Vec<String> = processes
        .map(|process| format!("process {} {:?}", process.pid, process.command.join(" ")))
        .collect();
    if words.is_empty() {
        "none".to_owned()
    } else {
        words.join(", ")
    }
}

fn version(process: &Process<'_>, trouble: &str) -> Found {
    let Some(initialize) = process.transcript.exchanges("initialize").next() else {
        return Finding::NotReached(trouble.to_owned()).into();
    };
    let finding = match initialize.result() {
        Some(result) => {
            let version = &result["protocolVersion"];
            holds_if(
                version.as_u64() == Some(1),
                format!("protocolVersion {version}"),
            )
        }
        None => Finding::Breach(format!("{}: {trouble}", initialize.in_words())),
    };
    finding.seen_in(initialize.evidence())
}

fn ends(ending: Ending) -> Finding {
    match ending {
        Ending::AfterInputClosed { status, after_ms } => holds_if(
            after_ms <= MAX_END_MS,
            format!("{status} after {after_ms} ms"),
        ),
        Ending::BeforeInputClosed { status } => Finding::Breach(format!(
            "it had ended ({status}) before its input was closed"
        )),
        Ending::Killed { after_ms } => {
            Finding::Breach(format!("it still ran after {after_ms} ms and was killed"))
        }
        Ending::KilledByJourney => Finding::NotReached("the journey killed it".to_owned()),
    }
}

fn exit_status(ending: Ending) -> Finding {
    match ending {
        Ending::AfterInputClosed { status, .. } | Ending::BeforeInputClosed { status } => {
            holds_if(status == ExitStatus::Code(0), status.to_string())
        }
        Ending::Killed { .. } | Ending::KilledByJourney => {
            Finding::NotReached("the agent did not end by itself".to_owned())
        }
    }
}

/// Only a settled look counts: a child that goes when its parent went needs a moment for it.
fn left(process: &Process<'_>) -> Found {
    let finding = match looks(process, When::AfterEnd).last() {
        Some(look) => holds_if(look.processes.is_empty(), in_words(look.processes.iter())),
        None => {
            let below = looks(process, When::AtEnd).flat_map(|look| &look.processes);
            Finding::NotReached(format!(
                "the agent did not end by itself; below it: {}",
                in_words(below)
            ))
        }
    };
    finding.seen_in(process.looks_where(|when| matches!(when, When::AtEnd | When::AfterEnd)))
}

/// A pool of helpers is fine; one more after each turn is not.
fn grows(counts: &[usize]) -> Finding {
    let always = counts.windows(2).all(|pair| pair[0] < pair[1]);
    holds_if(
        !always,
        format!("processes after each turn, with those not waited for: {counts:?}"),
    )
}

fn looks<'r>(process: &Process<'r>, when: When) -> impl Iterator<Item = &'r Look> {
    process
        .recording
        .looks
        .iter()
        .filter(move |look| look.when == when)
}
