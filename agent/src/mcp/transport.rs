//! The pipes to a tool server, for rmcp.
//!
//! rmcp has a transport of its own for this. It is not used, because a server could make it grow or
//! hang: every question of the server becomes a task and an answer that waits for the server to
//! read, every note becomes a task, an answer that is too long is dropped without a word, and the
//! pipe stays open while a write to it waits.
//!
//! Must stay true:
//!
//! - Reading never waits for writing: a server that does not read cannot stop its own answers.
//! - What is kept is bounded, in both directions.
//! - After `close` the server's input is closed, whatever waits to be written.
//!
//! MCP: <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio>

use std::{future::Future, io, sync::Arc, time::Duration};

use rmcp::{
    model::{ClientJsonRpcMessage, JsonRpcMessage, ServerJsonRpcMessage, ServerResult},
    service::RoleClient,
};
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader},
    sync::{mpsc, oneshot},
    time::timeout,
};
use tokio_util::task::AbortOnDropHandle;

use super::{
    incoming::{self, Incoming},
    limits::MAX_LINE,
    signals::{Signals, Trouble},
};

/// Bytes that are read at once: what a pipe holds.
const READ: usize = 64 * 1024;

/// Lines that wait to be written. A call is one, so only answers to a server that asks and does not
/// read can fill it; those that find no room are dropped.
const LINES: usize = 64;

/// How long lines that wait may still be written once the connection is closed.
const LAST_LINES: Duration = Duration::from_millis(250);

/// A line for the server.
struct Line {
    text: String,
    /// Who wants to know that it was written.
    written: Option<oneshot::Sender<io::Result<()>>>,
}

/// The connection to one server.
pub(super) struct Transport {
    stdout: BufReader<Box<dyn AsyncRead + Send + Unpin>>,
    /// What has arrived of the next line. It is kept here, because a wait for it may be dropped.
    line: Vec<u8>,
    /// Whether the rest of a line that was too long is still to be skipped.
    skipping: bool,
    /// Whether `initialize` was answered.
    greeted: bool,
    signals: Arc<Signals>,
    /// Nothing once it is closed.
    lines: Option<mpsc::Sender<Line>>,
    /// Owns the server's input; its end closes it.
    writer: AbortOnDropHandle<()>,
}

impl Transport {
    /// Takes the pipes over. What the server does unasked goes to `signals`.
    pub(super) fn new(
        stdin: impl AsyncWrite + Send + Unpin + 'static,
        stdout: impl AsyncRead + Send + Unpin + 'static,
        signals: Arc<Signals>,
    ) -> Self {
        let (lines, waiting) = mpsc::channel(LINES);
        Self {
            stdout: BufReader::with_capacity(READ, Box::new(stdout)),
            line: Vec::new(),
            skipping: false,
            greeted: false,
            signals,
            lines: Some(lines),
            writer: AbortOnDropHandle::new(tokio::spawn(write(stdin, waiting))),
        }
    }

    /// Reads to the end of the next line that is not too long; false at the end of the output. It
    /// may be dropped and called again.
    async fn read_line(&mut self) -> bool {
        loop {
            let room = if self.skipping {
                READ
            } else {
                MAX_LINE + 1 - self.line.len()
            };
            let mut part = (&mut self.stdout).take(room as u64);
            let read = part.read_until(b'\n', &mut self.line).await;
            let is_whole = self.line.last() == Some(&b'\n');
            match read {
                // The last line may lack its end.
                Ok(0) | Err(_) => return !self.skipping && !self.line.is_empty(),
                Ok(_) if self.skipping => {
                    self.line.clear();
                    self.skipping = !is_whole;
                }
                Ok(_) if is_whole => return true,
                Ok(_) if self.line.len() > MAX_LINE => {
                    self.line = Vec::new();
                    self.skipping = true;
                    self.signals.trouble(Trouble::TooLong);
                }
                Ok(_) => {}
            }
        }
    }

    /// What the line means. Its room is given back when it was a large one.
    fn take_line(&mut self) -> Incoming {
        let incoming = incoming::read(&self.line, self.greeted);
        if self.line.capacity() > READ {
            self.line = Vec::new();
        }
        self.line.clear();
        incoming
    }

    /// Answers the server if there is room.
    fn reply(&self, answer: &serde_json::Value) {
        let line = Line {
            text: format!("{answer}\n"),
            written: None,
        };
        if self
            .lines
            .as_ref()
            .is_none_or(|lines| lines.try_send(line).is_err())
        {
            tracing::debug!("a tool server that does not read gets no answer");
        }
    }
}

impl rmcp::transport::Transport<RoleClient> for Transport {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let text = serde_json::to_string(&message);
        let lines = self.lines.clone();
        async move {
            let (written, done) = oneshot::channel();
            let line = Line {
                text: text.map_err(io::Error::other)? + "\n",
                written: Some(written),
            };
            let lines = lines.ok_or_else(closed)?;
            lines.send(line).await.map_err(|_| closed())?;
            done.await.unwrap_or_else(|_| Err(closed()))
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        while self.read_line().await {
            match self.take_line() {
                Incoming::Answer(message) => {
                    self.greeted |= is_welcome(&message);
                    return Some(*message);
                }
                Incoming::Question(answer) => self.reply(&answer),
                Incoming::ToolsChanged => self.signals.change(),
                Incoming::Batch => self.signals.trouble(Trouble::Batch),
                Incoming::Nothing => {}
            }
        }
        None
    }

    async fn close(&mut self) -> io::Result<()> {
        self.lines = None;
        if timeout(LAST_LINES, &mut self.writer).await.is_err() {
            self.writer.abort();
        }
        Ok(())
    }
}

fn is_welcome(message: &ServerJsonRpcMessage) -> bool {
    let JsonRpcMessage::Response(response) = message else {
        return false;
    };
    matches!(response.result, ServerResult::InitializeResult(_))
}

/// Writes lines until there are no more, or the server takes none.
async fn write(mut stdin: impl AsyncWrite + Unpin, mut lines: mpsc::Receiver<Line>) {
    while let Some(Line { text, written }) = lines.recv().await {
        let result = stdin.write_all(text.as_bytes()).await;
        let is_broken = result.is_err();
        // Who asked may have given up meanwhile.
        let _ = written.map(|written| written.send(result));
        if is_broken {
            return;
        }
    }
}

fn closed() -> io::Error {
    io::ErrorKind::BrokenPipe.into()
}
