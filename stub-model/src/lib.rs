//! A deterministic model: a pure function from a conversation to the next reply.
//!
//! No clock, no randomness, no network and no state but the conversation itself, so that a session
//! which was loaded from disk is answered exactly as one that was never interrupted.
//!
//! It knows nobody: the agent hands it a [`Conversation`] and gets [`Event`]s back. The way of a
//! prompt, file by file:
//!
//! ```text
//! commands/    a prompt that is a slash command is followed there, and goes no further
//! prompt       the parts of the user's message: only its text is an instruction
//! text/        characters to words, sentences, clauses
//! reader/      clauses to actions and wants, one file a family      -> instruction::Request
//! progress     which actions have their results, and which is next
//! calls        an action to the call of a tool on offer (arguments: by its JSON schema)
//! answer       what to say in the end (memory, result, image: where it comes from)
//! speak        the answer in pieces
//! events       the reply, an event at a time
//! scenario/    rules of a file, which stand before all that
//! serve/       all that over HTTP, for the adapters of others (feature `serve`)
//! ```

mod answer;
mod arguments;
mod calls;
mod commands;
mod conversation;
mod events;
mod facts;
mod image;
mod instruction;
mod memory;
mod progress;
mod prompt;
mod reader;
mod report;
mod result;
mod scenario;
#[cfg(feature = "serve")]
pub mod serve;
mod speak;
mod telling;
mod text;

pub use commands::{COMMANDS, Command};
pub use conversation::{
    Conversation, Event, Message, Outcome, Part, PlanEntry, Priority, Progress, Stop, ToolCall,
    ToolResult, ToolSpec,
};
pub use events::Events;
pub use scenario::{Scenario, ScenarioError};

use answer::Turn;
use instruction::{Request, Want};
use progress::progress;
use prompt::{Prompt, user_messages};

/// What the model does next: the pieces of its answer and the end of the turn, or a tool call
/// after which it is to be asked again.
#[must_use]
pub fn reply(conversation: &Conversation<'_>) -> Vec<Event> {
    stream(conversation).collect()
}

/// The same as [`reply`], an event at a time: a long answer is not held in pieces.
#[must_use]
pub fn stream(conversation: &Conversation<'_>) -> Events {
    if let Some(events) = commands::follow(conversation) {
        return events.into();
    }
    let prompt = user_messages(conversation.messages)
        .next_back()
        .map_or_else(Prompt::default, Prompt::new);
    let request = reader::read(&prompt, conversation.tools);
    match progress(conversation, &request.actions) {
        progress::Progress::Next(call, done) => {
            let mut events: Vec<Event> = plan(&request, done).into_iter().collect();
            events.push(Event::ToolCall(call));
            events.into()
        }
        progress::Progress::Over(steps, known) => {
            let plan = plan(&request, steps.len());
            let turn = Turn {
                conversation: *conversation,
                prompt: &prompt,
                request: &request,
                steps,
                known,
                told: std::cell::OnceCell::new(),
            };
            let text = turn.answer();
            let counted = request
                .wants
                .iter()
                .any(|want| matches!(want, Want::Numbers { .. }));
            let pieces = if counted {
                speak::lines(text)
            } else {
                speak::pieces(text)
            };
            Events::telling(plan.into_iter().collect(), pieces)
        }
    }
}

/// The plan with its progress, when one was asked for: the steps advance with the actions.
fn plan(request: &Request, done: usize) -> Option<Event> {
    let steps = request.plan.as_ref()?;
    let total = request.actions.len();
    let completed = (steps.len() * done).checked_div(total).unwrap_or(0);
    let entries = steps.iter().enumerate().map(|(at, step)| PlanEntry {
        content: step.clone(),
        priority: Priority::Medium,
        status: match at {
            at if at < completed => Progress::Completed,
            at if at == completed && total > 0 => Progress::InProgress,
            _ => Progress::Pending,
        },
    });
    Some(Event::Plan(entries.collect()))
}
