//! Lists tools whose schemas are no schemas, beside a good one: not an object,
//! missing, and one of three megabytes.
//!
//! A client must offer the good tool.

use std::io;

use super::{honest, peer::Peer};

pub(super) fn run(peer: &mut Peer) -> io::Result<()> {
    honest::serve(peer, |peer, request| {
        if honest::method(request) == "tools/list" {
            let tools = [
                tool("boolean", "true"),
                tool("list", "[]"),
                tool("nothing", "null"),
                r#"{"name":"missing"}"#.to_owned(),
                r#"{"inputSchema":{"type":"object"}}"#.to_owned(),
                r#""no object""#.to_owned(),
                tool("work", r#"{"type":"object"}"#),
                tool("huge", &huge()),
            ];
            let (id, tools) = (&request["id"], tools.join(","));
            peer.raw(format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"tools\":[{tools}]}}}}\n"
            ))?;
            return Ok(true);
        }
        Ok(false)
    })
}

fn tool(name: &str, schema: &str) -> String {
    format!(r#"{{"name":"{name}","inputSchema":{schema}}}"#)
}

fn huge() -> String {
    format!(
        r#"{{"type":"object","description":"{}"}}"#,
        "x".repeat(3_000_000)
    )
}
