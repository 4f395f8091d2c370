//! One run, from the first event to the exit status.

use std::{env, io, panic::AssertUnwindSafe, path::Path, sync::Arc};

use futures::FutureExt as _;
use process_tree::Supervisor;
use tokio::sync::mpsc;

use crate::{
    agent::{self, Started},
    deadlines::{Deadlines, GRACE},
    environment,
    event::{Event, State},
    exec_policy::ExecPolicy,
    files::confine::Workspace,
    fresh::Fresh,
    input::{self, Input},
    named_error::{Code, NamedError},
    outlet::Outlet,
    path_policy::PathPolicy,
    preset::{self, Launch},
    refused,
    runner::{self, Exit, Setup},
    side,
    terminal::Terminals,
};

/// Switches the search for refusals of the colony off; its value is `off`.
const DENIAL_HINTS: &str = "COLONIZER_ACP_DENIAL_HINTS";

/// Serves the host on standard input and output until it, or the agent, ends.
///
/// # Errors
/// A thread or the signals cannot be had, so nothing can be told.
pub async fn serve() -> io::Result<Exit> {
    process_tree::init();
    let deadlines = Deadlines::load();
    let outlet = Outlet::start(io::stdout())?;
    outlet.send(Event::status(State::Idle)).await;
    let inputs = input::start(io::stdin(), deadlines.shutdown)?;
    Ok(guarded(&outlet, run(outlet.clone(), inputs, deadlines)).await)
}

/// Waits for a run. A fault of the runner itself is told to the host as an end too.
async fn guarded(outlet: &Outlet, run: impl Future<Output = Exit>) -> Exit {
    // Nothing of the run is used behind its panic. The panic itself goes to standard error.
    let exit = match AssertUnwindSafe(run).catch_unwind().await {
        Ok(exit) => exit,
        Err(fault) => {
            let fault = fault
                .downcast_ref::<&str>()
                .map(|text| (*text).to_owned())
                .or_else(|| fault.downcast_ref::<String>().cloned())
                .unwrap_or_default();
            let exited = Event::Status {
                state: State::Exited,
                detail: Some(format!("the runner failed: {fault}")),
            };
            outlet.send(exited).await;
            Exit::Failed
        }
    };
    outlet.flush().await;
    exit
}

async fn run(outlet: Outlet, inputs: mpsc::Receiver<Input>, deadlines: Deadlines) -> Exit {
    let launch = match preset::resolve(|name| env::var_os(name)) {
        Ok(launch) => launch,
        Err(error) => {
            refused::serve(error, &outlet, inputs).await;
            return Exit::Clean;
        }
    };
    match start(launch, &outlet, deadlines).await {
        Ok(ready) => {
            // Removed when the agent that uses it has ended.
            let _fresh = ready.fresh;
            runner::run(ready.started, ready.setup, ready.terminals, outlet, inputs).await
        }
        Err(error) => {
            runner::report(&outlet, &error).await;
            Exit::Failed
        }
    }
}

/// All that a run needs.
struct Ready {
    started: Started,
    setup: Setup,
    terminals: Terminals,
    fresh: Option<Fresh>,
}

/// Prepares all that the agent needs, and starts it last.
async fn start(
    mut launch: Launch,
    outlet: &Outlet,
    deadlines: Deadlines,
) -> Result<Ready, NamedError> {
    let failed = |message: String| NamedError::new(Code::AgentFailed, message);
    let workspace = Workspace::at(Path::new("."))
        .map_err(|error| failed(format!("the workspace cannot be opened: {error}")))?;
    let fresh = match launch.fresh_folder {
        Some(variable) => Some(fresh_folder(&mut launch, variable)?),
        None => None,
    };
    let side = side::start(outlet).await.map_err(|error| {
        failed(format!(
            "the MCP servers for the agent cannot be prepared: {error}"
        ))
    })?;
    let environment = environment::load(launch.credential);
    let supervisor = Supervisor::new().with_grace(GRACE);
    let workspace = Arc::new(workspace);
    let started = agent::start(&launch, &environment, workspace.root(), &supervisor).await?;
    Ok(Ready {
        started,
        terminals: Terminals::new(Arc::clone(&workspace), supervisor, environment),
        fresh,
        setup: Setup {
            exec_policy: ExecPolicy::load(workspace.root()),
            path_policy: PathPolicy::load(),
            launch,
            workspace,
            mcp_servers: side.mcp_servers,
            preamble: side.preamble,
            resume: text("COLONIZER_RESUME_SESSION"),
            model: text("COLONIZER_MODEL"),
            is_denial_layer_off: text(DENIAL_HINTS).as_deref() == Some("off"),
            deadlines,
        },
    })
}

/// Makes the folder that the agent wants for itself, and names it in the variable.
fn fresh_folder(launch: &mut Launch, variable: &str) -> Result<Fresh, NamedError> {
    let folder = Fresh::make().map_err(|error| {
        let message = format!(
            "no folder for {variable} can be made: {error}; set TMPDIR to a folder that can be \
             written"
        );
        NamedError::new(Code::AgentFailed, message)
    })?;
    launch.env.push((variable.into(), folder.path().into()));
    Ok(folder)
}

/// A variable that is set and not blank.
fn text(name: &str) -> Option<String> {
    let value = env::var(name).ok()?.trim().to_owned();
    (!value.is_empty()).then_some(value)
}

#[cfg(test)]
mod tests {
    use std::{io::Write, sync::mpsc::Sender};

    use super::*;

    /// An output that passes on what is written.
    struct Passed(Sender<Vec<u8>>);

    impl Write for Passed {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.send(bytes.to_vec()).map_err(io::Error::other)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn a_fault_of_the_runner_is_told_as_its_end() {
        let (sender, written) = std::sync::mpsc::channel();
        let outlet = Outlet::start(Passed(sender)).unwrap();
        let fault = async { panic!("a fault made for this test") };
        assert_eq!(guarded(&outlet, fault).await, Exit::Failed);
        drop(outlet);
        let text = String::from_utf8(written.into_iter().flatten().collect()).unwrap();
        let event: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(
            (&event["type"], &event["state"]),
            (&"status".into(), &"exited".into())
        );
        let detail = event["detail"].as_str().unwrap();
        assert!(detail.contains("a fault made for this test"), "{detail}");
    }
}
