//! The params of `session/prompt`: what is said, and in which session.
//!
//! Only text is used. The session runs elsewhere, so an image of the client's has no place in it,
//! and what a link points at the agent there can read itself; both are left out and not refused.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/prompt-turn#1-user-message>
//! ACP: <https://agentclientprotocol.com/protocol/v1/content>

use serde::Deserialize;
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use wire::{Error, Params};

use super::{
    Front,
    handlers::{closing, refusal},
};
use crate::api::SessionId;

/// A prompt that may begin.
pub(super) struct Prompt {
    pub(super) id: SessionId,
    pub(super) text: String,
    /// Flipped when the client cancels it, and at the end of the front.
    pub(super) cancelled: CancellationToken,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PromptParams {
    session_id: String,
    prompt: Vec<Value>,
}

/// Reads a prompt and takes the place of the session's only turn.
pub(super) fn read(front: &Front, params: &Params) -> Result<Prompt, Error> {
    let params: PromptParams = params.parse()?;
    let text = text(&params.prompt)?;
    if front.closing.is_cancelled() {
        return Err(closing());
    }
    if text.trim().is_empty() {
        return Err(refusal(
            "the prompt carries no text, so there is nothing to run",
        ));
    }
    let (id, cancelled) = front.owned.begin(&params.session_id).map_err(refusal)?;
    Ok(Prompt {
        id,
        text,
        cancelled,
    })
}

/// The texts of a prompt, a line break between two.
fn text(blocks: &[Value]) -> Result<String, Error> {
    let mut texts = Vec::new();
    for (index, block) in blocks.iter().enumerate() {
        let wrong = |what: &str| {
            Error::invalid_params(format_args!("prompt[{index}] has no string {what}"))
        };
        let kind = block["type"].as_str().ok_or_else(|| wrong("\"type\""))?;
        if kind == "text" {
            texts.push(block["text"].as_str().ok_or_else(|| wrong("\"text\""))?);
        }
    }
    Ok(texts.join("\n"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::text;

    #[test]
    fn only_text_is_used() {
        let link = json!({"type": "resource_link", "name": "a", "uri": "file:///a"});
        let table = [
            (json!([]), Some("")),
            (
                json!([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]),
                Some("a\nb"),
            ),
            (
                json!([link, {"type": "text", "text": "a"}, {"type": "_new"}]),
                Some("a"),
            ),
            (json!([{"type": "text"}]), None),
            (json!([{"text": "a"}]), None),
            (json!(["a"]), None),
        ];
        for (blocks, expected) in table {
            let text = text(blocks.as_array().unwrap()).ok();
            assert_eq!(text.as_deref(), expected, "{blocks}");
        }
    }
}
