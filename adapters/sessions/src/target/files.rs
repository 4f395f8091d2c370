//! Moving files between this machine and a target.
//!
//! A file is streamed through a command on the target (`cat`), so nothing more is needed there, and
//! nothing of it is held in memory.
//!
//! Must stay true: a file is either there whole or not at all, because it is written beside its
//! place and then renamed; and each copy answers the digest of the bytes that it moved.

use std::{
    ffi::OsString,
    fmt, io,
    path::{Path, PathBuf},
    time::Duration,
};

use process_tree::Ended;
use sha2::{Digest as _, Sha256};
use tokio::{
    fs::File,
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    time::timeout,
};

use super::{Place, Process, TargetCommand, TargetError, local::failed};

/// How long a copy may stand still. A connection that moves nothing for so long is gone.
const STALLED: Duration = Duration::from_secs(60);

/// How long the command of a copy may take to end when everything was moved.
const LAST: Duration = Duration::from_secs(60);

/// How much is moved at once.
const PIECE: usize = 256 * 1024;

/// How much of the complaints is told.
const COMPLAINTS: u64 = 4 * 1024;

/// Writes standard input beside the place, and then puts it there.
const STORE: &str = r#"umask 077; cat > "$1.part" && mv -f -- "$1.part" "$1""#;

/// The SHA-256 of what was moved.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Digest([u8; 32]);

impl Digest {
    /// Of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

impl Place {
    /// Copies a file of the target to this machine, where nothing is overwritten before it is whole.
    ///
    /// # Errors
    /// The file is not there, cannot be written here, or the copy stands still.
    pub async fn fetch(&self, remote: &Path, local: &Path) -> Result<Digest, TargetError> {
        let argv: [OsString; 3] = ["cat".into(), "--".into(), remote.into()];
        let mut process = self.spawn(&TargetCommand::new(argv)).await?;
        let part = beside(local);
        let mut file = File::create(&part)
            .await
            .map_err(failed(&part, "written"))?;
        let moved = pump(&mut process.stdout, &mut file).await;
        let digest = finish(process, moved, local).await;
        let digest = match digest {
            Ok(digest) => file.sync_all().await.map(|()| digest),
            Err(error) => {
                // It is of no use to anybody.
                let _ = tokio::fs::remove_file(&part).await;
                return Err(error);
            }
        };
        let digest = digest.map_err(failed(&part, "written"))?;
        tokio::fs::rename(&part, local)
            .await
            .map_err(failed(local, "written"))?;
        Ok(digest)
    }

    /// Copies a file of this machine to the target, readable for its user only.
    ///
    /// # Errors
    /// The file cannot be read here or written there, or the copy stands still.
    pub async fn store(&self, local: &Path, remote: &Path) -> Result<Digest, TargetError> {
        let mut file = File::open(local).await.map_err(failed(local, "read"))?;
        let words = ["sh", "-c", STORE, "sh"].map(OsString::from);
        let argv = words.into_iter().chain([remote.into()]);
        let mut process = self.spawn(&TargetCommand::new(argv)).await?;
        let moved = pump(&mut file, &mut process.stdin).await;
        finish(process, moved, local).await
    }
}

/// Waits for the end of the command, and judges the copy.
async fn finish(
    process: Process,
    moved: io::Result<Digest>,
    local: &Path,
) -> Result<Digest, TargetError> {
    let Process {
        stdin,
        stderr,
        mut handle,
        ..
    } = process;
    if moved.is_err() {
        // Whether the command has failed or the copy, its complaint is heard and it ends.
        tracing::debug!(?moved, "a copy was not finished");
    }
    drop(stdin);
    let mut said = String::new();
    let mut stderr = stderr.take(COMPLAINTS);
    let last = async {
        let _ = stderr.read_to_string(&mut said).await;
        handle.wait().await
    };
    let ended = timeout(LAST, last).await;
    let ended = match ended {
        Ok(ended) => ended,
        Err(_) => handle.end().await,
    };
    match (ended, moved) {
        (Ended::Exited(0), Ok(digest)) => Ok(digest),
        (Ended::Exited(0), Err(source)) => Err(failed(local, "copied")(source)),
        (ended, _) => Err(failed(local, "copied")(io::Error::other(format!(
            "the target's side of the copy failed ({ended:?}): {}",
            said.trim()
        )))),
    }
}

/// Moves everything, and answers its digest.
async fn pump(
    from: &mut (impl AsyncRead + Unpin),
    to: &mut (impl AsyncWrite + Unpin),
) -> io::Result<Digest> {
    let stalled = |_| io::Error::new(io::ErrorKind::TimedOut, "nothing was moved for a minute");
    let mut digest = Sha256::new();
    let mut piece = vec![0; PIECE];
    loop {
        let length = timeout(STALLED, from.read(&mut piece))
            .await
            .map_err(stalled)??;
        if length == 0 {
            timeout(STALLED, to.shutdown()).await.map_err(stalled)??;
            return Ok(Digest(digest.finalize().into()));
        }
        digest.update(&piece[..length]);
        timeout(STALLED, to.write_all(&piece[..length]))
            .await
            .map_err(stalled)??;
    }
}

/// A name in the same folder, so that a rename is atomic.
fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    name.into()
}
