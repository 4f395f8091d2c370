//! What the journey `load` demands. That the conversation is replayed is ACP's demand, not the
//! contract's, and so a warning.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-setup#loading-a-session>

use super::{Case, Process, holds_if, transcript::Exchange};
use crate::{
    check::{Check, Finding, Found},
    requirements::{
        FIRST_TURN_END_TURN, LOAD_REPLAYS_CONVERSATION, LOAD_SESSION_ADVERTISED, REPLY_HOLDS_WORD,
        SESSION_LOAD_ANSWERS, STOP_REASON_END_TURN,
    },
};

pub(super) fn judge(case: &Case<'_>, word: &str) -> Vec<Check> {
    let first_turn = case.first().and_then(|process| process.turn(0));
    let second = case.processes.get(1);
    let load = second.and_then(|process| process.transcript.exchanges("session/load").next());
    let turn = second.and_then(|process| process.turn(0));
    vec![
        case.check(&LOAD_SESSION_ADVERTISED, advertised(case)),
        case.check_if(&FIRST_TURN_END_TURN, first_turn.as_ref(), |turn| {
            turn.stops_with("end_turn")
        }),
        case.check_if(&SESSION_LOAD_ANSWERS, load, |load| {
            holds_if(load.result().is_some(), load.in_words()).seen_in(load.evidence())
        }),
        case.check_if(
            &LOAD_REPLAYS_CONVERSATION,
            second.zip(load),
            |(process, load)| replayed(process, &load, word),
        ),
        case.check_if(&REPLY_HOLDS_WORD, turn.as_ref(), |turn| {
            turn.reply_holds(word)
        }),
        case.check_if(&STOP_REASON_END_TURN, turn.as_ref(), |turn| {
            turn.stops_with("end_turn")
        }),
    ]
}

/// Every process that answered `initialize` must offer it.
fn advertised(case: &Case<'_>) -> Found {
    let initialized = case
        .processes
        .iter()
        .filter_map(|process| process.transcript.exchanges("initialize").next());
    let answers: Vec<_> = initialized
        .filter_map(|exchange| {
            let answer = &exchange.result()?["agentCapabilities"]["loadSession"];
            Some((exchange, answer))
        })
        .collect();
    let Some((first, _)) = answers.first() else {
        return Finding::NotReached(case.trouble.clone()).into();
    };
    match answers.iter().find(|(_, answer)| **answer != true) {
        Some((exchange, other)) => {
            Finding::Breach(format!("loadSession {other}")).seen_in(exchange.evidence())
        }
        None => Finding::Holds("loadSession true".to_owned()).seen_in(first.evidence()),
    }
}

fn replayed(process: &Process<'_>, load: &Exchange<'_>, word: &str) -> Found {
    let Some((answered, _)) = load.answer else {
        return Finding::Breach("session/load was not answered".to_owned())
            .seen_in(load.evidence());
    };
    let session_id = &load.request["params"]["sessionId"];
    let text = |kind| {
        process
            .transcript
            .text(kind, session_id, load.sent..answered)
    };
    let user = text("user_message_chunk").is_some_and(|text| text.contains(word));
    let agent = text("agent_message_chunk").is_some();
    let updates = process
        .transcript
        .from_agent("session/update", load.sent..answered)
        .count();
    holds_if(
        user && agent,
        format!(
            "{updates} updates before the answer; the user's message: {user}, the agent's: {agent}"
        ),
    )
    .seen_in(load.evidence())
}
