//! What a session remembers between its turns: the conversation, the user's standing answers, and
//! the counters behind its ids.
//!
//! It is made of stored items and of nothing else, so a loaded session has the same memory as one
//! that was never interrupted.

use std::collections::HashMap;

use crate::{model::Message, replay, store::Item};

/// The memory of one session.
#[derive(Debug, Default)]
pub struct Memory {
    /// The conversation, as the model is given it.
    pub messages: Vec<Message>,
    /// The user's "always" answers: what they are for, and whether it is allowed.
    pub grants: HashMap<String, bool>,
    /// Makes the ids of messages and tool calls.
    pub ids: Ids,
    /// Whether the user was told which tool servers could not be started.
    pub servers_reported: bool,
    /// Whether the session has a title.
    pub titled: bool,
    turn_start: usize,
}

/// Counts ids up over the whole life of a session, loads included, so that none comes twice.
#[derive(Debug, Default)]
pub struct Ids {
    last: u64,
}

impl Ids {
    /// The next id, for example `call_12`.
    pub fn next(&mut self, prefix: &str) -> String {
        self.last += 1;
        format!("{prefix}_{}", self.last)
    }
}

impl Memory {
    /// Takes in a stored item, or one that is about to be stored.
    pub fn take_in(&mut self, item: &Item) {
        replay::remember(&mut self.messages, &mut self.turn_start, item);
        if let Item::Grant { key, allow } = item {
            self.grants.insert(key.clone(), *allow);
        }
        self.titled |= matches!(item, Item::Title { .. });
        self.ids.last = self.ids.last.max(id_number(item));
    }
}

/// The number in the id that the item carries, zero without one.
fn id_number(item: &Item) -> u64 {
    let id = match item {
        Item::UserMessage { message_id, .. }
        | Item::AgentMessage { message_id, .. }
        | Item::AgentThought { message_id, .. } => message_id.as_str(),
        Item::ToolCall { call, .. } => &call.tool_call_id.0,
        _ => return 0,
    };
    let digits = id.trim_start_matches(|c: char| !c.is_ascii_digit());
    digits.parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_go_on_after_a_load() {
        let mut memory = Memory::default();
        memory.take_in(&Item::AgentMessage {
            message_id: "msg_7".into(),
            text: "x".into(),
        });
        memory.take_in(&Item::AgentMessage {
            message_id: "msg_3".into(),
            text: "x".into(),
        });
        assert_eq!(memory.ids.next("call"), "call_8");
        assert_eq!(memory.ids.next("msg"), "msg_9");
    }
}
