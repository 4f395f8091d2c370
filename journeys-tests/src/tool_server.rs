//! The stdio tool server `rondar`, as it is handed to the agent, and the record that it keeps.
//!
//! What the agent called is read from the server's own record: what an agent says of its calls is no
//! evidence.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-setup#stdio-transport>

use std::{
    env,
    ffi::OsStr,
    fs::File,
    io::{BufReader, ErrorKind},
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use crate::{
    lines::{Line, read_line},
    recording::ToolServerLog,
};

/// The program that serves `rondar` on stdio.
const PROGRAM: &str = "mcp-tools";

/// How the names of the servers' records begin.
pub const RECORD_PREFIX: &str = "rondar-";

/// Calls that are read from a record. A journey makes two to four.
const MAX_LINES: usize = 1000;

/// No tool server was found.
#[derive(Debug, thiserror::Error)]
#[error(
    "the tool server {PROGRAM} is neither next to {next_to} nor on PATH; \
     build it (cargo build -p mcp-tools) or name it with --tool-server"
)]
pub struct NotFound {
    next_to: String,
}

/// The tool server program: next to this one, or on PATH.
///
/// # Errors
/// [`NotFound`].
pub fn find() -> Result<PathBuf, NotFound> {
    let own = env::current_exe().unwrap_or_default();
    let folders = own.parent().map(Path::to_owned).into_iter();
    let on_path = env::var_os("PATH").unwrap_or_default();
    let folders = folders.chain(env::split_paths(&on_path));
    folders
        .map(|folder| folder.join(PROGRAM))
        .find(|program| program.is_file())
        .and_then(|program| program.canonicalize().ok())
        .ok_or_else(|| NotFound {
            next_to: own.display().to_string(),
        })
}

/// The entry for `mcpServers`.
#[must_use]
pub fn entry(program: &Path, record: &Path) -> Value {
    let args = [OsStr::new("--record"), record.as_os_str()].map(OsStr::to_string_lossy);
    json!({"name": "rondar", "command": program.to_string_lossy(), "args": args, "env": []})
}

/// Reads the record. No file means that no server was started.
#[must_use]
pub fn read_record(record: &Path) -> ToolServerLog {
    let mut log = ToolServerLog::default();
    let file = match File::open(record) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return log,
        Err(error) => {
            log.fault = Some(error.to_string());
            return log;
        }
    };
    let mut reader = BufReader::new(file);
    loop {
        match read_line(&mut reader) {
            Ok(None) => break,
            Ok(Some(_)) if log.lines.len() >= MAX_LINES => {
                log.fault = Some(format!("more than {MAX_LINES} lines; the rest is left out"));
                break;
            }
            Ok(Some(Line::Text { text, .. })) => match serde_json::from_str(&text) {
                Ok(line) => log.lines.push(line),
                Err(error) => log.fault = Some(format!("a line is not JSON: {error}")),
            },
            Ok(Some(_)) => log.fault = Some("a line is too long or not UTF-8".to_owned()),
            Err(error) => {
                log.fault = Some(error.to_string());
                break;
            }
        }
    }
    log
}
