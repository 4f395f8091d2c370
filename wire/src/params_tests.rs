//! What an error says about params, and what it keeps to itself.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::*;
use crate::error::INVALID_PARAMS;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
struct Sample {
    port: u16,
    kind: Kind,
    either: Option<Either>,
    pair: Option<(u8, u8)>,
    custom: Option<Custom>,
    any: Option<serde_json::Value>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Read,
    Edit,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
#[allow(dead_code)]
enum Either {
    Number(u8),
    List(Vec<u8>),
}

#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
struct Custom;

impl TryFrom<String> for Custom {
    type Error = String;
    fn try_from(value: String) -> Result<Self, String> {
        Err(format!("no good: {value}"))
    }
}

fn params(text: &str) -> Params {
    Params::new(Some(serde_json::from_str(text).unwrap()))
}

#[test]
fn the_reason_and_the_place_are_said_and_the_value_is_not() {
    let deep = ["[".repeat(100_000), "]".repeat(100_000)].join("\"SECRET\"");
    let deep = format!(r#"{{"any":{deep}}}"#);
    let fields = "one of `port`, `kind`, `either`, `pair`, `custom`, `any`";
    let table = [
        (
            r#"{"port":"SECRET"}"#,
            "invalid type: string, expected u16",
            16,
        ),
        // A value that imitates serde's own text.
        (
            r#"{"port":"SECRET, expected `SECRET`"}"#,
            "invalid type: string, expected u16",
            35,
        ),
        (
            r#"{"port":70000123}"#,
            "invalid value: integer, expected u16",
            16,
        ),
        (
            r#"{"port":1.25}"#,
            "invalid type: floating point, expected u16",
            12,
        ),
        (
            r#"{"port":true}"#,
            "invalid type: boolean, expected u16",
            12,
        ),
        (r#"{"port":null}"#, "invalid type: null, expected u16", 12),
        (r#"{"port":{}}"#, "invalid type: map, expected u16", 8),
        (r#"{"port":1}"#, "missing field `kind`", 10),
        (r#"{"port":1,"port":2}"#, "duplicate field `port`", 16),
        (
            r#"{"kind":"SECRET"}"#,
            "unknown variant, expected `read` or `edit`",
            16,
        ),
        (
            r#"{"SECRET":1}"#,
            &format!("unknown field, expected {fields}"),
            9,
        ),
        (
            r#"{"either":"SECRET"}"#,
            "the value has none of the known forms",
            19,
        ),
        (
            r#"{"pair":[1]}"#,
            "invalid length 1, expected a tuple of size 2",
            11,
        ),
        (r#"{"custom":"SECRET"}"#, "a value has the wrong form", 19),
        (r#"["SECRET"]"#, "invalid type: string, expected u16", 9),
        (&deep, "recursion limit exceeded", 134),
    ];
    for (text, reason, place) in table {
        let error = params(text).parse::<Sample>().unwrap_err();
        let expected = format!("Invalid params: {reason} (at byte {place})");
        assert_eq!(error, Error::new(INVALID_PARAMS, expected), "{text}");
    }
}

#[test]
fn absent_params_are_read_as_an_empty_object() {
    let none = Params::default();
    assert_eq!(none.parse::<BTreeMap<String, u8>>(), Ok(BTreeMap::new()));
    assert!(none.raw().is_none());
    let error = none.parse::<Sample>().unwrap_err();
    assert_eq!(
        error.message,
        "Invalid params: missing field `port` (at byte 2)"
    );
}
