//! A pretended agent for the tables: it offers tools, runs the calls on pretended files and plans,
//! and asks the model again until it stops.

#![allow(dead_code, reason = "each table uses a part of it")]
#![allow(clippy::panic, reason = "a panic is how a table fails")]

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};
use stub_model::{
    Conversation, Event, Message, Outcome, Part, PlanEntry, Stop, ToolCall, ToolResult, ToolSpec,
    reply,
};

/// What the file `note.txt` holds, here and under its journey's name.
pub const NOTE: &str = "The word is WORD-XYZ\n";

/// A session with pretended surroundings.
pub struct Session {
    pub tools: Vec<ToolSpec>,
    pub files: BTreeMap<String, String>,
    pub messages: Vec<Message>,
    pub mode: String,
    /// Tools whose calls are refused.
    pub refused: Vec<&'static str>,
    /// How the plan server words its results: `json`, `nested`, `number` or `text`.
    pub plan_style: &'static str,
    plans: Vec<(String, String)>,
}

/// What one turn brought.
#[derive(Debug, Default)]
pub struct Turn {
    /// The calls, each as one short line.
    pub calls: Vec<String>,
    pub answer: String,
    pub chunks: usize,
    pub plans: Vec<Vec<PlanEntry>>,
}

fn tool(name: &str, properties: Value, required: &[&str]) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: String::new(),
        input_schema: json!({"type": "object", "properties": properties, "required": required}),
    }
}

/// The tools of the agent.
pub fn own_tools() -> Vec<ToolSpec> {
    let text = || json!({"type": "string"});
    let number = || json!({"type": "integer"});
    vec![
        tool(
            "shell",
            json!({"command": text(), "timeout_seconds": number()}),
            &["command"],
        ),
        tool(
            "read_file",
            json!({"path": text(), "line": number(), "limit": number()}),
            &["path"],
        ),
        tool(
            "write_file",
            json!({"path": text(), "content": text()}),
            &["path", "content"],
        ),
        tool(
            "edit_file",
            json!({"path": text(), "old_text": text(), "new_text": text(), "replace_all": {"type": "boolean"}}),
            &["path", "old_text", "new_text"],
        ),
        tool("list_directory", json!({"path": text()}), &["path"]),
        tool(
            "search",
            json!({"pattern": text(), "path": text(), "glob": text()}),
            &["pattern"],
        ),
        tool(
            "update_plan",
            json!({"entries": {"type": "array"}}),
            &["entries"],
        ),
        tool(
            "switch_mode",
            json!({"mode": {"type": "string", "enum": ["default", "accept-edits", "plan", "full-access"]}}),
            &["mode"],
        ),
    ]
}

/// The tools of the client's plan server.
pub fn plan_tools(prefix: &str, id: &str) -> Vec<ToolSpec> {
    let text = || json!({"type": "string"});
    vec![
        tool(
            &format!("{prefix}create_plan"),
            json!({"title": text(), "description": text()}),
            &["title", "description"],
        ),
        tool(&format!("{prefix}get_plan"), json!({id: text()}), &[id]),
    ]
}

/// A tool `echo` and a counter.
pub fn odd_tools() -> Vec<ToolSpec> {
    vec![
        tool("echo", json!({"text": {"type": "string"}}), &["text"]),
        tool("next", json!({}), &[]),
        tool("t_who", json!({}), &[]),
        tool(
            "add",
            json!({"a": {"type": "number"}, "b": {"type": "number"}}),
            &["a", "b"],
        ),
    ]
}

impl Session {
    pub fn new() -> Self {
        let note = NOTE.to_owned();
        let files = [
            "note.txt",
            "notes.txt",
            "/tmp/.rondar-session-files/note.txt",
            "notes/a b.txt",
            "docs/plan-input.md",
            "/w/brief.txt",
            "brief.txt",
        ];
        let mut tools = own_tools();
        tools.extend(plan_tools("", "id"));
        tools.extend(odd_tools());
        Self {
            tools,
            files: files
                .iter()
                .map(|name| ((*name).to_owned(), note.clone()))
                .collect(),
            messages: Vec::new(),
            mode: "default".to_owned(),
            refused: Vec::new(),
            plan_style: "json",
            plans: Vec::new(),
        }
    }

    /// Sends a text and plays the turn to its end.
    pub fn say(&mut self, text: &str) -> Turn {
        self.send(vec![Part::Text(text.to_owned())])
    }

    /// Sends a prompt and plays the turn to its end.
    pub fn send(&mut self, parts: Vec<Part>) -> Turn {
        self.messages.push(Message::User(parts));
        let mut turn = Turn::default();
        for _ in 0..120 {
            let events = self.ask();
            let mut stopped = false;
            for event in events {
                assert!(!stopped, "nothing comes after the stop");
                match event {
                    Event::Text(text) => {
                        turn.answer.push_str(&text);
                        turn.chunks += 1;
                    }
                    Event::Plan(entries) => turn.plans.push(entries),
                    Event::Thought(_) | Event::Wait(_) | Event::Usage { .. } | Event::Crash => {}
                    Event::Stop(stop) => {
                        assert_eq!(stop, Stop::EndTurn);
                        stopped = true;
                    }
                    Event::ToolCall(call) => {
                        turn.calls.push(line(&call));
                        let result = self.run(&call);
                        self.messages.push(Message::ToolCall(call));
                        self.messages.push(Message::ToolResult(result));
                    }
                }
            }
            if stopped {
                self.messages.push(Message::Assistant(turn.answer.clone()));
                return turn;
            }
        }
        panic!("the turn does not end: {:?}", turn.calls);
    }

    /// One step of the model.
    pub fn ask(&self) -> Vec<Event> {
        reply(&Conversation {
            cwd: Path::new("/w"),
            mode: &self.mode,
            tools: &self.tools,
            messages: &self.messages,
        })
    }

    fn run(&mut self, call: &ToolCall) -> ToolResult {
        let known = self.tools.iter().any(|tool| tool.name == call.name);
        assert!(known, "the tool {} is not on offer", call.name);
        let result = |outcome, text: &str, structured| ToolResult {
            id: call.id.clone(),
            outcome,
            text: text.to_owned(),
            structured,
        };
        if self.refused.iter().any(|name| call.name.ends_with(name)) {
            return result(Outcome::Refused, "the user said no", None);
        }
        let argument = |name: &str| {
            call.arguments
                .get(name)
                .and_then(Value::as_str)
                .unwrap_or("")
                .to_owned()
        };
        let plain = call
            .name
            .rsplit("__")
            .next()
            .unwrap_or("")
            .trim_start_matches("rondar_");
        match plain {
            "shell" => self.shell(call, &argument("command")),
            "read_file" => match self.files.get(&argument("path")) {
                Some(text) => result(Outcome::Completed, text, None),
                None => result(Outcome::Failed, "no such file", None),
            },
            "create_plan" => {
                self.plans
                    .push((argument("title"), argument("description")));
                let id = self.plans.len();
                match self.plan_style {
                    "json" => result(
                        Outcome::Completed,
                        &format!("{{\"id\":\"plan-{id}\",\"title\":\"t\"}}"),
                        None,
                    ),
                    "nested" => result(
                        Outcome::Completed,
                        "saved",
                        Some(
                            json!({"ok": true, "plan": {"title": "t", "planId": format!("plan-{id}")}}),
                        ),
                    ),
                    "number" => result(Outcome::Completed, "saved", Some(json!({"id": id}))),
                    _ => result(
                        Outcome::Completed,
                        &format!("Created plan PLAN-{id}ab."),
                        None,
                    ),
                }
            }
            "get_plan" => {
                let (title, description) = self.plans.last().cloned().unwrap_or_default();
                result(Outcome::Completed, &format!("{title}: {description}"), None)
            }
            "echo" => result(Outcome::Completed, &argument("text"), None),
            "next" => result(Outcome::Completed, "7", None),
            _ => result(Outcome::Completed, &format!("{plain} done"), None),
        }
    }

    fn shell(&mut self, call: &ToolCall, command: &str) -> ToolResult {
        let done = |outcome, text: String| ToolResult {
            id: call.id.clone(),
            outcome,
            text,
            structured: None,
        };
        if let Some(path) = command.strip_prefix("cat ") {
            let path = path.trim_matches(['\'', '"']);
            return match self.files.get(path) {
                Some(text) => done(Outcome::Completed, text.clone()),
                None => done(Outcome::Failed, format!("cat: {path}: No such file")),
            };
        }
        match command {
            "exit 7" => done(Outcome::Failed, "exit status 7".to_owned()),
            _ => done(
                Outcome::Completed,
                command
                    .strip_prefix("echo ")
                    .map_or_else(|| format!("ran {command}"), str::to_owned),
            ),
        }
    }
}

/// A call as one short line.
fn line(call: &ToolCall) -> String {
    let argument = |name: &str| {
        call.arguments
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or("-")
    };
    match call.name.as_str() {
        "shell" => format!("$ {}", argument("command")),
        "read_file" if call.arguments.get("line").is_none() => format!("read {}", argument("path")),
        "write_file" => format!("write {} <{}>", argument("path"), argument("content")),
        "create_plan" => format!(
            "plan {} <{}>",
            argument("title"),
            argument("description").trim_end()
        ),
        "get_plan" if call.arguments.get("id").is_some() => format!("get {}", argument("id")),
        name => format!("{name} {}", call.arguments),
    }
}

/// Whether an answer is as a row demands: `=` exactly, `~` holding each part between bars.
pub fn fits(answer: &str, wanted: &str) -> bool {
    match wanted.split_at(1) {
        ("=", text) => answer == text,
        ("~", parts) => parts.split('|').all(|part| answer.contains(part)),
        _ => panic!("a demand starts with = or ~: {wanted}"),
    }
}

/// Plays rows of prompt, calls and answer, each in a new session, and reports all that differ.
pub fn check(rows: &[(&str, &[&str], &str)]) {
    let mut faults = Vec::new();
    for (prompt, calls, answer) in rows {
        let turn = Session::new().say(prompt);
        if turn.calls != *calls || !fits(&turn.answer, answer) {
            faults.push(format!(
                "PROMPT {prompt}\n  wanted {calls:?} {answer:?}\n  got    {:?} {:?}",
                turn.calls, turn.answer
            ));
        }
    }
    assert!(
        faults.is_empty(),
        "{} of {} wordings fail\n{}",
        faults.len(),
        rows.len(),
        faults.join("\n")
    );
}
