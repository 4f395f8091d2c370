//! What reads a reply, whichever wire it comes over.

use std::collections::VecDeque;

use super::{Settings, Wire, anthropic, failure::Failure, openai, reply::Flow};
use crate::model::Event;

/// Reads one reply, event by event.
#[derive(Debug)]
pub(super) enum Reader {
    OpenAi(openai::Reader),
    Anthropic(anthropic::Reader),
}

impl Reader {
    /// For a reply of this model.
    pub(super) fn new(settings: &Settings) -> Self {
        match settings.wire {
            Wire::OpenAi => Self::OpenAi(openai::Reader::new(settings.context)),
            Wire::Anthropic => Self::Anthropic(anthropic::Reader::new(settings.context)),
        }
    }

    /// Takes the data of one event, and puts what it says into `out`.
    pub(super) fn take(&mut self, data: &[u8], out: &mut VecDeque<Event>) -> Result<Flow, Failure> {
        match self {
            Self::OpenAi(reader) => reader.take(data, out),
            Self::Anthropic(reader) => reader.take(data, out),
        }
    }

    /// The stream has ended. Whether that was an end of the reply is the wire's to say.
    pub(super) fn end(&mut self, out: &mut VecDeque<Event>) -> Result<(), Failure> {
        match self {
            Self::OpenAi(reader) => reader.end(out),
            // Its last event ends the reply before the stream does.
            Self::Anthropic(_) => Err(Failure::Broken(String::new())),
        }
    }
}
