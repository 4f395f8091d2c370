//! The way from the loop's MCP server, which is the agent's child, back to the runner: HTTP on the
//! loopback, with a token that only that server is told.
//!
//! Our own few lines of HTTP, for the one client that is our own: a request with a length, an answer
//! with a length, and the end of the connection.

use std::{io, time::Duration};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    time::timeout,
};

use super::looping::{LATEST, SOONEST};
use crate::{event::Event, outlet::Outlet};

/// The variable with the address.
pub const URL: &str = "COLONIZER_BRIDGE_URL";
/// The variable with the token.
pub const TOKEN: &str = "COLONIZER_BRIDGE_TOKEN";

/// The largest body. A larger one is not read.
const MAX_BODY: u64 = 1024 * 1024;

/// The most bytes of a request's head.
const MAX_HEAD: u64 = 16 * 1024;

/// How long a request may take to arrive.
const DEADLINE: Duration = Duration::from_secs(10);

/// How many requests are served at once.
const AT_ONCE: usize = 8;

/// Where the bridge is.
#[derive(Debug)]
pub struct Bridge {
    /// Its address.
    pub url: String,
    /// What a request must bring along.
    pub token: String,
}

/// Starts to listen. It ends with the runtime.
///
/// # Errors
/// No port can be had.
pub async fn start(outlet: Outlet) -> io::Result<Bridge> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let url = format!("http://{}", listener.local_addr()?);
    let token = format!("{:032x}", rand::random::<u128>());
    let expected = format!("bearer {token}");
    tokio::spawn(async move {
        let room = std::sync::Arc::new(Semaphore::new(AT_ONCE));
        while let Ok(permit) = std::sync::Arc::clone(&room).acquire_owned().await {
            let Ok((stream, _)) = listener.accept().await else {
                // No descriptors left, perhaps. It may get better.
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            };
            let (outlet, expected) = (outlet.clone(), expected.clone());
            tokio::spawn(async move {
                let _ = timeout(DEADLINE, serve(stream, &expected, &outlet)).await;
                drop(permit);
            });
        }
    });
    Ok(Bridge { url, token })
}

/// A request, as far as it matters.
#[derive(Debug, Default)]
struct Head {
    method: String,
    path: String,
    authorization: String,
    length: u64,
}

async fn serve(mut stream: TcpStream, expected: &str, outlet: &Outlet) -> io::Result<()> {
    let mut reader = BufReader::new(&mut stream);
    let Some(head) = head(&mut reader).await? else {
        return Ok(());
    };
    if head.length > MAX_BODY {
        return Ok(());
    }
    let mut body = Vec::new();
    (&mut reader)
        .take(head.length)
        .read_to_end(&mut body)
        .await?;
    let (status, answer) = if head.authorization != expected {
        ("401 Unauthorized", json!({"error": "the token is wrong"}))
    } else if head.method != "POST" {
        ("404 Not Found", json!({"error": "there is nothing here"}))
    } else {
        act(&head.path, &body, outlet).await
    };
    let answer = answer.to_string();
    let text = format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: \
         close\r\n\r\n{answer}",
        answer.len()
    );
    stream.write_all(text.as_bytes()).await?;
    stream.shutdown().await
}

async fn head(reader: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Option<Head>> {
    let mut reader = reader.take(MAX_HEAD);
    let mut line = String::new();
    reader.read_line(&mut line).await?;
    let mut words = line.split_whitespace().map(str::to_owned);
    let (Some(method), Some(path)) = (words.next(), words.next()) else {
        return Ok(None);
    };
    let mut head = Head {
        method,
        path,
        ..Head::default()
    };
    loop {
        line.clear();
        if reader.read_line(&mut line).await? == 0 {
            // Cut off, or too long.
            return Ok(None);
        }
        let Some((name, value)) = line.trim_end().split_once(':') else {
            return Ok(Some(head));
        };
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "content-length" => head.length = value.parse().unwrap_or_default(),
            "authorization" => {
                head.authorization = match value.split_once(' ') {
                    Some((scheme, token)) => format!("{} {token}", scheme.to_ascii_lowercase()),
                    None => value.to_owned(),
                };
            }
            _ => {}
        }
    }
}

/// Does what a request asks for: the status and the body of its answer.
async fn act(path: &str, body: &[u8], outlet: &Outlet) -> (&'static str, Value) {
    if !matches!(path, "/loop_next" | "/loop_stop") {
        return ("404 Not Found", json!({"error": "there is nothing here"}));
    }
    let Ok(body) = serde_json::from_slice::<Value>(body) else {
        return ("400 Bad Request", json!({"error": "the body is not JSON"}));
    };
    let reason = body["reason"].as_str().unwrap_or_default().trim();
    if reason.is_empty() {
        return ("200 OK", json!({"error": "a reason is needed"}));
    }
    let reason = reason.to_owned();
    let event = if path == "/loop_stop" {
        Event::LoopStop { reason }
    } else {
        let minutes = body["delay_minutes"]
            .as_f64()
            .filter(|minutes| minutes.is_finite());
        let Some(minutes) = minutes else {
            return ("200 OK", json!({"error": "delay_minutes must be a number"}));
        };
        let delay_minutes = minutes.round().clamp(SOONEST.into(), LATEST.into()) as u32;
        Event::LoopNext {
            delay_minutes,
            reason,
        }
    };
    outlet.send(event).await;
    ("200 OK", json!({"ok": true}))
}
