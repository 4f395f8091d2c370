//! A pod, by kubectl, one for each session.
//!
//! It is built like the container target: a pod that waits, commands `exec`ed into it. It was tried
//! against a scripted kubectl only, not against a cluster.

use std::{ffi::OsString, path::PathBuf, time::Duration};

use super::{channel::tool, engine::WAIT, shell::LAUNCHER};
use crate::{
    config::KubernetesConfig,
    target::{Grounds, Locator, Output, TargetError},
};

/// How long the cluster may take to have the pod ready: it may have to find a node and fetch the
/// image.
const READY: Duration = Duration::from_secs(15 * 60);

/// How long anything else may take.
const ACT: Duration = Duration::from_secs(120);

/// A pod and how its cluster is reached.
#[derive(Debug)]
pub(super) struct Kubectl {
    program: PathBuf,
    /// The cluster, for every call.
    cluster: Vec<String>,
    name: String,
    session: String,
    image: String,
    options: Vec<String>,
}

impl Kubectl {
    pub(super) fn new(config: &KubernetesConfig, name: &str, locator: &Locator) -> Self {
        let mut cluster = Vec::new();
        for (option, value) in [
            ("--context", &config.context),
            ("--namespace", &config.namespace),
        ] {
            cluster.extend(value.iter().map(|value| format!("{option}={value}")));
        }
        let program = config.kubectl.clone();
        Self {
            program: program.unwrap_or_else(|| PathBuf::from("kubectl")),
            cluster,
            name: name.to_owned(),
            session: locator.session.to_string(),
            image: config.image.clone(),
            options: config.options.clone(),
        }
    }

    pub(super) fn told(&self) -> String {
        format!("pod {}", self.name)
    }

    /// The words of a client.
    pub(super) fn words(&self) -> Vec<OsString> {
        self.call(&[
            "exec", "--stdin", "--quiet", &self.name, "--", "sh", "-c", LAUNCHER,
        ])
    }

    /// Makes it, if it is not there, and waits until it runs.
    pub(super) async fn make(&self, grounds: &Grounds) -> Result<(), TargetError> {
        if self.phase(grounds).await?.is_none() {
            let image = format!("--image={}", self.image);
            let labels = format!("--labels=app=acp-sessions,acp-sessions={}", self.session);
            let mut words = self.call(&["run", &self.name, &image, &labels, "--restart=Never"]);
            words.extend(self.options.iter().map(OsString::from));
            words.extend(["--command", "--", "sh", "-c", WAIT].map(OsString::from));
            let output = tool(grounds, words, ACT).await?;
            self.must(&output, "the pod cannot be made")?;
        }
        let seconds = format!("--timeout={}s", READY.as_secs());
        let words = self.call(&[
            "wait",
            "--for=condition=Ready",
            &seconds,
            &format!("pod/{}", self.name),
        ]);
        let output = tool(grounds, words, READY + ACT).await?;
        self.must(&output, "the pod does not become ready")
    }

    /// It must be there and run: a pod that has ended has lost its files.
    pub(super) async fn find(&self, grounds: &Grounds) -> Result<(), TargetError> {
        match self.phase(grounds).await?.as_deref() {
            Some("Running") => Ok(()),
            phase => Err(TargetError::Place {
                target: self.told(),
                what: "the pod is gone",
                said: format!("its phase is {}", phase.unwrap_or("none")),
            }),
        }
    }

    /// Removes it, if it is there.
    pub(super) async fn remove(&self, grounds: &Grounds) -> Result<(), TargetError> {
        let words = [
            "delete",
            "pod",
            &self.name,
            "--ignore-not-found",
            "--grace-period=1",
            "--wait",
            "--timeout=100s",
        ];
        let output = tool(grounds, self.call(&words), ACT).await?;
        self.must(&output, "the pod cannot be removed")
    }

    /// Its phase, if it is there.
    async fn phase(&self, grounds: &Grounds) -> Result<Option<String>, TargetError> {
        let words = [
            "get",
            "pod",
            &self.name,
            "--ignore-not-found",
            "--output=jsonpath={.status.phase}",
        ];
        let output = tool(grounds, self.call(&words), ACT).await?;
        self.must(&output, "the cluster does not say whether the pod is there")?;
        Ok(Some(output.text()).filter(|phase| !phase.is_empty()))
    }

    fn call(&self, words: &[&str]) -> Vec<OsString> {
        let program = [self.program.clone().into_os_string()].into_iter();
        let cluster = self.cluster.iter().map(OsString::from);
        program
            .chain(cluster)
            .chain(words.iter().map(OsString::from))
            .collect()
    }

    fn must(&self, output: &Output, what: &'static str) -> Result<(), TargetError> {
        if output.is_success() {
            return Ok(());
        }
        Err(TargetError::Place {
            target: self.told(),
            what,
            said: output.stderr.clone(),
        })
    }
}
