//! Answers a call with one line of 300 MB.
//!
//! A client must not keep it, must tell that the answer was too long, and must be able to call again.

use std::io;

use super::{honest, peer::Peer};

const BLOCKS: usize = 300;

pub(super) fn run(peer: &mut Peer) -> io::Result<()> {
    let block = "x".repeat(1_000_000);
    honest::serve(peer, |peer, request| {
        if honest::method(request) == "tools/call" && honest::called(request) == "work" {
            let id = &request["id"];
            let head = format!(
                r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":""#
            );
            peer.raw(head)?;
            for _ in 0..BLOCKS {
                peer.raw(&block)?;
            }
            peer.raw("\"}]}}\n")?;
            return Ok(true);
        }
        Ok(false)
    })
}
