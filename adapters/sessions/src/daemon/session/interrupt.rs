//! Interrupts: of the turn that runs, of prompts that wait, of prompts that are held.

use std::sync::Arc;

use super::Session;
use crate::{
    api::{ErrorCode, Interrupt, Outcome},
    daemon::{Daemon, refusal::Refusal},
    store::TurnEnd,
};

/// What is written about a prompt that was interrupted before it ran.
const NEVER_RAN: &str = "interrupted before it ran";

/// What an interrupt has hit.
enum Hit {
    /// The turn that runs, or held prompts: whoever waits for them does the rest.
    Told,
    /// A prompt that waits; its end is to be stored.
    Queued(u64),
    Nothing,
}

impl Session {
    /// Interrupts a turn, or withdraws the held prompts.
    pub(crate) async fn interrupt(
        self: &Arc<Self>,
        daemon: &Arc<Daemon>,
        interrupt: Interrupt,
    ) -> Result<(), Refusal> {
        let hit = self.update(|known| {
            let running = known.turns.running.as_mut();
            let wanted = |ordinal| interrupt.turn_id.is_none_or(|turn| turn == ordinal);
            let mut hit = Hit::Nothing;
            if let Some(running) = running.filter(|running| wanted(running.ordinal)) {
                running.is_interrupted = true;
                hit = Hit::Told;
            } else if let Some(place) = known
                .turns
                .queue
                .iter()
                .position(|queued| wanted(queued.ordinal))
            {
                // Out of the queue at once, so that it cannot begin meanwhile.
                let queued = known.turns.queue.remove(place);
                hit = queued.map_or(Hit::Nothing, |queued| Hit::Queued(queued.ordinal));
            }
            if interrupt.turn_id.is_none() && known.held > 0 {
                known.withdrawals += 1;
                if matches!(hit, Hit::Nothing) {
                    hit = Hit::Told;
                }
            }
            hit
        });
        match hit {
            Hit::Told => Ok(()),
            Hit::Queued(ordinal) => {
                self.end_unstarted(daemon, ordinal, never_ran(Outcome::Cancelled, NEVER_RAN))
                    .await;
                Ok(())
            }
            Hit::Nothing => {
                let error = match interrupt.turn_id {
                    Some(turn) => format!("turn {turn} of session {} is not open", self.id),
                    None => format!("session {} has neither a turn nor a held prompt", self.id),
                };
                Err(Refusal::conflict_because(
                    ErrorCode::NothingToInterrupt,
                    error,
                ))
            }
        }
    }

    /// Interrupts the turn that runs, if one does, without a word.
    pub(crate) fn interrupt_running(&self) {
        self.update(|known| {
            if let Some(running) = &mut known.turns.running {
                running.is_interrupted = true;
            }
        });
    }

    /// Ends the prompts that wait.
    pub(super) async fn end_queue(&self, daemon: &Daemon, outcome: Outcome, why: &str) {
        loop {
            let next = self.update(|known| known.turns.queue.pop_front());
            let Some(queued) = next else { return };
            self.end_unstarted(daemon, queued.ordinal, never_ran(outcome, why))
                .await;
        }
    }

    /// Stores the end of a turn that the harness never saw, and then tells of it.
    pub(crate) async fn end_unstarted(&self, daemon: &Daemon, ordinal: u64, end: TurnEnd) {
        let stored = daemon
            .store
            .end_turn(self.id.clone(), ordinal, end.clone(), Vec::new());
        if let Err(error) = stored.await {
            tracing::error!(session = %self.id, ordinal, %error, "the end of a turn is lost");
        }
        self.update(|known| known.turns.end(ordinal, end));
    }
}

fn never_ran(outcome: Outcome, why: &str) -> TurnEnd {
    TurnEnd {
        outcome,
        stop_reason: None,
        message: Some(why.to_owned()),
        final_message: None,
    }
}
