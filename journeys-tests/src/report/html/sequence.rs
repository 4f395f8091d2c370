//! The recording of a process as the rows of a sequence diagram: who says what to whom, in order.
//!
//! Pure, and apart from the drawing. The tool server keeps no clock: a call of it is put before the
//! end of the tool call that the agent announced for it.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::Value;

use super::label;
use crate::{
    evidence::Part,
    recording::{Look, ProcessRecording, What, When},
    workspace::Difference,
};

/// Rows of one process; more make a page that no browser likes. The result file has all of them.
const MAX_ROWS: usize = 400;

/// Chunks of one kind in a row that are shown each; more are counted.
const MAX_CHUNKS: usize = 4;

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
    fn new(t_ms: Option<u64>, kind: Kind, label: impl Into<String>) -> Self {
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
    let rows = without_chunks(rows, marked);
    let mut rows = without_middle(rows, marked);
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

/// A reply in a thousand chunks is a reply.
fn without_chunks(rows: Vec<Row>, marked: &HashSet<Part>) -> Vec<Row> {
    let kind_of = |row: &Row| {
        let first = row.label.split(' ').next().unwrap_or_default().to_owned();
        (row.kind == Kind::ToClient && first.ends_with("_chunk")).then_some(first)
    };
    let is_marked = |row: &Row| row.part.is_some_and(|part| marked.contains(&part));
    let mut kept: Vec<Row> = Vec::new();
    let (mut run, mut previous) = (0, None);
    let mut left_out = 0;
    for row in rows {
        let kind = kind_of(&row);
        run = if kind.is_some() && kind == previous {
            run + 1
        } else {
            1
        };
        if kind.is_some() && run > MAX_CHUNKS && !is_marked(&row) {
            left_out += 1;
            previous = kind;
            continue;
        }
        if left_out > 0 {
            kept.push(Row::new(None, Kind::Gap, format!("{left_out} more chunks")));
            left_out = 0;
        }
        previous = kind;
        kept.push(row);
    }
    if left_out > 0 {
        kept.push(Row::new(None, Kind::Gap, format!("{left_out} more chunks")));
    }
    kept
}

/// The beginning, the end and what is marked.
fn without_middle(rows: Vec<Row>, marked: &HashSet<Part>) -> Vec<Row> {
    let count = rows.len();
    if count <= MAX_ROWS {
        return rows;
    }
    let half = MAX_ROWS / 2;
    let mut kept = Vec::new();
    let mut left_out = 0;
    for (at, row) in rows.into_iter().enumerate() {
        let is_marked = row.part.is_some_and(|part| marked.contains(&part));
        if at < half || at >= count - half || is_marked {
            if left_out > 0 {
                kept.push(Row::new(None, Kind::Gap, format!("{left_out} more rows")));
                left_out = 0;
            }
            kept.push(row);
        } else {
            left_out += 1;
        }
    }
    kept
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
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        recording::{Ending, Event, ExitStatus, SeenProcess, StderrTail, ToolServerLog},
        workspace::Snapshot,
    };

    fn process(events: Vec<What>) -> ProcessRecording {
        let events = events.into_iter().zip((10..).step_by(10));
        ProcessRecording {
            started_ms: 0,
            events: events.map(|(what, t_ms)| Event { t_ms, what }).collect(),
            stderr: StderrTail::default(),
            looks: Vec::new(),
            turns: Vec::new(),
            files_at_end: Snapshot::default(),
            tool_server: ToolServerLog::default(),
            ending: Ending::AfterInputClosed {
                status: ExitStatus::Code(0),
                after_ms: 1,
            },
        }
    }

    fn sent(json: &Value) -> What {
        What::Sent {
            line: json.to_string(),
        }
    }

    fn received(json: &Value) -> What {
        What::Received {
            line: json.to_string(),
            unterminated: false,
        }
    }

    fn update(update: &Value) -> What {
        received(&json!({"method": "session/update", "params": {"update": update}}))
    }

    fn labels(process: &ProcessRecording) -> Vec<String> {
        let rows = rows(process, &HashSet::new());
        rows.into_iter().map(|row| row.label).collect()
    }

    #[test]
    fn calls_of_the_tool_server_stand_before_the_end_of_their_tool_call() {
        let mut process = process(vec![
            sent(&json!({"id": 1, "method": "session/new"})),
            received(&json!({"id": 1, "result": {"sessionId": "s"}})),
            sent(&json!({"id": 2, "method": "session/prompt"})),
            update(&json!({"sessionUpdate": "tool_call", "toolCallId": "a", "title": "get_plan"})),
            update(
                &json!({"sessionUpdate": "tool_call_update", "toolCallId": "a", "status": "completed"}),
            ),
            received(&json!({"id": 2, "result": {"stopReason": "end_turn"}})),
            What::InputClosed,
            What::Exited {
                status: ExitStatus::Code(0),
            },
        ]);
        process.tool_server.lines = vec![
            json!({"event": "started", "pid": 7}),
            json!({"event": "call", "tool": "get_plan", "result": {}}),
            json!({"event": "call", "tool": "create_plan", "error": {}}),
            json!({"event": "ended"}),
        ];
        let wanted = [
            "session/new",
            "started, process 7",
            "session/new: s",
            "prompt:",
            "tool_call get_plan",
            "get_plan: result",
            "tool_call_update completed",
            "create_plan: error",
            "session/prompt: end_turn",
            "closes the input",
            "ended",
            "exit status 0",
        ];
        let labels: Vec<String> = labels(&process)
            .iter()
            .map(|label| label.trim_end().to_owned())
            .collect();
        assert_eq!(labels, wanted);
    }

    #[test]
    fn processes_live_from_the_first_look_to_the_last() {
        let mut process = process(vec![What::InputClosed; 6]);
        let look = |t_ms, pids: &[i32]| Look {
            t_ms,
            when: When::AfterTurn,
            processes: pids
                .iter()
                .map(|&pid| SeenProcess {
                    pid,
                    start_ticks: 1,
                    command: vec!["x".to_owned()],
                })
                .collect(),
        };
        process.looks = vec![look(15, &[1]), look(35, &[1, 2]), look(55, &[])];
        let alive: Vec<Vec<usize>> = rows(&process, &HashSet::new())
            .into_iter()
            .map(|row| row.alive)
            .collect();
        let none = Vec::new;
        let wanted = [
            none(),
            vec![0],
            vec![0],
            vec![0],
            vec![0, 1],
            none(),
            none(),
            none(),
            none(),
        ];
        assert_eq!(alive, wanted);
    }

    #[test]
    fn long_runs_are_counted_and_what_is_marked_is_shown() {
        let chunk = json!({"sessionUpdate": "agent_message_chunk", "content": {"text": "x"}});
        let talk = process((0..20).map(|_| update(&chunk)).collect());
        assert_eq!(labels(&talk).len(), MAX_CHUNKS + 1);
        let marked = HashSet::from([Part::Event(10)]);
        let shown: Vec<String> = rows(&talk, &marked)
            .into_iter()
            .map(|row| row.label)
            .collect();
        assert_eq!(shown.len(), MAX_CHUNKS + 3);
        assert_eq!(shown[MAX_CHUNKS], "6 more chunks");
        assert_eq!(shown[MAX_CHUNKS + 2], "9 more chunks");

        let plan = json!({"sessionUpdate": "plan", "entries": []});
        let busy = process((0..1000).map(|_| update(&plan)).collect());
        let marked = HashSet::from([Part::Event(500)]);
        let shown: Vec<String> = rows(&busy, &marked)
            .into_iter()
            .map(|row| row.label)
            .collect();
        assert_eq!(shown.len(), MAX_ROWS + 3);
        assert_eq!(shown[MAX_ROWS / 2], "300 more rows");
    }
}
