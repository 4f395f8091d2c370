//! Whether somebody is logged in, for an agent that was started with `--require-auth`.
//!
//! The stub needs no login. What is here shows what an agent with one has to do: say so in
//! `initialize`, refuse sessions until then, keep the login over restarts, and forget it. A real
//! agent keeps a token where this one keeps an empty file.
//!
//! Must stay true: the answer to "is somebody logged in" changes in the order of the messages, so
//! `session/new` written right behind `authenticate` finds it changed. The file follows.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/authentication>

use std::{
    fs::{self, DirBuilder, OpenOptions},
    io,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};

use crate::error::RequestError;

/// The file that says that somebody is logged in, below the state folder.
const FILE: &str = "login";

/// The login of this agent.
#[derive(Debug)]
pub struct Login {
    file: PathBuf,
    required: bool,
    logged_in: AtomicBool,
}

impl Login {
    /// The login that is kept below this folder; asked for only where one is required.
    #[must_use]
    pub fn new(state_dir: &Path, required: bool) -> Self {
        let file = state_dir.join(FILE);
        let logged_in = AtomicBool::new(required && file.exists());
        Self {
            file,
            required,
            logged_in,
        }
    }

    /// Whether sessions need a login.
    #[must_use]
    pub fn is_required(&self) -> bool {
        self.required
    }

    /// Passes when nothing is required, or somebody is logged in.
    ///
    /// # Errors
    /// `AuthRequired`.
    pub fn check(&self) -> Result<(), RequestError> {
        if self.required && !self.logged_in.load(Ordering::Relaxed) {
            return Err(RequestError::AuthRequired);
        }
        Ok(())
    }

    /// Somebody is logged in, or nobody is any more. To be kept with [`Login::keep`].
    pub fn set(&self, logged_in: bool) {
        self.logged_in.store(logged_in, Ordering::Relaxed);
    }

    /// Brings the file in step. May block.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn keep(&self) -> io::Result<()> {
        if self.logged_in.load(Ordering::Relaxed) {
            return self.write();
        }
        match fs::remove_file(&self.file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        }
    }

    /// For the owner's eyes only, as a token would be.
    fn write(&self) -> io::Result<()> {
        if let Some(folder) = self.file.parent() {
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(folder)?;
        }
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(0o600);
        options.open(&self.file).map(drop)
    }
}

/// The login flow of a terminal, apart from any connection: asks on `ask` and reads the answer
/// from `answer`. Returns whether somebody is logged in now.
///
/// # Errors
/// The terminal or the folder failed.
pub fn in_terminal(
    state_dir: &Path,
    mut answer: impl io::BufRead,
    mut ask: impl io::Write,
) -> io::Result<bool> {
    write!(ask, "Log in to the stub model? Type yes: ")?;
    ask.flush()?;
    let mut line = String::new();
    answer.read_line(&mut line)?;
    if line.trim() != "yes" {
        writeln!(ask, "Nobody is logged in.")?;
        return Ok(false);
    }
    let login = Login::new(state_dir, true);
    login.set(true);
    login.keep()?;
    writeln!(ask, "You are logged in.")?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_survives_a_restart_and_a_logout_does_too() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state");
        let new = || Login::new(&state, true);
        assert!(new().check().is_err());
        assert!(!in_terminal(&state, &b"no\n"[..], io::sink()).unwrap());
        assert!(new().check().is_err());
        assert!(in_terminal(&state, &b"yes\n"[..], io::sink()).unwrap());
        let login = new();
        assert!(login.check().is_ok());
        login.set(false);
        login.keep().unwrap();
        login.keep().unwrap();
        assert!(new().check().is_err());
        assert!(Login::new(&state, false).check().is_ok());
    }
}
