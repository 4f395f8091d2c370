//! One session: its folder, its tool servers, its mode, what was said, and the turn that runs.

use std::{
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use serde_json::Value;

use super::{
    mcp::ToolServer,
    modes::Mode,
    store::{Said, Speaker},
};

/// Tells a turn to stop. Looked at every few milliseconds: a scripted agent can afford that.
#[derive(Debug, Default)]
pub struct Stop(AtomicBool);

impl Stop {
    /// Asks for the stop.
    pub fn ask(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether the turn must stop.
    #[must_use]
    pub fn asked(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// One session, shared by the reader of stdin and the thread of its turn.
#[derive(Debug)]
pub struct Session {
    /// Its id on the wire.
    pub id: String,
    /// Its working directory.
    pub cwd: PathBuf,
    /// Its tool servers that started.
    pub servers: Vec<ToolServer>,
    said: Mutex<Vec<Said>>,
    mode: Mutex<Mode>,
    running: Mutex<Option<Arc<Stop>>>,
    turns: AtomicU64,
    replay: Mutex<Vec<Value>>,
}

impl Session {
    /// A session in the mode that it starts in, without a turn.
    #[must_use]
    pub fn new(id: String, cwd: PathBuf, servers: Vec<ToolServer>, said: Vec<Said>) -> Self {
        Self {
            id,
            cwd,
            servers,
            said: Mutex::new(said),
            mode: Mutex::new(Mode::Work),
            running: Mutex::default(),
            turns: AtomicU64::new(0),
            replay: Mutex::default(),
        }
    }

    /// The mode it is in.
    pub fn mode(&self) -> Mode {
        *self.mode.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the mode.
    pub fn set_mode(&self, mode: Mode) {
        *self.mode.lock().unwrap_or_else(PoisonError::into_inner) = mode;
    }

    /// Begins a turn and returns its number from 1 on and its stop; none if a turn runs.
    pub fn begin(&self) -> Option<(u64, Arc<Stop>)> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if running.is_some() {
            return None;
        }
        let stop = Arc::clone(running.insert(Arc::default()));
        Some((self.turns.fetch_add(1, Ordering::SeqCst) + 1, stop))
    }

    /// Ends the turn: the next one may begin.
    pub fn finish(&self) {
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Asks the turn that runs to stop, if one does.
    pub fn stop(&self) {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(stop) = &*running {
            stop.ask();
        }
    }

    /// Keeps messages of a replay for the next turn.
    pub fn keep_replay(&self, messages: Vec<Value>) {
        *self.replay.lock().unwrap_or_else(PoisonError::into_inner) = messages;
    }

    /// The messages that were kept.
    pub fn take_replay(&self) -> Vec<Value> {
        let mut replay = self.replay.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut replay)
    }

    /// Adds to the conversation.
    pub fn say(&self, by: Speaker, text: &str) {
        let text = text.to_owned();
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        said.push(Said { by, text });
    }

    /// All that was said so far.
    pub fn said(&self) -> Vec<Said> {
        self.said
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Forgets what was said.
    pub fn forget(&self) {
        self.said
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
    }
}
