//! The id of a request, exactly as its sender wrote it.
//!
//! Apart from the messages because an id has one rule of its own: it goes back byte
//! for byte. A number type would round 10^30 and turn `1.0` into `1`, and the sender
//! would never find its answer.
//!
//! JSON-RPC: <https://www.jsonrpc.org/specification#request_object>
//! ACP: <https://agentclientprotocol.com/protocol/v1/schema#requestid>

use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use serde_json::value::RawValue;

/// The id of a request: a JSON string, number or null, kept as it was written.
#[derive(Clone, Serialize)]
#[serde(transparent)]
pub struct RequestId(Arc<RawValue>);

impl RequestId {
    /// The id of answers to what had no usable id.
    pub(crate) fn null() -> Self {
        Self(Arc::from(RawValue::NULL.to_owned()))
    }

    /// `None` for what cannot be an id: an object, an array, a boolean.
    pub(crate) fn from_raw(raw: &RawValue) -> Option<Self> {
        match raw.get().as_bytes() {
            [b'{' | b'[' | b't' | b'f', ..] => None,
            _ => Some(Self(Arc::from(raw.to_owned()))),
        }
    }

    /// The id as JSON text.
    pub fn as_json(&self) -> &str {
        self.0.get()
    }

    /// One text for all spellings of one string: `"\u0061"` and `"a"` are the same id.
    /// Numbers keep their spelling.
    pub(crate) fn canonical(&self) -> String {
        let text = self.as_json();
        if text.contains('\\')
            && let Ok(Ok(plain)) =
                serde_json::from_str::<String>(text).map(|value| serde_json::to_string(&value))
        {
            return plain;
        }
        text.to_owned()
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_json())
    }
}

impl fmt::Debug for RequestId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "RequestId({})", self.as_json())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> Option<RequestId> {
        RequestId::from_raw(serde_json::from_str(text).unwrap())
    }

    #[test]
    fn strings_numbers_and_null_are_ids_and_nothing_else_is() {
        for text in [
            "0",
            "-1",
            "1.5",
            "1e3",
            "null",
            "\"\"",
            "\"a b\"",
            "1000000000000000000000000000000",
        ] {
            assert_eq!(id(text).unwrap().as_json(), text);
        }
        for text in ["true", "false", "{}", "[]", "[1]"] {
            assert!(id(text).is_none(), "{text}");
        }
    }

    #[test]
    fn spellings_of_one_string_are_one_id() {
        assert_eq!(id(r#""\u0061""#).unwrap().canonical(), r#""a""#);
        assert_eq!(id(r#""\"""#).unwrap().canonical(), r#""\"""#);
        // No text at all, yet valid JSON: it stays as it is.
        assert_eq!(id(r#""\ud800""#).unwrap().canonical(), r#""\ud800""#);
        assert_ne!(
            id("1").unwrap().canonical(),
            id("\"1\"").unwrap().canonical()
        );
    }
}
