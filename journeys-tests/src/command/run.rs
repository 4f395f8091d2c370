//! `acp-journeys run`: drive an agent, write the result and the reports, say what it came to.

use std::{
    io,
    path::{Path, PathBuf},
};

use super::{CommandError, Status, status, tool_server};
use crate::{
    agent_process::AgentCommand,
    cli::RunArgs,
    interrupt,
    journey::Journey,
    limits::Limits,
    report,
    result::RunResult,
    run::{Options, run_journeys},
    secrets::Secrets,
    workers::{self, Crew},
};

/// Drives the agent and reports.
///
/// # Errors
/// What hindered the run. What the agent did wrong is no error but [`Status::Failed`].
pub fn run(args: &RunArgs) -> Result<Status, CommandError> {
    interrupt::handle(Status::CouldNotRun as i32).map_err(CommandError::Signals)?;
    if args.worker {
        workers::end_with_parent();
    }
    let agent = AgentCommand::from_words(&args.agent).ok_or(CommandError::NoAgent)?;
    let journeys = chosen(args);
    let repeat = usize::try_from(args.repeat).unwrap_or(usize::MAX);
    let options = Options {
        tool_server: tool_server(args.tool_server.as_deref())?,
        limits: Limits::default().scaled(args.scale),
        secrets: secrets(args)?,
        agent_name: args.agent_name.clone(),
        progress: if args.worker {
            Box::new(|_| {})
        } else {
            report::progress::shown(journeys.len() * repeat)
        },
    };
    let results = if args.jobs > 1 {
        let crew = Crew {
            agent: &agent,
            options: &options,
            scale: args.scale,
            secret_env: &args.secret_env,
            secret_path: &args.secret_path,
            jobs: args.jobs.into(),
        };
        crew.run(&journeys, repeat)
    } else {
        (0..repeat)
            .map(|_| run_journeys(&agent, &journeys, &options))
            .collect()
    };
    report_all(args, &results)
}

fn secrets(args: &RunArgs) -> Result<Secrets, CommandError> {
    let secrets = Secrets::from_env(&args.secret_env);
    args.secret_path.iter().try_fold(secrets, |secrets, path| {
        secrets
            .with_login(path)
            .map_err(|source| CommandError::Secrets {
                path: path.clone(),
                source,
            })
    })
}

/// The journeys that were asked for, each once, in the order of the contract.
fn chosen(args: &RunArgs) -> Vec<Journey> {
    let known = Journey::ALL.into_iter().chain(Journey::STAND_INS);
    let wanted = |journey: &Journey| {
        if args.only.is_empty() {
            !journey.is_stand_in() || args.stand_in
        } else {
            args.only.contains(journey) || (args.stand_in && journey.is_stand_in())
        }
    };
    known.filter(wanted).collect()
}

fn report_all(args: &RunArgs, results: &[RunResult]) -> Result<Status, CommandError> {
    let worst = results
        .iter()
        .find(|result| status(result) != Status::Passed);
    let Some(shown) = worst.or(results.first()) else {
        return Err(CommandError::NoAgent);
    };
    shown.write(&args.json)?;
    if results.len() > 1 {
        for (number, result) in results.iter().enumerate() {
            result.write(&numbered(&args.json, number + 1))?;
        }
    }
    if let Some(path) = &args.junit {
        report::junit::write(results, path).map_err(cannot_write(path))?;
    }
    if let Some(path) = &args.html {
        report::html::write(shown, path).map_err(cannot_write(path))?;
    }
    if !args.worker {
        let mut out = io::stdout().lock();
        report::write(shown, &mut out)?;
        report::flakiness::write(results, &mut out)?;
    }
    Ok(status(shown))
}

pub(super) fn cannot_write(path: &Path) -> impl FnOnce(io::Error) -> CommandError {
    let path = path.to_owned();
    move |source| CommandError::Report { path, source }
}

/// `result.json` is `result-3.json` for the third repetition.
fn numbered(path: &Path, number: usize) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let name = match path.extension() {
        Some(extension) => format!("{stem}-{number}.{}", extension.to_string_lossy()),
        None => format!("{stem}-{number}"),
    };
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetitions_are_numbered_before_the_extension() {
        for (path, wanted) in [
            ("result.json", "result-2.json"),
            ("/out/a.b.json", "/out/a.b-2.json"),
            ("out/result", "out/result-2"),
        ] {
            assert_eq!(numbered(Path::new(path), 2), Path::new(wanted));
        }
    }
}
