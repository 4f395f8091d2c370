//! The messages of one process, parsed, and the questions that judges ask of them.

use serde_json::Value;

use crate::{
    evidence::{Evidence, Part},
    recording::{Event, What},
};

/// Who wrote a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The checker.
    Checker,
    /// The agent.
    Agent,
}

/// One message.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Where it stands among the events of its process.
    pub event: usize,
    /// Milliseconds since the process was started.
    pub t_ms: u64,
    /// Who wrote it.
    pub from: Side,
    /// The JSON object.
    pub json: Value,
}

/// All messages of one process, in order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Transcript {
    /// Which process, counted from 0.
    pub process: usize,
    /// The messages.
    pub messages: Vec<Message>,
    /// How many of them came before the checker closed the agent's input. What comes after that is
    /// said to nobody: it answers no request and belongs to no turn.
    pub open: usize,
}

/// Requests of the checker in one process that are looked at. A journey sends a dozen; a file that
/// claims thousands was not written by the checker, and must not cost their square.
const MAX_REQUESTS: usize = 256;

/// A request of the checker and its answer.
#[derive(Debug, Clone, Copy)]
pub struct Exchange<'t> {
    /// Where it stands.
    transcript: &'t Transcript,
    /// Where the request stands.
    pub sent: usize,
    /// The request.
    pub request: &'t Value,
    /// Where the answer stands, and the answer; none that came after the input was closed.
    pub answer: Option<(usize, &'t Value)>,
}

impl Transcript {
    /// Parses the lines of a recording. What is no JSON object is left out; `wire` judges that.
    #[must_use]
    pub fn new(process: usize, events: &[Event]) -> Self {
        let parsed = events.iter().enumerate().filter_map(|(at, event)| {
            let (from, line) = match &event.what {
                What::Sent { line } => (Side::Checker, line),
                What::Received { line, .. } => (Side::Agent, line),
                _ => return None,
            };
            let json = serde_json::from_str(line).ok()?;
            Some(Message {
                event: at,
                t_ms: event.t_ms,
                from,
                json,
            })
        });
        let messages: Vec<Message> = parsed.collect();
        let closed = events
            .iter()
            .position(|event| event.what == What::InputClosed)
            .unwrap_or(events.len());
        let open = messages.partition_point(|message| message.event < closed);
        Self {
            process,
            messages,
            open,
        }
    }

    /// A message of it, as evidence.
    #[must_use]
    pub fn evidence(&self, message: usize) -> Evidence {
        Part::Event(self.messages[message].event).of(self.process)
    }

    /// The checker's requests of this method, in order.
    pub fn exchanges<'t>(&'t self, method: &'t str) -> impl Iterator<Item = Exchange<'t>> {
        self.requests()
            .filter(move |exchange| exchange.request["method"] == method)
    }

    /// All requests of the checker, in order.
    pub fn requests(&self) -> impl Iterator<Item = Exchange<'_>> {
        let requests = self
            .messages
            .iter()
            .enumerate()
            .filter(|(_, message)| message.from == Side::Checker && is_request(&message.json))
            .take(MAX_REQUESTS);
        requests.map(|(sent, message)| Exchange {
            transcript: self,
            sent,
            request: &message.json,
            answer: self.response(sent + 1..self.open, &message.json["id"]),
        })
    }

    /// The first response with this id in a range.
    fn response(&self, range: std::ops::Range<usize>, id: &Value) -> Option<(usize, &Value)> {
        let later = self.messages.iter().enumerate();
        let later = later.take(range.end).skip(range.start);
        let mut answers = later.filter(|(_, message)| {
            message.from == Side::Agent && is_response(&message.json) && message.json["id"] == *id
        });
        answers.next().map(|(at, message)| (at, &message.json))
    }

    /// The agent's messages of one method in a range of the transcript.
    pub fn from_agent<'t>(
        &'t self,
        method: &'t str,
        range: std::ops::Range<usize>,
    ) -> impl Iterator<Item = (usize, &'t Value)> {
        let end = range.end.min(self.messages.len());
        (range.start.min(end)..end).filter_map(move |at| {
            let message = &self.messages[at];
            let wanted = message.from == Side::Agent && message.json["method"] == method;
            wanted.then_some((at, &message.json["params"]))
        })
    }

    /// The text of all chunks of one kind, in a session and a range, joined.
    #[must_use]
    pub fn text(
        &self,
        kind: &str,
        session_id: &Value,
        range: std::ops::Range<usize>,
    ) -> Option<String> {
        let texts: Vec<&str> = self
            .chunks(kind, session_id, range)
            .map(|(_, text)| text)
            .collect();
        (!texts.is_empty()).then(|| texts.concat())
    }

    /// The chunks of one kind with text, in a session and a range: where each stands, and its text.
    pub fn chunks<'t>(
        &'t self,
        kind: &'t str,
        session_id: &'t Value,
        range: std::ops::Range<usize>,
    ) -> impl Iterator<Item = (usize, &'t str)> {
        let updates = self.from_agent("session/update", range);
        updates.filter_map(move |(at, params)| {
            let update = &params["update"];
            let wanted = params["sessionId"] == *session_id && update["sessionUpdate"] == kind;
            let text = update["content"]["text"].as_str()?;
            wanted.then_some((at, text))
        })
    }
}

impl<'t> Exchange<'t> {
    /// The result; none for an error or no answer. `null` is a result.
    #[must_use]
    pub fn result(&self) -> Option<&'t Value> {
        self.answer.and_then(|(_, answer)| answer.get("result"))
    }

    /// What the answer was, in a few words.
    #[must_use]
    pub fn in_words(&self) -> String {
        match self.answer {
            None if self.answered_to_nobody() => "no answer before its input was closed".to_owned(),
            None => "no answer".to_owned(),
            Some((_, answer)) => match answer.get("error") {
                Some(error) => format!("the error {}", super::quote(&error.to_string())),
                None => format!("the result {}", super::quote(&answer["result"].to_string())),
            },
        }
    }
}

impl Exchange<'_> {
    /// The request and its answer, as evidence.
    #[must_use]
    pub fn evidence(&self) -> Vec<Evidence> {
        let answer = self.answer.map(|(at, _)| at);
        let both = [self.sent].into_iter().chain(answer);
        both.map(|at| self.transcript.evidence(at)).collect()
    }

    /// Whether an answer came, but only after the input was closed.
    fn answered_to_nobody(&self) -> bool {
        let Transcript { open, messages, .. } = self.transcript;
        let late = *open..messages.len();
        let answer = self.transcript.response(late, &self.request["id"]);
        answer.is_some()
    }
}

/// Has a method and an id.
#[must_use]
pub fn is_request(json: &Value) -> bool {
    json["method"].is_string() && json.get("id").is_some()
}

/// Has an id and no method.
#[must_use]
pub fn is_response(json: &Value) -> bool {
    json.get("method").is_none() && json.get("id").is_some()
}
