//! One line into one message, or into the error that answers it. Pure.
//!
//! Apart from the reader because all of JSON-RPC's shape rules are here and nowhere
//! else, without a stream in sight. Params, results and ids stay raw: whatever is
//! nested in them is skipped without recursion, so a line of 100 000 brackets costs
//! no stack. What must stay true: a refusal repeats nothing of the line but its id,
//! and what looks like a response is never answered (two peers could otherwise keep
//! answering each other's errors).
//!
//! JSON-RPC: <https://www.jsonrpc.org/specification>
//! ACP: <https://agentclientprotocol.com/protocol/v1/transports#stdio>

use std::borrow::Cow;
use std::fmt;

use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::error::Error;
use crate::id::RequestId;
use crate::params::reason;

/// What a line says.
#[derive(Debug)]
pub(crate) enum Message<'a> {
    Request {
        id: RequestId,
        method: Cow<'a, str>,
        params: Option<&'a RawValue>,
    },
    Notification {
        method: Cow<'a, str>,
        params: Option<&'a RawValue>,
    },
    /// An answer to a request of ours, if the id is one of ours.
    Response {
        id: Option<&'a RawValue>,
        answer: Answer<'a>,
    },
    /// An id, and neither a method nor a result nor an error. If the id is one of ours, it is an
    /// answer that says nothing, and whoever waits for it must not wait for ever; else it is
    /// refused.
    Bare(Refusal),
    /// Nothing that anyone waits for: a blank line, or a notification that cannot be read.
    Nothing,
}

/// What a response says.
#[derive(Debug)]
pub(crate) enum Answer<'a> {
    Result(&'a RawValue),
    Error(&'a RawValue),
    Malformed(&'static str),
}

/// The answer to a line that is not a message.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) id: RequestId,
    pub(crate) error: Error,
}

impl Refusal {
    pub(crate) fn new(id: Option<RequestId>, error: Error) -> Self {
        let id = id.unwrap_or_else(RequestId::null);
        Self { id, error }
    }
}

/// Reads one line, without its newline.
pub(crate) fn parse(line: &[u8]) -> Result<Message<'_>, Refusal> {
    let nobody = |error| Refusal::new(None, error);
    let text = std::str::from_utf8(line).map_err(|error| {
        let place = error.valid_up_to();
        nobody(Error::parse_error(format_args!(
            "invalid UTF-8 at byte {place}"
        )))
    })?;
    let not_json = |error| nobody(Error::parse_error(reason(&error)));
    match text.trim_matches(JSON_SPACE).as_bytes() {
        [] => Ok(Message::Nothing),
        [b'{', ..] => serde_json::from_str::<Members>(text)
            .map_err(not_json)?
            .classify(),
        [first, ..] => {
            serde_json::from_str::<IgnoredAny>(text).map_err(not_json)?;
            let why = match first {
                b'[' => "batches are not supported, send one message a line",
                _ => "a message is an object",
            };
            Err(nobody(Error::invalid_request(why)))
        }
    }
}

/// What JSON allows between its tokens, within a line.
const JSON_SPACE: [char; 3] = [' ', '\t', '\r'];

/// The members of an envelope that mean something, each as it was written.
#[derive(Default)]
struct Members<'a> {
    jsonrpc: Option<&'a RawValue>,
    id: Option<&'a RawValue>,
    method: Option<&'a RawValue>,
    params: Option<&'a RawValue>,
    result: Option<&'a RawValue>,
    error: Option<&'a RawValue>,
    repeated: bool,
    id_repeated: bool,
}

impl<'a> Members<'a> {
    fn classify(self) -> Result<Message<'a>, Refusal> {
        if self.method.is_none() && (self.result.is_some() || self.error.is_some()) {
            let (id, answer) = (self.id, self.answer());
            return Ok(Message::Response { id, answer });
        }
        let id = match self.id {
            Some(_) if self.id_repeated => None,
            Some(raw) => RequestId::from_raw(raw),
            None => None,
        };
        let usable = id.clone();
        let refuse = |why| Refusal::new(usable, Error::invalid_request(why));
        if self.repeated {
            return Err(refuse("a member is there twice"));
        }
        if self.id.is_some() && id.is_none() {
            return Err(refuse("the id must be a string, a number or null"));
        }
        if !self.is_version_2() {
            return Err(refuse("\"jsonrpc\" must be \"2.0\""));
        }
        let no_method = "\"method\" must be a string";
        let Some(method) = self.method else {
            let bare = refuse(no_method);
            return if self.id.is_some() {
                Ok(Message::Bare(bare))
            } else {
                Err(bare)
            };
        };
        let Some(method) = string(method) else {
            return Err(refuse(no_method));
        };
        let params = match self.params.map(|raw| (raw, raw.get().as_bytes())) {
            // Several clients write null where they mean nothing.
            None | Some((_, b"null")) => None,
            Some((raw, [b'{' | b'[', ..])) => Some(raw),
            Some(_) => {
                let error = Error::invalid_params("params must be an object or an array");
                return match id {
                    Some(id) => Err(Refusal::new(Some(id), error)),
                    None => Ok(Message::Nothing),
                };
            }
        };
        Ok(match id {
            Some(id) => Message::Request { id, method, params },
            None => Message::Notification { method, params },
        })
    }

    fn answer(self) -> Answer<'a> {
        if self.repeated {
            return Answer::Malformed("a member is there twice");
        }
        if !self.is_version_2() {
            return Answer::Malformed("\"jsonrpc\" must be \"2.0\"");
        }
        // JSON-RPC 1 wrote both members, one of them null.
        match (self.result, self.error) {
            (Some(result), Some(error)) if error.get() == "null" => Answer::Result(result),
            (Some(result), Some(error)) if result.get() == "null" => Answer::Error(error),
            (Some(result), None) => Answer::Result(result),
            (None, Some(error)) => Answer::Error(error),
            _ => Answer::Malformed("it has a result and an error"),
        }
    }

    fn is_version_2(&self) -> bool {
        self.jsonrpc.and_then(string).as_deref() == Some("2.0")
    }
}

/// The text of a JSON string; `None` for any other value.
fn string(raw: &RawValue) -> Option<Cow<'_, str>> {
    match raw.get().strip_prefix('"')?.strip_suffix('"')? {
        plain if !plain.contains('\\') => Some(Cow::Borrowed(plain)),
        _ => serde_json::from_str(raw.get()).ok().map(Cow::Owned),
    }
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum Member {
    Jsonrpc,
    Id,
    Method,
    Params,
    Result,
    Error,
    #[serde(other)]
    Unknown,
}

// By hand, because a derived one stops at the first repeated member: the rest of the
// line would stay unchecked, and the id unknown.
impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Members::default();
        while let Some(member) = map.next_key()? {
            let value: &'de RawValue = map.next_value()?;
            let slot = match member {
                Member::Jsonrpc => &mut members.jsonrpc,
                Member::Id => &mut members.id,
                Member::Method => &mut members.method,
                Member::Params => &mut members.params,
                Member::Result => &mut members.result,
                Member::Error => &mut members.error,
                Member::Unknown => continue,
            };
            if slot.replace(value).is_some() {
                members.repeated = true;
                members.id_repeated |= matches!(member, Member::Id);
            }
        }
        Ok(members)
    }
}

#[cfg(test)]
#[path = "message_tests.rs"]
mod message_tests;
