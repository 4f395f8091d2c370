//! What is measured: the floor, the agent, and any other ACP agent, each a command line.
//!
//! Apart from the connection, because here is all that differs between them.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::Command,
};

/// Which part a contender has in the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// What all others are divided by.
    Floor,
    /// The reference agent, which the targets are for.
    Agent,
    /// Another ACP agent.
    Peer,
}

/// One program in the comparison.
#[derive(Debug, Clone)]
pub struct Contender {
    /// What it is called in the table; unique.
    pub name: String,
    /// Its part.
    pub role: Role,
    program: PathBuf,
    arguments: Vec<OsString>,
}

impl Contender {
    /// The canned responder.
    pub fn floor(program: PathBuf) -> Self {
        Self {
            name: "floor".to_owned(),
            role: Role::Floor,
            program,
            arguments: Vec::new(),
        }
    }

    /// The reference agent. Commands run without a question, so that none of the numbers holds the
    /// time of an answer to a permission request.
    pub fn agent(program: PathBuf) -> Self {
        Self {
            name: "agent".to_owned(),
            role: Role::Agent,
            program,
            arguments: ["--acp", "--mode", "full-access"].map(Into::into).to_vec(),
        }
    }

    /// Any other agent, by the command that starts it in a shell.
    pub fn peer(name: &str, command: &str) -> Self {
        Self {
            name: name.to_owned(),
            role: Role::Peer,
            program: "/bin/sh".into(),
            // The shell makes way, so that signals reach the agent itself.
            arguments: vec!["-c".into(), format!("exec {command}").into()],
        }
    }

    /// The file that is run.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// The command that starts it, with its sessions below `state`.
    pub fn command(&self, state: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments);
        if self.role == Role::Agent {
            command.arg("--state-dir").arg(state);
        }
        command.env("XDG_STATE_HOME", state);
        command
    }
}
