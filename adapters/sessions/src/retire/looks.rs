//! Looking at a session again and again until something has become of it.

use std::time::Duration;

use tokio::time::{sleep, timeout};

use crate::{
    api::{Lifecycle, Session, SessionId},
    client::{ClientError, Daemon},
    limits,
};

/// The first pause between two looks; the next are longer, up to a bound.
const FIRST: Duration = Duration::from_millis(20);

/// What a look is judged to mean.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is as asked.
    Done,
    /// Not yet.
    Wait,
    /// It will not be; why not.
    Failed(String),
}

/// How looking ended.
pub enum Looked {
    /// The last look was judged.
    Done,
    /// The last look was judged.
    Failed { what: String, left: Option<String> },
    /// It took too long.
    TooLong { left: Option<String> },
    /// It cannot be looked at.
    Blind(ClientError),
}

/// Looks until `judge` says something else than to wait, for at most `limit`.
pub async fn until(
    daemon: &Daemon,
    id: &SessionId,
    limit: Duration,
    mut judge: impl FnMut(Option<&Session>) -> Verdict,
) -> Looked {
    let mut left = None;
    let looks = async {
        let mut pause = FIRST;
        loop {
            let look = match daemon.look(id).await {
                Ok(look) => look,
                Err(error) => return Looked::Blind(error),
            };
            left = Some(state(look.as_ref()));
            match judge(look.as_ref()) {
                Verdict::Done => return Looked::Done,
                Verdict::Failed(what) => {
                    let left = left.clone();
                    return Looked::Failed { what, left };
                }
                Verdict::Wait => sleep(pause).await,
            }
            pause = (pause * 2).min(limits::look_interval());
        }
    };
    match timeout(limit, looks).await {
        Ok(looked) => looked,
        Err(_) => Looked::TooLong { left },
    }
}

/// A state as it is told to people.
pub fn state(look: Option<&Session>) -> String {
    match look {
        None => "nowhere: it does not exist any more".to_owned(),
        Some(session) => session.lifecycle.as_str().to_owned(),
    }
}

/// Whether an operation that was admitted has been taken up by what is seen now.
///
/// The admission says only that it will be. Until something changes, what is seen is from before,
/// and an old failure must not be taken for the outcome.
#[derive(Debug, Clone)]
pub struct TakenUp {
    before: (Lifecycle, Option<String>),
    taken_up: bool,
}

impl TakenUp {
    /// `before`: the last look before the operation was asked for. `admitted`: the state that the
    /// admission told.
    pub fn new(before: &Session, admitted: Lifecycle) -> Self {
        Self {
            before: (before.lifecycle, before.error.clone()),
            taken_up: admitted != before.lifecycle,
        }
    }

    /// Notes a look. `true` from the first one on that differs.
    pub fn by(&mut self, look: &Session) -> bool {
        let same = self.before.0 == look.lifecycle && self.before.1 == look.error;
        self.taken_up |= !same;
        self.taken_up
    }
}
