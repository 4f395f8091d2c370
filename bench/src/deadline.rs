//! Until when something is waited for: each wait of the bench has one, and says what it was for.

use std::time::{Duration, Instant};

use crate::fault::Fault;

/// Until when something is waited for, and what it is.
#[derive(Debug, Clone, Copy)]
pub struct Deadline {
    what: &'static str,
    after: Duration,
    at: Instant,
}

impl Deadline {
    /// A deadline from now on.
    pub fn after(what: &'static str, after: Duration) -> Self {
        Self {
            what,
            after,
            at: Instant::now() + after,
        }
    }

    /// How long it still is.
    ///
    /// # Errors
    /// It has passed.
    pub fn left(&self) -> Result<Duration, Fault> {
        match self.at.checked_duration_since(Instant::now()) {
            Some(left) if !left.is_zero() => Ok(left),
            _ => Err(Fault::TimedOut {
                what: self.what,
                after: self.after,
            }),
        }
    }
}
