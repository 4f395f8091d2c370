//! What a client knows of the sessions on a disk, from one life of an agent to the next.
//!
//! It is separate from the life, because it outlives it: what was answered in one life must be
//! there in all later ones.

use std::{collections::BTreeMap, path::PathBuf};

use crate::{
    client::{Client, text, text_of},
    finding::{Found, must},
};

/// All sessions that one state folder should hold.
#[derive(Debug, Default)]
pub struct World {
    /// Where the sessions work.
    pub cwd: PathBuf,
    /// What every process below the agent carries.
    pub mark: String,
    /// The sessions, by id.
    pub sessions: BTreeMap<String, Known>,
    /// How many prompts were ever sent.
    pub prompts: u64,
    /// And how many of them were answered with the end of their turn.
    pub answered: u64,
}

/// What is known of one session.
#[derive(Debug, Default, Clone)]
pub struct Known {
    /// Its prompts, in their order.
    pub sent: Vec<Sent>,
    /// A delete was sent: it may be gone, and need not.
    pub deleting: bool,
}

/// A prompt that was sent.
#[derive(Debug, Clone)]
pub struct Sent {
    /// The words.
    pub prompt: String,
    /// What the answer must be, where that is known.
    pub answer: Option<String>,
    /// It was answered, so it must be there for ever.
    pub answered: bool,
}

impl World {
    /// Loads a session and holds it against what is known of it. Says whether it is open now.
    ///
    /// # Errors
    /// It cannot be loaded, has lost something, or has something that nobody said.
    pub fn look_at(&self, client: &mut Client, id: &str) -> Found<bool> {
        let Some(known) = self.sessions.get(id) else {
            return Ok(false);
        };
        client.seen();
        let answer = client.load(id, &self.cwd)?;
        if answer["error"]["code"] == -32002 && known.deleting {
            return Ok(false);
        }
        must(answer.get("result").is_some(), || {
            format!("{id} cannot be loaded: {answer}")
        })?;
        let updates = client.updates();
        let mut prompts = text_of("user_message_chunk", &updates);
        let said = text(&updates);
        for sent in &known.sent {
            // In their order; only what was never answered may be missing.
            match prompts.split_once(&sent.prompt) {
                Some((before, behind)) => {
                    must(before.is_empty(), || nobody_said(id, before))?;
                    prompts = behind.to_owned();
                }
                None => must(!sent.answered, || format!("{id} has lost {sent:?}"))?,
            }
            if let (true, Some(answer)) = (sent.answered, &sent.answer) {
                must(said.matches(answer.as_str()).count() == 1, || {
                    format!("{id} has lost an answer: {sent:?}; it has {said:?}")
                })?;
            }
        }
        must(prompts.is_empty(), || nobody_said(id, &prompts))?;
        Ok(true)
    }
}

fn nobody_said(id: &str, words: &str) -> String {
    format!("{id} has {words:?}, which nobody said")
}
