//! The tool servers of one session, from their start to their end.
//!
//! They start in the background, so that a slow one does not hold up the answer to `session/new`;
//! the first turn waits for them, which has a deadline. The start is a task of its own, and this
//! handle owns it: however a session ends, the servers end with it.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-setup#mcp-servers>

use std::{future::Future, sync::Arc, time::Duration};

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::mcp::Servers;

/// How far the servers are.
#[derive(Clone)]
enum Stage {
    Starting,
    Ready(Arc<Servers>),
    Ended,
}

/// Owns the tool servers of a session.
pub struct ToolServers {
    stage: watch::Sender<Stage>,
    end: CancellationToken,
}

impl ToolServers {
    /// Starts servers in the background.
    pub fn start(start: impl Future<Output = Servers> + Send + 'static) -> Self {
        let (stage, _) = watch::channel(Stage::Starting);
        let end = CancellationToken::new();
        let (settle, stop) = (Settle(stage.clone()), end.clone());
        tokio::spawn(async move {
            tokio::select! {
                biased;
                // Dropping the start ends what has been started.
                () = stop.cancelled() => {}
                servers = start => {
                    settle.0.send_replace(Stage::Ready(Arc::new(servers)));
                }
            }
        });
        Self { stage, end }
    }

    /// The servers, once all of them have started or failed to. Nothing after the end.
    pub async fn ready(&self) -> Option<Arc<Servers>> {
        let mut stage = self.stage.subscribe();
        let settled = stage
            .wait_for(|stage| !matches!(stage, Stage::Starting))
            .await;
        match settled.as_deref() {
            Ok(Stage::Ready(servers)) => Some(Arc::clone(servers)),
            Ok(Stage::Starting | Stage::Ended) | Err(_) => None,
        }
    }

    /// Ends all servers; returns when none of their processes is left, or at the deadline, and
    /// whether it was the former.
    pub async fn end(&self, deadline: Duration) -> bool {
        self.end.cancel();
        let ended = match self.ready().await {
            Some(servers) => servers.close(deadline).await,
            None => true,
        };
        self.stage.send_replace(Stage::Ended);
        ended
    }
}

/// Leaves no stage at [`Stage::Starting`], whatever becomes of the start: a turn waits for it.
struct Settle(watch::Sender<Stage>);

impl Drop for Settle {
    fn drop(&mut self) {
        self.0.send_if_modified(|stage| {
            let unsettled = matches!(stage, Stage::Starting);
            if unsettled {
                *stage = Stage::Ended;
            }
            unsettled
        });
    }
}

impl Drop for ToolServers {
    fn drop(&mut self) {
        self.end.cancel();
    }
}
