//! One run of the checker: the chosen journeys one after the other, each recorded and then judged.
//!
//! One agent at a time in one process: an orphan that cleared its environment can only be attributed if
//! there is one agent it can come from.

use std::{
    env,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::{Instant, SystemTime, UNIX_EPOCH},
};

use crate::{
    agent_process::AgentCommand,
    connection::milliseconds,
    doctor,
    executable::{self, FileDigest},
    journey::Journey,
    journeys, leftovers,
    limits::Limits,
    recording::Timing,
    result::{Checker, DrivenAgent, FORMAT, JourneyResult, NOT_ISOLATED, RunResult, again},
    secrets::Secrets,
    stage::Stage,
    trouble::Trouble,
};

/// The environment variable by which whoever started the checker says what isolates it.
pub const ISOLATION_VARIABLE: &str = "ACP_JOURNEYS_ISOLATION";

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// How to run.
pub struct Options {
    /// The program of the tool server `rondar`; see [`crate::tool_server::find`].
    pub tool_server: PathBuf,
    /// The deadlines.
    pub limits: Limits,
    /// What must not be in the result.
    pub secrets: Secrets,
    /// The agent's name in a matrix.
    pub agent_name: Option<String>,
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
    let (started, started_unix_ms) = (Instant::now(), now_unix_ms());
    let results = names
        .iter()
        .map(|&journey| run_one(agent, journey, options))
        .collect();
    assemble(
        agent,
        options,
        results,
        Timing {
            started_unix_ms,
            took_ms: milliseconds(started.elapsed()),
        },
    )
}

/// The result of these journeys, with all that is known of the agent and the checker.
#[must_use]
pub fn assemble(
    agent: &AgentCommand,
    options: &Options,
    results: Vec<JourneyResult>,
    timing: Timing,
) -> RunResult {
    let (stand_ins, journeys): (Vec<_>, Vec<_>) = results
        .into_iter()
        .partition(|result| result.name.is_stand_in());
    let secrets = &options.secrets;
    let isolation = env::var(ISOLATION_VARIABLE).ok();
    let result = RunResult {
        format: FORMAT,
        checker: Checker::this(),
        agent: secrets
            .hide(describe(agent, options.agent_name.clone()))
            .introduced_by(&journeys, &stand_ins),
        isolation: isolation.unwrap_or_else(|| NOT_ISOLATED.to_owned()),
        secrets: secrets.names().to_vec(),
        started_unix_ms: timing.started_unix_ms,
        took_ms: timing.took_ms,
        passed: journeys.iter().filter(|journey| journey.passes()).count(),
        journeys,
        stand_ins,
        digest: None,
    };
    result.sealed()
}

/// Milliseconds since 1970.
#[must_use]
pub fn now_unix_ms() -> u64 {
    let since_1970 = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    milliseconds(since_1970)
}

fn describe(agent: &AgentCommand, name: Option<String>) -> DrivenAgent {
    let file = executable::find(&agent.program);
    let arguments = agent.args.iter().map(Path::new);
    DrivenAgent {
        command: agent.clone(),
        name,
        executable: file.and_then(|file| FileDigest::of(&file).ok()),
        files: arguments
            .filter(|argument| argument.is_file())
            .filter_map(|file| FileDigest::of(file).ok())
            .collect(),
        info: serde_json::Value::Null,
        capabilities: serde_json::Value::Null,
    }
}

fn run_one(agent: &AgentCommand, journey: Journey, options: &Options) -> JourneyResult {
    (options.progress)(Progress::Started(journey));
    let say = |step: &str| (options.progress)(Progress::Step(journey, step));
    let (started, started_unix_ms) = (Instant::now(), now_unix_ms());
    let stage = examined(agent)
        .and_then(|()| leftovers::become_subreaper())
        .and_then(|()| Stage::new(agent, &options.tool_server, &options.limits, &say));
    let mut recording = journeys::drive(journey, stage);
    recording.timing = Some(Timing {
        started_unix_ms,
        took_ms: milliseconds(started.elapsed()),
    });
    // Hidden first and judged then: the verdict must follow from what is in the file.
    let result = again::judged(options.secrets.hide_in(recording));
    (options.progress)(Progress::Judged(&result));
    result
}

fn examined(agent: &AgentCommand) -> Result<(), Trouble> {
    doctor::examine(&agent.program)
        .map(drop)
        .map_err(|ailment| Trouble::CouldNotStart {
            program: agent.program.clone(),
            error: ailment.to_string(),
        })
}
