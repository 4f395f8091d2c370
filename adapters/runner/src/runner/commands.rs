//! What the host's commands do.

use futures::FutureExt as _;
use serde_json::{Value, json};
use tokio::time::Instant;
use wire::RequestError;

use super::{Happened, Runner};
use crate::{
    command::Command,
    deadlines,
    event::{Event, State},
    handshake::refused_model,
    input::{Input, exit_at_last},
};

/// How many messages may wait for their turn. Nobody reads more answers than that.
const MOST_QUEUED: usize = 1_000;

/// How many bytes of them may wait. A thousand of the longest would be a gigabyte.
const MOST_QUEUED_BYTES: usize = 64 * 1024 * 1024;

/// How long the agent may take to choose a model, until the host is told that it did not. The next
/// turn waits for it, so that a message is answered by the model that was chosen before it.
const MODEL_DEADLINE: std::time::Duration = std::time::Duration::from_secs(20);

impl Runner {
    /// Takes what came in.
    pub(super) async fn input(&mut self, input: Option<Input>) {
        match input {
            Some(Input::Faulty(warning)) => self.outlet.send(Event::warn(warning)).await,
            Some(Input::Command(command)) => self.command(command).await,
            // The host has gone, which means the same.
            None => {
                exit_at_last(self.deadlines.shutdown);
                self.shutdown().await;
            }
        }
    }

    async fn command(&mut self, command: Command) {
        match command {
            Command::UserMessage { id, text } => self.user_message(id, text).await,
            Command::Answer {
                question_id,
                answers,
                response,
            } => self.answer(question_id, answers, response).await,
            Command::Interrupt => self.interrupt().await,
            Command::SetModel { model } => self.set_model(model).await,
            Command::Shutdown => self.shutdown().await,
        }
    }

    async fn user_message(&mut self, id: Option<String>, text: String) {
        let bytes: usize = self.queue.iter().map(String::len).sum();
        if self.queue.len() >= MOST_QUEUED || bytes + text.len() > MOST_QUEUED_BYTES {
            let warning = "ignored a user_message: too many wait for their turn";
            return self.outlet.send(Event::warn(warning)).await;
        }
        let id = id.unwrap_or_else(|| {
            self.made_ids += 1;
            format!("message-{}", self.made_ids)
        });
        let echo = Event::UserMessage {
            id,
            text: text.clone(),
        };
        self.outlet.send(echo).await;
        self.queue.push_back(text);
    }

    /// Asks the agent to stop, and answers what it asks.
    async fn interrupt(&mut self) {
        let was_asking = !self.questions.is_empty();
        self.cancel();
        if self.turn.is_some() {
            let until = Instant::now() + self.deadlines.heed;
            self.unheeded.get_or_insert(until);
        } else if was_asking {
            // No turn is there whose end would say it.
            self.outlet.send(Event::status(State::Idle)).await;
        }
    }

    /// Sends `session/cancel`. Sent while idle too, as an order that stands in front of the next
    /// prompt: whether a turn still runs is only known to the agent.
    pub(super) fn cancel(&mut self) {
        if let Some(session) = &self.session {
            let (peer, params) = (self.peer.clone(), json!({"sessionId": session}));
            let mut notice = Box::pin(async move { peer.notify("session/cancel", &params).await });
            // The first poll sends it, or takes its place in the line for a full pipe.
            if notice.as_mut().now_or_never().is_none() {
                tokio::spawn(notice);
            }
        }
        self.cancel_questions();
    }

    /// Tells the host that an interrupt was not heeded.
    pub(super) async fn unheeded(&mut self) {
        self.unheeded = None;
        let warning = format!(
            "the agent has not stopped {} seconds after the interrupt; it is left running",
            self.deadlines.heed.as_secs_f32()
        );
        self.outlet.send(Event::warn(warning)).await;
    }

    pub(super) async fn set_model(&mut self, model: String) {
        if model.is_empty() {
            return self
                .outlet
                .send(Event::warn(ignored_set_model(&model)))
                .await;
        }
        if self.session.is_none() {
            // Nobody knows yet how to ask for it.
            self.early_model = Some(model);
            return;
        }
        let request = self
            .session
            .as_ref()
            .and_then(|session| self.model.request(session, &model));
        let Some((method, params)) = request else {
            return self
                .outlet
                .send(Event::warn(ignored_set_model(&model)))
                .await;
        };
        self.choosing += 1;
        let (peer, tell) = (self.peer.clone(), self.tell.clone());
        // Beside the loop: an interrupt must not wait for the answer.
        let mut choice = Box::pin(async move {
            let request = peer.request::<Value>(method, &params);
            let outcome = match tokio::time::timeout(MODEL_DEADLINE, request).await {
                Ok(Ok(answer)) => Ok(answer),
                Ok(Err(RequestError::Answer(error))) => Err(error.message),
                Ok(Err(error)) => Err(error.to_string()),
                Err(_) => Err("the agent did not answer".to_owned()),
            };
            let _ = tell.send(Happened::ModelSet(model, outcome)).await;
        });
        // The first poll sends it, so it stands in front of whatever is sent after it.
        if choice.as_mut().now_or_never().is_none() {
            tokio::spawn(choice);
        }
    }

    /// The agent has answered a choice of the model.
    pub(super) async fn model_set(&mut self, model: &str, outcome: Result<Value, String>) {
        self.choosing -= 1;
        let event = match outcome {
            Ok(answer) => self.model.chosen(model, &answer),
            Err(why) => Some(Event::warn(refused_model(model, &why))),
        };
        if let Some(event) = event {
            self.outlet.send(event).await;
        }
    }

    /// Begins to end: the turn that runs is cancelled and has a moment to land.
    async fn shutdown(&mut self) {
        self.queue.clear();
        if self.turn.is_some() {
            self.cancel();
        } else {
            self.cancel_questions();
        }
        self.closing = Some(Instant::now() + deadlines::LAND);
    }

    /// The state after a question was closed: said only when no other one is open.
    pub(super) async fn after_a_question(&self) {
        if self.questions.is_empty() {
            let state = match self.turn {
                Some(_) => State::Working,
                None => State::Idle,
            };
            self.outlet.send(Event::status(state)).await;
        }
    }
}

/// The warning for a model that cannot be chosen.
pub fn ignored_set_model(model: &str) -> String {
    if model.is_empty() {
        return "ignored a set_model without a model".to_owned();
    }
    format!("ignored set_model {model}: the agent did not advertise model selection at session/new")
}
