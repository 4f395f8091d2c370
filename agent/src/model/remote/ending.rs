//! The end of a reply: the calls that were collected piece by piece, what it cost, and the stop.
//!
//! Both wires end alike, so this is written once. A call is passed on only when the model has
//! ended its reply: one that was cut off by a limit would run with half of its arguments.

use std::collections::VecDeque;

use serde_json::{Value, json};

use super::{failure::Failure, limits::MAX_CALLS};
use crate::model::{Event, Stop, ToolCall};

/// How a reply ended, in the words of neither wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Finish {
    /// The model has said all, or waits for its calls.
    Done,
    /// A limit of tokens was reached.
    Length,
    /// It will not go on.
    Refused,
}

/// The calls of a reply while they come.
#[derive(Debug, Default)]
pub(super) struct Calls {
    calls: Vec<Pieces>,
}

/// A call of which pieces are here.
#[derive(Debug, Default)]
struct Pieces {
    index: u64,
    id: String,
    name: String,
    arguments: String,
}

impl Calls {
    /// A piece of the call with this index. Some servers give every call the same index; then a
    /// new id begins a new call.
    pub(super) fn piece(
        &mut self,
        index: u64,
        id: &str,
        name: &str,
        arguments: &str,
    ) -> Result<(), Failure> {
        let same = |call: &Pieces| {
            call.index == index && (id.is_empty() || call.id.is_empty() || call.id == id)
        };
        let call = match self.calls.iter().rposition(same) {
            Some(at) => &mut self.calls[at],
            None if self.calls.len() == MAX_CALLS => {
                let (limit, of) = (MAX_CALLS, "tool calls");
                return Err(Failure::TooMuch { limit, of });
            }
            None => self.calls.push_mut(Pieces {
                index,
                ..Pieces::default()
            }),
        };
        if call.id.is_empty() {
            id.clone_into(&mut call.id);
        }
        if call.name.is_empty() {
            name.clone_into(&mut call.name);
        }
        call.arguments.push_str(arguments);
        Ok(())
    }

    fn into_events(self) -> impl Iterator<Item = Event> {
        self.calls.into_iter().zip(1..).map(|(call, number)| {
            let id = if call.id.is_empty() {
                format!("call_{number}")
            } else {
                call.id
            };
            Event::ToolCall(ToolCall {
                id,
                name: call.name,
                arguments: arguments(&call.arguments),
            })
        })
    }
}

/// The arguments as the model wrote them. What is no JSON stays a string: the tool refuses it, and
/// the model reads why and can do better.
fn arguments(text: &str) -> Value {
    if text.trim().is_empty() {
        return json!({});
    }
    match serde_json::from_str(text) {
        // Written twice, as some models do.
        Ok(Value::String(inner)) => serde_json::from_str::<Value>(&inner)
            .ok()
            .filter(Value::is_object)
            .unwrap_or(Value::String(inner)),
        Ok(value) => value,
        Err(_) => Value::String(text.to_owned()),
    }
}

/// The last events of a reply. `used` is what it takes of the context, `size` the whole context;
/// without both nothing is told of it.
pub(super) fn end(
    finish: Finish,
    calls: Calls,
    used: Option<u64>,
    size: Option<u64>,
    out: &mut VecDeque<Event>,
) {
    if let (Some(used), Some(size)) = (used, size) {
        out.push_back(Event::Usage { used, size });
    }
    let stop = match finish {
        Finish::Done if !calls.calls.is_empty() => return out.extend(calls.into_events()),
        Finish::Done => Stop::EndTurn,
        Finish::Length => Stop::MaxTokens,
        Finish::Refused => Stop::Refusal,
    };
    out.push_back(Event::Stop(stop));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(pieces: &[(u64, &str, &str, &str)]) -> Vec<(String, String, Value)> {
        let mut calls = Calls::default();
        for (index, id, name, arguments) in pieces {
            calls.piece(*index, id, name, arguments).unwrap();
        }
        let call = |event| match event {
            Event::ToolCall(call) => (call.id, call.name, call.arguments),
            other => panic!("{other:?}"),
        };
        calls.into_events().map(call).collect()
    }

    #[test]
    fn pieces_become_calls() {
        let is = |id: &str, name: &str, value: Value| (id.to_owned(), name.to_owned(), value);
        assert_eq!(
            calls(&[
                (0, "a", "read", ""),
                (0, "", "", "{\"p\":"),
                (1, "b", "list", "{}"),
                (0, "", "", "1}"),
            ]),
            [is("a", "read", json!({"p": 1})), is("b", "list", json!({}))]
        );
        // The same index for all, and the id and the name in each piece.
        assert_eq!(
            calls(&[(0, "a", "x", "{"), (0, "a", "x", "}"), (0, "b", "y", "")]),
            [is("a", "x", json!({})), is("b", "y", json!({}))]
        );
        assert_eq!(calls(&[(0, "", "x", "")]), [is("call_1", "x", json!({}))]);
    }

    #[test]
    fn arguments_that_are_no_object() {
        for (text, expected) in [
            (" ", json!({})),
            ("{\"a\":1}", json!({"a": 1})),
            ("\"{\\\"a\\\":1}\"", json!({"a": 1})),
            ("\"a\"", json!("a")),
            ("[1]", json!([1])),
            ("{\"a\":", json!("{\"a\":")),
        ] {
            assert_eq!(arguments(text), expected, "{text}");
        }
    }

    #[test]
    fn too_many_calls() {
        let mut calls = Calls::default();
        for index in 0..MAX_CALLS as u64 {
            calls.piece(index, "", "x", "").unwrap();
        }
        let more = calls.piece(MAX_CALLS as u64, "", "x", "");
        assert!(matches!(more, Err(Failure::TooMuch { .. })));
    }

    #[test]
    fn calls_run_only_after_a_whole_reply() {
        for (finish, called, stop) in [
            (Finish::Done, 1, None),
            (Finish::Length, 0, Some(Stop::MaxTokens)),
            (Finish::Refused, 0, Some(Stop::Refusal)),
        ] {
            let mut calls = Calls::default();
            calls.piece(0, "a", "x", "{}").unwrap();
            let mut out = VecDeque::new();
            end(finish, calls, Some(5), Some(9), &mut out);
            assert_eq!(out.pop_front(), Some(Event::Usage { used: 5, size: 9 }));
            let seen = out.iter().filter(|e| matches!(e, Event::ToolCall(_)));
            assert_eq!(seen.count(), called);
            assert_eq!(
                out.pop_back().filter(|_| called == 0),
                stop.map(Event::Stop)
            );
        }
        let mut out = VecDeque::new();
        end(Finish::Done, Calls::default(), Some(5), None, &mut out);
        assert_eq!(out, [Event::Stop(Stop::EndTurn)]);
    }
}
