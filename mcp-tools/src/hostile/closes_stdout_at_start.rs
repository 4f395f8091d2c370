//! Closes its output before it has said anything, and lives on.
//!
//! A client must fail the start at once, although the process runs.

use std::{fs::File, io};

use super::{honest, peer::Peer};

pub(super) fn run(_: &mut Peer) -> io::Result<()> {
    nix::unistd::dup2_stdout(File::open("/dev/null")?)?;
    honest::stay()
}
