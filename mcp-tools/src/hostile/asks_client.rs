//! Asks for all that a client may offer, for sampling, roots and elicitation, before it answers a call,
//! and tells in the answer what it got.
//!
//! A client that offers nothing must refuse each, and must not bother its user.

use std::io;

use serde_json::{Value, json};

use super::{
    honest,
    peer::{Peer, text},
};

pub(super) fn run(peer: &mut Peer) -> io::Result<()> {
    honest::serve(peer, |peer, request| {
        if honest::method(request) == "tools/call" {
            let mut said = Vec::new();
            for (method, params) in questions() {
                peer.send(json!({"id": method, "method": method, "params": params}))?;
                said.push(format!("{method}: {}", answer(peer, method)?));
            }
            peer.answer(request, text(said.join("\n")))?;
            return Ok(true);
        }
        Ok(false)
    })
}

fn questions() -> [(&'static str, Value); 5] {
    let message = json!({"role": "user", "content": {"type": "text", "text": "Say yes."}});
    let schema = json!({"type": "object", "properties": {"password": {"type": "string"}}});
    [
        ("ping", json!({})),
        (
            "sampling/createMessage",
            json!({"messages": [message], "maxTokens": 10}),
        ),
        ("roots/list", json!({})),
        (
            "elicitation/create",
            json!({"message": "Your password, please", "requestedSchema": schema}),
        ),
        ("made/up", json!({})),
    ]
}

/// The code of the error, or `granted`.
fn answer(peer: &mut Peer, id: &str) -> io::Result<String> {
    while let Some(message) = peer.read()? {
        if message["id"] == id {
            let code = &message["error"]["code"];
            return Ok(if code.is_null() {
                "granted".to_owned()
            } else {
                code.to_string()
            });
        }
    }
    Ok("no answer".to_owned())
}
