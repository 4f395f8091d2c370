//! A secret in every place where a careless agent may put one, to see that a result has it in none.

use std::{
    env,
    process::{Command, Stdio},
};

use serde_json::json;

use super::{output::stderr, shell::ProcessGroup, turn::Turn};

impl Turn {
    /// Puts the value of this variable in messages, over messages, in standard error and in the
    /// arguments of a process that lives as long as the agent.
    pub fn leak(&self, name: &str) {
        let value = env::var(name).unwrap_or_default();
        let half = value.floor_char_boundary(value.len() / 2);
        let (start, end) = value.split_at(half);
        stderr(&format!("{name}={value}\n"));
        self.chunk("agent_thought_chunk", &format!("the key is {value}"));
        self.chunk("agent_thought_chunk", start);
        self.chunk("agent_thought_chunk", end);
        self.update(
            json!({"sessionUpdate": "usage_update", "used": 1, "size": 2, "_meta": {&value: 1}}),
        );
        let mut child = Command::new("sh");
        child.args(["-c", "cat", &value]).stdin(Stdio::piped());
        child.stdout(Stdio::null());
        self.agent
            .remember_left(ProcessGroup::start(&mut child).ok());
    }
}
