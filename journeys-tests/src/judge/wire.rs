//! What ACP asks of the wire: lines that are messages, messages that have a shape, one answer for each
//! request.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/transports#stdio>

use std::collections::{BTreeMap, HashSet};

use serde_json::Value;

use super::{
    Case, Process, messages, quote,
    transcript::{Side, Transcript, is_response},
};
use crate::{
    check::{Check, Finding, Found},
    evidence::Evidence,
    recording::{Ending, Event, JunkReason, What},
    requirements::{RESPONSES_MATCH_REQUESTS, STDOUT_IS_PROTOCOL, VALID_MESSAGES},
};

/// Lines that are joined in the search for an indented message; the recorder keeps no more.
const MAX_JOINED: usize = 64;

/// Faults that are named in a check; the rest is counted.
const MAX_NAMED: usize = 5;

pub(super) fn judge(case: &Case<'_>, process: &Process<'_>) -> Vec<Check> {
    vec![
        case.check(
            &STDOUT_IS_PROTOCOL,
            stdout(&process.recording.events)
                .seen_in(process.events_where(|what| matches!(what, What::Junk { .. }))),
        ),
        case.check(&RESPONSES_MATCH_REQUESTS, responses(process)),
        case.check(&VALID_MESSAGES, valid(&process.transcript)),
    ]
}

fn stdout(events: &[Event]) -> Finding {
    let junk: Vec<(&str, JunkReason)> = events
        .iter()
        .filter_map(|event| match &event.what {
            What::Junk { line, reason, .. } => Some((line.as_str(), *reason)),
            _ => None,
        })
        .collect();
    let omitted: u64 = events
        .iter()
        .map(|event| match event.what {
            What::Omitted { lines, .. } => lines,
            _ => 0,
        })
        .sum();
    let Some((line, reason)) = junk.first() else {
        return Finding::Holds("every line is a JSON object".to_owned());
    };
    let all = junk.len() as u64 + omitted;
    if let Some((lines, message)) = message_over_lines(&junk) {
        let message = quote(&message);
        return Finding::Breach(format!(
            "embedded newline: one message over {lines} lines: {message}"
        ));
    }
    let reason = match reason {
        JunkReason::NotJson => "not JSON",
        JunkReason::NotAnObject => "JSON, but not an object",
        JunkReason::NotUtf8 => "not UTF-8",
        JunkReason::TooLong => "longer than the checker reads",
    };
    Finding::Breach(format!(
        "{all} lines that are no message; the first is {reason}: {}",
        quote(line)
    ))
}

/// Lines that are no messages but make one together: an indented message.
fn message_over_lines(junk: &[(&str, JunkReason)]) -> Option<(usize, String)> {
    let start = junk
        .iter()
        .position(|(line, _)| line.trim_start().starts_with('{'))?;
    let mut joined = String::new();
    for (count, (line, _)) in junk[start..].iter().take(MAX_JOINED).enumerate() {
        joined.push_str(line);
        joined.push('\n');
        if let Ok(message @ Value::Object(_)) = serde_json::from_str(&joined) {
            return Some((count + 1, message.to_string()));
        }
    }
    None
}

/// A fault in words, and the message that shows it.
type Fault = (String, Evidence);

fn responses(process: &Process<'_>) -> Found {
    let transcript = &process.transcript;
    let mut faults: Vec<Fault> = Vec::new();
    let mut answered = HashSet::new();
    let mut open: BTreeMap<String, (&Value, usize)> = BTreeMap::new();
    for (at, message) in transcript.messages.iter().enumerate() {
        let mut fault = |words: String| faults.push((words, transcript.evidence(at)));
        let id = &message.json["id"];
        match message.from {
            Side::Checker if message.json["method"].is_string() && !id.is_null() => {
                open.insert(id.to_string(), (&message.json["method"], at));
            }
            Side::Agent if is_response(&message.json) => {
                if open.remove(&id.to_string()).is_some() {
                    answered.insert(id.to_string());
                } else if answered.contains(&id.to_string()) {
                    fault(format!("a second response with id {id}"));
                } else {
                    fault(format!(
                        "a response with id {id}, which no open request has"
                    ));
                }
            }
            _ => {}
        }
    }
    // A process that the journey killed owes nothing.
    if process.recording.ending == Ending::KilledByJourney {
        open.clear();
    }
    faults.extend(open.iter().map(|(id, (method, at))| {
        let words = format!("no response to {method} with id {id}");
        (words, transcript.evidence(*at))
    }));
    named(&faults, &format!("{} requests answered", answered.len()))
}

fn valid(transcript: &Transcript) -> Found {
    let mut faults: Vec<Fault> = Vec::new();
    for (at, message) in transcript.messages.iter().enumerate() {
        if message.from == Side::Agent {
            let found = messages::faults(&message.json).into_iter();
            faults.extend(found.map(|fault| (fault, transcript.evidence(at))));
        }
    }
    for prompt in transcript.exchanges("session/prompt") {
        let found = prompt.result().and_then(messages::stop_reason_fault);
        let answer = prompt.answer.map(|(at, _)| transcript.evidence(at));
        faults.extend(found.zip(answer));
    }
    named(&faults, "every message has its shape")
}

fn named(faults: &[Fault], otherwise: &str) -> Found {
    if faults.is_empty() {
        return Finding::Holds(otherwise.to_owned()).into();
    }
    let words: Vec<&str> = faults.iter().map(|(words, _)| words.as_str()).collect();
    let mut named = words[..words.len().min(MAX_NAMED)].join("; ");
    let more = words.len().saturating_sub(MAX_NAMED);
    if more > 0 {
        named = format!("{named}; and {more} more");
    }
    Finding::Breach(named).seen_in(faults.iter().map(|(_, evidence)| *evidence))
}
