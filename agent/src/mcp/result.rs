//! What a tool server answered, as the end of a tool call.
//!
//! ACP took its content blocks over from MCP, so that an agent can pass them on as they are. That
//! is done here; for the model every block has a text as well.
//!
//! Must stay true: a result is bounded, and a cut is said. A tool that reports an error has failed,
//! in whichever of MCP's two shapes it does so.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/content>
//! MCP: <https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool-result>

use rmcp::model::{ContentBlock, ResourceContents};
use serde_json::{Map, Value};
use stub_model::Outcome;

use super::limits::{MAX_BLOCKS, MAX_RESULT, MAX_TEXT};
use crate::{acp, tools::ToolOutcome};

/// Stands for a kind of content that is newer than this code.
const UNKNOWN: &str = "[something that this agent does not know]";

/// Room beside [`MAX_TEXT`] for the words that stand for blocks which are not text, in bytes.
const SLACK: usize = 16 * 1024;

/// The end of a call that was answered; `None` if the answer is no result of a tool.
pub(super) fn outcome(result: Value) -> Option<ToolOutcome> {
    let Value::Object(mut result) = result else {
        return None;
    };
    // The other kinds ask for something that this client does not offer.
    let kind = result.get("resultType").and_then(Value::as_str);
    if kind.is_some_and(|kind| kind != "complete") {
        return None;
    }
    let failed = result.get("isError") == Some(&Value::Bool(true));
    let (mut texts, content) = shares(blocks(result.remove("content"))?);
    let structured = structured(&mut result, &mut texts);
    let mut text = texts.join("\n");
    if text.is_empty() {
        text = structured
            .as_ref()
            .map_or_else(String::new, ToString::to_string);
    }
    cut(&mut text, MAX_TEXT + SLACK);
    if text.is_empty() && failed {
        text = "the tool failed and did not say why".to_owned();
    }
    Some(ToolOutcome {
        outcome: if failed {
            Outcome::Failed
        } else {
            Outcome::Completed
        },
        content: if content.is_empty() && !text.is_empty() {
            vec![text.as_str().into()]
        } else {
            content
        },
        text,
        raw_output: structured.clone(),
        structured,
        locations: None,
    })
}

/// The blocks of a result. One that cannot be read does not spoil the others.
fn blocks(content: Option<Value>) -> Option<Vec<ContentBlock>> {
    let read =
        |block| serde_json::from_value(block).unwrap_or_else(|_| ContentBlock::text(UNKNOWN));
    match content {
        None | Some(Value::Null) => Some(Vec::new()),
        Some(Value::Array(blocks)) => Some(blocks.into_iter().map(read).collect()),
        // Not MCP, but there is only one thing it can mean.
        Some(Value::String(text)) => Some(vec![ContentBlock::text(text)]),
        Some(_) => None,
    }
}

/// What the model and the client each get of the blocks.
fn shares(blocks: Vec<ContentBlock>) -> (Vec<String>, Vec<acp::ToolCallContent>) {
    let mut room = Room {
        text: MAX_TEXT,
        all: MAX_RESULT,
    };
    let (mut texts, mut content) = (Vec::new(), Vec::new());
    let count = blocks.len();
    for (index, block) in blocks.into_iter().enumerate() {
        if room.text == 0 || index == MAX_BLOCKS {
            let note = format!("[{} more blocks left out]", count - index);
            content.push(note.as_str().into());
            texts.push(note);
            break;
        }
        let block = room.cut(block);
        texts.push(text(&block));
        content.push(shown(&block));
    }
    (texts, content)
}

/// The structured result. One that is too large to be read is not data any more either.
fn structured(result: &mut Map<String, Value>, texts: &mut Vec<String>) -> Option<Value> {
    let value = result
        .remove("structuredContent")
        .filter(|value| !value.is_null())?;
    let size = value.to_string().len();
    if size <= MAX_TEXT {
        return Some(value);
    }
    texts.push(format!("[structured result left out: {size} bytes]"));
    None
}

/// What may still come, in bytes.
struct Room {
    /// Of text.
    text: usize,
    /// Of everything, as it is written to the client.
    all: usize,
}

impl Room {
    /// The block, as far as there is room for it.
    fn cut(&mut self, mut block: ContentBlock) -> ContentBlock {
        match &mut block {
            ContentBlock::Text(text) => self.cut_text(&mut text.text),
            ContentBlock::Resource(resource) => {
                if let ResourceContents::TextResourceContents { text, .. } = &mut resource.resource
                {
                    self.cut_text(text);
                }
            }
            ContentBlock::Image(_) | ContentBlock::Audio(_) | ContentBlock::ResourceLink(_) => {}
            _ => block = ContentBlock::text(UNKNOWN),
        }
        let size = serde_json::to_string(&block).map_or(0, |block| block.len());
        match self.all.checked_sub(size) {
            Some(left) => {
                self.all = left;
                block
            }
            None => ContentBlock::text(format!("[too large to be shown: {size} bytes]")),
        }
    }

    fn cut_text(&mut self, text: &mut String) {
        self.text -= cut(text, self.text);
    }
}

/// Cuts a text to a number of bytes, and says so in it. Returns how many of them it has used.
fn cut(text: &mut String, most: usize) -> usize {
    let whole = text.len();
    if whole <= most {
        return whole;
    }
    text.truncate(text.floor_char_boundary(most));
    let left_out = whole - text.len();
    text.push_str(&format!("\n[{left_out} bytes left out]"));
    most
}

/// What the model reads of a block.
fn text(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => {
            format!(
                "[image, {}, {} bytes of base64]",
                image.mime_type,
                image.data.len()
            )
        }
        ContentBlock::Audio(audio) => {
            format!(
                "[sound, {}, {} bytes of base64]",
                audio.mime_type,
                audio.data.len()
            )
        }
        ContentBlock::Resource(resource) => match &resource.resource {
            ResourceContents::TextResourceContents { uri, text, .. } => format!("[{uri}]\n{text}"),
            ResourceContents::BlobResourceContents { uri, blob, .. } => {
                format!("[{uri}, {} bytes of base64]", blob.len())
            }
            _ => UNKNOWN.to_owned(),
        },
        ContentBlock::ResourceLink(link) => format!("[link to {}: {}]", link.name, link.uri),
        _ => UNKNOWN.to_owned(),
    }
}

/// The block for the client. Both protocols write it the same way.
fn shown(block: &ContentBlock) -> acp::ToolCallContent {
    serde_json::to_value(block)
        .and_then(serde_json::from_value::<acp::ContentBlock>)
        .unwrap_or_else(|_| text(block).into())
        .into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn end(result: Value) -> ToolOutcome {
        outcome(result).unwrap()
    }

    #[test]
    fn every_kind_of_block_reaches_the_client_as_it_is_and_the_model_as_text() {
        let rows = [
            (json!({"type": "text", "text": "hello"}), "hello"),
            (
                json!({"type": "image", "mimeType": "image/png", "data": "AAAA"}),
                "[image, image/png, 4 bytes of base64]",
            ),
            (
                json!({"type": "audio", "mimeType": "audio/wav", "data": "AAAA"}),
                "[sound, audio/wav, 4 bytes of base64]",
            ),
            (
                json!({"type": "resource", "resource": {"uri": "x:1", "text": "inner"}}),
                "[x:1]\ninner",
            ),
            (
                json!({"type": "resource", "resource": {"uri": "x:1", "blob": "AAAA"}}),
                "[x:1, 4 bytes of base64]",
            ),
            (
                json!({"type": "resource_link", "uri": "x:1", "name": "one"}),
                "[link to one: x:1]",
            ),
        ];
        for (block, text) in rows {
            let end = end(json!({"content": [block]}));
            assert_eq!(end.outcome, Outcome::Completed);
            assert_eq!(end.text, text);
            let shown = serde_json::to_value(&end.content).unwrap();
            assert_eq!(shown, json!([{"type": "content", "content": block}]));
        }
    }

    #[test]
    fn structured_content_is_kept_and_speaks_where_there_is_no_text() {
        let result = end(json!({"content": [], "structuredContent": {"id": "p-1"}}));
        assert_eq!(result.text, r#"{"id":"p-1"}"#);
        assert_eq!(result.structured, Some(json!({"id": "p-1"})));
        assert_eq!(result.content.len(), 1);
    }

    #[test]
    fn an_error_is_a_failure_and_never_silent() {
        let error = json!({"content": [{"type": "text", "text": "no disk"}], "isError": true});
        let result = end(error);
        assert_eq!(
            (result.outcome, result.text.as_str()),
            (Outcome::Failed, "no disk")
        );
        let silent = end(json!({"content": [], "isError": true}));
        assert_eq!(silent.text, "the tool failed and did not say why");
    }

    #[test]
    fn what_is_too_large_is_cut_and_said() {
        let long = "é".repeat(MAX_TEXT);
        let block = json!({"type": "text", "text": long});
        let end = end(json!({"content": [block, block, block], "structuredContent": long}));
        assert!(end.text.len() < MAX_TEXT + 100);
        assert!(end.text.contains(&format!("[{MAX_TEXT} bytes left out]")));
        assert!(end.text.contains("[2 more blocks left out]"));
        assert!(end.text.contains("[structured result left out: "));
        assert_eq!(end.content.len(), 2);
        assert_eq!(end.structured, None);

        let image = |size: usize| json!({"type": "image", "mimeType": "image/png", "data": "A".repeat(size)});
        let large = json!({"content": [image(MAX_RESULT), image(4)]});
        let end = outcome(large).unwrap();
        let words = "[too large to be shown: ";
        assert!(end.text.starts_with(words), "{}", end.text);
        assert!(end.text.ends_with("[image, image/png, 4 bytes of base64]"));
    }

    #[test]
    fn any_number_of_blocks_is_bounded() {
        let link = json!({"type": "resource_link", "uri": "x".repeat(1_000), "name": "one"});
        let text = json!({"type": "text", "text": "a ".repeat(5_000)});
        for block in [link, text] {
            let end = end(json!({"content": vec![block; 10_000]}));
            assert!(end.text.len() < MAX_TEXT + 2 * SLACK, "{}", end.text.len());
            let shown = serde_json::to_string(&end.content).unwrap();
            assert!(shown.len() < MAX_RESULT + MAX_RESULT / 8, "{}", shown.len());
        }
    }

    #[test]
    fn what_is_odd_about_a_result_costs_no_more_than_it() {
        let unknown_first = format!("{UNKNOWN}\nx");
        let rows = [
            (json!({}), Some("")),
            (json!({"content": null}), Some("")),
            (json!({"content": "done"}), Some("done")),
            (
                json!({"content": [null, {"type": "text", "text": "x"}]}),
                Some(unknown_first.as_str()),
            ),
            (json!({"content": [{"type": "hologram"}]}), Some(UNKNOWN)),
            (json!({"content": [], "structuredContent": null}), Some("")),
            (json!({"content": 7}), None),
            (json!({"resultType": "task", "content": []}), None),
            (json!(null), None),
            (json!("done"), None),
        ];
        for (result, text) in rows {
            let got = outcome(result.clone()).map(|end| end.text);
            assert_eq!(got.as_deref(), text, "{result}");
        }
    }

    #[test]
    fn blocks_without_anything_in_them_are_bounded_too() {
        let end = end(json!({"content": vec![json!({"type": "text", "text": ""}); 100_000]}));
        assert_eq!(end.content.len(), MAX_BLOCKS + 1);
        assert!(
            end.text.ends_with("[99000 more blocks left out]"),
            "{}",
            end.text
        );
    }
}
