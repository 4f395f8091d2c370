//! Plans that are saved with the client's tools: `create_plan` and `get_plan`.
//!
//! Apart from the other tools, because title and description are told in so many ways: in the
//! same clause, in a list, in sentences before or after.

use super::Reader;
use super::context::is_read;
use super::plan_fields::{DESCRIPTION, TITLE, field_end, fields, is_field};
use crate::arguments;
use crate::instruction::{Action, Content, Given, Via};
use crate::text::shape::{is_command, is_marker};
use crate::text::{Kind, Range};

const SAVE: &str = "save create store record make submit register file draft write add put \
    persist set use call invoke post open prepare build produce generate";

const LOAD: &str = "read get fetch load retrieve look view pull query verify check show \
    reload recall use call invoke open request ask confirm bring take";

/// Reads a clause about a plan to save, one to read back, or one of their fields.
pub(super) fn read(reader: &mut Reader<'_>, start: usize) -> Option<usize> {
    let words = reader.words;
    let clause = Range::new(start, words.clause_end(start));
    let gets = tool_place(reader, clause, "getplan");
    let creates = tool_place(reader, clause, "createplan");
    if gets.is_some_and(|gets| creates.is_none_or(|creates| gets < creates))
        || loads(reader, clause)
    {
        get(reader, clause);
        return Some(clause.to);
    }
    if creates.is_some() || saves(reader, clause) {
        return Some(create(reader, clause));
    }
    if is_field(reader, start) {
        let range = Range::new(start, field_end(reader, start));
        embedded_read(reader, range);
        fields(reader, range);
        return Some(range.to);
    }
    None
}

/// Whether the range names a plan tool.
pub(super) fn names_tool(reader: &Reader<'_>, range: Range, tool: &str) -> bool {
    tool_place(reader, range, tool).is_some()
}

/// Where the range names a plan tool.
fn tool_place(reader: &Reader<'_>, range: Range, tool: &str) -> Option<usize> {
    range.near().find(|at| {
        let inner = reader.words.inner(*at);
        inner.len() < 80 && arguments::bare_name(&inner).ends_with(tool)
    })
}

/// `Save a plan titled …`: a verb, a plan, and something that says it is the client's.
fn saves(reader: &Reader<'_>, clause: Range) -> bool {
    let words = reader.words;
    let object = Range::new(clause.from + 1, clause.to);
    if !words.verb_is(clause.from, SAVE) || !words.has(object, "plan") || words.has(clause, "mode")
    {
        return false;
    }
    let offered = arguments::find_tool(reader.tools, "create_plan").is_some();
    let sentence = Range::new(clause.from, field_end(reader, clause.to.saturating_sub(1)));
    let has_fields = words.has(sentence, TITLE)
        || words.has(sentence, DESCRIPTION)
        || ["plan called", "plan named", "new plan"]
            .iter()
            .any(|phrase| words.has_phrase(clause, phrase))
        || reader.title.is_some();
    let stored = words.verb_is(
        clause.from,
        "save store record submit register file persist post",
    );
    offered && (has_fields || stored || words.has(clause, "tool"))
}

/// `Read it back`, `fetch the plan again`, `look up that plan by its id`.
fn loads(reader: &Reader<'_>, clause: Range) -> bool {
    let words = reader.words;
    if !words.verb_is(clause.from, LOAD)
        || arguments::find_tool(reader.tools, "get_plan").is_none()
        || words.has(clause, "mode")
    {
        return false;
    }
    let created = reader
        .request
        .actions
        .iter()
        .any(|action| matches!(action, Action::CreatePlan { .. }));
    let plan = words.has(clause, "plan")
        && reader.path_in(clause).is_none()
        && !words.has(clause, TITLE)
        && !words.has(clause, "called named create save");
    let back = words.has(clause, "back again up") && words.has(clause, "it that this them");
    let only_shown = words.verb_is(clause.from, "show check confirm use call ask take")
        && !words.has(clause, "back again saved stored");
    (plan && !only_shown && !words.has(clause, "id identifier")
        || plan
            && words.verb_is(clause.from, "read fetch load retrieve look get")
            && words.has(clause, "back by with using again")
        || created && back)
        && reader.path_in(clause).is_none()
}

/// Adds the reading of a plan; its id is the one named, or that of the plan just saved.
fn get(reader: &mut Reader<'_>, clause: Range) {
    let words = reader.words;
    let id = (clause.from..clause.to).find(|at| {
        let labelled = words.is(at.saturating_sub(1), "id plan identifier number = is")
            || matches!(words.kind(at.saturating_sub(1)), Kind::Mark(':' | '='));
        let literal = words.is_quoted(*at) || is_marker(&words.inner(*at));
        literal
            && labelled
            && !words.is(*at, "id ids uuid")
            && !arguments::bare_name(&words.inner(*at)).contains("getplan")
    });
    let id = id.map(|at| words.inner(at).into_owned());
    // `With get_plan, load it again` names one reading twice.
    let again = Action::GetPlan { id: id.clone() };
    if reader.request.actions.last() == Some(&again) {
        return;
    }
    reader.act(Action::GetPlan { id });
}

/// Reads the saving of a plan with the fields that follow it.
fn create(reader: &mut Reader<'_>, clause: Range) -> usize {
    let mut end = clause.to;
    while is_field(reader, reader.words.skip_fillers(end)) {
        end = field_end(reader, reader.words.skip_fillers(end));
    }
    let range = Range::new(clause.from, end);
    embedded_read(reader, range);
    let title = reader.title.take();
    let description = reader.description.take();
    reader.act(Action::CreatePlan {
        title: title.unwrap_or_default(),
        description: description.unwrap_or(Content::Literal(String::new())),
    });
    fields(reader, range);
    end
}

/// Saves a plan whose fields are all given as JSON. A placeholder stands for what was read.
pub(super) fn create_by_json(
    reader: &mut Reader<'_>,
    clause: Range,
    tool: String,
    map: serde_json::Map<String, serde_json::Value>,
) {
    let text = |name: &str| map.get(name)?.as_str().map(str::to_owned);
    let (Some(title), Some(description), 2) = (text("title"), text("description"), map.len())
    else {
        return reader.act(Action::Call {
            tool,
            given: Given::Json(map),
        });
    };
    let description = if is_placeholder(&description) {
        embedded_read(reader, clause);
        Content::Output
    } else {
        Content::Literal(description)
    };
    reader.act(Action::CreatePlan { title, description });
}

/// `<the output of cat>`, `{{output}}`, `[contents]`, `OUTPUT`: a stand-in for what was read.
fn is_placeholder(text: &str) -> bool {
    const READ: [&str; 9] = [
        "output", "content", "result", "stdout", "printed", "cat", "text", "file", "read",
    ];
    let text = text.trim();
    let enclosed = [
        ("<", ">"),
        ("{{", "}}"),
        ("{", "}"),
        ("[", "]"),
        ("${", "}"),
        ("$", ""),
    ]
    .iter()
    .any(|(open, close)| text.starts_with(open) && text.ends_with(close));
    let capitals = text.chars().all(|c| c.is_uppercase() || "_ -".contains(c));
    let lower = text.to_ascii_lowercase();
    text.len() < 80 && (enclosed || capitals) && READ.iter().any(|word| lower.contains(word))
}

/// `the output of cat note.txt` within the clause is a step of its own.
fn embedded_read(reader: &mut Reader<'_>, range: Range) {
    let words = reader.words;
    for at in range.from..range.to {
        let inner = words.inner(at);
        let first = inner.split_whitespace().next().unwrap_or("");
        if matches!(words.kind(at), Kind::Code | Kind::Quoted)
            && is_command(first)
            && inner.contains(' ')
        {
            let known = reader.request.actions.iter().any(|action| matches!(action, Action::Shell { command, .. } if command.trim() == inner.trim()));
            if !known {
                reader.shell(inner.into_owned());
            }
            return;
        }
    }
    if let Some(cat) = words.position(range, "cat")
        && let Some((_, path)) = reader
            .path_in(Range::new(cat, range.to))
            .or_else(|| reader.path_in(range))
    {
        let read = reader.request.actions.iter().any(|action| matches!(action, Action::Read { path: known, via: Via::Shell, .. } if *known == path));
        if !read
            && !reader.request.actions.iter().any(
                |action| matches!(action, Action::Shell { command, .. } if command.contains(&path)),
            )
        {
            reader.paths.push(path.clone());
            reader.act(Action::Read {
                path,
                via: Via::Shell,
                lines: None,
            });
        }
    }
}

/// Fills what was left open: a plan without a description gets what was read before it.
pub(super) fn finish(reader: &mut Reader<'_>) {
    let reads = reader.request.actions.iter().any(is_read);
    // `Save a plan and tell me its ID`, followed by how: the first was only a summary.
    let is_titled =
        |action: &Action| matches!(action, Action::CreatePlan { title, .. } if !title.is_empty());
    if reader.request.actions.iter().any(is_titled) {
        let is_summary = |action: &Action| matches!(action, Action::CreatePlan { title, .. } if title.is_empty());
        reader.request.actions.retain(|action| !is_summary(action));
    }
    let (title, description) = (reader.title.take(), reader.description.take());
    for action in &mut reader.request.actions {
        if let Action::CreatePlan {
            title: known_title,
            description: known_description,
        } = action
        {
            if known_title.is_empty() {
                *known_title = title.clone().unwrap_or_else(|| "Plan".to_owned());
            }
            if *known_description == Content::Literal(String::new()) {
                *known_description = match (&description, reads) {
                    (Some(description), _) => description.clone(),
                    (None, true) => Content::Output,
                    (None, false) => Content::Literal(known_title.clone()),
                };
            }
        }
    }
}
