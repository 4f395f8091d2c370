//! What the journey `memory` demands.

use super::Case;
use crate::{
    check::Check,
    requirements::{FIRST_TURN_END_TURN, REPLY_HOLDS_WORD, SECOND_TURN_END_TURN},
};

pub(super) fn judge(case: &Case<'_>, word: &str) -> Vec<Check> {
    let turn = |number| case.first().and_then(|process| process.turn(number));
    let (first, second) = (turn(0), turn(1));
    vec![
        case.check_if(&FIRST_TURN_END_TURN, first.as_ref(), |turn| {
            turn.stops_with("end_turn")
        }),
        case.check_if(&SECOND_TURN_END_TURN, second.as_ref(), |turn| {
            turn.stops_with("end_turn")
        }),
        case.check_if(&REPLY_HOLDS_WORD, second.as_ref(), |turn| {
            turn.reply_holds(word)
        }),
    ]
}
