//! Suspending a session, and seeing it through.

use super::{
    Unretired,
    looks::{self, Looked, TakenUp, Verdict},
};
use crate::{
    api::{Lifecycle, LifecycleError, Session, SessionId, Suspend},
    client::{Client, Daemon},
    limits,
};

/// The command that tries again.
const RETRY: &str = "suspend";

/// Suspends a session: its work is kept, its environment given back.
///
/// # Errors
/// [`Unretired`], with what it was left as.
pub async fn suspend(daemon: &Daemon, id: &SessionId, how: Suspend) -> Result<(), Unretired> {
    let unretired = |what: String, left: Option<String>| Unretired {
        id: id.clone(),
        what,
        left,
        retry: RETRY,
    };
    let blind = |error: &dyn std::fmt::Display| {
        unretired(format!("it could not be looked at: {error}"), None)
    };
    // A turn that was interrupted may take a moment; if it does not stop, the daemon decides.
    let settle = limits::turn_settle();
    if let Looked::Blind(error) = looks::until(daemon, id, settle, at_rest).await {
        return Err(blind(&error));
    }
    let before = match daemon.look(id).await {
        Ok(Some(session)) if session.lifecycle == Lifecycle::Suspended => return Ok(()),
        Ok(Some(session)) => session,
        Ok(None) => {
            let gone = "it cannot be suspended: it does not exist any more".to_owned();
            return Err(unretired(gone, Some(looks::state(None))));
        }
        Err(error) => return Err(blind(&error)),
    };
    // Asked again when the reply is lost: the daemon lets a second one join the first.
    let ask = |client: Client| async move { client.suspend(id, how).await };
    let admitted = match daemon.follow(ask).await {
        Ok(admitted) => admitted,
        Err(error) => {
            let look = daemon.look(id).await.ok().flatten();
            let is_done = |look: &Session| look.lifecycle == Lifecycle::Suspended;
            if look.as_ref().is_some_and(is_done) {
                return Ok(());
            }
            let what = format!("its suspension was refused: {error}");
            return Err(unretired(what, look.map(|look| looks::state(Some(&look)))));
        }
    };
    let mut taken_up = TakenUp::new(&before, admitted);
    let limit = limits::operation_limit();
    match looks::until(daemon, id, limit, |look| judge(look, &mut taken_up)).await {
        Looked::Done => Ok(()),
        Looked::Failed { what, left } => Err(unretired(what, left)),
        Looked::Blind(error) => Err(blind(&error)),
        Looked::TooLong { left } => {
            let seconds = limit.as_secs_f64();
            let what = format!("its suspension is not finished after {seconds} s");
            Err(unretired(what, left))
        }
    }
}

/// Whether nothing runs in it, as far as that can be seen.
fn at_rest(look: Option<&Session>) -> Verdict {
    match look {
        Some(session) if super::destroy::is_running(session) => Verdict::Wait,
        _ => Verdict::Done,
    }
}

/// What a look after the admission means.
fn judge(look: Option<&Session>, taken_up: &mut TakenUp) -> Verdict {
    let Some(session) = look else {
        return Verdict::Failed("it was destroyed instead of suspended".to_owned());
    };
    if !taken_up.by(session) {
        return Verdict::Wait;
    }
    let cause = session.error.as_deref();
    match session.lifecycle {
        Lifecycle::Suspended => Verdict::Done,
        Lifecycle::Suspending => Verdict::Wait,
        Lifecycle::Failed => Verdict::Failed(format!(
            "it failed: {}",
            cause.unwrap_or("no cause is recorded")
        )),
        state @ (Lifecycle::Live | Lifecycle::Starting) => match (session.error_kind, cause) {
            (Some(LifecycleError::Suspend | LifecycleError::Destroy), Some(cause)) => {
                Verdict::Failed(format!("{cause}; it is still {}", told(state, session)))
            }
            _ => Verdict::Wait,
        },
    }
}

/// A state that goes on, as it is told.
fn told(state: Lifecycle, session: &Session) -> &'static str {
    match state {
        Lifecycle::Live if session.chat_phase != crate::api::ChatPhase::Closed => "running (live)",
        state => state.as_str(),
    }
}
