//! What the journey `question` demands: the question reaches the user, the answer reaches the agent.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/elicitation>

use serde_json::Value;

use super::{
    Case, Process, holds_if, quote,
    transcript::{Side, is_response},
    turn::Turn,
};
use crate::{
    check::{Check, Found},
    elicitation,
    requirements::{ANSWER_REACHES_AGENT, QUESTION_REACHES_USER, QUESTION_TURN_ENDS},
};

pub(super) fn judge(case: &Case<'_>, answer: &str) -> Vec<Check> {
    let process = case.first();
    let first = process.and_then(|process| process.turn(0));
    let last = process.and_then(|process| process.turns().last());
    let asked = process.map(|process| (process, answers_of(process)));
    vec![
        case.check_if(&QUESTION_REACHES_USER, first.as_ref(), |turn| {
            reaches_user(turn)
        }),
        case.check_if(
            &ANSWER_REACHES_AGENT,
            asked.zip(last.as_ref()),
            |((_, given), turn)| reaches_agent(turn, &given, answer),
        ),
        case.check_if(&QUESTION_TURN_ENDS, last.as_ref(), |turn| {
            turn.stops_with("end_turn")
        }),
    ]
}

/// With an elicitation, or with words and the end of the turn.
fn reaches_user(turn: &Turn<'_>) -> Found {
    let mut asked = turn
        .transcript
        .from_agent(elicitation::METHOD, turn.running());
    if let Some((at, params)) = asked.next() {
        let message = &params["message"];
        return holds_if(message.is_string(), format!("asked: {message}"))
            .seen_in([turn.transcript.evidence(at)]);
    }
    let reply = turn.reply().unwrap_or_default();
    holds_if(
        reply.contains('?'),
        format!("no elicitation, and the reply {}", quote(&reply)),
    )
    .seen_in(turn.reply_evidence())
}

/// The values with which the checker answered elicitations.
fn answers_of(process: &Process<'_>) -> Vec<String> {
    let messages = process.transcript.messages.iter();
    let answers = messages
        .filter(|message| message.from == Side::Checker && is_response(&message.json))
        .filter(|message| message.json["result"]["action"] == "accept");
    answers
        .flat_map(|message| {
            let content = message.json["result"]["content"].as_object();
            content.into_iter().flat_map(|content| content.values())
        })
        .map(|value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        })
        .collect()
}

/// The reply must hold what the user answered: a value of the form, or the words of the next prompt.
fn reaches_agent(turn: &Turn<'_>, given: &[String], words: &str) -> Found {
    let reply = turn.reply().unwrap_or_default();
    let wanted: Vec<&str> = if given.is_empty() {
        vec![words]
    } else {
        given.iter().map(String::as_str).collect()
    };
    holds_if(
        wanted.iter().any(|answer| reply.contains(answer)),
        format!("the reply {}; answered was {wanted:?}", quote(&reply)),
    )
    .seen_in(turn.reply_evidence())
}
