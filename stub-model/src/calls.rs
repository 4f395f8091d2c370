//! Turns an action into the call of a tool that is on offer.
//!
//! Apart from reading, because it depends on the tools of the moment: a file is written with the
//! tool for it, or with a shell command where there is none.

use serde_json::{Map, Value, json};

use crate::arguments::{self, Slot, fill, find_any};
use crate::conversation::{Conversation, ToolSpec};
use crate::instruction::{Action, Content, Given, Lines, Via};
use crate::text::shape::shell_quoted;

/// What earlier steps have given, for later ones to use.
#[derive(Debug, Default, Clone)]
pub(crate) struct Known {
    /// The output of the latest step that read something.
    pub(crate) output: Option<String>,
    /// The id of the latest plan.
    pub(crate) plan_id: Option<String>,
}

/// A call that can be made: the tool's name and its arguments.
pub(crate) type Call = (String, Map<String, Value>);

const SHELL: &[&str] = &[
    "shell",
    "bash",
    "run_command",
    "execute_command",
    "run_shell_command",
    "terminal",
    "exec",
    "execute",
    "shell_command",
    "sh",
];
const READ: &[&str] = &[
    "read_file",
    "read",
    "read_text_file",
    "view_file",
    "open_file",
    "cat_file",
];
const WRITE: &[&str] = &["write_file", "write", "create_file", "write_text_file"];
const EDIT: &[&str] = &["edit_file", "edit", "str_replace", "replace_in_file"];
const LIST: &[&str] = &["list_directory", "list_dir", "list_files", "ls"];
const SEARCH: &[&str] = &["search", "grep", "search_files", "find_in_files"];

/// The call for an action, or a sentence that says why there is none.
pub(crate) fn call_for(
    action: &Action,
    conversation: &Conversation<'_>,
    known: &Known,
) -> Result<Call, String> {
    let tools = conversation.tools;
    match action {
        Action::Shell { command, timeout } => shell(tools, command, *timeout),
        Action::Read { path, via, lines } => read(tools, path, *via, *lines),
        Action::Write { .. } => write(tools, action, known),
        Action::Edit { .. } => edit(tools, action),
        Action::Folder { path } => shell(tools, &format!("mkdir -p {}", shell_quoted(path)), None),
        Action::Delete { path } => shell(tools, &format!("rm -r {}", shell_quoted(path)), None),
        Action::Move { from, to } => two_paths(tools, "mv", from, to),
        Action::Copy { from, to } => two_paths(tools, "cp -r", from, to),
        Action::List { path } => match find_any(tools, LIST) {
            Some(tool) => Ok(with(tool, &[(arguments::PATH, json!(path))])),
            None => shell(tools, &format!("ls -la {}", shell_quoted(path)), None),
        },
        Action::Search { pattern, path } => search(tools, pattern, path.as_deref()),
        Action::CreatePlan { title, description } => create_plan(tools, title, description, known),
        Action::GetPlan { id } => get_plan(tools, id.as_ref(), known),
        Action::Call { tool, given } => {
            let tool = arguments::find_tool(tools, tool).ok_or_else(|| missing(tool, tools))?;
            let filled = match given {
                Given::Json(map) => map.clone(),
                Given::Words { named, bare } => {
                    arguments::fill_words(&tool.input_schema, named, bare)
                }
            };
            Ok((tool.name.clone(), filled))
        }
        Action::SwitchMode { mode } => switch_mode(conversation, mode.as_deref()),
    }
}

fn read(tools: &[ToolSpec], path: &str, via: Via, lines: Option<Lines>) -> Result<Call, String> {
    let by_shell = via == Via::Shell && shell_tool(tools).is_some();
    let Some(tool) = find_any(tools, READ).filter(|_| !by_shell) else {
        return shell(tools, &format!("cat {}", shell_quoted(path)), None);
    };
    let mut values = vec![(arguments::PATH, json!(path))];
    if let Some(lines) = lines {
        values.push((arguments::FIRST_LINE, json!(lines.first)));
        let count = lines
            .count
            .map(|count| (arguments::LINE_COUNT, json!(count)));
        values.extend(count);
    }
    Ok(with(tool, &values))
}

fn write(tools: &[ToolSpec], action: &Action, known: &Known) -> Result<Call, String> {
    let Action::Write {
        path,
        content,
        via,
        append,
    } = action
    else {
        return Err(none("write files", tools));
    };
    let text = content_text(content, known)?;
    let by_shell = *append || *via == Via::Shell && shell_tool(tools).is_some();
    let Some(tool) = find_any(tools, WRITE).filter(|_| !by_shell) else {
        return shell(tools, &write_command(path, &text, *append), None);
    };
    let values = [
        (arguments::PATH, json!(path)),
        (arguments::CONTENT, json!(text)),
    ];
    Ok(with(tool, &values))
}

fn edit(tools: &[ToolSpec], action: &Action) -> Result<Call, String> {
    let tool = find_any(tools, EDIT).ok_or_else(|| none("edit files", tools))?;
    let Action::Edit {
        path,
        old,
        new,
        all,
    } = action
    else {
        return Err(none("edit files", tools));
    };
    let mut values = vec![
        (arguments::PATH, json!(path)),
        (arguments::OLD, json!(old)),
        (arguments::NEW, json!(new)),
    ];
    if *all {
        values.push((arguments::ALL, json!(true)));
    }
    Ok(with(tool, &values))
}

/// `mv a b` and the like.
fn two_paths(tools: &[ToolSpec], program: &str, from: &str, to: &str) -> Result<Call, String> {
    let (from, to) = (shell_quoted(from), shell_quoted(to));
    shell(tools, &format!("{program} {from} {to}"), None)
}

fn create_plan(
    tools: &[ToolSpec],
    title: &str,
    description: &Content,
    known: &Known,
) -> Result<Call, String> {
    let tool = find_any(tools, &["create_plan"]).ok_or_else(|| missing("create_plan", tools))?;
    let text = content_text(description, known)?;
    let values = [
        (arguments::TITLE, json!(title)),
        (arguments::DESCRIPTION, json!(text)),
    ];
    Ok(with(tool, &values))
}

fn get_plan(tools: &[ToolSpec], id: Option<&String>, known: &Known) -> Result<Call, String> {
    let tool = find_any(tools, &["get_plan"]).ok_or_else(|| missing("get_plan", tools))?;
    let id = id
        .or(known.plan_id.as_ref())
        .ok_or("I know of no plan to read back: there is no id of one.")?;
    Ok(with(tool, &[(arguments::ID, json!(id))]))
}

fn with(tool: &ToolSpec, values: &[(Slot, Value)]) -> Call {
    (tool.name.clone(), fill(&tool.input_schema, values))
}

/// The shell, by its name, or as the tool that takes a command.
fn shell_tool(tools: &[ToolSpec]) -> Option<&ToolSpec> {
    find_any(tools, SHELL).or_else(|| {
        tools.iter().find(|tool| {
            let properties = tool.input_schema.get("properties");
            properties.is_some_and(|all| all.get("command").is_some() || all.get("cmd").is_some())
        })
    })
}

fn shell(tools: &[ToolSpec], command: &str, timeout: Option<u64>) -> Result<Call, String> {
    let tool = shell_tool(tools).ok_or_else(|| none("run commands", tools))?;
    let mut values = vec![(arguments::COMMAND, json!(command))];
    values.extend(timeout.map(|seconds| (arguments::TIMEOUT, json!(seconds))));
    Ok(with(tool, &values))
}

/// A command that writes a file, with the folder for it.
fn write_command(path: &str, text: &str, append: bool) -> String {
    let target = shell_quoted(path);
    let folder = path
        .rsplit_once('/')
        .map(|(folder, _)| folder)
        .filter(|folder| !matches!(*folder, "" | "." | ".." | "~" | "/tmp"));
    let folder = folder.map_or(String::new(), |folder| {
        format!("mkdir -p {} && ", shell_quoted(folder))
    });
    match (text, append) {
        ("", _) => format!("{folder}touch {target}"),
        (text, append) => {
            let sign = if append { ">>" } else { ">" };
            format!(
                "{folder}printf '%s\\n' {} {sign} {target}",
                shell_quoted_text(text)
            )
        }
    }
}

/// Text is never to be expanded, whatever it looks like.
fn shell_quoted_text(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_./:@%,+=-".contains(c);
    if !text.is_empty() && !text.starts_with('-') && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

fn search(tools: &[ToolSpec], pattern: &str, path: Option<&str>) -> Result<Call, String> {
    match find_any(tools, SEARCH) {
        Some(tool) => {
            let mut values = vec![(arguments::PATTERN, json!(pattern))];
            values.extend(path.map(|path| (arguments::PATH, json!(path))));
            Ok(with(tool, &values))
        }
        None => shell(
            tools,
            &format!(
                "grep -rn -e {} {}",
                shell_quoted_text(pattern),
                shell_quoted(path.unwrap_or("."))
            ),
            None,
        ),
    }
}

fn switch_mode(conversation: &Conversation<'_>, mode: Option<&str>) -> Result<Call, String> {
    let tool = find_any(
        conversation.tools,
        &["switch_mode", "set_mode", "exit_plan_mode"],
    );
    let tool = tool.ok_or("I have no tool to change the mode with.")?;
    let choices = arguments::choices(&tool.input_schema, arguments::MODE);
    let chosen = match mode {
        Some(wanted) => {
            let bare = arguments::bare_name(wanted);
            let fits = |choice: &&String| {
                arguments::bare_name(choice) == bare
                    || arguments::bare_name(choice).starts_with(&bare)
            };
            choices
                .iter()
                .find(fits)
                .cloned()
                .or_else(|| choices.is_empty().then(|| wanted.to_owned()))
        }
        None => {
            let usual = choices
                .iter()
                .find(|choice| *choice == "default")
                .or_else(|| choices.iter().find(|choice| *choice != conversation.mode));
            Some(usual.map_or_else(|| "default".to_owned(), String::clone))
        }
    };
    let chosen = chosen.ok_or_else(|| {
        format!(
            "There is no mode {}; the modes are {}.",
            mode.unwrap_or(""),
            choices.join(", ")
        )
    })?;
    Ok(with(tool, &[(arguments::MODE, json!(chosen))]))
}

fn content_text(content: &Content, known: &Known) -> Result<String, String> {
    match content {
        Content::Literal(text) => Ok(text.clone()),
        Content::Output => known.output.clone().ok_or_else(|| {
            "There is no output to put in, since the step before gave none.".to_owned()
        }),
        Content::PlanId => known
            .plan_id
            .clone()
            .ok_or_else(|| "There is no plan id to put in.".to_owned()),
    }
}

fn none(what: &str, tools: &[ToolSpec]) -> String {
    format!(
        "I cannot {what}: no tool for it is offered. {}",
        offered(tools)
    )
}

fn missing(name: &str, tools: &[ToolSpec]) -> String {
    format!("There is no such tool as {name}. {}", offered(tools))
}

/// A sentence that names the tools.
pub(crate) fn offered(tools: &[ToolSpec]) -> String {
    if tools.is_empty() {
        return "No tools are offered.".to_owned();
    }
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    format!("The tools on offer are {}.", names.join(", "))
}
