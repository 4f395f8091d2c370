//! Turns, one after the other: from an accepted message to the answer of the agent.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/prompt-turn>

use futures::FutureExt as _;
use serde_json::{Value, json};
use wire::RequestError;

use super::{Answer, Runner};
use crate::{
    event::{Event, State},
    preset::Preset,
    turn::{self, Turn},
};

impl Runner {
    /// Begins the next turn, if there is a message and nothing else runs.
    pub(super) async fn begin_turn(&mut self) {
        if self.turn.is_some() || self.closing.is_some() || self.choosing > 0 {
            return;
        }
        let Some(session) = &self.session else {
            return;
        };
        let Some(text) = self.queue.pop_front() else {
            return;
        };
        let mut blocks = Vec::new();
        let hints = std::mem::take(&mut self.memory.untold_hints);
        let before = self.preamble.take().into_iter();
        for text in before
            .chain(hints.into_iter().map(str::to_owned))
            .chain([text])
        {
            blocks.push(json!({"type": "text", "text": text}));
        }
        let params = json!({"sessionId": session, "prompt": blocks});
        self.turns += 1;
        let turn = Turn::begin(self.turns);
        self.outlet.send(Event::status(State::Working)).await;
        let peer = self.peer.clone();
        let mut answer: Answer =
            Box::pin(async move { peer.request("session/prompt", &params).await });
        // The first poll puts it on the wire, in front of whatever is sent after it.
        if let Some(early) = answer.as_mut().now_or_never() {
            answer = Box::pin(std::future::ready(early));
        }
        self.turn = Some((turn, answer));
    }

    /// The agent has answered the prompt.
    pub(super) async fn answered(&mut self, answer: Result<Value, RequestError>) {
        self.take_calls().await;
        self.close_questions_of_turn().await;
        let end = match answer {
            Ok(result) => turn::End::Stopped(result["stopReason"].clone()),
            Err(RequestError::Answer(error)) => turn::End::Failed(self.explain(error.message)),
            Err(error) => turn::End::Failed(error.to_string()),
        };
        self.end_turn(end).await;
        self.outlet.send(Event::status(State::Idle)).await;
    }

    /// An error of the agent, with what is known about its causes.
    fn explain(&self, message: String) -> String {
        if self.preset == Preset::Grok && message.to_lowercase().contains("internal error") {
            return format!(
                "{message} — grok reports a rejected XAI_API_KEY this way; check the key first"
            );
        }
        message
    }

    /// Ends the turn that runs, if one does.
    pub(super) async fn end_turn(&mut self, end: turn::End) {
        self.unheeded = None;
        if let Some((turn, _)) = self.turn.take() {
            for event in turn.end(end, self.memory.cost_usd) {
                self.outlet.send(event).await;
            }
        }
    }
}
