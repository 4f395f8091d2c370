//! The sessions that this front made, and what each of them does.
//!
//! The only state of the front, behind one lock and synchronous: a handler never waits, so a cancel
//! that was written behind its prompt always finds the turn.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use tokio_util::sync::CancellationToken;

use crate::api::SessionId;

/// The sessions of one front.
#[derive(Default)]
pub(super) struct Owned(Mutex<State>);

#[derive(Default)]
struct State {
    sessions: BTreeMap<SessionId, Activity>,
    first_refusal: Option<String>,
}

/// What a session does for this front.
enum Activity {
    /// Nothing.
    Idle,
    /// A prompt is being answered.
    Prompting(CancellationToken),
    /// A prompt was answered although its turn may still run.
    Unsettled,
}

/// Why a prompt is refused.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum PromptRefused {
    #[error("session {0:?} was not created by this adapter process, so it cannot be prompted here")]
    Foreign(String),
    #[error(
        "session {0} is busy: a prompt is being answered; \
         wait for its answer or send session/cancel first"
    )]
    Busy(SessionId),
}

impl Owned {
    /// A session was made.
    pub(super) fn add(&self, id: SessionId) {
        self.state().sessions.insert(id, Activity::Idle);
    }

    /// A session was refused; the first time is remembered.
    pub(super) fn refused(&self, reason: &str) {
        self.state()
            .first_refusal
            .get_or_insert_with(|| reason.to_owned());
    }

    /// The first refusal, if nothing but refusals came of this front.
    pub(super) fn only_refusal(&self) -> Option<String> {
        let state = self.state();
        let refusal = state.first_refusal.clone();
        refusal.filter(|_| state.sessions.is_empty())
    }

    /// A prompt begins. Its token is flipped by a cancel.
    pub(super) fn begin(&self, id: &str) -> Result<(SessionId, CancellationToken), PromptRefused> {
        let mut state = self.state();
        let known = id.parse::<SessionId>().ok();
        let known = known.and_then(|id| Some((state.sessions.get_mut(&id)?, id)));
        let Some((activity, id)) = known else {
            return Err(PromptRefused::Foreign(shortened(id)));
        };
        if let Activity::Prompting(_) = activity {
            return Err(PromptRefused::Busy(id));
        }
        let cancelled = CancellationToken::new();
        *activity = Activity::Prompting(cancelled.clone());
        Ok((id, cancelled))
    }

    /// A prompt is about to be answered. `settled`: its turn has ended.
    pub(super) fn end(&self, id: &SessionId, settled: bool) {
        let activity = match settled {
            true => Activity::Idle,
            false => Activity::Unsettled,
        };
        self.state().sessions.insert(id.clone(), activity);
    }

    /// Cancels the prompt that is being answered. `false` if there is none, or no such session.
    pub(super) fn cancel(&self, id: &str) -> bool {
        let Ok(id) = id.parse::<SessionId>() else {
            return false;
        };
        let token = match self.state().sessions.get(&id) {
            Some(Activity::Prompting(token)) => token.clone(),
            _ => return false,
        };
        // Wakes others, so not under the lock.
        token.cancel();
        true
    }

    /// Cancels all prompts that are being answered.
    pub(super) fn cancel_all(&self) {
        let tokens: Vec<_> = {
            let state = self.state();
            let activities = state.sessions.values();
            activities
                .filter_map(|activity| match activity {
                    Activity::Prompting(token) => Some(token.clone()),
                    _ => None,
                })
                .collect()
        };
        for token in tokens {
            token.cancel();
        }
    }

    /// Sessions in which a turn may still run that nobody waits for.
    pub(super) fn unsettled(&self) -> Vec<SessionId> {
        let state = self.state();
        let unsettled = |activity: &Activity| matches!(activity, Activity::Unsettled);
        let sessions = state
            .sessions
            .iter()
            .filter(|(_, activity)| unsettled(activity));
        sessions.map(|(id, _)| id.clone()).collect()
    }

    /// All sessions, sorted.
    pub(super) fn ids(&self) -> Vec<SessionId> {
        self.state().sessions.keys().cloned().collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An id as it is repeated in an error: one that is absurdly long is cut.
fn shortened(id: &str) -> String {
    const SHOWN: usize = 100;
    match id.char_indices().nth(SHOWN) {
        Some((cut, _)) => format!("{}…", &id[..cut]),
        None => id.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_needs_a_session_of_ours_that_does_nothing() {
        let owned = Owned::default();
        let id = SessionId::random();
        let foreign = PromptRefused::Foreign(id.to_string());
        assert_eq!(owned.begin(id.as_str()).unwrap_err(), foreign);
        owned.add(id.clone());
        assert!(owned.begin(id.as_str()).is_ok());
        assert_eq!(
            owned.begin(id.as_str()).unwrap_err(),
            PromptRefused::Busy(id.clone())
        );
        owned.end(&id, true);
        assert!(owned.begin(id.as_str()).is_ok());
    }

    #[test]
    fn a_cancel_hits_the_prompt_that_is_being_answered_and_no_other() {
        let owned = Owned::default();
        let id = SessionId::random();
        owned.add(id.clone());
        assert!(!owned.cancel(id.as_str()));
        assert!(!owned.cancel("nonsense"));
        let (_, first) = owned.begin(id.as_str()).unwrap();
        assert!(!first.is_cancelled());
        assert!(owned.cancel(id.as_str()));
        assert!(first.is_cancelled());
        owned.end(&id, true);
        assert!(!owned.cancel(id.as_str()));
        let (_, second) = owned.begin(id.as_str()).unwrap();
        assert!(!second.is_cancelled());
    }

    #[test]
    fn what_may_still_run_is_remembered_until_the_next_prompt() {
        let owned = Owned::default();
        let id = SessionId::random();
        owned.add(id.clone());
        owned.end(&id, false);
        assert_eq!(owned.unsettled(), std::slice::from_ref(&id));
        owned.begin(id.as_str()).unwrap();
        assert_eq!(owned.unsettled(), []);
    }

    #[test]
    fn the_first_refusal_counts_only_while_nothing_was_made() {
        let owned = Owned::default();
        assert_eq!(owned.only_refusal(), None);
        owned.refused("one");
        owned.refused("two");
        assert_eq!(owned.only_refusal().as_deref(), Some("one"));
        owned.add(SessionId::random());
        assert_eq!(owned.only_refusal(), None);
    }
}
