//! A tool of a server, as one that the model may call.
//!
//! Must stay true: nothing that the server says of its tool can do more than quiet a question. The
//! name and the description are shown, never obeyed.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/tool-calls>

use std::sync::Arc;

use futures::FutureExt;
use rmcp::model::JsonObject;
use serde_json::Value;
use stub_model::ToolSpec;

use super::{catalog::Listed, connection::Connection};
use crate::{
    acp,
    tools::{Effect, Prepared, Scope, Tool, ToolError, headline},
};

/// The plan tools that ACP clients bring along. They change the client's plan and nothing else, so
/// a session in plan mode can use them; see [`Effect::Plan`].
const PLAN_TOOLS: [&str; 4] = ["create_plan", "get_plan", "update_plan", "list_plans"];

/// A tool of a server.
pub(super) struct ServerTool {
    spec: ToolSpec,
    connection: Arc<Connection>,
    tool: Arc<Listed>,
}

impl ServerTool {
    /// The tool under the name by which the model knows it.
    pub(super) fn new(name: String, connection: Arc<Connection>, tool: Arc<Listed>) -> Self {
        let spec = ToolSpec {
            name,
            description: tool.description.clone(),
            input_schema: Arc::new(Value::Object(tool.input_schema.clone())),
        };
        Self {
            spec,
            connection,
            tool,
        }
    }

    fn effect(&self) -> Effect {
        if PLAN_TOOLS.contains(&self.tool.name.as_str()) {
            Effect::Plan
        } else if self.tool.reads_only {
            Effect::ForeignRead
        } else {
            Effect::Foreign
        }
    }
}

impl Tool for ServerTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn prepare(&self, arguments: &Value, _: &Scope) -> Result<Prepared, ToolError> {
        let arguments = arguments_of(arguments).ok_or_else(|| ToolError::Arguments {
            tool: self.spec.name.clone(),
            problem: "must be an object",
        })?;
        let connection = Arc::clone(&self.connection);
        let tool = self.tool.name.clone();
        Ok(Prepared {
            title: headline(&format!("{}: {}", connection.name, visible(&tool)), 200),
            kind: if self.tool.reads_only {
                acp::ToolKind::Read
            } else {
                acp::ToolKind::Other
            },
            effect: self.effect(),
            locations: Vec::new(),
            content: Vec::new(),
            // Quoted, because either name may hold anything, also a separator.
            grant: format!("mcp {:?} {tool:?}", connection.name),
            session: None,
            job: Box::new(move |context| {
                async move { connection.call(tool, arguments, &context).await }.boxed()
            }),
        })
    }
}

/// A name as a person sees it who is asked to allow it: nothing in it turns the text around, hides a
/// part of it, or moves the cursor.
fn visible(name: &str) -> String {
    let is_hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    let visible = |c| {
        if is_hidden(c) {
            char::REPLACEMENT_CHARACTER
        } else {
            c
        }
    };
    name.chars().map(visible).collect()
}

/// The arguments as an object. The server checks the rest: the schema is its own.
fn arguments_of(arguments: &Value) -> Option<JsonObject> {
    match arguments {
        Value::Null => Some(JsonObject::new()),
        Value::Object(object) => Some(object.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_look_like_another() {
        for (name, seen) in [
            ("read file/é", "read file/é"),
            ("a\tb\nc\0", "a\u{fffd}b\u{fffd}c\u{fffd}"),
            ("\u{202e}x\u{200b}", "\u{fffd}x\u{fffd}"),
        ] {
            assert_eq!(visible(name), seen);
        }
    }
}
