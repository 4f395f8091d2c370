//! Answers every request twice.
//!
//! A client must take the first answer and drop the second: it must not become the answer to the next
//! request.

use std::io;

use serde_json::json;

use super::{
    honest,
    peer::{Peer, text, tool},
};

pub(super) fn run(peer: &mut Peer) -> io::Result<()> {
    let mut count = 0;
    honest::serve(peer, |peer, request| {
        let result = match honest::method(request) {
            "initialize" => honest::welcome(honest::VERSION),
            "tools/list" => json!({"tools": [tool("work")]}),
            "tools/call" => {
                count += 1;
                text(format!("answer {count}"))
            }
            _ => return Ok(false),
        };
        peer.answer(request, result.clone())?;
        peer.answer(request, result)?;
        Ok(true)
    })
}
