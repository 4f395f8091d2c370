//! A container of podman or docker on this machine, one for each session.
//!
//! Its first process only waits, and reaps what loses its parent; commands are `exec`ed into it. It
//! is found by its name, which the session's id makes unique, and carries a label by which a person
//! finds what a crash has left:
//!
//! ```text
//! podman ps -a --filter label=acp-sessions
//! ```
//!
//! The container stays from when it is made until it is removed, but it runs only while somebody
//! holds its *keeper*, the engine's client that is attached to its first process. With podman that
//! process is a child of the client, so it ends with the daemon, however the daemon ends; the files
//! stay. With docker it goes on, and is ended when the place is found again.

use std::{ffi::OsString, path::PathBuf, time::Duration};

use process_tree::{Piped, Tree};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader},
    sync::Mutex,
    time::timeout,
};

use super::{
    COMPLAINT,
    channel::{client, tool},
    shell::LAUNCHER,
};
use crate::{
    config::ContainerConfig,
    target::{Grounds, Locator, Output, TargetError},
};

/// How long an engine may take to say that it works.
const ASK: Duration = Duration::from_secs(30);

/// How long making a container may take; the image may have to be fetched first.
const MAKE: Duration = Duration::from_secs(15 * 60);

/// How long anything else may take.
const ACT: Duration = Duration::from_secs(60);

/// The engines that are tried when none is named.
const ENGINES: [&str; 2] = ["podman", "docker"];

/// How often a start is tried: an engine may still be busy with the end of the container.
const TRIES: usize = 20;

/// How long between two of them.
const AGAIN: Duration = Duration::from_millis(500);

/// What the first process says when it is there.
const UP: &str = "acp-sessions-up";

/// The first process: it waits, and goes at once when it must.
pub(super) const WAIT: &str =
    r#"echo acp-sessions-up; trap "exit 0" TERM INT; while :; do sleep 86400 & wait $!; done"#;

/// A container and the engine that runs it.
#[derive(Debug)]
pub(super) struct Engine {
    program: PathBuf,
    name: String,
    session: String,
    image: String,
    options: Vec<String>,
    /// While it is held, the container runs.
    keeper: Mutex<Option<Tree>>,
}

impl Engine {
    /// With the engine that the target names, or the first one that works.
    pub(super) async fn find(
        grounds: &Grounds,
        config: &ContainerConfig,
        name: &str,
        locator: &Locator,
    ) -> Result<Self, TargetError> {
        let program = match &config.engine {
            Some(program) => program.clone(),
            None => working(grounds).await?,
        };
        Ok(Self {
            program,
            name: name.to_owned(),
            session: locator.session.to_string(),
            image: config.image.clone(),
            options: config.options.clone(),
            keeper: Mutex::new(None),
        })
    }

    pub(super) fn told(&self) -> String {
        format!("container {}", self.name)
    }

    /// The words of a client.
    pub(super) fn words(&self) -> Vec<OsString> {
        self.call(&["exec", "-i", &self.name, "sh", "-c", LAUNCHER])
    }

    /// Makes it, if it is not there, and starts it.
    pub(super) async fn make(&self, grounds: &Grounds) -> Result<(), TargetError> {
        if !self.is_there(grounds).await? {
            let session = format!("acp-sessions={}", self.session);
            let mut words = self.call(&["create", "--name", &self.name, "--label", &session]);
            words.extend(self.options.iter().map(OsString::from));
            let image = ["--entrypoint", "sh", &self.image, "-c", WAIT];
            words.extend(image.map(OsString::from));
            let output = tool(grounds, words, MAKE).await?;
            self.must(&output, "the container cannot be made")?;
        }
        self.start(grounds).await
    }

    /// Starts it, if it is not kept running already. What an earlier daemon has left running in it
    /// ends first.
    pub(super) async fn start(&self, grounds: &Grounds) -> Result<(), TargetError> {
        let mut keeper = self.keeper.lock().await;
        if let Some(keeper) = &mut *keeper
            && timeout(Duration::ZERO, keeper.leader()).await.is_err()
        {
            return Ok(());
        }
        let mut said = String::new();
        for _ in 0..TRIES {
            tool(grounds, self.call(&["kill", &self.name]), ACT).await?;
            match self.attach(grounds).await? {
                Ok(tree) => {
                    *keeper = Some(tree);
                    return Ok(());
                }
                Err(complaint) => said = complaint,
            }
            if !self.is_there(grounds).await? {
                break;
            }
            tokio::time::sleep(AGAIN).await;
        }
        Err(TargetError::Place {
            target: self.told(),
            what: "the container cannot be started",
            said,
        })
    }

    /// Starts it, and returns the client that keeps it running, or what that complained about.
    async fn attach(&self, grounds: &Grounds) -> Result<Result<Tree, String>, TargetError> {
        let words = self.call(&["start", "--attach", &self.name]);
        let Piped {
            stdin: _,
            stdout,
            mut stderr,
            mut tree,
        } = client(grounds, words).await?;
        let mut lines = BufReader::new(stdout).lines();
        let up = async {
            while let Ok(Some(line)) = lines.next_line().await {
                if line == UP {
                    return true;
                }
            }
            false
        };
        if timeout(ACT, up).await.unwrap_or(false) {
            // It says no more, but a pipe that nobody reads could stop it.
            tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
            tokio::spawn(async move { tokio::io::copy(&mut stderr, &mut tokio::io::sink()).await });
            return Ok(Ok(tree));
        }
        tree.end().await;
        let mut said = Vec::new();
        let mut bounded = stderr.take(COMPLAINT);
        let _ = timeout(ACT, bounded.read_to_end(&mut said)).await;
        Ok(Err(String::from_utf8_lossy(&said).trim().to_owned()))
    }

    /// Removes it.
    pub(super) async fn remove(&self, grounds: &Grounds) -> Result<(), TargetError> {
        // Asked to stop it would be given ten seconds. If it does not run, this says so.
        tool(grounds, self.call(&["kill", &self.name]), ACT).await?;
        if let Some(mut keeper) = self.keeper.lock().await.take() {
            keeper.end().await;
        }
        let words = self.call(&["rm", "--force", "--volumes", &self.name]);
        let output = tool(grounds, words, ACT).await?;
        if self.is_there(grounds).await? {
            return self.must(&output, "the container cannot be removed");
        }
        Ok(())
    }

    async fn is_there(&self, grounds: &Grounds) -> Result<bool, TargetError> {
        let filter = format!("name=^{}$", self.name);
        let words = self.call(&["ps", "--all", "--quiet", "--filter", &filter]);
        let output = tool(grounds, words, ACT).await?;
        self.must(
            &output,
            "the engine does not say which containers there are",
        )?;
        Ok(!output.text().is_empty())
    }

    fn call(&self, words: &[&str]) -> Vec<OsString> {
        let program = [self.program.clone().into_os_string()].into_iter();
        program.chain(words.iter().map(OsString::from)).collect()
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

/// The first engine that works; a client alone, without what it talks to, is none.
async fn working(grounds: &Grounds) -> Result<PathBuf, TargetError> {
    let mut said = Vec::new();
    for engine in ENGINES {
        let words = [engine, "info"].map(OsString::from).to_vec();
        match tool(grounds, words, ASK).await {
            Ok(output) if output.is_success() => return Ok(engine.into()),
            Ok(output) => said.push(format!("{engine}: {}", output.stderr)),
            Err(error) => said.push(error.to_string()),
        }
    }
    Err(TargetError::Place {
        target: "container".to_owned(),
        what: "no container engine works here",
        said: said.join("; "),
    })
}
