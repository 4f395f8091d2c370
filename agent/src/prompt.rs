//! From the content blocks of a prompt to the parts that a model is given.
//!
//! Pure: nothing is read or fetched here. A link stays a link; the model asks for it with a tool,
//! which the mode and the user can refuse.
//!
//! Must stay true: what was sent is used, refused with an error, or named in a note to the model.
//! Nothing is dropped silently.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/content>
//! ACP: <https://agentclientprotocol.com/protocol/v1/initialization#prompt-capabilities>

use std::path::PathBuf;

use base64::{
    Engine,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use percent_encoding::percent_decode_str;
use serde_json::value::RawValue;

use crate::{acp, error::RequestError, model::Part};

/// Base64 with or without padding: clients differ, and the bytes are the same.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

const KNOWN_TYPES: [&str; 5] = ["text", "image", "audio", "resource_link", "resource"];

/// Reads the `prompt` member. A type that v1 does not have becomes a text that names it; a block of
/// a known type with a member missing or wrong is an error.
///
/// # Errors
/// `InvalidParams`, with the number of the block and the reason, never with its content.
pub fn blocks(raw: &[Box<RawValue>]) -> Result<Vec<acp::ContentBlock>, RequestError> {
    #[derive(serde::Deserialize)]
    struct Tag {
        r#type: String,
    }
    let block = |(index, raw): (usize, &RawValue)| {
        let wrong = |reason: &str| {
            RequestError::InvalidParams(format!("prompt[{index}] is no content block: {reason}"))
        };
        let Tag { r#type: kind } =
            serde_json::from_str(raw.get()).map_err(|_| wrong("it has no string \"type\""))?;
        if !KNOWN_TYPES.contains(&kind.as_str()) {
            return Ok(note(&format!(
                "a content block of the unknown type {}",
                name(&kind)
            )));
        }
        serde_json::from_str(raw.get())
            .map_err(|_| wrong(&format!("a member of \"{kind}\" is missing or wrong")))
    };
    raw.iter()
        .map(AsRef::as_ref)
        .enumerate()
        .map(block)
        .collect()
}

/// A stand-in for what cannot be passed on, so that the model and the transcript name it.
fn note(what: &str) -> acp::ContentBlock {
    acp::ContentBlock::Text(acp::TextContent::new(format!("[{what}]")))
}

fn name(kind: &str) -> String {
    format!("{:?}", kind.chars().take(64).collect::<String>())
}

/// The parts for the model.
///
/// # Errors
/// `InvalidParams` for audio, which is not advertised, and for image data that is not base64.
pub fn parts(blocks: &[acp::ContentBlock]) -> Result<Vec<Part>, RequestError> {
    blocks
        .iter()
        .enumerate()
        .map(|(index, block)| part(index, block))
        .collect()
}

fn part(index: usize, block: &acp::ContentBlock) -> Result<Part, RequestError> {
    let wrong = |what: &str| {
        Err(RequestError::InvalidParams(format!(
            "prompt[{index}]: {what}"
        )))
    };
    match block {
        acp::ContentBlock::Text(text) => Ok(Part::Text(text.text.clone())),
        acp::ContentBlock::Image(image) => match decode(&image.data) {
            Some(data) => Ok(Part::Image {
                mime_type: image.mime_type.trim().to_ascii_lowercase(),
                data,
            }),
            None => wrong("the image's data is empty or not base64"),
        },
        acp::ContentBlock::Audio(_) => {
            wrong("audio is not supported; see promptCapabilities in the answer to initialize")
        }
        acp::ContentBlock::ResourceLink(link) => Ok(Part::ResourceLink {
            name: link.name.clone(),
            path: file_path(&link.uri),
            uri: link.uri.clone(),
        }),
        acp::ContentBlock::Resource(resource) => embedded(index, &resource.resource),
        _ => Ok(Part::Text(
            "[a content block that this agent cannot read]".into(),
        )),
    }
}

/// An image in a resource is an image, whichever way it came.
fn embedded(index: usize, resource: &acp::EmbeddedResourceResource) -> Result<Part, RequestError> {
    match resource {
        acp::EmbeddedResourceResource::TextResourceContents(text) => Ok(Part::Resource {
            uri: text.uri.clone(),
            text: text.text.clone(),
        }),
        acp::EmbeddedResourceResource::BlobResourceContents(blob) => {
            let Some(data) = decode(&blob.blob) else {
                return Err(RequestError::InvalidParams(format!(
                    "prompt[{index}]: the resource's blob is empty or not base64"
                )));
            };
            let mime_type = blob.mime_type.as_deref().unwrap_or_default();
            let mime_type = mime_type.trim().to_ascii_lowercase();
            if mime_type.starts_with("image/") {
                return Ok(Part::Image { mime_type, data });
            }
            let text = String::from_utf8(data).unwrap_or_else(|error| {
                format!("[{} bytes of binary data]", error.into_bytes().len())
            });
            Ok(Part::Resource {
                uri: blob.uri.clone(),
                text,
            })
        }
        _ => Ok(Part::Text(
            "[an embedded resource that this agent cannot read]".into(),
        )),
    }
}

/// The bytes, or nothing when there are none. Line breaks and blanks between the digits, which
/// MIME encoders make, are no part of the data.
fn decode(data: &str) -> Option<Vec<u8>> {
    let bytes = if data.bytes().any(|byte| byte.is_ascii_whitespace()) {
        let digits: Vec<u8> = data
            .bytes()
            .filter(|byte| !byte.is_ascii_whitespace())
            .collect();
        BASE64.decode(digits).ok()?
    } else {
        BASE64.decode(data).ok()?
    };
    (!bytes.is_empty()).then_some(bytes)
}

/// The path that a `file://` URI names, each segment decoded once. An escaped slash or NUL cannot
/// be part of a file's name, so such a URI names no file.
#[must_use]
pub fn file_path(uri: &str) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    let scheme = uri.get(..7)?;
    if !scheme.eq_ignore_ascii_case("file://") {
        return None;
    }
    let rest = uri[7..].split(['?', '#']).next()?;
    let (host, path) = rest.split_at(rest.find('/')?);
    if !(host.is_empty() || host.eq_ignore_ascii_case("localhost")) {
        return None;
    }
    let mut decoded = Vec::with_capacity(path.len());
    for segment in path.split('/').skip(1) {
        let segment: Vec<u8> = percent_decode_str(segment).collect();
        if segment.iter().any(|byte| matches!(byte, b'/' | 0)) {
            return None;
        }
        decoded.push(b'/');
        decoded.extend(segment);
    }
    Some(PathBuf::from(std::ffi::OsString::from_vec(decoded)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<Vec<Part>, RequestError> {
        let raw: Vec<Box<RawValue>> = serde_json::from_str(json).unwrap();
        parts(&blocks(&raw)?)
    }

    #[test]
    fn file_uris() {
        for (uri, path) in [
            ("file:///w/n.txt", Some("/w/n.txt")),
            ("file://localhost/w/n.txt", Some("/w/n.txt")),
            ("FILE:///w/n.txt", Some("/w/n.txt")),
            (
                "file:///w/a%20b%231%3F%26%2B%2525%C3%A9.txt",
                Some("/w/a b#1?&+%25é.txt"),
            ),
            ("file:///w/a#L10", Some("/w/a")),
            ("file:///w/..%2Fetc", None),
            ("file:///w/a%00b", None),
            ("file://elsewhere/w/n.txt", None),
            ("https://example.invalid/x", None),
            ("file:w", None),
            ("é", None),
        ] {
            assert_eq!(file_path(uri), path.map(PathBuf::from), "{uri}");
        }
    }

    #[test]
    fn images_come_in_three_ways() {
        let image = |mime: &str| Part::Image {
            mime_type: mime.into(),
            data: vec![1, 2, 3],
        };
        for json in [
            r#"[{"type":"image","mimeType":"image/png","data":"AQID"}]"#,
            r#"[{"type":"image","mimeType":"IMAGE/PNG","data":" AQ\nID "}]"#,
            r#"[{"type":"resource","resource":{"uri":"file:///x.png","mimeType":"image/png","blob":"AQID"}}]"#,
        ] {
            assert_eq!(read(json).unwrap(), [image("image/png")], "{json}");
        }
    }

    #[test]
    fn what_cannot_be_used_is_refused_or_named() {
        for json in [
            r#"[{"type":"image","mimeType":"image/png","data":"***"}]"#,
            r#"[{"type":"image","mimeType":"image/png","data":""}]"#,
            r#"[{"type":"image","data":"AQID"}]"#,
            r#"[{"type":"audio","mimeType":"audio/wav","data":"AQID"}]"#,
            r#"[{"text":"no type"}]"#,
            r#"["text"]"#,
        ] {
            assert!(
                matches!(read(json), Err(RequestError::InvalidParams(_))),
                "{json}"
            );
        }
        let Part::Text(note) = &read(r#"[{"type":"hologram","x":1}]"#).unwrap()[0] else {
            panic!("not a note")
        };
        assert!(note.contains("hologram"));
    }
}
