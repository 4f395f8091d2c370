//! Waiting for the session's tool servers, and telling of those that could not be started.
//!
//! A server that fails does not fail the session: the user sees a failed tool call that names it,
//! the cause and the end of its stderr, and the model is told the same, once for each session. So
//! it is with tools that had to be left out.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-setup#mcp-servers>

use super::{Halt, ToolSet, Turn};
use crate::{
    acp,
    model::{Outcome, ToolCall},
    store::Item,
    tools::ToolOutcome,
};

impl Turn {
    /// The tools of this turn. Waits for servers that are still starting, which has a deadline of
    /// its own.
    pub(super) async fn tool_set(&mut self) -> Result<ToolSet, Halt> {
        let servers = tokio::select! {
            biased;
            () = self.stop.turn.cancelled() => return Err(Halt::Cancelled),
            servers = self.session.servers.ready() => servers,
        };
        if let Some(servers) = &servers
            && !std::mem::replace(&mut self.memory.servers_reported, true)
        {
            for failure in servers.failures() {
                let title = format!("Start the tool server {}", failure.server);
                self.report(title, "start_tool_server", failure.to_string())
                    .await?;
            }
            for note in servers.notes() {
                let title = "List the tools of the tool servers".to_owned();
                self.report(title, "list_tools", note).await?;
            }
        }
        Ok(ToolSet::new(&self.agent.tools, servers))
    }

    /// Shown and kept as what it is: an attempt that failed, made by the agent itself.
    async fn report(&mut self, title: String, name: &str, text: String) -> Result<(), Halt> {
        let id = self.memory.ids.next("call");
        let request = ToolCall {
            id: id.clone(),
            name: name.to_owned(),
            arguments: serde_json::json!({}),
        };
        let call = acp::ToolCall::new(id, title)
            .kind(acp::ToolKind::Other)
            .status(acp::ToolCallStatus::Failed)
            .content(ToolOutcome::failed(text.clone()).content);
        self.keep(Item::ToolCall {
            call: call.clone(),
            request,
            outcome: Outcome::Failed,
            text,
            structured: None,
        });
        Ok(self
            .updates
            .send(acp::SessionUpdate::ToolCall(call))
            .await?)
    }
}
