//! A reply as a stream: each event is made when it is asked for.
//!
//! Apart from cutting texts, because a reply is more than its text: a plan before it, or a tool
//! call, and the end behind it.
//!
//! Must stay true: the text of a reply is held once, however many pieces it is told in.

use std::vec;

use crate::conversation::{Event, Stop};
use crate::speak::Pieces;

/// The events of a reply, in their order. See [`stream`](crate::stream).
#[derive(Debug)]
pub struct Events {
    first: vec::IntoIter<Event>,
    text: Option<Pieces>,
    stop: Option<Stop>,
}

impl Events {
    /// These events, then the text in pieces, then the end of the turn.
    pub(crate) fn telling(first: Vec<Event>, text: Pieces) -> Self {
        Self {
            text: Some(text),
            stop: Some(Stop::EndTurn),
            ..Self::from(first)
        }
    }
}

impl From<Vec<Event>> for Events {
    fn from(events: Vec<Event>) -> Self {
        Self {
            first: events.into_iter(),
            text: None,
            stop: None,
        }
    }
}

impl Iterator for Events {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        let first = self.first.next();
        let piece = || self.text.as_mut().and_then(Pieces::next);
        first
            .or_else(piece)
            .or_else(|| self.stop.take().map(Event::Stop))
    }
}
