//! From how a turn went to how its prompt is answered. Pure, so that the promises can be read and
//! tested as a table.
//!
//! | the turn                                                  | the answer  |
//! |-----------------------------------------------------------|-------------|
//! | finished, also when it was being cancelled                | `end_turn`  |
//! | cancelled by the client, or interrupted by anybody        | `cancelled` |
//! | anything else, while the client was cancelling it         | `cancelled` |
//! | failed, out of quota, its session stopped, out of time    | `refusal`   |
//! | asked something that only a person can answer             | an error    |
//! | could not be submitted, followed, or stopped              | an error    |
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/prompt-turn#stop-reasons>

use agent_client_protocol_schema::v1::StopReason;

use crate::{
    api::{Outcome, SessionId, WaitAnswer},
    client::ClientError,
    flags::in_flags,
};

/// How a turn went, as far as it could be followed.
#[derive(Debug)]
pub(super) enum Course {
    /// The daemon says how it ended.
    Ended(WaitAnswer),
    /// We stopped it.
    Stopped {
        why: Stop,
        /// How it ended then; none if it did not in time.
        end: Option<Stopped>,
    },
    /// It was cancelled before anything was sent.
    NeverSent,
    /// The daemon did not take the prompt.
    NotAccepted(ClientError),
    /// It cannot be followed.
    Unfollowed { turn_id: u64, error: ClientError },
}

/// The end of a turn that was to be stopped.
#[derive(Debug)]
pub(super) struct Stopped {
    /// The interrupt was taken; else the turn ended by itself before.
    pub(super) by_us: bool,
    pub(super) wait: WaitAnswer,
}

/// Why we stopped a turn.
#[derive(Debug, Clone)]
pub(super) enum Stop {
    /// It asked this.
    Question(Option<String>),
    /// It took longer than this many seconds.
    OutOfTime(f64),
}

/// The answer to a prompt.
#[derive(Debug, PartialEq)]
pub(super) struct End {
    /// What the agent said last.
    pub(super) message: Option<String>,
    /// The stop reason, or the error.
    pub(super) answer: Result<StopReason, String>,
    /// The turn does not run any more.
    pub(super) settled: bool,
}

impl Course {
    /// How the prompt is answered. `cancelled`: the client asked for the end of the turn.
    pub(super) fn end(self, id: &SessionId, cancelled: bool) -> End {
        match self {
            Self::Ended(wait) => told(&wait, cancelled),
            Self::Stopped {
                why,
                end: Some(end),
            } => stopped(id, &why, &end, cancelled),
            Self::Stopped { why, end: None } => {
                let reason = format!(
                    "{}; it was interrupted but does not stop; see: acp-sessions sessions --session {id}",
                    why.reason(id)
                );
                failed(reason, cancelled, false)
            }
            Self::NeverSent => failed(String::new(), true, true),
            Self::NotAccepted(error) => {
                // Only a refusal is sure not to have become a turn.
                let settled = matches!(error, ClientError::Refused { .. });
                let reason = format!(
                    "the prompt was not accepted: {}",
                    in_flags(&error.to_string())
                );
                failed(reason, cancelled, settled)
            }
            Self::Unfollowed { turn_id, error } => {
                let reason = format!("turn {turn_id} of session {id} cannot be followed: {error}");
                failed(reason, cancelled, false)
            }
        }
    }
}

/// An end that the daemon told.
fn told(wait: &WaitAnswer, cancelled: bool) -> End {
    let stop_reason = match wait.outcome {
        Outcome::Finished => StopReason::EndTurn,
        Outcome::Cancelled => StopReason::Cancelled,
        _ if cancelled => StopReason::Cancelled,
        _ => StopReason::Refusal,
    };
    let explains = stop_reason == StopReason::Refusal;
    let explanation = wait.message.as_ref().filter(|_| explains);
    let said = [wait.final_message.as_ref(), explanation];
    let said = said
        .into_iter()
        .flatten()
        .find(|text| !text.trim().is_empty());
    End {
        message: said.cloned(),
        answer: Ok(stop_reason),
        settled: true,
    }
}

/// The end of a turn that we stopped. Whoever asked and got no answer has not finished, whatever
/// the harness says of it afterwards.
fn stopped(id: &SessionId, why: &Stop, end: &Stopped, cancelled: bool) -> End {
    let told = told(&end.wait, cancelled);
    match (why, &told.answer) {
        (Stop::Question(_), Ok(StopReason::EndTurn)) if end.by_us => {
            failed(why.reason(id), cancelled, true)
        }
        // It was faster than we.
        (_, Ok(StopReason::EndTurn)) => told,
        (_, _) if cancelled => told,
        (Stop::OutOfTime(_), _) => End {
            answer: Ok(StopReason::Refusal),
            ..told
        },
        (Stop::Question(_), _) => failed(why.reason(id), false, true),
    }
}

fn failed(reason: String, cancelled: bool, settled: bool) -> End {
    End {
        message: None,
        answer: match cancelled {
            true => Ok(StopReason::Cancelled),
            false => Err(reason),
        },
        settled,
    }
}

impl Stop {
    fn reason(&self, id: &SessionId) -> String {
        match self {
            Self::Question(question) => format!(
                "session {id} waits for input that a program cannot give: {}",
                question.as_deref().unwrap_or("it asks something")
            ),
            Self::OutOfTime(seconds) => {
                format!("the turn of session {id} took longer than {seconds} s")
            }
        }
    }
}

#[cfg(test)]
#[path = "ends_tests.rs"]
mod ends_tests;
