//! The agent: one line in, one method, one answer.
//!
//! Lines are read and handled in order on the main thread; a prompt's turn runs on a thread of its
//! own, so that a cancel is read while it works.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/overview#communication-model>

use std::{
    collections::HashMap,
    io::BufRead,
    path::PathBuf,
    process::Child,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use serde_json::{Value, json};

use super::{
    behaviour::Behaviour,
    client::Client,
    faults::Fault,
    mcp::ToolServer,
    modes::{self, CONFIG_ID, Mode},
    output::{Output, answer_message, stderr},
    session::Session,
    shell::ProcessGroup,
    store::{Said, Store},
    turn::Turn,
    variants::Variant,
};

/// What [`Variant::Slow`] waits before each answer.
const SLOW: Duration = Duration::from_millis(700);

/// A JSON-RPC error: its code and its message.
pub type Failure = (i64, String);

/// The agent and all that it holds.
#[derive(Debug)]
pub struct Agent {
    /// How it is broken or odd.
    pub behaviour: Behaviour,
    /// Its stdout.
    pub output: Output,
    /// The client, for the agent's own requests.
    pub client: Client,
    /// Where conversations are kept.
    pub store: Store,
    /// The variable whose value it leaks.
    pub leak: Option<String>,
    sessions: Mutex<HashMap<String, Arc<Session>>>,
    turns: Mutex<Vec<JoinHandle<()>>>,
    left: Mutex<Vec<ProcessGroup>>,
    may_elicit: AtomicBool,
    ended: Mutex<Vec<Child>>,
}

impl Agent {
    /// An agent without sessions.
    #[must_use]
    pub fn new(behaviour: Behaviour, store: Store, leak: Option<String>) -> Arc<Self> {
        Arc::new(Self {
            behaviour,
            output: Output::new(behaviour),
            client: Client::new(behaviour),
            store,
            leak,
            sessions: Mutex::default(),
            turns: Mutex::default(),
            left: Mutex::default(),
            may_elicit: AtomicBool::default(),
            ended: Mutex::default(),
        })
    }

    /// Handles lines until the input ends.
    pub fn serve(self: &Arc<Self>, input: impl BufRead) {
        let mute = self.behaviour.has(Fault::Silent) || self.behaviour.has(Fault::BannerFlood);
        for line in input.lines() {
            let Ok(line) = line else { break };
            if mute {
                continue;
            }
            match serde_json::from_str::<Value>(&line) {
                Ok(message) => self.handle(message),
                Err(error) => self.output.fail(&Value::Null, -32700, &error.to_string()),
            }
        }
    }

    fn handle(self: &Arc<Self>, message: Value) {
        let Some(method) = message["method"].as_str() else {
            self.client.answered(message);
            return;
        };
        let parameters = &message["params"];
        let Some(id) = message.get("id") else {
            if method == "session/cancel" && !self.behaviour.has(Fault::CancelIgnored) {
                self.session(parameters).iter().for_each(|s| s.stop());
            }
            return;
        };
        if self.behaviour.is(Variant::Slow) {
            thread::sleep(SLOW);
        }
        let handled = match method {
            "initialize" => return self.initialize(id, parameters),
            "session/load" => return self.load_session(id, parameters),
            "session/prompt" => match self.prompt(id, parameters) {
                Ok(()) => return,
                Err(failure) => Err(failure),
            },
            "session/new" => self.new_session(parameters),
            "session/set_mode" => self.set_mode(parameters),
            "session/set_config_option" => self.set_config_option(parameters),
            other => Err((-32601, format!("unknown method {other}"))),
        };
        match handled {
            Ok(result) => self.output.answer(id, result),
            Err((code, reason)) => self.output.fail(id, code, &reason),
        }
        if self.behaviour.is(Variant::UpdatesOutOfTurn) && method == "session/new" {
            self.announce_commands();
        }
    }

    /// ACP: <https://agentclientprotocol.com/protocol/v1/initialization>
    fn initialize(&self, id: &Value, parameters: &Value) {
        let forms = &parameters["clientCapabilities"]["elicitation"]["form"];
        let may_elicit = forms.is_object() && !self.behaviour.is(Variant::AsksInWords);
        self.may_elicit.store(may_elicit, Ordering::SeqCst);
        let has = |fault| self.behaviour.has(fault);
        let version = match self.behaviour.fault {
            Some(Fault::VersionString) => json!("1"),
            Some(Fault::VersionTwo) => json!(2),
            _ => json!(1),
        };
        let load = match self.behaviour.fault {
            Some(Fault::LoadAsString) => json!("true"),
            _ => json!(!has(Fault::LoadNotAdvertised)),
        };
        let answer = answer_message(
            id,
            json!({
                "protocolVersion": version,
                "agentCapabilities": {
                    "loadSession": load,
                    "promptCapabilities": {"image": !has(Fault::ImageNotAdvertised)},
                },
                "agentInfo": {"name": "faulty-agent", "version": env!("CARGO_PKG_VERSION")},
                "authMethods": [],
            }),
        );
        if has(Fault::IndentedJson) {
            self.output.send_indented(&answer);
        } else {
            self.output.send(&answer);
        }
    }

    /// ACP: <https://agentclientprotocol.com/protocol/v1/session-setup#creating-a-session>
    fn new_session(&self, parameters: &Value) -> Result<Value, Failure> {
        if self.behaviour.has(Fault::SessionNewError) {
            return Err((-32603, "no session can be made".to_owned()));
        }
        let id = format!("session-{:016x}", rand::random::<u64>());
        let session = self.open(&id, parameters, Vec::new())?;
        let mut result = modes::offer(session.mode(), &self.behaviour);
        if !self.behaviour.has(Fault::NoSessionId) {
            result["sessionId"] = json!(id);
        }
        Ok(result)
    }

    /// Opens a session that remembers what was said, with the tool servers that the client named.
    ///
    /// # Errors
    /// The parameters are wrong.
    pub fn open(
        &self,
        id: &str,
        parameters: &Value,
        said: Vec<Said>,
    ) -> Result<Arc<Session>, Failure> {
        let Some(cwd) = parameters["cwd"].as_str().map(PathBuf::from) else {
            return Err((-32602, "cwd is missing".to_owned()));
        };
        let mut servers = Vec::new();
        for entry in parameters["mcpServers"].as_array().into_iter().flatten() {
            if self.behaviour.has(Fault::ServersNotStarted) {
                break;
            }
            let mut entry = entry.clone();
            if self.behaviour.has(Fault::OtherToolServer) {
                entry["args"] = json!([]);
            }
            match ToolServer::start(&entry, &cwd) {
                Ok(server) => servers.push(server),
                Err(error) => stderr(&format!("{error}\n")),
            }
        }
        let session = Arc::new(Session::new(id.to_owned(), cwd, servers, said));
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.insert(id.to_owned(), Arc::clone(&session));
        Ok(session)
    }

    fn session(&self, parameters: &Value) -> Option<Arc<Session>> {
        let sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.get(parameters["sessionId"].as_str()?).cloned()
    }

    fn known_session(&self, parameters: &Value) -> Result<Arc<Session>, Failure> {
        let unknown = || {
            (
                -32002,
                format!("unknown session {}", parameters["sessionId"]),
            )
        };
        self.session(parameters).ok_or_else(unknown)
    }

    fn prompt(self: &Arc<Self>, id: &Value, parameters: &Value) -> Result<(), Failure> {
        let session = self.known_session(parameters)?;
        let Some((number, stop)) = session.begin() else {
            return Err((-32600, "session busy: a turn runs".to_owned()));
        };
        let turn = Turn {
            agent: Arc::clone(self),
            session,
            stop,
            number,
            id: id.clone(),
            prompt: parameters["prompt"].as_array().cloned().unwrap_or_default(),
            late: Mutex::default(),
        };
        if self.behaviour.has(Fault::BlocksOnPrompt) {
            turn.run();
            return Ok(());
        }
        let thread = thread::spawn(move || turn.run());
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        turns.push(thread);
        Ok(())
    }

    fn set_mode(&self, parameters: &Value) -> Result<Value, Failure> {
        self.change_mode(parameters, &parameters["modeId"])?;
        Ok(json!({}))
    }

    fn set_config_option(&self, parameters: &Value) -> Result<Value, Failure> {
        if parameters["configId"] != CONFIG_ID {
            let unknown = format!("unknown option {}", parameters["configId"]);
            return Err((-32602, unknown));
        }
        let session = self.change_mode(parameters, &parameters["value"])?;
        Ok(json!({"configOptions": modes::config_options(session.mode(), &self.behaviour)}))
    }

    fn change_mode(&self, parameters: &Value, wanted: &Value) -> Result<Arc<Session>, Failure> {
        let session = self.known_session(parameters)?;
        let mode = wanted
            .as_str()
            .and_then(|id| Mode::with_id(id, &self.behaviour))
            .ok_or_else(|| (-32602, format!("unknown mode {wanted}")))?;
        match self.behaviour.fault {
            Some(Fault::SetModeError) => return Err((-32603, "not now".to_owned())),
            Some(Fault::StartModeRefused) if mode == Mode::Work => {
                return Err((-32603, "not now".to_owned()));
            }
            Some(Fault::ModeNotApplied) => {}
            _ => session.set_mode(mode),
        }
        Ok(session)
    }

    /// Whether the client takes forms.
    #[must_use]
    pub fn may_elicit(&self) -> bool {
        self.may_elicit.load(Ordering::SeqCst)
    }

    /// Keeps a session's conversation.
    ///
    /// # Errors
    /// What the file system says.
    pub fn keep(&self, session: &Session) -> std::io::Result<()> {
        self.store.keep(&session.id, &session.said())
    }

    fn announce_commands(&self) {
        for session in self.sessions() {
            let update = json!({"sessionUpdate": "available_commands_update", "availableCommands": [
                {"name": "plan", "description": "Make a plan"},
            ]});
            self.output.update(&session.id, update);
        }
    }

    /// All sessions of this process.
    #[must_use]
    pub fn sessions(&self) -> Vec<Arc<Session>> {
        let sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.values().cloned().collect()
    }

    /// Whether a turn still runs.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        let turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        turns.iter().any(|turn| !turn.is_finished())
    }

    /// Keeps a process group that a fault left running, to end it with the agent.
    pub fn remember_left(&self, group: Option<ProcessGroup>) {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        left.extend(group);
    }

    /// Keeps a child that nobody waits for.
    pub fn remember_ended(&self, child: Option<Child>) {
        let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        ended.extend(child);
    }

    /// Ends what [`Agent::remember_left`] kept.
    pub fn end_left(&self) {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        for mut group in left.drain(..) {
            let _ = group.end();
        }
    }
}
