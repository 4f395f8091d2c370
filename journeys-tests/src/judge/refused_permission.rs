//! What the journey `refused-permission` demands.
//!
//! A refusal is an answer of the user, no end of the turn: the tool call fails and the model is told.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/tool-calls#requesting-permission>

use serde_json::Value;

use super::{Case, holds_if, plan::unchanged, turn::Turn};
use crate::{
    check::{Check, Finding, Found},
    requirements::{
        PERMISSION_REQUESTED, REFUSED_CALL_FAILS, REFUSED_TURN_CHANGES_NOTHING,
        REFUSED_TURN_ENDS_WITH_END_TURN,
    },
};

pub(super) fn judge(case: &Case<'_>) -> Vec<Check> {
    let turn = case.first().and_then(|process| process.turn(0));
    let turn = turn.as_ref();
    vec![
        case.check_if(&PERMISSION_REQUESTED, turn, requested),
        case.check_if(&REFUSED_CALL_FAILS, turn, fails),
        case.check_if(&REFUSED_TURN_ENDS_WITH_END_TURN, turn, |turn| {
            turn.stops_with("end_turn")
        }),
        case.check_if(&REFUSED_TURN_CHANGES_NOTHING, turn, |turn| {
            unchanged(turn, None)
        }),
    ]
}

/// The permission requests of the turn: where each stands, and its parameters.
fn requests<'t>(turn: &'t Turn<'_>) -> Vec<(usize, &'t Value)> {
    let method = "session/request_permission";
    turn.transcript.from_agent(method, turn.running()).collect()
}

fn requested(turn: &Turn<'_>) -> Found {
    let requests = requests(turn);
    holds_if(
        !requests.is_empty(),
        format!("{} permission requests", requests.len()),
    )
    .seen_in(requests.iter().map(|(at, _)| turn.transcript.evidence(*at)))
}

fn fails(turn: &Turn<'_>) -> Found {
    let requests = requests(turn);
    if requests.is_empty() {
        return Finding::NotReached("no permission was asked for".to_owned()).into();
    }
    let mut wrong = Vec::new();
    let mut evidence = Vec::new();
    for (at, params) in &requests {
        let id = &params["toolCall"]["toolCallId"];
        let updates = turn.transcript.from_agent("session/update", turn.running());
        let last = updates
            .filter(|(_, params)| params["update"]["toolCallId"] == *id)
            .filter_map(|(at, params)| Some((at, params["update"]["status"].as_str()?)))
            .last();
        if last.map(|(_, status)| status) != Some("failed") {
            let status = last.map_or("none", |(_, status)| status);
            wrong.push(format!("the refused call {id} has the status {status}"));
        }
        let places = [*at].into_iter().chain(last.map(|(at, _)| at));
        evidence.extend(places.map(|at| turn.transcript.evidence(at)));
    }
    let came = if wrong.is_empty() {
        format!("{} refused calls, all failed", requests.len())
    } else {
        wrong.join(", ")
    };
    holds_if(wrong.is_empty(), came).seen_in(evidence)
}
