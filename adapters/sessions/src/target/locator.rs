//! Where a place is: what the daemon keeps of it between two starts.
//!
//! It is known before anything is made, so it can be stored first; whatever happens afterwards, the
//! place can be found again and be removed.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Grounds;
use crate::{
    api::SessionId,
    config::{TargetConfig, TargetKind},
};

/// Where the folder of a session lies in a container or pod.
const INSIDE: &str = "/acp-session";

/// Where the folders of sessions lie on another machine, below the user's home.
const BELOW_HOME: &str = ".acp-sessions";

/// The name of the root in a session's folder; beside it lies what is not the agent's to work in.
pub(super) const ROOT: &str = "work";

/// How a place is found again. It holds no credential: those are the target's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Locator {
    /// Whose it is; what runs there is known by it.
    pub session: SessionId,
    /// What kind of place it is.
    pub kind: LocatorKind,
    /// The session's own folder, or the user's directory. On another machine it may be relative to
    /// the user's home.
    pub ground: Ground,
}

/// A kind of place, with what it is called there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LocatorKind {
    /// This machine.
    Local,
    /// A container with this name.
    Container(String),
    /// The machine of the target.
    Ssh,
    /// A pod with this name.
    Kubernetes(String),
}

/// On what a session stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ground {
    /// A folder that is made for it, and removed with it.
    Managed(PathBuf),
    /// A directory of the user's own, which is never removed.
    Project(PathBuf),
}

impl Locator {
    /// Where the place of a session will be.
    pub(super) fn plan(
        grounds: &Grounds,
        target: &TargetConfig,
        session: &SessionId,
        project: Option<&Path>,
    ) -> Self {
        let name = format!("acp-session-{session}");
        let id = session.as_str();
        let (kind, folder) = match &target.kind {
            TargetKind::Local(_) => (LocatorKind::Local, grounds.folder.join(id)),
            TargetKind::Container(_) => (LocatorKind::Container(name), INSIDE.into()),
            TargetKind::Kubernetes(_) => (LocatorKind::Kubernetes(name), INSIDE.into()),
            TargetKind::Ssh(ssh) => {
                let folder = ssh.folder.as_deref().unwrap_or(Path::new(BELOW_HOME));
                (LocatorKind::Ssh, folder.join(id))
            }
        };
        let ground = match project {
            Some(project) => Ground::Project(project.to_path_buf()),
            None => Ground::Managed(folder),
        };
        Self {
            session: session.clone(),
            kind,
            ground,
        }
    }
}

impl Ground {
    /// The folder in which the session works.
    pub(super) fn root(&self) -> PathBuf {
        match self {
            Self::Managed(folder) => folder.join(ROOT),
            Self::Project(project) => project.clone(),
        }
    }
}
