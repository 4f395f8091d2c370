//! Never answers a call.
//!
//! A client must end the call when its user cancels, or at its deadline, and tell the server so: it
//! is logged to the file `cancelled` in the working directory.

use std::{fs, io};

use super::{honest, peer::Peer};

pub(super) fn run(peer: &mut Peer) -> io::Result<()> {
    honest::serve(peer, |_, message| {
        if honest::method(message) == "notifications/cancelled" {
            fs::write("cancelled", message.to_string())?;
        }
        Ok(honest::method(message) == "tools/call")
    })
}
