//! The body of a request for a message.
//!
//! API: <https://docs.anthropic.com/en/api/messages>

use std::sync::Arc;

use base64::{Engine, engine::general_purpose::STANDARD as BASE64};
use serde::Deserialize;
use serde_json::Value;

use crate::{
    conversation::{Part, ToolCall, ToolSpec},
    serve::asked::Asked,
};

#[derive(Deserialize)]
struct Body {
    model: String,
    /// The API wants it, so a client that forgets it should learn so here.
    #[serde(rename = "max_tokens")]
    _max_tokens: u64,
    #[serde(default)]
    stream: bool,
    #[serde(default)]
    system: Content,
    messages: Vec<Message>,
    #[serde(default)]
    tools: Vec<Tool>,
}

#[derive(Deserialize)]
struct Message {
    role: Role,
    content: Content,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum Role {
    User,
    Assistant,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Blocks(Vec<Block>),
}

impl Default for Content {
    fn default() -> Self {
        Self::Blocks(Vec::new())
    }
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block {
    Text {
        text: String,
    },
    Image {
        source: Source,
    },
    ToolUse {
        id: String,
        name: String,
        input: Value,
    },
    ToolResult {
        tool_use_id: String,
        #[serde(default)]
        content: Content,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Source {
    Base64 { media_type: String, data: String },
    Url { url: String },
}

#[derive(Deserialize)]
struct Tool {
    name: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    input_schema: Value,
}

/// Reads the body.
pub(super) fn read(body: &[u8]) -> Result<Asked, serde_json::Error> {
    let read: Body = serde_json::from_slice(body)?;
    let mut asked = Asked::new(read.model, read.stream, body.len());
    asked.instructions(&read.system.text());
    for tool in read.tools {
        asked.tool(ToolSpec {
            name: tool.name,
            description: tool.description,
            input_schema: Arc::new(tool.input_schema),
        });
    }
    for message in read.messages {
        let mut parts = Vec::new();
        for block in message.content.blocks() {
            match (message.role, block) {
                (_, Block::ToolUse { id, name, input }) => asked.called(ToolCall {
                    id,
                    name,
                    arguments: input,
                }),
                (
                    _,
                    Block::ToolResult {
                        tool_use_id,
                        content,
                    },
                ) => asked.ended(tool_use_id, content.text()),
                (Role::Assistant, Block::Text { text }) => asked.model_said(text),
                (Role::User, block) => parts.extend(block.part()),
                (Role::Assistant, _) => {}
            }
        }
        asked.user(parts);
    }
    Ok(asked)
}

impl Content {
    fn blocks(self) -> Vec<Block> {
        match self {
            Self::Text(text) => vec![Block::Text { text }],
            Self::Blocks(blocks) => blocks,
        }
    }

    fn text(self) -> String {
        let texts = self.blocks().into_iter().filter_map(|block| match block {
            Block::Text { text } => Some(text),
            _ => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }
}

impl Block {
    /// An image that came as a link is told as one: nothing is fetched.
    fn part(self) -> Option<Part> {
        match self {
            Self::Text { text } => Some(Part::Text(text)),
            Self::Image {
                source: Source::Url { url },
            } => Some(Part::ResourceLink {
                name: "image".to_owned(),
                uri: url,
                path: None,
            }),
            Self::Image {
                source: Source::Base64 { media_type, data },
            } => Some(Part::Image {
                mime_type: media_type,
                data: BASE64.decode(data).unwrap_or_default(),
            }),
            Self::Other => Some(Part::Text(
                "[a block of a kind that the stub cannot read]".to_owned(),
            )),
            Self::ToolUse { .. } | Self::ToolResult { .. } => None,
        }
    }
}
