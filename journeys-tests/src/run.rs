//! One run of the checker: the chosen journeys one after the other, each recorded and then judged.
//!
//! One agent at a time in one process: an orphan that cleared its environment can only be attributed if
//! there is one agent it can come from.

use std::{
    path::PathBuf,
    sync::{Mutex, PoisonError},
    time::{SystemTime, UNIX_EPOCH},
};

use crate::{
    agent_process::AgentCommand,
    journey::Journey,
    journeys, judge, leftovers,
    limits::Limits,
    result_file::{JourneyResult, RunResult},
    stage::Stage,
};

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// How to run.
pub struct Options {
    /// The program of the tool server `rondar`; see [`crate::tool_server::find`].
    pub tool_server: PathBuf,
    /// The deadlines.
    pub limits: Limits,
    /// Told as the run goes on.
    pub progress: Box<dyn Fn(Progress<'_>)>,
}

/// What a run tells while it goes on.
#[derive(Debug, Clone, Copy)]
pub enum Progress<'a> {
    /// A journey starts.
    Started(Journey),
    /// What it does now.
    Step(Journey, &'a str),
    /// It has been judged.
    Judged(&'a JourneyResult),
}

/// Drives the agent through these journeys, in this order, and judges each.
#[must_use]
pub fn run_journeys(agent: &AgentCommand, names: &[Journey], options: &Options) -> RunResult {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let since_1970 = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let started = u64::try_from(since_1970.as_millis()).unwrap_or(u64::MAX);
    let journeys = names
        .iter()
        .map(|&journey| run_one(agent, journey, options))
        .collect();
    RunResult::new(agent.clone(), started, journeys)
}

fn run_one(agent: &AgentCommand, journey: Journey, options: &Options) -> JourneyResult {
    (options.progress)(Progress::Started(journey));
    let say = |step: &str| (options.progress)(Progress::Step(journey, step));
    let stage = leftovers::become_subreaper()
        .and_then(|()| Stage::new(agent, &options.tool_server, &options.limits, &say));
    let recording = journeys::drive(journey, stage);
    let checks = judge::judge(&recording);
    let result = JourneyResult::new(recording, checks);
    (options.progress)(Progress::Judged(&result));
    result
}
