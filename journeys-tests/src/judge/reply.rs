//! What the journey `reply` demands.

use super::{Case, holds_if, quote};
use crate::{
    check::Check,
    requirements::{REPLY_HOLDS_MARKER, REPLY_IN_MESSAGE_CHUNKS, STOP_REASON_END_TURN},
};

pub(super) fn judge(case: &Case<'_>, marker: &str) -> Vec<Check> {
    let turn = case.first().and_then(|process| process.turn(0));
    let turn = turn.as_ref();
    vec![
        case.check_if(&REPLY_IN_MESSAGE_CHUNKS, turn, |turn| {
            let reply = turn.reply();
            let came = reply.as_deref().map_or_else(
                || "no agent_message_chunk with text before the answer".to_owned(),
                |reply| format!("the reply {}", quote(reply)),
            );
            holds_if(reply.is_some(), came).seen_in(turn.reply_evidence())
        }),
        case.check_if(&REPLY_HOLDS_MARKER, turn, |turn| turn.reply_holds(marker)),
        case.check_if(&STOP_REASON_END_TURN, turn, |turn| {
            turn.stops_with("end_turn")
        }),
    ]
}
