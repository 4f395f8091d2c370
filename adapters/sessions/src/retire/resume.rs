//! Bringing a suspended session back, and seeing it through.

use super::{
    Unretired,
    looks::{self, Looked, Verdict},
};
use crate::{
    api::{Lifecycle, Session, SessionId},
    client::Daemon,
    limits,
};

/// Resumes a session, and waits until it takes prompts again. `seen` is told each look.
///
/// # Errors
/// [`Unretired`], with what it was left as.
pub async fn resume(
    daemon: &Daemon,
    id: &SessionId,
    mut seen: impl FnMut(&Session),
) -> Result<(), Unretired> {
    let unretired = |what: String, left: Option<String>| Unretired {
        id: id.clone(),
        what,
        left,
        retry: "resume",
    };
    let admitted = async { daemon.client().await?.resume(id).await };
    if let Err(error) = admitted.await {
        let what = format!("its resumption was refused: {error}");
        return Err(unretired(what, Some("as it was".to_owned())));
    }
    let limit = limits::readiness_limit();
    let looked = looks::until(daemon, id, limit, |look| {
        look.into_iter().for_each(&mut seen);
        judge(look)
    });
    match looked.await {
        Looked::Done => Ok(()),
        Looked::Failed { what, left } => Err(unretired(what, left)),
        Looked::Blind(error) => Err(unretired(
            format!("it could not be looked at: {error}"),
            None,
        )),
        Looked::TooLong { left } => {
            let seconds = limit.as_secs_f64();
            Err(unretired(format!("it is not back after {seconds} s"), left))
        }
    }
}

/// What a look after the admission means. A resumption is recorded before it is admitted, so what
/// is suspended now has failed to come back.
fn judge(look: Option<&Session>) -> Verdict {
    let Some(session) = look else {
        return Verdict::Failed("it was destroyed instead of resumed".to_owned());
    };
    match session.lifecycle {
        Lifecycle::Live if session.is_idle => Verdict::Done,
        Lifecycle::Live | Lifecycle::Starting => Verdict::Wait,
        Lifecycle::Suspending => Verdict::Failed("something else ends it".to_owned()),
        Lifecycle::Suspended | Lifecycle::Failed => {
            let cause = session.error.as_deref().unwrap_or("no cause is recorded");
            Verdict::Failed(cause.to_owned())
        }
    }
}
