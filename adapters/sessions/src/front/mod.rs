//! The ACP front: an agent on stdin and stdout whose sessions are ordinary sessions of the daemon.
//!
//! ```text
//! line -> handlers     inline    owned: begin, cancel            (synchronous, in order)
//!         create       a task    daemon: create, then looks      until ready, failed, or too late
//!         turn         a task    daemon: prompt, wait            until the turn has really ended
//!              interrupt  beside it, as soon as it is cancelled, until the daemon has taken it
//!              progress   beside it, if the client wants to hear of tool calls while they run
//! end  -> policy                 turns stopped, then keep | suspend | destroy
//! ```
//!
//! It holds three things: which sessions it made, what each of them does, and the first refusal.
//! Everything else is the daemon's, and what the front asks of it any other client could ask.
//!
//! What must stay true:
//!
//! - `end_turn` is said of a finished turn and of nothing else; a turn that may still run is never
//!   answered and forgotten.
//! - A session is owned from the moment the daemon told its id, whatever becomes of it.
//! - Only what can be repeated is repeated: reads, interrupts, and what carries an id of ours.
//! - Nobody is waited for who is a person: a question ends the turn with an error that names it.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/overview>

mod create;
mod ends;
mod handlers;
mod initialize;
mod interrupt;
mod owned;
mod policy;
mod progress;
mod prompt;
mod serve;
mod turn;

use std::time::Duration;

use tokio_util::{sync::CancellationToken, task::TaskTracker};
use wire::Peer;

use crate::{
    cli::arguments::{Choice, OnExit},
    client::Daemon,
};
use owned::Owned;

pub use serve::serve;

/// What the command line decided.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Of what sessions are made.
    pub choice: Choice,
    /// What becomes of them in the end.
    pub on_exit: OnExit,
    /// How long a turn may take; none for as long as it takes.
    pub turn_timeout: Option<Duration>,
    /// Tell of tool calls while a turn runs.
    pub progress: bool,
}

/// One front, shared by its tasks.
struct Front {
    settings: Settings,
    daemon: Daemon,
    peer: Peer,
    owned: Owned,
    /// Nothing new is begun.
    closing: CancellationToken,
    /// Requests for sessions whose id is not known yet.
    creations: TaskTracker,
    /// Turns that are not answered yet.
    turns: TaskTracker,
}
