//! What the journey `killed-mid-turn-then-load` demands: what was said before the kill is kept, and the
//! session can be used again.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-setup#loading-a-session>

use super::{Case, Process, load, process::in_words};
use crate::{
    check::{Check, Finding, Found},
    recording::{Ending, When},
    requirements::{KILLED_MID_TURN, NO_PROCESS_LEFT_AFTER_KILL},
};

/// The turn that is killed, counted from 0.
const KILLED_TURN: usize = 1;

pub(super) fn judge(case: &Case<'_>, word: &str) -> Vec<Check> {
    let first = case.first();
    let mut checks = vec![
        case.check_if(&KILLED_MID_TURN, first, |process| killed(case, process)),
        case.check_if(&NO_PROCESS_LEFT_AFTER_KILL, first, |process| {
            left(case, process)
        }),
    ];
    // The rest is the journey `load`, after another end of the first process.
    checks.extend(load::judge(case, word));
    checks
}

fn killed(case: &Case<'_>, process: &Process<'_>) -> Found {
    let Some(turn) = process.turn(KILLED_TURN) else {
        return Finding::NotReached(case.trouble.clone()).into();
    };
    let finding = match (process.recording.ending, turn.exchange.answer) {
        (Ending::KilledByJourney, None) => {
            Finding::Holds("the agent was killed while the turn ran".to_owned())
        }
        (_, answer) => Finding::Breach(match answer {
            Some(_) => format!("the turn had ended before: {}", turn.exchange.in_words()),
            None => "the agent had ended before it was killed".to_owned(),
        }),
    };
    finding.seen_in(turn.exchange.evidence())
}

fn left(case: &Case<'_>, process: &Process<'_>) -> Found {
    let mut looks = process.recording.looks.iter();
    let Some(look) = looks.rfind(|look| look.when == When::AfterKill) else {
        return Finding::NotReached(case.trouble.clone()).into();
    };
    super::holds_if(look.processes.is_empty(), in_words(look.processes.iter()))
        .seen_in(process.looks_where(|when| when == When::AfterKill))
}
