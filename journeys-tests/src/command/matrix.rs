//! `acp-journeys matrix FILE`: many agents, each in a checker process of its own.

use std::{
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    thread,
};

use super::{CommandError, Status, merge::write_summary, run::cannot_write, tool_server};
use crate::{
    cli::MatrixArgs,
    interrupt,
    matrix::{Manifest, Matrix, MatrixAgent, Outcome, Summary},
    report::{self, progress},
    result::{
        again::Verified,
        file::{self, write_beside},
    },
    workers,
};

/// Drives the agents of this shard that have no result yet, and sums up the shard.
///
/// # Errors
/// What hindered the run. What an agent did wrong is no error but [`Status::Failed`].
pub fn matrix(args: &MatrixArgs) -> Result<Status, CommandError> {
    interrupt::handle(Status::CouldNotRun as i32).map_err(CommandError::Signals)?;
    let matrix = Matrix::read(&args.file)?;
    let tool_server = tool_server(args.tool_server.as_deref())?;
    fs::create_dir_all(&args.out).map_err(cannot_write(&args.out))?;
    let own: Vec<&MatrixAgent> = matrix
        .agents
        .iter()
        .enumerate()
        .filter(|(index, _)| args.shard.has(*index))
        .map(|(_, agent)| agent)
        .collect();
    write_manifest(args, &matrix)?;
    // The last one first in the list: it is taken from the end.
    let open: Mutex<Vec<&MatrixAgent>> = Mutex::new(own.iter().rev().copied().collect());
    let order = Order {
        out: &args.out,
        tool_server: &tool_server,
        scale: args.scale,
    };
    thread::scope(|scope| {
        for _ in 0..args.jobs {
            scope.spawn(|| {
                while let Some(agent) = next(&open) {
                    order.run(agent);
                }
            });
        }
    });
    let names: Vec<String> = own.iter().map(|agent| agent.name.clone()).collect();
    let summary = Summary::of(&names, std::slice::from_ref(&args.out))?;
    write_reports(args, &summary)?;
    write_summary(&summary, &mut io::stdout().lock())
}

/// Written first: a shard that is killed has at least said which agents there are.
fn write_manifest(args: &MatrixArgs, matrix: &Matrix) -> Result<(), CommandError> {
    let path = args.out.join(Manifest::file_name(args.shard));
    let manifest = Manifest {
        format: 1,
        agents: matrix.names(),
    };
    write_beside(&path, |out| {
        serde_json::to_writer_pretty(&mut *out, &manifest)?;
        out.write_all(b"\n")
    })
    .map_err(cannot_write(&path))
}

fn write_reports(args: &MatrixArgs, summary: &Summary) -> Result<(), CommandError> {
    let mut driven = Vec::new();
    for (name, outcome) in &summary.agents {
        let Outcome::Driven(result) = outcome else {
            continue;
        };
        if args.html {
            let path = args.out.join(format!("{name}.html"));
            report::html::write(result, &path).map_err(cannot_write(&path))?;
        }
        driven.push((**result).clone());
    }
    if let Some(path) = &args.junit {
        report::junit::write(&driven, path).map_err(cannot_write(path))?;
    }
    Ok(())
}

/// What all agents have in common.
struct Order<'a> {
    out: &'a Path,
    tool_server: &'a Path,
    scale: f64,
}

impl Order<'_> {
    /// Drives one agent. Its file appears whole or not at all: without one it is missing.
    fn run(&self, agent: &MatrixAgent) {
        let json = self.out.join(format!("{}.json", agent.name));
        if is_done(&json, agent) {
            progress::say(&format!("{}: done before", agent.name));
            return;
        }
        let env: Vec<(String, String)> = agent.env.clone().into_iter().collect();
        let words = match workers::run_worker(self.arguments(agent, &json), &env) {
            Ok(status) => match status.code() {
                Some(0) => "pass".to_owned(),
                Some(1) => "FAIL".to_owned(),
                _ => format!("could not run ({status})"),
            },
            Err(error) => format!("could not run: {error}"),
        };
        progress::say(&format!("{}: {words}", agent.name));
    }

    fn arguments(&self, agent: &MatrixAgent, json: &PathBuf) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = vec![
            "run".into(),
            "--worker".into(),
            "--agent-name".into(),
            agent.name.clone().into(),
            "--scale".into(),
            self.scale.to_string().into(),
            "--tool-server".into(),
            self.tool_server.into(),
            "--json".into(),
            json.into(),
        ];
        for journey in &agent.only {
            arguments.extend(["--only".into(), journey.0.name().into()]);
        }
        for name in &agent.secret_env {
            arguments.extend(["--secret-env".into(), name.into()]);
        }
        arguments.extend(agent.stand_in.then(|| "--stand-in".into()));
        arguments.push("--".into());
        arguments.extend(agent.command.iter().map(OsString::from));
        arguments
    }
}

/// Whether an earlier run of this shard has this agent's result.
fn is_done(json: &Path, agent: &MatrixAgent) -> bool {
    file::read(json).is_ok_and(|stored| {
        let Verified {
            result,
            differences,
        } = stored.verified();
        result.agent.name.as_ref() == Some(&agent.name)
            && result.agent.command.words() == agent.command
            && differences.is_empty()
            && !result
                .journeys
                .iter()
                .any(|journey| journey.could_not_run())
    })
}

fn next<'m>(open: &Mutex<Vec<&'m MatrixAgent>>) -> Option<&'m MatrixAgent> {
    open.lock().unwrap_or_else(PoisonError::into_inner).pop()
}
