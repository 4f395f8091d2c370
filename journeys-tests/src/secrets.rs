//! Secrets that the agent is given and the result must not have.
//!
//! The agent and the journeys work with the real values; what is recorded goes through here before it
//! is judged or written, so that the verdict can be derived from what is in the file.
//!
//! What is hidden: each value as it is, as JSON writes it, and over the borders of message chunks. What
//! is not: a value that the agent has encoded in some other way, and one so short that hiding it would
//! change the protocol itself.

mod login;

use std::{
    collections::{BTreeMap, HashMap},
    env, io,
    path::Path,
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::recording::{ProcessRecording, Recording, What};

/// A shorter value is no secret: `1` or `debug` stands in every recording.
const MIN_BYTES: usize = 6;

/// What became of a secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Secret {
    /// The environment variable that holds it, or the path of a login.
    pub name: String,
    /// What became of its value.
    pub value: Handling,
}

/// What became of a secret's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Handling {
    /// It was replaced wherever it was recorded.
    Hidden,
    /// It has fewer than 6 bytes and was not replaced.
    TooShort,
    /// The variable is not set.
    NotSet,
}

/// The secrets of a run.
#[derive(Debug, Clone, Default)]
pub struct Secrets {
    names: Vec<Secret>,
    /// Value and replacement, the longest value first: one may hold another.
    values: Vec<(String, String)>,
}

impl Secrets {
    /// Takes the values of these variables from the environment of this process.
    #[must_use]
    pub fn from_env(names: &[String]) -> Self {
        Self::new(names.iter().map(|name| {
            let value = env::var_os(name).map(|value| value.to_string_lossy().into_owned());
            (name.clone(), value)
        }))
    }

    /// With every word of a login that is long enough for a key.
    ///
    /// # Errors
    /// The path cannot be read.
    pub fn with_login(mut self, path: &Path) -> io::Result<Self> {
        let name = path.display().to_string();
        for word in login::words(path)? {
            self.values.push((word, format!("[secret of {name}]")));
        }
        let value = Handling::Hidden;
        self.names.push(Secret { name, value });
        self.longest_first();
        Ok(self)
    }

    fn longest_first(&mut self) {
        let by_length = |(value, _): &(String, String)| std::cmp::Reverse(value.len());
        self.values.sort_by_key(by_length);
    }

    /// Names and their values.
    #[must_use]
    pub fn new(secrets: impl IntoIterator<Item = (String, Option<String>)>) -> Self {
        let mut found = Self::default();
        for (name, value) in secrets {
            let handling = match value {
                None => Handling::NotSet,
                Some(value) if value.len() < MIN_BYTES => Handling::TooShort,
                Some(value) => {
                    found.values.push((value, format!("[secret {name}]")));
                    Handling::Hidden
                }
            };
            let value = handling;
            found.names.push(Secret { name, value });
        }
        found.longest_first();
        found
    }

    /// The names, and what became of each value.
    #[must_use]
    pub fn names(&self) -> &[Secret] {
        &self.names
    }

    /// The recording without the values.
    #[must_use]
    pub fn hide_in(&self, mut recording: Recording) -> Recording {
        if self.values.is_empty() {
            return recording;
        }
        for process in &mut recording.processes {
            self.hide_over_chunks(process);
        }
        self.hide(recording)
    }

    /// Anything that can be written as JSON, without the values.
    #[must_use]
    pub fn hide<T: Serialize + DeserializeOwned>(&self, thing: T) -> T {
        if self.values.is_empty() {
            return thing;
        }
        let hidden = serde_json::to_value(&thing)
            .map(|mut value| {
                self.hide_value(&mut value);
                value
            })
            .and_then(serde_json::from_value);
        // Only strings change, and nothing in a recording is a secret by its type.
        hidden.unwrap_or(thing)
    }

    fn hide_value(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.hide_text(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.hide_value(item)),
            Value::Object(members) => {
                let old = std::mem::take(members);
                members.extend(old.into_iter().map(|(name, mut member)| {
                    self.hide_value(&mut member);
                    (self.replace(&name), member)
                }));
            }
            // A number in a message: what was replaced is a number no more.
            Value::Number(number) => {
                let text = number.to_string();
                let hidden = self.replace(&text);
                if hidden != text {
                    *value = Value::String(hidden);
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    /// A text without the values. A text that is JSON is looked at as JSON: a value may be escaped in it.
    #[must_use]
    pub fn hide_text(&self, text: &str) -> String {
        let is_json = text.starts_with(['{', '[']);
        let Some(mut json) = is_json.then(|| serde_json::from_str(text).ok()).flatten() else {
            return self.replace(text);
        };
        let before = Value::clone(&json);
        self.hide_value(&mut json);
        if json == before {
            return text.to_owned();
        }
        json.to_string()
    }

    fn replace(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (value, replacement) in &self.values {
            for form in [value.as_str(), &escaped(value)] {
                if text.contains(form) {
                    text = text.replace(form, replacement);
                }
            }
        }
        // What was recorded may have been cut in the middle of a value.
        for (value, replacement) in &self.values {
            if let Some(begun) = begun_at_the_end(&text, value) {
                text.truncate(text.len() - begun);
                text.push_str(replacement);
            }
            if let Some(rest) = rest_at_the_start(&text, value) {
                text.replace_range(..rest, replacement);
            }
        }
        text
    }

    /// Chunks make one text: a value may begin in one chunk and end in another.
    fn hide_over_chunks(&self, process: &mut ProcessRecording) {
        let mut streams: BTreeMap<String, Vec<Chunk>> = BTreeMap::new();
        for (event, recorded) in process.events.iter().enumerate() {
            if let What::Received { line, .. } = &recorded.what
                && let Some((stream, chunk)) = Chunk::new(event, line)
            {
                streams.entry(stream).or_default().push(chunk);
            }
        }
        for chunks in streams.values_mut() {
            for (event, message) in self.hide_in_stream(chunks) {
                if let What::Received { line, .. } = &mut process.events[event].what {
                    *line = message.to_string();
                }
            }
        }
    }

    /// The messages of the stream that had to change.
    fn hide_in_stream(&self, chunks: &[Chunk]) -> HashMap<usize, Value> {
        let whole: String = chunks.iter().map(|chunk| chunk.text.as_str()).collect();
        let mut changed = HashMap::new();
        let mut spans: Vec<(usize, usize, &str)> = Vec::new();
        for (value, replacement) in &self.values {
            for (start, found) in whole.match_indices(value.as_str()) {
                let end = start + found.len();
                if spans
                    .iter()
                    .all(|(from, to, _)| end <= *from || start >= *to)
                {
                    spans.push((start, end, replacement));
                }
            }
        }
        spans.sort_unstable();
        let mut offset = 0;
        for chunk in chunks {
            let range = offset..offset + chunk.text.len();
            offset = range.end;
            let mut text = String::new();
            let mut at = range.start;
            for (start, end, replacement) in &spans {
                if *end <= range.start || *start >= range.end {
                    continue;
                }
                if *start >= range.start {
                    text.push_str(&whole[at..*start]);
                    text.push_str(replacement);
                }
                at = (*end).min(range.end);
            }
            text.push_str(&whole[at..range.end]);
            if text != chunk.text {
                let mut message = chunk.message.clone();
                message["params"]["update"]["content"]["text"] = Value::String(text);
                changed.insert(chunk.event, message);
            }
        }
        changed
    }
}

/// A chunk of a message, and the event that holds it.
struct Chunk {
    event: usize,
    message: Value,
    text: String,
}

impl Chunk {
    /// The stream that a line is a chunk of, and the chunk.
    fn new(event: usize, line: &str) -> Option<(String, Self)> {
        let message: Value = serde_json::from_str(line).ok()?;
        let params = &message["params"];
        let kind = params["update"]["sessionUpdate"].as_str()?;
        let text = params["update"]["content"]["text"].as_str()?.to_owned();
        let stream = format!("{} {kind}", params["sessionId"]);
        let chunk = Self {
            event,
            message,
            text,
        };
        Some((stream, chunk))
    }
}

/// The value as it stands inside a JSON string.
fn escaped(value: &str) -> String {
    let quoted = Value::from(value).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// How many bytes at the end of the text are the beginning of the value; the cut mark is passed over.
fn begun_at_the_end(text: &str, value: &str) -> Option<usize> {
    let mark = if text.ends_with('…') {
        '…'.len_utf8()
    } else {
        0
    };
    let body = &text[..text.len() - mark];
    (MIN_BYTES..value.len())
        .rev()
        .filter(|&length| value.is_char_boundary(length))
        .find(|&length| body.ends_with(&value[..length]))
        .map(|length| length + mark)
}

/// How many bytes at the start of the text are the end of the value.
fn rest_at_the_start(text: &str, value: &str) -> Option<usize> {
    (1..=value.len().saturating_sub(MIN_BYTES))
        .filter(|&start| value.is_char_boundary(start))
        .find(|&start| text.starts_with(&value[start..]))
        .map(|start| value.len() - start)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn secrets(pairs: &[(&str, &str)]) -> Secrets {
        let pairs = pairs.iter();
        Secrets::new(pairs.map(|(name, value)| ((*name).to_owned(), Some((*value).to_owned()))))
    }

    #[test]
    fn a_value_is_hidden_wherever_it_stands() {
        let secrets = secrets(&[
            ("KEY", "s3cr\"et/é"),
            ("NUMBER", "12345678"),
            ("LONG", "12345678-9"),
        ]);
        let escaped = json!({"a": "s3cr\"et/é"}).to_string();
        let spaced = format!(" x {escaped}");
        #[rustfmt::skip]
        let table = [
            ("plain", "plain".to_owned(), "plain"),
            ("text", "key=s3cr\"et/é;".to_owned(), "key=[secret KEY];"),
            ("json", escaped, r#"{"a":"[secret KEY]"}"#),
            ("json with unicode escapes", r#"{"a":"s3cr\u0022et\/\u00e9"}"#.to_owned(), r#"{"a":"[secret KEY]"}"#),
            ("json inside a text", spaced, r#" x {"a":"[secret KEY]"}"#),
            ("a member's name", r#"{"12345678":1}"#.to_owned(), r#"{"[secret NUMBER]":1}"#),
            ("a number", r#"{"a":12345678}"#.to_owned(), r#"{"a":"[secret NUMBER]"}"#),
            ("the longer first", "12345678-9".to_owned(), "[secret LONG]"),
            ("cut at the end", "--key=s3cr\"et…".to_owned(), "--key=[secret KEY]"),
            ("cut at the start", "345678 and more".to_owned(), "[secret NUMBER] and more"),
            ("untouched json keeps its form", r#"{ "a" : 1 }"#.to_owned(), r#"{ "a" : 1 }"#),
        ];
        for (name, text, wanted) in table {
            assert_eq!(secrets.hide_text(&text), wanted, "{name}");
        }
    }

    #[test]
    fn a_value_is_hidden_over_the_borders_of_chunks() {
        let chunk = |event: usize, text: &str| Chunk {
            event,
            message: json!({"params": {"update": {"content": {"text": text}}}}),
            text: text.to_owned(),
        };
        let secrets = secrets(&[("KEY", "abcdefgh")]);
        let chunks = [
            chunk(3, "it is ab"),
            chunk(5, "cdef"),
            chunk(6, "gh. abcdefgh!"),
            chunk(9, "bye"),
        ];
        let changed = secrets.hide_in_stream(&chunks);
        let text = |event: usize| changed[&event]["params"]["update"]["content"]["text"].clone();
        assert_eq!(changed.len(), 3);
        assert_eq!(text(3), "it is [secret KEY]");
        assert_eq!(text(5), "");
        assert_eq!(text(6), ". [secret KEY]!");
    }

    #[test]
    fn short_and_missing_values_are_told() {
        let pairs = [("A", Some("12345")), ("B", None), ("C", Some("123456"))];
        let secrets =
            Secrets::new(pairs.map(|(name, value)| (name.to_owned(), value.map(str::to_owned))));
        let handled: Vec<Handling> = secrets.names().iter().map(|secret| secret.value).collect();
        assert_eq!(
            handled,
            [Handling::TooShort, Handling::NotSet, Handling::Hidden]
        );
        assert_eq!(secrets.hide_text("12345 123456"), "12345 [secret C]");
    }
}
