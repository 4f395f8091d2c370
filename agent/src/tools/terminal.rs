//! `shell` in a terminal of the client, where it offers them.
//!
//! Apart from [`super::shell`], which starts commands here: there the tree of processes is ours,
//! here it is the client's, and all that is known of a command is what the client says.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/terminals>

use std::{path::PathBuf, time::Duration};

use serde_json::{Value, json};
use stub_model::Outcome;
use tokio_util::sync::CancellationToken;

use super::ToolOutcome;
use crate::{
    acp,
    client::{Client, ClientError, CommandLine, Ended, TerminalOutput},
};

/// How much of the end of the output is kept, in bytes: as much as of a command that runs here.
const MOST: usize = 128 * 1024;

/// A client's terminal may be a real one, in which a pager would wait for a key for ever.
const ENVIRONMENT: [(&str, &str); 2] = [("PAGER", "cat"), ("GIT_PAGER", "cat")];

/// Runs a command by the shell of the client's system.
pub(super) async fn run(
    client: &Client,
    command: String,
    cwd: PathBuf,
    timeout: Duration,
    stop: &CancellationToken,
) -> ToolOutcome {
    let line = CommandLine {
        program: "/bin/sh".to_owned(),
        args: vec!["-c".to_owned(), command],
        env: ENVIRONMENT
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into(),
        cwd,
        most: MOST as u64,
    };
    match client.run(line, timeout, stop).await {
        Ok(output) => outcome(output, timeout),
        Err(ClientError::Cancelled | ClientError::Gone) => ToolOutcome::cancelled("cancelled"),
        Err(_) if stop.is_cancelled() => ToolOutcome::cancelled("cancelled"),
        Err(error) => {
            let text = format!("the command could not be run in a terminal of {error}");
            ToolOutcome::failed(text)
        }
    }
}

fn outcome(mut end: TerminalOutput, timeout: Duration) -> ToolOutcome {
    let over = end.output.len().saturating_sub(MOST);
    if over > 0 {
        end.output.drain(..end.output.ceil_char_boundary(over));
        end.truncated = true;
    }
    let status = end.status.as_ref();
    let code = status.and_then(|status| status.exit_code);
    let signal = status.and_then(|status| status.signal.clone());
    let (outcome, note) = match (end.ended, code, &signal) {
        (Ended::Cancelled, ..) => (Outcome::Cancelled, Some("[cancelled]".to_owned())),
        (Ended::TimedOut, ..) => {
            let note = format!("[stopped: it ran longer than {} s]", timeout.as_secs());
            (Outcome::Failed, Some(note))
        }
        (Ended::Itself, Some(0), None) => (Outcome::Completed, None),
        (Ended::Itself, _, Some(signal)) => {
            (Outcome::Failed, Some(format!("[ended by signal {signal}]")))
        }
        (Ended::Itself, Some(code), None) => (Outcome::Failed, Some(format!("[exit code {code}]"))),
        (Ended::Itself, None, None) => {
            let note = "[the client does not say how it ended]".to_owned();
            (Outcome::Failed, Some(note))
        }
    };
    let mut text = String::new();
    if end.truncated {
        text.push_str("[the beginning of the output is left out]\n");
    }
    text.push_str(&end.output);
    if let Some(note) = note {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&note);
    }
    let mut ended = ToolOutcome::new(outcome, text);
    ended.raw_output = Some(raw(&end, code, signal));
    // The client goes on showing the terminal, also after its release.
    ended.content = vec![acp::ToolCallContent::Terminal(acp::Terminal::new(
        end.terminal_id,
    ))];
    ended
}

/// The end as data, for clients.
fn raw(end: &TerminalOutput, code: Option<u32>, signal: Option<String>) -> Value {
    json!({
        "exitCode": code,
        "signal": signal,
        "timedOut": end.ended == Ended::TimedOut,
        "output": end.output,
        "truncated": end.truncated,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(ended: Ended, code: Option<u32>, output: &str) -> ToolOutcome {
        let end = TerminalOutput {
            terminal_id: acp::TerminalId::new("t"),
            ended,
            status: code.map(|code| acp::TerminalExitStatus::new().exit_code(code)),
            output: output.to_owned(),
            truncated: false,
        };
        outcome(end, Duration::from_secs(7))
    }

    #[test]
    fn ends_are_told() {
        let rows = [
            (Ended::Itself, Some(0), Outcome::Completed, "out"),
            (
                Ended::Itself,
                Some(3),
                Outcome::Failed,
                "out\n[exit code 3]",
            ),
            (
                Ended::Cancelled,
                None,
                Outcome::Cancelled,
                "out\n[cancelled]",
            ),
            (
                Ended::TimedOut,
                None,
                Outcome::Failed,
                "out\n[stopped: it ran longer than 7 s]",
            ),
        ];
        for (how, code, outcome, text) in rows {
            let told = ended(how, code, "out");
            assert_eq!((told.outcome, told.text.as_str()), (outcome, text));
        }
    }

    #[test]
    fn a_client_that_keeps_too_much_is_cut() {
        let told = ended(Ended::Itself, Some(0), &"é".repeat(MOST));
        assert!(told.text.len() < MOST + 100);
        assert!(told.text.starts_with("[the beginning"));
    }
}
