//! A stdio MCP client of a few lines: open the session, call a tool, close.
//!
//! MCP: <https://modelcontextprotocol.io/specification/2025-06-18/basic/lifecycle>

use std::{
    io::{self, BufRead as _, BufReader, PipeWriter, Write as _},
    path::Path,
    process::{Command, Stdio},
    sync::{
        Mutex, PoisonError,
        mpsc::{Receiver, channel},
    },
    thread,
    time::Duration,
};

use serde_json::{Value, json};

use super::shell::ProcessGroup;

/// For each answer of the server; a healthy one needs milliseconds.
const ANSWER: Duration = Duration::from_secs(10);
/// For the server's end after its input closed, before it is killed.
const END: Duration = Duration::from_secs(2);

/// Why a tool server could not be used.
#[derive(Debug, thiserror::Error)]
pub enum ToolServerError {
    /// The entry of `mcpServers` is no stdio server.
    #[error("not a stdio server: {0}")]
    NotStdio(String),
    /// The program cannot be started or written to.
    #[error("tool server: {0}")]
    Pipe(#[from] io::Error),
    /// The server did not answer in time, or ended.
    #[error("the tool server does not answer {0}")]
    NoAnswer(String),
    /// The server answered with an error.
    #[error("the tool server refused {method}: {error}")]
    Refused {
        /// What was asked.
        method: String,
        /// The error or the failed result.
        error: String,
    },
}

/// A running tool server with an open MCP session.
#[derive(Debug)]
pub struct ToolServer {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    group: ProcessGroup,
    input: Option<PipeWriter>,
    answers: Receiver<Value>,
    next_id: u64,
}

impl ToolServer {
    /// Starts the server of one entry of `mcpServers` and opens the session.
    ///
    /// # Errors
    /// See [`ToolServerError`]; the process is gone then.
    pub fn start(entry: &Value, cwd: &Path) -> Result<Self, ToolServerError> {
        let Some(program) = entry["command"].as_str() else {
            return Err(ToolServerError::NotStdio(entry["name"].to_string()));
        };
        let mut command = Command::new(program);
        command.current_dir(cwd);
        let arguments = entry["args"].as_array().into_iter().flatten();
        command.args(arguments.filter_map(Value::as_str));
        for variable in entry["env"].as_array().into_iter().flatten() {
            if let (Some(name), Some(value)) =
                (variable["name"].as_str(), variable["value"].as_str())
            {
                command.env(name, value);
            }
        }
        let (reader, input) = io::pipe()?;
        command.stdin(reader).stdout(Stdio::piped());
        let mut group = ProcessGroup::start(&mut command)?;
        // The command still holds the reading end of the pipe.
        drop(command);

        let (sender, answers) = channel();
        let output = group.leader().stdout.take();
        thread::spawn(move || {
            let lines = output
                .into_iter()
                .flat_map(|out| BufReader::new(out).lines());
            let messages = lines.map_while(Result::ok);
            for message in messages.filter_map(|line| serde_json::from_str(&line).ok()) {
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let server = Self {
            state: Mutex::new(State {
                group,
                input: Some(input),
                answers,
                next_id: 0,
            }),
        };
        match server.open() {
            Ok(()) => Ok(server),
            Err(error) => {
                server.close();
                Err(error)
            }
        }
    }

    fn open(&self) -> Result<(), ToolServerError> {
        let parameters = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "faulty-agent", "version": env!("CARGO_PKG_VERSION")},
        });
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.ask("initialize", parameters)?;
        state.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
    }

    /// Calls a tool and returns its structured content.
    ///
    /// # Errors
    /// See [`ToolServerError`].
    pub fn call(&self, tool: &str, arguments: Value) -> Result<Value, ToolServerError> {
        let parameters = json!({"name": tool, "arguments": arguments});
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut result = state.ask("tools/call", parameters)?;
        drop(state);
        if result["isError"] == true {
            return Err(ToolServerError::Refused {
                method: tool.to_owned(),
                error: result["content"].to_string(),
            });
        }
        Ok(result["structuredContent"].take())
    }

    /// A second handle on the server's input: it stays open as long as that lives.
    ///
    /// # Errors
    /// The input is closed, or the system has no more handles.
    pub fn hold_input(&self) -> io::Result<PipeWriter> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let closed = || io::Error::from(io::ErrorKind::BrokenPipe);
        state.input.as_ref().ok_or_else(closed)?.try_clone()
    }

    /// Closes the server's input and waits for its end; then ends its group.
    pub fn close(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.input.take().is_some() {
            state.group.wait(END);
            let _ = state.group.end();
        }
    }
}

impl State {
    fn say(&mut self, message: &Value) -> Result<(), ToolServerError> {
        let closed = || io::Error::from(io::ErrorKind::BrokenPipe);
        let input = self.input.as_mut().ok_or_else(closed)?;
        input.write_all(format!("{message}\n").as_bytes())?;
        Ok(())
    }

    fn ask(&mut self, method: &str, params: Value) -> Result<Value, ToolServerError> {
        self.next_id += 1;
        let id = self.next_id;
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        loop {
            let no_answer = |_| ToolServerError::NoAnswer(method.to_owned());
            let mut message = self.answers.recv_timeout(ANSWER).map_err(no_answer)?;
            if message["id"] != id {
                continue;
            }
            if let Some(error) = message.get("error") {
                return Err(ToolServerError::Refused {
                    method: method.to_owned(),
                    error: error.to_string(),
                });
            }
            return Ok(message["result"].take());
        }
    }
}
