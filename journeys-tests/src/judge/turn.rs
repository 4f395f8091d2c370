//! One prompt turn: the prompt, its updates, its answer, and what came after it.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/prompt-turn>

use std::ops::Range;

use serde_json::Value;

use super::{
    Process, quote,
    transcript::{Exchange, Transcript},
};
use crate::{
    check::{Finding, Found},
    evidence::{Evidence, Part},
    recording::TurnFiles,
};

/// A turn of a process.
pub(super) struct Turn<'r> {
    number: usize,
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
            number,
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

    /// From the prompt to its answer; without one to the next prompt, or until the input is closed.
    pub(super) fn running(&self) -> Range<usize> {
        let end = self.exchange.answer.map_or_else(
            || self.next.min(self.transcript.open),
            |(at, _)| at.min(self.next),
        );
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

    /// The chunks of the reply and the answer, as evidence.
    pub(super) fn reply_evidence(&self) -> Vec<Evidence> {
        let kind = "agent_message_chunk";
        let chunks = self
            .transcript
            .chunks(kind, self.session_id(), self.running());
        let answer = self.exchange.answer.map(|(at, _)| at);
        let places = chunks.map(|(at, _)| at).chain(answer);
        places.map(|at| self.transcript.evidence(at)).collect()
    }

    /// The files around the turn, as evidence.
    pub(super) fn files_evidence(&self) -> Evidence {
        Part::Turn(self.number).of(self.transcript.process)
    }

    /// Whether the reply holds this.
    pub(super) fn reply_holds(&self, wanted: &str) -> Found {
        let finding = match self.reply() {
            Some(reply) if reply.contains(wanted) => {
                Finding::Holds(format!("the reply {}", quote(&reply)))
            }
            Some(reply) => {
                Finding::Breach(format!("the reply {}, without {wanted:?}", quote(&reply)))
            }
            None => Finding::Breach(format!(
                "no agent_message_chunk with text before the answer, so no {wanted:?}"
            )),
        };
        finding.seen_in(self.reply_evidence())
    }

    /// Whether the turn was answered with this stop reason.
    pub(super) fn stops_with(&self, wanted: &str) -> Found {
        let stop_reason = self.exchange.result().map(|result| &result["stopReason"]);
        super::holds_if(
            stop_reason.is_some_and(|reason| reason == wanted),
            self.exchange.in_words(),
        )
        .seen_in(self.exchange.evidence())
    }

    /// Milliseconds at which the answer came.
    pub(super) fn answered_ms(&self) -> Option<u64> {
        self.exchange
            .answer
            .map(|(at, _)| self.transcript.messages[at].t_ms)
    }
}
