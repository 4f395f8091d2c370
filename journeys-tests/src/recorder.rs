//! Writes down what happens on an agent's pipes, within a bound.
//!
//! What must stay true: a message that the client acts on is in the recording, whole; only lines that
//! are no messages are shortened or counted. So a judge can see all that the client saw.

use std::time::Instant;

use serde_json::Value;

use crate::{
    lines::{HEAD_BYTES, Line},
    recording::{Event, ExitStatus, JunkReason, What},
};

/// Messages of one process that are kept. A journey needs some KiB; an agent that thinks aloud for
/// minutes a few MiB.
pub const MAX_RECORDED_BYTES: usize = 8 * 1024 * 1024;

/// What a message costs beside its text; without it, millions of empty messages would fit.
const MESSAGE_OVERHEAD_BYTES: usize = 128;

/// Lines of junk that are kept; more are counted. Enough to see an indented message whole.
const MAX_JUNK_LINES: usize = 64;

/// The events of one process so far.
#[derive(Debug)]
pub struct Recorder {
    started: Instant,
    events: Vec<Event>,
    recorded_bytes: usize,
    junk_lines: usize,
}

/// The recording is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Full;

impl Recorder {
    /// Starts now.
    #[must_use]
    pub fn new() -> Self {
        Self {
            started: Instant::now(),
            events: Vec::new(),
            recorded_bytes: 0,
            junk_lines: 0,
        }
    }

    /// Milliseconds from the start to `at`.
    #[must_use]
    pub fn t_ms(&self, at: Instant) -> u64 {
        let passed = at.saturating_duration_since(self.started);
        u64::try_from(passed.as_millis()).unwrap_or(u64::MAX)
    }

    /// The checker sends this line.
    pub fn sent(&mut self, line: String) {
        self.recorded_bytes += line.len();
        self.push(Instant::now(), What::Sent { line });
    }

    /// A line came. Returns the message if it is a JSON object.
    ///
    /// # Errors
    /// [`Full`] if the message is not kept, and so must not be acted on.
    pub fn received(&mut self, at: Instant, line: Line) -> Result<Option<Value>, Full> {
        let (text, bytes, reason) = match line {
            Line::TooLong { head, bytes } => (head, bytes, JunkReason::TooLong),
            Line::NotUtf8 { head, bytes } => (head, bytes, JunkReason::NotUtf8),
            Line::Text { text, terminated } => match serde_json::from_str(&text) {
                Ok(message @ Value::Object(_)) => {
                    let cost = text.len() + MESSAGE_OVERHEAD_BYTES;
                    if self.recorded_bytes + cost > MAX_RECORDED_BYTES {
                        self.omit(at, text.len() as u64);
                        return Err(Full);
                    }
                    self.recorded_bytes += cost;
                    let unterminated = !terminated;
                    let line = text.trim_end_matches('\r').to_owned();
                    self.push(at, What::Received { line, unterminated });
                    return Ok(Some(message));
                }
                Ok(_) => (head_of(&text), text.len() as u64, JunkReason::NotAnObject),
                Err(_) => (head_of(&text), text.len() as u64, JunkReason::NotJson),
            },
        };
        self.junk_lines += 1;
        if self.junk_lines > MAX_JUNK_LINES {
            self.omit(at, bytes);
        } else {
            let line = text;
            self.push(
                at,
                What::Junk {
                    line,
                    bytes,
                    reason,
                },
            );
        }
        Ok(None)
    }

    /// The checker closed the agent's input.
    pub fn input_closed(&mut self, at: Instant) {
        self.push(at, What::InputClosed);
    }

    /// The agent's output ended.
    pub fn output_closed(&mut self, at: Instant) {
        self.push(at, What::OutputClosed);
    }

    /// The process ended.
    pub fn exited(&mut self, at: Instant, status: ExitStatus) {
        self.push(at, What::Exited { status });
    }

    /// The events, in order.
    #[must_use]
    pub fn into_events(self) -> Vec<Event> {
        self.events
    }

    fn omit(&mut self, at: Instant, more: u64) {
        if let Some(Event {
            what: What::Omitted { lines, bytes },
            ..
        }) = self.events.last_mut()
        {
            *lines += 1;
            *bytes += more;
        } else {
            self.push(
                at,
                What::Omitted {
                    lines: 1,
                    bytes: more,
                },
            );
        }
    }

    fn push(&mut self, at: Instant, what: What) {
        let t_ms = self.t_ms(at);
        self.events.push(Event { t_ms, what });
    }
}

impl Default for Recorder {
    fn default() -> Self {
        Self::new()
    }
}

fn head_of(text: &str) -> String {
    text[..text.floor_char_boundary(HEAD_BYTES)].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Line {
        Line::Text {
            text: text.to_owned(),
            terminated: true,
        }
    }

    #[test]
    fn junk_beyond_the_bound_is_only_counted() {
        let mut recorder = Recorder::new();
        for _ in 0..20_000 {
            assert_eq!(recorder.received(Instant::now(), line("banner")), Ok(None));
        }
        let events = recorder.into_events();
        assert_eq!(events.len(), MAX_JUNK_LINES + 1);
        let omitted = 20_000 - MAX_JUNK_LINES as u64;
        let bytes = omitted * 6;
        assert_eq!(
            events[MAX_JUNK_LINES].what,
            What::Omitted {
                lines: omitted,
                bytes
            }
        );
    }

    #[test]
    fn interleaved_junk_and_messages_stay_within_the_bound_of_messages() {
        let mut recorder = Recorder::new();
        let message = format!("{{\"text\":\"{}\"}}", "x".repeat(MAX_RECORDED_BYTES / 4));
        let kept = (0..5).filter(|_| recorder.received(Instant::now(), line(&message)).is_ok());
        assert_eq!(kept.count(), 3);
    }

    #[test]
    fn a_carriage_return_is_white_space() {
        let mut recorder = Recorder::new();
        let message = recorder.received(Instant::now(), line("{\"id\":1}\r"));
        assert_eq!(message, Ok(Some(serde_json::json!({"id": 1}))));
    }
}
