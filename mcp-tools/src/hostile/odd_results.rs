//! Has a tool for each way in which a result can be odd; the tool's name says which.
//!
//! A client must end each call at once, as completed or as failed, and never without a word when it
//! failed.

use std::io;

use serde_json::json;

use super::{
    honest,
    peer::{Peer, tool},
};

const TOOLS: [(&str, &str); 13] = [
    ("silent_error", r#""result":{"content":[],"isError":true}"#),
    (
        "structured_only",
        r#""result":{"structuredContent":{"answer":42}}"#,
    ),
    ("null_content", r#""result":{"content":null}"#),
    ("null_result", r#""result":null"#),
    ("empty_result", r#""result":{}"#),
    ("string_result", r#""result":"done""#),
    ("string_content", r#""result":{"content":"done"}"#),
    (
        "null_block",
        r#""result":{"content":[null,{"type":"text","text":"after null"}]}"#,
    ),
    ("string_error", r#""error":"out of order""#),
    (
        "error_without_code",
        r#""error":{"message":"out of order"}"#,
    ),
    ("error_without_words", r#""error":{"code":-1,"message":""}"#),
    (
        "both",
        r#""result":{"content":[]},"error":{"code":-1,"message":"both"}"#,
    ),
    ("neither", r#""nothing":true"#),
];

pub(super) fn run(peer: &mut Peer) -> io::Result<()> {
    honest::serve(peer, |peer, request| {
        match honest::method(request) {
            "tools/list" => {
                let tools = TOOLS.map(|(name, _)| tool(name));
                peer.answer(request, json!({ "tools": tools }))?;
            }
            "tools/call" => {
                let odd = TOOLS
                    .iter()
                    .find(|(name, _)| *name == honest::called(request));
                let (id, body) = (
                    &request["id"],
                    odd.map_or(r#""result":{}"#, |(_, body)| body),
                );
                peer.raw(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},{body}}}\n"))?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    })
}
