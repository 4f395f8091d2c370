//! A session with a scenario, and what its client sees of a turn.

use std::path::{Path, PathBuf};

use acp_agent::model::{ScenarioError, StubScenario};
use serde_json::{Value, json};

use crate::support::client::{Client, Setup, text};

/// The folder of documents.
pub fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs")
}

/// The example with this name.
pub fn example(name: &str) -> Result<StubScenario, ScenarioError> {
    StubScenario::load(&docs().join("scenarios").join(name))
}

/// A client with a session of its own.
pub struct Scene {
    pub client: Client,
    pub session: String,
}

/// What came of a prompt.
pub struct Turn {
    /// The stop reason, or the whole answer when it is an error.
    pub stop: Value,
    /// What was said.
    pub said: String,
    pub updates: Vec<Value>,
}

impl Scene {
    /// A session with the example of this name, for a client that offers this.
    pub async fn with(name: &str, offers: Value, setup: Setup, servers: Value) -> Self {
        let scenario = example(name).unwrap_or_else(|error| panic!("{error}"));
        let mut client = Client::start_with(scenario, setup);
        client.initialize_with(offers).await;
        let cwd = client.workspace.path().to_owned();
        let params = json!({"cwd": cwd, "mcpServers": servers});
        let answer = client.call("session/new", params).await;
        let session = answer["result"]["sessionId"].as_str().unwrap().to_owned();
        Self { client, session }
    }

    pub async fn new(name: &str) -> Self {
        Self::with(name, json!({}), Setup::default(), json!([])).await
    }

    /// A turn in which each permission request gets the first option of this kind.
    pub async fn turn(&mut self, prompt: &str, answers: &str) -> Turn {
        self.client.seen();
        let id = self.client.prompt(&self.session, prompt).await;
        let mut asked = 0;
        let answer = loop {
            let asks = "session/request_permission";
            let message = self
                .client
                .until(|message| message["id"] == id || message["method"] == asks)
                .await;
            if message["method"] != asks {
                break message;
            }
            asked += 1;
            assert!(asked < 20, "{prompt} asks without an end");
            self.client.choose(&message, answers).await;
        };
        let updates = self.client.all_updates();
        Turn {
            stop: match answer.get("result") {
                Some(result) => result["stopReason"].clone(),
                None => answer,
            },
            said: text(&updates),
            updates,
        }
    }
}

impl Turn {
    /// The kinds of the updates, without repetitions and without those that come with every turn.
    pub fn kinds(&self) -> Vec<&str> {
        let general = ["available_commands_update", "session_info_update"];
        let kinds = self
            .updates
            .iter()
            .map(|update| update["sessionUpdate"].as_str().unwrap());
        let mut kinds: Vec<_> = kinds.filter(|kind| !general.contains(kind)).collect();
        kinds.dedup();
        kinds
    }

    /// The updates of one kind.
    pub fn of_kind(&self, kind: &str) -> Vec<&Value> {
        let of_kind = self.updates.iter();
        of_kind
            .filter(|update| update["sessionUpdate"] == kind)
            .collect()
    }

    /// How the tool calls ended, in the order in which they did.
    pub fn ends(&self) -> Vec<&str> {
        let statuses = self
            .updates
            .iter()
            .filter_map(|update| update["status"].as_str());
        statuses
            .filter(|status| ["completed", "failed"].contains(status))
            .collect()
    }
}
