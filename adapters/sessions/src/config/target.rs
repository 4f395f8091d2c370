//! Targets: where the processes of a session run.
//!
//! A session either gets its own clones of a bundle (*managed*), or works in a directory of the
//! user's own (*bare*). Containers and pods are always managed; this machine and one behind ssh can
//! be either, by whether the session names a bundle.

use std::path::PathBuf;

use serde::Deserialize;

/// A place for sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetConfig {
    /// Its id, for messages.
    pub id: String,
    /// What it is.
    pub kind: TargetKind,
}

/// What a target is, with its settings.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum TargetKind {
    /// This machine.
    Local(LocalConfig),
    /// A container of podman or docker on this machine.
    Container(ContainerConfig),
    /// Another machine, by OpenSSH.
    Ssh(SshConfig),
    /// A pod, by kubectl.
    Kubernetes(KubernetesConfig),
}

/// This machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LocalConfig {}

/// A container.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContainerConfig {
    /// The image; it must hold `sh`, `git`, `tar` and the harness.
    pub image: String,
    /// `podman` or `docker`, a name or a path; whichever works if left out.
    #[serde(default)]
    pub engine: Option<PathBuf>,
    /// More arguments of `run`, before the image.
    #[serde(default)]
    pub options: Vec<String>,
}

/// Another machine.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SshConfig {
    /// As on the command line of ssh: `user@host`, or a name from its configuration.
    pub destination: String,
    /// More arguments of ssh, such as `["-F", "/path/config"]`.
    #[serde(default)]
    pub options: Vec<String>,
    /// Below which directory of the target managed sessions live; `~/.acp-sessions` if left out.
    #[serde(default)]
    pub folder: Option<PathBuf>,
}

/// A pod.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KubernetesConfig {
    /// The image; it must hold `sh`, `git`, `tar` and the harness.
    pub image: String,
    /// The context, if it is not kubectl's own choice.
    #[serde(default)]
    pub context: Option<String>,
    /// The namespace, if it is not kubectl's own choice.
    #[serde(default)]
    pub namespace: Option<String>,
    /// The program, a name or a path; `kubectl` if left out.
    #[serde(default)]
    pub kubectl: Option<PathBuf>,
    /// More arguments of `run`, before the image.
    #[serde(default)]
    pub options: Vec<String>,
}

impl TargetConfig {
    /// This machine.
    pub fn local(id: &str) -> Self {
        let kind = TargetKind::Local(LocalConfig::default());
        let id = id.to_owned();
        Self { id, kind }
    }

    /// Whether every session on it gets its own clones of a bundle.
    pub const fn needs_bundle(&self) -> bool {
        match &self.kind {
            TargetKind::Local(_) | TargetKind::Ssh(_) => false,
            TargetKind::Container(_) | TargetKind::Kubernetes(_) => true,
        }
    }

    /// `local`, `container`, `ssh` or `kubernetes`.
    pub const fn kind_name(&self) -> &'static str {
        match &self.kind {
            TargetKind::Local(_) => "local",
            TargetKind::Container(_) => "container",
            TargetKind::Ssh(_) => "ssh",
            TargetKind::Kubernetes(_) => "kubernetes",
        }
    }
}
