//! Something that the model shows instead of saying it: an image, or a resource.
//!
//! It is kept as a tool call that is done, because the store keeps messages as text, and a client
//! shows the content of a call like that of a message.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/content>

use base64::{Engine, engine::general_purpose::STANDARD as BASE64};

use crate::{
    acp,
    model::{Outcome, Part, ToolCall},
    session::memory::Ids,
    store::Item,
};

/// The name under which the model finds it in the conversation.
const NAME: &str = "show";

/// What is kept of it, and what the client is told.
pub(super) fn show(part: &Part, ids: &mut Ids) -> (Item, acp::SessionUpdate) {
    let (title, content) = block(part);
    let id = ids.next("call");
    let request = ToolCall {
        id: id.clone(),
        name: NAME.to_owned(),
        arguments: serde_json::json!({}),
    };
    let call = acp::ToolCall::new(id, title)
        .kind(acp::ToolKind::Other)
        .status(acp::ToolCallStatus::Completed)
        .content(vec![content.into()]);
    let item = Item::ToolCall {
        call: call.clone(),
        request,
        outcome: Outcome::Completed,
        text: format!("{title}: shown to the user"),
        structured: None,
    };
    (item, acp::SessionUpdate::ToolCall(call))
}

fn block(part: &Part) -> (&'static str, acp::ContentBlock) {
    match part {
        Part::Text(text) => ("A text", text.as_str().into()),
        Part::Image { mime_type, data } => {
            let image = acp::ImageContent::new(BASE64.encode(data), mime_type.as_str());
            ("An image", acp::ContentBlock::Image(image))
        }
        Part::Resource { uri, text } => {
            let contents = acp::TextResourceContents::new(text.as_str(), uri.as_str());
            let contents = acp::EmbeddedResourceResource::TextResourceContents(contents);
            let resource = acp::EmbeddedResource::new(contents);
            ("A resource", acp::ContentBlock::Resource(resource))
        }
        Part::ResourceLink { name, uri, .. } => {
            let link = acp::ResourceLink::new(name.as_str(), uri.as_str());
            ("A link", acp::ContentBlock::ResourceLink(link))
        }
    }
}
