//! What the model says to a request, in events that both wires have a shape for.
//!
//! A plan has none, so it becomes a call of `update_plan`, where that is offered. After such a call
//! the model is asked again like after each call, and goes on behind the plan that it has told. It
//! does not see these calls itself: what it says depends on the conversation without them.

use serde_json::json;

use super::asked::Asked;
use crate::{
    conversation::{Event, Message, Part, PlanEntry, ToolCall},
    scenario::Scenario,
};

/// The tool that shows a plan.
const TOOL: &str = "update_plan";

/// How the ids of its calls begin, by which they are known again.
const ID: &str = "plan-";

/// The events of a reply. It has no plans and nothing to show in it, and ends behind a plan's call.
pub(super) fn spoken(
    asked: &Asked,
    scenario: Option<&Scenario>,
) -> impl Iterator<Item = Event> + use<> {
    let messages = without_plans(asked.messages());
    let mut plans = asked.messages().iter().filter(|m| is_plan(m)).count();
    let mut told = told(asked.messages());
    let tool = asked.has(TOOL);
    let mut over = false;
    let conversation = asked.conversation(&messages);
    let events = match scenario {
        Some(scenario) => scenario.stream(&conversation),
        None => crate::stream(&conversation),
    };
    events.filter_map(move |event| match event {
        _ if over => None,
        Event::Plan(_) if tool && told > 0 => {
            told -= 1;
            None
        }
        // All of it was said before the plan that was told.
        _ if tool && told > 0 => None,
        Event::Plan(entries) if tool => {
            over = true;
            plans += 1;
            Some(call(plans, &entries))
        }
        Event::Plan(_) => None,
        Event::Show(part) => Some(Event::Text(shown(&part))),
        event => Some(event),
    })
}

fn call(number: usize, entries: &[PlanEntry]) -> Event {
    Event::ToolCall(ToolCall {
        id: format!("{ID}{number}"),
        name: TOOL.to_owned(),
        arguments: json!({ "entries": entries }),
    })
}

fn is_plan(message: &Message) -> bool {
    matches!(message, Message::ToolCall(call) if call.name == TOOL && call.id.starts_with(ID))
}

/// How many plans were told since anything else happened: since the user spoke, or a call ended.
fn told(messages: &[Message]) -> usize {
    let since = messages.iter().rposition(|message| match message {
        Message::User(_) => true,
        Message::ToolCall(_) => !is_plan(message),
        _ => false,
    });
    let tail = &messages[since.map_or(0, |at| at + 1)..];
    tail.iter().filter(|message| is_plan(message)).count()
}

fn without_plans(messages: &[Message]) -> Vec<Message> {
    let kept = |message: &&Message| match message {
        Message::ToolResult(result) => !result.id.starts_with(ID),
        message => !is_plan(message),
    };
    messages.iter().filter(kept).cloned().collect()
}

fn shown(part: &Part) -> String {
    match part {
        Part::Text(text) => text.clone(),
        Part::Image { mime_type, .. } => format!("[an image of the type {mime_type}]\n"),
        Part::Resource { uri, text } => format!("[the resource {uri}]\n{text}\n"),
        Part::ResourceLink { name, uri, .. } => format!("[{name}]({uri})\n"),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::conversation::ToolSpec;

    fn asked() -> Asked {
        let mut asked = Asked::default();
        asked.tool(ToolSpec {
            name: TOOL.into(),
            description: String::new(),
            input_schema: Arc::new(json!({})),
        });
        asked.user([Part::Text("/plan".into())]);
        asked
    }

    /// Asks until there is no call, and returns the plans and the words.
    fn run(mut asked: Asked) -> (usize, String) {
        let (mut plans, mut words) = (0, String::new());
        loop {
            let mut called = false;
            let events: Vec<Event> = spoken(&asked, None).collect();
            for event in events {
                match event {
                    Event::Text(text) => words.push_str(&text),
                    Event::ToolCall(call) => {
                        plans += 1;
                        called = true;
                        let id = call.id.clone();
                        asked.called(call);
                        asked.ended(id, "shown".into());
                    }
                    Event::Plan(_) => panic!("a plan"),
                    _ => {}
                }
            }
            if !called {
                return (plans, words);
            }
        }
    }

    #[test]
    fn plans_are_calls_and_nothing_is_said_twice() {
        let asked = asked();
        let direct = crate::reply(&asked.conversation(asked.messages()));
        let plans = direct.iter().filter(|e| matches!(e, Event::Plan(_)));
        let words: String = direct
            .iter()
            .filter_map(|event| match event {
                Event::Text(text) => Some(text.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(run(asked), (plans.count(), words));
    }

    #[test]
    fn without_the_tool_there_are_no_plans() {
        let mut asked = Asked::default();
        asked.user([Part::Text("/plan".into())]);
        let (plans, words) = run(asked);
        assert_eq!(plans, 0);
        assert!(!words.is_empty());
    }
}
