//! What the journey `cancel` demands.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/prompt-turn#cancellation>

use super::{Case, Process, holds_if, process::in_words, transcript::Side, turn::Turn};
use crate::{
    check::{Check, Finding},
    recording::{SeenProcess, When},
    requirements::{
        CANCEL_WITHIN_30S, NO_SLEEP_LEFT, STOP_REASON_CANCELLED, TOOL_CALL_BEFORE_STOP,
    },
};

/// The contract's number, in milliseconds.
const MAX_CANCEL_MS: u64 = 30_000;

pub(super) fn judge(case: &Case<'_>) -> Vec<Check> {
    let process = case.first();
    let turn = process.and_then(|process| process.turn(0));
    let cancelled_at = turn.as_ref().and_then(cancel_of);
    let cancelled = turn.as_ref().zip(cancelled_at);
    let not_cancelled = || {
        let cause = match turn
            .as_ref()
            .and_then(|turn| turn.exchange.answer.map(|_| turn))
        {
            Some(turn) => format!(
                "no command was seen to run; the turn ended with {}",
                turn.exchange.in_words()
            ),
            None => case.trouble.clone(),
        };
        Finding::NotReached(cause)
    };
    let after_cancel = |judge: &dyn Fn(&Turn<'_>, usize) -> Finding| {
        cancelled.map_or_else(not_cancelled, |(turn, at)| judge(turn, at))
    };
    vec![
        case.check(
            &TOOL_CALL_BEFORE_STOP,
            announced(case, turn.as_ref(), cancelled_at),
        ),
        case.check(
            &STOP_REASON_CANCELLED,
            after_cancel(&|turn, _| turn.stops_with("cancelled")),
        ),
        case.check(&CANCEL_WITHIN_30S, after_cancel(&in_time)),
        case.check(
            &NO_SLEEP_LEFT,
            after_cancel(&|_, _| process.map_or_else(not_cancelled, no_sleep_left)),
        ),
    ]
}

/// Where `session/cancel` stands in the turn.
fn cancel_of(turn: &Turn<'_>) -> Option<usize> {
    let messages = turn
        .transcript
        .messages
        .iter()
        .enumerate()
        .skip(turn.exchange.sent);
    let mut cancels = messages.filter(|(_, message)| {
        message.from == Side::Checker && message.json["method"] == "session/cancel"
    });
    cancels.next().map(|(at, _)| at)
}

fn announced(case: &Case<'_>, turn: Option<&Turn<'_>>, cancelled_at: Option<usize>) -> Finding {
    let Some(turn) = turn else {
        return Finding::NotReached(case.trouble.clone());
    };
    let before_stop = turn.exchange.sent..cancelled_at.unwrap_or(turn.running().end);
    let mut updates = turn
        .transcript
        .from_agent("session/update", before_stop.clone());
    let tool_call = updates.any(|(_, params)| params["update"]["sessionUpdate"] == "tool_call");
    let mut requests = turn
        .transcript
        .from_agent("session/request_permission", before_stop);
    let permission = requests.next().is_some();
    holds_if(
        tool_call || permission,
        format!("tool_call update: {tool_call}, permission request: {permission}"),
    )
}

fn in_time(turn: &Turn<'_>, cancelled_at: usize) -> Finding {
    let sent_ms = turn.transcript.messages[cancelled_at].t_ms;
    match turn.answered_ms() {
        Some(answered_ms) => {
            let took = answered_ms.saturating_sub(sent_ms);
            holds_if(
                took <= MAX_CANCEL_MS,
                format!("answered {took} ms after session/cancel"),
            )
        }
        None => Finding::Breach("no answer after session/cancel".to_owned()),
    }
}

fn no_sleep_left(process: &Process<'_>) -> Finding {
    let looks = process.recording.looks.iter();
    let mut looks = looks
        .filter(|look| matches!(look.when, When::AfterCancel | When::AtEnd | When::AfterEnd))
        .peekable();
    if looks.peek().is_none() {
        return Finding::NotReached("nobody looked".to_owned());
    }
    // At the end only the settled look counts; an agent that was killed has no other.
    let killed = process
        .recording
        .looks
        .iter()
        .all(|look| look.when != When::AfterEnd);
    let mut left: Vec<&SeenProcess> = looks
        .filter(|look| look.when != When::AtEnd || killed)
        .flat_map(|look| &look.processes)
        .filter(|process| is_sleep(process))
        .collect();
    left.sort_by_key(|process| (process.pid, process.start_ticks));
    left.dedup();
    holds_if(left.is_empty(), in_words(left.iter().copied()))
}

/// Whether this process is the command `sleep 120`, or a shell that was given it.
#[must_use]
pub fn is_sleep(process: &SeenProcess) -> bool {
    let [program, arguments @ ..] = process.command.as_slice() else {
        return false;
    };
    let runs_sleep = |word: &String| word.rsplit('/').next() == Some("sleep");
    // A multi-call binary may be started as `busybox sleep 120`.
    let named = runs_sleep(program) || arguments.first().is_some_and(runs_sleep);
    (named && arguments.iter().any(|argument| argument == "120"))
        || arguments
            .iter()
            .any(|argument| argument.contains("sleep 120"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sleep_is_known_in_all_its_forms() {
        #[rustfmt::skip]
        let table: [(bool, &[&str]); 8] = [
            (true, &["sleep", "120"]),
            (true, &["/bin/sleep", "120"]),
            (true, &["busybox", "sleep", "120"]),
            (true, &["sh", "-c", "sleep 120"]),
            (true, &["bash", "-lc", "cd /w && sleep 120"]),
            (false, &["sleep", "60"]),
            (false, &["mcp-tools", "--record", "120"]),
            (false, &[]),
        ];
        for (wanted, command) in table {
            let process = SeenProcess {
                pid: 1,
                start_ticks: 1,
                command: command.iter().map(ToString::to_string).collect(),
            };
            assert_eq!(is_sleep(&process), wanted, "{command:?}");
        }
    }
}
