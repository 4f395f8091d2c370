//! Journey `cancel`: a running shell command is stopped.
//!
//! When does the command run? When a `sleep 120` is seen below the agent. An agent may run it where the
//! checker cannot see it: then a tool call that is in progress, or was permitted, counts after a while.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/prompt-turn#cancellation>

use std::time::{Duration, Instant};

use crate::{
    client::Client,
    connection::{Heard, Pending},
    judge::is_sleep,
    permission::Rule,
    prompts,
    recording::When,
    stage::{Session, Stage},
    trouble::Trouble,
};

/// How often the checker looks for the command. It bounds how late the cancel is sent.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// One turn, cancelled as soon as its command runs.
pub(super) fn drive(stage: &mut Stage<'_>) -> Result<(), Trouble> {
    stage.with_session(|session, _| {
        let Session { client, id, .. } = session;
        let pending = client.begin_turn(id, &prompts::sleep(), Rule::AllowAll)?;
        let stopped = stop_when_it_runs(client, id, &pending);
        client.end_turn();
        client.note_until_none(When::AfterCancel, is_sleep);
        stopped
    })
}

fn stop_when_it_runs(client: &mut Client, id: &str, pending: &Pending) -> Result<(), Trouble> {
    if wait_until_it_runs(client, pending)? == Running::Answered {
        // The turn ended without a cancel: the judges say so.
        return Ok(());
    }
    client.cancel(id)?;
    let limit = client.limits().cancel;
    client.connection().wait(pending, limit)?;
    client.listen()
}

#[derive(Debug, PartialEq, Eq)]
enum Running {
    Yes,
    Answered,
}

fn wait_until_it_runs(client: &mut Client, pending: &Pending) -> Result<Running, Trouble> {
    let deadline = Instant::now() + client.limits().silence;
    let mut may_run_since = None;
    loop {
        if let Heard::Answer(id, _) = client.connection().hear(LOOK_AGAIN, "the shell command")?
            && id == pending.id
        {
            return Ok(Running::Answered);
        }
        let processes = client.look();
        if processes.iter().any(is_sleep) {
            client.note(When::BeforeCancel, processes);
            return Ok(Running::Yes);
        }
        let now = Instant::now();
        if client.connection().may_run_a_command() {
            let since = *may_run_since.get_or_insert(now);
            if now.duration_since(since) >= client.limits().unseen_command {
                client.note(When::BeforeCancel, processes);
                return Ok(Running::Yes);
            }
        }
        if now >= deadline {
            let waited = client.limits().silence;
            return Err(Trouble::TimedOut {
                step: "the start of the shell command sleep 120".to_owned(),
                waited_ms: u64::try_from(waited.as_millis()).unwrap_or(u64::MAX),
                rule: "no sleep process and no running tool call".to_owned(),
            });
        }
    }
}
