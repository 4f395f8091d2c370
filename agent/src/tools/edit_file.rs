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
    headline,
    job::{self, Job},
    over_client::{self, Text},
    replace::{Before, EDIT_LIMIT, Stamp, before, replace},
    write_file::{diff, diff_of},
};
use crate::{acp, roots::Located};

const NAME: &str = "edit_file";

/// The tool.
pub struct EditFile {
    spec: ToolSpec,
}

/// What is asked for.
#[derive(Clone)]
struct Edit {
    old_text: String,
    new_text: String,
    replace_all: bool,
}

/// An edit that fits the file as it is.
struct Change {
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
        let (path, edit) = Edit::read(arguments)?;
        let located = scope.roots.locate(path.as_ref())?;
        // A file outside is not read before the call is allowed: "found" or "not found" would
        // already tell what is in it. The user sees the passage instead of the whole file.
        let mut line = None;
        let mut expected = None;
        let (content, seen) = if located.inside {
            let seen = before(&located.path)?;
            let change = edit.apply(&seen, &located)?;
            line = Some(change.line);
            let content = diff(&located, &seen, &change.after);
            expected = over_client::on_disk(&seen, &located).ok();
            (content, seen.stamp().cloned())
        } else {
            let passage =
                acp::Diff::new(&located.shown, &edit.new_text).old_text(edit.old_text.clone());
            (vec![passage.into()], None)
        };
        let (here, same) = (located.clone(), edit.clone());
        let local = job::changing(move || run(&here, &same, seen.as_ref()));
        let shown = Shown {
            content,
            line,
            expected,
        };
        Ok(edit.prepared(path, located, scope, shown, local))
    }

    fn changes(&self, arguments: &Value, scope: &Scope) -> Option<Located> {
        let (path, _) = Edit::read(arguments).ok()?;
        scope.roots.locate(path.as_ref()).ok()
    }

    fn prepare_over(
        &self,
        arguments: &Value,
        scope: &Scope,
        text: Option<String>,
    ) -> Result<Prepared, ToolError> {
        let (path, edit) = Edit::read(arguments)?;
        let located = scope.roots.locate(path.as_ref())?;
        let Some(old) = text else {
            return Err(ToolError::Missing(located.shown));
        };
        let change = edit.apply_to(&old, &located)?;
        let shown = Shown {
            content: diff_of(&located, Some(old.clone()), &change.after),
            line: Some(change.line),
            expected: Some(Some(old)),
        };
        // A client that gave a text writes as well, or the turn would not have asked for it.
        let local = job::changing(|| Ok(ToolOutcome::failed("the client writes no files")));
        Ok(edit.prepared(path, located, scope, shown, local))
    }
}

/// What is shown of an edit before it is made.
struct Shown {
    content: Vec<acp::ToolCallContent>,
    line: Option<u32>,
    /// The text that the edit was shown of, if it was looked at.
    expected: Option<Text>,
}

/// Makes the edit. `shown` is the file that the user saw the diff of.
fn run(located: &Located, edit: &Edit, shown: Option<&Stamp>) -> Result<ToolOutcome, ToolError> {
    let seen = before(&located.path)?;
    let change = edit.apply(&seen, located)?;
    let stamp = seen.stamp();
    if shown.is_some() && shown != stamp {
        return Err(ToolError::Changed(located.path.clone()));
    }
    replace(located, stamp, change.after.as_bytes())?;
    Ok(ToolOutcome::announced(change.told(located)))
}

impl Change {
    fn told(&self, located: &Located) -> String {
        let (place, line) = (located.shown.display(), self.line);
        match self.count {
            1 => format!("replaced 1 passage of {place}, in line {line}"),
            count => format!("replaced {count} passages of {place}, from line {line} on"),
        }
    }
}

impl Edit {
    /// The path and the edit.
    fn read(arguments: &Value) -> Result<(&str, Self), ToolError> {
        let mut arguments = Arguments::new(NAME, arguments)?;
        let path = arguments.path("path")?;
        let edit = Self {
            old_text: arguments.text("old_text")?.to_owned(),
            new_text: arguments.text("new_text")?.to_owned(),
            replace_all: arguments.flag("replace_all")?,
        };
        arguments.finish()?;
        edit.check()?;
        Ok((path, edit))
    }

    /// The call. `local` makes the edit on the disk.
    fn prepared(
        self,
        path: &str,
        located: Located,
        scope: &Scope,
        shown: Shown,
        local: Job,
    ) -> Prepared {
        let here = located.clone();
        let change = move |now: Text| {
            let old = now.ok_or_else(|| ToolError::Missing(here.shown.clone()))?;
            let change = self.apply_to(&old, &here)?;
            let told = change.told(&here);
            Ok((change.after, told))
        };
        let location = acp::ToolCallLocation::new(&located.shown).line(shown.line);
        Prepared {
            title: format!("Edit {}", headline(path, 200)),
            kind: acp::ToolKind::Edit,
            effect: Effect::editing(&located),
            locations: vec![location],
            content: shown.content,
            grant: format!("{NAME}: {}", located.path.display()),
            session: None,
            job: over_client::changing(located, scope.roots.clone(), shown.expected, change, local),
        }
    }

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
    fn apply(&self, seen: &Before, located: &Located) -> Result<Change, ToolError> {
        let path = || located.shown.clone();
        let content = match seen {
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
        self.apply_to(text, located)
    }

    /// Finds the passage in a text.
    fn apply_to(&self, text: &str, located: &Located) -> Result<Change, ToolError> {
        let no_match = |problem: String| ToolError::Match {
            path: located.shown.clone(),
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
        })
    }
}
