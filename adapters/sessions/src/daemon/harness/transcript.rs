//! The transcript of a turn while it is being said.
//!
//! Parts of a message grow one item, which is written now and then, not for each part; whatever
//! comes between begins a new one.
//!
//! Must stay true: whatever a harness says, memory is bounded: a long message becomes several items,
//! and what answers the prompt is cut.

use std::collections::HashMap;

use tokio::time::Instant;

use super::updates::Said;
use crate::{
    api::{Role, SessionId},
    limits,
    store::{ItemWrite, NewItem, Store, StoreError},
};

/// How long an item gets before a new one begins. It is written as a whole each time.
const LONGEST_ITEM: usize = 32 * 1024;

/// How much of the last message answers the prompt. It travels in one answer.
const LONGEST_ANSWER: usize = 1024 * 1024;

/// How many tool calls of a turn can be given another title.
const MOST_CALLS: usize = 1_024;

/// What a turn has said.
pub(super) struct Transcript {
    store: Store,
    session: SessionId,
    turn: u64,
    /// The item that grows.
    open: Option<Open>,
    /// When it is written.
    due: Option<Instant>,
    calls: HashMap<String, u64>,
    plan: Option<u64>,
    answer: String,
}

struct Open {
    role: Role,
    text: String,
    message: Option<String>,
    /// Its number, once it was written.
    seq: Option<u64>,
    is_dirty: bool,
}

impl Open {
    fn write(&self, turn: u64) -> ItemWrite {
        let text = self.text.clone();
        match self.seq {
            Some(seq) => ItemWrite::Replace { seq, text },
            None => {
                let role = self.role;
                ItemWrite::Append(NewItem { turn, role, text })
            }
        }
    }
}

impl Transcript {
    pub(super) fn new(store: &Store, session: &SessionId, turn: u64) -> Self {
        Self {
            store: store.clone(),
            session: session.clone(),
            turn,
            open: None,
            due: None,
            calls: HashMap::new(),
            plan: None,
            answer: String::new(),
        }
    }

    /// Takes in something that was said.
    pub(super) async fn push(&mut self, said: Said) -> Result<(), StoreError> {
        match said {
            Said::Part {
                role,
                text,
                message,
            } => self.part(role, text, message).await,
            Said::Tool { call, title } => {
                let seq = self.calls.get(&call).copied();
                let seq = self.whole(Role::Tool, title, seq).await?;
                if self.calls.len() < MOST_CALLS {
                    self.calls.insert(call, seq);
                }
                Ok(())
            }
            Said::Plan(text) => {
                let seq = self.plan;
                self.plan = Some(self.whole(Role::Plan, text, seq).await?);
                Ok(())
            }
        }
    }

    async fn part(
        &mut self,
        role: Role,
        text: String,
        message: Option<String>,
    ) -> Result<(), StoreError> {
        let continues = self.open.as_ref().is_some_and(|open| {
            let same_message = message.is_none() || message == open.message;
            open.role == role && same_message
        });
        if role == Role::Agent {
            if !continues {
                self.answer.clear();
            }
            let room = LONGEST_ANSWER.saturating_sub(self.answer.len());
            self.answer.push_str(beginning(&text, room));
        }
        let is_full = self
            .open
            .as_ref()
            .is_some_and(|open| open.text.len() >= LONGEST_ITEM);
        if !continues || is_full {
            self.flush().await?;
            self.open = None;
        }
        match &mut self.open {
            Some(open) => {
                open.text.push_str(&text);
                open.is_dirty = true;
            }
            None => {
                self.open = Some(Open {
                    role,
                    text,
                    message,
                    seq: None,
                    is_dirty: true,
                });
            }
        }
        self.due
            .get_or_insert_with(|| Instant::now() + limits::item_flush());
        Ok(())
    }

    /// Writes an item that comes as a whole.
    async fn whole(
        &mut self,
        role: Role,
        text: String,
        seq: Option<u64>,
    ) -> Result<u64, StoreError> {
        // One that is only renamed does not come between the parts of a message.
        if seq.is_none() {
            self.flush().await?;
            self.open = None;
        }
        let text = beginning(&text, LONGEST_ITEM).to_owned();
        let write = match seq {
            Some(seq) => ItemWrite::Replace { seq, text },
            None => ItemWrite::Append(NewItem {
                turn: self.turn,
                role,
                text,
            }),
        };
        self.store.write_item(self.session.clone(), write).await
    }

    /// Waits until something should be written; for ever if there is nothing.
    pub(super) async fn due(&self) {
        match self.due {
            Some(due) => tokio::time::sleep_until(due).await,
            None => std::future::pending().await,
        }
    }

    /// Writes what has grown.
    pub(super) async fn flush(&mut self) -> Result<(), StoreError> {
        self.due = None;
        let Some(open) = self.open.as_mut().filter(|open| open.is_dirty) else {
            return Ok(());
        };
        open.is_dirty = false;
        let write = open.write(self.turn);
        let seq = self.store.write_item(self.session.clone(), write).await?;
        open.seq = Some(seq);
        Ok(())
    }

    /// What is still to be written, and the agent's last message if it is not blank.
    pub(super) fn end(self) -> (Vec<ItemWrite>, Option<String>) {
        let open = self.open.filter(|open| open.is_dirty);
        let last = open.map(|open| open.write(self.turn));
        let answer = Some(self.answer).filter(|answer| !answer.trim().is_empty());
        (last.into_iter().collect(), answer)
    }
}

/// As much of a text as fits, cut between characters.
fn beginning(text: &str, room: usize) -> &str {
    &text[..text.floor_char_boundary(room)]
}
