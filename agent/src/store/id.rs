//! Which session ids can become file names.
//!
//! Apart from the folder, because it is the one gate between a string of the client and a path.
//!
//! Must stay true: no path is made from an id that did not pass [`file_name`]. What passes has no
//! separator, no dot and no end that a file system treats specially, and is short enough for all.

use super::StoreError;

/// The end of the name of each session's file.
const SUFFIX: &str = ".jsonl";

/// The longest id. Ours are shorter; the bound keeps error messages and file names sane.
const MAX_ID: usize = 64;

/// The name of a session's file.
pub(super) fn file_name(session_id: &str) -> Result<String, StoreError> {
    if is_valid(session_id) {
        Ok(format!("{session_id}{SUFFIX}"))
    } else {
        Err(StoreError::InvalidId {
            session_id: session_id.to_owned(),
        })
    }
}

/// The session whose file has this name, if it is one of ours.
pub(super) fn of_file_name(name: &str) -> Option<&str> {
    name.strip_suffix(SUFFIX).filter(|id| is_valid(id))
}

/// `[A-Za-z0-9_-]{1,64}`
pub(super) fn is_valid(session_id: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (1..=MAX_ID).contains(&session_id.len()) && session_id.bytes().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_ids_become_names() {
        let longest = "a".repeat(MAX_ID);
        let too_long = "a".repeat(MAX_ID + 1);
        let huge = "a".repeat(10_000);
        let table = [
            ("sess_01-aZ9", true),
            ("-", true),
            (longest.as_str(), true),
            ("", false),
            (too_long.as_str(), false),
            (huge.as_str(), false),
            (".", false),
            ("..", false),
            ("../../etc/passwd", false),
            ("a/b", false),
            ("a\\b", false),
            ("a.b", false),
            ("a\0b", false),
            ("a b", false),
            ("a\n", false),
            ("é", false),
        ];
        for (id, valid) in table {
            assert_eq!(is_valid(id), valid, "{id:?}");
            assert_eq!(file_name(id).is_ok(), valid, "{id:?}");
        }
    }

    #[test]
    fn a_file_name_gives_its_id_back() {
        let table = [
            ("abc.jsonl", Some("abc")),
            ("abc.jsonl.bak", None),
            ("abc", None),
            (".jsonl", None),
            (".abc.jsonl", None),
            ("a b.jsonl", None),
        ];
        for (name, id) in table {
            assert_eq!(of_file_name(name), id, "{name:?}");
        }
    }
}
