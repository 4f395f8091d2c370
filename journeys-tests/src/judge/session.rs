//! What holds for every session: it opens, its updates name it, a turn's updates come before its answer
//! and its tool calls end.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/prompt-turn>

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Case, Process, holds_if, turn::Turn};
use crate::{
    check::{Check, Finding, Found},
    requirements::{
        SESSION_NEW_ANSWERS, TOOL_CALLS_END, TURN_UPDATES_BEFORE_ANSWER, UPDATES_NAME_THE_SESSION,
    },
};

/// The updates that belong to a turn. All others may come at any time.
const TURN_UPDATES: [&str; 4] = [
    "agent_message_chunk",
    "agent_thought_chunk",
    "tool_call",
    "tool_call_update",
];

pub(super) fn judge(case: &Case<'_>, process: &Process<'_>) -> Vec<Check> {
    let turns: Vec<Turn<'_>> = process.turns().collect();
    let answered = turns.iter().any(|turn| turn.exchange.answer.is_some());
    let mut checks = Vec::new();
    if process.index == 0 {
        let opening = process.transcript.exchanges("session/new").next();
        checks.push(case.check_if(&SESSION_NEW_ANSWERS, opening, |opening| {
            let id = opening.result().map(|result| &result["sessionId"]);
            holds_if(id.is_some_and(Value::is_string), opening.in_words())
                .seen_in(opening.evidence())
        }));
    }
    checks.push(case.check_if(&UPDATES_NAME_THE_SESSION, turns.first(), |_| names(process)));
    let turns = answered.then_some(turns.as_slice());
    checks.push(case.check_if(&TURN_UPDATES_BEFORE_ANSWER, turns, nothing_late));
    checks.push(case.check_if(&TOOL_CALLS_END, turns, tool_calls_end));
    checks
}

fn names(process: &Process<'_>) -> Found {
    let requests = ["session/new", "session/load"];
    let ids: Vec<&Value> = requests
        .iter()
        .flat_map(|method| process.transcript.exchanges(method))
        .filter_map(|exchange| match exchange.request["method"].as_str() {
            Some("session/new") => exchange.result().map(|result| &result["sessionId"]),
            _ => Some(&exchange.request["params"]["sessionId"]),
        })
        .collect();
    let all = 0..process.transcript.messages.len();
    let mut updates = process.transcript.from_agent("session/update", all);
    let other = updates.find(|(_, params)| !ids.contains(&&params["sessionId"]));
    match other {
        None => Finding::Holds("every update names the session".to_owned()).into(),
        Some((at, params)) => Finding::Breach(format!(
            "{} for the session {}",
            params["update"]["sessionUpdate"], params["sessionId"]
        ))
        .seen_in([process.transcript.evidence(at)]),
    }
}

fn nothing_late(turns: &[Turn<'_>]) -> Found {
    let late = turns.iter().find_map(|turn| {
        let mut updates = turn.transcript.from_agent("session/update", turn.after());
        let (at, params) = updates.find(|(_, params)| {
            let kind = params["update"]["sessionUpdate"].as_str();
            kind.is_some_and(|kind| TURN_UPDATES.contains(&kind))
        })?;
        let answer = turn.exchange.answer.map(|(at, _)| at);
        let places = answer.into_iter().chain([at]);
        let evidence: Vec<_> = places.map(|at| turn.transcript.evidence(at)).collect();
        Some((params, evidence))
    });
    match late {
        None => Finding::Holds("nothing of a turn came after its answer".to_owned()).into(),
        Some((params, evidence)) => {
            let update = super::quote(&params["update"].to_string());
            Finding::Breach(format!("after the answer came {update}")).seen_in(evidence)
        }
    }
}

fn tool_calls_end(turns: &[Turn<'_>]) -> Found {
    let mut open = Vec::new();
    let mut evidence = Vec::new();
    let mut calls = 0;
    for turn in turns.iter().filter(|turn| turn.exchange.answer.is_some()) {
        let mut statuses: BTreeMap<&str, (&str, usize)> = BTreeMap::new();
        for (at, params) in turn.transcript.from_agent("session/update", turn.running()) {
            let update = &params["update"];
            let kind = update["sessionUpdate"].as_str().unwrap_or_default();
            let Some(id) = update["toolCallId"]
                .as_str()
                .filter(|_| kind.starts_with("tool_call"))
            else {
                continue;
            };
            // A tool call without a status is pending.
            let (status, last) = statuses.entry(id).or_insert(("pending", at));
            *status = update["status"].as_str().unwrap_or(status);
            *last = at;
        }
        calls += statuses.len();
        let unfinished = statuses
            .iter()
            .filter(|(_, (status, _))| !matches!(*status, "completed" | "failed"));
        for (id, (status, last)) in unfinished {
            open.push(format!("{id} is {status}"));
            evidence.push(turn.transcript.evidence(*last));
        }
    }
    let came = if open.is_empty() {
        format!("{calls} tool calls, all ended")
    } else {
        open.join(", ")
    };
    holds_if(open.is_empty(), came).seen_in(evidence)
}
