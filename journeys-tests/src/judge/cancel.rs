//! What the journey `cancel` demands.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/prompt-turn#cancellation>

use super::{Case, Process, holds_if, process::in_words, transcript::Side, turn::Turn};
use crate::{
    check::{Check, Finding, Found},
    evidence::Part,
    recording::{Look, SeenProcess, When},
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
        Found::from(Finding::NotReached(cause))
    };
    let after_cancel = |judge: &dyn Fn(&Turn<'_>, usize) -> Found| {
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

fn announced(case: &Case<'_>, turn: Option<&Turn<'_>>, cancelled_at: Option<usize>) -> Found {
    let Some(turn) = turn else {
        return Finding::NotReached(case.trouble.clone()).into();
    };
    let before_stop = turn.exchange.sent..cancelled_at.unwrap_or(turn.running().end);
    let mut updates = turn
        .transcript
        .from_agent("session/update", before_stop.clone());
    let tool_call = updates.find(|(_, params)| params["update"]["sessionUpdate"] == "tool_call");
    let mut requests = turn
        .transcript
        .from_agent("session/request_permission", before_stop);
    let permission = requests.next();
    let seen = [tool_call, permission].into_iter().flatten();
    let evidence: Vec<_> = seen.map(|(at, _)| turn.transcript.evidence(at)).collect();
    holds_if(
        !evidence.is_empty(),
        format!(
            "tool_call update: {}, permission request: {}",
            tool_call.is_some(),
            permission.is_some()
        ),
    )
    .seen_in(evidence)
}

fn in_time(turn: &Turn<'_>, cancelled_at: usize) -> Found {
    let sent_ms = turn.transcript.messages[cancelled_at].t_ms;
    let finding = match turn.answered_ms() {
        Some(answered_ms) => {
            let took = answered_ms.saturating_sub(sent_ms);
            holds_if(
                took <= MAX_CANCEL_MS,
                format!("answered {took} ms after session/cancel"),
            )
        }
        None => Finding::Breach(format!(
            "after session/cancel: {}",
            turn.exchange.in_words()
        )),
    };
    let answer = turn.exchange.answer.map(|(at, _)| at);
    let places = [cancelled_at].into_iter().chain(answer);
    finding.seen_in(places.map(|at| turn.transcript.evidence(at)))
}

fn no_sleep_left(process: &Process<'_>) -> Found {
    let counts = |when| matches!(when, When::AfterCancel | When::AtEnd | When::AfterEnd);
    let looks = process.recording.looks.iter();
    let mut looks = looks.filter(|look| counts(look.when)).peekable();
    if looks.peek().is_none() {
        return Finding::NotReached("nobody looked".to_owned()).into();
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
    let is_clean = left.is_empty();
    let looks = process.recording.looks.iter().enumerate();
    let shows =
        |look: &Look| counts(look.when) && (is_clean || look.processes.iter().any(is_sleep));
    let evidence = looks
        .filter(|(_, look)| shows(look))
        .map(|(at, _)| Part::Look(at).of(process.index));
    holds_if(is_clean, in_words(left.iter().copied())).seen_in(evidence)
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
