//! The other side of a connection, which reads and writes bytes and knows no rules.

use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, duplex};
use tokio::time::timeout;
use wire::{Call, Error, Incoming, Limits, Peer, Request, connect_streams};

/// No test waits longer for anything. It only passes when something is broken.
pub const DEADLINE: Duration = Duration::from_secs(20);

/// How many bytes fit between the two sides in one direction.
pub const PIPE: usize = 1024;

/// Waits for something that must come.
pub async fn soon<T>(future: impl Future<Output = T>) -> T {
    timeout(DEADLINE, future)
        .await
        .expect("the deadline passed")
}

/// Lets every task run until it waits. The test runtimes have one thread.
pub async fn settle() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}

pub struct RawClient {
    pub output: Option<DuplexStream>,
    pub input: BufReader<DuplexStream>,
}

/// A peer, and the raw client that it is connected to.
pub fn connect(limits: Limits) -> (RawClient, Peer, Incoming) {
    let (output, reader) = duplex(PIPE);
    let (writer, input) = duplex(PIPE);
    let (peer, incoming) = connect_streams(reader, writer, limits);
    let client = RawClient {
        output: Some(output),
        input: BufReader::new(input),
    };
    (client, peer, incoming)
}

impl RawClient {
    pub async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        let output = self.output.as_mut().expect("the output is still open");
        soon(output.write_all(bytes.as_ref())).await.unwrap();
    }

    pub async fn request(&mut self, id: &str, method: &str) {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{}}}}"#);
        self.send(line + "\n").await;
    }

    pub async fn notification(&mut self, method: &str, params: &str) {
        let line = format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#);
        self.send(line + "\n").await;
    }

    /// The next line; empty at the end.
    pub async fn line(&mut self) -> String {
        let mut line = String::new();
        soon(self.input.read_line(&mut line)).await.unwrap();
        line.strip_suffix('\n').unwrap_or(&line).to_owned()
    }

    pub async fn json(&mut self) -> Value {
        serde_json::from_str(&self.line().await).unwrap()
    }

    pub fn close_output(&mut self) {
        self.output = None;
    }
}

pub async fn next_request(incoming: &mut Incoming) -> Request {
    match soon(incoming.next()).await {
        Some(Call::Request(request)) => request,
        other => panic!("expected a request, got {other:?}"),
    }
}

/// Answers every request with its method and params, and `_unknown` with an error.
pub async fn echo(mut incoming: Incoming) {
    while let Some(call) = incoming.next().await {
        if let Call::Request(request) = call {
            match request.method.as_str() {
                "_unknown" => request.responder.error(Error::method_not_found("_unknown")),
                method => request.responder.respond(&(method, request.params.raw())),
            }
        }
    }
}
