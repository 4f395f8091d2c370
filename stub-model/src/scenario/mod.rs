//! Scenario files: rules from a prompt pattern to a list of steps, for whoever needs an agent to do
//! just this.
//!
//! ```text
//! file        the form, as it is written (YAML); short: values that may be written in short
//! check       what is wrong with it, and where       -> rule
//! template    texts with names in them: {{name}}
//! known       what the names mean: groups of the pattern, results, answers
//! turn        where in the conversation a rule began
//! follow      from the steps to the next reply
//! ```
//!
//! Must stay true: the reply is a function of the file and the conversation, as everything in this
//! crate is; and a fault of the file is found when it is read, with its place.
//!
//! The format for people: `docs/scenarios.md`.

mod check;
mod error;
mod file;
mod follow;
mod known;
mod limits;
mod rule;
mod short;
mod template;
mod turn;

use std::{fs::File, io::Read, path::Path, sync::Arc};

pub use error::ScenarioError;

use crate::{
    commands,
    conversation::{Conversation, Event},
    events::Events,
};
use error::Fault;
use rule::Rule;

/// A scenario that was read and found sound. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Scenario {
    rules: Arc<[Rule]>,
}

impl Scenario {
    /// Reads a file.
    ///
    /// # Errors
    /// It cannot be read, is too large, or something in it is wrong.
    pub fn load(path: &Path) -> Result<Self, ScenarioError> {
        let file = path.display().to_string();
        let unreadable = |error| ScenarioError::Unreadable {
            file: file.clone(),
            error,
        };
        let most = limits::FILE_BYTES as u64;
        let mut text = String::new();
        let opened = File::open(path).map_err(unreadable)?;
        // One byte more than there may be, to see that there is too much.
        let read = opened.take(most + 1).read_to_string(&mut text);
        read.map_err(unreadable)?;
        Self::parse(&text, &file)
    }

    /// Reads the text of a file; `name` is what errors call it.
    ///
    /// # Errors
    /// It is too large, or something in it is wrong.
    pub fn parse(text: &str, name: &str) -> Result<Self, ScenarioError> {
        if text.len() > limits::FILE_BYTES {
            return Err(ScenarioError::TooLarge {
                file: name.to_owned(),
                most: limits::FILE_BYTES,
            });
        }
        let rules = read(text).map_err(|fault| fault.in_file(name, text))?;
        Ok(Self {
            rules: rules.into(),
        })
    }

    /// What the model does next, as [`stream`](crate::stream) says, by the first rule whose pattern
    /// is found in the prompt; without one, and for slash commands, what the plain model does.
    #[must_use]
    pub fn stream(&self, conversation: &Conversation<'_>) -> Events {
        match self.follow(conversation) {
            Some(events) => events.into(),
            None => crate::stream(conversation),
        }
    }

    /// The same, by a rule or not at all.
    #[must_use]
    pub fn follow(&self, conversation: &Conversation<'_>) -> Option<Vec<Event>> {
        if commands::follows(conversation) {
            return None;
        }
        let turns = turn::last(conversation.messages);
        let prompt = turn::searched(turns.first()?.text());
        let rule = self
            .rules
            .iter()
            .find(|rule| rule.pattern.is_match(prompt))?;
        follow::follow(rule, conversation, &turns)
    }
}

fn read(text: &str) -> Result<Vec<Rule>, Fault> {
    // Nobody writes these by hand, and each can make a small file large.
    let budget = serde_saphyr::budget! {
        max_depth: 64,
        max_aliases: 1_000,
        max_anchors: 1_000,
    };
    let options = serde_saphyr::options! { budget: budget };
    let file = serde_saphyr::from_str_with_options(text, options)?;
    check::rules(file)
}

#[cfg(test)]
mod scenario_tests;
