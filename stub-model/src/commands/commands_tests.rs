use std::{path::Path, time::Duration};

use serde_json::{Value, json};

use super::*;
use crate::conversation::{Message, Outcome, Part, Stop, ToolCall, ToolResult, ToolSpec};

fn user(text: &str) -> Message {
    Message::User(vec![Part::Text(text.to_owned())])
}

fn result(outcome: Outcome, text: &str) -> Message {
    Message::ToolResult(ToolResult {
        id: "x".into(),
        outcome,
        text: text.into(),
        structured: None,
    })
}

fn reply(tools: &[&str], messages: &[Message]) -> Option<Vec<Event>> {
    let spec = |name: &&str| ToolSpec {
        name: (*name).to_owned(),
        description: String::new(),
        input_schema: json!({"type": "object"}).into(),
    };
    let tools: Vec<_> = tools.iter().map(spec).collect();
    follow(&Conversation {
        cwd: Path::new("/"),
        mode: "default",
        tools: &tools,
        messages,
    })
}

fn words(events: &[Event]) -> String {
    let texts = events.iter().filter_map(|event| match event {
        Event::Text(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

fn calls(events: &[Event]) -> Vec<(&str, &Value)> {
    let calls = events.iter().filter_map(|event| match event {
        Event::ToolCall(ToolCall {
            name, arguments, ..
        }) => Some((name.as_str(), arguments)),
        _ => None,
    });
    calls.collect()
}

const TOOLS: &[&str] = &[
    "shell",
    "write_file",
    "edit_file",
    "list_directory",
    "switch_mode",
    "ask_user",
];

#[test]
fn only_known_commands_are_followed() {
    for text in [
        "hello",
        "/tmp/x is a file",
        "/streaming",
        "/ stream",
        "",
        "stream",
    ] {
        assert_eq!(reply(TOOLS, &[user(text)]), None, "{text}");
    }
    assert!(reply(TOOLS, &[user("  /think\n")]).is_some());
}

#[test]
fn every_command_ends_or_calls() {
    for command in COMMANDS {
        let events = reply(TOOLS, &[user(&format!("/{}", command.name))]).unwrap();
        let last = events.last().unwrap();
        let ends = matches!(last, Event::Stop(_) | Event::ToolCall(_) | Event::Crash);
        assert!(ends, "{}", command.name);
        // Without tools too.
        assert!(reply(&[], &[user(&format!("/{}", command.name))]).is_some());
    }
}

#[test]
fn arguments() {
    let events = reply(TOOLS, &[user("/stream 3")]).unwrap();
    assert_eq!(words(&events), "1\n2\n3\n");
    let events = reply(TOOLS, &[user("/slow 500ms")]).unwrap();
    assert!(events.contains(&Event::Wait(Duration::from_millis(500))));
    let events = reply(TOOLS, &[user("/error HTTP 500")]).unwrap();
    assert_eq!(events, [Event::Stop(Stop::Failed("HTTP 500".into()))]);
    let events = reply(TOOLS, &[user("/parallel 4")]).unwrap();
    assert_eq!(calls(&events).len(), 4);
    let events = reply(TOOLS, &[user("/big-output 2kB")]).unwrap();
    assert!(calls(&events)[0].1["command"].to_string().contains("2048"));
    let events = reply(TOOLS, &[user("/switch-mode")]).unwrap();
    assert_eq!(calls(&events), [("switch_mode", &json!({"mode": "plan"}))]);
    for (text, expected) in [
        ("2", Some(2_000)),
        ("2s", Some(2_000)),
        ("1m", Some(60_000)),
        ("x", None),
    ] {
        assert_eq!(
            speech::duration(text),
            expected.map(Duration::from_millis),
            "{text}"
        );
    }
    for (text, expected) in [
        ("10MB", Some(10 << 20)),
        ("5", Some(5)),
        ("MB", None),
        ("5 apples", None),
    ] {
        assert_eq!(tools::size(text), expected, "{text}");
    }
}

#[test]
fn results_are_told() {
    let refused = [user("/permission"), result(Outcome::Refused, "no")];
    assert_eq!(
        words(&reply(TOOLS, &refused).unwrap()),
        "It was not allowed: no"
    );
    let written = [user("/diff"), result(Outcome::Completed, "created")];
    assert_eq!(calls(&reply(TOOLS, &written).unwrap())[0].0, "edit_file");
    let refused = [user("/diff"), result(Outcome::Refused, "no")];
    assert!(calls(&reply(TOOLS, &refused).unwrap()).is_empty());
}

#[test]
fn a_question_by_the_tool() {
    let events = reply(TOOLS, &[user("/ask Which one? red | blue")]).unwrap();
    let arguments = json!({"question": "Which one?", "options": ["red", "blue"]});
    assert_eq!(calls(&events), [("ask_user", &arguments)]);
    let events = reply(TOOLS, &[user("/ask https://example.com/x")]).unwrap();
    assert_eq!(calls(&events)[0].1["url"], "https://example.com/x");
    let answered = [
        user("/ask"),
        result(Outcome::Completed, "The user answered: red"),
    ];
    assert_eq!(
        words(&reply(TOOLS, &answered).unwrap()),
        "The user answered: red"
    );
    let declined = [
        user("/ask"),
        result(Outcome::Refused, "the user declined to answer"),
    ];
    assert!(words(&reply(TOOLS, &declined).unwrap()).contains("declined"));
}

#[test]
fn a_question_in_words_and_its_answer() {
    let unable = "this client cannot show a question";
    let asked = [user("/ask"), result(Outcome::Completed, unable)];
    let question = words(&reply(TOOLS, &asked).unwrap());
    assert!(question.contains('?'), "{question}");
    let mut messages = asked.to_vec();
    messages.extend([Message::Assistant(question), user("MARK7")]);
    assert_eq!(
        words(&reply(TOOLS, &messages).unwrap()),
        "The user answered: MARK7"
    );
    let reply_to = Message::Assistant("The user answered: MARK7".into());
    messages.extend([reply_to, user("what now?")]);
    assert_eq!(reply(TOOLS, &messages), None);
}
