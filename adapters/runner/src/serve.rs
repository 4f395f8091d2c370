//! One run, from the first event to the exit status.

use std::{env, io, path::Path, sync::Arc, time::Duration};

use process_tree::Supervisor;

use crate::{
    agent,
    event::{Event, State},
    exec_policy::ExecPolicy,
    files::confine::Workspace,
    input,
    named_error::{Code, NamedError},
    outlet::Outlet,
    path_policy::PathPolicy,
    preset, refused,
    runner::{self, Exit, Setup},
    side,
    terminal::Terminals,
};

/// From SIGTERM to SIGKILL, for the agent and for terminals.
const GRACE: Duration = Duration::from_secs(2);

/// Switches the search for refusals of the colony off; its value is `off`.
const DENIAL_HINTS: &str = "COLONIZER_ACP_DENIAL_HINTS";

/// Serves the host on standard input and output until it, or the agent, ends.
///
/// # Errors
/// A thread, the signals, or the workspace cannot be had.
pub async fn serve() -> io::Result<Exit> {
    process_tree::init();
    let outlet = Outlet::start(io::stdout())?;
    outlet.send(Event::status(State::Idle)).await;
    let inputs = input::start(io::stdin())?;
    let workspace = Arc::new(Workspace::at(Path::new("."))?);
    let mut launch = match preset::resolve(|name| env::var_os(name)) {
        Ok(launch) => launch,
        Err(error) => {
            refused::serve(error, &outlet, inputs).await;
            return Ok(Exit::Clean);
        }
    };
    let _fresh = match launch.fresh_folder {
        Some(variable) => {
            let folder = tempfile::Builder::new().prefix("acp-runner-").tempdir()?;
            launch.env.push((variable.into(), folder.path().into()));
            // Removed when the agent that uses it has ended.
            Some(folder)
        }
        None => None,
    };
    let supervisor = Supervisor::new().with_grace(GRACE);
    let started = match agent::start(&launch, workspace.root(), &supervisor).await {
        Ok(started) => started,
        Err(error) => {
            runner::report(&outlet, &error).await;
            outlet.flush().await;
            return Ok(Exit::Failed);
        }
    };
    let side = match side::start(&outlet).await {
        Ok(side) => side,
        Err(error) => return fail(&outlet, started, error).await,
    };
    let terminals = Terminals::new(Arc::clone(&workspace), supervisor);
    let setup = Setup {
        exec_policy: ExecPolicy::load(workspace.root()),
        path_policy: PathPolicy::load(),
        launch,
        workspace,
        mcp_servers: side.mcp_servers,
        preamble: side.preamble,
        resume: text("COLONIZER_RESUME_SESSION"),
        model: text("COLONIZER_MODEL"),
        is_denial_layer_off: text(DENIAL_HINTS).as_deref() == Some("off"),
    };
    Ok(runner::run(started, setup, terminals, outlet, inputs).await)
}

/// Ends an agent that cannot be given what it needs.
async fn fail(outlet: &Outlet, mut started: agent::Started, error: io::Error) -> io::Result<Exit> {
    let message = format!("the MCP servers for the agent cannot be prepared: {error}");
    runner::report(outlet, &NamedError::new(Code::AgentFailed, message)).await;
    started.agent.end().await;
    outlet.flush().await;
    Ok(Exit::Failed)
}

/// A variable that is set and not blank.
fn text(name: &str) -> Option<String> {
    let value = env::var(name).ok()?.trim().to_owned();
    (!value.is_empty()).then_some(value)
}
