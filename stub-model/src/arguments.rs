//! Finds tools and fills their arguments by their JSON schemas.
//!
//! Apart from the actions, because names differ from agent to agent and from server to server:
//! the same thing is `id`, `planId` or `plan_id`. What an action has to say goes into the property
//! that means it.
//!
//! MCP: <https://modelcontextprotocol.io/specification/2025-06-18/server/tools>

use serde_json::{Map, Number, Value, json};

use crate::conversation::ToolSpec;

/// What a value is for, and the names of properties that mean it, best first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slot(&'static [&'static str]);

pub(crate) const COMMAND: Slot = Slot(&[
    "command",
    "cmd",
    "commandline",
    "shellcommand",
    "script",
    "code",
    "input",
]);
pub(crate) const TIMEOUT: Slot = Slot(&["timeoutseconds", "timeout", "timeoutsecs"]);
pub(crate) const PATH: Slot = Slot(&[
    "path",
    "filepath",
    "file",
    "filename",
    "absolutepath",
    "targetfile",
    "directory",
    "dir",
    "folder",
    "uri",
]);
pub(crate) const CONTENT: Slot = Slot(&["content", "contents", "text", "filetext", "body", "data"]);
pub(crate) const OLD: Slot = Slot(&[
    "oldtext",
    "oldstring",
    "oldstr",
    "old",
    "search",
    "find",
    "from",
]);
pub(crate) const NEW: Slot = Slot(&[
    "newtext",
    "newstring",
    "newstr",
    "new",
    "replace",
    "replacement",
    "to",
]);
pub(crate) const ALL: Slot = Slot(&["replaceall", "all", "global"]);
pub(crate) const FIRST_LINE: Slot = Slot(&["line", "offset", "startline", "start", "from"]);
pub(crate) const LINE_COUNT: Slot = Slot(&["limit", "lines", "count", "maxlines"]);
pub(crate) const PATTERN: Slot = Slot(&["pattern", "query", "regex", "search", "text", "q"]);
pub(crate) const TITLE: Slot = Slot(&[
    "title",
    "name",
    "plantitle",
    "subject",
    "heading",
    "summary",
]);
pub(crate) const DESCRIPTION: Slot = Slot(&[
    "description",
    "desc",
    "plandescription",
    "body",
    "content",
    "details",
    "text",
    "markdown",
    "plan",
    "notes",
]);
pub(crate) const ID: Slot = Slot(&["id", "planid", "identifier", "uuid", "key", "ref", "plan"]);
pub(crate) const MODE: Slot = Slot(&["mode", "modeid", "currentmode", "target", "name"]);

/// The name in small letters and digits only.
pub(crate) fn bare_name(name: &str) -> String {
    name.chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_lowercase())
        .collect()
}

/// The tool that a user or a rule means by `name`: exactly, or but for case and punctuation, or
/// but for the name of its server in front.
pub(crate) fn find_tool<'t>(tools: &'t [ToolSpec], name: &str) -> Option<&'t ToolSpec> {
    let wanted = bare_name(name);
    if wanted.is_empty() {
        return None;
    }
    let last_of = |name: &str| {
        name.rsplit(['.', '/', ':'])
            .next()
            .and_then(|last| last.rsplit("__").next())
            .map_or(String::new(), bare_name)
    };
    let last = last_of(name);
    tools
        .iter()
        .find(|tool| tool.name == name)
        .or_else(|| tools.iter().find(|tool| bare_name(&tool.name) == wanted))
        .or_else(|| tools.iter().find(|tool| last_of(&tool.name) == wanted))
        .or_else(|| {
            tools
                .iter()
                .find(|tool| ends_with_name(&tool.name, &wanted))
        })
        .or_else(|| {
            tools
                .iter()
                .find(|tool| !last.is_empty() && last != wanted && bare_name(&tool.name) == last)
        })
}

/// Whether the last words of a tool's name, between separators, are the name that is wanted.
fn ends_with_name(tool: &str, wanted: &str) -> bool {
    let borders = tool
        .char_indices()
        .filter(|(_, c)| !c.is_ascii_alphanumeric());
    borders
        .map(|(at, c)| at + c.len_utf8())
        .any(|at| bare_name(&tool[at..]) == wanted)
}

/// The first tool with one of `names`.
pub(crate) fn find_any<'t>(tools: &'t [ToolSpec], names: &[&str]) -> Option<&'t ToolSpec> {
    names.iter().find_map(|name| find_tool(tools, name))
}

/// Fills the arguments of a tool: each value into the property that means it, and what else the
/// schema requires with the least that it allows.
pub(crate) fn fill(schema: &Value, values: &[(Slot, Value)]) -> Map<String, Value> {
    let mut filled = Map::new();
    let mut left: Vec<&(Slot, Value)> = Vec::new();
    for value in values {
        match property_for(schema, schema, value.0, &filled) {
            Some((name, of)) => {
                filled.insert(name, typed(&value.1, of));
            }
            None => left.push(value),
        }
    }
    nested(schema, &mut filled, &mut left);
    for (slot, value) in left {
        let open = required(schema)
            .into_iter()
            .find(|name| !filled.contains_key(*name) && is_string(property(schema, schema, name)));
        match open {
            Some(name) => {
                filled.insert(
                    name.to_owned(),
                    typed(
                        value,
                        property(schema, schema, name).unwrap_or(&Value::Null),
                    ),
                );
            }
            None if properties(schema, schema).is_none() => {
                filled.insert(
                    slot.0.first().copied().unwrap_or("value").to_owned(),
                    value.clone(),
                );
            }
            None => {}
        }
    }
    complete(schema, schema, &mut filled);
    filled
}

/// Values whose property lies in an object property, such as `{"plan": {"title": …}}`.
fn nested(schema: &Value, filled: &mut Map<String, Value>, left: &mut Vec<&(Slot, Value)>) {
    let Some(all) = properties(schema, schema) else {
        return;
    };
    for (name, inner) in all {
        let inner = resolve(schema, inner);
        if filled.contains_key(name) || properties(schema, inner).is_none() {
            continue;
        }
        let mut object = Map::new();
        left.retain(
            |(slot, value)| match property_for(schema, inner, *slot, &object) {
                Some((key, of)) => {
                    object.insert(key, typed(value, of));
                    false
                }
                None => true,
            },
        );
        if !object.is_empty() {
            complete(schema, inner, &mut object);
            filled.insert(name.clone(), Value::Object(object));
        }
    }
}

/// Gives each required property that is still missing the least value that its schema allows.
fn complete(root: &Value, schema: &Value, filled: &mut Map<String, Value>) {
    for name in required(schema) {
        if !filled.contains_key(name) {
            filled.insert(name.to_owned(), least(property(root, schema, name)));
        }
    }
}

fn least(schema: Option<&Value>) -> Value {
    let Some(schema) = schema else {
        return json!("");
    };
    let given = schema
        .get("const")
        .or_else(|| schema.get("default"))
        .or_else(|| schema.get("enum").and_then(|list| list.get(0)));
    if let Some(given) = given {
        return given.clone();
    }
    match type_of(schema) {
        "integer" | "number" => schema.get("minimum").cloned().unwrap_or_else(|| json!(0)),
        "boolean" => json!(false),
        "array" => json!([]),
        "object" => json!({}),
        "null" => Value::Null,
        _ => json!(""),
    }
}

/// The property of `schema` that a slot means.
fn property_for<'s>(
    root: &'s Value,
    schema: &'s Value,
    slot: Slot,
    taken: &Map<String, Value>,
) -> Option<(String, &'s Value)> {
    let all = properties(root, schema)?;
    slot.0.iter().find_map(|wanted| {
        let (name, of) = all
            .iter()
            .find(|(name, _)| bare_name(name) == *wanted && !taken.contains_key(*name))?;
        let of = resolve(root, of);
        (properties(root, of).is_none() || type_of(of) == "string").then(|| (name.clone(), of))
    })
}

fn properties<'s>(root: &'s Value, schema: &'s Value) -> Option<&'s Map<String, Value>> {
    resolve(root, schema)
        .get("properties")
        .and_then(Value::as_object)
        .filter(|all| !all.is_empty())
}

fn property<'s>(root: &'s Value, schema: &'s Value, name: &str) -> Option<&'s Value> {
    properties(root, schema)?
        .get(name)
        .map(|of| resolve(root, of))
}

fn required(schema: &Value) -> Vec<&str> {
    let names = schema.get("required").and_then(Value::as_array);
    names.map_or(Vec::new(), |names| {
        names.iter().filter_map(Value::as_str).collect()
    })
}

/// Follows one local `$ref`; schemas of tools rarely need more, and one step cannot loop.
fn resolve<'s>(root: &'s Value, schema: &'s Value) -> &'s Value {
    let target = schema
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|reference| reference.strip_prefix('#'));
    target
        .and_then(|pointer| root.pointer(pointer))
        .unwrap_or(schema)
}

/// The first type of a schema that is not null.
fn type_of(schema: &Value) -> &str {
    match schema.get("type") {
        Some(Value::String(name)) => name,
        Some(Value::Array(names)) => names
            .iter()
            .filter_map(Value::as_str)
            .find(|name| *name != "null")
            .unwrap_or("null"),
        _ => {
            let any = schema
                .get("anyOf")
                .or_else(|| schema.get("oneOf"))
                .and_then(Value::as_array);
            let names = any
                .into_iter()
                .flatten()
                .filter_map(|of| of.get("type").and_then(Value::as_str));
            names.into_iter().find(|name| *name != "null").unwrap_or("")
        }
    }
}

fn is_string(schema: Option<&Value>) -> bool {
    schema.is_none_or(|schema| matches!(type_of(schema), "string" | ""))
}

/// A value in the type that the schema asks for, where it can be had.
pub(crate) fn typed(value: &Value, schema: &Value) -> Value {
    match (type_of(schema), value) {
        ("string", Value::Number(number)) => Value::String(number.to_string()),
        ("string", Value::Bool(flag)) => Value::String(flag.to_string()),
        ("integer", Value::String(text)) => text
            .trim()
            .parse::<i64>()
            .map_or_else(|_| value.clone(), Value::from),
        ("number", Value::String(text)) => text
            .trim()
            .parse::<f64>()
            .ok()
            .and_then(Number::from_f64)
            .map_or_else(|| value.clone(), Value::Number),
        ("boolean", Value::String(text)) => match text.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" => json!(true),
            "false" | "no" | "off" => json!(false),
            _ => value.clone(),
        },
        ("array", Value::String(_) | Value::Number(_)) => json!([value]),
        _ => value.clone(),
    }
}

/// Fills arguments that a user gave in words: named ones by their names, the others in the order
/// of the required properties, then of all.
pub(crate) fn fill_words(
    schema: &Value,
    named: &[(String, String)],
    bare: &[String],
) -> Map<String, Value> {
    let mut filled = Map::new();
    for (name, text) in named {
        let value = Value::String(text.clone());
        let of = property(schema, schema, name);
        filled.insert(
            name.clone(),
            of.map_or_else(|| value.clone(), |of| typed(&value, of)),
        );
    }
    let mut order = required(schema);
    if let Some(all) = properties(schema, schema) {
        order.extend(all.keys().map(String::as_str));
    }
    let mut open = order.into_iter();
    for text in bare {
        let Some(name) = open.by_ref().find(|name| !filled.contains_key(*name)) else {
            break;
        };
        let value = Value::String(text.clone());
        let of = property(schema, schema, name);
        filled.insert(
            name.to_owned(),
            of.map_or_else(|| value.clone(), |of| typed(&value, of)),
        );
    }
    complete(schema, schema, &mut filled);
    filled
}

/// The values that a property allows, as strings.
pub(crate) fn choices(schema: &Value, slot: Slot) -> Vec<String> {
    let of = property_for(schema, schema, slot, &Map::new()).map(|(_, of)| of);
    let list = of.and_then(|of| of.get("enum")).and_then(Value::as_array);
    list.into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}
