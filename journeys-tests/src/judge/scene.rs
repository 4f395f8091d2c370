//! Recordings built in code, for the judges' tests: a right agent by default, to be made wrong.

use serde_json::{Value, json};

use crate::{
    check::{Check, Verdict},
    recording::{
        Ending, Event, ExitStatus, Inputs, Look, PlanInputs, ProcessRecording, Recording,
        SeenProcess, StderrTail, ToolServerLog, TurnFiles, What, When,
    },
    workspace::{Entry, EntryKind, Snapshot},
};

/// The session of all scenes.
pub(super) const SESSION: &str = "s-1";

/// A process that is being recorded.
pub(super) struct Scene {
    recording: ProcessRecording,
    next_id: u64,
    t_ms: u64,
}

impl Scene {
    /// A process that has answered `initialize` with these capabilities.
    pub(super) fn new(capabilities: Value) -> Self {
        let recording = ProcessRecording {
            started_ms: 0,
            events: Vec::new(),
            stderr: StderrTail::default(),
            looks: Vec::new(),
            turns: Vec::new(),
            files_at_end: files(&[]),
            tool_server: ToolServerLog::default(),
            ending: Ending::AfterInputClosed {
                status: ExitStatus::Code(0),
                after_ms: 3,
            },
        };
        let scene = Self {
            recording,
            next_id: 0,
            t_ms: 0,
        };
        let result = json!({"protocolVersion": 1, "agentCapabilities": capabilities});
        scene.request("initialize", json!({"protocolVersion": 1}), &[], result)
    }

    /// With a session whose result has these members too.
    pub(super) fn session(self, mut result: Value) -> Self {
        result["sessionId"] = json!(SESSION);
        self.request("session/new", json!({"cwd": "/w"}), &[], result)
    }

    /// A request, updates, and the result.
    pub(super) fn request(
        mut self,
        method: &str,
        params: Value,
        updates: &[Value],
        result: Value,
    ) -> Self {
        let id = self.next_id;
        self.next_id += 1;
        self.sent(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        for update in updates {
            self.update(update);
        }
        self.received(json!({"jsonrpc": "2.0", "id": id, "result": result}));
        self
    }

    /// A turn that ends with `end_turn`.
    pub(super) fn turn(self, updates: &[Value]) -> Self {
        self.turn_with(updates, "end_turn", files(&[]), files(&[]))
    }

    /// A turn with its stop reason, and the files around it.
    pub(super) fn turn_with(
        mut self,
        updates: &[Value],
        stop_reason: &str,
        before: Snapshot,
        after: Snapshot,
    ) -> Self {
        self.recording.files_at_end = after.clone();
        let after = Some(after);
        self.recording.turns.push(TurnFiles {
            before,
            after,
            beside: Vec::new(),
        });
        let params = json!({"sessionId": SESSION, "prompt": []});
        self.request(
            "session/prompt",
            params,
            updates,
            json!({"stopReason": stop_reason}),
        )
    }

    /// A prompt that is cancelled after `wait_ms`.
    pub(super) fn cancelled_turn(mut self, updates: &[Value], wait_ms: u64, stop: &str) -> Self {
        let id = self.next_id;
        self.next_id += 1;
        let params = json!({"sessionId": SESSION, "prompt": []});
        self.sent(
            json!({"jsonrpc": "2.0", "id": id, "method": "session/prompt", "params": params}),
        );
        for update in updates {
            self.update(update);
        }
        let params = json!({"sessionId": SESSION});
        self.sent(json!({"jsonrpc": "2.0", "method": "session/cancel", "params": params}));
        self.t_ms += wait_ms;
        self.received(json!({"jsonrpc": "2.0", "id": id, "result": {"stopReason": stop}}));
        self
    }

    /// A prompt that is not answered yet.
    pub(super) fn begin_prompt(mut self) -> Self {
        let id = self.next_id;
        self.next_id += 1;
        let params = json!({"sessionId": SESSION, "prompt": []});
        self.sent(
            json!({"jsonrpc": "2.0", "id": id, "method": "session/prompt", "params": params}),
        );
        self
    }

    /// The end of the prompt that was begun.
    pub(super) fn end_prompt(
        mut self,
        updates: &[Value],
        stop_reason: &str,
        before: Snapshot,
        after: Snapshot,
    ) -> Self {
        for update in updates {
            self.update(update);
        }
        let after = Some(after);
        self.recording.turns.push(TurnFiles {
            before,
            after,
            beside: Vec::new(),
        });
        let id = self.next_id - 1;
        self.received(json!({"jsonrpc": "2.0", "id": id, "result": {"stopReason": stop_reason}}));
        self
    }

    /// A prompt that is answered with an error.
    pub(super) fn failed_prompt(self, error: &Value) -> Self {
        let id = self.next_id;
        self.begin_prompt()
            .message(json!({"jsonrpc": "2.0", "id": id, "error": error}))
    }

    /// Any message of the checker.
    pub(super) fn checker_says(mut self, message: &Value) -> Self {
        self.sent(message.clone());
        self
    }

    /// An update out of turn.
    pub(super) fn late(mut self, update: &Value) -> Self {
        self.update(update);
        self
    }

    /// Any message of the agent.
    pub(super) fn message(mut self, message: Value) -> Self {
        self.received(message);
        self
    }

    /// Any event.
    pub(super) fn event(mut self, what: What) -> Self {
        self.push(what);
        self
    }

    /// A look with these commands.
    pub(super) fn look(mut self, when: When, commands: &[&str]) -> Self {
        let processes = commands.iter().zip(1..).map(|(command, pid)| SeenProcess {
            pid,
            start_ticks: 1,
            command: command.split(' ').map(str::to_owned).collect(),
        });
        self.recording.looks.push(Look {
            t_ms: self.t_ms,
            when,
            processes: processes.collect(),
            zombies: 0,
        });
        self
    }

    /// The tool server's record of calls: tool, arguments, and the ID that was answered.
    pub(super) fn calls(mut self, calls: &[(&str, Value, &str)]) -> Self {
        for (tool, arguments, id) in calls {
            let result = json!({"structuredContent": {"id": id}});
            let call =
                json!({"event": "call", "tool": tool, "arguments": arguments, "result": result});
            self.recording.tool_server.lines.push(call);
        }
        self
    }

    /// The files that are there when all is over.
    pub(super) fn files_at_end(mut self, files: Snapshot) -> Self {
        self.recording.files_at_end = files;
        self
    }

    /// Another ending.
    pub(super) fn ending(mut self, ending: Ending) -> Self {
        self.recording.ending = ending;
        self
    }

    /// The end: nobody is left, unless a look said so.
    pub(super) fn done(mut self) -> ProcessRecording {
        if self
            .recording
            .looks
            .iter()
            .all(|look| look.when != When::AfterEnd)
            && !matches!(
                self.recording.ending,
                Ending::Killed { .. } | Ending::KilledByJourney
            )
        {
            self = self.look(When::AfterEnd, &[]);
        }
        self.recording
    }

    fn update(&mut self, update: &Value) {
        let params = json!({"sessionId": SESSION, "update": update});
        self.received(json!({"jsonrpc": "2.0", "method": "session/update", "params": params}));
    }

    fn sent(&mut self, message: Value) {
        let line = message.to_string();
        self.push(What::Sent { line });
    }

    fn received(&mut self, message: Value) {
        let line = message.to_string();
        let unterminated = false;
        self.push(What::Received { line, unterminated });
    }

    fn push(&mut self, what: What) {
        self.t_ms += 1;
        let t_ms = self.t_ms;
        self.recording.events.push(Event { t_ms, what });
    }
}

/// A chunk of the reply.
pub(super) fn says(text: &str) -> Value {
    json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}})
}

/// A chunk of the user's message, as `session/load` replays it.
pub(super) fn asked(text: &str) -> Value {
    json!({"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": text}})
}

/// A tool call with a status.
pub(super) fn tool_call(status: &str) -> Value {
    json!({"sessionUpdate": "tool_call", "toolCallId": "c", "title": "run", "status": status})
}

/// A change of the tool call's status.
pub(super) fn tool_call_update(status: &str) -> Value {
    json!({"sessionUpdate": "tool_call_update", "toolCallId": "c", "status": status})
}

/// A workspace with these files: path, content (in place of its hash), inode.
pub(super) fn files(files: &[(&str, &str, u64)]) -> Snapshot {
    let entries = files.iter().map(|(path, content, inode)| {
        let kind = EntryKind::File {
            bytes: content.len() as u64,
            sha256: Some((*content).to_owned()),
        };
        let entry = Entry {
            kind,
            mode: 0o644,
            inode: *inode,
            mtime_ns: 0,
            ctime_ns: 0,
        };
        ((*path).to_owned(), entry)
    });
    Snapshot {
        entries: entries.collect(),
        faults: Vec::new(),
    }
}

/// A plan.
pub(super) fn plan(title: &str) -> PlanInputs {
    PlanInputs {
        title: title.to_owned(),
        file: "a.txt".to_owned(),
        text: "three boats".to_owned(),
    }
}

/// A whole recording.
pub(super) fn recording(inputs: Inputs, processes: Vec<ProcessRecording>) -> Recording {
    Recording {
        inputs,
        processes,
        trouble: None,
        timing: None,
    }
}

/// The checks that are not passes: `id verdict`, sorted.
pub(super) fn not_passed(checks: &[Check]) -> Vec<String> {
    let open = checks.iter().filter(|check| check.verdict != Verdict::Pass);
    let mut open: Vec<String> = open
        .map(|check| {
            let verdict = if check.verdict == Verdict::Warn {
                "warn"
            } else {
                "fail"
            };
            format!("{} {verdict}", check.id)
        })
        .collect();
    open.sort();
    open.dedup();
    open
}
