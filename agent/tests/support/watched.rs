//! A model that keeps what it was given, so that a test can look at the conversation.

use std::sync::{Arc, Mutex};

use acp_agent::model::{Command, Conversation, Event, Message, Model};
use futures::stream::BoxStream;

/// The conversations that a model was given, one for each time it was asked.
#[derive(Clone, Default)]
pub struct Heard(Arc<Mutex<Vec<Vec<Message>>>>);

impl Heard {
    /// The latest conversation.
    pub fn last(&self) -> Vec<Message> {
        self.0.lock().unwrap().last().unwrap().clone()
    }

    /// All conversations.
    pub fn all(&self) -> Vec<Vec<Message>> {
        self.0.lock().unwrap().clone()
    }
}

/// Another model, overheard.
pub struct Watched<M> {
    model: M,
    heard: Heard,
}

impl<M: Model> Watched<M> {
    pub fn new(model: M) -> (Self, Heard) {
        let heard = Heard::default();
        let watched = Self {
            model,
            heard: heard.clone(),
        };
        (watched, heard)
    }
}

impl<M: Model> Model for Watched<M> {
    fn next<'a>(&'a self, conversation: Conversation<'a>) -> BoxStream<'a, Event> {
        let messages = conversation.messages.to_vec();
        self.heard.0.lock().unwrap().push(messages);
        self.model.next(conversation)
    }

    fn commands(&self) -> &'static [Command] {
        self.model.commands()
    }
}
