//! The record of a run: one JSON line for each event, appended to a file.
//!
//! Apart from the tools, because it is evidence: a client compares it with what the agent says.
//! What must stay true: each event is one line, written with one write, so that several servers may
//! append to one file and a reader never meets half a line of a process that is still alive.
//!
//! Lines: `{"event":"started","pid":7,"time_ms":0}`,
//! `{"event":"call","pid":7,"tool":"get_plan","arguments":{},"result":{}}` (or `"error":{}`),
//! `{"event":"ended","pid":7}`.

use std::{
    fs::{File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::{SystemTime, UNIX_EPOCH},
};

use rmcp::{
    ErrorData,
    model::{CallToolResponse, JsonObject},
};
use serde_json::{Value, json};

/// Why an event could not be recorded.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The file cannot be opened.
    #[error(
        "cannot open the record {path}: {source}; give --record a file that can be appended to"
    )]
    Open {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The line was not written.
    #[error("cannot append to the record {path}: {source}")]
    Append {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// One line of the record.
#[derive(Debug, Clone, PartialEq)]
pub struct Event(Value);

impl Event {
    /// The process has started; the time is in milliseconds since 1970.
    #[must_use]
    pub fn started() -> Self {
        let since_1970 = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let time_ms = u64::try_from(since_1970.as_millis()).unwrap_or(u64::MAX);
        Self(json!({"event": "started", "pid": std::process::id(), "time_ms": time_ms}))
    }

    /// A tool was called; `answer` is what the caller is about to read.
    #[must_use]
    pub fn call(
        tool: &str,
        arguments: JsonObject,
        answer: &Result<CallToolResponse, ErrorData>,
    ) -> Self {
        let pid = std::process::id();
        let mut event = json!({"event": "call", "pid": pid, "tool": tool, "arguments": arguments});
        match answer {
            Ok(CallToolResponse::Complete(result)) => {
                let mut result = json!(result);
                // rmcp takes this member off again for all but the newest MCP versions.
                if let Some(members) = result.as_object_mut() {
                    members.remove("resultType");
                }
                event["result"] = result;
            }
            Ok(_) => event["result"] = Value::Null,
            Err(error) => event["error"] = json!(error),
        }
        Self(event)
    }

    /// The process is about to end.
    #[must_use]
    pub fn ended() -> Self {
        Self(json!({"event": "ended", "pid": std::process::id()}))
    }
}

/// Where events go: a file, or nowhere.
#[derive(Debug, Clone, Default)]
pub struct Record {
    sink: Option<Arc<Sink>>,
}

#[derive(Debug)]
struct Sink {
    path: PathBuf,
    file: Mutex<File>,
}

impl Record {
    /// A record that appends to the file at `path`, or drops all events if there is none.
    ///
    /// # Errors
    /// [`RecordError::Open`].
    pub fn open(path: Option<&Path>) -> Result<Self, RecordError> {
        let Some(path) = path else {
            return Ok(Self::default());
        };
        let opened = OpenOptions::new().create(true).append(true).open(path);
        let file = opened.map_err(|source| RecordError::Open {
            path: path.to_owned(),
            source,
        })?;
        let sink = Sink {
            path: path.to_owned(),
            file: Mutex::new(file),
        };
        Ok(Self {
            sink: Some(Arc::new(sink)),
        })
    }

    /// Appends one event.
    ///
    /// # Errors
    /// [`RecordError::Append`].
    pub fn append(&self, event: &Event) -> Result<(), RecordError> {
        let Some(sink) = &self.sink else {
            return Ok(());
        };
        let line = format!("{}\n", event.0);
        let mut file = sink.file.lock().unwrap_or_else(PoisonError::into_inner);
        let written = file.write_all(line.as_bytes()).and_then(|()| file.flush());
        written.map_err(|source| RecordError::Append {
            path: sink.path.clone(),
            source,
        })
    }
}
