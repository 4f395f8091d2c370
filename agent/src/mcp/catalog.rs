//! The tools of one server, as it describes them.
//!
//! The list comes in pages of any number and size, so it is bounded while it is read: what is over
//! the bound is left out, and said. A tool that cannot be read is left out alone.
//!
//! MCP: <https://modelcontextprotocol.io/specification/2025-11-25/server/tools#listing-tools>

use std::sync::Arc;

use rmcp::{
    model::{ClientRequest, JsonObject, ListToolsRequest, PaginatedRequestParams},
    service::{Peer, RoleClient},
};
use serde_json::Value;

use super::{
    limits::{MAX_PAGES, MAX_SPECS, MAX_TOOLS},
    request::{NoResult, request},
    signals::Signals,
};

/// A tool, as far as it matters here: nothing else that a server says of it is kept.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Listed {
    /// The server's own name for it.
    pub(super) name: String,
    /// What it says it does, or nothing.
    pub(super) description: String,
    /// What it takes.
    pub(super) input_schema: JsonObject,
    /// Whether it says that it only reads.
    pub(super) reads_only: bool,
}

/// The tools of one server, in its order.
#[derive(Debug, Clone, Default)]
pub(super) struct Catalog {
    /// The tools that are offered.
    pub(super) tools: Vec<Arc<Listed>>,
    /// Whether the server has more.
    pub(super) cut: bool,
    /// How many it has that cannot be read.
    pub(super) unreadable: usize,
    /// What the tools cost the model, in bytes.
    bytes: usize,
}

impl Catalog {
    /// Asks the server. The caller sets the deadline.
    pub(super) async fn load(peer: &Peer<RoleClient>, signals: &Signals) -> Result<Self, NoResult> {
        let mut catalog = Self::default();
        let mut cursor = None;
        for _ in 0..MAX_PAGES {
            let params = PaginatedRequestParams::default().with_cursor(cursor.take());
            let list = ListToolsRequest::with_param(params);
            let page = match request(peer, signals, ClientRequest::ListToolsRequest(list)).await {
                // It never said that it has tools, so it need not know the question.
                Err(error) if error.is_unknown_method() => return Ok(catalog),
                page => page?,
            };
            cursor = catalog.take_page(page)?;
            if catalog.cut || cursor.is_none() {
                return Ok(catalog);
            }
        }
        catalog.cut = true;
        Ok(catalog)
    }

    /// Takes the tools of a page and returns the cursor of the next one, if there is one.
    fn take_page(&mut self, mut page: Value) -> Result<Option<String>, NoResult> {
        let Some(Value::Array(tools)) = page.get_mut("tools").map(Value::take) else {
            return Err(NoResult::Unreadable("it has no list of tools".to_owned()));
        };
        for tool in tools {
            let Some(tool) = read(tool) else {
                self.unreadable += 1;
                continue;
            };
            self.bytes += size(&tool);
            if self.tools.len() >= MAX_TOOLS || self.bytes > MAX_SPECS {
                self.cut = true;
                break;
            }
            self.tools.push(Arc::new(tool));
        }
        let next = page["nextCursor"].as_str().unwrap_or_default();
        Ok((!next.is_empty()).then(|| next.to_owned()))
    }
}

/// A tool needs a name and a schema that is an object; the rest may be as odd as it likes.
fn read(tool: Value) -> Option<Listed> {
    let Value::Object(mut members) = tool else {
        return None;
    };
    let Some(Value::String(name)) = members.remove("name") else {
        return None;
    };
    let Some(Value::Object(input_schema)) = members.remove("inputSchema") else {
        return None;
    };
    let mut text = |member| match members.remove(member) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    };
    let description = text("description").or_else(|| text("title"));
    let hint = members.get("annotations").map(|all| &all["readOnlyHint"]);
    Some(Listed {
        name,
        description: description.unwrap_or_default(),
        input_schema,
        reads_only: hint == Some(&Value::Bool(true)),
    })
}

/// What the tool costs the model, in bytes.
fn size(tool: &Listed) -> usize {
    let schema = serde_json::to_string(&tool.input_schema).map_or(0, |schema| schema.len());
    tool.name.len() + tool.description.len() + schema
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tool(more: Value) -> Value {
        let mut tool = json!({"name": "t", "inputSchema": {}});
        let more = more.as_object().unwrap().clone();
        tool.as_object_mut().unwrap().extend(more);
        tool
    }

    #[test]
    fn what_is_odd_about_a_tool_costs_no_more_than_it() {
        let odd = json!({"title": 1, "description": ["x"], "annotations": 7, "icons": "none"});
        let good = json!({"title": "T", "annotations": {"readOnlyHint": true}});
        let page = json!({"tools": [
            tool(odd), tool(good), {}, "x", null, {"name": "t", "inputSchema": true},
        ]});
        let mut catalog = Catalog::default();
        assert_eq!(catalog.take_page(page).unwrap(), None);
        assert_eq!((catalog.tools.len(), catalog.unreadable), (2, 4));
        assert_eq!(catalog.tools[0].description, "");
        assert_eq!(catalog.tools[1].description, "T");
        let hints: Vec<_> = catalog.tools.iter().map(|tool| tool.reads_only).collect();
        assert_eq!(hints, [false, true]);
    }

    #[test]
    fn the_next_page_has_a_cursor_with_something_in_it() {
        let rows = [
            (json!({"tools": []}), None),
            (json!({"tools": [], "nextCursor": ""}), None),
            (json!({"tools": [], "nextCursor": null}), None),
            (
                json!({"tools": [], "nextCursor": "c"}),
                Some("c".to_owned()),
            ),
        ];
        for (page, cursor) in rows {
            assert_eq!(Catalog::default().take_page(page).unwrap(), cursor);
        }
        assert!(Catalog::default().take_page(json!({"tools": {}})).is_err());
    }

    #[test]
    fn a_hint_must_be_true_itself() {
        for hint in [json!("true"), json!(1), json!(null), json!(false)] {
            let read = read(tool(json!({"annotations": {"readOnlyHint": hint}})));
            assert!(!read.unwrap().reads_only, "{hint}");
        }
    }
}
