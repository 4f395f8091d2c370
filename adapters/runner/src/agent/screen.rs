//! What the agent says, with the lines taken out that are no message.
//!
//! It stands before the connection, because only the runner wants to tell its host about such
//! lines: `wire` would answer them, and an agent that prints its log to standard output would be
//! answered for each line of it.
//!
//! Must stay true: messages pass byte for byte and in order, and a reader that is slow slows the
//! agent down.

use serde::de::IgnoredAny;
use tokio::{
    io::{
        AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWriteExt as _, BufReader,
        DuplexStream,
    },
    sync::mpsc,
};

/// How much may wait between the agent and the connection.
const BUFFER: usize = 64 * 1024;

/// How many characters of a stray line are shown.
const SHOWN: usize = 200;

/// How many stray lines may wait to be told. More are not told: one in a flood is like another.
const WAITING: usize = 64;

/// Passes the lines of `stream` that may be messages on, and the beginnings of the others aside.
pub(super) fn screen(
    stream: impl AsyncRead + Send + Unpin + 'static,
    max_line: usize,
) -> (DuplexStream, mpsc::Receiver<String>) {
    let (mut messages, reader) = tokio::io::duplex(BUFFER);
    let (stray, strays) = mpsc::channel(WAITING);
    tokio::spawn(async move {
        let mut stream = BufReader::with_capacity(BUFFER, stream);
        let mut line = Vec::new();
        loop {
            line.clear();
            let mut part = (&mut stream).take(max_line as u64);
            match part.read_until(b'\n', &mut line).await {
                Ok(0) | Err(_) => break,
                Ok(_) => {}
            }
            if line.len() == max_line && !line.ends_with(b"\n") {
                // `stray` is lossy on purpose; the rest of the line is judged by itself.
                let _ = stray.try_send(beginning(&line));
                continue;
            }
            if is_message(&line) {
                if messages.write_all(&line).await.is_err() {
                    break;
                }
            } else if !line.trim_ascii().is_empty() {
                let _ = stray.try_send(beginning(&line));
            }
            if line.capacity() > BUFFER {
                line = Vec::new();
            }
        }
    });
    (reader, strays)
}

/// Whether a line is a JSON object. What is in it is for the connection to judge.
fn is_message(line: &[u8]) -> bool {
    line.trim_ascii_start().starts_with(b"{")
        && str::from_utf8(line).is_ok_and(|text| serde_json::from_str::<IgnoredAny>(text).is_ok())
}

fn beginning(line: &[u8]) -> String {
    let line = line.trim_ascii();
    let text = String::from_utf8_lossy(&line[..line.len().min(SHOWN * 4)]);
    text.chars().take(SHOWN).collect()
}
