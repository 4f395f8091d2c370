//! Destroying a session, and seeing it through.

use super::{
    Unretired,
    looks::{self, Looked, TakenUp, Verdict},
};
use crate::{
    api::{ChatPhase, Lifecycle, LifecycleError, Session, SessionId},
    client::{Client, Daemon},
    limits,
};

/// The command that tries again.
const RETRY: &str = "destroy";

/// Destroys a session: its environment and its saved work are removed. The proof is that it does
/// not exist any more.
///
/// # Errors
/// [`Unretired`], with what it was left as.
pub async fn destroy(daemon: &Daemon, id: &SessionId) -> Result<(), Unretired> {
    let unretired = |what: String, left: Option<String>| Unretired {
        id: id.clone(),
        what,
        left,
        retry: RETRY,
    };
    let blind = |error: &dyn std::fmt::Display| {
        unretired(format!("it could not be looked at: {error}"), None)
    };
    let limit = limits::turn_settle();
    match looks::until(daemon, id, limit, at_rest).await {
        Looked::Done => {}
        Looked::Blind(error) => return Err(blind(&error)),
        Looked::TooLong { left } | Looked::Failed { left, .. } => {
            let seconds = limit.as_secs_f64();
            let what = format!("its turn did not stop within {seconds} s, so it was not destroyed");
            return Err(unretired(what, left));
        }
    }
    let before = match daemon.look(id).await {
        Ok(Some(session)) => session,
        Ok(None) => return Ok(()),
        Err(error) => return Err(blind(&error)),
    };
    // Asked again when the reply is lost: the daemon lets a second one join the first.
    let ask = |client: Client| async move { client.destroy(id).await };
    let admitted = match daemon.follow(ask).await {
        Ok(Some(admitted)) => admitted,
        Ok(None) => return Ok(()),
        Err(error) => {
            let left = format!("as it was ({})", looks::state(Some(&before)));
            let what = format!("its destruction was refused: {error}");
            return Err(unretired(what, Some(left)));
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
            let what = format!("its destruction is not finished after {seconds} s");
            Err(unretired(what, left))
        }
    }
}

/// Whether a turn runs in it.
pub(super) fn is_running(session: &Session) -> bool {
    session.lifecycle == Lifecycle::Live && session.chat_phase == ChatPhase::Running
}

/// Whether it may be destroyed: no turn runs in it, and no suspension of somebody else's.
fn at_rest(look: Option<&Session>) -> Verdict {
    match look {
        Some(session) if is_running(session) => Verdict::Wait,
        Some(session) if session.lifecycle == Lifecycle::Suspending => Verdict::Wait,
        _ => Verdict::Done,
    }
}

/// What a look after the admission means.
fn judge(look: Option<&Session>, taken_up: &mut TakenUp) -> Verdict {
    let Some(session) = look else {
        return Verdict::Done;
    };
    if !taken_up.by(session) {
        return Verdict::Wait;
    }
    let cause = session.error.as_deref().unwrap_or("no cause is recorded");
    match session.lifecycle {
        Lifecycle::Failed => Verdict::Failed(format!("its destruction failed: {cause}")),
        Lifecycle::Suspending => Verdict::Wait,
        Lifecycle::Live | Lifecycle::Starting | Lifecycle::Suspended => match session.error_kind {
            Some(LifecycleError::Destroy) => Verdict::Failed(cause.to_owned()),
            _ => Verdict::Wait,
        },
    }
}
