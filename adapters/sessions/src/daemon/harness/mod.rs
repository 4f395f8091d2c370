//! The harness of a session: an ACP agent, of which the daemon is the client.
//!
//! [`connect()`] starts it and makes or loads its session; [`drive()`] then owns it: it runs the turns,
//! one at a time, and turns what the harness says into the transcript.
//!
//! Must stay true: whoever lets go of a harness waits until its processes are gone.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/overview>

mod connect;
mod drive;
pub(crate) mod identity;
mod permission;
mod stderr;
mod stop_reason;
mod transcript;
mod turn;
mod updates;

use std::sync::{Arc, OnceLock};

use tokio_util::sync::CancellationToken;

pub(crate) use connect::{ConnectError, Connected, Wanted, connect};
pub(crate) use drive::drive;

/// The rest of the daemon's hold on a harness that is driven.
#[derive(Clone, Debug, Default)]
pub(crate) struct Attached {
    stop: CancellationToken,
    why: Arc<OnceLock<Stop>>,
    gone: CancellationToken,
}

/// Why a harness is let go of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The session is suspended.
    Suspended,
    /// The session is destroyed.
    Destroyed,
    /// The daemon ends.
    DaemonEnds,
}

impl Stop {
    /// What is written about a turn that it cuts off.
    pub(crate) const fn sentence(self) -> &'static str {
        match self {
            Self::Suspended => "interrupted: the session was suspended",
            Self::Destroyed => "interrupted: the session was destroyed",
            Self::DaemonEnds => INTERRUPTED_BY_THE_END,
        }
    }
}

/// What is written about a turn that ran when the daemon ended, however it did.
pub(crate) const INTERRUPTED_BY_THE_END: &str = "interrupted: the daemon ended during the turn";

impl Attached {
    /// Ends the harness, and the turn with it, and returns when its processes are gone.
    pub(crate) async fn stop(&self, why: Stop) {
        // The first reason counts.
        let _ = self.why.set(why);
        self.stop.cancel();
        self.gone.cancelled().await;
    }
}
