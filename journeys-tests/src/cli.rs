//! The command line: its words, and which command each of them is. Nothing else reads arguments.

use std::{
    io::{self, Write as _},
    path::PathBuf,
    process::ExitCode,
};

use clap::{Args, Parser, Subcommand};

use crate::{
    command::{self, CommandError, Status},
    journey::Journey,
    shard::Shard,
};

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
    /// Say what a check wants, why, and where that is written.
    Explain {
        /// The check's id, or a part of it.
        check: String,
    },
    /// Say whether an agent's command can start at all, and if not, why.
    Doctor {
        /// The command that starts the agent in ACP mode.
        #[arg(required = true, last = true, value_name = "AGENT")]
        agent: Vec<String>,
    },
    /// Drive many agents, each apart from the others, and sum up.
    #[command(after_help = MATRIX_HELP)]
    Matrix(MatrixArgs),
    /// Sum up the folders that the shards of a matrix wrote.
    #[command(after_help = "Example: acp-journeys merge shard-1 shard-2 shard-3")]
    Merge {
        /// Folders with the results of shards.
        #[arg(required = true, value_name = "DIR")]
        folders: Vec<PathBuf>,
        /// Write the summary to this file, too.
        #[arg(long, value_name = "FILE")]
        json: Option<PathBuf>,
    },
}

const MATRIX_HELP: &str = "\
The file:
  agents:
    - name: my-agent              # letters, digits, '.', '_' and '-'; names the result file
      command: [my-agent, --acp]
      env: {MY_AGENT_HOME: /data} # added to the environment
      secret_env: [API_KEY]       # values that must not be in the result
      only: [reply, cancel]       # these journeys; all seven if it is left out
      stand_in: false             # the four stand-in journeys, too

A shard runs every N-th agent, from the I-th on. A shard that is run again does only what is missing.";

/// What one run of the checker does, and where its results go.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// Run only this journey; may be given several times.
    #[arg(long, value_name = "NAME")]
    pub only: Vec<Journey>,
    /// Run the four journeys that need an agent which follows scenario commands, too; they are
    /// reported apart and never part of the verdict.
    #[arg(long)]
    pub stand_in: bool,
    /// The result file.
    #[arg(long, value_name = "FILE", default_value = "result.json")]
    pub json: PathBuf,
    /// Write a JUnit report, too.
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Write a page with the wire of each journey, too.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Run everything so many times and say what is flaky. Each repetition gets its own result file
    /// (result-1.json …); the result file itself is the first one that failed, or else the first.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub repeat: u32,
    /// Run so many journeys at once, each in a checker of its own. The agent must bear that.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: u16,
    /// The value of this environment variable must not be in the result; may be given several times.
    #[arg(long, value_name = "NAME")]
    pub secret_env: Vec<String>,
    /// No long word of this file, or of the files in this folder, must be in the result; may be given
    /// several times.
    #[arg(long, value_name = "PATH")]
    pub secret_path: Vec<PathBuf>,
    /// The program of the tool server rondar (default: mcp-tools next to this program or on PATH).
    #[arg(long, value_name = "PROGRAM")]
    pub tool_server: Option<PathBuf>,
    /// Multiply all time limits.
    #[arg(long, hide = true, default_value_t = 1.0)]
    pub scale: f64,
    /// Be one of several runs of another acp-journeys: say nothing, and end when it ends.
    #[arg(long, hide = true)]
    pub worker: bool,
    /// The name of the agent in a matrix.
    #[arg(long, hide = true)]
    pub agent_name: Option<String>,
    /// The command that starts the agent in ACP mode.
    #[arg(required = true, last = true, value_name = "AGENT")]
    pub agent: Vec<String>,
}

/// Which agents a matrix drives, and how.
#[derive(Debug, Args)]
pub struct MatrixArgs {
    /// The agents.
    pub file: PathBuf,
    /// The folder for the results, one file for each agent.
    #[arg(long, value_name = "DIR", default_value = "matrix")]
    pub out: PathBuf,
    /// Run so many agents at once.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: u16,
    /// Run only a part of the agents: the I-th of N shards, counted from 1.
    #[arg(long, value_name = "I/N", default_value = "1/1")]
    pub shard: Shard,
    /// Write a page for each agent, too.
    #[arg(long)]
    pub html: bool,
    /// Write a JUnit report of all agents, too.
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// The program of the tool server rondar (default: mcp-tools next to this program or on PATH).
    #[arg(long, value_name = "PROGRAM")]
    pub tool_server: Option<PathBuf>,
    /// Multiply all time limits.
    #[arg(long, hide = true, default_value_t = 1.0)]
    pub scale: f64,
}

/// Carries out the command line and returns the exit status.
#[must_use]
pub fn main() -> ExitCode {
    let outcome = carry_out(Cli::parse().command);
    ExitCode::from(outcome.unwrap_or_else(|error| {
        // A reader that has seen enough, such as `head`, is told nothing; with a closed standard error
        // there is nobody left to tell.
        let enough = matches!(&error, CommandError::Output(cause) if cause.kind() == io::ErrorKind::BrokenPipe);
        if !enough {
            let _closed = writeln!(io::stderr(), "acp-journeys: {error}");
        }
        Status::CouldNotRun
    }) as u8)
}

fn carry_out(command: Command) -> Result<Status, CommandError> {
    match command {
        Command::Run(args) => command::run::run(&args),
        Command::Verify { file } => command::verify::verify(&file),
        Command::List => command::list::list(),
        Command::Explain { check } => command::explain::explain(&check),
        Command::Doctor { agent } => command::doctor::doctor(&agent),
        Command::Matrix(args) => command::matrix::matrix(&args),
        Command::Merge { folders, json } => command::merge::merge(&folders, json.as_deref()),
    }
}
