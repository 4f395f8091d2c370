//! The only place that asks what time it is.
//!
//! Nothing that the agent does depends on it: times are kept for people, and for the order of a
//! list of sessions.

use std::time::SystemTime;

/// Now, as RFC 3339 in UTC with milliseconds.
#[must_use]
pub fn timestamp() -> String {
    timestamp_of(SystemTime::now())
}

/// That time, in the same form. A time that the calendar does not reach is the epoch.
#[must_use]
pub fn timestamp_of(time: SystemTime) -> String {
    let time = jiff::Timestamp::try_from(time).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    format!("{time:.3}")
}
