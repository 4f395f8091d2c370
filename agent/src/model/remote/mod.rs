//! Models of other makers, over HTTP.
//!
//! Two wires behind one seam. What they share is written once, and what is theirs stands in a
//! folder of its own:
//!
//! ```text
//! transcript    the conversation as both wires want it (markup, instructions: its words)
//! openai/       that as a request, and the reply as events
//! anthropic/    the same
//! endpoint      one request over HTTP: deadlines, headers, errors
//! reply         asked, read, asked again (retry: when); what the agent gets
//! ```
//!
//! No client crate: those there are hold a reply's whole text, follow their own rules for retries,
//! and know one maker each. The wires are small; the bounds and the ends are the work.
//!
//! Must stay true: every wait has a deadline and every buffer a bound (see `limits`); the key is
//! shown to nobody (see `key`); a reply that was cut off is an error, never an end.

mod anthropic;
mod ending;
mod endpoint;
mod failure;
mod instructions;
mod key;
mod limits;
mod markup;
mod openai;
mod reader;
#[cfg(test)]
mod reader_tests;
mod reply;
mod retry;
mod transcript;
#[cfg(test)]
mod transcript_tests;
mod words;

use futures::{
    StreamExt,
    stream::{self, BoxStream},
};
use reqwest::Url;

use self::{endpoint::Endpoint, reply::Reply};
use super::{Conversation, Event, Model};

pub use self::{key::Key, limits::Patience};

/// The language that a model server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    /// OpenAI's chat completions.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
}

/// Which model, where, and how.
#[derive(Debug, Clone)]
pub struct Settings {
    /// What its server speaks.
    pub wire: Wire,
    /// The name that the server knows it by.
    pub name: String,
    /// The base of the server's addresses; http or https.
    pub url: Url,
    /// The key, where the server wants one.
    pub key: Option<Key>,
    /// The size of its context in tokens, to tell the user how full it is; nothing is told without.
    pub context: Option<u64>,
    /// The most tokens of one reply; without, the server's own bound, or ours where it has none.
    pub max_tokens: Option<u32>,
    /// How long to wait for it.
    pub patience: Patience,
}

/// A model of a server.
#[derive(Debug)]
pub struct Remote {
    settings: Settings,
    endpoint: Endpoint,
}

impl Remote {
    /// The model of these settings. Nothing is sent before it is asked.
    ///
    /// # Errors
    /// The certificates of the system cannot be read; in words.
    pub fn new(settings: Settings) -> Result<Self, String> {
        let endpoint = Endpoint::new(&settings)?;
        Ok(Self { settings, endpoint })
    }
}

impl Model for Remote {
    fn next<'a>(&'a self, conversation: Conversation<'a>) -> BoxStream<'a, Event> {
        let Settings {
            wire,
            name,
            max_tokens,
            context,
            ..
        } = &self.settings;
        let request = match wire {
            Wire::OpenAi => openai::request(name, *max_tokens, *context, &conversation),
            Wire::Anthropic => anthropic::request(name, *max_tokens, &conversation),
        };
        let reply = Reply::new(self, request);
        stream::unfold(reply, |mut reply| async move {
            reply.next().await.map(|event| (event, reply))
        })
        .boxed()
    }
}
