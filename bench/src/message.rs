//! What a line from a contender is, found out as cheaply as can be.
//!
//! The bench stands in the path that it measures: at several hundred thousand chunks a second a
//! full parse of each line would be most of the time. So an update is recognised by its first
//! bytes, and only the few other lines are parsed.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/overview#communication-model>

use memchr::memmem;
use serde::Deserialize;
use serde_json::value::RawValue;

/// Where the method of an update stands at the latest, in bytes from the start of its line.
const METHOD_WITHIN: usize = 64;

/// A line, by what the bench has to do with it.
#[derive(Debug, PartialEq, Eq)]
pub enum Message {
    /// A `session/update`, or another notification.
    Update,
    /// The answer to a request of the bench.
    Answer {
        /// The request.
        id: u64,
        /// Its result, or its error, as JSON text.
        result: Result<String, String>,
    },
    /// A request for permission, with the answer to give.
    Permission {
        /// The agent's id, as JSON text.
        id: String,
        /// The option to take; absent when none allows.
        option: Option<String>,
    },
    /// Any other request, by its id as JSON text.
    Request(String),
    /// Nothing that the bench understands.
    Noise,
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    method: Option<String>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Permission {
    options: Vec<PermissionOption>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PermissionOption {
    option_id: String,
    kind: String,
}

impl Message {
    /// What this line is.
    pub fn read(line: &[u8]) -> Message {
        let start = &line[..line.len().min(METHOD_WITHIN)];
        if memmem::find(start, b"\"method\":\"session/update\"").is_some() {
            return Message::Update;
        }
        let Ok(line) = serde_json::from_slice::<Line>(line) else {
            return Message::Noise;
        };
        match (line.id, line.method.as_deref()) {
            (None, Some(_)) => Message::Update,
            (Some(id), Some("session/request_permission")) => Message::Permission {
                id: id.get().to_owned(),
                option: line.params.and_then(allow_once),
            },
            (Some(id), Some(_)) => Message::Request(id.get().to_owned()),
            (Some(id), None) => answer(id, line.result, line.error),
            (None, None) => Message::Noise,
        }
    }
}

fn answer(id: &RawValue, result: Option<&RawValue>, error: Option<&RawValue>) -> Message {
    let Ok(id) = id.get().parse() else {
        return Message::Noise;
    };
    let result = match (result, error) {
        (_, Some(error)) => Err(error.get().to_owned()),
        (Some(result), None) => Ok(result.get().to_owned()),
        (None, None) => Ok("null".to_owned()),
    };
    Message::Answer { id, result }
}

/// The first option that allows once; else the first that allows at all.
///
/// ACP: <https://agentclientprotocol.com/protocol/v1/tool-calls#requesting-permission>
fn allow_once(params: &RawValue) -> Option<String> {
    let options = serde_json::from_str::<Permission>(params.get())
        .ok()?
        .options;
    let first = |kind: &str| options.iter().find(|option| option.kind == kind);
    let option = first("allow_once").or_else(|| first("allow_always"))?;
    Some(option.option_id.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_what_it_says() {
        let permission = |options: &str| {
            format!(
                r#"{{"jsonrpc":"2.0","id":"p","method":"session/request_permission","params":{{"options":[{options}]}}}}"#
            )
        };
        let reject = r#"{"optionId":"n","name":"No","kind":"reject_once"}"#;
        let once = r#"{"optionId":"y","name":"Yes","kind":"allow_once"}"#;
        let always = r#"{"optionId":"a","name":"Always","kind":"allow_always"}"#;
        let allowed = |option: Option<&str>| Message::Permission {
            id: r#""p""#.to_owned(),
            option: option.map(str::to_owned),
        };
        for (line, message) in [
            (r#"{"jsonrpc":"2.0","method":"session/update","params":{}}"#.to_owned(), Message::Update),
            (r#"{"params":{"a":"a long one, so that the method stands late"},"method":"session/update"}"#.to_owned(), Message::Update),
            (r#"{"jsonrpc":"2.0","id":7,"result":{"a":1}}"#.to_owned(), Message::Answer { id: 7, result: Ok(r#"{"a":1}"#.to_owned()) }),
            (r#"{"id":7,"result":null}"#.to_owned(), Message::Answer { id: 7, result: Ok("null".to_owned()) }),
            (r#"{"id":7,"error":{"code":1}}"#.to_owned(), Message::Answer { id: 7, result: Err(r#"{"code":1}"#.to_owned()) }),
            (r#"{"id":"x","result":{}}"#.to_owned(), Message::Noise),
            (r#"{"id":1,"method":"fs/read_text_file"}"#.to_owned(), Message::Request("1".to_owned())),
            ("hello".to_owned(), Message::Noise),
            (permission(&[reject, always, once].join(",")), allowed(Some("y"))),
            (permission(&[reject, always].join(",")), allowed(Some("a"))),
            (permission(reject), allowed(None)),
        ] {
            assert_eq!(Message::read(line.as_bytes()), message, "{line}");
        }
    }
}
