//! `new`: make a session, and wait until it is ready.

use std::{path::PathBuf, time::Duration};

use tokio::time::{sleep, timeout};

use super::{CliError, arguments::New, find, output, progress::Progress};
use crate::{
    api::{CreateSession, SessionId},
    client::Daemon,
    limits,
    readiness::{Readiness, readiness},
};

/// The first pause between two looks; the next are longer, up to a bound.
const FIRST_LOOK: Duration = Duration::from_millis(10);

pub(super) async fn new(daemon: &Daemon, flags: New) -> Result<(), CliError> {
    let choice = flags.choice;
    let client = daemon.client().await?;
    let workspace = find::workspace(&client, choice.workspace.as_deref(), "new").await?;
    let request = CreateSession {
        workspace_id: Some(workspace.id),
        project_directory: match choice.bundle {
            Some(_) => None,
            None => Some(directory(flags.project_directory)?),
        },
        profile_id: choice.profile,
        target_id: choice.target,
        bundle_id: choice.bundle,
        at: choice.at,
        branch: choice.branch,
        base: choice.base,
        expected_runtime_identity: choice.expected_runtime_identity,
        title: flags.title,
        // If the reply is lost, the session is found again by it.
        request_id: Some(format!("{:032x}", rand::random::<u128>())),
    };
    let id = daemon.create(&request).await?;
    if !flags.no_wait {
        wait(daemon, &id).await?;
    }
    output::print_line(id.as_str())
}

fn directory(given: Option<PathBuf>) -> Result<PathBuf, CliError> {
    let path = given.unwrap_or_else(|| PathBuf::from("."));
    match path.canonicalize() {
        Ok(path) => Ok(path),
        Err(source) => Err(CliError::Directory { path, source }),
    }
}

/// Waits until the session takes a prompt.
async fn wait(daemon: &Daemon, id: &SessionId) -> Result<(), CliError> {
    let mut progress = Progress::new();
    let ready = async {
        let mut pause = FIRST_LOOK;
        loop {
            let look = daemon.look(id).await?;
            if let Some(session) = &look {
                progress.show_session(session);
            }
            match readiness(look.as_ref()) {
                Readiness::Ready => return Ok(()),
                Readiness::NotYet => sleep(pause).await,
                Readiness::Never(why) => {
                    let id = id.clone();
                    return Err(CliError::NotReady { id, why });
                }
            }
            pause = (pause * 2).min(limits::readiness_poll());
        }
    };
    match timeout(limits::readiness_limit(), ready).await {
        Ok(ready) => ready,
        Err(_) => Err(CliError::NotReady {
            id: id.clone(),
            why: format!(
                "is not ready after {} s and was left as it is",
                limits::readiness_limit().as_secs_f64()
            ),
        }),
    }
}
