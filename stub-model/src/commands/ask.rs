//! `/ask`: a question for the user, with the tool for it or in plain words.
//!
//! Where the question had to be asked in words, the next prompt is the answer. That is the one
//! place where a prompt means something because of the one before it.

use serde_json::json;

use super::call::{Call, say, split};
use crate::conversation::{Conversation, Event, Message, Outcome, Part};

/// The tool.
const TOOL: &str = "ask_user";

/// What is asked when nothing is said.
const QUESTION: &str = "Which colour do you like?";

pub(super) fn ask(call: &Call<'_>) -> Vec<Event> {
    let (question, options) = question(call.argument);
    match call.results.first() {
        None if call.has(TOOL) => {
            let mut arguments = json!({ "question": question });
            if is_url(call.argument) {
                arguments["url"] = call.argument.into();
            } else if !options.is_empty() {
                arguments["options"] = options.into();
            }
            vec![Call::tool(0, TOOL, arguments)]
        }
        Some(result) if result.outcome == Outcome::Completed && !in_words(&result.text) => {
            say(&result.text)
        }
        Some(result) if result.outcome == Outcome::Refused => {
            say(&format!("There is no answer: {}.", result.text))
        }
        _ if options.is_empty() => say(question),
        _ => say(&format!("{question} ({})", options.join(", "))),
    }
}

/// The reply to the answer of a question that was asked in words.
pub(super) fn answered(conversation: &Conversation<'_>) -> Option<Vec<Event>> {
    let mut said = conversation.messages.iter().rev();
    let Some(Message::User(parts)) = said.next() else {
        return None;
    };
    let Some(Message::Assistant(question)) = said.next() else {
        return None;
    };
    let asked = said.find(|message| matches!(message, Message::User(_)))?;
    let is_question = question.contains('?') && !question.starts_with(ANSWERED);
    if !is_question || !matches!(split(asked), Some(("ask", _))) {
        return None;
    }
    let answer: Vec<_> = parts
        .iter()
        .filter_map(|part| match part {
            Part::Text(text) => Some(text.trim()),
            _ => None,
        })
        .collect();
    let answer = answer.join(" ");
    (!answer.is_empty() && !answer.starts_with('/')).then(|| say(&format!("{ANSWERED} {answer}")))
}

/// How a reply to an answer begins; it is the tool's word too.
pub(crate) const ANSWERED: &str = "The user answered:";

/// Whether the tool asks the model to ask in its reply.
pub(crate) fn in_words(result: &str) -> bool {
    !result.starts_with(ANSWERED) && !result.starts_with("The user agreed")
}

/// The question and the answers to choose from.
fn question(argument: &str) -> (&str, Vec<&str>) {
    if argument.is_empty() {
        return (QUESTION, vec!["red", "green", "blue"]);
    }
    if is_url(argument) {
        return ("May this page be opened?", Vec::new());
    }
    match argument.split_once('?') {
        Some((_, options)) => {
            let question = &argument[..argument.len() - options.len()];
            let options = options.split('|').map(str::trim);
            (
                question,
                options.filter(|option| !option.is_empty()).collect(),
            )
        }
        None => (argument, Vec::new()),
    }
}

fn is_url(argument: &str) -> bool {
    argument.starts_with("https://") || argument.starts_with("http://")
}
