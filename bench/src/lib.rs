//! Measures an ACP agent against a canned responder.
//!
//! A number alone says little: it is the machine's as much as the agent's. So each measurement asks
//! the agent and a *floor* in turn, round after round in one run, and gives the ratio. The floor
//! answers with prepared text and does nothing else; what it needs is what pipes, processes and
//! this program cost.
//!
//! In reading order:
//! - [`measures`]: what is asked, one file a question, with the target that the agent has.
//! - [`series`]: the alternation; [`effort`]: how often. [`row`], [`stats`] and [`table`]: what
//!   comes of the samples.
//! - [`contender`]: who is asked. [`floor`]: the one in C. [`folders`]: where they work.
//! - [`session`], [`connection`], [`message`], [`deadline`]: what is said to them.
//! - [`tree`], [`exit`], [`machine`]: what is seen of their processes.
//!
//! Must stay true: nothing runs and no folder is left when the bench ends, also on Ctrl-C.

pub mod cli;
pub mod connection;
pub mod contender;
pub mod deadline;
pub mod effort;
pub mod exit;
pub mod fault;
pub mod floor;
pub mod folders;
pub mod machine;
pub mod measures;
pub mod message;
pub mod row;
pub mod series;
pub mod session;
pub mod stats;
pub mod stop;
pub mod table;
pub mod tree;

use std::{env, fs, path::PathBuf};

use crate::{
    cli::Arguments, contender::Contender, effort::Effort, fault::Fault, folders::Folders,
    measures::Measure, row::Series, series::Field, table::Report,
};

/// The agent's program, where it is not named: beside the bench.
const AGENT: &str = "acp-agent";

/// Measures what was asked for, and returns the table.
///
/// # Errors
/// There is nobody to measure, or the machine does not let us; not that a measurement failed.
pub fn run(arguments: Arguments) -> Result<String, Fault> {
    let agent = agent(arguments.agent)?;
    let folders = Folders::new()?;
    let floor = floor::build(folders.shared())?;
    let peers = arguments
        .peer
        .iter()
        .map(|(name, command)| Contender::peer(name, command));
    let field = Field {
        contenders: [Contender::floor(floor), Contender::agent(agent)]
            .into_iter()
            .chain(peers)
            .collect(),
        folders,
        effort: Effort {
            quick: arguments.quick,
            rounds: arguments.reps.map(|rounds| rounds as usize),
        },
    };
    let mut series: Vec<(&'static str, Series)> = Vec::new();
    for measure in chosen(&arguments.only) {
        series.extend(
            (measure.run)(&field)
                .into_iter()
                .map(|one| (measure.name, one)),
        );
        stop::check()?;
    }
    let report = Report::new(&field.contenders, &series);
    if let Some(file) = arguments.json {
        let json = report.json().map_err(Fault::machine("writing JSON"))?;
        fs::write(file, json).map_err(Fault::machine("writing the JSON file"))?;
    }
    Ok(report.table())
}

fn chosen(only: &[String]) -> impl Iterator<Item = &'static Measure> {
    measures::ALL
        .iter()
        .filter(move |measure| only.is_empty() || only.iter().any(|name| name == measure.name))
}

fn agent(named: Option<PathBuf>) -> Result<PathBuf, Fault> {
    let beside = || env::current_exe().map(|program| program.with_file_name(AGENT));
    let agent = match named {
        Some(named) => named,
        None => beside().map_err(Fault::machine("looking for this program"))?,
    };
    // Contenders run in folders of their own, where a relative path would lead elsewhere.
    agent.canonicalize().map_err(|_| Fault::NoAgent(agent))
}
