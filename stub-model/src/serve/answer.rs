//! A reply on its way out: streamed as server-sent events, or whole.
//!
//! Both wires answer the same events; each brings a [`Voice`] that knows their words.

use std::{io, time::Duration};

use axum::{
    Json,
    body::{Body, Bytes},
    http::{StatusCode, header::CONTENT_TYPE},
    response::{IntoResponse, Response},
};
use futures::stream;
use serde_json::Value;

use super::{asked::Asked, spoken::spoken};
use crate::{
    conversation::{Event, Stop, ToolCall},
    scenario::Scenario,
};

/// How a reply ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// All was said.
    Done,
    /// There are calls.
    Calls,
    /// The limit of tokens was reached.
    Length,
    /// The prompt was refused.
    Refused,
}

/// What a reply has cost, in tokens.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cost {
    pub(super) asked: u64,
    pub(super) answered: u64,
}

/// The words of one wire.
pub(super) trait Voice: Send + 'static {
    /// Before everything else.
    fn begin(&mut self) -> Vec<String>;
    /// A piece of text.
    fn text(&mut self, text: &str) -> Vec<String>;
    /// A piece of a thought.
    fn thought(&mut self, text: &str) -> Vec<String>;
    /// A call.
    fn call(&mut self, call: &ToolCall) -> Vec<String>;
    /// The end.
    fn end(&mut self, end: End, cost: Cost) -> Vec<String>;
    /// The model failed.
    fn failed(&mut self, why: &str) -> Vec<String>;
    /// The reply as a whole.
    fn whole(&mut self, events: &[Event], end: End, cost: Cost) -> Value;
    /// The error that a request or the model is answered with.
    fn error(kind: &str, message: &str) -> Value;
}

/// About how many bytes make a token.
const BYTES_PER_TOKEN: usize = 4;

/// Answers a request.
pub(super) async fn answer<V: Voice>(
    asked: &Asked,
    scenario: Option<&Scenario>,
    voice: V,
) -> Response {
    let reply = Reply {
        cost: Cost {
            asked: tokens(asked.bytes),
            answered: 0,
        },
        events: spoken(asked, scenario),
        voice,
        called: false,
        state: State::Begin,
    };
    if asked.streamed {
        let body = Body::from_stream(stream::unfold(reply, next));
        return ([(CONTENT_TYPE, "text/event-stream")], body).into_response();
    }
    whole(reply).await
}

/// A request that makes no sense.
pub(super) fn refuse<V: Voice>(why: &str) -> Response {
    let error = V::error("invalid_request_error", why);
    (StatusCode::BAD_REQUEST, Json(error)).into_response()
}

struct Reply<V, E> {
    cost: Cost,
    events: E,
    voice: V,
    called: bool,
    state: State,
}

#[derive(Clone, Copy)]
enum State {
    Begin,
    Speaking,
    Over,
}

type Piece = Result<Bytes, io::Error>;

/// The next piece of a streamed reply. Waits are waited here; a client that goes away drops them.
async fn next<V: Voice, E: Iterator<Item = Event>>(
    mut reply: Reply<V, E>,
) -> Option<(Piece, Reply<V, E>)> {
    loop {
        let told = match reply.state {
            State::Begin => {
                reply.state = State::Speaking;
                reply.voice.begin()
            }
            State::Over => return None,
            State::Speaking => match reply.events.next() {
                Some(Event::Wait(time)) => {
                    tokio::time::sleep(time).await;
                    continue;
                }
                // What a crash looks like from outside: the connection breaks off.
                Some(Event::Crash) => {
                    reply.state = State::Over;
                    let broken = io::Error::from(io::ErrorKind::BrokenPipe);
                    return Some((Err(broken), reply));
                }
                event => reply.tell(event),
            },
        };
        if !told.is_empty() {
            return Some((Ok(told.concat().into()), reply));
        }
    }
}

impl<V: Voice, E> Reply<V, E> {
    /// What an event is on the wire; the end of the events is the end of the reply.
    fn tell(&mut self, event: Option<Event>) -> Vec<String> {
        self.count(event.as_ref());
        let end = match event {
            Some(Event::Text(text)) => return self.voice.text(&text),
            Some(Event::Thought(text)) => return self.voice.thought(&text),
            Some(Event::ToolCall(call)) => return self.voice.call(&call),
            Some(Event::Stop(Stop::Failed(why))) => {
                self.state = State::Over;
                return self.voice.failed(&why);
            }
            Some(Event::Stop(stop)) => end_of(&stop),
            // The others have no shape here, or were carried out already.
            Some(_) => return Vec::new(),
            None if self.called => End::Calls,
            None => End::Done,
        };
        self.state = State::Over;
        self.voice.end(end, self.cost)
    }

    fn count(&mut self, event: Option<&Event>) {
        let bytes = match event {
            Some(Event::Text(text) | Event::Thought(text)) => text.len(),
            Some(Event::ToolCall(call)) => {
                self.called = true;
                call.name.len() + call.arguments.to_string().len()
            }
            // The model knows better than we do.
            Some(Event::Usage { used, .. }) => {
                let (asked, answered) = (*used, 0);
                self.cost = Cost { asked, answered };
                0
            }
            _ => 0,
        };
        self.cost.answered += tokens(bytes);
    }
}

fn end_of(stop: &Stop) -> End {
    match stop {
        Stop::MaxTokens => End::Length,
        Stop::Refusal => End::Refused,
        Stop::EndTurn | Stop::Failed(_) => End::Done,
    }
}

fn tokens(bytes: usize) -> u64 {
    u64::try_from(bytes.div_ceil(BYTES_PER_TOKEN)).unwrap_or(u64::MAX)
}

/// The most events of a reply that is not streamed.
const MAX_EVENTS: usize = 1_000_000;

/// The longest that a reply which is not streamed may wait for, as the model may say `/hang`.
const MAX_WAIT: Duration = Duration::from_secs(600);

async fn whole<V: Voice, E: Iterator<Item = Event>>(mut reply: Reply<V, E>) -> Response {
    let mut events = Vec::new();
    let mut end = None;
    while let Some(event) = reply.events.next().filter(|_| events.len() < MAX_EVENTS) {
        reply.count(Some(&event));
        match event {
            Event::Wait(time) => tokio::time::sleep(time.min(MAX_WAIT)).await,
            Event::Stop(Stop::Failed(why)) => return failed::<V>(&why),
            Event::Crash => return failed::<V>("the model crashed"),
            Event::Stop(stop) => end = Some(end_of(&stop)),
            event => events.push(event),
        }
    }
    let usual = if reply.called { End::Calls } else { End::Done };
    let body = reply.voice.whole(&events, end.unwrap_or(usual), reply.cost);
    Json(body).into_response()
}

fn failed<V: Voice>(why: &str) -> Response {
    let error = V::error("stub_error", why);
    // It will fail again: clients of both makers know this header.
    let headers = [("x-should-retry", "false")];
    (StatusCode::INTERNAL_SERVER_ERROR, headers, Json(error)).into_response()
}

/// An event with its data, and with a name where the wire gives names.
pub(super) fn frame(name: Option<&str>, data: &Value) -> String {
    match name {
        Some(name) => format!("event: {name}\ndata: {data}\n\n"),
        None => format!("data: {data}\n\n"),
    }
}

/// The arguments of a call in the pieces that models send them in.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    const PIECE: usize = 24;
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = rest.ceil_char_boundary(PIECE);
        let (piece, left) = rest.split_at(end);
        rest = left;
        (!piece.is_empty()).then_some(piece)
    })
}
