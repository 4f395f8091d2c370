//! Where diagnostics go: of a front into a file, since its stderr is for failures; of the daemon to
//! stderr, which whoever started it made a file; of everything else nowhere but on request.

use std::{
    fs::{DirBuilder, File, OpenOptions},
    io,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::Path,
    sync::Mutex,
};

use tracing_subscriber::EnvFilter;

use super::CliError;

/// Names what is logged, in the words of `tracing`.
const VARIABLE: &str = "ACP_SESSIONS_LOG";

/// When the log is longer than this, in bytes, it is begun anew and the old one kept beside it.
const LONGEST: u64 = 4 << 20;

/// Logs into this file, together with other fronts.
pub(super) fn to_file(path: &Path) -> Result<(), CliError> {
    let file = open(path).map_err(|source| CliError::Log {
        path: path.to_owned(),
        source,
    })?;
    tracing_subscriber::fmt()
        .with_env_filter(filter("info"))
        .with_writer(Mutex::new(file))
        .with_ansi(false)
        .init();
    tracing::info!(pid = std::process::id(), "a front begins");
    Ok(())
}

/// Logs to stderr what `default` lets through, unless the environment says otherwise.
pub(super) fn to_stderr(default: &str) {
    tracing_subscriber::fmt()
        .with_env_filter(filter(default))
        .with_writer(io::stderr)
        .with_ansi(false)
        .init();
}

fn filter(default: &str) -> EnvFilter {
    EnvFilter::try_from_env(VARIABLE).unwrap_or_else(|_| EnvFilter::new(default))
}

fn open(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)?;
    }
    if path.metadata().is_ok_and(|found| found.len() > LONGEST) {
        // Another front may have done it in this moment.
        let _ = std::fs::rename(path, path.with_extension("log.old"));
    }
    let mut options = OpenOptions::new();
    options.append(true).create(true).mode(0o600).open(path)
}
