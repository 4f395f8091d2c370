//! Sessions on disk: one JSON file each, so that a new process can load what an old one kept.
//!
//! Written after each turn, whole, to another name first: a reader never meets half a file.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

/// One thing that was said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    /// Who said it.
    pub by: Speaker,
    /// The words.
    pub text: String,
}

/// Who speaks in a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Speaker {
    /// The client's user.
    User,
    /// This agent.
    Agent,
}

/// The folder of all sessions.
#[derive(Debug, Clone)]
pub struct Store {
    folder: PathBuf,
}

impl Store {
    /// A store in this folder, which is made when it is first needed.
    #[must_use]
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Keeps a session's conversation.
    ///
    /// # Errors
    /// What the file system says.
    pub fn keep(&self, session: &str, said: &[Said]) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let file = self.file(session);
        let new = file.with_extension("new");
        fs::write(&new, serde_json::to_vec(said)?)?;
        fs::rename(new, file)
    }

    /// The conversation of a session.
    ///
    /// # Errors
    /// What the file system says; the session was never kept, or the file is damaged.
    pub fn load(&self, session: &str) -> io::Result<Vec<Said>> {
        Ok(serde_json::from_slice(&fs::read(self.file(session))?)?)
    }

    /// Whether this is the first call for this folder, in whatever process.
    #[must_use]
    pub fn is_first_call(&self) -> bool {
        let made = fs::create_dir_all(&self.folder);
        made.is_ok() && fs::File::create_new(self.folder.join("called")).is_ok()
    }

    /// A session id comes from the client: only its last part is a file name.
    fn file(&self, session: &str) -> PathBuf {
        let name = Path::new(session).file_name().unwrap_or_default();
        self.folder.join(name).with_extension("json")
    }
}
