//! Journeys at the same time: each in a checker process of its own.
//!
//! A process and not a thread, because an orphan of an agent is adopted by the checker process that
//! started it, and can be attributed only if that drives one agent at a time.
//!
//! What must stay true: a worker that crashes costs its own journey and no other; no worker outlives
//! this process.
//!
//! See prctl(2) `PR_SET_PDEATHSIG`.

use std::{
    collections::VecDeque,
    ffi::OsString,
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
    sync::{Mutex, PoisonError, mpsc},
    thread,
    time::Instant,
};

use nix::sys::{prctl, signal::Signal};

use crate::{
    agent_process::AgentCommand,
    connection::milliseconds,
    interrupt,
    journey::Journey,
    journeys,
    recording::Timing,
    result::{JourneyResult, RunResult, again, file},
    run::{Options, Progress, assemble, now_unix_ms},
    trouble::Trouble,
};

/// Called by a worker: a signal ends it when the process that started it ends.
pub fn end_with_parent() {
    // Without it a worker of a killed checker goes on to its end, which is bounded too.
    let _unknown = prctl::set_pdeathsig(Signal::SIGTERM);
}

/// Runs a worker of this program to its end.
///
/// # Errors
/// What the system says.
pub fn run_worker(
    arguments: Vec<OsString>,
    env: &[(String, String)],
) -> std::io::Result<ExitStatus> {
    let mut worker = Command::new(std::env::current_exe()?)
        .args(arguments)
        .envs(env.iter().cloned())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    interrupt::worker_started(worker.id());
    let status = worker.wait();
    interrupt::worker_ended(worker.id());
    status
}

/// What all workers of a run have in common.
pub struct Crew<'a> {
    /// The agent.
    pub agent: &'a AgentCommand,
    /// How to run.
    pub options: &'a Options,
    /// The factor of the limits.
    pub scale: f64,
    /// The variables whose values are secret.
    pub secret_env: &'a [String],
    /// The logins whose words are secret.
    pub secret_path: &'a [PathBuf],
    /// How many at once.
    pub jobs: usize,
}

/// What a worker needs to know; none of it is bound to a thread.
struct Order<'a> {
    agent: &'a AgentCommand,
    tool_server: &'a Path,
    scale: f64,
    secret_env: &'a [String],
    secret_path: &'a [PathBuf],
}

/// A journey of a repetition, by its number among all.
type Job = (usize, Journey);

impl Crew<'_> {
    /// Drives these journeys so many times; one result for each repetition.
    #[must_use]
    pub fn run(&self, names: &[Journey], repeat: usize) -> Vec<RunResult> {
        let (started, started_unix_ms) = (Instant::now(), now_unix_ms());
        let jobs: VecDeque<Job> = (0..repeat)
            .flat_map(|_| names.iter().copied())
            .enumerate()
            .collect();
        let mut done: Vec<Option<JourneyResult>> = vec![None; jobs.len()];
        let open = Mutex::new(jobs);
        let order = Order {
            agent: self.agent,
            tool_server: &self.options.tool_server,
            scale: self.scale,
            secret_env: self.secret_env,
            secret_path: self.secret_path,
        };
        thread::scope(|scope| {
            let (sender, results) = mpsc::channel();
            for _ in 0..self.jobs {
                let (sender, open, order) = (sender.clone(), &open, &order);
                scope.spawn(move || {
                    while let Some((number, journey)) = next(open) {
                        let result = order.run(journey);
                        if sender.send((number, result)).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(sender);
            for (number, result) in results {
                (self.options.progress)(Progress::Judged(&result));
                done[number] = Some(result);
            }
        });
        let mut done = done.into_iter().flatten();
        let timing = Timing {
            started_unix_ms,
            took_ms: milliseconds(started.elapsed()),
        };
        (0..repeat)
            .map(|_| {
                let results = done.by_ref().take(names.len()).collect();
                assemble(self.agent, self.options, results, timing)
            })
            .collect()
    }
}

impl Order<'_> {
    fn run(&self, journey: Journey) -> JourneyResult {
        self.run_worker(journey).unwrap_or_else(|what| {
            let trouble = Trouble::Checker { what };
            again::judged(journeys::drive(journey, Err(trouble)))
        })
    }

    /// The result comes back in a file, and is judged like one that a stranger sent.
    fn run_worker(&self, journey: Journey) -> Result<JourneyResult, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let json = folder.path().join("result.json");
        let status = run_worker(self.arguments(journey, &json), &[]);
        let status = status.map_err(|error| format!("a worker cannot be started: {error}"))?;
        let stored = file::read(&json)
            .map_err(|error| format!("a worker left no result ({status}): {error}"))?;
        let result = stored.result;
        let mut journeys = result.journeys.into_iter().chain(result.stand_ins);
        journeys
            .next()
            .ok_or_else(|| "a worker left an empty result".to_owned())
    }

    fn arguments(&self, journey: Journey, json: &Path) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = vec![
            "run".into(),
            "--worker".into(),
            "--only".into(),
            journey.name().into(),
            "--scale".into(),
            self.scale.to_string().into(),
            "--tool-server".into(),
            self.tool_server.into(),
            "--json".into(),
            json.into(),
        ];
        for name in self.secret_env {
            arguments.extend(["--secret-env".into(), name.into()]);
        }
        for path in self.secret_path {
            arguments.extend(["--secret-path".into(), path.into()]);
        }
        arguments.extend(["--".into(), self.agent.program.clone().into()]);
        arguments.extend(self.agent.args.iter().map(OsString::from));
        arguments
    }
}

fn next(open: &Mutex<VecDeque<Job>>) -> Option<Job> {
    open.lock()
        .unwrap_or_else(PoisonError::into_inner)
        .pop_front()
}
