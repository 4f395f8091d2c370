//! Whether a session that was just made can take its first prompt. Pure.

use crate::api::{Lifecycle, Session};

/// What a look at a session that is starting says.
#[derive(Debug, PartialEq, Eq)]
pub enum Readiness {
    /// A prompt runs at once.
    Ready,
    /// It is still starting.
    NotYet,
    /// It will not become ready by itself; why not.
    Never(String),
}

/// Judges a look. That a session is recorded as live is not enough: its harness must be attached,
/// and nothing else may go on with it.
pub fn readiness(look: Option<&Session>) -> Readiness {
    let Some(session) = look else {
        return Readiness::Never("disappeared while it was starting".to_owned());
    };
    match session.lifecycle {
        Lifecycle::Live if session.is_idle => Readiness::Ready,
        Lifecycle::Live | Lifecycle::Starting => Readiness::NotYet,
        state @ (Lifecycle::Failed | Lifecycle::Suspending | Lifecycle::Suspended) => {
            let cause = session.error.as_deref().unwrap_or("no cause is recorded");
            Readiness::Never(format!("is {} instead of ready: {cause}", state.as_str()))
        }
    }
}
