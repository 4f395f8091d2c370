//! The life of the process around its messages, and its end.
//!
//! What must stay true without a fault: when the input is closed, turns are stopped, commands and
//! tool servers are gone, and the process ends with status 0 at once.

use std::{
    io,
    process::{Child, Command, ExitCode, Stdio},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use serde_json::json;

use super::{
    agent::Agent,
    cli::{LeaveBehind, Options},
    faults::Fault,
    leave_behind,
    output::stderr,
    shell::ProcessGroup,
    store::Store,
    variants::Variant,
};

/// For turns to stop and answer; they stop at once unless a fault holds them.
const TURNS: Duration = Duration::from_secs(2);
/// Between two looks at the turns.
const LOOK: Duration = Duration::from_millis(5);
/// How long an agent that ignores the end lives when nobody ends it.
const IGNORED: Duration = Duration::from_secs(60);
/// Workers of [`Variant::WorkerPool`].
const WORKERS: usize = 4;

/// Runs the agent on stdin and stdout until its input ends.
#[must_use]
pub fn run(options: &Options) -> ExitCode {
    let behaviour = options.behaviour();
    if behaviour.has(Fault::CrashOnStart) {
        stderr("boom\n");
        return ExitCode::from(3);
    }
    let agent = Agent::new(behaviour, Store::new(options.state()), options.leak.clone());
    let mut workers = workers(&agent);
    let zombie = zombie(&agent);

    agent.output.open();
    agent.serve(io::stdin().lock());

    end(&agent);
    for worker in &mut workers {
        let _ = worker.end();
    }
    // Not waited for: what becomes of it when its parent ends is the point of the variant.
    drop(zombie);
    ExitCode::from(if behaviour.has(Fault::ExitStatus) {
        3
    } else {
        0
    })
}

fn end(agent: &Arc<Agent>) {
    match agent.behaviour.fault {
        Some(Fault::IgnoresEnd) => thread::sleep(IGNORED),
        Some(Fault::EndsLate) => thread::sleep(agent.behaviour.seconds(11.0)),
        _ => {}
    }
    let sessions = agent.sessions();
    sessions.iter().for_each(|session| session.stop());
    let deadline = Instant::now() + TURNS;
    while agent.is_busy() && Instant::now() < deadline {
        thread::sleep(LOOK);
    }
    if agent.behaviour.has(Fault::KeepsAtEnd) {
        for session in &sessions {
            if let Err(error) = agent.keep(session) {
                stderr(&format!("the session cannot be kept: {error}\n"));
            }
        }
    }
    agent.end_left();
    if let Err(error) = leave(agent) {
        stderr(&format!("nothing could be left behind: {error}\n"));
    }
    if !agent.behaviour.has(Fault::ServerLeft) {
        let servers = sessions.iter().flat_map(|session| &session.servers);
        servers.for_each(|server| server.close());
    }
    match agent.behaviour.variant {
        Some(Variant::NoLastNewline) => {
            let bye = json!({"jsonrpc": "2.0", "method": "_example.com/bye"});
            agent.output.send_last(&bye);
        }
        Some(Variant::EndsInTwoSeconds) => thread::sleep(Duration::from_secs(2)),
        _ => {}
    }
}

/// What a fault leaves behind.
fn leave(agent: &Agent) -> io::Result<()> {
    match agent.behaviour.fault {
        Some(Fault::SurvivorInSession) => leave_behind::start(LeaveBehind::Plain, Stdio::null()),
        Some(Fault::SurvivorDisguised) => {
            leave_behind::start(LeaveBehind::Disguised, Stdio::null())
        }
        Some(Fault::ServerLeft) => {
            for session in agent.sessions() {
                for server in &session.servers {
                    let input = Stdio::from(server.hold_input()?);
                    leave_behind::start(LeaveBehind::Plain, input)?;
                }
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Processes that live as long as the agent; they end with their input, should it be killed.
fn workers(agent: &Agent) -> Vec<ProcessGroup> {
    let count = if agent.behaviour.is(Variant::WorkerPool) {
        WORKERS
    } else {
        0
    };
    (0..count)
        .filter_map(|_| ProcessGroup::idle().ok())
        .collect()
}

fn zombie(agent: &Agent) -> Option<Child> {
    let wanted = agent.behaviour.is(Variant::ZombieUntilEnd);
    let mut command = Command::new("true");
    wanted
        .then(|| command.stdin(Stdio::null()).spawn().ok())
        .flatten()
}
