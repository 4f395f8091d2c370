//! What a stored item means: to the client, and to the model.
//!
//! Both meanings stand in one file because they are two views of the same thing, and the live turn
//! uses the same functions as a load does, so that what is replayed cannot differ from what was.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-setup#loading-sessions>

use crate::{
    acp,
    model::{Message, PlanEntry, Priority, Progress, ToolResult},
    prompt,
    store::{Item, TurnEnd},
    updates::text_chunk,
};

/// The updates that show an item to a client.
#[must_use]
pub fn updates(item: &Item) -> Vec<acp::SessionUpdate> {
    match item {
        Item::UserMessage {
            message_id,
            content,
            ..
        } => content
            .iter()
            .map(|block| {
                let chunk = acp::ContentChunk::new(block.clone())
                    .message_id(acp::MessageId::new(message_id.as_str()));
                acp::SessionUpdate::UserMessageChunk(chunk)
            })
            .collect(),
        Item::AgentMessage { message_id, text } => {
            vec![acp::SessionUpdate::AgentMessageChunk(text_chunk(
                message_id, text,
            ))]
        }
        Item::AgentThought { message_id, text } => {
            vec![acp::SessionUpdate::AgentThoughtChunk(text_chunk(
                message_id, text,
            ))]
        }
        Item::ToolCall { call, .. } => vec![acp::SessionUpdate::ToolCall(call.clone())],
        Item::Plan { entries } => vec![plan(entries)],
        Item::Mode { .. }
        | Item::Grant { .. }
        | Item::Note { .. }
        | Item::Title { .. }
        | Item::TurnEnd { .. } => Vec::new(),
    }
}

/// The whole plan, as each change of it is sent.
///
/// ACP: <https://agentclientprotocol.com/protocol/v1/agent-plan>
#[must_use]
pub fn plan(entries: &[PlanEntry]) -> acp::SessionUpdate {
    let entry = |entry: &PlanEntry| {
        let priority = match entry.priority {
            Priority::High => acp::PlanEntryPriority::High,
            Priority::Medium => acp::PlanEntryPriority::Medium,
            Priority::Low => acp::PlanEntryPriority::Low,
        };
        let status = match entry.status {
            Progress::Pending => acp::PlanEntryStatus::Pending,
            Progress::InProgress => acp::PlanEntryStatus::InProgress,
            Progress::Completed => acp::PlanEntryStatus::Completed,
        };
        acp::PlanEntry::new(entry.content.clone(), priority, status)
    };
    acp::SessionUpdate::Plan(acp::Plan::new(entries.iter().map(entry).collect()))
}

/// Adds an item to the conversation that the model is given.
///
/// A refused turn leaves no trace there, as the stop reason `refusal` promises; `turn_start` is
/// where the turn began.
pub fn remember(messages: &mut Vec<Message>, turn_start: &mut usize, item: &Item) {
    match item {
        Item::UserMessage { content, .. } => {
            *turn_start = messages.len();
            // It was accepted when it came, so it can be read; were it not, the conversation
            // would still be well-formed without it.
            messages.push(Message::User(prompt::parts(content).unwrap_or_default()));
        }
        Item::AgentMessage { text, .. } => messages.push(Message::Assistant(text.clone())),
        Item::ToolCall {
            request,
            outcome,
            text,
            structured,
            ..
        } => {
            messages.push(Message::ToolCall(request.clone()));
            messages.push(Message::ToolResult(ToolResult {
                id: request.id.clone(),
                outcome: *outcome,
                text: text.clone(),
                structured: structured.clone(),
            }));
        }
        Item::Note { text } => messages.push(Message::Note(text.clone())),
        Item::TurnEnd { end, .. } => match end {
            TurnEnd::Refusal => messages.truncate(*turn_start),
            TurnEnd::Cancelled => {
                messages.push(Message::Note("The user stopped this turn.".to_owned()));
            }
            TurnEnd::Interrupted => messages.push(Message::Note(
                "The agent was ended in the middle of this turn.".to_owned(),
            )),
            TurnEnd::Failed { .. }
            | TurnEnd::EndTurn
            | TurnEnd::MaxTokens
            | TurnEnd::MaxTurnRequests => {}
        },
        Item::AgentThought { .. }
        | Item::Plan { .. }
        | Item::Mode { .. }
        | Item::Grant { .. }
        | Item::Title { .. } => {}
    }
}
