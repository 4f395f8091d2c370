//! What the journey `image` demands.

use super::{Case, holds_if, quote};
use crate::{
    check::{Check, Finding},
    requirements::{IMAGE_ADVERTISED, REPLY_HOLDS_WORD, REPLY_NAMES_RED, STOP_REASON_END_TURN},
};

pub(super) fn judge(case: &Case<'_>, word: &str) -> Vec<Check> {
    let initialize = case.first().and_then(|process| {
        let exchange = process.transcript.exchanges("initialize").next()?;
        Some((exchange, exchange.result()?))
    });
    let turn = case.first().and_then(|process| process.turn(0));
    let turn = turn.as_ref();
    vec![
        case.check_if(&IMAGE_ADVERTISED, initialize, |(exchange, result)| {
            let image = &result["agentCapabilities"]["promptCapabilities"]["image"];
            holds_if(*image == true, format!("promptCapabilities.image {image}"))
                .seen_in(exchange.evidence())
        }),
        case.check_if(&REPLY_HOLDS_WORD, turn, |turn| turn.reply_holds(word)),
        case.check_if(&REPLY_NAMES_RED, turn, |turn| {
            let finding = match turn.reply() {
                Some(reply) => {
                    let red = reply.to_lowercase().contains("red");
                    holds_if(red, format!("the reply {}", quote(&reply)))
                }
                None => {
                    Finding::Breach("no agent_message_chunk with text before the answer".to_owned())
                }
            };
            finding.seen_in(turn.reply_evidence())
        }),
        case.check_if(&STOP_REASON_END_TURN, turn, |turn| {
            turn.stops_with("end_turn")
        }),
    ]
}
