//! Does nothing wrong: the healthy neighbour in tests, and what the other behaviours deviate from.
//!
//! A client must use its tools: `echo` gives back its arguments, `next` counts in the memory of the
//! process, `about` tells the working directory, the arguments and the environment.

use std::{env, io, process};

use serde_json::{Value, json};

use super::peer::{Peer, text, tool};

/// The version of MCP that all behaviours speak, but for the one that does not.
pub(super) const VERSION: &str = "2025-11-25";

pub(super) fn run(peer: &mut Peer) -> io::Result<()> {
    let mut count = 0;
    serve(peer, |peer, request| {
        match (method(request), called(request)) {
            ("tools/list", _) => {
                let tools = ["echo", "next", "about"].map(tool);
                peer.answer(request, json!({ "tools": tools }))?;
            }
            ("tools/call", "echo") => {
                let arguments = request["params"]["arguments"].to_string();
                peer.answer(request, text(arguments))?;
            }
            ("tools/call", "next") => {
                count += 1;
                peer.answer(request, text(format!("{count} from {}", process::id())))?;
            }
            ("tools/call", "about") => peer.answer(request, about(peer)?)?,
            _ => return Ok(false),
        }
        Ok(true)
    })
}

fn about(peer: &Peer) -> io::Result<Value> {
    let environment: serde_json::Map<_, _> = env::vars_os()
        .map(|(name, value)| {
            let value = value.to_string_lossy().into_owned();
            (name.to_string_lossy().into_owned(), value.into())
        })
        .collect();
    let about = json!({"cwd": env::current_dir()?, "args": peer.args, "env": environment});
    Ok(json!({"content": [], "structuredContent": about}))
}

/// Serves until the end of the input as a server should, with one tool `work`. `odd` sees each
/// message first, and says whether it has dealt with it.
pub(super) fn serve(
    peer: &mut Peer,
    mut odd: impl FnMut(&mut Peer, &Value) -> io::Result<bool>,
) -> io::Result<()> {
    while let Some(message) = peer.read()? {
        if odd(peer, &message)? || message.get("id").is_none() || message.get("method").is_none() {
            continue;
        }
        match method(&message) {
            "initialize" => peer.answer(&message, welcome(VERSION))?,
            "tools/list" => peer.answer(&message, json!({"tools": [tool("work")]}))?,
            "tools/call" => peer.answer(&message, text("worked"))?,
            "ping" => peer.answer(&message, json!({}))?,
            _ => peer.refuse(&message, -32601, "no such method")?,
        }
    }
    Ok(())
}

/// The answer to `initialize`.
pub(super) fn welcome(version: &str) -> Value {
    json!({
        "protocolVersion": version,
        "capabilities": {"tools": {"listChanged": true}},
        "serverInfo": {"name": "hostile", "version": "1"},
    })
}

/// The method of a message.
pub(super) fn method(message: &Value) -> &str {
    message["method"].as_str().unwrap_or_default()
}

/// The tool that a request calls.
pub(super) fn called(request: &Value) -> &str {
    request["params"]["name"].as_str().unwrap_or_default()
}

/// Stays for ever, whatever happens.
pub(super) fn stay() -> ! {
    loop {
        std::thread::park();
    }
}
