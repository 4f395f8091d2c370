//! The clients of targets: what each is told to run the launcher, and how its places are made.
//!
//! It is the only part in which ssh, containers and pods differ.

use std::{ffi::OsString, time::Duration};

use process_tree::start_piped;

use super::{engine::Engine, kubectl::Kubectl, ssh::Ssh};
use crate::{
    config::{TargetConfig, TargetKind},
    target::{
        Grounds, Locator, LocatorKind, Output, Process, TargetCommand, TargetError, local::spec,
        run,
    },
};

/// A client and what it reaches.
#[derive(Debug)]
pub(super) enum Channel {
    Ssh(Ssh),
    Container(Box<Engine>),
    Kubernetes(Kubectl),
}

/// What a client carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Load {
    /// A guard: the first of a place, on which the others may lean.
    Guard,
    /// A command.
    Command,
}

impl Channel {
    /// The client of a target for a place.
    pub(super) async fn open(
        grounds: &Grounds,
        target: &TargetConfig,
        locator: &Locator,
    ) -> Result<Self, TargetError> {
        match (&target.kind, &locator.kind) {
            (TargetKind::Ssh(config), LocatorKind::Ssh) => Ok(Self::Ssh(Ssh::new(config, locator))),
            (TargetKind::Container(config), LocatorKind::Container(name)) => {
                let engine = Engine::find(grounds, config, name, locator).await?;
                Ok(Self::Container(Box::new(engine)))
            }
            (TargetKind::Kubernetes(config), LocatorKind::Kubernetes(name)) => {
                Ok(Self::Kubernetes(Kubectl::new(config, name, locator)))
            }
            (_, kind) => Err(TargetError::Place {
                target: target.id.clone(),
                what: "the place cannot be found",
                said: format!("it was made as {kind:?}, and the target is something else now"),
            }),
        }
    }

    /// What it reaches, for messages.
    pub(super) fn told(&self) -> String {
        match self {
            Self::Ssh(ssh) => ssh.told(),
            Self::Container(engine) => engine.told(),
            Self::Kubernetes(kubectl) => kubectl.told(),
        }
    }

    /// The words of a client that runs the launcher. `generation` is of the guard on which it
    /// leans.
    pub(super) fn words(&self, load: Load, generation: &str) -> Vec<OsString> {
        match self {
            Self::Ssh(ssh) => ssh.words(load, generation),
            Self::Container(engine) => engine.words(),
            Self::Kubernetes(kubectl) => kubectl.words(),
        }
    }

    /// Makes what the place needs before a guard can run in it. It may be there already.
    pub(super) async fn make(&self, grounds: &Grounds) -> Result<(), TargetError> {
        match self {
            Self::Ssh(ssh) => {
                ssh.tidy(&grounds.folder);
                Ok(())
            }
            Self::Container(engine) => engine.make(grounds).await,
            Self::Kubernetes(kubectl) => kubectl.make(grounds).await,
        }
    }

    /// Finds it again.
    pub(super) async fn find(&self, grounds: &Grounds) -> Result<(), TargetError> {
        match self {
            Self::Ssh(ssh) => {
                ssh.tidy(&grounds.folder);
                Ok(())
            }
            Self::Container(engine) => engine.start(grounds).await,
            Self::Kubernetes(kubectl) => kubectl.find(grounds).await,
        }
    }

    /// Removes it with everything in it. `false` says that this is not what removes this kind of
    /// place.
    pub(super) async fn remove(&self, grounds: &Grounds) -> Result<bool, TargetError> {
        match self {
            Self::Ssh(_) => Ok(false),
            Self::Container(engine) => engine.remove(grounds).await.map(|()| true),
            Self::Kubernetes(kubectl) => kubectl.remove(grounds).await.map(|()| true),
        }
    }
}

/// Starts a client, with the user's whole environment: it is the user's own program, and may need
/// the user's agent, configuration or proxy.
pub(super) async fn client(
    grounds: &Grounds,
    words: Vec<OsString>,
) -> Result<process_tree::Piped, TargetError> {
    std::fs::create_dir_all(&grounds.folder)
        .map_err(crate::target::local::failed(&grounds.folder, "made"))?;
    let spec = spec(words, &grounds.folder, std::env::vars_os().collect());
    Ok(start_piped(&grounds.supervisor, spec).await?)
}

/// Runs a client to its end for its own sake, without a launcher.
pub(super) async fn tool(
    grounds: &Grounds,
    words: Vec<OsString>,
    deadline: Duration,
) -> Result<Output, TargetError> {
    let command = TargetCommand::new(words.clone()).within(deadline);
    let process = Process::new(client(grounds, words).await?, None);
    run::to_its_end(process, &command, b"").await
}
