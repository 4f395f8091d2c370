//! The messages of one process, parsed, and the questions that judges ask of them.

use serde_json::Value;

use crate::recording::{Event, What};

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
    /// The messages.
    pub messages: Vec<Message>,
}

/// A request of the checker and its answer.
#[derive(Debug, Clone, Copy)]
pub struct Exchange<'t> {
    /// Where the request stands.
    pub sent: usize,
    /// The request.
    pub request: &'t Value,
    /// Where the answer stands, and the answer.
    pub answer: Option<(usize, &'t Value)>,
}

impl Transcript {
    /// Parses the lines of a recording. What is no JSON object is left out; `wire` judges that.
    #[must_use]
    pub fn new(events: &[Event]) -> Self {
        let messages = events.iter().filter_map(|event| {
            let (from, line) = match &event.what {
                What::Sent { line } => (Side::Checker, line),
                What::Received { line, .. } => (Side::Agent, line),
                _ => return None,
            };
            let json = serde_json::from_str(line).ok()?;
            let t_ms = event.t_ms;
            Some(Message { t_ms, from, json })
        });
        Self {
            messages: messages.collect(),
        }
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
            .filter(|(_, message)| message.from == Side::Checker && is_request(&message.json));
        requests.map(|(sent, message)| Exchange {
            sent,
            request: &message.json,
            answer: self.answer_after(sent, &message.json["id"]),
        })
    }

    fn answer_after(&self, sent: usize, id: &Value) -> Option<(usize, &Value)> {
        let later = self.messages.iter().enumerate().skip(sent + 1);
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
        let chunks = self.from_agent("session/update", range);
        let chunks = chunks.filter(|(_, params)| {
            params["sessionId"] == *session_id && params["update"]["sessionUpdate"] == kind
        });
        let texts: Vec<&str> = chunks
            .filter_map(|(_, params)| params["update"]["content"]["text"].as_str())
            .collect();
        (!texts.is_empty()).then(|| texts.concat())
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
            None => "no answer".to_owned(),
            Some((_, answer)) => match answer.get("error") {
                Some(error) => format!("the error {}", super::quote(&error.to_string())),
                None => format!("the result {}", super::quote(&answer["result"].to_string())),
            },
        }
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
