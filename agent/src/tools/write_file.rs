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
    headline,
    job::{self, Job},
    outcome::shown,
    over_client::{self, Text},
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
        let (path, content) = read(arguments)?;
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
        let expected = seen
            .as_ref()
            .filter(|_| located.inside)
            .and_then(|seen| over_client::on_disk(seen, &located).ok());
        let (here, text) = (located.clone(), content.clone());
        let local = job::changing(move || write(&here, seen, &text));
        Ok(prepared(
            path,
            located,
            scope,
            content,
            (shown, expected),
            local,
        ))
    }

    fn changes(&self, arguments: &Value, scope: &Scope) -> Option<Located> {
        let (path, _) = read(arguments).ok()?;
        scope.roots.locate(path.as_ref()).ok()
    }

    fn prepare_over(
        &self,
        arguments: &Value,
        scope: &Scope,
        text: Option<String>,
    ) -> Result<Prepared, ToolError> {
        let (path, content) = read(arguments)?;
        let located = scope.roots.locate(path.as_ref())?;
        let shown = diff_of(&located, text.clone(), &content);
        // A client that gave a text writes as well, or the turn would not have asked for it.
        let local = job::changing(|| Ok(ToolOutcome::failed("the client writes no files")));
        Ok(prepared(
            path,
            located,
            scope,
            content,
            (shown, Some(text)),
            local,
        ))
    }
}

/// The path and the content.
fn read(arguments: &Value) -> Result<(&str, String), ToolError> {
    let mut arguments = Arguments::new(NAME, arguments)?;
    let path = arguments.path("path")?;
    let content = arguments.text("content")?.to_owned();
    arguments.finish()?;
    Ok((path, content))
}

/// The call, from what is shown of it and what is expected to be there.
fn prepared(
    path: &str,
    located: Located,
    scope: &Scope,
    content: String,
    (shown, expected): (Vec<acp::ToolCallContent>, Option<Text>),
    local: Job,
) -> Prepared {
    let place = located.shown.display().to_string();
    let change = move |before: Text| {
        let told = told(&place, before.is_none(), &content);
        Ok((content, told))
    };
    Prepared {
        title: format!("Write {}", headline(path, 200)),
        kind: acp::ToolKind::Edit,
        effect: Effect::editing(&located),
        locations: vec![acp::ToolCallLocation::new(&located.shown)],
        content: shown,
        grant: format!("{NAME}: {}", located.path.display()),
        session: None,
        job: over_client::changing(located, scope.roots.clone(), expected, change, local),
    }
}

fn write(located: &Located, seen: Option<Before>, content: &str) -> Result<ToolOutcome, ToolError> {
    let seen = match seen {
        Some(seen) => seen,
        None => before(&located.path)?,
    };
    replace(located, seen.stamp(), content.as_bytes())?;
    let place = located.shown.display().to_string();
    let told = told(&place, seen == Before::Absent, content);
    Ok(ToolOutcome::announced(told))
}

fn told(place: &str, is_new: bool, content: &str) -> String {
    let done = if is_new { "created" } else { "replaced" };
    format!("{done} {place} ({} bytes)", content.len())
}

/// The change as a diff, or as a sentence where the old content cannot be shown.
pub(crate) fn diff(located: &Located, seen: &Before, after: &str) -> Vec<acp::ToolCallContent> {
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
    diff_of(located, old, after)
}

/// The change between two texts.
pub(crate) fn diff_of(located: &Located, old: Text, after: &str) -> Vec<acp::ToolCallContent> {
    if after.len() as u64 > EDIT_LIMIT {
        return shown("The new content is too large to be shown.");
    }
    let diff = acp::Diff::new(&located.shown, after);
    vec![diff.old_text(old).into()]
}
