//! What ACP asks of the wire: lines that are messages, messages that have a shape, one answer for each
//! request.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/transports#stdio>

use std::collections::HashSet;

use serde_json::Value;

use super::{
    Case, Process, holds_if, messages, quote,
    transcript::{Side, Transcript, is_response},
};
use crate::{
    check::{Check, Finding},
    recording::{Event, JunkReason, What},
    requirements::{RESPONSES_MATCH_REQUESTS, STDOUT_IS_PROTOCOL, VALID_MESSAGES},
};

/// Faults that are named in a check; the rest is counted.
const MAX_NAMED: usize = 5;

pub(super) fn judge(case: &Case<'_>, process: &Process<'_>) -> Vec<Check> {
    vec![
        case.check(&STDOUT_IS_PROTOCOL, stdout(&process.recording.events)),
        case.check(&RESPONSES_MATCH_REQUESTS, responses(&process.transcript)),
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
    for (count, (line, _)) in junk[start..].iter().enumerate() {
        joined.push_str(line);
        joined.push('\n');
        if let Ok(message @ Value::Object(_)) = serde_json::from_str(&joined) {
            return Some((count + 1, message.to_string()));
        }
    }
    None
}

fn responses(transcript: &Transcript) -> Finding {
    let mut faults = Vec::new();
    let mut answered = HashSet::new();
    let mut open = Vec::new();
    for message in &transcript.messages {
        let id = &message.json["id"];
        match message.from {
            Side::Checker if message.json["method"].is_string() && !id.is_null() => {
                open.push((id, &message.json["method"]));
            }
            Side::Agent if is_response(&message.json) => {
                let known = open.iter().position(|(open_id, _)| *open_id == id);
                if let Some(at) = known {
                    open.remove(at);
                    answered.insert(id.to_string());
                } else if answered.contains(&id.to_string()) {
                    faults.push(format!("a second response with id {id}"));
                } else {
                    faults.push(format!(
                        "a response with id {id}, which no open request has"
                    ));
                }
            }
            _ => {}
        }
    }
    faults.extend(
        open.iter()
            .map(|(id, method)| format!("no response to {method} with id {id}")),
    );
    named(&faults, &format!("{} requests answered", answered.len()))
}

fn valid(transcript: &Transcript) -> Finding {
    let from_agent = transcript
        .messages
        .iter()
        .filter(|message| message.from == Side::Agent);
    let mut faults: Vec<String> = from_agent
        .flat_map(|message| messages::faults(&message.json))
        .collect();
    for prompt in transcript.exchanges("session/prompt") {
        faults.extend(prompt.result().and_then(messages::stop_reason_fault));
    }
    named(&faults, "every message has its shape")
}

fn named(faults: &[String], otherwise: &str) -> Finding {
    let more = faults.len().saturating_sub(MAX_NAMED);
    let mut words = faults
        .iter()
        .take(MAX_NAMED)
        .cloned()
        .collect::<Vec<_>>()
        .join("; ");
    if more > 0 {
        words = format!("{words}; and {more} more");
    }
    holds_if(
        faults.is_empty(),
        if faults.is_empty() {
            otherwise.to_owned()
        } else {
            words
        },
    )
}
