//! The scripts that a command runs: their text is judged like the command's own.

use std::{
    fs::File,
    io::Read as _,
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use sha1::Sha1;
use sha2::{Digest, Sha256};

use super::{Ground, words::Segment};
use crate::files::confine::lexical;

/// How much of a script is read.
const MAX_SCRIPT: u64 = 256 * 1024;

/// Programs that run the file named first, and the flags with which they only check it.
const INTERPRETERS: [(&str, &[&str]); 14] = [
    ("bash", &["-n", "--noexec"]),
    ("sh", &["-n", "--noexec"]),
    ("zsh", &["-n", "--noexec"]),
    ("dash", &["-n", "--noexec"]),
    ("ksh", &["-n", "--noexec"]),
    ("python", &[]),
    ("python3", &[]),
    ("node", &["--check", "-c"]),
    ("deno", &[]),
    ("bun", &[]),
    ("ruby", &["-c"]),
    ("perl", &[]),
    ("source", &[]),
    (".", &[]),
];

/// Endings of files that are run by their own path.
const ENDINGS: [&str; 8] = ["sh", "bash", "py", "js", "mjs", "cjs", "rb", "pl"];

/// A script that a command runs.
#[derive(Debug)]
pub(super) struct Script {
    /// The beginning of it.
    pub(super) text: String,
    /// Whether it is, byte for byte, what the repository has.
    pub(super) is_tracked: bool,
}

/// The script of a segment, if it runs one that can be read.
pub(super) fn script(segment: &Segment, ground: &Ground) -> Option<Script> {
    let path = ground.cwd.join(ground.expand(&name(segment)?));
    let path = lexical(&path);
    let bytes = read(&path)?;
    let relative = path.strip_prefix(&ground.cwd).map(Path::to_owned).ok();
    let is_tracked = relative.is_some_and(|relative: PathBuf| {
        let id = ground.tracked_scripts.get(&relative);
        // Of a longer one not all was read, so nothing is known of it.
        (bytes.len() as u64) < MAX_SCRIPT && id.is_some_and(|id| *id == blob_id(&bytes, id.len()))
    });
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Some(Script { text, is_tracked })
}

fn name(segment: &Segment) -> Option<String> {
    // A lone dot is too short for a word.
    let is_dot = segment.text.trim_start().starts_with(". ");
    let program = if is_dot { "." } else { segment.program() };
    let skip = usize::from(!is_dot);
    if let Some((_, checks)) = INTERPRETERS.iter().find(|(name, _)| *name == program) {
        let words = || segment.command.iter().skip(skip).map(String::as_str);
        let flags: Vec<&str> = words().take_while(|word| word.starts_with('-')).collect();
        let only_checks = !flags.is_empty() && flags.iter().all(|flag| checks.contains(flag));
        if only_checks {
            return None;
        }
        return words().nth(flags.len()).map(str::to_owned);
    }
    let first = segment.command.first()?;
    let (_, ending) = first.rsplit_once('.')?;
    (first.contains('/') && ENDINGS.contains(&ending)).then(|| first.clone())
}

fn read(path: &Path) -> Option<Vec<u8>> {
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
    file.take(MAX_SCRIPT).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// The id that git gives to a file's content, in the form of so many hexadecimal digits.
fn blob_id(bytes: &[u8], digits: usize) -> String {
    let head = format!("blob {}\0", bytes.len());
    let digest = if digits == 40 {
        Sha1::new()
            .chain_update(&head)
            .chain_update(bytes)
            .finalize()
            .to_vec()
    } else {
        Sha256::new()
            .chain_update(&head)
            .chain_update(bytes)
            .finalize()
            .to_vec()
    };
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_those_of_git() {
        assert_eq!(blob_id(b"", 40), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        let sha256 = "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813";
        assert_eq!(blob_id(b"", 64), sha256);
    }
}
