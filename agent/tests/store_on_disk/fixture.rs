//! A store in a folder of its own, something to put into it, and roles for other processes.
//!
//! A test that needs a second process starts this same program again, with the test that plays the
//! role as its only test and the role's name in the environment.

use std::path::{Path, PathBuf};
use std::process::Command;

use acp_agent::acp;
use acp_agent::store::{FORMAT, Header, Item, Replayed, SessionLog, Store, StoreError, TurnEnd};
use tempfile::TempDir;

/// The role that this process was started for.
pub const ROLE: &str = "STORE_TEST_ROLE";

/// The state folder that the role works on.
const STATE: &str = "STORE_TEST_STATE";

const TIME: &str = "2026-01-31T09:00:00Z";

/// A state folder that is gone after the test.
pub struct State {
    folder: TempDir,
}

impl State {
    pub fn new() -> State {
        State {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn store(&self) -> Store {
        Store::new(self.path().to_owned())
    }

    pub fn sessions(&self) -> PathBuf {
        self.path().join("sessions")
    }

    pub fn file(&self, id: &str) -> PathBuf {
        self.sessions().join(format!("{id}.jsonl"))
    }

    /// Puts bytes where the file of a session would be.
    pub fn plant(&self, id: &str, bytes: &[u8]) {
        std::fs::create_dir_all(self.sessions()).unwrap();
        std::fs::write(self.file(id), bytes).unwrap();
    }

    /// A shell command in which `"$TEST"` starts this program in a role on this state folder.
    pub fn shell(&self, role: &str, script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        self.play(&mut command, role);
        command
    }

    /// This program in a role on this state folder.
    pub fn role(&self, role: &str) -> Command {
        self.shell(role, RUN)
    }

    pub fn play(&self, command: &mut Command, role: &str) {
        command
            .env(ROLE, role)
            .env(STATE, self.path())
            .env("TEST", std::env::current_exe().unwrap());
    }
}

/// The end of each shell script: this program plays its role.
pub const RUN: &str = r#"exec "$TEST" --exact processes::play_a_role --nocapture"#;

/// The store of the process that started this one.
pub fn given_store() -> Store {
    Store::new(given_state())
}

pub fn given_state() -> PathBuf {
    PathBuf::from(std::env::var_os(STATE).unwrap())
}

pub fn header(id: &str) -> Header {
    header_in(id, "/home/ann/app")
}

pub fn header_in(id: &str, cwd: &str) -> Header {
    Header {
        format: FORMAT,
        session_id: id.to_owned(),
        cwd: PathBuf::from(cwd),
        additional_directories: Vec::new(),
        created: TIME.to_owned(),
    }
}

pub fn prompt(text: &str) -> Item {
    Item::UserMessage {
        message_id: "u".to_owned(),
        content: vec![acp::ContentBlock::Text(acp::TextContent::new(text))],
        at: TIME.to_owned(),
    }
}

pub fn note(text: &str) -> Item {
    Item::Note {
        text: text.to_owned(),
    }
}

pub fn title(title: &str) -> Item {
    Item::Title {
        title: title.to_owned(),
    }
}

pub fn turn_end() -> Item {
    Item::TurnEnd {
        end: TurnEnd::EndTurn,
        at: TIME.to_owned(),
    }
}

/// Two turns with letters of one to four bytes, and a change of mode between them.
pub fn sample() -> Vec<Item> {
    vec![
        prompt("grüß → 🦀"),
        title("T"),
        note("n"),
        turn_end(),
        Item::Mode {
            id: "plan".to_owned(),
        },
        prompt("again"),
        turn_end(),
    ]
}

/// Makes a session of these items.
pub fn store_session(store: &Store, header: &Header, items: &[Item]) {
    let mut log = store.create(header).unwrap();
    append_all(&mut log, items);
    log.sync().unwrap();
}

pub fn append_all(log: &mut SessionLog, items: &[Item]) {
    log.append_all(items).unwrap();
}

/// All items of a session, and what the replay leaves.
pub fn load(store: &Store, id: &str) -> Result<(Vec<Item>, Replayed), StoreError> {
    let mut items = Vec::new();
    let replayed = store.open(id)?.replay(|item| {
        items.push(item);
        Ok::<_, StoreError>(())
    })?;
    Ok((items, replayed))
}

/// All items of a session that must load.
pub fn items(store: &Store, id: &str) -> Vec<Item> {
    load(store, id).unwrap().0
}
