//! Headers and items as lines of JSON, both ways.
//!
//! Apart from the file, because the two directions have to agree: what is written here can be
//! read here, or it is refused before a byte of it reaches the disk. A line that could not be read
//! again would make the whole session unreadable, for ever.
//!
//! Must stay true: the kind of an item comes first in its line, so that the listing finds titles
//! without reading the rest.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::item::{FORMAT, Header, Item};
use super::{StoreError, id};

/// The longest line, without its newline. The largest message that the agent takes from a client
/// is half of it, and an item is never much more than one message; so only a damaged file has a
/// longer one.
pub(super) const MAX_LINE: usize = 512 << 20;

/// The longest header: hundreds of paths of the greatest length that Linux takes.
pub(super) const MAX_HEADER: usize = 1 << 20;

/// How each line with a title begins.
pub(super) const TITLE_LINE: &[u8] = br#"{"item":"title","#;

/// How deeply a line may be nested; the reader of JSON gives up at one more.
const MAX_DEPTH: usize = 127;

/// The longest description of what is wrong with a line. It may quote the line, and it goes to the
/// client.
const MAX_REASON: usize = 200;

/// Why a line cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum BadLine {
    /// It is not JSON, as the end of a file may look after a power cut.
    NotJson(String),
    /// It is JSON that does not say what it should.
    NotAnItem(String),
}

/// The line of an item, with its newline.
pub(super) fn encode_item(item: &Item, path: &Path) -> Result<Vec<u8>, StoreError> {
    encode(item, MAX_LINE, path)
}

/// The line of a header, with its newline.
pub(super) fn encode_header(header: &Header, path: &Path) -> Result<Vec<u8>, StoreError> {
    encode(header, MAX_HEADER, path)
}

/// Reads the line of an item.
pub(super) fn decode_item(line: &[u8]) -> Result<Item, BadLine> {
    serde_json::from_slice(line).map_err(|error| {
        if error.is_data() {
            BadLine::NotAnItem(reason(&error))
        } else {
            BadLine::NotJson(reason(&error))
        }
    })
}

/// Reads the first line of a session's file.
pub(super) fn decode_header(
    line: &[u8],
    path: &Path,
    session_id: &str,
) -> Result<Header, StoreError> {
    /// A later version may change everything but this.
    #[derive(Deserialize)]
    struct Version {
        format: u32,
    }
    let damaged = |reason| StoreError::Damaged {
        path: path.to_owned(),
        line: 1,
        reason,
    };
    let not_a_header = |error| damaged(format!("not a header: {}", reason(&error)));
    let version: Version = serde_json::from_slice(line).map_err(not_a_header)?;
    check_format(version.format, path)?;
    let header: Header = serde_json::from_slice(line).map_err(not_a_header)?;
    if header.session_id == session_id {
        Ok(header)
    } else if id::is_valid(&header.session_id) {
        let other = header.session_id;
        Err(damaged(format!("the header is that of session `{other}`")))
    } else {
        Err(damaged("the header names no session".to_owned()))
    }
}

/// Refuses formats that this program does not know.
pub(super) fn check_format(found: u32, path: &Path) -> Result<(), StoreError> {
    match found {
        FORMAT => Ok(()),
        0 => Err(StoreError::Damaged {
            path: path.to_owned(),
            line: 1,
            reason: "there is no format 0".to_owned(),
        }),
        _ => Err(StoreError::NewerFormat {
            path: path.to_owned(),
            found,
            known: FORMAT,
        }),
    }
}

/// One line of JSON within the bounds of the reader.
fn encode(value: &impl Serialize, max: usize, path: &Path) -> Result<Vec<u8>, StoreError> {
    let unstorable = |reason| StoreError::Unstorable {
        path: path.to_owned(),
        reason,
    };
    let mut line = serde_json::to_vec(value).map_err(|error| unstorable(reason(&error)))?;
    if line.len() > max {
        let length = line.len();
        return Err(unstorable(format!(
            "it takes {length} bytes, and {max} is the most"
        )));
    }
    let depth = depth(&line);
    if depth > MAX_DEPTH {
        return Err(unstorable(format!(
            "it is nested {depth} levels deep, and {MAX_DEPTH} is the most"
        )));
    }
    line.push(b'\n');
    Ok(line)
}

/// How deeply a JSON text is nested.
fn depth(json: &[u8]) -> usize {
    let (mut depth, mut deepest) = (0usize, 0);
    let (mut in_string, mut escaped) = (false, false);
    for byte in json {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' | b'[' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// What the JSON reader says, for a person who knows the line's number already.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let (cause, place) = match text.rsplit_once(" at line ") {
        Some((cause, _)) => (cause, format!(" at column {}", error.column())),
        None => (text.as_str(), String::new()),
    };
    let mut cut = cause.len().min(MAX_REASON);
    while !cause.is_char_boundary(cut) {
        cut -= 1;
    }
    let more = if cut < cause.len() { "…" } else { "" };
    format!("{}{more}{place}", &cause[..cut])
}

#[cfg(test)]
#[path = "encoding_tests.rs"]
mod tests;
