//! A model server that does what a test tells it, byte by byte.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::mpsc,
    time::timeout,
};

/// Only a failure waits for it.
const DEADLINE: Duration = Duration::from_secs(20);

/// One thing that the server does on a connection. At the end of the list it closes it.
#[derive(Debug, Clone)]
pub enum Act {
    /// Sends this.
    Send(String),
    /// Sends this over and over, until the client closes or so many bytes are sent.
    Flood(String, usize),
    /// Sends this now and then, until the client closes.
    Drip(&'static str),
    /// Does nothing until the client closes.
    Hold,
}

/// What a client asked.
#[derive(Debug)]
pub struct Request {
    /// The request line and the headers.
    pub head: String,
    /// The body.
    pub body: Value,
}

/// The server; it ends with the test.
pub struct Server {
    /// Its base URL, without a path.
    pub url: String,
    requests: mpsc::UnboundedReceiver<Request>,
    closed: mpsc::UnboundedReceiver<()>,
    connections: Arc<AtomicUsize>,
}

impl Server {
    /// A server with one list of things to do for each connection; the last one is repeated.
    pub async fn start(connections: Vec<Vec<Act>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (ask, requests) = mpsc::unbounded_channel();
        let (close, closed) = mpsc::unbounded_channel();
        let count = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&count);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let number = counted.fetch_add(1, Ordering::SeqCst);
                let acts = connections[number.min(connections.len() - 1)].clone();
                let (ask, close) = (ask.clone(), close.clone());
                tokio::spawn(async move {
                    if serve(stream, acts, &ask).await {
                        let _ = close.send(());
                    }
                });
            }
        });
        Self {
            url,
            requests,
            closed,
            connections: count,
        }
    }

    /// The next request.
    pub async fn request(&mut self) -> Request {
        let request = timeout(DEADLINE, self.requests.recv()).await;
        request.expect("a request in time").unwrap()
    }

    /// Waits until a client has closed a connection that the server held.
    pub async fn closed(&mut self) {
        let closed = timeout(DEADLINE, self.closed.recv()).await;
        closed.expect("a closed connection in time").unwrap();
    }

    /// How many connections there were.
    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

/// Returns whether the client closed first.
async fn serve(
    mut stream: TcpStream,
    acts: Vec<Act>,
    requests: &mpsc::UnboundedSender<Request>,
) -> bool {
    let Some(request) = read(&mut stream).await else {
        return true;
    };
    let _ = requests.send(request);
    for act in acts {
        let gone = match act {
            Act::Send(text) => stream.write_all(text.as_bytes()).await.is_err(),
            Act::Flood(text, most) => flood(&mut stream, &text, most).await,
            Act::Drip(text) => drip(&mut stream, text).await,
            Act::Hold => stream.read(&mut [0; 64]).await.is_ok(),
        };
        if gone {
            return true;
        }
    }
    let _ = stream.shutdown().await;
    false
}

async fn flood(stream: &mut TcpStream, text: &str, most: usize) -> bool {
    let mut sent = 0;
    while sent < most {
        if stream.write_all(text.as_bytes()).await.is_err() {
            return true;
        }
        sent += text.len();
    }
    false
}

async fn drip(stream: &mut TcpStream, text: &str) -> bool {
    let mut byte = [0; 64];
    loop {
        if stream.write_all(text.as_bytes()).await.is_err() {
            return true;
        }
        let read = timeout(Duration::from_millis(20), stream.read(&mut byte));
        if let Ok(Ok(0) | Err(_)) = read.await {
            return true;
        }
    }
}

async fn read(stream: &mut TcpStream) -> Option<Request> {
    let mut bytes = Vec::new();
    let head = loop {
        if let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break at + 4;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let text = String::from_utf8(bytes[..head].to_vec()).unwrap();
    let length = text.lines().find_map(|line| {
        line.to_ascii_lowercase()
            .strip_prefix("content-length: ")?
            .parse()
            .ok()
    });
    let length: usize = length.unwrap_or(0);
    while bytes.len() < head + length {
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
    let body = serde_json::from_slice(&bytes[head..]).unwrap_or(Value::Null);
    Some(Request { head: text, body })
}

/// The beginning of a stream of events. What follows goes on until the connection is closed.
pub fn stream() -> Act {
    Act::Send(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n".into(),
    )
}

/// An event with this data.
pub fn event(data: Value) -> Act {
    Act::Send(format!("data: {data}\n\n"))
}

/// A whole answer with this status.
pub fn status(status: u16, headers: &str, body: &str) -> Vec<Act> {
    let length = body.len();
    vec![Act::Send(format!(
        "HTTP/1.1 {status} X\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n{body}"
    ))]
}

/// A whole reply of OpenAI's wire that says this.
pub fn says(text: &str) -> Vec<Act> {
    vec![
        stream(),
        event(json!({"choices": [{"delta": {"content": text}}]})),
        event(json!({"choices": [{"delta": {}, "finish_reason": "stop"}]})),
        Act::Send("data: [DONE]\n\n".into()),
    ]
}

/// A whole reply of OpenAI's wire that calls this tool, with these arguments as they are.
pub fn calls(name: &str, arguments: &str) -> Vec<Act> {
    let function = json!({"name": name, "arguments": arguments});
    let call = json!({"index": 0, "id": "c1", "function": function});
    vec![
        stream(),
        event(json!({"choices": [{"delta": {"tool_calls": [call]}}]})),
        event(json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]})),
        Act::Send("data: [DONE]\n\n".into()),
    ]
}
