//! The tool calls of a turn, told to the client while it runs. Only with `--progress`: without it a
//! turn has one update, its message.
//!
//! Apart from the turn because it only watches: it reads the transcript, as every client can, and
//! whatever becomes of that, the turn and its answer are the same. The transcript has titles and no
//! outcomes, so a call is in progress until its turn ends, and then as done as the turn.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/tool-calls>

use std::{collections::BTreeMap, sync::OnceLock, time::Duration};

use agent_client_protocol_schema::v1 as acp;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::{Front, prompt::Prompt};
use crate::{
    api::{Item, Role, TranscriptQuery},
    client::{Client, ClientError},
};

/// The pause between two looks: people watch.
const LOOK_AGAIN: Duration = Duration::from_millis(250);

/// As many items as a page has.
const PAGE: u64 = 1000;

/// What was told of a turn: the titles of its calls, by their numbers in the transcript.
#[derive(Default)]
pub(super) struct Told(BTreeMap<u64, String>);

/// Tells of the tool calls until the turn is `over`.
pub(super) async fn watch(
    front: &Front,
    prompt: &Prompt,
    turn_id: &OnceLock<u64>,
    over: &CancellationToken,
) -> Told {
    let mut told = Told::default();
    if !front.settings.progress {
        return told;
    }
    loop {
        tokio::select! {
            biased;
            () = over.cancelled() => break,
            () = sleep(LOOK_AGAIN) => {}
        }
        look(front, prompt, turn_id, &mut told).await;
    }
    // What was quick is told of too.
    look(front, prompt, turn_id, &mut told).await;
    told
}

async fn look(front: &Front, prompt: &Prompt, turn_id: &OnceLock<u64>, told: &mut Told) {
    let Some(turn_id) = turn_id.get() else { return };
    let items = match items(front, prompt, *turn_id, told).await {
        Ok(items) => items,
        Err(error) => return tracing::warn!(%error, "the tool calls of a turn cannot be read"),
    };
    for item in items {
        if let Some(update) = told.note(prompt, item) {
            tell(front, prompt, update).await;
        }
    }
}

/// The tool calls of the turn, those that are known already too: their titles may have changed.
async fn items(
    front: &Front,
    prompt: &Prompt,
    turn_id: u64,
    told: &Told,
) -> Result<Vec<Item>, ClientError> {
    let mut after_seq = told.0.keys().next().map_or(0, |first| first - 1);
    let mut items = Vec::new();
    loop {
        let query = TranscriptQuery {
            after_seq,
            limit: Some(PAGE),
            role: Some(Role::Tool),
        };
        let query = &query;
        let ask = |client: Client| async move { client.transcript(&prompt.id, query).await };
        let page = front.daemon.follow(ask).await?;
        items.extend(
            page.items
                .into_iter()
                .filter(|item| item.turn_id == turn_id),
        );
        if !page.has_more {
            return Ok(items);
        }
        after_seq = page.next_after_seq;
    }
}

impl Told {
    /// What is new about a call, as an update.
    fn note(&mut self, prompt: &Prompt, item: Item) -> Option<acp::SessionUpdate> {
        let id = call_id(prompt, item.seq);
        let title = item.text.clone();
        match self.0.insert(item.seq, item.text) {
            None => {
                let call = acp::ToolCall::new(id, title).status(acp::ToolCallStatus::InProgress);
                Some(acp::SessionUpdate::ToolCall(call))
            }
            Some(before) if before != title => {
                let fields = acp::ToolCallUpdateFields::new().title(title);
                let update = acp::ToolCallUpdate::new(id, fields);
                Some(acp::SessionUpdate::ToolCallUpdate(update))
            }
            Some(_) => None,
        }
    }

    /// Tells that the calls are over, before the turn is answered.
    pub(super) async fn end(self, front: &Front, prompt: &Prompt, finished: bool) {
        let status = match finished {
            true => acp::ToolCallStatus::Completed,
            false => acp::ToolCallStatus::Failed,
        };
        for seq in self.0.into_keys() {
            let fields = acp::ToolCallUpdateFields::new().status(status);
            let update = acp::ToolCallUpdate::new(call_id(prompt, seq), fields);
            tell(front, prompt, acp::SessionUpdate::ToolCallUpdate(update)).await;
        }
    }
}

fn call_id(prompt: &Prompt, seq: u64) -> String {
    format!("{}-{seq}", prompt.id)
}

/// Sends an update.
pub(super) async fn tell(front: &Front, prompt: &Prompt, update: acp::SessionUpdate) {
    let notification = acp::SessionNotification::new(prompt.id.to_string(), update);
    let method = acp::CLIENT_METHOD_NAMES.session_update;
    if front.peer.notify(method, &notification).await.is_err() {
        tracing::info!(id = %prompt.id, "the client is gone, and so is what it should be told");
    }
}
