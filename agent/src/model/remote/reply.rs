//! One reply of a model server: asked for, read, and asked for again where that is right.
//!
//! ```text
//!   Asking ── answered ──> Reading ── end marker ──> Over
//!     ^  └─── failed ─────────┘ │
//!     └── a pause, if nothing was passed on yet; else Over, with Stop(Failed)
//!     └── paused by the server, to be gone on with
//! ```
//!
//! Must stay true: it ends with a stop, or with calls and no stop, and never with a half reply that
//! looks whole. Dropping it, which is what a cancel does, closes the connection at once.

use std::collections::VecDeque;

use reqwest::Response;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout_at};

use super::{
    Remote,
    endpoint::{Answer, causes},
    failure::Failure,
    limits::{MAX_EVENT, MAX_PAUSES, MAX_REPLY, Patience},
    reader::Reader,
    retry,
};
use crate::{
    http::sse::Events,
    model::{Event, Stop},
};

/// What an event of the server means for the reply.
#[derive(Debug)]
pub(super) enum Flow {
    /// There is more to come.
    On,
    /// That was all.
    Over,
    /// The server wants to be asked again, with what it has said so far.
    Paused(Vec<Value>),
}

/// A reply on its way.
pub(super) struct Reply<'a> {
    remote: &'a Remote,
    body: Value,
    state: State,
    /// Read and not passed on yet.
    ready: VecDeque<Event>,
    /// Whether anything was passed on.
    said: bool,
    tried: u32,
    pauses: u32,
    deadline: Instant,
}

enum State {
    Asking,
    Reading(Box<Reading>),
    Over,
}

struct Reading {
    response: Response,
    events: Events,
    reader: Reader,
    bytes: usize,
}

impl<'a> Reply<'a> {
    /// A reply to this request. Nothing is sent before [`Reply::next`].
    pub(super) fn new(remote: &'a Remote, body: Value) -> Self {
        Self {
            remote,
            body,
            state: State::Asking,
            ready: VecDeque::new(),
            said: false,
            tried: 0,
            pauses: 0,
            deadline: Instant::now() + remote.settings.patience.whole,
        }
    }

    /// The next event; nothing after the last one.
    pub(super) async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                self.said = true;
                return Some(event);
            }
            let stepped = match &mut self.state {
                State::Asking => self.ask().await,
                State::Reading(reading) => {
                    let patience = &self.remote.settings.patience;
                    let heard = reading.read(patience, self.deadline, &mut self.ready).await;
                    heard.and_then(|flow| self.follow(flow))
                }
                State::Over => return None,
            };
            if let Err(failure) = stepped {
                self.fail(failure).await;
            }
        }
    }

    async fn ask(&mut self) -> Result<(), Failure> {
        self.tried += 1;
        let answer = self.remote.endpoint.ask(self.body.to_string().into_bytes());
        // The whole reply has a deadline, its beginning included.
        let answer = timeout_at(self.deadline, answer).await;
        self.state = match answer.map_err(|_| endless(&self.remote.settings.patience))?? {
            Answer::Reply(response) => State::Reading(Box::new(Reading {
                response,
                events: Events::new(MAX_EVENT),
                reader: Reader::new(&self.remote.settings),
                bytes: 0,
            })),
            Answer::Refused => {
                self.ready.push_back(Event::Stop(Stop::Refusal));
                State::Over
            }
        };
        Ok(())
    }

    fn follow(&mut self, flow: Flow) -> Result<(), Failure> {
        match flow {
            Flow::On => {}
            Flow::Over => self.state = State::Over,
            Flow::Paused(content) => {
                self.pauses += 1;
                if self.pauses > MAX_PAUSES {
                    let (limit, of) = (MAX_PAUSES as usize, "pauses");
                    return Err(Failure::TooMuch { limit, of });
                }
                if let Value::Array(messages) = &mut self.body["messages"] {
                    messages.push(json!({"role": "assistant", "content": content}));
                }
                self.state = State::Asking;
                self.tried = 0;
            }
        }
        Ok(())
    }

    /// Waits for the next try, or ends the reply.
    async fn fail(&mut self, failure: Failure) {
        let patience = &self.remote.settings.patience;
        let spread = rand::random::<f64>();
        let said = self.said || !self.ready.is_empty();
        let why = self.remote.endpoint.redact(&failure.to_string());
        if let Some(pause) = retry::pause(&failure, self.tried, said, patience, spread)
            && Instant::now() + pause < self.deadline
        {
            tracing::info!(
                why,
                tried = self.tried,
                "the model is asked again after a pause"
            );
            // The connection is closed before the pause, not after it.
            self.state = State::Asking;
            return sleep(pause).await;
        }
        self.ready.push_back(Event::Stop(Stop::Failed(why)));
        self.state = State::Over;
    }
}

impl Reading {
    /// Reads what comes next, a chunk, into `ready`.
    async fn read(
        &mut self,
        patience: &Patience,
        deadline: Instant,
        ready: &mut VecDeque<Event>,
    ) -> Result<Flow, Failure> {
        let until = Instant::now() + patience.piece;
        let chunk = timeout_at(until.min(deadline), self.response.chunk())
            .await
            .map_err(|_| {
                if until < deadline {
                    silent(patience)
                } else {
                    endless(patience)
                }
            })?
            .map_err(|error| Failure::Broken(causes(&error.without_url())))?;
        let Some(chunk) = chunk else {
            return self.reader.end(ready).map(|()| Flow::Over);
        };
        self.bytes += chunk.len();
        if self.bytes > MAX_REPLY {
            let (limit, of) = (MAX_REPLY, "bytes");
            return Err(Failure::TooMuch { limit, of });
        }
        let events = self.events.push(&chunk).map_err(|_| Failure::TooMuch {
            limit: MAX_EVENT,
            of: "bytes in one event",
        })?;
        for data in events.iter().filter(|data| !data.trim_ascii().is_empty()) {
            match self.reader.take(data, ready)? {
                Flow::On => {}
                flow => return Ok(flow),
            }
        }
        Ok(Flow::On)
    }
}

fn silent(patience: &Patience) -> Failure {
    Failure::Late {
        what: "did not go on with its reply",
        waited: patience.piece,
    }
}

fn endless(patience: &Patience) -> Failure {
    Failure::Late {
        what: "did not come to the end of its reply",
        waited: patience.whole,
    }
}
