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
        input_schema: json!({"type": "object", "properties": properties, "required": required})
            .into(),
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
            "./in put/brief v1.2.txt",
            "data/nested/deep/source-text.md",
            "/workspace/plan-source.txt",
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
                    Event::Thought(_)
                    | Event::Wait(_)
                    | Event::Usage { .. }
                    | Event::Crash
                    | Event::Show(_) => {}
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

/// Plays prompts that all ask for the same calls, whatever is said in the end.
pub fn check_each(calls: &[&str], prompts: &[&str]) {
    let rows: Vec<_> = prompts.iter().map(|prompt| (*prompt, calls, "~")).collect();
    check(&rows);
}

/// Plays tellings and questions: the first answer is `ACK`, the second holds the word, and no tool
/// is called for either.
pub fn check_memories(word: &str, rows: &[(&str, &str)]) {
    let mut faults = Vec::new();
    for (telling, question) in rows {
        let mut session = Session::new();
        let first = session.say(telling);
        let second = session.say(question);
        let quiet = first.calls.is_empty() && second.calls.is_empty();
        if !quiet || first.answer != "ACK" || !second.answer.contains(word) {
            faults.push(format!(
                "{telling} / {question}\n  {:?} {:?}, then {:?} {:?}",
                first.calls, first.answer, second.calls, second.answer
            ));
        }
    }
    tell(&faults, rows.len());
}

/// Plays the journey with a plan: `path` is read with cat, saved under `title`, read back, and the
/// answer is its ID with at most a few words around it.
pub fn check_plans(path: &str, title: &str, prompts: &[&str]) {
    let quoted = if path.contains(' ') {
        format!("'{path}'")
    } else {
        path.to_owned()
    };
    let steps = [
        format!("$ cat {quoted}"),
        format!("plan {title} <The word is WORD-XYZ>"),
        "get plan-1".to_owned(),
    ];
    let mut faults = Vec::new();
    for prompt in prompts {
        let mut session = Session::new();
        session.mode = "plan".to_owned();
        let turn = session.say(prompt);
        let calls: Vec<String> = turn
            .calls
            .iter()
            .map(|call| call.replace('"', "'"))
            .collect();
        let wanted: Vec<String> = steps.iter().map(|call| call.replace('"', "'")).collect();
        if calls != wanted || !turn.answer.contains("plan-1") || turn.answer.len() > 40 {
            faults.push(format!("{prompt}\n  {:?} {:?}", turn.calls, turn.answer));
        }
    }
    tell(&faults, prompts.len());
}

/// Plays prompts that come with a red image and ask for its colour and for the word in a file.
pub fn check_looks(path: &str, prompts: &[&str]) {
    let mut faults = Vec::new();
    for prompt in prompts {
        let turn = Session::new().send(vec![Part::Text((*prompt).to_owned()), red()]);
        let read = [format!("read {path}")];
        let cat = [format!("$ cat {path}")];
        let sound = fits(&turn.answer, "~WORD-XYZ|red");
        if !(turn.calls == read || turn.calls == cat) || !sound {
            faults.push(format!("{prompt}\n  {:?} {:?}", turn.calls, turn.answer));
        }
    }
    tell(&faults, prompts.len());
}

/// A red image of 64 by 64 pixels.
fn red() -> Part {
    let mut data = Vec::new();
    let mut encoder = png::Encoder::new(&mut data, 64, 64);
    encoder.set_color(png::ColorType::Rgb);
    let written = encoder
        .write_header()
        .and_then(|mut writer| writer.write_image_data(&[255, 0, 0].repeat(64 * 64)));
    assert!(written.is_ok(), "the image is written to memory");
    Part::Image {
        mime_type: "image/png".to_owned(),
        data,
    }
}

fn tell(faults: &[String], rows: usize) {
    assert!(
        faults.is_empty(),
        "{} of {rows} wordings fail\n{}",
        faults.len(),
        faults.join("\n")
    );
}
