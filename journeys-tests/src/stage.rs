//! Everything one journey stands on: a fresh workspace, the tool server, the agent's processes and the
//! recording that grows with them.
//!
//! What must stay true: whatever happens in a journey, each process it started is finished and its
//! recording kept.

use std::{fs, io, path::Path, time::Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    agent_process::{AgentCommand, AgentProcess},
    client::{Client, Surroundings},
    connection::milliseconds,
    interrupt::{self, Removal},
    leftovers::Watch,
    limits::Limits,
    recording::ProcessRecording,
    tool_server::RECORD_PREFIX,
    trouble::Trouble,
};

/// A file that lies in every workspace, so that a session never starts in an empty folder.
const README: (&str, &str) = (
    "README.txt",
    "A workspace made by acp-journeys. Nothing here is precious.\n",
);

/// The ground of one journey.
pub struct Stage<'a> {
    agent: &'a AgentCommand,
    tool_server: &'a Path,
    limits: &'a Limits,
    say: &'a dyn Fn(&str),
    folder: TempDir,
    started: Instant,
    processes: Vec<ProcessRecording>,
}

/// A client with an open session.
pub struct Session<'c> {
    /// The client.
    pub client: &'c mut Client,
    /// The session's ID.
    pub id: String,
    /// The whole result of `session/new`.
    pub opened: Value,
}

impl<'a> Stage<'a> {
    /// Makes the folders: a workspace, and beside it a place for the tool server's records.
    ///
    /// # Errors
    /// [`Trouble::Checker`] if the temporary folder cannot be written.
    pub fn new(
        agent: &'a AgentCommand,
        tool_server: &'a Path,
        limits: &'a Limits,
        say: &'a dyn Fn(&str),
    ) -> Result<Self, Trouble> {
        let folder = tempfile::Builder::new()
            .prefix("acp-journeys-")
            .tempdir()
            .map_err(cannot_write)?;
        interrupt::will_remove(folder.path(), Removal::Tree);
        let stage = Self {
            agent,
            tool_server,
            limits,
            say,
            folder,
            started: Instant::now(),
            processes: Vec::new(),
        };
        fs::create_dir(stage.workspace()).map_err(cannot_write)?;
        stage.put_file(README.0, README.1)?;
        Ok(stage)
    }

    /// Puts a file in the workspace.
    ///
    /// # Errors
    /// [`Trouble::Checker`].
    pub fn put_file(&self, name: &str, text: &str) -> Result<(), Trouble> {
        fs::write(self.workspace().join(name), text).map_err(cannot_write)
    }

    /// Starts the agent, initializes it, opens a session, lets `talk` use it, and ends the agent.
    ///
    /// # Errors
    /// The first thing that went wrong.
    pub fn with_session<T>(
        &mut self,
        talk: impl FnOnce(&mut Session<'_>, &Value) -> Result<T, Trouble>,
    ) -> Result<T, Trouble> {
        self.with_agent(|client, capabilities| {
            let (id, opened) = client.new_session()?;
            talk(&mut Session { client, id, opened }, capabilities)
        })
    }

    /// The same with an agent that is told of these capabilities, and that the user answers so.
    ///
    /// # Errors
    /// The first thing that went wrong.
    pub fn with_user<T>(
        &mut self,
        offered: &Value,
        answer: &str,
        talk: impl FnOnce(&mut Session<'_>) -> Result<T, Trouble>,
    ) -> Result<T, Trouble> {
        self.with_process(offered, Client::finish, |client, _| {
            client.connection().set_user_answer(answer.to_owned());
            let (id, opened) = client.new_session()?;
            talk(&mut Session { client, id, opened })
        })
    }

    /// The same with an agent that is killed when `talk` is done.
    ///
    /// # Errors
    /// The first thing that went wrong.
    pub fn with_killed_session<T>(
        &mut self,
        talk: impl FnOnce(&mut Session<'_>, &Value) -> Result<T, Trouble>,
    ) -> Result<T, Trouble> {
        self.with_process(&json!({}), Client::finish_killed, |client, capabilities| {
            let (id, opened) = client.new_session()?;
            talk(&mut Session { client, id, opened }, capabilities)
        })
    }

    /// Starts the agent, initializes it, lets `talk` use it with the agent's capabilities, and ends it.
    ///
    /// # Errors
    /// The first thing that went wrong.
    pub fn with_agent<T>(
        &mut self,
        talk: impl FnOnce(&mut Client, &Value) -> Result<T, Trouble>,
    ) -> Result<T, Trouble> {
        self.with_process(&json!({}), Client::finish, talk)
    }

    fn with_process<T>(
        &mut self,
        offered: &Value,
        finish: fn(Client) -> ProcessRecording,
        talk: impl FnOnce(&mut Client, &Value) -> Result<T, Trouble>,
    ) -> Result<T, Trouble> {
        (self.say)("starting the agent");
        let marker = format!("{:016x}", rand::random::<u64>());
        let watch = Watch::new(marker.clone());
        let started_ms = milliseconds(self.started.elapsed());
        let process = AgentProcess::start(self.agent, &marker)?;
        let record = self
            .folder
            .path()
            .join(format!("{RECORD_PREFIX}{}.jsonl", self.processes.len()));
        let around = Surroundings {
            workspace: self.workspace(),
            tool_server: self.tool_server.to_owned(),
            record,
        };
        let mut client = Client::new(process, started_ms, watch, self.limits.clone(), around);
        let outcome = client.initialize(offered).and_then(|capabilities| {
            (self.say)("talking");
            talk(&mut client, &capabilities)
        });
        (self.say)("waiting for the agent to end");
        self.processes.push(finish(client));
        outcome
    }

    /// Removes the folders and hands over the recordings of the processes.
    #[must_use]
    pub fn into_processes(self) -> Vec<ProcessRecording> {
        interrupt::removed(self.folder.path());
        // The folder may hold what the agent made unreadable; it is a temporary folder all the same.
        let _left = self.folder.close();
        self.processes
    }

    fn workspace(&self) -> std::path::PathBuf {
        self.folder.path().join("workspace")
    }
}

impl Session<'_> {
    /// A whole turn in this session; see [`Client::turn`].
    ///
    /// # Errors
    /// What stopped the turn.
    pub fn turn(&mut self, prompt: &[Value], rule: crate::permission::Rule) -> Result<(), Trouble> {
        self.client.turn(&self.id, prompt, rule)
    }
}

fn cannot_write(error: io::Error) -> Trouble {
    let folder = std::env::temp_dir();
    Trouble::Checker {
        what: format!(
            "cannot write in {}: {error}; set TMPDIR to a folder that can be written",
            folder.display()
        ),
    }
}
