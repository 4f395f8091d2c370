//! A turn: from a prompt to its answer.
//!
//! The loop asks the model, tells the client what it says (`reply`), runs the tools that it asks
//! for (`call`), and asks again with the results, until the model stops or the turn is stopped.
//!
//! Must stay true:
//!
//! - Whatever happens, the prompt gets one answer, and it is the last message of the turn.
//! - A turn that was cancelled is answered `cancelled`, whatever broke while it stopped, and not
//!   before its processes are gone and each of its tool calls has a final status.
//! - What an answer promises is on the disk before the answer is sent.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/prompt-turn>

mod call;
mod end;
mod reply;
mod servers;
mod show;
mod title;
mod tool_set;

use std::sync::Arc;

use futures::StreamExt;
use tokio_util::sync::CancellationToken;
use wire::Responder;

use self::{reply::Reply, tool_set::ToolSet};
use crate::{
    acp,
    agent::Agent,
    clock::timestamp,
    error::RequestError,
    limits,
    model::{Conversation, Event, Stop as ModelStop, ToolCall},
    prompt,
    record::Durability,
    session::{Begun, Session, memory::Memory, state::Stop},
    store::{Item, TurnEnd},
    trace::Trace,
    updates::Updates,
};

/// What a turn begins with.
pub struct Prompt {
    /// The blocks of the user's message.
    pub content: Vec<acp::ContentBlock>,
    /// The trace that the turn is a part of.
    pub trace: Trace,
}

/// A turn that has begun and not ended.
struct Turn {
    agent: Arc<Agent>,
    session: Arc<Session>,
    updates: Updates,
    stop: Stop,
    memory: Box<Memory>,
    trace: Trace,
}

/// Why a turn goes no further.
#[derive(Debug)]
enum Halt {
    /// It was stopped, or the client is gone.
    Cancelled,
    /// It failed.
    Failed(RequestError),
}

impl From<wire::Closed> for Halt {
    fn from(_: wire::Closed) -> Self {
        Self::Cancelled
    }
}

impl From<RequestError> for Halt {
    fn from(error: RequestError) -> Self {
        Self::Failed(error)
    }
}

/// What a reply of the model leads to.
enum Next {
    /// These tools are to be run, and the model asked again.
    Calls(Vec<ToolCall>),
    /// The turn is over.
    End(TurnEnd),
}

/// Runs a turn to its end and answers its prompt.
pub async fn run(
    agent: Arc<Agent>,
    session: Arc<Session>,
    begun: Begun,
    prompt: Prompt,
    responder: Responder,
) {
    let id = begun.turn;
    // What cannot be read is an error of the request: nothing of it is kept.
    if let Err(error) = prompt::parts(&prompt.content) {
        return session.finish(id, begun.memory, || responder.error(error.into()));
    }
    let mut turn = Turn {
        updates: agent.updates(&session.id),
        agent,
        session: Arc::clone(&session),
        stop: begun.stop,
        memory: begun.memory,
        trace: prompt.trace,
    };
    let ended = turn.run(prompt.content, responder.cancelled()).await;
    turn.entitle(&ended).await;
    let answer = turn.end(ended).await;
    session.finish(id, turn.memory, || {
        responder.finish(
            answer
                .map(acp::PromptResponse::new)
                .map_err(wire::Error::from),
        );
    });
}

impl Turn {
    /// The turn, until it ends or is stopped.
    async fn run(
        &mut self,
        prompt: Vec<acp::ContentBlock>,
        taken_back: CancellationToken,
    ) -> Result<TurnEnd, Halt> {
        let message_id = self.memory.ids.next("msg");
        self.keep(Item::UserMessage {
            message_id,
            content: prompt,
            at: timestamp(),
        });
        self.session.record.start_writing();
        let stop = self.stop.turn.clone();
        let steps = self.steps();
        tokio::pin!(steps);
        tokio::select! {
            biased;
            ended = &mut steps => return ended,
            () = taken_back.cancelled() => stop.cancel(),
        }
        // `$/cancel_request` of a prompt is a cancel of its turn. The turn ends by itself, so that
        // its processes and its tool calls end in their order.
        steps.await
    }

    /// Model, tools, model, tools, until the model stops.
    async fn steps(&mut self) -> Result<TurnEnd, Halt> {
        let mut tools = self.tool_set().await?;
        for _ in 0..limits::MAX_TURN_STEPS {
            tools.refresh();
            match self.step(&tools).await? {
                Next::End(end) => return Ok(end),
                Next::Calls(calls) => self.run_calls(&tools, calls).await?,
            }
            // A result that the model goes on with must not be forgotten by a crash.
            self.session.record.write(Durability::Written).await?;
        }
        Ok(TurnEnd::MaxTurnRequests)
    }

    /// One reply of the model. What it has said is kept, also when it is stopped half-way.
    async fn step(&mut self, tools: &ToolSet) -> Result<Next, Halt> {
        let mut reply = Reply::default();
        let heard = self.listen(tools, &mut reply).await;
        for item in reply.into_items() {
            self.keep(item);
        }
        heard
    }

    /// Passes on what the model says, as it says it.
    async fn listen(&mut self, tools: &ToolSet, reply: &mut Reply) -> Result<Next, Halt> {
        let Memory { messages, ids, .. } = &mut *self.memory;
        let mut events = self.agent.model.next(Conversation {
            cwd: &self.session.scope.cwd,
            mode: self.session.mode().id(),
            tools: tools.specs(),
            messages,
        });
        let mut calls = Vec::new();
        loop {
            let event = tokio::select! {
                biased;
                () = self.stop.turn.cancelled() => return Err(Halt::Cancelled),
                event = events.next() => event,
            };
            let update = match event {
                Some(Event::Text(text)) => reply.text(text, ids),
                Some(Event::Thought(text)) => reply.thought(text, ids),
                Some(Event::Plan(entries)) => reply.plan(entries),
                Some(Event::Show(part)) => reply.show(&part, ids),
                Some(Event::ToolCall(call)) => {
                    calls.push(call);
                    continue;
                }
                Some(Event::Usage { used, size }) => {
                    acp::SessionUpdate::UsageUpdate(acp::UsageUpdate::new(used, size))
                }
                Some(Event::Wait(duration)) => {
                    tokio::select! {
                        biased;
                        () = self.stop.turn.cancelled() => return Err(Halt::Cancelled),
                        () = tokio::time::sleep(duration) => continue,
                    }
                }
                Some(Event::Crash) => return Err(crash()),
                Some(Event::Stop(stop)) => return end_of(stop).map(Next::End),
                None if calls.is_empty() => return Ok(Next::End(TurnEnd::EndTurn)),
                None => return Ok(Next::Calls(calls)),
            };
            tokio::select! {
                biased;
                () = self.stop.turn.cancelled() => return Err(Halt::Cancelled),
                sent = self.updates.send(update) => sent?,
            }
        }
    }

    /// Remembers an item and queues it to be kept.
    fn keep(&mut self, item: Item) {
        self.memory.take_in(&item);
        self.session.record.push(item);
    }
}

/// Ends this process as a crash does: nothing is said, closed or saved.
fn crash() -> Halt {
    use nix::sys::signal::{Signal, raise};
    let _ = raise(Signal::SIGKILL);
    // A process cannot outlive that.
    Halt::Cancelled
}

/// A model that failed is an error of the prompt; everything else is a way to end.
fn end_of(stop: ModelStop) -> Result<TurnEnd, Halt> {
    match stop {
        ModelStop::EndTurn => Ok(TurnEnd::EndTurn),
        ModelStop::MaxTokens => Ok(TurnEnd::MaxTokens),
        ModelStop::Refusal => Ok(TurnEnd::Refusal),
        ModelStop::Failed(why) => Err(Halt::Failed(RequestError::Model(why))),
    }
}
