//! Saving the work of a session, and seeing it through.

use super::{
    Unretired,
    looks::{self, Looked, Verdict},
};
use crate::{
    api::{LifecycleError, Session, SessionId, State},
    client::Daemon,
    limits,
};

/// Saves the work of a session, which goes on.
///
/// # Errors
/// [`Unretired`], with what it was left as.
pub async fn checkpoint(daemon: &Daemon, id: &SessionId) -> Result<(), Unretired> {
    let unretired = |what: String, left: Option<String>| Unretired {
        id: id.clone(),
        what,
        left,
        retry: "checkpoint",
    };
    let admitted = async { daemon.client().await?.checkpoint(id).await };
    if let Err(error) = admitted.await {
        let what = format!("its checkpoint was refused: {error}");
        return Err(unretired(what, Some("as it was".to_owned())));
    }
    let limit = limits::operation_limit();
    match looks::until(daemon, id, limit, judge).await {
        Looked::Done => Ok(()),
        Looked::Failed { what, left } => Err(unretired(what, left)),
        Looked::Blind(error) => Err(unretired(
            format!("it could not be looked at: {error}"),
            None,
        )),
        Looked::TooLong { left } => {
            let seconds = limit.as_secs_f64();
            let what = format!("its checkpoint is not finished after {seconds} s");
            Err(unretired(what, left))
        }
    }
}

/// What a look after the admission means. A checkpoint is recorded as begun before it is admitted.
fn judge(look: Option<&Session>) -> Verdict {
    let Some(session) = look else {
        return Verdict::Failed("it was destroyed instead of saved".to_owned());
    };
    let cause = session.error.as_deref().unwrap_or("no cause is recorded");
    match (session.state, session.error_kind) {
        (State::Checkpointing, _) => Verdict::Wait,
        (_, Some(LifecycleError::Checkpoint)) => Verdict::Failed(cause.to_owned()),
        _ if session.has_checkpoint => Verdict::Done,
        (state, _) => Verdict::Failed(format!("it is {} and has no checkpoint", state.as_str())),
    }
}
