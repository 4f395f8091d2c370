//! Lists 10,000 tools.
//!
//! A client must bound what it offers to its model, and say that it left some out.

use std::io;

use serde_json::{Value, json};

use super::{
    honest,
    peer::{Peer, tool},
};

pub(super) fn run(peer: &mut Peer) -> io::Result<()> {
    honest::serve(peer, |peer, request| {
        if honest::method(request) == "tools/list" {
            let tools: Vec<Value> = (0..10_000).map(|n| tool(&format!("tool{n}"))).collect();
            peer.answer(request, json!({ "tools": tools }))?;
            return Ok(true);
        }
        Ok(false)
    })
}
