//! The ACP client of one agent process: the methods that journeys are made of, the turns, and what is
//! seen around them.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/prompt-turn>

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    agent_process::AgentProcess,
    connection::{Connection, Heard, Pending, accept, timed_out},
    ending,
    leftovers::Watch,
    limits::Limits,
    permission::Rule,
    recording::{Look, ProcessRecording, SeenProcess, TurnFiles, When},
    tool_server::{self, RECORD_PREFIX},
    trouble::Trouble,
    workspace::{self, Snapshot},
};

/// How long a count of processes that grew from turn to turn is looked at again.
const GROWTH_SETTLE: Duration = Duration::from_secs(1);

/// A way to end a process: [`ending::end`] or [`ending::kill`].
type EndsProcess = fn(Connection, &Watch, &Limits, Vec<Look>) -> ending::Ended;

/// Where the client's session lives.
#[derive(Debug, Clone)]
pub struct Surroundings {
    /// The workspace: an absolute path.
    pub workspace: PathBuf,
    /// The tool server's program.
    pub tool_server: PathBuf,
    /// The file in which the tool server records its calls.
    pub record: PathBuf,
}

/// The client of one process.
#[derive(Debug)]
pub struct Client {
    connection: Connection,
    watch: Watch,
    limits: Limits,
    around: Surroundings,
    started_ms: u64,
    looks: Vec<Look>,
    turns: Vec<TurnFiles>,
    /// What lay beside the workspace when the turn began.
    beside: Vec<String>,
}

impl Client {
    /// A client for a process that was started `started_ms` after its journey.
    #[must_use]
    pub fn new(
        process: AgentProcess,
        started_ms: u64,
        mut watch: Watch,
        limits: Limits,
        around: Surroundings,
    ) -> Self {
        watch.agent_is(process.pid());
        Self {
            connection: Connection::new(process),
            watch,
            limits,
            around,
            started_ms,
            looks: Vec::new(),
            turns: Vec::new(),
            beside: Vec::new(),
        }
    }

    /// `initialize` with version 1 and these capabilities; returns the agent's.
    ///
    /// # Errors
    /// [`Trouble::WrongVersion`], after which nothing more may be sent, or what stopped the request.
    pub fn initialize(&mut self, capabilities: &Value) -> Result<Value, Trouble> {
        let params = json!({
            "protocolVersion": 1,
            "clientCapabilities": capabilities,
            "clientInfo": {"name": "acp-journeys", "version": env!("CARGO_PKG_VERSION")},
        });
        let result = self
            .connection
            .request("initialize", &params, self.limits.initialize)?;
        let version = &result["protocolVersion"];
        if version.as_u64() != Some(1) {
            let found = version.to_string();
            return Err(Trouble::WrongVersion { found });
        }
        Ok(result["agentCapabilities"].clone())
    }

    /// `session/new` in the workspace with the tool server; returns the whole result.
    ///
    /// # Errors
    /// What stopped the request, or [`Trouble::Incomplete`] without a session ID.
    pub fn new_session(&mut self) -> Result<(String, Value), Trouble> {
        let params = json!({"cwd": self.around.workspace, "mcpServers": [self.rondar()]});
        let result = self
            .connection
            .request("session/new", &params, self.limits.session)?;
        let id = result["sessionId"]
            .as_str()
            .ok_or_else(|| Trouble::Incomplete {
                step: "session/new".to_owned(),
                member: "sessionId".to_owned(),
            })?;
        Ok((id.to_owned(), result))
    }

    /// `session/load` of a session that another process made. Any result is a success.
    ///
    /// # Errors
    /// What stopped the request.
    pub fn load_session(&mut self, session_id: &str) -> Result<(), Trouble> {
        let params = json!({
            "sessionId": session_id,
            "cwd": self.around.workspace,
            "mcpServers": [self.rondar()],
        });
        self.connection
            .request("session/load", &params, self.limits.session)?;
        Ok(())
    }

    /// Sends a request for a change of mode and waits for its answer.
    ///
    /// # Errors
    /// What stopped the request.
    pub fn set_mode(&mut self, method: &str, params: &Value) -> Result<(), Trouble> {
        self.connection
            .request(method, params, self.limits.mode)
            .map(drop)
    }

    /// A whole turn: prompt, answer, and a moment to hear what comes too late.
    ///
    /// # Errors
    /// What stopped the turn. A turn that timed out is cancelled before this returns.
    pub fn turn(&mut self, session_id: &str, prompt: &[Value], rule: Rule) -> Result<(), Trouble> {
        let pending = self.begin_turn(session_id, prompt, rule)?;
        let answer = self.wait_for_turn(&pending);
        if matches!(answer, Err(Trouble::TimedOut { .. })) {
            self.give_up_turn(session_id, &pending);
        }
        self.end_turn();
        answer?;
        self.note_processes_after_turn();
        self.listen()
    }

    /// Sends a prompt.
    ///
    /// # Errors
    /// [`Trouble::InputStuck`].
    pub fn begin_turn(
        &mut self,
        session_id: &str,
        prompt: &[Value],
        rule: Rule,
    ) -> Result<Pending, Trouble> {
        self.connection.set_rule(rule);
        let before = Snapshot::of(&self.around.workspace);
        self.beside = workspace::beside(&self.around.workspace, RECORD_PREFIX);
        self.turns.push(TurnFiles {
            before,
            after: None,
            beside: Vec::new(),
        });
        let params = json!({"sessionId": session_id, "prompt": prompt});
        self.connection.send_request("session/prompt", &params)
    }

    /// Looks at the workspace after a prompt was answered or given up.
    pub fn end_turn(&mut self) {
        let after = Snapshot::of(&self.around.workspace);
        let mut beside = workspace::beside(&self.around.workspace, RECORD_PREFIX);
        beside.retain(|name| !self.beside.contains(name));
        if let Some(turn) = self.turns.last_mut() {
            turn.after = Some(after);
            turn.beside = beside;
        }
    }

    /// Cancels the running turn; from here on every permission request is answered `cancelled`.
    ///
    /// # Errors
    /// [`Trouble::InputStuck`].
    pub fn cancel(&mut self, session_id: &str) -> Result<(), Trouble> {
        self.connection.set_rule(Rule::Cancelled);
        let message = json!({
            "jsonrpc": "2.0",
            "method": "session/cancel",
            "params": {"sessionId": session_id},
        });
        self.connection.send(&message, "session/cancel")
    }

    /// The wire, for a journey that does more than whole turns.
    pub fn connection(&mut self) -> &mut Connection {
        &mut self.connection
    }

    /// Who is below the agent now.
    #[must_use]
    pub fn look(&self) -> Vec<SeenProcess> {
        self.watch.look()
    }

    /// Waits until nobody that counts is below the agent, and notes who is.
    pub fn note_until_none(&mut self, when: When, counts: impl Fn(&SeenProcess) -> bool) {
        let processes = self.watch.look_until_none(self.limits.settle, counts);
        self.note(when, processes);
    }

    /// Notes who was below the agent.
    pub fn note(&mut self, when: When, processes: Vec<SeenProcess>) {
        let t_ms = self.connection.t_ms();
        self.looks.push(Look {
            t_ms,
            when,
            processes,
            zombies: 0,
        });
    }

    /// The limits of this run.
    #[must_use]
    pub const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Hears what comes too late after an answer. That the agent ends here is seen by the next step.
    ///
    /// # Errors
    /// [`Trouble::Flooded`] or [`Trouble::InputStuck`].
    pub fn listen(&mut self) -> Result<(), Trouble> {
        let deadline = Instant::now() + self.limits.late;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || self.connection.is_over() {
                return Ok(());
            }
            match self.connection.hear(left, "the end of the turn") {
                Err(Trouble::Ended { .. }) => return Ok(()),
                other => other?,
            };
        }
    }

    /// Ends the process and hands over what was recorded of it.
    #[must_use]
    pub fn finish(self) -> ProcessRecording {
        self.finish_by(ending::end)
    }

    /// Kills the process, as a crash would, and hands over what was recorded of it.
    #[must_use]
    pub fn finish_killed(self) -> ProcessRecording {
        self.finish_by(ending::kill)
    }

    fn finish_by(self, end: EndsProcess) -> ProcessRecording {
        let Self {
            connection,
            watch,
            limits,
            around,
            started_ms,
            looks,
            turns,
            beside: _,
        } = self;
        let ended = end(connection, &watch, &limits, looks);
        ProcessRecording {
            started_ms,
            events: ended.events,
            stderr: ended.stderr,
            looks: ended.looks,
            turns,
            files_at_end: Snapshot::of(&around.workspace),
            tool_server: tool_server::read_record(&around.record),
            ending: ended.ending,
        }
    }

    /// Waits by silence: an agent that works says so from time to time. Junk is no sign of life.
    fn wait_for_turn(&mut self, pending: &Pending) -> Result<Value, Trouble> {
        let (silence, turn) = (self.limits.silence, self.limits.turn);
        let mut last_message = Instant::now();
        loop {
            let quiet = silence.saturating_sub(last_message.elapsed());
            let whole = turn.saturating_sub(pending.sent.elapsed());
            if quiet.is_zero() {
                let rule = format!("no message for {} ms", silence.as_millis());
                return Err(timed_out(pending, rule));
            }
            if whole.is_zero() {
                let rule = format!("a turn may take {} ms", turn.as_millis());
                return Err(timed_out(pending, rule));
            }
            match self.connection.hear(quiet.min(whole), &pending.step)? {
                Heard::Answer(id, answer) if id == pending.id => return accept(pending, answer),
                Heard::Answer(..) | Heard::Message => last_message = Instant::now(),
                Heard::Junk | Heard::Nothing => {}
            }
        }
    }

    /// Cancels a turn that timed out, so that the agent has a chance to end cleanly.
    fn give_up_turn(&mut self, session_id: &str, pending: &Pending) {
        if self.cancel(session_id).is_ok() {
            // Whether it answers now changes nothing: the turn has failed.
            let _late = self.connection.wait(pending, self.limits.settle);
        }
    }

    /// A process that is about to go is not growth: a count that rose is looked at again.
    fn note_processes_after_turn(&mut self) {
        let earlier = self
            .looks
            .iter()
            .rev()
            .find(|look| look.when == When::AfterTurn);
        let earlier = earlier.map_or(usize::MAX, |look| look.processes.len() + look.zombies);
        let deadline = Instant::now() + GROWTH_SETTLE;
        let (mut processes, mut zombies) = (self.watch.look(), self.watch.zombies());
        while processes.len() + zombies > earlier && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(50));
            (processes, zombies) = (self.watch.look(), self.watch.zombies());
        }
        let t_ms = self.connection.t_ms();
        self.looks.push(Look {
            t_ms,
            when: When::AfterTurn,
            processes,
            zombies,
        });
    }

    fn rondar(&self) -> Value {
        tool_server::entry(&self.around.tool_server, &self.around.record)
    }
}
