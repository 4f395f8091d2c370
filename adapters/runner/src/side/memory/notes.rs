//! The notes of the shared memory, as they are on disk now.

use std::{fs, path::Path};

use serde_json::Value;

use crate::{fit::one_line, small_file};

/// The scopes, nearest first.
const SCOPES: [&str; 3] = ["repo", "org", "global"];

/// The largest file of notes, in bytes.
const MAX_NOTES: u64 = 16 * 1024 * 1024;

/// The largest single note in a file of its own, and how many of these are read.
const MAX_NOTE: u64 = 64 * 1024;
const MOST_FILES: usize = 1_000;

/// A note.
#[derive(Debug, Clone, Default)]
pub(super) struct Note {
    pub(super) id: String,
    pub(super) created_at: String,
    scope: &'static str,
    title: String,
    content: String,
    tags: String,
    source: String,
}

impl Note {
    /// Whether all terms are somewhere in it.
    pub(super) fn has(&self, terms: &[String]) -> bool {
        let text = format!("{} {} {}", self.title, self.content, self.tags).to_lowercase();
        terms.iter().all(|term| text.contains(term.as_str()))
    }

    /// The note on one line, with its source and its id.
    pub(super) fn line(&self, most: usize) -> String {
        let text = one_line(&flat(&format!("{}: {}", self.title, self.content)), most);
        let source = match self.source.as_str() {
            "" => String::new(),
            source => format!(", {}", one_line(&flat(source), 100)),
        };
        format!(
            "- {text} [{}{source}, id {}]",
            self.scope,
            one_line(&flat(&self.id), 100)
        )
    }
}

/// Text without the marks of the frame, and on one line.
pub(super) fn flat(text: &str) -> String {
    one_line(&text.replace(['<', '>'], " "), usize::MAX)
}

/// All notes: nearest scope first, newest first.
pub(super) fn read(folder: &Path) -> Vec<Note> {
    let mut notes = Vec::new();
    for scope in SCOPES {
        let mut found = of_scope(&folder.join(scope), scope);
        found.sort_by(|one, other| other.created_at.cmp(&one.created_at));
        notes.extend(found);
    }
    notes
}

fn of_scope(folder: &Path, scope: &'static str) -> Vec<Note> {
    let list = small_file::read(&folder.join("notes.json"), MAX_NOTES)
        .and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
    match list {
        Some(Value::Array(notes)) => notes.iter().filter_map(|note| parse(note, scope)).collect(),
        _ => files(&folder.join("notes"), scope),
    }
}

fn parse(note: &Value, scope: &'static str) -> Option<Note> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let tags = note["tags"].as_array().into_iter().flatten();
    let source = ["repo", "commit", "session_id"]
        .iter()
        .filter_map(|name| note["source"][name].as_str())
        .collect::<Vec<_>>();
    Some(Note {
        id: note["id"].as_str()?.to_owned(),
        created_at: text(&note["created_at"]),
        scope,
        title: text(&note["title"]),
        content: text(&note["content"]),
        tags: tags.filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
        source: source.join(" "),
    })
}

/// Notes that are a file each, for a memory without a list.
fn files(folder: &Path, scope: &'static str) -> Vec<Note> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "md"));
    paths.sort();
    paths
        .iter()
        .take(MOST_FILES)
        .filter_map(|path| {
            let name = path.file_stem()?.to_string_lossy().into_owned();
            let bytes = small_file::read(path, MAX_NOTE)?;
            Some(Note {
                id: name.clone(),
                scope,
                title: name,
                content: String::from_utf8_lossy(&bytes).into_owned(),
                ..Note::default()
            })
        })
        .collect()
}
