//! The tool calls of a turn: which were announced, which have their result.
//!
//! Pure. Must stay true: a call has at most one result, and nothing of it is told behind that; the
//! number of calls is bounded, whatever the agent sends.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/tool-calls>

use std::collections::HashMap;

/// How many calls of one turn are told. A turn has some dozens; an agent that makes up calls must not
/// fill the memory.
pub(super) const MOST: usize = 10_000;

/// The longest id, in bytes, that is passed on as it is. Agents use some dozens.
const MAX_ID: usize = 1_000;

/// All calls of a turn.
#[derive(Debug, Default)]
pub(super) struct Calls(HashMap<String, Call>);

#[derive(Debug)]
struct Call {
    /// In the order of their announcement.
    number: usize,
    /// What refusals of the colony may be about.
    arguments: String,
    is_open: bool,
}

/// What an announcement, or a result, is to the turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    /// It is to be told.
    News,
    /// The call has its result.
    Over,
    /// There have been too many calls.
    TooMany,
}

impl Calls {
    /// A call is announced, perhaps not for the first time.
    pub(super) fn announce(&mut self, id: &str, arguments: impl FnOnce() -> String) -> Known {
        match self.0.get(id) {
            Some(call) if call.is_open => Known::News,
            Some(_) => Known::Over,
            None => self.add(id, arguments(), true),
        }
    }

    /// A call has its result: whether it is news, and the arguments of the call.
    pub(super) fn close(&mut self, id: &str) -> (Known, String) {
        match self.0.get_mut(id) {
            Some(call) if call.is_open => {
                call.is_open = false;
                (Known::News, std::mem::take(&mut call.arguments))
            }
            Some(_) => (Known::Over, String::new()),
            None => (self.add(id, String::new(), false), String::new()),
        }
    }

    fn add(&mut self, id: &str, arguments: String, is_open: bool) -> Known {
        let number = self.0.len();
        if number == MOST {
            return Known::TooMany;
        }
        let call = Call {
            number,
            arguments,
            is_open,
        };
        self.0.insert(id.to_owned(), call);
        Known::News
    }

    /// The calls without a result, in their order.
    pub(super) fn into_open(self) -> Vec<String> {
        let open = self.0.into_iter().filter(|(_, call)| call.is_open);
        let mut open: Vec<(usize, String)> = open.map(|(id, call)| (call.number, id)).collect();
        open.sort_unstable();
        open.into_iter().map(|(_, id)| id).collect()
    }
}

/// The id of a call as the host is told it: the agent's, without what no host could match.
pub(super) fn id(id: &str) -> &str {
    &id[..id.floor_char_boundary(MAX_ID)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_news_until_it_has_its_result() {
        let mut calls = Calls::default();
        let args = || "a".to_owned();
        assert_eq!(calls.announce("1", args), Known::News);
        assert_eq!(calls.announce("2", args), Known::News);
        assert_eq!(calls.announce("1", args), Known::News);
        assert_eq!(calls.close("1"), (Known::News, "a".to_owned()));
        assert_eq!(calls.close("1").0, Known::Over);
        assert_eq!(calls.announce("1", args), Known::Over);
        assert_eq!(calls.close("never announced").0, Known::News);
        assert_eq!(calls.close("never announced").0, Known::Over);
        assert_eq!(calls.announce("0", args), Known::News);
        assert_eq!(calls.into_open(), ["2", "0"]);
    }

    #[test]
    fn the_number_of_calls_is_bounded() {
        let mut calls = Calls::default();
        for number in 0..MOST {
            assert_eq!(
                calls.announce(&number.to_string(), String::new),
                Known::News
            );
        }
        assert_eq!(calls.announce("more", String::new), Known::TooMany);
        assert_eq!(calls.close("more").0, Known::TooMany);
        assert_eq!(calls.close("7").0, Known::News);
    }
}
