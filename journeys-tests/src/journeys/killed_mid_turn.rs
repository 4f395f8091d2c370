//! Journey `killed-mid-turn-then-load`: the agent is killed while it works, as by a crash or a user who
//! loses patience, and a new process takes the session up.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-setup#loading-a-session>

use std::time::{Duration, Instant};

use super::load::must_advertise;
use crate::{
    connection::Heard,
    permission::Rule,
    prompts,
    stage::{Session, Stage},
    trouble::Trouble,
};

/// A turn that says nothing is killed after this long: the agent has read the prompt by then.
const SILENT_START: Duration = Duration::from_millis(500);

/// A turn that has begun to speak goes on for so long: one that was not slow has ended by then.
const LINGER: Duration = Duration::from_millis(200);

/// One turn, a second one that is killed, a new process, `session/load`, one turn.
pub(super) fn drive(stage: &mut Stage<'_>, word: &str) -> Result<(), Trouble> {
    let session_id = stage.with_killed_session(|session, capabilities| {
        must_advertise(capabilities)?;
        session.turn(&prompts::remember(word), Rule::AllowAll)?;
        begin_and_leave(session)?;
        Ok(session.id.clone())
    })?;
    stage.with_agent(|client, capabilities| {
        must_advertise(capabilities)?;
        client.load_session(&session_id)?;
        client.turn(&session_id, &prompts::which_word(), Rule::AllowAll)
    })
}

/// Waits until the turn is in its middle. That it is answered already is for the judges to say.
fn begin_and_leave(session: &mut Session<'_>) -> Result<(), Trouble> {
    let Session { client, id, .. } = session;
    let pending = client.begin_turn(id, &prompts::slow(), Rule::AllowAll)?;
    let mut deadline = Instant::now() + SILENT_START;
    let mut has_begun = false;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(());
        }
        match client.connection().hear(left, &pending.step)? {
            Heard::Answer(id, _) if id == pending.id => return Ok(()),
            Heard::Message if !has_begun => {
                has_begun = true;
                deadline = Instant::now() + LINGER;
            }
            _ => {}
        }
    }
}
