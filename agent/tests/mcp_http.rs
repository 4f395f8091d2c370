//! Tool servers over streamable HTTP, against a small one on loopback.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

mod support;

use std::sync::{Arc, Mutex};

use acp_agent::mode::Mode;
use serde_json::{Value, json};
use support::{
    client::{Client, Setup},
    script::{Do, Script},
};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    sync::Notify,
    task::JoinHandle,
};

const SECRET: &str = "Bearer s3cret";

/// A server, and what it was asked.
struct Http {
    url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
    changed: Arc<Notify>,
    served: JoinHandle<()>,
}

#[derive(Debug, Clone)]
struct Seen {
    verb: String,
    headers: String,
    body: Value,
}

impl Http {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let seen = Arc::<Mutex<Vec<Seen>>>::default();
        let changed = Arc::new(Notify::new());
        let (keep, tell) = (Arc::clone(&seen), Arc::clone(&changed));
        let served = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&keep), Arc::clone(&tell)));
            }
        });
        Self {
            url,
            seen,
            changed,
            served,
        }
    }

    /// Waits until the server has been asked this.
    async fn asked(&self, wanted: impl Fn(&Seen) -> bool) -> Seen {
        let waiting = async {
            loop {
                let changed = self.changed.notified();
                if let Some(seen) = self.seen.lock().unwrap().iter().find(|one| wanted(one)) {
                    return seen.clone();
                }
                changed.await;
            }
        };
        let deadline = std::time::Duration::from_secs(20);
        tokio::time::timeout(deadline, waiting)
            .await
            .expect("asked in time")
    }

    fn server(&self, secret: &str) -> Value {
        let headers = json!([{"name": "Authorization", "value": secret}]);
        json!({"type": "http", "name": "web", "url": self.url, "headers": headers})
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        self.served.abort();
    }
}

/// Serves one request of one connection.
async fn serve(stream: TcpStream, seen: Arc<Mutex<Vec<Seen>>>, changed: Arc<Notify>) {
    let mut stream = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let from = head.len();
        if stream.read_line(&mut head).await.unwrap_or(0) == 0 {
            return;
        }
        let line = head[from..].trim().to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.unwrap();
    let one = Seen {
        verb: head.split(' ').next().unwrap_or_default().to_owned(),
        body: serde_json::from_slice(&body).unwrap_or_default(),
        headers: head.to_ascii_lowercase(),
    };
    seen.lock().unwrap().push(one.clone());
    changed.notify_waiters();
    let answer = answer(&one);
    let _ = stream.write_all(answer.as_bytes()).await;
    if one.body["params"]["name"] == "slow" {
        // The reply is open until the client has had enough.
        let _ = stream.read(&mut [0]).await;
    }
}

fn answer(seen: &Seen) -> String {
    let reply = |status: &str, more: &str, body: &str| {
        let length = body.len();
        format!(
            "HTTP/1.1 {status}\r\n{more}Connection: close\r\nContent-Length: {length}\r\n\r\n{body}"
        )
    };
    if !seen
        .headers
        .contains(&format!("authorization: {}", SECRET.to_ascii_lowercase()))
    {
        return reply("401 Unauthorized", "WWW-Authenticate: Bearer\r\n", "");
    }
    if seen.verb == "DELETE" {
        return reply("200 OK", "", "");
    }
    if seen.verb == "GET" {
        return reply("405 Method Not Allowed", "", "");
    }
    let id = &seen.body["id"];
    let result = |result: Value| json!({"jsonrpc": "2.0", "id": id, "result": result});
    let stream = |messages: &[Value]| {
        let events: String = messages
            .iter()
            .map(|message| format!("event: message\r\ndata: {message}\r\n\r\n"))
            .collect();
        let head =
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
        format!("{head}{events}")
    };
    match seen.body["method"].as_str() {
        Some("initialize") => {
            let hello = json!({
                "protocolVersion": seen.body["params"]["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "web", "version": "1"},
            });
            // Over several lines, which a line of ours must not be.
            let body = serde_json::to_string_pretty(&result(hello)).unwrap();
            let more = "Content-Type: application/json\r\nMcp-Session-Id: s-1\r\n";
            reply("200 OK", more, &body)
        }
        Some("tools/list") => {
            let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
            stream(&[result(
                json!({"tools": [tool("echo"), tool("slow"), tool("silent")]}),
            )])
        }
        Some("tools/call") => match seen.body["params"]["name"].as_str() {
            Some("echo") => {
                let log = json!({"jsonrpc": "2.0", "method": "notifications/message",
                    "params": {"level": "info", "data": "x"}});
                let text = seen.body["params"]["arguments"]["text"].clone();
                let said = json!({"content": [{"type": "text", "text": text}]});
                stream(&[log, result(said)])
            }
            _ => stream(&[]),
        },
        _ => reply("202 Accepted", "", ""),
    }
}

async fn session(client: &mut Client, server: Value) -> String {
    let answer = client.initialize().await;
    let http = &answer["result"]["agentCapabilities"]["mcpCapabilities"]["http"];
    assert_eq!(*http, true);
    let cwd = client.workspace.path().to_owned();
    let new = json!({"cwd": cwd, "mcpServers": [server]});
    let answer = client.call("session/new", new).await;
    answer["result"]["sessionId"].as_str().unwrap().to_owned()
}

fn calling(tool: &'static str) -> Client {
    let call = Do::Call(tool, json!({"text": "MARK7"}));
    let script = Script::new([vec![call], vec![Do::End]]);
    let setup = Setup {
        mode: Mode::FullAccess,
        ..Setup::default()
    };
    Client::start_with(script, setup)
}

#[tokio::test]
async fn a_tool_is_called_with_the_headers_and_the_session_is_ended() {
    let http = Http::start().await;
    let mut client = calling("echo");
    let session = session(&mut client, http.server(SECRET)).await;
    assert_eq!(client.turn(&session, "x").await, "end_turn");
    let updates = client.updates();
    let done = updates.iter().find(|u| u["status"] == "completed");
    assert!(done.unwrap().to_string().contains("MARK7"), "{updates:?}");
    let call = http.asked(|seen| seen.body["method"] == "tools/call").await;
    for header in [
        "mcp-session-id: s-1",
        "mcp-protocol-version: ",
        "accept: application/json, text/event-stream",
    ] {
        assert!(call.headers.contains(header), "{header} {}", call.headers);
    }
    client
        .call("session/close", json!({"sessionId": session}))
        .await;
    let delete = http.asked(|seen| seen.verb == "DELETE").await;
    assert!(delete.headers.contains("mcp-session-id: s-1"));
}

#[tokio::test]
async fn a_login_that_is_refused_is_a_failed_start_and_tells_no_secret() {
    let http = Http::start().await;
    let mut client = calling("echo");
    let session = session(&mut client, http.server("Bearer wr0ng")).await;
    assert_eq!(client.turn(&session, "x").await, "end_turn");
    let updates = client.updates();
    let failed = updates.iter().find(|u| u["status"] == "failed").unwrap();
    let text = failed.to_string();
    assert!(text.contains("web") && text.contains("HTTP 401"), "{text}");
    assert!(!text.contains("wr0ng") && !text.contains("/mcp"), "{text}");
}

#[tokio::test]
async fn a_server_that_is_not_there_is_a_failed_start() {
    let http = Http::start().await;
    let server = http.server(SECRET);
    drop(http);
    let mut client = calling("echo");
    let session = session(&mut client, server).await;
    client.turn(&session, "x").await;
    let updates = client.updates();
    let failed = updates.iter().find(|u| u["status"] == "failed").unwrap();
    assert!(failed.to_string().contains("cannot be reached"), "{failed}");
}

#[tokio::test]
async fn a_cancel_reaches_the_server_and_ends_the_turn() {
    let http = Http::start().await;
    let mut client = calling("slow");
    let session = session(&mut client, http.server(SECRET)).await;
    let id = client.prompt(&session, "x").await;
    let call = http.asked(|seen| seen.body["method"] == "tools/call").await;
    client.cancel(&session).await;
    assert_eq!(client.answer(id).await["result"]["stopReason"], "cancelled");
    let cancelled = http
        .asked(|seen| seen.body["method"] == "notifications/cancelled")
        .await;
    assert_eq!(cancelled.body["params"]["requestId"], call.body["id"]);
}

#[tokio::test]
async fn a_reply_without_an_answer_fails_its_call_only() {
    let http = Http::start().await;
    let mut client = calling("silent");
    let session = session(&mut client, http.server(SECRET)).await;
    assert_eq!(client.turn(&session, "x").await, "end_turn");
    let updates = client.updates();
    let failed = updates.iter().find(|u| u["status"] == "failed").unwrap();
    assert!(failed.to_string().contains("without an answer"), "{failed}");
}

#[tokio::test]
async fn the_trace_context_of_a_prompt_is_handed_on_and_nothing_else() {
    let http = Http::start().await;
    let mut client = calling("echo");
    let session = session(&mut client, http.server(SECRET)).await;
    let params = json!({
        "sessionId": session,
        "prompt": [{"type": "text", "text": "x"}],
        "_meta": {"traceparent": "00-1-2-01", "example.com/own": true},
    });
    client.call("session/prompt", params).await;
    let call = http.asked(|seen| seen.body["method"] == "tools/call").await;
    let meta = &call.body["params"]["_meta"];
    assert_eq!(meta["traceparent"], "00-1-2-01", "{call:?}");
    assert!(meta.get("example.com/own").is_none(), "{call:?}");
}
