//! `read_file`: lines of a text file.
//!
//! Must stay true: what comes back is bounded, and says how to read on where it was cut. Only
//! regular files are read; a FIFO or a device could block for ever.

use std::io::{BufRead, BufReader};

use serde_json::{Value, json};
use stub_model::ToolSpec;
use tokio_util::sync::CancellationToken;

use super::{
    Effect, Prepared, Scope, Tool, ToolError, ToolOutcome, anchor,
    arguments::Arguments,
    excerpt::{self, End, Excerpt, Wanted},
    headline, job, over_client,
};
use crate::{acp, roots::Located};

const NAME: &str = "read_file";

/// Lines in one answer, unless the model asks for fewer.
const MAX_LINES: u64 = 2_000;

/// Bytes in one answer: about a quarter of what a large context holds.
const MAX_BYTES: usize = 256 * 1024;

/// How much of a file is looked at for the NUL bytes that tell binary from text, in bytes.
const SNIFFED: usize = 64 * 1024;

/// The tool.
pub struct ReadFile {
    spec: ToolSpec,
}

impl ReadFile {
    /// The tool.
    #[must_use]
    pub fn new() -> Self {
        let spec = super::spec(
            NAME,
            "Reads a text file. Long files come in parts: the answer says with which line to go on.",
            json!({
                "path": {
                    "type": "string",
                    "description": "The file, absolute or relative to the working directory"
                },
                "line": {
                    "type": "integer",
                    "minimum": 1,
                    "description": "The first line to read, counted from 1"
                },
                "limit": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": MAX_LINES,
                    "description": "How many lines to read at most"
                },
            }),
            &["path"],
        );
        Self { spec }
    }
}

impl Default for ReadFile {
    fn default() -> Self {
        Self::new()
    }
}

impl Tool for ReadFile {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn prepare(&self, arguments: &Value, scope: &Scope) -> Result<Prepared, ToolError> {
        let mut arguments = Arguments::new(NAME, arguments)?;
        let path = arguments.path("path")?;
        let line = arguments.number("line", 1..=u64::from(u32::MAX))?;
        let limit = arguments.number("limit", 1..=MAX_LINES)?;
        arguments.finish()?;
        let located = scope.roots.locate(path.as_ref())?;
        let wanted = Wanted {
            first: line.unwrap_or(1),
            lines: limit.unwrap_or(MAX_LINES),
            most: MAX_BYTES,
        };
        let location = acp::ToolCallLocation::new(&located.shown)
            .line(line.and_then(|line| u32::try_from(line).ok()));
        Ok(Prepared {
            title: format!("Read {}", headline(path, 200)),
            kind: acp::ToolKind::Read,
            effect: Effect::reading(&located),
            locations: vec![location],
            content: Vec::new(),
            grant: format!("{NAME}: {}", located.path.display()),
            session: None,
            job: {
                let (here, roots) = (located.clone(), scope.roots.clone());
                let local = job::looking(move |cancel| read(&here, wanted, cancel));
                over_client::reading(located, roots, wanted, answer, local)
            },
        })
    }
}

fn read(
    located: &Located,
    wanted: Wanted,
    cancel: &CancellationToken,
) -> Result<ToolOutcome, ToolError> {
    let (file, found) = anchor::file(&located.path)?;
    let fail = |source| anchor::io_failure(&located.path, source);
    let mut reader = BufReader::with_capacity(SNIFFED, file);
    if reader.fill_buf().map_err(fail)?.contains(&0) {
        return Ok(ToolOutcome::failed(format!(
            "{}: is a binary file of {} bytes, not text",
            located.shown.display(),
            found.len()
        )));
    }
    let excerpt = excerpt::read(reader, wanted, cancel).map_err(fail)?;
    Ok(answer(excerpt, wanted))
}

/// The text for the model, with a note where there is more, or nothing.
fn answer(excerpt: Excerpt, wanted: Wanted) -> ToolOutcome {
    let Excerpt { text, last, end } = excerpt;
    match end {
        End::Cancelled => ToolOutcome::cancelled("cancelled"),
        End::File if last == 0 => ToolOutcome::completed("[the file is empty]"),
        End::File if last < wanted.first => ToolOutcome::failed(format!(
            "line {} is past the end: the file has {last} lines",
            wanted.first
        )),
        End::File => ToolOutcome::completed(text),
        End::Lines => ToolOutcome::completed(format!(
            "{text}\n[the file goes on; read it from line {}]",
            last + 1
        )),
        End::Bytes => ToolOutcome::completed(format!(
            "{text}\n[cut in line {last} after {MAX_BYTES} bytes; the file goes on]"
        )),
    }
}
