//! The recording of a process as the rows of a sequence diagram: who says what to whom, in order.
//!
//! Pure, and apart from the drawing. The tool server keeps no clock: a call of it is put before the
//! end of the tool call that the agent announced for it.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::Value;

use super::{fold, label};
use crate::{
    evidence::Part,
    recording::{Look, ProcessRecording, What, When},
    workspace::Difference,
};

/// What a row shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The checker to the agent.
    ToAgent,
    /// The agent to the checker.
    ToClient,
    /// A line of the agent that is no message.
    Junk,
    /// The agent to the tool server, and back.
    ToolCall,
    /// Something that happened to one of them.
    Note(Lane),
    /// Rows that are not shown.
    Gap,
}

/// Who takes part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lane {
    Client,
    Agent,
    ToolServer,
    Processes,
}

/// One row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    /// Milliseconds since the start; none where nobody looked at a clock.
    pub(super) t_ms: Option<u64>,
    pub(super) kind: Kind,
    /// What it shows of the recording.
    pub(super) part: Option<Part>,
    pub(super) label: String,
    /// The whole of it.
    pub(super) detail: String,
    /// Which of the processes below the agent are there, by their number among all that were seen.
    pub(super) alive: Vec<usize>,
}

impl Row {
    pub(super) fn new(t_ms: Option<u64>, kind: Kind, label: impl Into<String>) -> Self {
        Self {
            t_ms,
            kind,
            part: None,
            label: label.into(),
            detail: String::new(),
            alive: Vec::new(),
        }
    }

    fn showing(mut self, part: Part, detail: impl Into<String>) -> Self {
        self.part = Some(part);
        self.detail = detail.into();
        self
    }
}

/// The rows of a process. Those that are `marked` are always shown.
pub(super) fn rows(process: &ProcessRecording, marked: &HashSet<Part>) -> Vec<Row> {
    let rows = events(process);
    let rows = with_tool_server(rows, process);
    let rows = with_turns(rows, process);
    let rows = with_looks(rows, &process.looks);
    let mut rows = fold::fold(rows, marked);
    mark_alive(&mut rows, &process.looks);
    rows
}

fn events(process: &ProcessRecording) -> Vec<Row> {
    let mut asked: HashMap<(bool, String), String> = HashMap::new();
    let mut rows = Vec::new();
    for (at, event) in process.events.iter().enumerate() {
        let t_ms = Some(event.t_ms);
        let mut message = |line: &str, from_agent: bool| {
            let kind = if from_agent {
                Kind::ToClient
            } else {
                Kind::ToAgent
            };
            let json: Value = serde_json::from_str(line).unwrap_or_default();
            let id = json["id"].to_string();
            let answered = asked.get(&(!from_agent, id.clone())).cloned();
            if let Some(method) = json["method"].as_str() {
                asked.insert((from_agent, id), method.to_owned());
            }
            Row::new(t_ms, kind, label::of(&json, answered.as_deref()))
                .showing(Part::Event(at), line)
        };
        let row = match &event.what {
            What::Sent { line } => message(line, false),
            What::Received { line, .. } => message(line, true),
            What::Junk { line, .. } => Row::new(
                t_ms,
                Kind::Junk,
                format!("no message: {}", label::short(line)),
            )
            .showing(Part::Event(at), line.as_str()),
            What::Omitted { lines, bytes } => {
                let words = format!("{lines} lines, {bytes} bytes that were not kept");
                Row::new(t_ms, Kind::Junk, words).showing(Part::Event(at), "")
            }
            What::InputClosed => Row::new(t_ms, Kind::Note(Lane::Client), "closes the input")
                .showing(Part::Event(at), ""),
            What::OutputClosed => Row::new(t_ms, Kind::Note(Lane::Agent), "output closed")
                .showing(Part::Event(at), ""),
            What::Exited { status } => Row::new(t_ms, Kind::Note(Lane::Agent), status.to_string())
                .showing(Part::Event(at), ""),
        };
        rows.push(row);
    }
    rows
}

/// Puts the lines of the tool server's record where they belong.
fn with_tool_server(mut rows: Vec<Row>, process: &ProcessRecording) -> Vec<Row> {
    let mut from = 0;
    for (number, line) in process.tool_server.lines.iter().enumerate() {
        let part = Part::ToolServerLine(number);
        let detail = line.to_string();
        let (kind, words, at) = match line["event"].as_str() {
            Some("started") => {
                let words = format!("started, process {}", line["pid"]);
                let at = rows.iter().skip(from).position(|row| {
                    row.kind == Kind::ToClient && row.label.starts_with("session/")
                });
                (Kind::Note(Lane::ToolServer), words, at.map(|at| at + from))
            }
            Some("ended") => (Kind::Note(Lane::ToolServer), "ended".to_owned(), None),
            _ => {
                let tool = line["tool"].as_str().unwrap_or("?");
                let answer = if line.get("error").is_some() {
                    "error"
                } else {
                    "result"
                };
                let words = format!("{tool}: {answer}");
                (Kind::ToolCall, words, end_of_call(&rows, from, tool))
            }
        };
        let at = at.unwrap_or_else(|| last_place(&rows, from, kind));
        rows.insert(at, Row::new(None, kind, words).showing(part, detail));
        from = at + 1;
    }
    rows
}

/// Before the first end of a tool call that names this tool.
fn end_of_call(rows: &[Row], from: usize, tool: &str) -> Option<usize> {
    let mut naming: HashSet<String> = HashSet::new();
    for (at, row) in rows.iter().enumerate() {
        let update = (row.kind == Kind::ToClient && row.label.starts_with("tool_call"))
            .then(|| serde_json::from_str::<Value>(&row.detail).ok())
            .flatten();
        let Some(message) = update else { continue };
        let update = &message["params"]["update"];
        let id = update["toolCallId"].to_string();
        if update["title"].to_string().contains(tool)
            || update["rawInput"].to_string().contains(tool)
        {
            naming.insert(id.clone());
        }
        let ended = matches!(update["status"].as_str(), Some("completed" | "failed"));
        if at >= from && ended && naming.contains(&id) {
            return Some(at);
        }
    }
    None
}

/// A call that no announced one matches came before the next answer of a prompt; the end of the server
/// comes when the agent's does.
fn last_place(rows: &[Row], from: usize, kind: Kind) -> usize {
    let later = rows.iter().skip(from);
    let place = match kind {
        Kind::ToolCall => later
            .clone()
            .position(|row| row.kind == Kind::ToClient && row.label.starts_with("session/prompt")),
        _ => later
            .clone()
            .position(|row| row.kind == Kind::Note(Lane::Agent) && row.label != "output closed"),
    };
    place.map_or(rows.len(), |place| place + from)
}

/// What a turn did to the workspace stands behind its answer.
fn with_turns(mut rows: Vec<Row>, process: &ProcessRecording) -> Vec<Row> {
    let mut from = 0;
    for (number, turn) in process.turns.iter().enumerate() {
        let (words, detail) = match &turn.after {
            None => ("workspace: not looked at".to_owned(), String::new()),
            Some(after) => workspace(&turn.before.difference(after)),
        };
        let answer = rows.iter().skip(from).position(|row| {
            row.kind == Kind::ToClient && row.label.starts_with("session/prompt: ")
        });
        let at = answer.map_or(rows.len(), |at| from + at + 1);
        let row = Row::new(None, Kind::Note(Lane::Client), words);
        rows.insert(at, row.showing(Part::Turn(number), detail));
        from = at + 1;
    }
    rows
}

fn workspace(difference: &Difference) -> (String, String) {
    let Difference { changed, touched } = difference;
    let words = match (changed.as_slice(), touched.as_slice()) {
        ([], []) => "workspace: unchanged".to_owned(),
        ([], touched) => format!("workspace: {} touched and put back", touched.len()),
        ([only], _) => format!("workspace: {only}"),
        (changed, _) => format!("workspace: {} changes", changed.len()),
    };
    let all = [changed.as_slice(), touched.as_slice()].concat();
    (words, all.join("\n"))
}

fn with_looks(mut rows: Vec<Row>, looks: &[Look]) -> Vec<Row> {
    for (number, look) in looks.iter().enumerate() {
        let at = rows
            .iter()
            .position(|row| row.t_ms.is_some_and(|t_ms| t_ms > look.t_ms))
            .unwrap_or(rows.len());
        let commands: Vec<String> = look
            .processes
            .iter()
            .map(|process| format!("{} {}", process.pid, process.command.join(" ")))
            .collect();
        let words = match look.processes.len() {
            0 => "none".to_owned(),
            1 => "1 process".to_owned(),
            count => format!("{count} processes"),
        };
        let words = format!("{}: {words}", moment(look.when));
        let row = Row::new(Some(look.t_ms), Kind::Note(Lane::Processes), words);
        rows.insert(at, row.showing(Part::Look(number), commands.join("\n")));
    }
    rows
}

const fn moment(when: When) -> &'static str {
    match when {
        When::BeforeCancel => "before the cancel",
        When::AfterCancel => "after the cancel",
        When::AfterTurn => "after the turn",
        When::AtEnd => "at the end",
        When::AfterEnd => "after the end",
        When::AfterKill => "after the kill",
    }
}

/// A process is there from the first look that saw it to the last.
fn mark_alive(rows: &mut [Row], looks: &[Look]) {
    let row_of: HashMap<usize, usize> = rows
        .iter()
        .enumerate()
        .filter_map(|(at, row)| match row.part {
            Some(Part::Look(number)) => Some((number, at)),
            _ => None,
        })
        .collect();
    let mut seen: BTreeMap<(u64, i32), (usize, usize)> = BTreeMap::new();
    for (number, look) in looks.iter().enumerate() {
        let Some(at) = row_of.get(&number).copied() else {
            continue;
        };
        for process in &look.processes {
            let span = seen
                .entry((process.start_ticks, process.pid))
                .or_insert((at, at));
            *span = (span.0.min(at), span.1.max(at));
        }
    }
    for (track, (first, last)) in seen.into_values().enumerate() {
        rows[first..=last]
            .iter_mut()
            .for_each(|row| row.alive.push(track));
    }
}

#[cfg(test)]
#[path = "sequence_tests.rs"]
mod sequence_tests;
