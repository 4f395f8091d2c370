//! Puts the actions in an order that can work.
//!
//! Apart from the rules, because people tell things in the order of their importance: what is
//! used must be there first, whatever was said first.

use super::Reader;
use super::context::is_read;
use crate::instruction::{Action, Content, Via};

/// Moves what is read in front of what uses it, and plans in front of what reads them back.
pub(super) fn finish(reader: &mut Reader<'_>) {
    let actions = &mut reader.request.actions;
    for action in actions.iter_mut() {
        match action {
            Action::Read { via, .. } if reader.by_cat => *via = Via::Shell,
            Action::Write { via, .. } if reader.by_shell => *via = Via::Shell,
            _ => {}
        }
    }
    let needs_output = |action: &Action| {
        matches!(
            action,
            Action::CreatePlan {
                description: Content::Output,
                ..
            } | Action::Write {
                content: Content::Output,
                ..
            }
        )
    };
    if let Some(user) = actions.iter().position(needs_output)
        && !actions.iter().take(user).any(is_read)
        && let Some(source) = actions.iter().position(is_read)
    {
        let read = actions.remove(source);
        actions.insert(user, read);
    }
    let get = actions
        .iter()
        .position(|action| matches!(action, Action::GetPlan { id: None }));
    let create = actions
        .iter()
        .position(|action| matches!(action, Action::CreatePlan { .. }));
    if let (Some(get), Some(create)) = (get, create)
        && get < create
    {
        let action = actions.remove(get);
        actions.insert(create, action);
    }
}
