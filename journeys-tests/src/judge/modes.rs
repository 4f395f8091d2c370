//! What the journey `modes` demands.

use super::{
    Case, holds_if,
    plan::{advertised, mode_changes, saved_and_read_back, unchanged},
    turn::Turn,
};
use crate::{
    check::{Check, Finding},
    recording::PlanInputs,
    requirements::{
        FIRST_PLAN_SAVED, PLAN_MODE_ADVERTISED, REGULAR_TURN_CREATES_FILE, SECOND_PLAN_SAVED,
        SET_MODE_ANSWERS, STOP_REASON_END_TURN, WORKSPACE_UNCHANGED_IN_PLAN_TURNS,
    },
    workspace::EntryKind,
};

/// Plan, regular, Plan.
const TURNS: usize = 3;

pub(super) fn judge(
    case: &Case<'_>,
    first: &PlanInputs,
    created_file: &str,
    second: &PlanInputs,
) -> Vec<Check> {
    let process = case.first();
    let turns: Vec<Turn<'_>> = process
        .into_iter()
        .flat_map(|process| process.turns())
        .collect();
    let log = |number: usize| {
        let reached = turns.get(number).is_some();
        process
            .filter(|_| reached)
            .map(|process| &process.recording.tool_server)
    };
    vec![
        case.check(&PLAN_MODE_ADVERTISED, advertised(case)),
        case.check(&SET_MODE_ANSWERS, mode_changes(case, TURNS)),
        case.check_if(&FIRST_PLAN_SAVED, log(0), |log| {
            saved_and_read_back(log, first)
        }),
        case.check_if(&REGULAR_TURN_CREATES_FILE, turns.get(1), |turn| {
            creates(turn, created_file)
        }),
        case.check_if(&SECOND_PLAN_SAVED, log(2), |log| {
            saved_and_read_back(log, second)
        }),
        case.check(
            &WORKSPACE_UNCHANGED_IN_PLAN_TURNS,
            unchanged_in_plan_turns(case, &turns),
        ),
        case.check(&STOP_REASON_END_TURN, all_end_turn(case, &turns)),
    ]
}

fn creates(turn: &Turn<'_>, file: &str) -> Finding {
    let Some(files) = turn.files else {
        return Finding::NotReached("the workspace was not looked at".to_owned());
    };
    let is_file = |entry: &crate::workspace::Entry| matches!(entry.kind, EntryKind::File { .. });
    let before = files.before.entries.contains_key(file);
    let after = files
        .after
        .as_ref()
        .and_then(|after| after.entries.get(file));
    let created = !before && after.is_some_and(is_file);
    holds_if(
        created,
        format!(
            "{file} before the turn: {before}, after it: {}",
            after.is_some()
        ),
    )
}

fn unchanged_in_plan_turns(case: &Case<'_>, turns: &[Turn<'_>]) -> Finding {
    let [first, _, second] = turns else {
        return turns
            .first()
            .map(|turn| unchanged(turn, None))
            .filter(|finding| matches!(finding, Finding::Breach(_)))
            .unwrap_or_else(|| Finding::NotReached(case.trouble.clone()));
    };
    let at_end = case.first().map(|process| &process.recording.files_at_end);
    let findings = [unchanged(first, None), unchanged(second, at_end)];
    let worst = findings
        .iter()
        .find(|finding| matches!(finding, Finding::Breach(_)));
    let worst = worst.or_else(|| {
        findings
            .iter()
            .find(|finding| !matches!(finding, Finding::Holds(_)))
    });
    worst.unwrap_or(&findings[0]).clone()
}

fn all_end_turn(case: &Case<'_>, turns: &[Turn<'_>]) -> Finding {
    let other = turns.iter().map(|turn| turn.stops_with("end_turn"));
    let mut other = other.filter(|finding| !matches!(finding, Finding::Holds(_)));
    match other.next() {
        Some(finding) => finding,
        None if turns.len() < TURNS => Finding::NotReached(case.trouble.clone()),
        None => Finding::Holds(format!("{TURNS} turns ended with end_turn")),
    }
}
