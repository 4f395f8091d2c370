//! `write_file`: a whole file, new or replaced.
//!
//! Must stay true: the diff that the user is shown is the change that is made; see
//! `replace.rs` for how.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/tool-calls#diffs>

use serde_json::{Value, json};
use stub_model::ToolSpec;

use super::{
    Effect, Prepared, Scope, Tool, ToolError, ToolOutcome,
    arguments::Arguments,
    headline, job,
    outcome::shown,
    replace::{Before, EDIT_LIMIT, before, replace},
};
use crate::{acp, roots::Located};

const NAME: &str = "write_file";

/// The tool.
pub struct WriteFile {
    spec: ToolSpec,
}

impl WriteFile {
    /// The tool.
    #[must_use]
    pub fn new() -> Self {
        let spec = super::spec(
            NAME,
            "Writes a text file, new or in place of an old one. Missing folders are created.",
            json!({
                "path": {
                    "type": "string",
                    "description": "The file, absolute or relative to the working directory"
                },
                "content": {
                    "type": "string",
                    "description": "The whole content of the file"
                },
            }),
            &["path", "content"],
        );
        Self { spec }
    }
}

impl Default for WriteFile {
    fn default() -> Self {
        Self::new()
    }
}

impl Tool for WriteFile {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn prepare(&self, arguments: &Value, scope: &Scope) -> Result<Prepared, ToolError> {
        let mut arguments = Arguments::new(NAME, arguments)?;
        let path = arguments.path("path")?;
        let content = arguments.text("content")?.to_owned();
        arguments.finish()?;
        let located = scope.roots.locate(path.as_ref())?;
        // Outside, what is wrong with the target is told only when the call was allowed: before,
        // an error would say what is there.
        let seen = match before(&located.path) {
            Err(error) if located.inside => return Err(error),
            seen => seen.ok(),
        };
        let shown = seen
            .as_ref()
            .map_or_else(Vec::new, |seen| diff(&located, seen, &content));
        Ok(Prepared {
            title: format!("Write {}", headline(path, 200)),
            kind: acp::ToolKind::Edit,
            effect: Effect::editing(&located),
            locations: vec![acp::ToolCallLocation::new(&located.shown)],
            content: shown,
            grant: format!("{NAME}: {}", located.path.display()),
            session: None,
            job: job::changing(move || write(&located, seen, &content)),
        })
    }
}

fn write(located: &Located, seen: Option<Before>, content: &str) -> Result<ToolOutcome, ToolError> {
    let seen = match seen {
        Some(seen) => seen,
        None => before(&located.path)?,
    };
    replace(located, seen.stamp(), content.as_bytes())?;
    let done = match seen {
        Before::Absent => "created",
        Before::File { .. } => "replaced",
    };
    let text = format!(
        "{done} {} ({} bytes)",
        located.shown.display(),
        content.len()
    );
    Ok(ToolOutcome::announced(text))
}

/// The change as a diff, or as a sentence where the old content cannot be shown.
pub(crate) fn diff(located: &Located, seen: &Before, after: &str) -> Vec<acp::ToolCallContent> {
    if after.len() as u64 > EDIT_LIMIT {
        return shown("The new content is too large to be shown.");
    }
    let diff = acp::Diff::new(&located.shown, after);
    let old = match seen {
        Before::Absent => None,
        Before::File { content: None, .. } => {
            return shown("The old content is too large to be shown.");
        }
        Before::File {
            content: Some(content),
            ..
        } => Some(String::from_utf8_lossy(content).into_owned()),
    };
    vec![diff.old_text(old).into()]
}
