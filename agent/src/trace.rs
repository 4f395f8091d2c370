//! The trace context of a prompt, on its way to the tool servers.
//!
//! Clients that trace what a prompt causes put it into `_meta`, under three names that are
//! reserved for it. It is handed on and never looked at.
//!
//! Must stay true: nothing else of `_meta` goes on. It is between the client and this agent.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/extensibility#the-_meta-field>

use std::sync::Arc;

use serde_json::{Map, Value};

/// The reserved names.
const NAMES: [&str; 3] = ["traceparent", "tracestate", "baggage"];

/// The longest value that is handed on, in bytes: what the W3C asks a receiver to take of baggage.
const LONGEST: usize = 8 * 1024;

/// What is handed on. Cheap to clone; mostly nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trace(Option<Arc<Map<String, Value>>>);

impl Trace {
    /// The trace context in the `_meta` of a request.
    #[must_use]
    pub fn of(meta: Option<&Value>) -> Self {
        let value = |name: &str| {
            let value = meta?.get(name)?.as_str()?;
            (value.len() <= LONGEST).then(|| (name.to_owned(), Value::from(value)))
        };
        let found: Map<_, _> = NAMES.into_iter().filter_map(value).collect();
        Self((!found.is_empty()).then(|| Arc::new(found)))
    }

    /// The members, for a `_meta`; nothing where there are none.
    #[must_use]
    pub fn members(&self) -> Option<Map<String, Value>> {
        self.0.as_deref().cloned()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_is_reserved_goes_on() {
        let meta = json!({
            "traceparent": "00-1-2-01",
            "tracestate": 7,
            "baggage": "x".repeat(LONGEST + 1),
            "example.com/secret": "s",
        });
        let members = Trace::of(Some(&meta)).members().unwrap();
        assert_eq!(Value::Object(members), json!({"traceparent": "00-1-2-01"}));
        for meta in [
            None,
            Some(json!({})),
            Some(json!("text")),
            Some(json!(null)),
        ] {
            assert_eq!(Trace::of(meta.as_ref()).members(), None, "{meta:?}");
        }
    }
}
