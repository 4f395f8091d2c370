//! Where a turn stands: which steps have their results, and which comes next.
//!
//! Apart from the answer, because it is computed anew from the conversation each time: the model
//! keeps nothing between two steps.
//!
//! Must stay true: a step that was refused or failed is never tried again, and what depends on it
//! is not done either.

use crate::calls::{Call, Known, call_for};
use crate::conversation::{Conversation, Message, Outcome, ToolCall, ToolResult};
use crate::instruction::{Action, Content};
use crate::result;

/// How a step ended.
#[derive(Debug, Clone)]
pub(crate) enum Step<'a> {
    /// Its tool was called, with this result.
    Ran(&'a ToolResult),
    /// It was not tried, for a reason.
    Left(String),
}

/// Where the turn stands.
#[derive(Debug)]
pub(crate) enum Progress<'a> {
    /// This is to be called next; so many steps are done.
    Next(ToolCall, usize),
    /// Every step has ended.
    Over(Vec<Step<'a>>, Known),
}

/// Finds out where the turn stands.
pub(crate) fn progress<'a>(conversation: &Conversation<'a>, actions: &[Action]) -> Progress<'a> {
    let turn = current_turn(conversation.messages);
    let mut calls = turn.iter().filter_map(|message| match message {
        Message::ToolCall(call) => Some(result_of(turn, &call.id)),
        _ => None,
    });
    let mut known = Known {
        plan_id: earlier_plan(conversation.messages),
        output: None,
    };
    let mut steps: Vec<Step<'a>> = Vec::with_capacity(actions.len());
    for (place, action) in actions.iter().enumerate() {
        if let Some(reason) = blocked(action, actions, &steps) {
            steps.push(Step::Left(reason));
            continue;
        }
        let step = match call_for(action, conversation, &known) {
            Err(reason) => Step::Left(reason),
            Ok(call) => match calls.next() {
                None => return Progress::Next(new_call(conversation, call), place),
                Some(None) => Step::Left("A tool call was left without a result.".to_owned()),
                Some(Some(result)) => Step::Ran(result),
            },
        };
        learn(action, &step, &mut known);
        let cancelled = matches!(step, Step::Ran(result) if result.outcome == Outcome::Cancelled);
        steps.push(step);
        if cancelled {
            let rest = actions.len() - steps.len();
            steps.extend(
                (0..rest).map(|_| {
                    Step::Left("It was not begun, since the turn was cancelled.".to_owned())
                }),
            );
            break;
        }
    }
    Progress::Over(steps, known)
}

/// The messages since the user spoke last.
pub(crate) fn current_turn(messages: &[Message]) -> &[Message] {
    let start = messages
        .iter()
        .rposition(|message| matches!(message, Message::User(_)));
    start
        .and_then(|start| messages.get(start + 1..))
        .unwrap_or(&[])
}

fn result_of<'a>(turn: &'a [Message], id: &str) -> Option<&'a ToolResult> {
    turn.iter().find_map(|message| match message {
        Message::ToolResult(result) if result.id == id => Some(result),
        _ => None,
    })
}

/// An id that no other call of the session has.
fn new_call(conversation: &Conversation<'_>, (name, arguments): Call) -> ToolCall {
    let before = conversation
        .messages
        .iter()
        .filter(|message| matches!(message, Message::ToolCall(_)))
        .count();
    ToolCall {
        id: format!("call-{}", before + 1),
        name,
        arguments: serde_json::Value::Object(arguments),
    }
}

fn learn(action: &Action, step: &Step<'_>, known: &mut Known) {
    let Step::Ran(result) = step else { return };
    if !result::worked(result) {
        return;
    }
    match action {
        Action::Shell { .. }
        | Action::Read { .. }
        | Action::List { .. }
        | Action::Search { .. }
        | Action::Call { .. } => {
            known.output = Some(result::output(result));
        }
        Action::CreatePlan { .. } => known.plan_id = result::id(result).or(known.plan_id.take()),
        _ => {}
    }
}

/// Why an action cannot be done after what went wrong before it.
fn blocked(action: &Action, actions: &[Action], steps: &[Step<'_>]) -> Option<String> {
    let failed = |wanted: fn(&Action) -> bool| {
        let place = actions.iter().take(steps.len()).rposition(wanted)?;
        match steps.get(place) {
            Some(Step::Ran(result)) if result::worked(result) => None,
            _ => Some(()),
        }
    };
    let reads = |action: &Action| {
        matches!(
            action,
            Action::Read { .. } | Action::Shell { .. } | Action::Call { .. }
        )
    };
    let creates = |action: &Action| matches!(action, Action::CreatePlan { .. });
    match action {
        Action::CreatePlan {
            description: Content::Output,
            ..
        } if failed(reads).is_some() => {
            Some("I saved no plan, since there is no output to put into it.".to_owned())
        }
        Action::Write {
            content: Content::Output,
            path,
            ..
        } if failed(reads).is_some() => Some(format!(
            "I wrote nothing to {path}, since there is no output to write."
        )),
        Action::GetPlan { id: None } if failed(creates).is_some() => {
            Some("I read no plan back, since none was saved.".to_owned())
        }
        _ => None,
    }
}

/// The id of the plan that an earlier turn saved last.
fn earlier_plan(messages: &[Message]) -> Option<String> {
    let turn = messages.len() - current_turn(messages).len();
    let mut calls = std::collections::HashMap::new();
    let mut found = None;
    for message in messages.iter().take(turn) {
        match message {
            Message::ToolCall(call)
                if crate::arguments::bare_name(&call.name).ends_with("createplan") =>
            {
                calls.insert(call.id.as_str(), ());
            }
            Message::ToolResult(result)
                if calls.contains_key(result.id.as_str()) && result::worked(result) =>
            {
                found = result::id(result).or(found);
            }
            _ => {}
        }
    }
    found
}
