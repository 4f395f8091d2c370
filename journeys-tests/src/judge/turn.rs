//! One prompt turn: the prompt, its updates, its answer, and what came after it.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/prompt-turn>

use std::ops::Range;

use serde_json::Value;

use super::{
    Process, quote,
    transcript::{Exchange, Transcript},
};
use crate::{check::Finding, recording::TurnFiles};

/// A turn of a process.
pub(super) struct Turn<'r> {
    pub(super) transcript: &'r Transcript,
    pub(super) exchange: Exchange<'r>,
    pub(super) files: Option<&'r TurnFiles>,
    /// Where the next prompt stands, or the end of the transcript.
    next: usize,
}

impl<'r> Process<'r> {
    /// The turn with this number, counted from 0, if its prompt was sent.
    pub(super) fn turn(&self, number: usize) -> Option<Turn<'_>> {
        self.turns().nth(number)
    }

    /// All turns.
    pub(super) fn turns(&self) -> impl Iterator<Item = Turn<'_>> {
        let prompts: Vec<_> = self.transcript.exchanges("session/prompt").collect();
        let end = self.transcript.messages.len();
        let nexts: Vec<usize> = prompts
            .iter()
            .skip(1)
            .map(|prompt| prompt.sent)
            .chain([end])
            .collect();
        let turns = prompts.into_iter().zip(nexts).enumerate();
        turns.map(|(number, (exchange, next))| Turn {
            transcript: &self.transcript,
            exchange,
            files: self.recording.turns.get(number),
            next,
        })
    }
}

impl Turn<'_> {
    /// The session that the prompt named.
    pub(super) fn session_id(&self) -> &Value {
        &self.exchange.request["params"]["sessionId"]
    }

    /// From the prompt to its answer, or to the next prompt if there is none.
    pub(super) fn running(&self) -> Range<usize> {
        let end = self
            .exchange
            .answer
            .map_or(self.next, |(at, _)| at.min(self.next));
        self.exchange.sent..end
    }

    /// From the answer to the next prompt; empty without an answer.
    pub(super) fn after(&self) -> Range<usize> {
        let start = self
            .exchange
            .answer
            .map_or(self.next, |(at, _)| at.min(self.next));
        start..self.next
    }

    /// The text of the reply: the agent's message chunks that came before the answer.
    pub(super) fn reply(&self) -> Option<String> {
        self.transcript
            .text("agent_message_chunk", self.session_id(), self.running())
    }

    /// Whether the reply holds this.
    pub(super) fn reply_holds(&self, wanted: &str) -> Finding {
        match self.reply() {
            Some(reply) if reply.contains(wanted) => {
                Finding::Holds(format!("the reply {}", quote(&reply)))
            }
            Some(reply) => {
                Finding::Breach(format!("the reply {}, without {wanted:?}", quote(&reply)))
            }
            None => Finding::Breach(format!(
                "no agent_message_chunk with text before the answer, so no {wanted:?}"
            )),
        }
    }

    /// Whether the turn was answered with this stop reason.
    pub(super) fn stops_with(&self, wanted: &str) -> Finding {
        let stop_reason = self.exchange.result().map(|result| &result["stopReason"]);
        super::holds_if(
            stop_reason.is_some_and(|reason| reason == wanted),
            self.exchange.in_words(),
        )
    }

    /// Milliseconds at which the answer came.
    pub(super) fn answered_ms(&self) -> Option<u64> {
        self.exchange
            .answer
            .map(|(at, _)| self.transcript.messages[at].t_ms)
    }
}
