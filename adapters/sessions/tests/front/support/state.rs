//! What the fake daemon knows: workspaces, sessions, what it is to answer, and what it was asked.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    sync::{Condvar, Mutex, MutexGuard},
};

use acp_sessions::api::{
    ChatPhase, Lifecycle, LifecycleError, Outcome, Session, SessionId, State as Stored, Workspace,
};
use serde_json::Value;

use super::DEADLINE;

/// What can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Route {
    Info,
    Workspaces,
    Create,
    Look,
    Prompt,
    Wait,
    Interrupt,
    Suspend,
    Destroy,
    Other,
}

/// Something that was asked.
#[derive(Clone, Debug)]
pub struct Call {
    pub route: Route,
    pub body: Value,
}

/// How one request is answered instead of as usual.
#[derive(Clone, Debug)]
pub enum Reply {
    /// With this status and body; nothing happens.
    Say(u16, Value),
    /// As usual, but the answer is lost on its way.
    Lost,
    /// Not before the gate of this name is opened, then as usual.
    Gate(&'static str),
    /// As usual.
    Usual,
}

impl Reply {
    /// A refusal.
    pub fn refuse(status: u16, error: &str) -> Self {
        Self::Say(status, serde_json::json!({ "error": error }))
    }
}

/// How a turn goes.
#[derive(Clone, Debug)]
pub enum Turn {
    /// It ends like this at once: the outcome, the agent's words, the daemon's words.
    Ends(Outcome, Option<&'static str>, Option<&'static str>),
    /// It runs until it is interrupted, and then ends like this.
    Runs(Outcome),
    /// It asks this and runs until it is interrupted.
    Asks(&'static str),
    /// It runs, whatever is done.
    Deaf,
}

/// A session of the fake daemon.
pub struct FakeSession {
    pub view: Session,
    /// What the next looks see; then `view`. None is a look that finds nothing.
    pub looks: VecDeque<Option<Session>>,
    /// The turns, by their number from 1.
    pub turns: Vec<(Turn, bool)>,
}

/// How a session is changed when it is made.
pub type Birth = Box<dyn Fn(&mut Session) + Send>;

/// All of it.
#[derive(Default)]
pub struct State {
    pub workspaces: Vec<Workspace>,
    pub sessions: BTreeMap<SessionId, FakeSession>,
    /// In the order in which they were made.
    pub order: Vec<SessionId>,
    pub requests: HashMap<String, SessionId>,
    pub commands: HashMap<String, u64>,
    pub replies: HashMap<Route, VecDeque<Reply>>,
    /// What a session looks like when it is made, one after the other; then it is idle.
    pub born: VecDeque<Birth>,
    /// How the next turns go; then they finish and say `done`.
    pub turns: VecDeque<Turn>,
    /// What every prompt that is held is told when its gate opens.
    pub withdrawn: Option<Value>,
    pub open_gates: Vec<&'static str>,
    pub calls: Vec<Call>,
}

/// The state with its lock, and whoever waits for a change of it.
#[derive(Default)]
pub struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

impl Shared {
    pub fn lock(&self) -> MutexGuard<'_, State> {
        self.state
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Reads or changes the state.
    pub fn with<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        let result = act(&mut self.lock());
        self.changed.notify_all();
        result
    }

    /// Waits until the state is as wanted.
    pub fn until(&self, what: &str, wanted: impl Fn(&State) -> bool) {
        let state = self.lock();
        let (state, timed_out) = self
            .changed
            .wait_timeout_while(state, DEADLINE, |state| !wanted(state))
            .unwrap();
        let calls = &state.calls;
        assert!(!timed_out.timed_out(), "never: {what}; calls: {calls:#?}");
    }
}

impl State {
    /// How often this was asked.
    pub fn count(&self, route: Route) -> usize {
        self.calls.iter().filter(|call| call.route == route).count()
    }

    /// The latest request of this kind.
    pub fn last(&self, route: Route) -> Call {
        let found = self.calls.iter().rfind(|call| call.route == route);
        found
            .unwrap_or_else(|| panic!("no {route:?} in {:#?}", self.calls))
            .clone()
    }

    /// The session that was made as the `index`-th one.
    pub fn made(&mut self, index: usize) -> &mut FakeSession {
        let id = self.order[index].clone();
        self.sessions.get_mut(&id).unwrap()
    }
}

impl FakeSession {
    /// How it is seen, with what its turns say.
    pub fn seen(&self) -> Session {
        let mut seen = self.view.clone();
        if seen.lifecycle == Lifecycle::Live && self.turns.iter().any(|(_, over)| !over) {
            seen.chat_phase = ChatPhase::Running;
            seen.is_idle = false;
        }
        seen
    }
}

/// A session that is ready for a prompt.
pub fn idle(id: &SessionId) -> Session {
    Session {
        id: id.clone(),
        workspace_id: "workspace".to_owned(),
        title: String::new(),
        harness_kind: "acp".to_owned(),
        profile_id: "default".to_owned(),
        target_id: "local".to_owned(),
        bundle_id: None,
        project_directory: None,
        state: Stored::Running,
        lifecycle: Lifecycle::Live,
        chat_phase: ChatPhase::Idle,
        is_idle: true,
        has_error: false,
        error: None,
        error_kind: None,
        has_checkpoint: false,
        created_at: "2026-01-01T00:00:00Z".to_owned(),
        updated_at: "2026-01-01T00:00:00Z".to_owned(),
        at: None,
        branch: None,
        base: None,
        expected_runtime_identity: None,
        runtime: None,
        last_turn_outcome: None,
        pending_elicitations: Vec::new(),
    }
}

/// Changes a session to be in this state.
pub fn become_state(session: &mut Session, state: Stored) {
    session.state = state;
    session.lifecycle = state.lifecycle();
    session.is_idle = state == Stored::Running;
    session.chat_phase = match session.lifecycle {
        Lifecycle::Live => ChatPhase::Idle,
        Lifecycle::Suspending => ChatPhase::Closing,
        _ => ChatPhase::Closed,
    };
}

/// Changes a session to be in this state, with a failure recorded.
pub fn fail(session: &mut Session, state: Stored, kind: LifecycleError, error: &str) {
    become_state(session, state);
    session.has_error = true;
    session.error_kind = Some(kind);
    session.error = Some(error.to_owned());
}
