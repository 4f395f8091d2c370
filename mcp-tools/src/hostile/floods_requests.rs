//! Asks its client two hundred thousand times in a call, and reads no answer until it has done so.
//!
//! A client must bound the answers that it owes: it must not grow with every question. The server
//! counts what it gets, and tells it in the answer to the next call.

use std::io;

use serde_json::json;

use super::{
    honest,
    peer::{Peer, text, tool},
};

const QUESTIONS: usize = 200_000;

pub(super) fn run(peer: &mut Peer) -> io::Result<()> {
    let mut answers = 0;
    honest::serve(peer, |peer, message| {
        match (honest::method(message), honest::called(message)) {
            ("tools/list", _) => {
                peer.answer(message, json!({"tools": [tool("flood"), tool("count")]}))?;
            }
            ("tools/call", "flood") => {
                for id in 0..QUESTIONS {
                    let method = if id % 2 == 0 { "ping" } else { "roots/list" };
                    peer.send(json!({"id": format!("q{id}"), "method": method}))?;
                }
                peer.answer(message, text("all asked"))?;
            }
            ("tools/call", _) => peer.answer(message, text(format!("{answers} answers")))?,
            ("", _) => answers += 1,
            _ => return Ok(false),
        }
        Ok(true)
    })
}
