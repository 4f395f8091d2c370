//! The tools that a model may call, one file each, and the contract that they fulfil.
//!
//! A call goes two steps. [`Tool::prepare`] checks the arguments and says what *would* happen: the
//! effect for the policy, and the title, the files and the diff for the client. It changes nothing.
//! Only when the call is allowed is its [`Job`] run. So what a user is asked and what then runs
//! are two parts of one value and cannot differ.
//!
//! Must stay true:
//!
//! - `prepare` has no side effect, and tells the model nothing from outside the roots.
//! - A job ends soon after its token is cancelled, and never before its processes are gone.
//! - What a job returns is bounded, whatever it met.
//!
//! To add a tool: its file, its line in [`built_in`], its name in [`NAMES`].
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/tool-calls>

pub(crate) mod anchor;
mod arguments;
pub mod ask_user;
pub mod edit_file;
pub mod effect;
pub mod error;
mod excerpt;
pub mod job;
pub mod list_directory;
pub mod outcome;
mod over_client;
pub mod read_file;
mod replace;
pub mod search;
pub mod shell;
pub mod switch_mode;
mod terminal;
pub mod update_plan;
pub mod write_file;

use std::{path::PathBuf, sync::Arc};

use serde_json::Value;
use stub_model::ToolSpec;

pub use effect::{Effect, SessionChange};
pub use error::ToolError;
pub use job::{Job, Progress, RunContext};
pub use outcome::ToolOutcome;
pub(crate) use over_client::text_of;

use crate::{
    acp,
    roots::{Located, Roots},
};

/// The names of the built-in tools. No tool of an MCP server is offered under one of them.
pub const NAMES: [&str; 9] = [
    "shell",
    "read_file",
    "write_file",
    "edit_file",
    "list_directory",
    "search",
    "update_plan",
    "switch_mode",
    "ask_user",
];

/// Where a call happens.
#[derive(Debug, Clone)]
pub struct Scope {
    /// The working directory of the session, as the client gave it. Commands start here.
    pub cwd: PathBuf,
    /// The working directory and the additional directories, resolved.
    pub roots: Roots,
}

/// Something that a model may call.
pub trait Tool: Send + Sync {
    /// How it is offered to the model.
    fn spec(&self) -> &ToolSpec;

    /// Checks a call and says what it will do. Nothing happens yet.
    ///
    /// # Errors
    /// The call cannot be done as it is asked for; the text tells the model why.
    fn prepare(&self, arguments: &Value, scope: &Scope) -> Result<Prepared, ToolError>;

    /// The file whose text a call would change. A client may have it open with changes that are
    /// not saved; then its text is fetched and handed to [`Tool::prepare_over`].
    fn changes(&self, _arguments: &Value, _scope: &Scope) -> Option<Located> {
        None
    }

    /// [`Tool::prepare`], over the text that the client has; `None` when there is no such file.
    ///
    /// # Errors
    /// As there.
    fn prepare_over(
        &self,
        arguments: &Value,
        scope: &Scope,
        _text: Option<String>,
    ) -> Result<Prepared, ToolError> {
        self.prepare(arguments, scope)
    }
}

/// What a call will do, known before anyone is asked and before anything runs.
pub struct Prepared {
    /// One line for people.
    pub title: String,
    /// How the client may picture it.
    pub kind: acp::ToolKind,
    /// What it would do, for the policy.
    pub effect: Effect,
    /// The files that it is about, absolute.
    pub locations: Vec<acp::ToolCallLocation>,
    /// What can be shown beforehand, for example the diff.
    pub content: Vec<acp::ToolCallContent>,
    /// What an "always" is remembered by: the tool and the thing, for example `shell: make test`.
    pub grant: String,
    /// What the session itself has to do when the call is allowed.
    pub session: Option<SessionChange>,
    /// The work.
    pub job: Job,
}

/// All built-in tools. `modes` are those that the session can be switched to.
#[must_use]
pub fn built_in(modes: &[acp::SessionMode]) -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(shell::Shell::new()),
        Arc::new(read_file::ReadFile::new()),
        Arc::new(write_file::WriteFile::new()),
        Arc::new(edit_file::EditFile::new()),
        Arc::new(list_directory::ListDirectory::new()),
        Arc::new(search::Search::new()),
        Arc::new(update_plan::UpdatePlan::new()),
        Arc::new(switch_mode::SwitchMode::new(modes)),
        Arc::new(ask_user::AskUser::new()),
    ]
}

/// The spec of a tool whose arguments are these properties; those in `required` must be there.
fn spec(name: &str, description: &str, properties: Value, required: &[&str]) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: description.to_owned(),
        input_schema: Arc::new(serde_json::json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        })),
    }
}

/// The start of a text, for titles.
pub(crate) fn headline(text: &str, most: usize) -> String {
    let mut line = text.trim().replace(['\n', '\r'], " ");
    if let Some((cut, _)) = line.char_indices().nth(most) {
        line.truncate(cut);
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_those_of_the_tools() {
        let tools = built_in(&[]);
        let names: Vec<_> = tools.iter().map(|tool| tool.spec().name.as_str()).collect();
        assert_eq!(names, NAMES);
    }

    #[test]
    fn every_tool_names_the_member_that_is_wrong() {
        let temp = tempfile::tempdir().unwrap();
        let scope = Scope {
            cwd: temp.path().to_owned(),
            roots: Roots::new(temp.path(), &[]).unwrap(),
        };
        for tool in built_in(&[acp::SessionMode::new("plan", "Plan")]) {
            let spec = tool.spec();
            let schema = &spec.input_schema;
            let error = |arguments: Value| match tool.prepare(&arguments, &scope) {
                Ok(_) => panic!("{}: {arguments} was accepted", spec.name),
                Err(error) => error.to_string(),
            };
            for required in schema["required"].as_array().unwrap() {
                let text = error(serde_json::json!({}));
                assert!(text.contains("is missing"), "{}: {text}", spec.name);
                let name = required.as_str().unwrap();
                let text = error(serde_json::json!({ name: {"wrong": "type"} }));
                assert!(text.contains(name) || text.contains("is missing"), "{text}");
            }
            for (name, property) in schema["properties"].as_object().unwrap() {
                assert!(property["description"].is_string(), "{}: {name}", spec.name);
            }
            let text = error(serde_json::json!({ "surplus": 1 }));
            assert!(
                text.contains("surplus") || text.contains("is missing"),
                "{text}"
            );
            let text = error(serde_json::json!([1]));
            assert!(text.contains("must be an object"), "{text}");
        }
    }

    #[test]
    fn a_headline_is_one_short_line() {
        assert_eq!(headline(" a\nb ", 10), "a b");
        assert_eq!(headline("ééééé", 3), "ééé…");
    }
}
