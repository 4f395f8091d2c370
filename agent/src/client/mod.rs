//! What the client can do for the agent's tools: its files, its terminals, its questions.
//!
//! An editor knows more of a file than the disk does, and shows a command better than a tool call
//! can. So the tools go through the client where it offers to, and do the work themselves where it
//! does not.
//!
//! Must stay true:
//!
//! - Nothing is asked of a client that it did not offer in `initialize`.
//! - Going through the client widens nothing: the same roots, the same permission.
//! - A cancel ends every wait here soon, whatever the client does.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/initialization#client-capabilities>

mod files;
mod question;
mod terminal;

use std::sync::Arc;

use serde::{Serialize, de::DeserializeOwned};
use thiserror::Error;
use tokio_util::sync::CancellationToken;
use wire::RequestError as WireError;

pub use question::{Answer, Question};
pub use terminal::{CommandLine, Ended, TerminalOutput};

use crate::{acp, updates::Updates};

/// The client, as the tools of one session see it.
#[derive(Clone)]
pub struct Client {
    updates: Updates,
    offers: Arc<acp::ClientCapabilities>,
    call: Option<acp::ToolCallId>,
}

/// Why the client did not do it.
#[derive(Debug, Error)]
pub enum ClientError {
    /// The turn was stopped meanwhile.
    #[error("cancelled")]
    Cancelled,
    /// The client is gone.
    #[error("the client is gone")]
    Gone,
    /// The client answered with an error, or with something that is no answer.
    #[error("the client: {0}")]
    Answer(String),
}

impl Client {
    /// The client of this session, which offers this.
    #[must_use]
    pub fn new(updates: Updates, offers: Arc<acp::ClientCapabilities>) -> Self {
        Self {
            updates,
            offers,
            call: None,
        }
    }

    /// The same, for one tool call.
    #[must_use]
    pub fn for_call(mut self, call: acp::ToolCallId) -> Self {
        self.call = Some(call);
        self
    }

    /// Whether it reads files.
    #[must_use]
    pub fn reads_files(&self) -> bool {
        self.offers.fs.read_text_file
    }

    /// Whether it writes files.
    #[must_use]
    pub fn writes_files(&self) -> bool {
        self.offers.fs.write_text_file
    }

    /// Whether it runs commands.
    #[must_use]
    pub fn has_terminals(&self) -> bool {
        self.offers.terminal
    }

    /// Whether it shows forms.
    #[must_use]
    pub fn shows_forms(&self) -> bool {
        let offered = self.offers.elicitation.as_ref();
        offered.is_some_and(|offered| offered.form.is_some())
    }

    /// Whether it opens URLs for the user.
    #[must_use]
    pub fn opens_urls(&self) -> bool {
        let offered = self.offers.elicitation.as_ref();
        offered.is_some_and(|offered| offered.url.is_some())
    }

    fn session_id(&self) -> acp::SessionId {
        self.updates.session_id().clone()
    }

    /// Asks, and waits for the answer or the stop. A question that nobody waits for is taken back.
    async fn request<R: DeserializeOwned>(
        &self,
        method: &str,
        params: &(impl Serialize + Sync),
        stop: &CancellationToken,
    ) -> Result<R, ClientError> {
        let asking = async {
            let answer = self.updates.peer().request(method, params).await;
            // A cancel that was written before the answer is heard before it.
            self.updates.peer().caught_up().await;
            answer
        };
        let answer = tokio::select! {
            biased;
            () = stop.cancelled() => return Err(ClientError::Cancelled),
            answer = asking => answer,
        };
        answer.map_err(ClientError::from)
    }
}

impl From<WireError> for ClientError {
    fn from(error: WireError) -> Self {
        match error {
            WireError::Closed => Self::Gone,
            WireError::Answer(error) => Self::Answer(error.message),
            other => Self::Answer(other.to_string()),
        }
    }
}
