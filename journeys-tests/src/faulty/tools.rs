//! Tool calls of a turn: announced, asked for, run, ended.
//!
//! What must stay true without a fault: a tool call is announced before anything is asked or run,
//! and it gets exactly one end status before the prompt is answered.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/tool-calls>

use std::{sync::mpsc::RecvTimeoutError, time::Duration};

use serde_json::{Value, json};

use super::{
    faults::Fault,
    mcp::ToolServer,
    shell::{self, Outcome},
    turn::Turn,
    variants::Variant,
};

/// Between two looks at the stop of the turn while the client decides.
const LOOK: Duration = Duration::from_millis(5);
/// For answers that the client owes after a cancel.
const OWED: Duration = Duration::from_secs(5);
/// How many requests are opened at once by [`Variant::PermissionsAtCancel`].
const OPENED_AT_CANCEL: usize = 5;

/// How a tool call ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Ended {
    /// With this result.
    Done(Value),
    /// It failed or was refused, for this reason.
    Failed(String),
    /// The turn was cancelled.
    Cancelled,
}

/// What the client said to a permission request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Permission {
    Allowed,
    Refused,
    Cancelled,
}

impl Turn {
    /// Runs a shell command; the result is its output, a string.
    pub fn run_command(&self, command: &str) -> Ended {
        let call = json!({
            "title": format!("`{command}`"),
            "kind": "execute",
            "rawInput": {"command": command},
        });
        self.tool_call(call, || self.shell(command))
    }

    /// Calls a tool of the first tool server; the result is its structured content.
    pub fn call_tool(&self, server: &ToolServer, tool: &str, arguments: Value) -> Ended {
        let call = json!({
            "title": format!("rondar: {tool}"),
            "kind": "other",
            "rawInput": {"tool": tool, "arguments": arguments.clone()},
        });
        self.tool_call(call, || match server.call(tool, arguments) {
            Ok(result) => Ended::Done(result),
            Err(error) => Ended::Failed(error.to_string()),
        })
    }

    fn shell(&self, command: &str) -> Ended {
        let ran = shell::run(
            command,
            &self.session.cwd,
            &self.stop,
            &self.agent.behaviour,
        );
        match ran {
            Ok(Outcome::Ended { output, success }) if success => Ended::Done(json!(output)),
            Ok(Outcome::Ended { output, .. }) => Ended::Failed(output),
            Ok(Outcome::Stopped { left }) => {
                self.agent.remember_left(left);
                Ended::Cancelled
            }
            Err(error) => Ended::Failed(format!("sh cannot be started: {error}")),
        }
    }

    fn tool_call(&self, mut call: Value, body: impl FnOnce() -> Ended) -> Ended {
        if self.behaviour().has(Fault::SilentCommand) {
            return body();
        }
        let id = json!(format!("call-{:016x}", rand::random::<u64>()));
        call["toolCallId"] = id.clone();
        let mut announced = call.clone();
        announced["sessionUpdate"] = json!("tool_call");
        announced["status"] = json!("pending");
        self.update(announced);

        let permission = self.permission(&call);
        let ended = match permission {
            Permission::Cancelled => Ended::Cancelled,
            Permission::Refused if !self.behaviour().has(Fault::RunsRefused) => {
                Ended::Failed("refused by the user".to_owned())
            }
            Permission::Allowed | Permission::Refused => {
                self.tool_update(&id, json!({"status": "in_progress"}));
                body()
            }
        };
        self.end_tool_call(&id, &ended);
        ended
    }

    fn end_tool_call(&self, id: &Value, ended: &Ended) {
        let (status, text) = match ended {
            Ended::Done(Value::String(output)) => ("completed", output.clone()),
            Ended::Done(result) => ("completed", result.to_string()),
            Ended::Failed(reason) => ("failed", reason.clone()),
            Ended::Cancelled => ("failed", "cancelled".to_owned()),
        };
        let mut content = json!({"type": "text", "text": text});
        if !self.behaviour().has(Fault::BareToolContent) {
            content = json!({"type": "content", "content": content});
        }
        let fields = json!({"status": status, "content": [content]});
        if self.behaviour().has(Fault::ToolCallOpen) {
            return;
        }
        if self.behaviour().has(Fault::UpdateAfterCancelled) && *ended == Ended::Cancelled {
            self.after_answer(tool_update(id, fields));
            return;
        }
        self.tool_update(id, fields);
    }

    fn tool_update(&self, id: &Value, fields: Value) {
        self.update(tool_update(id, fields));
    }

    /// ACP: <https://agentclientprotocol.com/protocol/v1/tool-calls#requesting-permission>
    fn permission(&self, call: &Value) -> Permission {
        if self.behaviour().is(Variant::AsksNothing) || self.behaviour().has(Fault::NeverAsks) {
            return Permission::Allowed;
        }
        let answer = self.ask_permission(call);
        loop {
            match answer.recv_timeout(LOOK) {
                Ok(_) if self.behaviour().has(Fault::PermissionMisread) => {
                    return Permission::Refused;
                }
                Ok(answer) => return chosen(&answer),
                Err(RecvTimeoutError::Disconnected) => return Permission::Cancelled,
                Err(RecvTimeoutError::Timeout) if self.stop.asked() => {
                    return Permission::Cancelled;
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    fn ask_permission(&self, call: &Value) -> std::sync::mpsc::Receiver<Value> {
        let parameters = json!({
            "sessionId": self.session.id,
            "toolCall": call,
            "options": [
                {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
                {"optionId": "no", "name": "Reject", "kind": "reject_once"},
            ],
        });
        let agent = &self.agent;
        agent
            .client
            .ask(&agent.output, "session/request_permission", parameters)
    }

    /// Requests that crossed with the cancel: the client owes each of them the outcome `cancelled`.
    pub fn permissions_at_cancel(&self) {
        let asked: Vec<_> = (0..OPENED_AT_CANCEL)
            .map(|number| {
                let id = format!("late-{number}");
                self.ask_permission(&json!({"toolCallId": id, "title": "`true`"}))
            })
            .collect();
        for answer in asked {
            let _ = answer.recv_timeout(OWED);
        }
    }
}

fn tool_update(id: &Value, mut fields: Value) -> Value {
    fields["sessionUpdate"] = json!("tool_call_update");
    fields["toolCallId"] = id.clone();
    fields
}

/// An error, an unknown option or anything else is a refusal.
fn chosen(answer: &Value) -> Permission {
    let outcome = &answer["result"]["outcome"];
    if outcome["outcome"] == "cancelled" {
        Permission::Cancelled
    } else if outcome["optionId"] == "yes" {
        Permission::Allowed
    } else {
        Permission::Refused
    }
}
