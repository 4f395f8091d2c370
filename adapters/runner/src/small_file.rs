//! Reading the lists and policies that a colony mounts: small regular files, or nothing.
//!
//! Must stay true: a pipe in the place of a file does not hang the runner, and a huge file does not
//! fill its memory.

use std::{fs::File, io::Read as _, os::unix::fs::OpenOptionsExt as _, path::Path};

/// The content of a regular file that is not longer than `most`.
pub fn read(path: &Path, most: u64) -> Option<Vec<u8>> {
    // Without waiting for the other end of a pipe.
    let file = File::options()
        .read(true)
        .custom_flags(nix::libc::O_NONBLOCK)
        .open(path)
        .ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= most).then_some(bytes)
}
