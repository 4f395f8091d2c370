//! The wire to one agent process: sends requests, answers the agent's, records all of it.
//!
//! The checker offers no capabilities and so serves only `session/request_permission`, and elicitation
//! in the one journey that offers it; every other request is answered with -32601. A message that makes no sense is recorded and passed over: to judge
//! it is the judges' work, and the turn must go on.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/overview#communication-model>

use std::{
    sync::mpsc::RecvTimeoutError,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    agent_process::{AgentProcess, Inbound},
    elicitation,
    permission::{self, Rule},
    recorder::{MAX_RECORDED_BYTES, Recorder},
    recording::{Event, ExitStatus, StderrTail},
    tool_call::ToolCalls,
    trouble::Trouble,
};

/// After the process ended, its last output may still be in the pipe.
pub const LAST_OUTPUT: Duration = Duration::from_secs(1);

/// What one step of listening brought.
#[derive(Debug)]
pub enum Heard {
    /// The answer to the checker's request with this id: a result or an error.
    Answer(u64, Result<Value, Value>),
    /// A message of the session: an update or a request, answered by now.
    Message,
    /// A line that is no message.
    Junk,
    /// Nothing in the given time.
    Nothing,
}

/// A request that waits for its answer.
#[derive(Debug, Clone)]
pub struct Pending {
    /// The request's id.
    pub id: u64,
    /// Its method and id, for people.
    pub step: String,
    /// When it was sent.
    pub sent: Instant,
}

/// A connection to a running agent.
#[derive(Debug)]
pub struct Connection {
    process: AgentProcess,
    recorder: Recorder,
    rule: Rule,
    user_answer: Option<String>,
    asked_the_user: bool,
    calls: ToolCalls,
    next_id: u64,
    permissions_answered: usize,
    exited: Option<(Instant, ExitStatus)>,
    output_closed: bool,
    stderr_closed: bool,
}

impl Connection {
    /// To a process that was just started.
    #[must_use]
    pub fn new(process: AgentProcess) -> Self {
        Self {
            process,
            recorder: Recorder::new(),
            rule: Rule::AllowAll,
            user_answer: None,
            asked_the_user: false,
            calls: ToolCalls::default(),
            next_id: 0,
            permissions_answered: 0,
            exited: None,
            output_closed: false,
            stderr_closed: false,
        }
    }

    /// By this rule permission requests are answered from now on.
    pub fn set_rule(&mut self, rule: Rule) {
        self.rule = rule;
    }

    /// With these words the user answers from now on, where elicitation was offered.
    pub fn set_user_answer(&mut self, words: String) {
        self.user_answer = Some(words);
    }

    /// The agent's process id.
    #[must_use]
    pub fn pid(&self) -> i32 {
        self.process.pid()
    }

    /// Milliseconds since the process was started.
    #[must_use]
    pub fn t_ms(&self) -> u64 {
        self.recorder.t_ms(Instant::now())
    }

    /// When and how the process ended, if it is known to have ended.
    #[must_use]
    pub const fn exited(&self) -> Option<(Instant, ExitStatus)> {
        self.exited
    }

    /// Whether nothing more can come.
    #[must_use]
    pub const fn is_over(&self) -> bool {
        self.output_closed || self.exited.is_some()
    }

    /// Whether all of the agent's pipes have ended.
    #[must_use]
    pub const fn is_drained(&self) -> bool {
        self.output_closed && self.stderr_closed
    }

    /// Sends a request and waits for its result.
    ///
    /// # Errors
    /// [`Trouble::TimedOut`], [`Trouble::Refused`], or what else stopped the wait.
    pub fn request(
        &mut self,
        method: &str,
        params: &Value,
        limit: Duration,
    ) -> Result<Value, Trouble> {
        let pending = self.send_request(method, params)?;
        self.wait(&pending, limit)
    }

    /// Sends a request; its answer is to be waited for.
    ///
    /// # Errors
    /// [`Trouble::InputStuck`].
    pub fn send_request(&mut self, method: &str, params: &Value) -> Result<Pending, Trouble> {
        let id = self.next_id;
        self.next_id += 1;
        let step = format!("{method} id {id}");
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send(&message, &step)?;
        let sent = Instant::now();
        Ok(Pending { id, step, sent })
    }

    /// Sends a message. `step` says what it is.
    ///
    /// # Errors
    /// [`Trouble::InputStuck`].
    pub fn send(&mut self, message: &Value, step: &str) -> Result<(), Trouble> {
        let line = message.to_string();
        self.recorder.sent(line.clone());
        self.process.send(line, step)
    }

    /// Waits for the answer of a request, at most until `limit` after now.
    ///
    /// # Errors
    /// [`Trouble::TimedOut`], [`Trouble::Refused`], or what else stopped the wait.
    pub fn wait(&mut self, pending: &Pending, limit: Duration) -> Result<Value, Trouble> {
        let deadline = Instant::now() + limit;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(timed_out(
                    pending,
                    format!("limit {} ms", limit.as_millis()),
                ));
            }
            if let Heard::Answer(id, answer) = self.hear(left, &pending.step)?
                && id == pending.id
            {
                return accept(pending, answer);
            }
        }
    }

    /// Takes in one thing that the agent does, or returns after `patience`.
    ///
    /// # Errors
    /// [`Trouble::Ended`] or [`Trouble::Flooded`]. `step` says what is waited for.
    pub fn hear(&mut self, patience: Duration, step: &str) -> Result<Heard, Trouble> {
        if let Some((at, _)) = self.exited {
            let last = LAST_OUTPUT.saturating_sub(at.elapsed());
            if last.is_zero() || self.output_closed {
                return Err(self.ended(step));
            }
            return self.hear_within(patience.min(last), step);
        }
        self.hear_within(patience, step)
    }

    /// Whether an elicitation was answered.
    #[must_use]
    pub const fn has_asked_the_user(&self) -> bool {
        self.asked_the_user
    }

    /// Whether any tool call is `in_progress`, or a permission was given.
    #[must_use]
    pub fn may_run_a_command(&self) -> bool {
        self.permissions_answered > 0 || self.calls.any_has_status("in_progress")
    }

    /// Records whatever comes until `done` or the deadline. Nothing is answered any more.
    pub fn drain_until(&mut self, deadline: Instant, done: impl Fn(&Self) -> bool) {
        while !done(self) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            let Ok(inbound) = self.process.inbound().recv_timeout(left) else {
                return;
            };
            self.take_in(inbound);
        }
    }

    /// Closes the agent's input.
    pub fn close_input(&mut self) {
        self.process.close_input();
        self.recorder.input_closed(Instant::now());
    }

    /// Closes the pipe to a process that has ended; nobody was told that the input ends.
    pub fn drop_input(&mut self) {
        self.process.close_input();
    }

    /// Kills the process; no error if it has ended.
    pub fn kill(&self) {
        self.process.kill();
    }

    /// Reaps the process, which must have ended, and hands over what was recorded of its pipes.
    #[must_use]
    pub fn into_events(mut self) -> (Vec<Event>, StderrTail) {
        self.process.reap();
        (self.recorder.into_events(), self.process.stderr())
    }

    /// Records one thing; returns the message if it is one.
    fn take_in(&mut self, inbound: Inbound) -> Taken {
        match inbound {
            Inbound::Line(at, line) => match self.recorder.received(at, line) {
                Ok(Some(message)) => return Taken::Message(message),
                Ok(None) => {}
                Err(_) => return Taken::Full,
            },
            Inbound::OutputClosed(at) => {
                self.output_closed = true;
                self.recorder.output_closed(at);
            }
            Inbound::StderrClosed => self.stderr_closed = true,
            Inbound::Exited(at, status) => {
                self.exited = Some((at, status));
                self.recorder.exited(at, status);
            }
        }
        Taken::Nothing
    }

    fn hear_within(&mut self, patience: Duration, step: &str) -> Result<Heard, Trouble> {
        let inbound = match self.process.inbound().recv_timeout(patience) {
            Ok(inbound) => inbound,
            Err(RecvTimeoutError::Timeout) => return Ok(Heard::Nothing),
            Err(RecvTimeoutError::Disconnected) => return Err(self.ended(step)),
        };
        match self.take_in(inbound) {
            Taken::Message(message) => self.act_on(&message),
            Taken::Full => Err(Trouble::Flooded {
                limit_bytes: MAX_RECORDED_BYTES as u64,
            }),
            Taken::Nothing if self.output_closed => Err(self.ended(step)),
            Taken::Nothing => Ok(Heard::Junk),
        }
    }

    fn act_on(&mut self, message: &Value) -> Result<Heard, Trouble> {
        let id = &message["id"];
        match message["method"].as_str() {
            Some("session/update") => {
                self.calls.merge(&message["params"]["update"]);
                Ok(Heard::Message)
            }
            Some(method) if !id.is_null() => {
                self.serve(method, id, &message["params"])?;
                Ok(Heard::Message)
            }
            Some(_) => Ok(Heard::Message),
            None => {
                let answer = match message.get("error") {
                    Some(error) => Err(error.clone()),
                    None => Ok(message["result"].clone()),
                };
                // An id that was never sent belongs to no request; the judges will say so.
                Ok(id
                    .as_u64()
                    .map_or(Heard::Message, |id| Heard::Answer(id, answer)))
            }
        }
    }

    /// Answers a request of the agent.
    fn serve(&mut self, method: &str, id: &Value, params: &Value) -> Result<(), Trouble> {
        let mut answer = json!({"jsonrpc": "2.0", "id": id});
        if method == "session/request_permission" {
            let call = self.calls.completed(&params["toolCall"]);
            self.calls.merge(&params["toolCall"]);
            answer["result"] = permission::answer(self.rule, &call, &params["options"]);
            self.permissions_answered += 1;
        } else if let Some(words) = &self.user_answer
            && method == elicitation::METHOD
        {
            answer["result"] = elicitation::answer(words, params);
            self.asked_the_user = true;
        } else {
            let message = format!("{method} is not offered: see the client's capabilities");
            answer["error"] = json!({"code": -32601, "message": message});
        }
        self.send(&answer, &format!("the answer to {method}"))
    }

    /// The agent's output ended: says with which status, if the process ended too.
    fn ended(&mut self, step: &str) -> Trouble {
        self.drain_until(Instant::now() + LAST_OUTPUT, |client| {
            client.exited.is_some()
        });
        Trouble::Ended {
            step: step.to_owned(),
            status: self.exited.map(|(_, status)| status),
        }
    }
}

enum Taken {
    Message(Value),
    Full,
    Nothing,
}

/// The result, or the trouble of a refusal.
///
/// # Errors
/// [`Trouble::Refused`].
pub fn accept(pending: &Pending, answer: Result<Value, Value>) -> Result<Value, Trouble> {
    answer.map_err(|error| Trouble::Refused {
        step: pending.step.clone(),
        error: error.to_string(),
    })
}

/// The trouble of a request that was not answered in time.
#[must_use]
pub fn timed_out(pending: &Pending, rule: String) -> Trouble {
    Trouble::TimedOut {
        step: pending.step.clone(),
        waited_ms: milliseconds(pending.sent.elapsed()),
        rule,
    }
}

/// A duration in whole milliseconds.
#[must_use]
pub fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
