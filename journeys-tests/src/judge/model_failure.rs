//! What the journey `model-failure` demands.
//!
//! A turn whose model failed did not end well: its answer is an error, or a stop reason that says so.
//! With `end_turn` a client shows an empty reply as if all were fine.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/prompt-turn#stop-reasons>

use super::{Case, holds_if, turn::Turn};
use crate::{
    check::{Check, Found},
    requirements::{MODEL_FAILURE_SHOWN, TURN_AFTER_FAILURE_WORKS},
};

pub(super) fn judge(case: &Case<'_>, marker: &str) -> Vec<Check> {
    let turn = |number| case.first().and_then(|process| process.turn(number));
    let (failed, next) = (turn(0), turn(1));
    vec![
        case.check_if(&MODEL_FAILURE_SHOWN, failed.as_ref(), shown),
        case.check_if(&TURN_AFTER_FAILURE_WORKS, next.as_ref(), |turn| {
            let ends = turn.stops_with("end_turn");
            if ends.finding.holds() {
                turn.reply_holds(marker)
            } else {
                ends
            }
        }),
    ]
}

fn shown(turn: &Turn<'_>) -> Found {
    let answer = turn.exchange.answer.map(|(_, answer)| answer);
    let is_shown = answer.is_some_and(|answer| match answer.get("error") {
        Some(error) => error["message"]
            .as_str()
            .is_some_and(|text| !text.is_empty()),
        None => {
            let reason = answer["result"]["stopReason"].as_str();
            !matches!(reason, None | Some("end_turn" | "cancelled"))
        }
    });
    holds_if(is_shown, turn.exchange.in_words()).seen_in(turn.exchange.evidence())
}
