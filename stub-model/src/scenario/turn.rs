//! The turns of a conversation, as far as a rule looks at them.
//!
//! Apart from following, because here it is found where a rule began: mostly in the last turn, and in
//! an earlier one when the last prompts were answers to its questions.

use super::limits;
use crate::{
    commands,
    conversation::{Message, Outcome, Part, ToolResult},
};

/// How the ids of a rule's calls begin.
pub(super) const CALL: &str = "scenario-";

/// The tool for questions.
pub(super) const ASK: &str = "ask_user";

/// A prompt, and what came behind it.
#[derive(Debug)]
pub(super) struct Turn<'a> {
    text: String,
    behind: &'a [Message],
}

impl<'a> Turn<'a> {
    fn new(messages: &'a [Message]) -> Option<Self> {
        let (Message::User(parts), behind) = messages.split_first()? else {
            return None;
        };
        let texts = parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            _ => None,
        });
        let text = texts.collect::<Vec<_>>().join("\n");
        Some(Self { text, behind })
    }

    /// What the user wrote.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The result of the call with this id.
    pub(super) fn result(&self, id: &str) -> Option<&'a ToolResult> {
        self.behind.iter().find_map(|message| match message {
            Message::ToolResult(result) if result.id == id => Some(result),
            _ => None,
        })
    }

    /// Whether it ended with a question in words, so that the next prompt is the answer.
    fn awaits_answer(&self) -> bool {
        let mut results = self
            .behind
            .iter()
            .rev()
            .filter_map(|message| match message {
                Message::ToolResult(result) => Some(result),
                _ => None,
            });
        let last = results.next();
        let asked = last.filter(|result| result.id.starts_with(CALL) && asks_in_words(result));
        let is_question = |message: &Message| matches!(message, Message::ToolCall(call) if call.name == ASK && asked.is_some_and(|asked| asked.id == call.id));
        self.behind.iter().any(is_question)
            && matches!(self.behind.last(), Some(Message::Assistant(_)))
    }
}

/// Whether a result tells the model to ask the user itself.
pub(super) fn asks_in_words(result: &ToolResult) -> bool {
    result.outcome == Outcome::Completed && commands::in_words(&result.text)
}

/// The last turn, behind those whose questions it answers.
pub(super) fn last(messages: &[Message]) -> Vec<Turn<'_>> {
    let starts = messages.iter().enumerate().rev();
    let mut starts = starts.filter(|(_, message)| matches!(message, Message::User(_)));
    let mut end = messages.len();
    let mut turns = Vec::new();
    while let Some((start, _)) = starts.next()
        && let Some(turn) = Turn::new(&messages[start..end])
    {
        if !turns.is_empty() && !turn.awaits_answer() || turns.len() > limits::QUESTIONS {
            break;
        }
        turns.push(turn);
        end = start;
    }
    turns.reverse();
    turns
}

/// The part of a prompt that patterns are tried on.
pub(super) fn searched(prompt: &str) -> &str {
    &prompt[..prompt.floor_char_boundary(limits::PROMPT_BYTES)]
}
