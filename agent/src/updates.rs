//! The one way to tell the client what happens in a session.
//!
//! It stands apart so that the order is right by construction: a turn sends its updates one after
//! the other and waits for each to be accepted, so a client that reads slowly slows the turn down
//! instead of filling memory, and the answer that follows cannot overtake them.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/prompt-turn#3-agent-reports-output>

use serde::Serialize;
use wire::{Closed, Peer};

use crate::acp;

/// Sends `session/update` notifications of one session.
#[derive(Clone)]
pub struct Updates {
    peer: Peer,
    session_id: acp::SessionId,
    plain: bool,
}

impl Updates {
    /// Updates of this session, to this client. `plain` leaves out the kinds of updates that came
    /// late to version 1: clients that were built before fail on a kind that they do not know.
    #[must_use]
    pub fn new(peer: Peer, session_id: acp::SessionId, plain: bool) -> Self {
        Self {
            peer,
            session_id,
            plain,
        }
    }

    /// Sends one update; waits while the client is behind.
    ///
    /// # Errors
    /// The client is gone.
    pub async fn send(&self, update: acp::SessionUpdate) -> Result<(), Closed> {
        if self.plain && is_late(&update) {
            return Ok(());
        }
        let notification = Notification {
            session_id: &self.session_id,
            update: &update,
        };
        let method = acp::CLIENT_METHOD_NAMES.session_update;
        self.peer.notify(method, &notification).await
    }

    /// The connection, for requests to the client.
    #[must_use]
    pub fn peer(&self) -> &Peer {
        &self.peer
    }

    /// The session whose updates these are.
    #[must_use]
    pub fn session_id(&self) -> &acp::SessionId {
        &self.session_id
    }
}

/// [`acp::SessionNotification`], borrowed: a stream of small chunks builds one of them for each.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Notification<'a> {
    session_id: &'a acp::SessionId,
    update: &'a acp::SessionUpdate,
}

/// Whether the kind is unknown to clients that were built before it was part of version 1. Of the
/// kinds that this agent sends it is the only one: the rest are in the schema since its release
/// 0.11.
const fn is_late(update: &acp::SessionUpdate) -> bool {
    matches!(update, acp::SessionUpdate::UsageUpdate(_))
}

/// A chunk of text that belongs to the message with this id.
#[must_use]
pub fn text_chunk(message_id: &str, text: impl Into<String>) -> acp::ContentChunk {
    let content = acp::ContentBlock::Text(acp::TextContent::new(text));
    acp::ContentChunk::new(content).message_id(acp::MessageId::new(message_id))
}
