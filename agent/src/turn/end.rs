//! The end of a turn: what it is called, keeping it, and the answer that it gives.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/prompt-turn#stop-reasons>

use super::{Halt, Turn};
use crate::{
    acp,
    clock::timestamp,
    error::RequestError,
    record::Durability,
    store::{Item, TurnEnd},
};

impl Turn {
    /// Keeps the end of the turn and returns the answer. A cancelled turn is answered `cancelled`
    /// even if it could not be saved: what it left is written with the next turn.
    pub(super) async fn end(
        &mut self,
        ended: Result<TurnEnd, Halt>,
    ) -> Result<acp::StopReason, RequestError> {
        let (end, answer) = outcome(ended, self.stop.turn.is_cancelled());
        self.keep(Item::TurnEnd {
            end,
            at: timestamp(),
        });
        match (self.session.record.write(Durability::Synced).await, answer) {
            (Ok(()), answer) => answer,
            (Err(error), Ok(acp::StopReason::Cancelled)) => {
                tracing::error!(session = %self.session.id, %error, "a cancelled turn is not saved yet");
                Ok(acp::StopReason::Cancelled)
            }
            // The turn's own failure says more than that it could not be saved.
            (Err(error), Err(failure)) => {
                tracing::error!(session = %self.session.id, %error, "a failed turn is not saved yet");
                Err(failure)
            }
            (Err(error), Ok(_)) => Err(error),
        }
    }
}

/// What is kept and what is answered. A stop wins over everything that happened while stopping.
fn outcome(
    ended: Result<TurnEnd, Halt>,
    stopped: bool,
) -> (TurnEnd, Result<acp::StopReason, RequestError>) {
    use acp::StopReason;
    let end = match ended {
        _ if stopped => TurnEnd::Cancelled,
        Err(Halt::Cancelled) => TurnEnd::Cancelled,
        Err(Halt::Failed(error)) => {
            let message = error.to_string();
            return (TurnEnd::Failed { message }, Err(error));
        }
        Ok(end) => end,
    };
    let reason = match &end {
        TurnEnd::EndTurn => StopReason::EndTurn,
        TurnEnd::MaxTokens => StopReason::MaxTokens,
        TurnEnd::MaxTurnRequests => StopReason::MaxTurnRequests,
        TurnEnd::Refusal => StopReason::Refusal,
        TurnEnd::Cancelled | TurnEnd::Interrupted => StopReason::Cancelled,
        TurnEnd::Failed { message } => {
            let error = RequestError::Model(message.clone());
            return (end, Err(error));
        }
    };
    (end, Ok(reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed() -> Result<TurnEnd, Halt> {
        Err(Halt::Failed(RequestError::Model("x".into())))
    }

    #[test]
    fn a_stop_wins() {
        for ended in [
            Ok(TurnEnd::EndTurn),
            Ok(TurnEnd::Refusal),
            Err(Halt::Cancelled),
            failed(),
        ] {
            let (end, answer) = outcome(ended, true);
            assert_eq!(end, TurnEnd::Cancelled);
            assert!(matches!(answer, Ok(acp::StopReason::Cancelled)));
        }
    }

    #[test]
    fn a_failure_is_never_an_end() {
        let (end, answer) = outcome(failed(), false);
        assert!(matches!(end, TurnEnd::Failed { .. }));
        assert!(answer.is_err());
    }
}
