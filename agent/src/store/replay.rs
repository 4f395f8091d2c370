//! The reading end of a session: from an open file to its items, and on to its log.
//!
//! Apart from [`SessionLog`], so that the order cannot be got wrong: a session that was opened can
//! only be replayed, and only a replay to the end gives a log to append to.
//!
//! Must stay true: items are handed on one at a time, in order, as they are read; memory is
//! bounded by the largest of them. A replay changes nothing in the file.

use std::io::BufReader;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::encoding::{BadLine, MAX_HEADER, MAX_LINE, decode_header, decode_item};
use super::error::io_error;
use super::item::{Header, Item};
use super::lines::{Line, Lines};
use super::lock::Locked;
use super::{SessionLog, StoreError};

/// How much is read from the file at once.
const READ_SIZE: usize = 64 << 10;

/// A stored session that this process holds and has not read yet, but for its header.
#[derive(Debug)]
pub struct Opened {
    header: Header,
    lines: Lines<BufReader<Locked>>,
    path: PathBuf,
}

/// What a replay leaves.
#[derive(Debug)]
pub struct Replayed {
    /// The session, to go on with.
    pub log: SessionLog,
    /// The last turn has no [`Item::TurnEnd`]: the agent that ran it ended first.
    pub interrupted: bool,
    /// How many bytes of a torn last line were dropped. They are cut off the file by the next
    /// append.
    pub dropped: u64,
}

impl Opened {
    /// Reads the header.
    pub(super) fn read(
        file: Locked,
        path: PathBuf,
        session_id: &str,
    ) -> Result<Opened, StoreError> {
        let mut lines = Lines::new(BufReader::with_capacity(READ_SIZE, file), MAX_HEADER);
        let line = lines.read().map_err(io_error("read", &path))?;
        let header = header_of(line, &path, session_id)?;
        lines.set_max(MAX_LINE);
        Ok(Opened {
            header,
            lines,
            path,
        })
    }

    /// What the session is.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Hands on each item in order, then gives the log to go on with. A torn last line is dropped
    /// with a warning.
    ///
    /// # Errors
    ///
    /// The first error of `each`, or [`StoreError::Damaged`] at the first bad line, after the
    /// items before it were handed on. The session is free again in either case.
    pub fn replay<E: From<StoreError>>(
        mut self,
        mut each: impl FnMut(Item) -> Result<(), E>,
    ) -> Result<Replayed, E> {
        let mut interrupted = false;
        let end = loop {
            match self.next_item()? {
                ControlFlow::Continue(item) => {
                    match item {
                        Item::UserMessage { .. } => interrupted = true,
                        Item::TurnEnd { .. } => interrupted = false,
                        _ => {}
                    }
                    each(item)?;
                }
                ControlFlow::Break(end) => break end,
            }
        };
        Ok(self.finish(end, interrupted)?)
    }

    /// Reads one line as an item, or tells where the whole lines end.
    fn next_item(&mut self) -> Result<ControlFlow<u64, Item>, StoreError> {
        let bad = match self.lines.read().map_err(io_error("read", &self.path))? {
            Line::End => return Ok(ControlFlow::Break(self.lines.end())),
            Line::Torn(_) => return Ok(ControlFlow::Break(self.lines.start())),
            Line::TooLong => BadLine::NotAnItem(format!("longer than {MAX_LINE} bytes")),
            Line::Whole(line) => match decode_item(line) {
                Ok(item) => return Ok(ControlFlow::Continue(item)),
                Err(bad) => bad,
            },
        };
        let reason = match bad {
            // A power cut may leave the newline of the last write and lose what is before it. What
            // is JSON, on the other hand, was meant, and is not ours to drop.
            BadLine::NotJson(_) if self.lines.at_end().map_err(io_error("read", &self.path))? => {
                return Ok(ControlFlow::Break(self.lines.start()));
            }
            BadLine::NotJson(reason) | BadLine::NotAnItem(reason) => reason,
        };
        Err(StoreError::Damaged {
            path: self.path.clone(),
            line: self.lines.number(),
            reason,
        })
    }

    /// From reading to writing; whole lines end at `end`.
    fn finish(self, end: u64, interrupted: bool) -> Result<Replayed, StoreError> {
        let number = self.lines.number();
        let file = self.lines.into_inner().into_inner();
        let found = file.file().metadata();
        let length = found.map_err(io_error("look at", &self.path))?.len();
        let dropped = length.saturating_sub(end);
        if dropped > 0 {
            tracing::warn!(
                path = %self.path.display(),
                line = number,
                bytes = dropped,
                "dropped the torn last line of a session"
            );
        }
        let session_id = self.header.session_id;
        Ok(Replayed {
            log: SessionLog::resume(file, self.path, session_id, end, dropped > 0),
            interrupted,
            dropped,
        })
    }
}

/// The header in what was read as the first line of a file.
pub(super) fn header_of(
    line: Line<'_>,
    path: &Path,
    session_id: &str,
) -> Result<Header, StoreError> {
    let reason = match line {
        Line::Whole(line) => return decode_header(line, path, session_id),
        Line::Torn(_) | Line::End => {
            "the header is incomplete: the session was never used".to_owned()
        }
        Line::TooLong => format!("the header is longer than {MAX_HEADER} bytes"),
    };
    Err(StoreError::Damaged {
        path: path.to_owned(),
        line: 1,
        reason,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{FORMAT, Store};

    #[test]
    fn a_line_that_is_too_long_is_damage_even_at_the_end() {
        let state = tempfile::tempdir().unwrap();
        let store = Store::new(state.path().to_owned());
        let header = Header {
            format: FORMAT,
            session_id: "s".to_owned(),
            cwd: "/w".into(),
            additional_directories: Vec::new(),
            created: String::new(),
        };
        let mut log = store.create(&header).unwrap();
        let note = Item::Note {
            text: "12345".to_owned(),
        };
        log.append(&note).unwrap();
        drop(log);

        let length = r#"{"item":"note","text":"12345"}"#.len();
        for (max, fits) in [(length, true), (length - 1, false)] {
            let mut opened = store.open("s").unwrap();
            opened.lines.set_max(max);
            match opened.replay(|_| Ok::<_, StoreError>(())) {
                Ok(_) => assert!(fits),
                Err(StoreError::Damaged { line: 2, .. }) => assert!(!fits),
                Err(error) => panic!("{error}"),
            }
        }
    }
}
