//! `edit_file`: one passage of a file, replaced.
//!
//! Must stay true: the passage is found exactly, and exactly once unless all are meant. A guess
//! where a model's text "nearly" matches would edit the wrong place sooner or later.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/tool-calls#diffs>

use serde_json::{Value, json};
use stub_model::ToolSpec;

use super::{
    Effect, Prepared, Scope, Tool, ToolError, ToolOutcome,
    arguments::{Arguments, argument},
    headline, job,
    replace::{Before, EDIT_LIMIT, Stamp, before, replace},
    write_file::diff,
};
use crate::{acp, roots::Located};

const NAME: &str = "edit_file";

/// The tool.
pub struct EditFile {
    spec: ToolSpec,
}

/// What is asked for.
struct Edit {
    old_text: String,
    new_text: String,
    replace_all: bool,
}

/// An edit that fits the file as it is.
struct Change {
    seen: Before,
    after: String,
    /// The line of the first change, counted from 1.
    line: u32,
    count: usize,
}

impl EditFile {
    /// The tool.
    #[must_use]
    pub fn new() -> Self {
        let spec = super::spec(
            NAME,
            "Replaces a passage of a text file. The old text must be in the file exactly as given, \
             and once only unless replace_all is set.",
            json!({
                "path": {
                    "type": "string",
                    "description": "The file, absolute or relative to the working directory"
                },
                "old_text": {
                    "type": "string",
                    "description": "The passage to replace, character for character"
                },
                "new_text": {
                    "type": "string",
                    "description": "What to put in its place"
                },
                "replace_all": {
                    "type": "boolean",
                    "description": "Replace every occurrence instead of the only one"
                },
            }),
            &["path", "old_text", "new_text"],
        );
        Self { spec }
    }
}

impl Default for EditFile {
    fn default() -> Self {
        Self::new()
    }
}

impl Tool for EditFile {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn prepare(&self, arguments: &Value, scope: &Scope) -> Result<Prepared, ToolError> {
        let mut arguments = Arguments::new(NAME, arguments)?;
        let path = arguments.path("path")?;
        let edit = Edit {
            old_text: arguments.text("old_text")?.to_owned(),
            new_text: arguments.text("new_text")?.to_owned(),
            replace_all: arguments.flag("replace_all")?,
        };
        arguments.finish()?;
        edit.check()?;
        let located = scope.roots.locate(path.as_ref())?;
        let mut location = acp::ToolCallLocation::new(&located.shown);
        // A file outside is not read before the call is allowed: "found" or "not found" would
        // already tell what is in it. The user sees the passage instead of the whole file.
        let (content, seen) = if located.inside {
            let change = edit.apply(&located)?;
            location = location.line(change.line);
            let content = diff(&located, &change.seen, &change.after);
            (content, change.seen.stamp().cloned())
        } else {
            let passage =
                acp::Diff::new(&located.shown, &edit.new_text).old_text(edit.old_text.clone());
            (vec![passage.into()], None)
        };
        Ok(Prepared {
            title: format!("Edit {}", headline(path, 200)),
            kind: acp::ToolKind::Edit,
            effect: Effect::editing(&located),
            locations: vec![location],
            content,
            grant: format!("{NAME}: {}", located.path.display()),
            session: None,
            job: job::changing(move || run(&located, &edit, seen.as_ref())),
        })
    }
}

/// Makes the edit. `shown` is the file that the user saw the diff of.
fn run(located: &Located, edit: &Edit, shown: Option<&Stamp>) -> Result<ToolOutcome, ToolError> {
    let change = edit.apply(located)?;
    let stamp = change.seen.stamp();
    if shown.is_some() && shown != stamp {
        return Err(ToolError::Changed(located.path.clone()));
    }
    replace(located, stamp, change.after.as_bytes())?;
    let place = located.shown.display();
    let text = match change.count {
        1 => format!("replaced 1 passage of {place}, in line {}", change.line),
        count => format!(
            "replaced {count} passages of {place}, from line {} on",
            change.line
        ),
    };
    Ok(ToolOutcome::announced(text))
}

impl Edit {
    fn check(&self) -> Result<(), ToolError> {
        if self.old_text.is_empty() {
            let problem = "must not be empty; use write_file for new files";
            return Err(argument(NAME, "old_text", problem));
        }
        if self.old_text == self.new_text {
            return Err(argument(NAME, "new_text", "is the same as `old_text`"));
        }
        Ok(())
    }

    /// Finds the passage in the file.
    fn apply(&self, located: &Located) -> Result<Change, ToolError> {
        let path = || located.shown.clone();
        let seen = before(&located.path)?;
        let content = match &seen {
            Before::Absent => return Err(ToolError::Missing(path())),
            Before::File {
                content: None,
                stamp,
            } => {
                return Err(ToolError::TooLarge {
                    path: path(),
                    size: stamp.size(),
                    limit: EDIT_LIMIT,
                });
            }
            Before::File {
                content: Some(content),
                ..
            } => content,
        };
        let text = std::str::from_utf8(content).map_err(|_| ToolError::NotText(path()))?;
        let no_match = |problem: String| ToolError::Match {
            path: path(),
            problem,
        };
        let count = text.matches(&self.old_text).count();
        let first = text.find(&self.old_text).ok_or_else(|| {
            no_match(
                "the old text is not in the file; read it and repeat the passage exactly".into(),
            )
        })?;
        if count > 1 && !self.replace_all {
            return Err(no_match(format!(
                "the old text is in the file {count} times; give more of its surroundings, \
                 or set replace_all"
            )));
        }
        let lines_above = text[..first].matches('\n').count();
        Ok(Change {
            after: text.replace(&self.old_text, &self.new_text),
            line: u32::try_from(lines_above).unwrap_or(u32::MAX - 1) + 1,
            count,
            seen,
        })
    }
}
