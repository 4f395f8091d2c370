//! What the journey `modes` demands.

use super::{
    Case, holds_if,
    plan::{advertised, mode_changes, saved_and_read_back, unchanged},
    turn::Turn,
};
use crate::{
    check::{Check, Finding, Found},
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
    // A plan belongs to a turn by its title; without the turn nobody asked for it.
    let in_turn = |number: usize| process.filter(|_| turns.get(number).is_some());
    vec![
        case.check(&PLAN_MODE_ADVERTISED, advertised(case)),
        case.check(&SET_MODE_ANSWERS, mode_changes(case, TURNS)),
        case.check_if(&FIRST_PLAN_SAVED, in_turn(0), |process| {
            saved_and_read_back(process, first)
        }),
        case.check_if(&REGULAR_TURN_CREATES_FILE, turns.get(1), |turn| {
            creates(turn, created_file)
        }),
        case.check_if(&SECOND_PLAN_SAVED, in_turn(2), |process| {
            saved_and_read_back(process, second)
        }),
        case.check(
            &WORKSPACE_UNCHANGED_IN_PLAN_TURNS,
            unchanged_in_plan_turns(case, &turns),
        ),
        case.check(&STOP_REASON_END_TURN, all_end_turn(case, &turns)),
    ]
}

fn creates(turn: &Turn<'_>, file: &str) -> Found {
    let Some(files) = turn.files else {
        return Finding::NotReached("the workspace was not looked at".to_owned()).into();
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
    .seen_in([turn.files_evidence()])
}

fn unchanged_in_plan_turns(case: &Case<'_>, turns: &[Turn<'_>]) -> Found {
    let [first, _, second] = turns else {
        return turns
            .first()
            .map(|turn| unchanged(turn, None))
            .filter(|found| matches!(found.finding, Finding::Breach(_)))
            .unwrap_or_else(|| Finding::NotReached(case.trouble.clone()).into());
    };
    let at_end = case.first().map(|process| &process.recording.files_at_end);
    let findings = [unchanged(first, None), unchanged(second, at_end)];
    let worst = findings
        .iter()
        .find(|found| matches!(found.finding, Finding::Breach(_)));
    let worst = worst.or_else(|| findings.iter().find(|found| !found.finding.holds()));
    worst.unwrap_or(&findings[0]).clone()
}

fn all_end_turn(case: &Case<'_>, turns: &[Turn<'_>]) -> Found {
    let other = turns.iter().map(|turn| turn.stops_with("end_turn"));
    let mut other = other.filter(|found| !found.finding.holds());
    match other.next() {
        Some(found) => found,
        None if turns.len() < TURNS => Finding::NotReached(case.trouble.clone()).into(),
        None => Finding::Holds(format!("{TURNS} turns ended with end_turn"))
            .seen_in(turns.iter().flat_map(|turn| turn.exchange.evidence())),
    }
}
