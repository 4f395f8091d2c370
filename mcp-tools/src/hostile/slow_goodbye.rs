//! Needs 250 ms at the end of its input to write the file `bye` into its working directory.
//!
//! A client must close the input and give it that time, before it sends any signal.

use std::{fs, io, thread, time::Duration};

use super::{honest, peer::Peer};

pub(super) fn run(peer: &mut Peer) -> io::Result<()> {
    honest::serve(peer, |_, _| Ok(false))?;
    thread::sleep(Duration::from_millis(250));
    fs::write("bye", "")
}
