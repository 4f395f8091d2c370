//! Operations on a session that the daemon admits first and finishes later, seen through to their
//! end.
//!
//! Apart from the front because people do the same by hand, and must be told the same.
//!
//! Must stay true: nothing is said to be done that the daemon has not finished, and nothing is
//! asked twice.

mod checkpoint;
mod destroy;
mod looks;
mod resume;
mod suspend;

use std::fmt;

use crate::api::SessionId;

pub use checkpoint::checkpoint;
pub use destroy::destroy;
pub use resume::resume;
pub use suspend::suspend;

/// A session with which what was asked was not done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Unretired {
    /// The session.
    pub id: SessionId,
    /// What went wrong.
    pub what: String,
    /// What it was left as, as far as that is known.
    pub left: Option<String>,
    /// The command that tries again.
    pub retry: &'static str,
}

impl fmt::Display for Unretired {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            id,
            what,
            left,
            retry,
        } = self;
        write!(out, "session {id}: {what}; ")?;
        match left {
            Some(left) => write!(out, "it was left {left}; ")?,
            None => out.write_str("its state is not known; ")?,
        }
        write!(
            out,
            "look with: acp-sessions sessions --session {id}; \
             try again with: acp-sessions {retry} --session {id}"
        )
    }
}
