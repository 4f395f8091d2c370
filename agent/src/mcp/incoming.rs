//! What one line of a tool server means, as a pure function.
//!
//! rmcp guesses the kind of a result by its members, drops a message over one member that it does
//! not expect, and leaves the request unanswered then. Here the envelope is read first and the
//! content by whoever asked for it, so that whatever a server answers, its request has an answer.
//!
//! Must stay true: a message with the id of a request ends that request. Depth and bytes that are
//! no UTF-8 are no way around it.
//!
//! MCP: <https://modelcontextprotocol.io/specification/2025-11-25/basic>

use std::borrow::Cow;

use rmcp::model::{
    CustomResult, ErrorCode, ErrorData, InitializeResult, JsonRpcMessage, RequestId,
    ServerJsonRpcMessage, ServerResult,
};
use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};

/// The code of an error that no server has sent: its answer cannot be read.
pub(super) const UNREADABLE: ErrorCode = ErrorCode(0);

/// A line of a server.
#[derive(Debug)]
pub(super) enum Incoming {
    /// The answer to a request, whatever it is.
    Answer(Box<ServerJsonRpcMessage>),
    /// It asks for something; this is the answer.
    Question(Value),
    /// The list of its tools has changed.
    ToolsChanged,
    /// Several messages in one. MCP has no batches, and an answer may have been among them.
    Batch,
    /// Nothing that this client listens to.
    Nothing,
}

/// A message, with its content unread: that may be nested too deep.
#[derive(Deserialize)]
struct Envelope<'a> {
    id: Option<RequestId>,
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

/// Reads a line. Before the handshake is over, `greeted` is false.
pub(super) fn read(line: &[u8], greeted: bool) -> Incoming {
    let text = String::from_utf8_lossy(line);
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.starts_with("[{") {
        return Incoming::Batch;
    }
    let Ok(envelope) = serde_json::from_str::<Envelope<'_>>(text) else {
        // Servers log to stdout although they must not.
        return Incoming::Nothing;
    };
    match (envelope.method.as_deref(), envelope.id) {
        (Some("notifications/tools/list_changed"), None) => Incoming::ToolsChanged,
        (Some(_), None) => Incoming::Nothing,
        (Some(method), Some(id)) => Incoming::Question(reply(method, &id)),
        (None, id) => match (envelope.error, envelope.result, id) {
            (Some(error), _, id) => answer(JsonRpcMessage::error(refusal(error), id)),
            (None, Some(result), Some(id)) => answer(success(result, id, greeted)),
            (None, None, Some(id)) => {
                answer(unreadable("it has neither a result nor an error", id))
            }
            (None, _, None) => Incoming::Nothing,
        },
    }
}

fn answer(message: ServerJsonRpcMessage) -> Incoming {
    Incoming::Answer(Box::new(message))
}

/// This client declares no capability, so there is nothing to ask it for.
fn reply(method: &str, id: &RequestId) -> Value {
    if method == "ping" {
        return json!({"jsonrpc": "2.0", "id": id, "result": {}});
    }
    let error = json!({"code": -32601, "message": "this client does not offer that"});
    json!({"jsonrpc": "2.0", "id": id, "error": error})
}

fn success(result: &RawValue, id: RequestId, greeted: bool) -> ServerJsonRpcMessage {
    if !greeted && let Ok(welcome) = serde_json::from_str::<InitializeResult>(result.get()) {
        return JsonRpcMessage::response(ServerResult::InitializeResult(welcome), id);
    }
    match serde_json::from_str(result.get()) {
        Ok(value) => JsonRpcMessage::response(ServerResult::CustomResult(CustomResult(value)), id),
        Err(error) => unreadable(&error.to_string(), id),
    }
}

fn unreadable(why: &str, id: RequestId) -> ServerJsonRpcMessage {
    JsonRpcMessage::error(ErrorData::new(UNREADABLE, why.to_owned(), None), Some(id))
}

/// What an error says, in whichever shape it does so.
fn refusal(error: &RawValue) -> ErrorData {
    let value: Value = serde_json::from_str(error.get()).unwrap_or_default();
    let code = value["code"].as_i64().and_then(|code| code.try_into().ok());
    let words = value["message"].as_str().or(value.as_str());
    let words = words.filter(|words| !words.is_empty());
    ErrorData::new(
        code.map_or(ErrorCode::INTERNAL_ERROR, ErrorCode),
        words.unwrap_or("it gave no reason").to_owned(),
        None,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kind of a line, and what is in it.
    fn shown(line: &[u8]) -> String {
        match read(line, true) {
            Incoming::Answer(message) => match *message {
                JsonRpcMessage::Response(response) => match response.result {
                    ServerResult::CustomResult(result) => format!("{}={}", response.id, result.0),
                    result => format!("{result:?}"),
                },
                JsonRpcMessage::Error(error) => {
                    let id = error.id.map_or("-".to_owned(), |id| id.to_string());
                    format!("{id}!{} {}", error.error.code.0, error.error.message)
                }
                message => format!("{message:?}"),
            },
            Incoming::Question(answer) => format!("?{answer}"),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn what_a_line_means() {
        #[rustfmt::skip]
        let rows: [(&[u8], &str); 18] = [
            (br#"{"jsonrpc":"2.0","id":1,"result":{"a":1}}"#,      r#"1={"a":1}"#),
            (b"\xef\xbb\xbf{\"id\":1,\"result\":{}}\r",             "1={}"),
            (br#"{"id":"1","result":[]}"#,                          "1=[]"),
            (b"{\"id\":1,\"result\":\"caf\xe9\"}",                  "1=\"caf\u{fffd}\""),
            (br#"{"id":1,"result":null}"#,                          "1!0 it has neither a result nor an error"),
            (br#"{"id":1}"#,                                        "1!0 it has neither a result nor an error"),
            (br#"{"id":1,"error":{"code":-5,"message":"no"}}"#,     "1!-5 no"),
            (br#"{"id":1,"error":"no"}"#,                           "1!-32603 no"),
            (br#"{"id":1,"error":{"code":1e99}}"#,                  "1!-32603 it gave no reason"),
            (br#"{"id":null,"error":{"code":-5,"message":"no"}}"#,  "-!-5 no"),
            (br#"{"id":1,"method":"ping"}"#,                        r#"?{"jsonrpc":"2.0","id":1,"result":{}}"#),
            (br#"{"method":"notifications/tools/list_changed"}"#,   "ToolsChanged"),
            (br#"{"method":"notifications/progress","params":7}"#,  "Nothing"),
            (br#"[{"id":1,"result":{}}]"#,                          "Batch"),
            (b"[debug] listening",                                  "Nothing"),
            (b"",                                                   "Nothing"),
            (br#"{"id":{},"result":{}}"#,                           "Nothing"),
            (br#"{"result":{}}"#,                                   "Nothing"),
        ];
        for (line, meaning) in rows {
            assert_eq!(shown(line), meaning, "{}", String::from_utf8_lossy(line));
        }
    }

    #[test]
    fn nothing_is_granted() {
        for method in [
            "sampling/createMessage",
            "roots/list",
            "elicitation/create",
            "x",
        ] {
            let shown = shown(format!(r#"{{"id":"q","method":"{method}"}}"#).as_bytes());
            assert!(shown.contains("-32601"), "{shown}");
        }
    }

    #[test]
    fn depth_is_an_answer_too() {
        let deep = format!(
            r#"{{"id":1,"result":{}{}}}"#,
            "[".repeat(100_000),
            "]".repeat(100_000)
        );
        assert!(shown(deep.as_bytes()).starts_with("1!0 recursion limit"));
    }

    #[test]
    fn only_the_first_answer_is_a_welcome() {
        let welcome = br#"{"id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}"#;
        let is_welcome = |greeted| match read(welcome, greeted) {
            Incoming::Answer(message) => matches!(
                *message,
                JsonRpcMessage::Response(response)
                    if matches!(response.result, ServerResult::InitializeResult(_))
            ),
            _ => false,
        };
        assert!(is_welcome(false) && !is_welcome(true));
    }
}
