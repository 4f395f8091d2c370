//! The command line: what people and programs start.
//!
//! Every command but the daemon itself is a client of the daemon's HTTP API. What a command has to
//! say goes to stdout, everything else to stderr.
//!
//! Must stay true: the exit status is 0 only if what was asked was done, 2 for bad usage, else 1;
//! an error names what to do next.

mod about;
mod acp;
pub mod arguments;
mod daemon_run;
mod doctor;
mod error;
mod find;
mod lifecycle;
mod log;
mod new;
mod output;
mod progress;
mod reading;
mod sessions;
mod startup;
mod turns;
mod workspaces;

use std::{process::ExitCode, time::Duration};

use clap::{CommandFactory, Parser};

use crate::{
    client::{Connector, Daemon},
    instance::Instance,
};
use arguments::{Arguments, Command};
use error::CliError;

/// Threads of the runtime. Clients hardly compute; two keep one task from holding up another.
const WORKERS: usize = 2;

/// How long what is left may hold up the exit: nothing that matters is left.
const LAST_TASKS: Duration = Duration::from_millis(100);

/// The program, from its arguments to its exit status.
pub fn run() -> ExitCode {
    let arguments = Arguments::parse();
    match execute(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output::complain(&error);
            ExitCode::FAILURE
        }
    }
}

fn execute(arguments: Arguments) -> Result<(), CliError> {
    if let Command::Completions { shell } = arguments.command {
        let mut script = Vec::new();
        let name = env!("CARGO_PKG_NAME");
        clap_complete::generate(shell, &mut Arguments::command(), name, &mut script);
        return output::print(&String::from_utf8_lossy(&script));
    }
    let variable = |name: &str| std::env::var_os(name);
    let instance = Instance::resolve(arguments.instance.as_deref(), variable)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(WORKERS)
        .enable_all()
        .build()
        .map_err(CliError::Runtime)?;
    let executed = runtime.block_on(command(arguments, instance));
    runtime.shutdown_timeout(LAST_TASKS);
    executed
}

async fn command(arguments: Arguments, instance: Instance) -> Result<(), CliError> {
    let connector = Connector::new(instance.clone());
    let Arguments {
        workspace, command, ..
    } = arguments;
    match command {
        Command::Acp(mut flags) => {
            flags.choice.workspace = flags.choice.workspace.or(workspace);
            acp::acp(connector, flags).await
        }
        Command::DaemonRun => daemon_run::daemon_run(instance).await,
        command => {
            log::to_stderr("warn");
            by_hand(connector, workspace, command).await
        }
    }
}

/// The commands for people. All but `doctor` need the daemon, and start it.
async fn by_hand(
    connector: Connector,
    workspace: Option<String>,
    command: Command,
) -> Result<(), CliError> {
    if let Command::Doctor = command {
        return doctor::doctor(&connector).await;
    }
    let instance = connector.instance().clone();
    let daemon = Daemon::new(connector);
    let client = daemon.client().await?;
    match command {
        Command::Workspaces(flags) => workspaces::workspaces(&client, flags).await,
        Command::Sessions(mut flags) => {
            flags.workspace = flags.workspace.or(workspace);
            sessions::sessions(&client, flags).await
        }
        Command::New(mut flags) => {
            flags.choice.workspace = flags.choice.workspace.or(workspace);
            new::new(&daemon, flags).await
        }
        Command::Prompt(flags) => turns::prompt(&daemon, flags).await,
        Command::Wait(flags) => turns::wait(&daemon, flags).await,
        Command::Interrupt(flags) => turns::interrupt(&client, flags).await,
        Command::Transcript(flags) => reading::transcript(&client, flags).await,
        Command::Diff(flags) => reading::diff(&client, flags).await,
        Command::Search(flags) => reading::search(&client, flags).await,
        Command::Suspend(flags) => lifecycle::suspend(&daemon, flags).await,
        Command::Resume(flags) => lifecycle::resume(&daemon, flags).await,
        Command::Destroy(flags) => lifecycle::destroy(&daemon, flags).await,
        Command::Checkpoint(flags) => lifecycle::checkpoint(&daemon, flags).await,
        Command::ApiInfo(format) => about::api_info(&client, &instance, format).await,
        Command::Web => about::web(&client, &instance),
        // These were taken out before.
        Command::Acp(_) | Command::DaemonRun | Command::Doctor | Command::Completions { .. } => {
            Ok(())
        }
    }
}
