//! One prompt, from its text to its answer.
//!
//! What must stay true without a fault: all updates of the turn are sent before its answer, the
//! conversation is kept before its answer, and a cancelled turn is answered `cancelled` when its
//! work has stopped.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/prompt-turn>

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use super::{
    agent::Agent,
    behaviour::Behaviour,
    faults::Fault,
    mcp::ToolServer,
    output::stderr,
    request::understand,
    session::{Session, Stop},
    shell::ProcessGroup,
    store::Speaker,
    variants::Variant,
};

/// A turn that runs.
#[derive(Debug)]
pub struct Turn {
    /// The agent it belongs to.
    pub agent: Arc<Agent>,
    /// Its session.
    pub session: Arc<Session>,
    /// Asked when the turn must stop.
    pub stop: Arc<Stop>,
    /// From 1 on, in this process.
    pub number: u64,
    /// The id of `session/prompt`.
    pub id: Value,
    /// Its content blocks.
    pub prompt: Vec<Value>,
    /// Updates that a fault keeps back until after the answer.
    pub late: Mutex<Vec<Value>>,
}

/// How the work of a turn ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Work {
    /// With this reply.
    Reply(String),
    /// The turn was cancelled.
    Cancelled,
    /// The model failed, for this reason.
    Failed(String),
}

impl Turn {
    /// Does the work and answers the prompt.
    pub fn run(self) {
        let text = self.text();
        if self.behaviour().has(Fault::ForgetsTurn) {
            self.session.forget();
        }
        if self.behaviour().has(Fault::EndlessUpdates) {
            loop {
                self.chunk("agent_thought_chunk", "and on");
            }
        }
        if self.behaviour().has(Fault::CrashInTurn) {
            self.chunk("agent_message_chunk", "One moment");
            stderr("boom\n");
            std::process::exit(3);
        }
        let worker = self
            .behaviour()
            .is(Variant::WorkersInTurns)
            .then(ProcessGroup::idle);
        self.updates_in_turn();

        let work = self.work(&understand(&text));
        self.session.say(Speaker::User, &text);
        if let Work::Reply(reply) = &work {
            self.session.say(Speaker::Agent, reply);
            self.reply(reply);
        }
        let kept = match self.behaviour().fault {
            Some(Fault::KeepsAtEnd) => Ok(()),
            _ => self.agent.keep(&self.session),
        };
        if let Err(error) = kept {
            stderr(&format!("the session cannot be kept: {error}\n"));
        }
        if let Some(Ok(mut worker)) = worker {
            let _ = worker.end();
        }
        if self.behaviour().has(Fault::WorkerPerTurn) {
            self.agent.remember_left(ProcessGroup::idle().ok());
        }
        if self.behaviour().has(Fault::ZombiePerTurn) {
            self.agent
                .remember_ended(std::process::Command::new("true").spawn().ok());
        }
        if self.behaviour().has(Fault::ServersClosedEarly) {
            self.session.servers.iter().for_each(ToolServer::close);
        }
        let failed = matches!(work, Work::Failed(_));
        if !(failed && self.behaviour().has(Fault::FailureSticks)) {
            self.session.finish();
        }
        match work {
            Work::Reply(reply) => self.answer(&reply),
            Work::Cancelled => self.answer_cancelled(),
            Work::Failed(reason) => self.answer_failed(&reason),
        }
        let late = std::mem::take(&mut *self.late.lock().unwrap_or_else(PoisonError::into_inner));
        late.into_iter().for_each(|update| self.update(update));
    }

    /// How this run is broken or odd.
    #[must_use]
    pub fn behaviour(&self) -> &Behaviour {
        &self.agent.behaviour
    }

    /// Sends an update of the session.
    pub fn update(&self, update: Value) {
        self.agent.output.update(&self.session.id, update);
    }

    /// Keeps an update back until after the answer.
    pub fn after_answer(&self, update: Value) {
        let mut late = self.late.lock().unwrap_or_else(PoisonError::into_inner);
        late.push(update);
    }

    /// The words of the prompt.
    #[must_use]
    pub fn text(&self) -> String {
        let texts: Vec<_> = self
            .prompt
            .iter()
            .filter_map(|block| block["text"].as_str())
            .collect();
        texts.join("\n")
    }
}
