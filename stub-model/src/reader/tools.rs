//! `Call the tool X with …`: tools by their name.
//!
//! Apart from the other families, because the name and its arguments come from the tools on
//! offer, which differ from session to session.

use serde_json::{Map, Value};

use super::Reader;
use crate::arguments;
use crate::instruction::{Action, Given};
use crate::text::shape::is_command;
use crate::text::{Kind, Range};

/// Reads `call X`, `use the X tool with text 'hi'`, `invoke X {"a": 1}`.
pub(super) fn read(reader: &mut Reader<'_>, start: usize) -> Option<usize> {
    let words = reader.words;
    if let Some(next) = family_tool(reader, start) {
        return Some(next);
    }
    if !words.verb_is(start, "call use invoke trigger run execute try do make") {
        return None;
    }
    let certain = words.verb_is(start, "call invoke trigger");
    let (at, says_tool) = skip_nouns(reader, start + 1);
    let name = words.inner(at).into_owned();
    let tool_behind = words.is(at + 1, "tool mcp");
    if !(certain || says_tool || tool_behind)
        || name.is_empty()
        || words.is(at, "it me this that them a any no")
    {
        return None;
    }
    let behind = at + 1 + usize::from(tool_behind);
    let json = json_behind(reader, at + 1);
    if json.is_none()
        && is_own(&name)
        && let Some(next) = own_by_name(reader, &name, behind)
    {
        return next;
    }
    match arguments::find_tool(reader.tools, &name) {
        // Plans and the agent's own tools have rules that understand more of the words around
        // them; with a JSON object there is nothing left to understand.
        Some(tool)
            if json.is_none()
                && (is_plan_tool(&tool.name)
                    || is_own(&tool.name) && !is_own_with_object(reader, at + 1)) =>
        {
            None
        }
        Some(tool) => {
            let properties = tool.input_schema.get("properties");
            let from = told_behind(reader, behind).unwrap_or(behind);
            let name = tool.name.clone();
            let (given, next) = match json {
                Some((map, next)) => (Given::Json(map), next),
                None => words_behind(reader, from, properties),
            };
            Some(call(reader, Range::new(start, next), name, given))
        }
        None if !certain && !says_tool && !tool_behind
            || is_plan_tool(&name)
            || name.contains(' ')
            || is_own(&name)
            || name == "cat" =>
        {
            None
        }
        None => {
            reader.act(Action::Call {
                tool: name,
                given: Given::Json(Map::new()),
            });
            Some(words.clause_end(start))
        }
    }
}

/// `the shell tool with the command X`, `the write_file tool to create …`: where the instruction goes
/// on, or that it is none; nothing when it is to be called as it is named.
fn own_by_name(reader: &mut Reader<'_>, name: &str, behind: usize) -> Option<Option<usize>> {
    let words = reader.words;
    let command = words.has(Range::new(behind, behind + 4), "command")
        || arguments::bare_name(name) == "shell" && is_command(&words.word(behind + 1));
    if words.is(behind, "with and on") && command {
        return Some(super::shell::command_from(reader, behind + 1));
    }
    if let Some(told) = told_behind(reader, behind)
        && arguments::bare_name(name) != "shell"
    {
        return Some(Some(told));
    }
    (words.is(behind, "to and for") && words.starts_action(words.skip_fillers(behind + 1)))
        .then_some(Some(behind + 1))
}

/// Calls a tool on offer. Where the text goes on.
fn call(reader: &mut Reader<'_>, clause: Range, tool: String, given: Given) -> usize {
    let words = reader.words;
    let next = clause.to;
    match given {
        Given::Json(map) if arguments::bare_name(&tool).ends_with("createplan") => {
            super::plan::create_by_json(reader, clause, tool, map);
        }
        given => reader.act(Action::Call { tool, given }),
    }
    // `… where OUTPUT is what cat printed`
    if words.is(next, "where") || words.is(next + 1, "where") {
        words.sentence_end(next + 1)
    } else {
        next
    }
}

/// `Use your file tool to …`, `use the read tool on a.txt`: the tools of the families by what they
/// do. Where the instruction goes on.
fn family_tool(reader: &mut Reader<'_>, start: usize) -> Option<usize> {
    const FAMILIES: &str = "file files read write edit reading writing editing filesystem \
        file-reading file-writing read-file write-file search listing list fs system";
    let words = reader.words;
    if !words.verb_is(start, "use call invoke try with") {
        return None;
    }
    let first = start + 1 + usize::from(words.is(start + 1, "the your a"));
    let tool = (first..first + 4).find(|at| words.is(*at, "tool tools"))?;
    if tool == first || !(first..tool).all(|at| words.is(at, FAMILIES)) {
        return None;
    }
    let behind = tool + 1;
    if words.is(behind, "to and") {
        let colon = Range::new(behind, words.sentence_end(behind))
            .near()
            .find(|at| matches!(words.kind(*at), Kind::Mark(':')));
        return match colon {
            Some(colon) if words.is(behind + 1, "do") => Some(colon + 1),
            _ => Some(behind + 1),
        };
    }
    let (_, path) = reader.path_in(Range::new(behind, words.clause_end(start)))?;
    if words.is(behind, "on for with") && words.has(Range::new(first, tool), "read reading") {
        reader.paths.push(path.clone());
        reader.ensure_read(&path);
        return Some(words.clause_end(start));
    }
    None
}

/// `the tool`, `your MCP tool called` in front of a name. Whether `tool` was among the words.
fn skip_nouns(reader: &Reader<'_>, start: usize) -> (usize, bool) {
    let words = reader.words;
    let mut at = start;
    let mut says_tool = false;
    for _ in 0..8 {
        let noun = words.is(at, "tool function mcp");
        let between = words.is(at, "the a your to named called server's rondar")
            && !words.ends_sentence(at + 1);
        if !(noun && !words.ends_sentence(at + 1)
            || between
            || says_tool && matches!(words.kind(at), Kind::Mark(':')))
        {
            break;
        }
        says_tool |= noun;
        at += 1;
    }
    (at, says_tool)
}

/// `… to do exactly this and report the output: …`: where that starts.
fn told_behind(reader: &Reader<'_>, behind: usize) -> Option<usize> {
    let words = reader.words;
    if !(words.is(behind, "to") && words.is(behind + 1, "do call")) {
        return None;
    }
    let colon = Range::new(behind, words.sentence_end(behind))
        .near()
        .find(|at| matches!(words.kind(*at), Kind::Mark(':')))?;
    Some(colon + 1)
}

/// Whether a tool is one of the two of the client's plan server, under any prefix.
pub(super) fn is_plan_tool(name: &str) -> bool {
    let bare = arguments::bare_name(name);
    bare.ends_with("createplan") || bare.ends_with("getplan")
}

/// Whether a tool is one that the families know how to use.
fn is_own(name: &str) -> bool {
    let own = [
        "shell",
        "readfile",
        "writefile",
        "editfile",
        "listdirectory",
        "search",
        "updateplan",
        "switchmode",
    ];
    own.contains(&arguments::bare_name(name).as_str())
}

/// `the read_file tool on note.txt`: nothing but the object of the tool follows.
fn is_own_with_object(reader: &Reader<'_>, at: usize) -> bool {
    let words = reader.words;
    let at = at + usize::from(words.is(at, "tool"));
    words.is(at, "on with for")
        && !words.ends_sentence(at + 1)
        && !words.is(at + 1, "this it that command")
}

/// A JSON object that follows in the same clause or in a fence, and where the text goes on.
fn json_behind(reader: &Reader<'_>, from: usize) -> Option<(Map<String, Value>, usize)> {
    let words = reader.words;
    let end = words.sentence_end(from).min(from + 40);
    let mut at = from;
    while at <= end && at < words.len() {
        let inner = words.inner(at);
        if words.is_quoted(at) && inner.trim_start().starts_with('{') {
            let map = serde_json::from_str(&inner).ok()?;
            return Some((map, at + 1));
        }
        if words.kind(at) == Kind::Word && inner.starts_with('{') {
            let rest = words.rest(at);
            let mut stream =
                serde_json::Deserializer::from_str(rest).into_iter::<Map<String, Value>>();
            return match stream.next()? {
                Ok(map) => Some((map, words.after_bytes(at, stream.byte_offset()))),
                Err(_) => {
                    with_names(rest).map(|(map, length)| (map, words.after_bytes(at, length)))
                }
            };
        }
        at += 1;
    }
    None
}

/// The longest object in which names without quotes are looked for, in bytes.
const MAX_OBJECT: usize = 4_096;

/// `{"title": "x", "description": OUTPUT}`: an object in which a name stands for a value. And how long
/// it is.
fn with_names(text: &str) -> Option<(Map<String, Value>, usize)> {
    let end = text.floor_char_boundary(MAX_OBJECT);
    let length = text[..end].find('}')? + 1;
    let mut quoted = String::new();
    for (number, part) in text[..length].split(':').enumerate() {
        let value = part.trim_start();
        let name = value.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        match name.filter(|name| *name > 0 && number > 0) {
            Some(name) if value.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                quoted.push_str(&format!(":\"{}\"{}", &value[..name], &value[name..]));
            }
            _ if number > 0 => quoted.push_str(&format!(":{part}")),
            _ => quoted.push_str(part),
        }
    }
    let map = serde_json::from_str(&quoted).ok()?;
    Some((map, length))
}

/// Arguments in words: `with text 'hi'`, `a=1, b=2`, `on "x"`.
fn words_behind(reader: &Reader<'_>, from: usize, properties: Option<&Value>) -> (Given, usize) {
    let words = reader.words;
    let end = words.clause_end(from.saturating_sub(1));
    let known = |name: &str| properties.and_then(|map| map.get(name)).is_some();
    let mut named = Vec::new();
    let mut bare = Vec::new();
    let mut at = from;
    while at < end {
        let raw = words.inner(at);
        if let Some((name, value)) = raw
            .split_once(['=', ':'])
            .filter(|(name, value)| known(name) && !value.is_empty())
        {
            named.push((name.to_owned(), value.to_owned()));
        } else if known(&raw) && words.kind(at) == Kind::Word && at + 1 < end {
            let mut value = at + 1;
            while matches!(words.kind(value), Kind::Mark(':' | '='))
                || words.is(value, "is of set to equal as")
            {
                value += 1;
            }
            let stop = (value + 1..end).find(|stop| {
                matches!(words.kind(*stop), Kind::Mark(',')) || words.is(*stop, "and with")
            });
            let stop = if words.is_quoted(value) {
                value + 1
            } else {
                stop.unwrap_or(end)
            };
            let trimmed = words.trimmed(Range::new(value, stop.min(end)));
            let text = if words.is_quoted(value) {
                words.inner(value).into_owned()
            } else {
                words.raw(trimmed.from, trimmed.to).to_owned()
            };
            named.push((raw.into_owned(), text));
            at = stop.max(value);
            continue;
        } else if words.is_quoted(at) || crate::text::shape::is_marker(&raw) {
            bare.push(raw.into_owned());
        }
        at += 1;
    }
    if named.is_empty() && bare.is_empty() {
        let value = from + usize::from(words.is(from, "with on for using"));
        let range = words.trimmed(Range::new(value, end));
        if range.from > from && range.from < range.to && !words.is(range.from, "no it its the an a")
        {
            bare.push(words.raw(range.from, range.to).to_owned());
        }
    }
    (Given::Words { named, bare }, end.max(from))
}
