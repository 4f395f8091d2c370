//! The command line: three commands and their exit statuses.

use std::{
    io::{self, Write},
    path::PathBuf,
    process::ExitCode,
};

use clap::{Args, Parser, Subcommand};

use crate::{
    agent_process::AgentCommand,
    interrupt,
    journey::Journey,
    limits::Limits,
    report,
    result_file::{ResultFileError, RunResult},
    run::{Options, run_journeys},
    tool_server,
    trouble::Trouble,
};

/// All journeys pass.
const PASSED: u8 = 0;
/// A journey failed, or a stored verdict does not follow from its recordings.
const FAILED: u8 = 1;
/// The run could not be made, or the file not be read. Also clap's status for bad usage.
const COULD_NOT_RUN: u8 = 2;

/// Drives any ACP agent through seven user journeys and says which it passes.
#[derive(Debug, Parser)]
#[command(
    version,
    after_help = "Exit status: 0 all journeys pass, 1 a journey failed, 2 could not run."
)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Drive an agent and write the result file.
    #[command(after_help = "Example: acp-journeys run --only reply --only plan -- my-agent --acp")]
    Run(RunArgs),
    /// Judge the recordings of a result file again; the stored verdict is not believed.
    Verify {
        /// The result file.
        file: PathBuf,
    },
    /// List the journeys and their checks.
    List,
}

#[derive(Debug, Args)]
struct RunArgs {
    /// Run only this journey; may be given several times.
    #[arg(long, value_name = "NAME")]
    only: Vec<Journey>,
    /// The result file.
    #[arg(long, value_name = "FILE", default_value = "result.json")]
    json: PathBuf,
    /// The program of the tool server rondar (default: mcp-tools next to this program or on PATH).
    #[arg(long, value_name = "PROGRAM")]
    tool_server: Option<PathBuf>,
    /// Multiply all time limits.
    #[arg(long, hide = true, default_value_t = 1.0)]
    scale: f64,
    /// The command that starts the agent in ACP mode.
    #[arg(required = true, last = true, value_name = "AGENT")]
    agent: Vec<String>,
}

/// Why a command could not be carried out.
#[derive(Debug, thiserror::Error)]
enum CliError {
    #[error(transparent)]
    ResultFile(#[from] ResultFileError),
    #[error(transparent)]
    ToolServer(#[from] tool_server::NotFound),
    #[error("the tool server {path} cannot be used: {source}")]
    ToolServerPath { path: PathBuf, source: io::Error },
    #[error("no agent was named: give its command after --")]
    NoAgent,
    #[error("{0}")]
    Trouble(Trouble),
    #[error("cannot take signals: {0}")]
    Signals(io::Error),
    #[error("cannot write the report: {0}")]
    Report(io::Error),
}

/// Carries out the command line and returns the exit status.
pub fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Run(args) => run(args),
        Command::Verify { file } => verify(&file),
        Command::List => list().map_err(CliError::Report),
    };
    ExitCode::from(outcome.unwrap_or_else(|error| {
        let _closed = writeln!(io::stderr(), "acp-journeys: {error}");
        COULD_NOT_RUN
    }))
}

fn run(args: RunArgs) -> Result<u8, CliError> {
    interrupt::handle(COULD_NOT_RUN.into()).map_err(CliError::Signals)?;
    let agent = AgentCommand::from_words(&args.agent).ok_or(CliError::NoAgent)?;
    let mut journeys = args.only;
    if journeys.is_empty() {
        journeys = Journey::ALL.to_vec();
    }
    journeys.dedup();
    let tool_server = match args.tool_server {
        Some(path) => path
            .canonicalize()
            .map_err(|source| CliError::ToolServerPath { path, source })?,
        None => tool_server::find()?,
    };
    let options = Options {
        tool_server,
        limits: Limits::default().scaled(args.scale),
        progress: report::progress::shown(journeys.len()),
    };
    let result = run_journeys(&agent, &journeys, &options);
    result.write(&args.json)?;
    report::write(&result, &mut io::stdout().lock()).map_err(CliError::Report)?;
    let mut ours = result
        .journeys
        .iter()
        .filter_map(|journey| journey.recording.trouble.as_ref());
    match ours.find(|trouble| trouble.is_ours()) {
        Some(trouble) => Err(CliError::Trouble(trouble.clone())),
        None => Ok(status(&result)),
    }
}

fn verify(file: &std::path::Path) -> Result<u8, CliError> {
    let stored = RunResult::read(file)?;
    let again = stored.judged_again();
    let differences = stored.differences(&again);
    let mut out = io::stdout().lock();
    let written = differences
        .iter()
        .try_for_each(|difference| writeln!(out, "differs: {difference}"))
        .and_then(|()| report::write(&again, &mut out));
    written.map_err(CliError::Report)?;
    Ok(if differences.is_empty() {
        status(&again)
    } else {
        FAILED
    })
}

fn list() -> io::Result<u8> {
    let mut out = io::stdout().lock();
    for journey in Journey::ALL {
        writeln!(out, "{:8} {}", journey.name(), journey.summary())?;
    }
    writeln!(out, "\nChecks:")?;
    for requirement in crate::requirements::ALL {
        writeln!(out, "{:34} {}", requirement.id, requirement.requires)?;
    }
    Ok(PASSED)
}

fn status(result: &RunResult) -> u8 {
    if result.all_pass() { PASSED } else { FAILED }
}
