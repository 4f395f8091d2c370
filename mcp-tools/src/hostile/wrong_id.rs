//! Answers calls under an id that nobody has used.
//!
//! A client must not take it for the answer to anything; the call has no answer.

use std::io;

use serde_json::json;

use super::{
    honest,
    peer::{Peer, text},
};

pub(super) fn run(peer: &mut Peer) -> io::Result<()> {
    honest::serve(peer, |peer, request| {
        if honest::method(request) == "tools/call" {
            for id in [json!(987_654), json!("no such id"), json!(null)] {
                peer.send(json!({"id": id, "result": text("not for you")}))?;
            }
            return Ok(true);
        }
        Ok(false)
    })
}
