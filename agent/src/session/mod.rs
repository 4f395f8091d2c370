//! One session: where it works, what it does now, what it keeps, and its tool servers.
//!
//! The parts stand in files of their own: [`state`] is the machine that lets one turn run at a
//! time, [`memory`] what is carried from turn to turn, [`servers`] the tool servers, and
//! [`registry`] finds a session by its id.
//!
//! Must stay true: the lock here is held for a few lines and never while anything waits.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-setup>

pub mod memory;
pub mod registry;
pub mod servers;
pub mod state;

use std::sync::{
    Mutex, MutexGuard, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use tokio_util::task::TaskTracker;

use self::{
    memory::Memory,
    servers::ToolServers,
    state::{State, Stop, TurnId},
};
use crate::{acp, error::RequestError, mode::Mode, record::Record, store::Item, tools::Scope};

/// An open session.
pub struct Session {
    /// Its id on the wire and in the store.
    pub id: acp::SessionId,
    /// Where its tools work.
    pub scope: Scope,
    /// What it keeps.
    pub record: Record,
    /// Its tool servers.
    pub servers: ToolServers,
    /// The task of the turn that runs, to be waited for when the session is closed.
    pub tasks: TaskTracker,
    now: Mutex<Now>,
    turns: AtomicU64,
}

struct Now {
    state: State,
    mode: Mode,
}

/// A turn that has begun: what it needs to run, and to end.
pub struct Begun {
    /// Which turn it is.
    pub turn: TurnId,
    /// How it is told to stop.
    pub stop: Stop,
    /// The session's memory, until [`Session::finish`].
    pub memory: Box<Memory>,
}

impl Session {
    /// A session that waits for its first prompt, or for its next one after a load.
    #[must_use]
    pub fn new(
        id: acp::SessionId,
        scope: Scope,
        record: Record,
        servers: ToolServers,
        mode: Mode,
        memory: Memory,
    ) -> Self {
        let state = State::Idle(Box::new(memory));
        Self {
            id,
            scope,
            record,
            servers,
            tasks: TaskTracker::new(),
            now: Mutex::new(Now { state, mode }),
            turns: AtomicU64::new(0),
        }
    }

    /// Starts a turn.
    ///
    /// # Errors
    /// `Busy` while one runs, `Closed` after the end.
    pub fn begin(&self) -> Result<Begun, RequestError> {
        let number = self.turns.fetch_add(1, Ordering::Relaxed);
        let (turn, stop, memory) = self.now().state.begin(number)?;
        Ok(Begun { turn, stop, memory })
    }

    /// Ends the turn and answers its prompt, as one step: a client may prompt again the moment it
    /// reads the answer, and even a prompt that it sent before must not begin in between.
    pub fn finish(&self, turn: TurnId, memory: Box<Memory>, answer: impl FnOnce()) {
        let mut now = self.now();
        now.state.finish(turn, memory);
        answer();
    }

    /// Stops the turn that runs now, if one does. Never waits.
    pub fn cancel(&self) {
        self.now().state.cancel();
    }

    /// Stops the turn that runs now from waiting for a tool or for the user.
    pub fn stop_waits(&self) {
        self.now().state.stop_waits();
    }

    /// Takes no more prompts and stops the turn that runs.
    pub fn close(&self) {
        self.now().state.close();
    }

    /// Whether a turn runs.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.now().state.is_running()
    }

    /// The mode.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.now().mode
    }

    /// Changes the mode, for everything that is decided from here on, and queues the change to be
    /// kept. Returns whether it was another mode before.
    pub fn set_mode(&self, mode: Mode) -> bool {
        let before = std::mem::replace(&mut self.now().mode, mode);
        if before != mode {
            self.record.push(Item::Mode {
                id: mode.id().to_owned(),
            });
        }
        before != mode
    }

    /// A panic under this lock cannot leave it half changed: each use is one assignment.
    fn now(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
