//! What servers demand of a conversation, met for odd ones too.

use std::sync::Arc;

use super::transcript::*;
use crate::model::{Message, Outcome, Part, ToolCall, ToolResult, ToolSpec};
use serde_json::{Value, json};

fn user(text: &str) -> Message {
    Message::User(vec![Part::Text(text.to_owned())])
}

fn call(id: &str, arguments: Value) -> Message {
    Message::ToolCall(ToolCall {
        id: id.to_owned(),
        name: "read file".to_owned(),
        arguments,
    })
}

fn result(id: &str, outcome: Outcome, text: &str) -> Message {
    Message::ToolResult(ToolResult {
        id: id.to_owned(),
        outcome,
        text: text.to_owned(),
        structured: None,
    })
}

/// One line for each entry, short enough for a table.
fn shown(messages: &[Message]) -> Vec<String> {
    let line = |entry: &Entry<'_>| match entry {
        Entry::User(pieces) => {
            let pieces: Vec<String> = pieces
                .iter()
                .map(|piece| match piece {
                    Piece::Text(text) => text.to_string(),
                    Piece::Image { mime_type, data } => format!("{mime_type}:{}", data.len()),
                })
                .collect();
            format!("user {}", pieces.join("|"))
        }
        Entry::Model(text, calls) => {
            let calls: Vec<String> = calls
                .iter()
                .map(|call| format!("{}:{}:{}", call.id, call.name, call.arguments))
                .collect();
            format!("model {text}|{}", calls.join("|"))
        }
        Entry::Results(results) => {
            let results: Vec<String> = results
                .iter()
                .map(|ended| format!("{}:{}:{}", ended.id, ended.succeeded, ended.text))
                .collect();
            format!("results {}", results.join("|"))
        }
    };
    transcript(messages).iter().map(line).collect()
}

#[test]
fn speakers_take_turns() {
    let messages = [
        user("a"),
        Message::Note("n".into()),
        Message::Assistant("x".into()),
        Message::Assistant("  ".into()),
        Message::Assistant("y".into()),
        user(" "),
    ];
    assert_eq!(
        shown(&messages),
        [
            "user a|<note>n</note>",
            "model x\n\ny|",
            "user <note>The user sent nothing.</note>"
        ]
    );
}

#[test]
fn a_prompt_of_a_failed_turn_stands_apart() {
    let unanswered = "<note>The message above was not answered.</note>";
    assert_eq!(
        shown(&[user("a"), user("b"), Message::Note("n".into()), user("c")]),
        [format!("user a|{unanswered}|b|<note>n</note>|c")]
    );
    let answered = [
        user("a"),
        call("c", json!({})),
        result("c", Outcome::Completed, "r"),
        user("b"),
    ];
    assert_eq!(shown(&answered)[3], "user b");
}

#[test]
fn every_call_has_one_result_behind_it() {
    let messages = [
        user("a"),
        Message::Assistant("look".into()),
        call("c", json!({"p": 1})),
        call("d", json!("no object")),
        result("d", Outcome::Refused, "no"),
        result("c", Outcome::Completed, ""),
        result("z", Outcome::Completed, "of no call"),
        call("e", json!({})),
        user("b"),
        call("f", json!({})),
    ];
    let lost = "[cancelled]\nIt was cut off; nobody knows what it did.";
    assert_eq!(
        shown(&messages),
        [
            "user a".to_owned(),
            "model look|c:read_file:{\"p\":1}|d:read_file:{\"not_an_object\":\"no object\"}".into(),
            "results d:false:[refused]\nno|c:true:[no output]".into(),
            "model |e:read_file:{}".into(),
            format!("results e:false:{lost}"),
            "user b".into(),
            "model |f:read_file:{}".into(),
            format!("results f:false:{lost}"),
        ]
    );
}

#[test]
fn ids_are_unique_and_plain() {
    let mut messages = Vec::new();
    for id in ["a", "a", "", "ü", "call_3"] {
        messages.push(call(id, json!({})));
        messages.push(result(id, Outcome::Completed, id));
    }
    let results: Vec<String> = shown(&messages).into_iter().skip(1).step_by(2).collect();
    assert_eq!(
        results,
        [
            "results a:true:a",
            "results call_2:true:a",
            "results call_3:true:[no output]",
            "results call_4:true:ü",
            "results call_5:true:call_3",
        ]
    );
}

#[test]
fn what_a_prompt_is_made_of() {
    let image = |mime: &str| Part::Image {
        mime_type: mime.into(),
        data: vec![1, 2],
    };
    let messages = [Message::User(vec![
        image("image/png"),
        image("image/tiff"),
        Part::Resource {
            uri: "u".into(),
            text: "t".into(),
        },
        Part::ResourceLink {
            name: "n".into(),
            uri: "file:///p".into(),
            path: Some("/p".into()),
        },
    ])];
    let said = shown(&messages).remove(0);
    assert!(said.starts_with("user image/png:2|<note>"), "{said}");
    assert!(said.contains("image/tiff"), "{said}");
    assert!(
        said.contains("<resource uri=\"u\">\nt\n</resource>"),
        "{said}"
    );
    assert!(said.ends_with("uri=\"file:///p\" path=\"/p\"/>"), "{said}");
}

#[test]
fn schemas_are_of_objects() {
    for (schema, expected) in [
        (json!({}), json!({"type": "object", "properties": {}})),
        (json!(true), json!({"type": "object", "properties": {}})),
        (
            json!({"type": "object", "properties": {"a": {}}, "anyOf": [{"required": ["a"]}]}),
            json!({"type": "object", "properties": {"a": {}}}),
        ),
    ] {
        let tool = ToolSpec {
            name: "t".into(),
            description: "d".into(),
            input_schema: Arc::new(schema),
        };
        let (_, _, schema) = offered(&tool);
        assert_eq!(schema, expected);
    }
}
