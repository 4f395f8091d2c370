//! A client that speaks raw JSON lines with an agent over pipes.
//!
//! It shares no code with the agent, so that a fault cannot hide in both. Every wait has a
//! deadline, and whatever is on stdout that is no JSON-RPC message is a finding.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/transports#stdio>

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{ChildStdin, ChildStdout, ExitStatus},
    sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    finding::{Finding, Found, must},
    judge::Judge,
    program::{Program, Setup},
};

/// How long to wait for what must come. Only a failure waits for it, and the machine may be busy.
pub const DEADLINE: Duration = Duration::from_secs(60);

/// How long an agent may take to end once its input is closed: twice the budget of the reference
/// agent, for a busy machine.
pub const END_DEADLINE: Duration = Duration::from_secs(10);

/// Lines that are read ahead. A client that looks away for longer is a slow reader.
const AHEAD: usize = 256;

/// One agent and the client's ends of its pipes.
#[derive(Debug)]
pub struct Client {
    /// The agent itself.
    pub program: Program,
    stdin: Option<ChildStdin>,
    lines: Receiver<Found<Value>>,
    last_id: i64,
    kept: Vec<Value>,
    judge: Option<Judge>,
}

impl Client {
    /// Starts an agent and initializes it.
    ///
    /// # Errors
    /// It does not start, or does not answer.
    pub fn start(setup: &Setup) -> Found<Self> {
        let mut client = Self::start_silent(setup)?;
        let params = json!({"protocolVersion": 1, "clientCapabilities": {}});
        let answer = client.call("initialize", params)?;
        must(answer["result"]["protocolVersion"] == 1, || {
            format!("initialize was answered with {answer}")
        })?;
        Ok(client)
    }

    /// Starts an agent and says nothing.
    ///
    /// # Errors
    /// It does not start.
    pub fn start_silent(setup: &Setup) -> Found<Self> {
        let (program, stdin, stdout) = Program::start(setup)?;
        let (sender, lines) = sync_channel(AHEAD);
        thread::spawn(move || read(stdout, &sender));
        Ok(Self {
            program,
            stdin: Some(stdin),
            lines,
            last_id: 0,
            kept: Vec::new(),
            judge: None,
        })
    }

    /// Has everything judged from here on. Not for who writes bytes as they are.
    pub fn judge(&mut self) {
        self.judge = Some(Judge::default());
    }

    /// Writes bytes as they are.
    ///
    /// # Errors
    /// The agent has closed its input.
    pub fn raw(&mut self, bytes: &[u8]) -> Found<()> {
        let closed = || Finding("the input is closed already".to_owned());
        self.stdin
            .as_mut()
            .ok_or_else(closed)?
            .write_all(bytes)
            .map_err(Finding::cannot("write to the agent"))
    }

    /// Sends a message.
    ///
    /// # Errors
    /// The agent has closed its input.
    pub fn send(&mut self, message: &Value) -> Found<()> {
        if let Some(judge) = &mut self.judge {
            judge.sent(message);
        }
        self.raw(format!("{message}\n").as_bytes())
    }

    /// Sends a notification.
    ///
    /// # Errors
    /// The agent has closed its input.
    pub fn notify(&mut self, method: &str, params: Value) -> Found<()> {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}))
    }

    /// A request with the next id, not sent yet.
    pub fn message(&mut self, method: &str, params: Value) -> (i64, Value) {
        self.last_id += 1;
        let id = self.last_id;
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        (id, message)
    }

    /// Sends a request and says its id.
    ///
    /// # Errors
    /// The agent has closed its input.
    pub fn request(&mut self, method: &str, params: Value) -> Found<i64> {
        let (id, message) = self.message(method, params);
        self.send(&message)?;
        Ok(id)
    }

    /// The next message, or nothing at the end of the output.
    ///
    /// # Errors
    /// None came in time, or it is no message.
    pub fn receive(&mut self) -> Found<Option<Value>> {
        match self.receive_within(DEADLINE)? {
            Next::Message(message) => Ok(Some(message)),
            Next::End => Ok(None),
            Next::Nothing => Err(Finding(format!(
                "no message within {DEADLINE:?}; stderr ends with {:?}",
                self.program.stderr()
            ))),
        }
    }

    /// The next message, if one comes in that time.
    ///
    /// # Errors
    /// It is no message.
    pub fn receive_within(&mut self, time: Duration) -> Found<Next> {
        match self.lines.recv_timeout(time) {
            Ok(message) => {
                let message = message?;
                if let Some(judge) = &mut self.judge {
                    judge.came(&message)?;
                }
                Ok(Next::Message(message))
            }
            Err(RecvTimeoutError::Timeout) => Ok(Next::Nothing),
            Err(RecvTimeoutError::Disconnected) => Ok(Next::End),
        }
    }

    /// The next message that is wanted. Those before it are kept for [`Client::seen`].
    ///
    /// # Errors
    /// It did not come in time, or the output ended first.
    pub fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Found<Value> {
        let deadline = Instant::now() + DEADLINE;
        while let Some(message) = self.receive()? {
            if wanted(&message) {
                return Ok(message);
            }
            self.kept.push(message);
            must(Instant::now() < deadline, || {
                format!(
                    "what was waited for did not come; the last messages: {:?}",
                    self.last()
                )
            })?;
        }
        Err(Finding(format!(
            "the output ended before what was waited for; stderr ends with {:?}, stdout with {:?}",
            self.program.stderr(),
            self.last()
        )))
    }

    /// The answer to a request.
    ///
    /// # Errors
    /// It did not come.
    pub fn answer(&mut self, id: i64) -> Found<Value> {
        self.until(|message| message["id"] == id && message.get("method").is_none())
    }

    /// Sends a request and waits for its answer.
    ///
    /// # Errors
    /// It did not come.
    pub fn call(&mut self, method: &str, params: Value) -> Found<Value> {
        let id = self.request(method, params)?;
        self.answer(id)
    }

    /// What came before the messages that were waited for, since the last call.
    pub fn seen(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.kept)
    }

    /// The updates among what was seen.
    pub fn updates(&mut self) -> Vec<Value> {
        self.seen().iter().filter_map(update).cloned().collect()
    }

    /// Makes a session that works in `cwd`.
    ///
    /// # Errors
    /// It was refused.
    pub fn session(&mut self, cwd: &Path) -> Found<String> {
        let answer = self.call("session/new", json!({"cwd": cwd, "mcpServers": []}))?;
        let id = answer["result"]["sessionId"].as_str();
        id.map(ToOwned::to_owned)
            .ok_or_else(|| Finding(format!("session/new was answered with {answer}")))
    }

    /// Sends a prompt of one text.
    ///
    /// # Errors
    /// The agent has closed its input.
    pub fn prompt(&mut self, session: &str, text: &str) -> Found<i64> {
        let prompt = json!([{"type": "text", "text": text}]);
        self.request(
            "session/prompt",
            json!({"sessionId": session, "prompt": prompt}),
        )
    }

    /// Sends a prompt and says its stop reason, or the whole answer when it is an error.
    ///
    /// # Errors
    /// It was not answered.
    pub fn turn(&mut self, session: &str, text: &str) -> Found<Value> {
        let id = self.prompt(session, text)?;
        let answer = self.answer(id)?;
        Ok(match answer.get("result") {
            Some(result) => result["stopReason"].clone(),
            None => answer,
        })
    }

    /// Loads a session that works in `cwd`.
    ///
    /// # Errors
    /// The request was not answered.
    pub fn load(&mut self, session: &str, cwd: &Path) -> Found<Value> {
        self.call(
            "session/load",
            json!({"sessionId": session, "cwd": cwd, "mcpServers": []}),
        )
    }

    /// Cancels the turn of a session.
    ///
    /// # Errors
    /// The agent has closed its input.
    pub fn cancel(&mut self, session: &str) -> Found<()> {
        self.notify("session/cancel", json!({"sessionId": session}))
    }

    /// Waits until a tool call of the session runs.
    ///
    /// # Errors
    /// None did.
    pub fn running(&mut self, session: &str) -> Found<Value> {
        self.until(|message| {
            message["params"]["sessionId"] == session
                && message["params"]["update"]["status"] == "in_progress"
        })
    }

    /// Answers a permission request with the first option of this kind.
    ///
    /// # Errors
    /// It has no such option, or the agent has closed its input.
    pub fn choose(&mut self, request: &Value, kind: &str) -> Found<()> {
        let options = request["params"]["options"].as_array();
        let option = options
            .and_then(|options| options.iter().find(|option| option["kind"] == kind))
            .ok_or_else(|| Finding(format!("no option {kind} in {request}")))?;
        let outcome = json!({"outcome": "selected", "optionId": option["optionId"]});
        self.send(&json!({"jsonrpc": "2.0", "id": request["id"], "result": {"outcome": outcome}}))
    }

    /// Closes the agent's input.
    pub fn close(&mut self) {
        self.stdin = None;
        self.is_to_end();
    }

    /// The agent was asked to end: what is cancelled from here on is cancelled for that.
    pub fn is_to_end(&mut self) {
        if let Some(judge) = &mut self.judge {
            judge.closed();
        }
    }

    /// Closes the input, reads to the end and waits for the agent's end.
    ///
    /// # Errors
    /// It does not end in time.
    pub fn end(mut self) -> Found<Ended> {
        self.close();
        let begin = Instant::now();
        let mut messages = self.seen();
        while begin.elapsed() < END_DEADLINE {
            match self.receive_within(END_DEADLINE)? {
                Next::Message(message) => messages.push(message),
                Next::End => break,
                Next::Nothing => {}
            }
        }
        let (status, _) = self.program.wait(END_DEADLINE)?;
        if let Some(judge) = &self.judge {
            judge.ended()?;
        }
        Ok(Ended {
            messages,
            status,
            took: begin.elapsed(),
        })
    }

    /// What can be read after the agent was killed: what it had already written.
    ///
    /// # Errors
    /// It was no message. A last line without its end is none, and no finding.
    pub fn rest(&mut self) -> Found<Vec<Value>> {
        let mut messages = self.seen();
        while let Some(message) = self.receive()? {
            messages.push(message);
        }
        Ok(messages)
    }

    fn last(&self) -> Vec<&Value> {
        self.kept.iter().rev().take(5).collect()
    }
}

/// What came, or did not.
#[derive(Debug)]
pub enum Next {
    /// This.
    Message(Value),
    /// Nothing in that time.
    Nothing,
    /// The output has ended.
    End,
}

/// How an agent ended.
#[derive(Debug)]
pub struct Ended {
    /// What it still said, behind what was seen before.
    pub messages: Vec<Value>,
    /// Its exit status.
    pub status: ExitStatus,
    /// How long it took from the end of its input.
    pub took: Duration,
}

/// The update of a session in a message, if it is one.
#[must_use]
pub fn update(message: &Value) -> Option<&Value> {
    (message["method"] == "session/update").then(|| &message["params"]["update"])
}

/// The joined text of the chunks of one kind among these updates.
#[must_use]
pub fn text_of(kind: &str, updates: &[Value]) -> String {
    let chunks = updates
        .iter()
        .filter(|update| update["sessionUpdate"] == kind);
    chunks
        .filter_map(|chunk| chunk["content"]["text"].as_str())
        .collect()
}

/// What the agent said among these updates.
#[must_use]
pub fn text(updates: &[Value]) -> String {
    text_of("agent_message_chunk", updates)
}

/// Reads lines until the output ends or nobody wants them any more.
fn read(stdout: ChildStdout, sender: &SyncSender<Found<Value>>) {
    let mut stdout = BufReader::new(stdout);
    let mut line = Vec::new();
    while matches!(stdout.read_until(b'\n', &mut line), Ok(1..)) {
        // Of an agent that was killed the last line may be half.
        if !line.ends_with(b"\n") || sender.send(parse(&line)).is_err() {
            return;
        }
        line.clear();
        line.shrink_to(1 << 20);
    }
}

fn parse(line: &[u8]) -> Found<Value> {
    let shown = || String::from_utf8_lossy(&line[..line.len().min(500)]).into_owned();
    let message: Value = serde_json::from_slice(line).map_err(|error| {
        Finding(format!(
            "a line on stdout is no JSON ({error}): {}",
            shown()
        ))
    })?;
    must(message["jsonrpc"] == "2.0", || {
        format!("a line on stdout is no JSON-RPC message: {}", shown())
    })?;
    Ok(message)
}
