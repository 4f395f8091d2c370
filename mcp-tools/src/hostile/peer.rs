//! Raw MCP over stdio: JSON lines, written and read by hand.
//!
//! No library stands in between, because a library keeps its user from misbehaving. Errors end the
//! program: a client that is gone needs no server.
//!
//! MCP: <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio>

use std::{
    env,
    io::{self, BufRead, StdinLock, Stdout, Write},
};

use serde_json::{Value, json};

/// The client at the other end.
pub struct Peer {
    input: StdinLock<'static>,
    output: Stdout,
    /// What stands behind the name of the behaviour on the command line. Processes that a behaviour
    /// starts get it too, so that all of them can be found by it.
    pub args: Vec<String>,
}

impl Peer {
    /// The client on the standard streams of this process.
    #[must_use]
    pub fn new(args: Vec<String>) -> Self {
        Self {
            input: io::stdin().lock(),
            output: io::stdout(),
            args,
        }
    }

    /// The next message; `None` at the end of the input.
    pub(super) fn read(&mut self) -> io::Result<Option<Value>> {
        let mut line = String::new();
        if self.input.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        Ok(Some(serde_json::from_str(&line)?))
    }

    /// Writes bytes as they are.
    pub(super) fn raw(&mut self, bytes: impl AsRef<[u8]>) -> io::Result<()> {
        self.output.write_all(bytes.as_ref())?;
        self.output.flush()
    }

    /// Writes a message.
    pub(super) fn send(&mut self, mut message: Value) -> io::Result<()> {
        message["jsonrpc"] = json!("2.0");
        self.raw(format!("{message}\n"))
    }

    /// Answers a request.
    pub(super) fn answer(&mut self, request: &Value, result: Value) -> io::Result<()> {
        self.send(json!({"id": request["id"], "result": result}))
    }

    /// Answers a request with an error.
    pub(super) fn refuse(&mut self, request: &Value, code: i32, message: &str) -> io::Result<()> {
        let error = json!({"code": code, "message": message});
        self.send(json!({"id": request["id"], "error": error}))
    }

    /// Starts this program once more, with another behaviour and the same arguments behind it.
    pub(super) fn command(&self, behaviour: &str) -> io::Result<std::process::Command> {
        let mut command = std::process::Command::new(env::current_exe()?);
        command.arg(behaviour).args(&self.args);
        Ok(command)
    }
}

/// Text as the result of a call.
pub(super) fn text(text: impl Into<String>) -> Value {
    json!({"content": [{"type": "text", "text": text.into()}]})
}

/// A tool that takes anything.
pub(super) fn tool(name: &str) -> Value {
    json!({"name": name, "inputSchema": {"type": "object"}})
}
