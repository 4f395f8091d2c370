//! The body of a request for a chat completion.
//!
//! API: <https://platform.openai.com/docs/api-reference/chat/create>

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
    #[serde(default)]
    stream: bool,
    stream_options: Option<StreamOptions>,
    messages: Vec<Told>,
    #[serde(default)]
    tools: Vec<Tool>,
}

#[derive(Deserialize)]
struct StreamOptions {
    #[serde(default)]
    include_usage: bool,
}

#[derive(Deserialize)]
#[serde(tag = "role", rename_all = "lowercase")]
enum Told {
    #[serde(alias = "developer")]
    System {
        content: Content,
    },
    User {
        content: Content,
    },
    Assistant {
        content: Option<Content>,
        tool_calls: Option<Vec<Called>>,
    },
    Tool {
        tool_call_id: String,
        content: Content,
    },
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<Piece>),
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Piece {
    Text {
        text: String,
    },
    ImageUrl {
        image_url: ImageUrl,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct ImageUrl {
    url: String,
}

#[derive(Deserialize)]
struct Called {
    id: String,
    function: Function,
}

#[derive(Deserialize)]
struct Function {
    name: String,
    arguments: String,
}

#[derive(Deserialize)]
struct Tool {
    function: Offered,
}

#[derive(Deserialize)]
struct Offered {
    name: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    parameters: Value,
}

/// Reads the body.
pub(super) fn read(body: &[u8]) -> Result<Asked, serde_json::Error> {
    let read: Body = serde_json::from_slice(body)?;
    let mut asked = Asked::new(read.model, read.stream, body.len());
    let options = read.stream_options;
    asked.costs = options.is_some_and(|options| options.include_usage);
    for Tool { function } in read.tools {
        asked.tool(ToolSpec {
            name: function.name,
            description: function.description,
            input_schema: Arc::new(function.parameters),
        });
    }
    for message in read.messages {
        match message {
            Told::System { content } => asked.instructions(&content.text()),
            Told::User { content } => asked.user(content.parts()),
            Told::Assistant {
                content,
                tool_calls,
            } => {
                asked.model_said(content.map(Content::text).unwrap_or_default());
                for call in tool_calls.into_iter().flatten() {
                    let arguments = call.function.arguments;
                    asked.called(ToolCall {
                        id: call.id,
                        name: call.function.name,
                        arguments: serde_json::from_str(&arguments)
                            .unwrap_or(Value::String(arguments)),
                    });
                }
            }
            Told::Tool {
                tool_call_id,
                content,
            } => asked.ended(tool_call_id, content.text()),
        }
    }
    Ok(asked)
}

impl Content {
    fn parts(self) -> Vec<Part> {
        match self {
            Self::Text(text) => vec![Part::Text(text)],
            Self::Parts(pieces) => pieces.into_iter().map(Piece::part).collect(),
        }
    }

    fn text(self) -> String {
        let texts = self.parts().into_iter().filter_map(|part| match part {
            Part::Text(text) => Some(text),
            _ => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }
}

impl Piece {
    /// An image that came as a link is told as one: nothing is fetched.
    fn part(self) -> Part {
        match self {
            Self::Text { text } => Part::Text(text),
            Self::ImageUrl { image_url } => image(&image_url.url).unwrap_or(Part::ResourceLink {
                name: "image".to_owned(),
                uri: image_url.url,
                path: None,
            }),
            Self::Other => Part::Text("[a part of a kind that the stub cannot read]".to_owned()),
        }
    }
}

fn image(url: &str) -> Option<Part> {
    let (mime_type, data) = url.strip_prefix("data:")?.split_once(";base64,")?;
    Some(Part::Image {
        mime_type: mime_type.to_owned(),
        data: BASE64.decode(data).ok()?,
    })
}
