//! Lines on one side, HTTP on the other.
//!
//! Everything behind it (the handshake, the bounds, what a result may be) is written for lines, as
//! they come from a process. So an HTTP server is made to look like one: a message that is written
//! becomes a POST, and each message that comes back becomes a line.
//!
//! Must stay true: a request that was posted has an answer, if need be one that is made here, so
//! that nobody waits for a stream that has ended.
//!
//! MCP: <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http>

use std::{collections::HashMap, time::Duration};

use reqwest::{Response, header::CONTENT_TYPE};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream},
    sync::mpsc,
    task::{AbortHandle, JoinSet},
    time::timeout,
};

use super::{super::limits::MAX_LINE, endpoint::Endpoint};
use crate::http::sse::Events;

/// Requests that are open at the same time. A turn calls one tool after the other.
const OPEN: usize = 64;

/// Lines that wait for their reader.
const LINES: usize = 64;

/// How long a server may take to end its session.
const LAST: Duration = Duration::from_millis(250);

/// Carries messages until the lines end, then ends the session at the server.
pub(super) async fn carry(endpoint: Endpoint, input: DuplexStream, output: DuplexStream) {
    let (lines, waiting) = mpsc::channel(LINES);
    let mut bridge = Bridge {
        endpoint: endpoint.clone(),
        lines,
        open: JoinSet::new(),
        by_id: HashMap::new(),
    };
    let mut written = BufReader::new(input).lines();
    let carrying = async {
        // What is written here is our own and has a bound.
        while let Ok(Some(line)) = written.next_line().await {
            bridge.take(line).await;
        }
    };
    tokio::select! {
        () = carrying => {}
        () = write(waiting, output) => {}
    }
    let _ = timeout(LAST, endpoint.delete()).await;
}

async fn write(mut lines: mpsc::Receiver<Vec<u8>>, mut output: DuplexStream) {
    while let Some(line) = lines.recv().await {
        if output.write_all(&line).await.is_err() {
            return;
        }
    }
}

struct Bridge {
    endpoint: Endpoint,
    lines: mpsc::Sender<Vec<u8>>,
    open: JoinSet<()>,
    by_id: HashMap<String, AbortHandle>,
}

impl Bridge {
    /// Takes one message of ours. Requests go on beside each other; what has to be in order, the
    /// handshake and the notifications, is waited for.
    async fn take(&mut self, line: String) {
        let message: Value = serde_json::from_str(&line).unwrap_or_default();
        let exchange = Exchange {
            endpoint: self.endpoint.clone(),
            lines: self.lines.clone(),
            id: message["id"].clone(),
        };
        match message["method"].as_str() {
            Some("initialize") => exchange.run(line).await,
            Some("notifications/initialized") => {
                exchange.run(line).await;
                self.open
                    .spawn(listen(self.endpoint.clone(), self.lines.clone()));
            }
            Some("notifications/cancelled") => {
                exchange.run(line).await;
                let id = message["params"]["requestId"].to_string();
                if let Some(call) = self.by_id.remove(&id) {
                    call.abort();
                }
            }
            Some(_) if !message["id"].is_null() => {
                while self.open.len() >= OPEN {
                    self.open.join_next().await;
                }
                while self.open.try_join_next().is_some() {}
                self.by_id.retain(|_, call| !call.is_finished());
                let id = message["id"].to_string();
                self.by_id.insert(id, self.open.spawn(exchange.run(line)));
            }
            // A notification, or our answer to a question of the server.
            _ => exchange.run(line).await,
        }
    }
}

/// One message of ours, and what comes back for it.
struct Exchange {
    endpoint: Endpoint,
    lines: mpsc::Sender<Vec<u8>>,
    /// The id of a request; null for everything else.
    id: Value,
}

impl Exchange {
    async fn run(self, message: String) {
        let answered = match self.endpoint.post(message).await {
            Ok(response) => self.read(response).await,
            Err(why) => Err(why),
        };
        let why = match answered {
            Ok(true) => return,
            Ok(false) => "it ended its reply without an answer".to_owned(),
            Err(why) => why,
        };
        if self.id.is_null() {
            return tracing::debug!(why, "a message did not reach its tool server");
        }
        let error = json!({"code": -32000, "message": why});
        let answer = json!({"jsonrpc": "2.0", "id": self.id, "error": error});
        let _ = self.pass(answer.to_string().into_bytes()).await;
    }

    /// Passes on what the reply holds. Returns whether the answer was among it.
    async fn read(&self, response: Response) -> Result<bool, String> {
        let kind = response.headers().get(CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let is_stream = kind.trim_start().starts_with("text/event-stream");
        let mut response = response;
        let mut events = Events::new(MAX_LINE);
        let mut body = Vec::new();
        let mut answered = false;
        while let Some(chunk) = response.chunk().await.map_err(broken)? {
            if is_stream {
                let events = events.push(&chunk).map_err(|_| too_long())?;
                for event in events {
                    answered |= self.pass(event).await;
                }
            } else {
                body.extend_from_slice(&chunk);
                if body.len() > MAX_LINE {
                    return Err(too_long());
                }
            }
        }
        if !is_stream && !body.is_empty() {
            answered |= self.pass(body).await;
        }
        Ok(answered)
    }

    /// Hands a message on as one line. Returns whether it is the answer.
    async fn pass(&self, mut message: Vec<u8>) -> bool {
        let seen: Value = serde_json::from_slice(&message).unwrap_or_default();
        let is_answer = !self.id.is_null() && seen["id"] == self.id && seen["method"].is_null();
        if let Some(version) = seen["result"]["protocolVersion"].as_str() {
            self.endpoint.speak(version);
        }
        // In JSON a line end is a blank, where it can be at all.
        for byte in &mut message {
            if matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
        message.push(b'\n');
        let _ = self.lines.send(message).await;
        is_answer
    }
}

/// Passes on what the server says unasked, while it does.
async fn listen(endpoint: Endpoint, lines: mpsc::Sender<Vec<u8>>) {
    if let Some(response) = endpoint.listen().await {
        let exchange = Exchange {
            endpoint,
            lines,
            id: Value::Null,
        };
        let _ = exchange.read(response).await;
    }
}

fn broken(error: reqwest::Error) -> String {
    format!("its reply broke off: {}", error.without_url())
}

fn too_long() -> String {
    format!("it sent a message longer than {MAX_LINE} bytes")
}
