//! What happens while a command waits, on stderr: one line that is rewritten in a terminal, a line
//! for each change elsewhere.

use std::{
    io::{self, IsTerminal, Write},
    time::Instant,
};

use crate::api::{ChatPhase, Session, State};

/// Shows what is waited for.
pub(super) struct Progress {
    began: Instant,
    in_terminal: bool,
    shown: Option<String>,
}

impl Progress {
    pub(super) fn new() -> Self {
        Self {
            began: Instant::now(),
            in_terminal: io::stderr().is_terminal(),
            shown: None,
        }
    }

    /// Shows this.
    pub(super) fn show(&mut self, what: &str) {
        // What cannot be written has nobody to read it.
        if self.in_terminal {
            let seconds = self.began.elapsed().as_secs();
            let _ = write!(io::stderr(), "\r\x1b[K{what} ({seconds} s)");
        } else if self.shown.as_deref() != Some(what) {
            let _ = writeln!(io::stderr(), "{what}");
        }
        self.shown = Some(what.to_owned());
    }

    /// Shows what a session does.
    pub(super) fn show_session(&mut self, session: &Session) {
        self.show(&format!("session {}: {}", session.id, doing(session)));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.in_terminal && self.shown.is_some() {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

/// What a session does, in a few words.
pub(super) fn doing(session: &Session) -> &'static str {
    match (session.state, session.chat_phase) {
        (State::Provisioning, _) => "its environment is being made",
        (State::Launching, _) => "its harness is being started",
        (State::Disconnected, _) => "its harness has ended",
        (State::Running, ChatPhase::Running) => "a turn runs",
        (State::Running, _) if session.is_idle => "ready",
        (State::Running, _) => "busy",
        (State::Checkpointing, _) => "its work is being saved",
        (State::Closing, _) => "it is being suspended",
        (State::Destroying, _) => "it is being destroyed",
        (State::Stopped, _) => "suspended",
        (State::Error, _) => "failed",
        (State::Lost, _) => "its environment is gone",
    }
}
