//! What a run is made of: a workspace, a script for the agent, and the environment.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use super::{processes, runner::Runner};

pub struct Scene {
    folder: tempfile::TempDir,
    pub token: String,
    env: Vec<(String, String)>,
}

impl Scene {
    /// A workspace, and an agent with this script.
    pub fn new(script: &Value) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("ws")).unwrap();
        fs::write(folder.path().join("script.json"), script.to_string()).unwrap();
        let token = processes::token();
        let at = |name: &str| folder.path().join(name).display().to_string();
        let agent = format!("\"{}\"", env!("CARGO_BIN_EXE_scripted-acp-agent"));
        let env = [
            ("COLONIZER_ACP_AGENT", "custom".to_owned()),
            ("COLONIZER_ACP_COMMAND", agent),
            ("COLONIZER_HOST_MOUNTS", at("none")),
            ("COLONIZER_TRACKED_SCRIPTS", at("none")),
            ("COLONIZER_PATH_POLICY", at("none")),
            ("HOME", at("home")),
            ("ACP_TEST", token.clone()),
            ("SCRIPT", at("script.json")),
            ("RECORD", at("record")),
        ];
        let env = env.map(|(name, value)| (name.to_owned(), value)).into();
        Self { folder, token, env }
    }

    /// With a variable for the runner.
    pub fn env(mut self, name: &str, value: impl Into<String>) -> Self {
        self.env.retain(|(other, _)| other != name);
        self.env.push((name.to_owned(), value.into()));
        self
    }

    /// The command line of the agent.
    pub fn agent_command(&self) -> &str {
        let command = self
            .env
            .iter()
            .find(|(name, _)| name == "COLONIZER_ACP_COMMAND");
        &command.unwrap().1
    }

    /// All variables for the runner.
    pub fn variables(&self) -> Value {
        self.env
            .iter()
            .map(|(name, value)| (name.clone(), json!(value)))
            .collect()
    }

    /// Another script for the next run.
    pub fn script(&self, script: &Value) {
        fs::write(self.at("script.json"), script.to_string()).unwrap();
    }

    /// A path beside the workspace.
    pub fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn workspace(&self) -> PathBuf {
        self.at("ws").canonicalize().unwrap()
    }

    /// What the agent received, in all runs.
    pub fn received(&self) -> Vec<Value> {
        let record = fs::read_to_string(self.at("record")).unwrap_or_default();
        record
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// The methods that the agent received, without its start.
    pub fn methods(&self) -> Vec<String> {
        let methods = self.received();
        methods
            .iter()
            .filter_map(|line| line["method"].as_str().map(str::to_owned))
            .collect()
    }

    /// The runner's answer to the agent's request with this id.
    pub fn answer(&self, id: impl Into<Value>) -> Value {
        let id = id.into();
        let received = self.received();
        let found = received
            .into_iter()
            .find(|line| line.get("method").is_none() && line["id"] == id);
        found.unwrap_or_else(|| panic!("no answer to {id}"))
    }

    pub fn start(&self) -> Runner {
        self.start_in(&self.at("ws"))
    }

    /// A runner whose output nobody reads yet.
    pub fn start_unread(&self) -> Runner {
        Runner::start_unread(&self.at("ws"), &self.env, &self.token)
    }

    pub fn start_in(&self, workspace: &Path) -> Runner {
        Runner::start(workspace, &self.env, &self.token)
    }
}

/// A script with prompts only.
pub fn prompts(prompts: Value) -> Value {
    json!({"prompts": prompts})
}

/// The step that sends a piece of text.
pub fn chunk(text: &str) -> Value {
    let content = json!({"type": "text", "text": text});
    json!({"update": {"sessionUpdate": "agent_message_chunk", "content": content}})
}

/// The step that asks for permission, with the options `Allow` and `Reject`, and waits.
pub fn permission(id: &str, kind: &str, title: &str) -> Value {
    let options = json!([
        {"optionId": "allow", "name": "Allow", "kind": "allow_once"},
        {"optionId": "reject", "name": "Reject", "kind": "reject_once"},
    ]);
    let call = json!({"toolCallId": id, "kind": kind, "title": title});
    json!({"ask": {
        "id": id,
        "method": "session/request_permission",
        "params": {"sessionId": "s-1", "toolCall": call, "options": options},
    }})
}

/// The step that asks anything else, and waits.
pub fn call(id: impl Into<Value>, method: &str, mut params: Value) -> Value {
    params["sessionId"] = "s-1".into();
    json!({"ask": {"id": id.into(), "method": method, "params": params}})
}
