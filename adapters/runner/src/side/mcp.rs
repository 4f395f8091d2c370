//! As much of an MCP server as two small tool servers need: lines in, lines out, no state.
//!
//! Its own, because both servers are started once a session, answer a few calls, and must not weigh
//! more than that. Blocking: it serves one client that asks one thing after the other.
//!
//! MCP: <https://modelcontextprotocol.io/specification/2024-11-05/basic>

use std::io::{self, BufRead, Read as _, Write};

use serde_json::{Value, json};

/// The revision that is spoken.
const REVISION: &str = "2024-11-05";

/// The longest line that is read, in bytes. Arguments are a few words.
const MAX_LINE: u64 = 1024 * 1024;

const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;

/// What a server offers.
pub trait Tools {
    /// The server's name.
    fn name(&self) -> &'static str;

    /// The tools, as `tools/list` tells them.
    fn list(&self) -> Vec<Value>;

    /// Calls a tool: its text, or nothing if there is none of this name.
    fn call(&mut self, name: &str, arguments: &Value) -> Option<String>;
}

/// Serves until the input ends.
///
/// # Errors
/// Reading or writing failed.
pub fn serve(
    tools: &mut impl Tools,
    mut input: impl BufRead,
    mut output: impl Write,
) -> io::Result<()> {
    loop {
        let mut line = Vec::new();
        if (&mut input).take(MAX_LINE).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        if line.len() as u64 == MAX_LINE && !line.ends_with(b"\n") {
            input.skip_until(b'\n')?;
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        if let Some(answer) = answer(tools, &line) {
            writeln!(output, "{answer}")?;
            output.flush()?;
        }
    }
}

/// The answer to a line, if it needs one.
fn answer(tools: &mut impl Tools, line: &[u8]) -> Option<Value> {
    let failure = |id: &Value, code: i64, message: &str| json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}});
    let Ok(message) = serde_json::from_slice::<Value>(line) else {
        return Some(failure(&Value::Null, PARSE_ERROR, "the line is not JSON"));
    };
    let Some(method) = message["method"].as_str() else {
        let id = &message["id"];
        return Some(failure(id, INVALID_REQUEST, "a message needs a method"));
    };
    // A notification is never answered.
    let id = message.get("id")?;
    let result = match method {
        "initialize" => json!({
            "protocolVersion": REVISION,
            "capabilities": {"tools": {}},
            "serverInfo": {"name": tools.name(), "version": env!("CARGO_PKG_VERSION")},
        }),
        "ping" => json!({}),
        "tools/list" => json!({"tools": tools.list()}),
        "tools/call" => {
            let name = message["params"]["name"].as_str().unwrap_or_default();
            match tools.call(name, &message["params"]["arguments"]) {
                Some(text) => json!({"content": [{"type": "text", "text": text}]}),
                None => return Some(failure(id, INVALID_PARAMS, "there is no such tool")),
            }
        }
        _ => return Some(failure(id, METHOD_NOT_FOUND, "there is no such method")),
    };
    Some(json!({"jsonrpc": "2.0", "id": id, "result": result}))
}

/// A tool as `tools/list` tells it. Each property is a name, a type, a description, and whether it
/// must be there.
pub fn tool(name: &str, description: &str, properties: &[(&str, &str, &str, bool)]) -> Value {
    let members: serde_json::Map<String, Value> = properties
        .iter()
        .map(|(name, kind, words, _)| {
            let property = json!({"type": kind, "description": words});
            ((*name).to_owned(), property)
        })
        .collect();
    let required: Vec<&str> = properties
        .iter()
        .filter(|(_, _, _, is_required)| *is_required)
        .map(|(name, _, _, _)| *name)
        .collect();
    json!({
        "name": name,
        "description": description,
        "inputSchema": {"type": "object", "properties": members, "required": required},
    })
}
