//! Server-sent events, as far as MCP and model servers use them: the data of
//! each event.
//!
//! Written here because an event of a stranger needs a bound, which the crates for it do not have.
//! Pure, so that every way in which a network cuts a stream can be tried.
//!
//! HTML: <https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation>

/// Collects bytes into events.
#[derive(Debug)]
pub(crate) struct Events {
    limit: usize,
    line: Vec<u8>,
    data: Option<Vec<u8>>,
    after_cr: bool,
}

/// An event is longer than it may be.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooLong;

impl Events {
    /// Collects events of at most `limit` bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            data: None,
            after_cr: false,
        }
    }

    /// Takes bytes in and returns the data of the events that they complete.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, TooLong> {
        let mut events = Vec::new();
        for &byte in bytes {
            let follows_cr = std::mem::replace(&mut self.after_cr, byte == b'\r');
            match byte {
                // The second half of one line end.
                b'\n' if follows_cr => {}
                b'\n' | b'\r' => events.extend(self.end_line()),
                byte => self.line.push(byte),
            }
            if self.line.len() + self.data.as_ref().map_or(0, Vec::len) > self.limit {
                return Err(TooLong);
            }
        }
        Ok(events)
    }

    fn end_line(&mut self) -> Option<Vec<u8>> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            return self.data.take();
        }
        let value = match line.strip_prefix(b"data") {
            Some(b"") => &[],
            Some(value) => value.strip_prefix(b":")?,
            None => return None,
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match &mut self.data {
            None => self.data = Some(value.to_vec()),
            Some(data) => {
                data.push(b'\n');
                data.extend_from_slice(value);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pieces: &[&str]) -> Vec<String> {
        let mut events = Events::new(100);
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
            (vec!["data: one\r\rdata: two\r\r"], vec!["one", "two"]),
            (vec!["data: a\ndata: b\n\n"], vec!["a\nb"]),
            (vec![": comment\nevent: x\nid: 7\ndata: x\n\n"], vec!["x"]),
            (vec!["id: 1\ndata:\n\n"], vec![""]),
            (vec!["data\n\n"], vec![""]),
            (vec!["database: 3\nretry: 3\n\n"], vec![]),
            (vec!["data: not ended\n"], vec![]),
        ] {
            assert_eq!(read(&pieces), expected, "{pieces:?}");
            let bytes: Vec<String> = pieces.concat().chars().map(String::from).collect();
            let bytes: Vec<&str> = bytes.iter().map(String::as_str).collect();
            assert_eq!(read(&bytes), expected, "byte by byte: {pieces:?}");
        }
    }

    #[test]
    fn an_endless_event_is_given_up() {
        for piece in ["xxxxxxxxxx", "data: xxxx\n"] {
            let mut events = Events::new(100);
            let given_up = (0..30).any(|_| events.push(piece.as_bytes()).is_err());
            assert!(given_up, "{piece:?}");
        }
    }
}
