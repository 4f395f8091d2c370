//! What is written can be read, and what could not be read is not written.

use serde_json::{Value, json};

use super::*;
use crate::acp;
use crate::store::TurnEnd;

fn path() -> &'static Path {
    Path::new("s.jsonl")
}

fn note(text: &str) -> Item {
    Item::Note {
        text: text.to_owned(),
    }
}

/// One of each kind, and the line that it is.
fn table() -> Vec<(Item, &'static str)> {
    let call = acp::ToolCall::new("t1", "Read a.txt")
        .kind(acp::ToolKind::Read)
        .status(acp::ToolCallStatus::Completed)
        .raw_input(json!({"path": "a.txt"}));
    let text = |text: &str| acp::ContentBlock::Text(acp::TextContent::new(text));
    vec![
        (
            Item::UserMessage {
                message_id: "m1".to_owned(),
                content: vec![text("grüß\n\"dich\"")],
                at: "2026-01-31T09:00:05Z".to_owned(),
            },
            r#"{"item":"user_message","message_id":"m1","content":[{"type":"text","text":"grüß\n\"dich\""}],"at":"2026-01-31T09:00:05Z"}"#,
        ),
        (
            Item::AgentMessage {
                message_id: "m2".to_owned(),
                text: "hello".to_owned(),
            },
            r#"{"item":"agent_message","message_id":"m2","text":"hello"}"#,
        ),
        (
            Item::AgentThought {
                message_id: "m3".to_owned(),
                text: "hm".to_owned(),
            },
            r#"{"item":"agent_thought","message_id":"m3","text":"hm"}"#,
        ),
        (
            Item::ToolCall {
                call,
                request: stub_model::ToolCall {
                    id: "c1".to_owned(),
                    name: "read_file".to_owned(),
                    arguments: json!({"path": "a.txt"}),
                },
                outcome: stub_model::Outcome::Completed,
                text: "hello".to_owned(),
                structured: Some(json!([1, -2.5, null])),
            },
            r#"{"item":"tool_call","call":{"toolCallId":"t1","title":"Read a.txt","kind":"read","status":"completed","rawInput":{"path":"a.txt"}},"request":{"id":"c1","name":"read_file","arguments":{"path":"a.txt"}},"outcome":"completed","text":"hello","structured":[1,-2.5,null]}"#,
        ),
        (
            Item::Plan {
                entries: vec![stub_model::PlanEntry {
                    content: "look".to_owned(),
                    priority: stub_model::Priority::High,
                    status: stub_model::Progress::InProgress,
                }],
            },
            r#"{"item":"plan","entries":[{"content":"look","priority":"high","status":"in_progress"}]}"#,
        ),
        (
            Item::Mode {
                id: "plan".to_owned(),
            },
            r#"{"item":"mode","id":"plan"}"#,
        ),
        (
            Item::Grant {
                key: "shell ls".to_owned(),
                allow: true,
            },
            r#"{"item":"grant","key":"shell ls","allow":true}"#,
        ),
        (note("stopped"), r#"{"item":"note","text":"stopped"}"#),
        (
            Item::Title {
                title: "T".to_owned(),
            },
            r#"{"item":"title","title":"T"}"#,
        ),
        (
            Item::TurnEnd {
                end: TurnEnd::EndTurn,
                at: "2026-01-31T09:00:06Z".to_owned(),
            },
            r#"{"item":"turn_end","end":"end_turn","at":"2026-01-31T09:00:06Z"}"#,
        ),
        (
            Item::TurnEnd {
                end: TurnEnd::Failed {
                    message: "no".to_owned(),
                },
                at: String::new(),
            },
            r#"{"item":"turn_end","end":{"failed":{"message":"no"}},"at":""}"#,
        ),
    ]
}

#[test]
fn each_kind_is_one_line_and_comes_back() {
    for (item, line) in table() {
        let written = encode_item(&item, path()).unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), format!("{line}\n"));
        assert_eq!(decode_item(line.as_bytes()), Ok(item));
    }
}

#[test]
fn members_of_a_later_version_are_ignored() {
    let line = br#"{"item":"note","since":2,"text":"x","more":{"deep":[1]}}"#;
    assert_eq!(decode_item(line), Ok(note("x")));
    let line = br#"{"format":1,"session_id":"s","cwd":"/w","created":"now","since":2}"#;
    let header = decode_header(line, path(), "s").unwrap();
    assert_eq!(header.cwd, Path::new("/w"));
}

#[test]
fn the_newline_of_an_editor_does_no_harm() {
    assert_eq!(
        decode_item(b"{\"item\":\"note\",\"text\":\"x\"}\r"),
        Ok(note("x"))
    );
}

#[test]
fn what_is_not_json_is_told_from_what_is_not_an_item() {
    // (line, is it JSON at least?)
    let table: [(&[u8], bool); 13] = [
        (b"", false),
        (b"\0\0\0\0", false),
        (b"\xef\xbb\xbf{\"item\":\"note\",\"text\":\"x\"}", false),
        (b"{\"item\":\"note\",\"text\":\"x\"", false),
        (b"{\"item\":\"note\",\"text\":\"\xc3\"}", false),
        (b"{\"item\":\"note\",\"text\":\"x\"}{}", false),
        (b"null", true),
        (b"[]", true),
        (b"{}", true),
        (b"{\"item\":\"spell\"}", true),
        (b"{\"item\":\"note\"}", true),
        (b"{\"item\":\"grant\",\"key\":\"k\"}", true),
        (b"{\"item\":\"note\",\"text\":1}", true),
    ];
    for (line, json) in table {
        let line_text = String::from_utf8_lossy(line);
        match decode_item(line) {
            Err(BadLine::NotJson(_)) => assert!(!json, "{line_text}"),
            Err(BadLine::NotAnItem(_)) => assert!(json, "{line_text}"),
            Ok(item) => panic!("{line_text} is {item:?}"),
        }
    }
}

#[test]
fn a_header_must_be_that_of_its_file() {
    let table = [
        (r#"{"format":2,"anything":"else"}"#, "has format 2"),
        (r#"{"format":0}"#, "there is no format 0"),
        (r#"{"format":"1"}"#, "not a header: invalid type"),
        ("{}", "missing field `format`"),
        ("no", "not a header: expected ident at column 2"),
        (
            r#"{"format":1,"session_id":"s","created":"now"}"#,
            "missing field `cwd`",
        ),
        (
            r#"{"format":1,"session_id":"t","cwd":"/w","created":"now"}"#,
            "the header is that of session `t`",
        ),
        (
            r#"{"format":1,"session_id":"../t","cwd":"/w","created":"now"}"#,
            "the header names no session",
        ),
    ];
    for (line, expected) in table {
        let message = decode_header(line.as_bytes(), path(), "s")
            .unwrap_err()
            .to_string();
        assert!(message.contains(expected), "{line}: {message}");
        assert!(message.starts_with("s.jsonl"), "{line}: {message}");
    }
}

/// A note's structured sibling: an item that is nested `levels` deep in all.
fn nested(levels: usize) -> Item {
    let mut value = Value::Null;
    for _ in 1..levels {
        value = json!([value]);
    }
    Item::ToolCall {
        call: acp::ToolCall::new("t", "a { in a string: \" \\ [["),
        request: stub_model::ToolCall {
            id: String::new(),
            name: String::new(),
            arguments: Value::Null,
        },
        outcome: stub_model::Outcome::Failed,
        text: String::new(),
        structured: Some(value),
    }
}

#[test]
fn what_is_nested_too_deeply_to_be_read_is_not_written() {
    let deepest = nested(MAX_DEPTH);
    let line = encode_item(&deepest, path()).unwrap();
    assert_eq!(decode_item(&line), Ok(deepest));

    let error = encode_item(&nested(MAX_DEPTH + 1), path()).unwrap_err();
    assert!(matches!(error, StoreError::Unstorable { .. }), "{error}");
    // The bound is the reader's, not one that is stricter than it.
    let line = serde_json::to_vec(&nested(MAX_DEPTH + 1)).unwrap();
    decode_item(&line).unwrap_err();
}

#[test]
fn what_is_too_long_to_be_read_is_not_written() {
    let line = encode(&"1234", 6, path()).unwrap();
    assert_eq!(line, b"\"1234\"\n");
    let error = encode(&"12345", 6, path()).unwrap_err().to_string();
    assert!(
        error.contains("takes 7 bytes, and 6 is the most"),
        "{error}"
    );
}

#[test]
fn a_reason_quotes_little_of_the_line() {
    let line = format!(r#"{{"item":"{}"}}"#, "é".repeat(5_000));
    let Err(BadLine::NotAnItem(reason)) = decode_item(line.as_bytes()) else {
        panic!("a kind that does not exist");
    };
    assert!(reason.len() < 2 * MAX_REASON, "{reason}");
}

#[test]
fn a_title_begins_as_the_list_expects() {
    let item = Item::Title {
        title: "T".to_owned(),
    };
    let line = encode_item(&item, path()).unwrap();
    assert!(line.starts_with(TITLE_LINE));
}
