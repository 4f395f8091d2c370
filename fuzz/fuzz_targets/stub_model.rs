//! What the stub model makes of any prompt, and of any tool result on its way.
//!
//! An input is text. A line that begins with `>` is a prompt; one with `<` is a tool result, which
//! the calls get one after the other, round and round: `<!` failed, `<-` was refused. Other lines
//! go on with what is above them. What must hold, whatever that says:
//!
//! - the same conversation gets the same reply;
//! - a reply ends with a stop or with tool calls, and nothing stands behind its stop;
//! - only tools on offer are called, each call under an id of its own;
//! - a turn ends, and takes no more steps than its prompt has characters.

#![no_main]

use std::{collections::BTreeSet, path::Path};

use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};
use stub_model::{
    Conversation, Event, Message, Outcome, Part, ToolCall, ToolResult, ToolSpec, stream,
};

/// Longer inputs find nothing else, and take longer.
const MAX_INPUT: usize = 1_500;

/// Events of a reply that are looked at. A model may be asked to count to a billion, and would.
const MAX_EVENTS: usize = 300;

/// Prompts of one session.
const MAX_PROMPTS: usize = 6;

fuzz_target!(|input: &[u8]| {
    let input = &input[..input.len().min(MAX_INPUT)];
    let text = String::from_utf8_lossy(input);
    let (prompts, results) = script(&text);
    let mut results = results.iter().cycle();
    let mut session = Session {
        tools: tools(),
        messages: Vec::new(),
    };
    for prompt in prompts.into_iter().take(MAX_PROMPTS) {
        session.turn(prompt, || results.next().map_or("ok", String::as_str));
    }
});

/// The prompts and the tool results of an input.
fn script(text: &str) -> (Vec<String>, Vec<String>) {
    let (mut prompts, mut results) = (Vec::new(), Vec::new());
    let mut is_result = false;
    for line in text.split('\n') {
        let (to, line) = match line.split_at_checked(1) {
            Some((">", rest)) => {
                is_result = false;
                prompts.push(String::new());
                (prompts.last_mut(), rest)
            }
            Some(("<", rest)) => {
                is_result = true;
                results.push(String::new());
                (results.last_mut(), rest)
            }
            _ if is_result => (results.last_mut(), line),
            _ => (prompts.last_mut(), line),
        };
        if let Some(text) = to {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(line);
        }
    }
    (prompts, results)
}

/// A conversation, and the tools that its model has.
struct Session {
    tools: Vec<ToolSpec>,
    messages: Vec<Message>,
}

impl Session {
    fn turn<'a>(&mut self, prompt: String, mut result: impl FnMut() -> &'a str) {
        let most = prompt.chars().count() + 2;
        self.messages.push(Message::User(vec![Part::Text(prompt)]));
        for _ in 0..most {
            let calls = self.step();
            if calls.is_empty() {
                return;
            }
            for call in calls {
                let result = result_of(&call, result());
                self.messages.push(Message::ToolCall(call));
                self.messages.push(Message::ToolResult(result));
            }
        }
        panic!("the turn does not end");
    }

    /// One reply: its tool calls, or none when the turn is over.
    fn step(&mut self) -> Vec<ToolCall> {
        let conversation = Conversation {
            cwd: Path::new("/w"),
            mode: "default",
            tools: &self.tools,
            messages: &self.messages,
        };
        let events: Vec<_> = stream(&conversation).take(MAX_EVENTS).collect();
        let again: Vec<_> = stream(&conversation).take(MAX_EVENTS).collect();
        assert_eq!(events, again, "the same conversation, another reply");
        let is_cut = events.len() == MAX_EVENTS;
        let (mut calls, mut said, mut stopped) = (Vec::new(), String::new(), is_cut);
        let mut ids = BTreeSet::new();
        for (at, event) in events.into_iter().enumerate() {
            assert!(
                is_cut || !stopped,
                "event {at} is behind the stop: {event:?}"
            );
            match event {
                Event::ToolCall(call) => {
                    let known = self.tools.iter().any(|tool| tool.name == call.name);
                    assert!(known, "the tool {:?} is not on offer", call.name);
                    assert!(call.arguments.is_object(), "{:?}", call.arguments);
                    assert!(ids.insert(call.id.clone()), "{:?} is there twice", call.id);
                    calls.push(call);
                }
                Event::Text(text) => said.push_str(&text),
                Event::Stop(_) | Event::Crash => stopped = true,
                _ => {}
            }
        }
        assert!(stopped || !calls.is_empty(), "neither a stop nor a call");
        assert!(
            is_cut || !stopped || calls.is_empty(),
            "a stop with open calls"
        );
        if stopped {
            self.messages.push(Message::Assistant(said));
        }
        calls
    }
}

fn result_of(call: &ToolCall, text: &str) -> ToolResult {
    let (outcome, text) = match text.split_at_checked(1) {
        Some(("!", text)) => (Outcome::Failed, text),
        Some(("-", text)) => (Outcome::Refused, text),
        _ => (Outcome::Completed, text),
    };
    ToolResult {
        id: call.id.clone(),
        outcome,
        text: text.to_owned(),
        structured: serde_json::from_str(text).ok().filter(Value::is_object),
    }
}

/// The tools of the reference agent, and those of a plan server.
fn tools() -> Vec<ToolSpec> {
    let table: [(&str, &[&str]); 11] = [
        ("shell", &["command", "timeout_seconds"]),
        ("read_file", &["path", "line", "limit"]),
        ("write_file", &["path", "content"]),
        (
            "edit_file",
            &["path", "old_text", "new_text", "replace_all"],
        ),
        ("list_directory", &["path"]),
        ("search", &["pattern", "path", "glob"]),
        ("update_plan", &["entries"]),
        ("switch_mode", &["mode"]),
        ("ask_user", &["question", "options"]),
        ("create_plan", &["title", "description"]),
        ("get_plan", &["id"]),
    ];
    let specs = table.into_iter().map(|(name, arguments)| {
        let properties = arguments.iter().map(|argument| {
            let kind = match *argument {
                "timeout_seconds" | "line" | "limit" => "integer",
                "replace_all" => "boolean",
                "entries" | "options" => "array",
                _ => "string",
            };
            ((*argument).to_owned(), json!({"type": kind}))
        });
        let properties: serde_json::Map<String, Value> = properties.collect();
        ToolSpec {
            name: name.to_owned(),
            description: String::new(),
            input_schema: json!({"type": "object", "properties": properties}).into(),
        }
    });
    specs.collect()
}
