//! Sends a hundred thousand notes of progress and of its log in a call, before the answer.
//!
//! A client must neither drown in them nor lose the answer behind them.

use std::io;

use super::{
    honest,
    peer::{Peer, text},
};

const NOTES: &str = concat!(
    r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"so far so good"}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","method":"notifications/made_up","params":{}}"#,
    "\n",
);

pub(super) fn run(peer: &mut Peer) -> io::Result<()> {
    honest::serve(peer, |peer, request| {
        if honest::method(request) == "tools/call" {
            peer.raw(NOTES.repeat(33_334))?;
            peer.answer(request, text("worked all the same"))?;
            return Ok(true);
        }
        Ok(false)
    })
}
