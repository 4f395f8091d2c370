//! The program `acp-runner`: which of its parts is wanted, and the exit status.

use std::{
    io::{self, Write as _},
    path::PathBuf,
    process::ExitCode,
    time::Duration,
};

use acp_runner::{manifest, runner::Exit, serve, side};
use clap::{Parser, Subcommand};
use tracing_subscriber::EnvFilter;

/// Drives an ACP agent: runner commands on standard input, runner events on standard output.
///
/// The agent is named by COLONIZER_ACP_AGENT (gemini, grok, or custom with the command line in
/// COLONIZER_ACP_COMMAND).
#[derive(Parser)]
#[command(name = "acp-runner", version)]
struct Arguments {
    #[command(subcommand)]
    part: Option<Part>,
}

#[derive(Subcommand)]
enum Part {
    /// Check the module.json of a module's folder.
    CheckModule {
        /// The folder.
        folder: PathBuf,
    },
    /// Serve the shared memory to an agent, over MCP.
    #[command(name = side::MEMORY_SUBCOMMAND, hide = true)]
    McpMemory,
    /// Serve the control of a loop to an agent, over MCP.
    #[command(name = side::LOOP_SUBCOMMAND, hide = true)]
    McpLoop,
}

/// Which log lines are written to standard error, which the host shows as warnings.
const LOG_VARIABLE: &str = "ACP_RUNNER_LOG";

/// How long threads that hang may hold up the exit.
const LAST_THREADS: Duration = Duration::from_millis(100);

fn main() -> ExitCode {
    // Every process runs under this same program. It must start fast, so it is looked for first.
    if std::env::args_os()
        .nth(1)
        .is_some_and(|first| first == process_tree::supervise::SUBCOMMAND)
    {
        return process_tree::supervise::main();
    }
    let arguments = Arguments::parse();
    let filter = EnvFilter::try_from_env(LOG_VARIABLE).unwrap_or_else(|_| EnvFilter::new("error"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr)
        .with_ansi(false)
        .init();
    match arguments.part {
        None => run(),
        Some(Part::CheckModule { folder }) => check(&folder),
        Some(Part::McpMemory) => done(side::memory::serve(io::stdin().lock(), io::stdout())),
        Some(Part::McpLoop) => done(side::looping::serve(io::stdin().lock(), io::stdout())),
    }
}

fn run() -> ExitCode {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => return refuse(&format!("the runtime could not be started: {error}")),
    };
    let served = runtime.block_on(serve::serve());
    runtime.shutdown_timeout(LAST_THREADS);
    match served {
        Ok(Exit::Clean) => ExitCode::SUCCESS,
        Ok(Exit::Failed) => ExitCode::FAILURE,
        Err(error) => refuse(&format!("the runner could not be started: {error}")),
    }
}

fn check(folder: &std::path::Path) -> ExitCode {
    let problems = manifest::check(folder);
    let mut output = io::stdout().lock();
    for problem in &problems {
        let _ = writeln!(output, "{problem}");
    }
    if problems.is_empty() {
        let _ = writeln!(output, "{}: ok", folder.display());
        return ExitCode::SUCCESS;
    }
    ExitCode::FAILURE
}

fn done(served: io::Result<()>) -> ExitCode {
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => refuse(&error.to_string()),
    }
}

/// Says on standard error why nothing was done.
fn refuse(reason: &str) -> ExitCode {
    let _ = writeln!(io::stderr(), "acp-runner: {reason}");
    ExitCode::FAILURE
}
