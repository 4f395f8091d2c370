//! Waiting for the end of a turn. It changes nothing, so a client may repeat it.

use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::{
    Session,
    rules::{Ending, Seen, ending},
};
use crate::{
    api::{Outcome, Wait, WaitAnswer},
    daemon::{Daemon, refusal::Refusal},
    limits,
    store::TurnEnd,
};

impl Session {
    /// Waits until the turn has ended, or something else ends the wait.
    pub(crate) async fn wait(&self, daemon: &Daemon, wait: Wait) -> Result<WaitAnswer, Refusal> {
        let limit = limit(wait.timeout_secs)?;
        let turn = self.turn_to_wait_for(wait.turn_id)?;
        let stored = self.stored_ending(daemon, turn).await?;
        let failures = self.lock().close_failures;
        let over = self.until(|known| {
            if known.is_gone {
                return Some(Err(Refusal::unknown_session(&self.id)));
            }
            let seen = Seen {
                facts: known.facts(),
                end: known.turns.ending(turn).or(stored.as_ref()),
                close_failed: known.close_failures != failures,
                error: known
                    .row
                    .error
                    .as_ref()
                    .map(|(_, sentence)| sentence.as_str()),
                is_asked: wait.return_on_input && !known.questions.is_empty(),
            };
            ending(&seen).map(Ok)
        });
        let over = tokio::select! {
            // First, so that what has ended is told also when there is no time at all.
            biased;
            over = timeout_at(Instant::now() + limit, over) => over,
            () = daemon.ending.cancelled() => return Err(Refusal::shutting_down()),
        };
        let ending = match over {
            Ok(ending) => ending?,
            Err(_) => Ending::Other(Outcome::Timeout, None),
        };
        Ok(self.answer(turn, ending))
    }

    fn turn_to_wait_for(&self, wanted: Option<u64>) -> Result<u64, Refusal> {
        let last = self.lock().turns.last;
        match wanted {
            None if last == 0 => Err(Refusal::conflict(format!(
                "session {} has had no turn yet",
                self.id
            ))),
            None => Ok(last),
            Some(turn) if (1..=last).contains(&turn) => Ok(turn),
            Some(turn) => Err(Refusal::malformed(format!(
                "session {} has no turn {turn}; its last one is {last}",
                self.id
            ))),
        }
    }

    /// How a turn ended that is not remembered any more.
    async fn stored_ending(&self, daemon: &Daemon, turn: u64) -> Result<Option<TurnEnd>, Refusal> {
        let is_known = {
            let known = self.lock();
            known.turns.is_open(turn) || known.turns.ending(turn).is_some()
        };
        if is_known {
            return Ok(None);
        }
        let row = daemon.store.turn(self.id.clone(), turn).await?;
        Ok(row.and_then(|row| row.end))
    }

    fn answer(&self, turn: u64, ending: Ending) -> WaitAnswer {
        let known = self.lock();
        let session = known.view();
        let (outcome, stop_reason, message, final_message) = match ending {
            Ending::Turn(end) => (end.outcome, end.stop_reason, end.message, end.final_message),
            Ending::Other(outcome, message) => (outcome, None, message, None),
        };
        let pending_elicitations = match outcome {
            Outcome::InputRequired => session.pending_elicitations.clone(),
            _ => Vec::new(),
        };
        WaitAnswer {
            outcome,
            stop_reason,
            message,
            final_message,
            turn_id: Some(turn),
            pending_elicitations,
            session,
        }
    }
}

fn limit(seconds: Option<u64>) -> Result<Duration, Refusal> {
    let longest = limits::wait_longest().as_secs();
    match seconds {
        None => Ok(limits::wait_default()),
        Some(seconds) if (1..=longest).contains(&seconds) => Ok(Duration::from_secs(seconds)),
        Some(seconds) => Err(Refusal::malformed(format!(
            "timeout_secs is {seconds}; it must be 1 to {longest}"
        ))),
    }
}
