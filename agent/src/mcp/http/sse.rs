//! Server-sent events, as far as MCP uses them: the data of each event is one message.
//!
//! Pure, so that every way in which a network cuts a stream can be tried.
//!
//! HTML: <https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation>

use super::super::limits::MAX_LINE;

/// Collects bytes into events.
#[derive(Debug, Default)]
pub(super) struct Events {
    line: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    after_cr: bool,
}

/// An event that is longer than any message may be.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLong;

impl Events {
    /// Takes bytes in and returns the data of the events that they complete.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, TooLong> {
        let mut events = Vec::new();
        for &byte in bytes {
            let follows_cr = std::mem::replace(&mut self.after_cr, byte == b'\r');
            match byte {
                // The second half of one line end.
                b'\n' if follows_cr => {}
                b'\n' | b'\r' => events.extend(self.end_line()),
                byte => self.line.push(byte),
            }
            if self.line.len() + self.data.len() > MAX_LINE {
                return Err(TooLong);
            }
        }
        Ok(events)
    }

    fn end_line(&mut self) -> Option<Vec<u8>> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            let has_data = std::mem::take(&mut self.has_data);
            let data = std::mem::take(&mut self.data);
            return has_data.then_some(data);
        }
        let value = line.strip_prefix(b"data:")?;
        if std::mem::replace(&mut self.has_data, true) {
            self.data.push(b'\n');
        }
        self.data.extend(value.strip_prefix(b" ").unwrap_or(value));
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pieces: &[&str]) -> Vec<String> {
        let mut events = Events::default();
        let read = pieces
            .iter()
            .flat_map(|piece| events.push(piece.as_bytes()).unwrap());
        read.map(|event| String::from_utf8(event).unwrap())
            .collect()
    }

    #[test]
    fn events() {
        for (pieces, expected) in [
            (vec!["data: one\n\ndata:two\n\n"], vec!["one", "two"]),
            (vec!["da", "ta: on", "e\r", "\n\r\n"], vec!["one"]),
            (vec!["data: a\ndata: b\n\n"], vec!["a\nb"]),
            (
                vec![": comment\nevent: message\nid: 7\ndata: x\n\n"],
                vec!["x"],
            ),
            (vec!["id: 1\ndata:\n\n"], vec![""]),
            (vec!["retry: 3\n\n"], vec![]),
            (vec!["data: not ended\n"], vec![]),
        ] {
            assert_eq!(read(&pieces), expected, "{pieces:?}");
        }
    }

    #[test]
    fn an_endless_event_is_given_up() {
        let mut events = Events::default();
        let piece = vec![b'x'; 1 << 20];
        let given_up = (0..=MAX_LINE >> 20).any(|_| events.push(&piece).is_err());
        assert!(given_up);
    }
}
