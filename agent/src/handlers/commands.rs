//! Telling the client which slash commands there are, once it knows the session.
//!
//! Must stay true: the update stands behind the answer that names the session. Before it, a client
//! has nowhere to put it.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/slash-commands#advertising-commands>

use std::{future::Future, sync::Arc};

use serde::Serialize;

use super::Reply;
use crate::{acp, agent::Agent, error::RequestError, model::Command};

/// A reply that opens a session: the answer first, then the commands.
pub(super) fn opening<A, F>(
    agent: &Arc<Agent>,
    work: impl FnOnce(&wire::Responder) -> F + Send + 'static,
) -> Reply
where
    A: Serialize + Send,
    F: Future<Output = Result<(acp::SessionId, A), RequestError>> + Send + 'static,
{
    let agent = Arc::clone(agent);
    Box::new(move |responder, room| {
        let work = work(&responder);
        let tasks = agent.tasks.clone();
        tasks.spawn(async move {
            let worked = work.await;
            drop(room);
            match worked {
                Ok((session_id, answer)) => {
                    responder.respond(&answer);
                    advertise(&agent, &session_id).await;
                }
                Err(error) => responder.error(error.into()),
            }
        });
    })
}

/// Waits for a client that is behind, but not at the end: nobody needs commands then.
async fn advertise(agent: &Agent, session_id: &acp::SessionId) {
    let commands: Vec<_> = agent.model.commands().iter().map(offered).collect();
    if commands.is_empty() {
        return;
    }
    let update = acp::AvailableCommandsUpdate::new(commands);
    let updates = agent.updates(session_id);
    tokio::select! {
        biased;
        () = agent.closing.cancelled() => {}
        // A client that is gone will not miss it.
        _ = updates.send(acp::SessionUpdate::AvailableCommandsUpdate(update)) => {}
    }
}

fn offered(command: &Command) -> acp::AvailableCommand {
    let input = command.hint.map(|hint| {
        acp::AvailableCommandInput::Unstructured(acp::UnstructuredCommandInput::new(hint))
    });
    acp::AvailableCommand::new(command.name, command.description).input(input)
}
