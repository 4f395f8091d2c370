//! A client in the same process, over an in-memory pipe.

use std::{collections::HashMap, path::PathBuf, sync::Arc, time::Duration};

use acp_agent::{
    cli::Config,
    mode::Mode,
    model::Model,
    proc::Supervisor,
    serve::{self, Outcome},
};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream},
    sync::oneshot,
    task::JoinHandle,
    time::timeout,
};

use super::schema::Schema;

/// Long enough for a machine that is busy with other tests; only a failure waits for it.
const DEADLINE: Duration = Duration::from_secs(20);

/// An agent and the client's end of its connection. Everything that is received is validated.
pub struct Client {
    pub workspace: TempDir,
    pub state: Arc<TempDir>,
    to: Option<DuplexStream>,
    from: BufReader<DuplexStream>,
    served: JoinHandle<Outcome>,
    signal: Option<oneshot::Sender<()>>,
    next_id: i64,
    methods: HashMap<i64, String>,
    schema: Schema,
    waiting: Vec<Value>,
}

/// How the agent is started in a test.
pub struct Setup {
    pub mode: Mode,
    pub state: Arc<TempDir>,
    pub buffer: usize,
    pub strict_mcp: bool,
    pub plain: bool,
    pub require_auth: bool,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            mode: Mode::Default,
            state: Arc::new(tempfile::tempdir().unwrap()),
            buffer: 1 << 20,
            strict_mcp: false,
            plain: false,
            require_auth: false,
        }
    }
}

impl Client {
    pub fn start(model: impl Model + 'static) -> Self {
        Self::start_with(model, Setup::default())
    }

    pub fn start_with(model: impl Model + 'static, setup: Setup) -> Self {
        let (to, input) = tokio::io::duplex(setup.buffer);
        let (output, from) = tokio::io::duplex(setup.buffer);
        let config = Config {
            state_dir: setup.state.path().to_owned(),
            mode: setup.mode,
            strict_mcp: setup.strict_mcp,
            plain: setup.plain,
            require_auth: setup.require_auth,
            pass_env: Vec::new(),
        };
        let (signal, signalled) = oneshot::channel();
        let wire = wire::connect_streams(input, output, wire::Limits::default());
        let supervisor = Supervisor::at(PathBuf::from(env!("CARGO_BIN_EXE_acp-agent")));
        let served = tokio::spawn(serve::serve(
            config,
            wire,
            Arc::new(model),
            supervisor,
            async {
                // A test that does not signal drops the sender with itself, which is no signal.
                if signalled.await.is_err() {
                    std::future::pending::<()>().await;
                }
            },
        ));
        Self {
            workspace: tempfile::tempdir().unwrap(),
            state: setup.state,
            to: Some(to),
            from: BufReader::new(from),
            served,
            signal: Some(signal),
            next_id: 0,
            methods: HashMap::new(),
            schema: Schema::new(),
            waiting: Vec::new(),
        }
    }

    /// Writes bytes as they are.
    pub async fn raw(&mut self, bytes: &[u8]) {
        self.to.as_mut().unwrap().write_all(bytes).await.unwrap();
    }

    pub async fn send(&mut self, message: Value) {
        self.raw(format!("{message}\n").as_bytes()).await;
    }

    pub async fn notify(&mut self, method: &str, params: Value) {
        self.send(json!({"jsonrpc": "2.0", "method": method, "params": params}))
            .await;
    }

    /// Sends a request and returns its id.
    pub async fn request(&mut self, method: &str, params: Value) -> i64 {
        let (id, message) = self.message(method, params);
        self.send(message).await;
        id
    }

    /// A request that is not sent yet.
    pub fn message(&mut self, method: &str, params: Value) -> (i64, Value) {
        self.next_id += 1;
        self.methods.insert(self.next_id, method.to_owned());
        let id = self.next_id;
        (
            id,
            json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}),
        )
    }

    /// The next message of the agent, or nothing at the end of its output.
    pub async fn receive(&mut self) -> Option<Value> {
        let mut line = String::new();
        let read = self.from.read_line(&mut line);
        let length = timeout(DEADLINE, read)
            .await
            .expect("a message in time")
            .unwrap();
        if length == 0 {
            return None;
        }
        let methods = &self.methods;
        self.schema
            .check(&line, |id| methods.get(&id.as_i64()?).cloned());
        Some(serde_json::from_str(&line).unwrap())
    }

    /// The next message that is wanted; those before it are kept for [`Client::seen`].
    pub async fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self
                .receive()
                .await
                .expect("the wanted message before the end");
            if wanted(&message) {
                return message;
            }
            self.waiting.push(message);
        }
    }

    /// The answer to a request.
    pub async fn answer(&mut self, id: i64) -> Value {
        self.until(|message| message["id"] == id && message.get("method").is_none())
            .await
    }

    /// Sends a request and waits for its answer.
    pub async fn call(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params).await;
        self.answer(id).await
    }

    /// What came before the messages that were waited for, since the last call.
    pub fn seen(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.waiting)
    }

    /// The updates among what was seen, but for those about the session as a whole, which come
    /// with every turn.
    pub fn updates(&mut self) -> Vec<Value> {
        let mut updates = self.all_updates();
        let general = [
            "available_commands_update",
            "session_info_update",
            "usage_update",
        ];
        updates.retain(|update| !general.iter().any(|kind| update["sessionUpdate"] == *kind));
        updates
    }

    /// All updates among what was seen.
    pub fn all_updates(&mut self) -> Vec<Value> {
        let seen = self.seen().into_iter();
        seen.filter(|message| message["method"] == "session/update")
            .map(|message| message["params"]["update"].clone())
            .collect()
    }

    pub async fn initialize(&mut self) -> Value {
        self.initialize_with(json!({})).await
    }

    /// Initializes as a client that offers this.
    pub async fn initialize_with(&mut self, capabilities: Value) -> Value {
        let params = json!({"protocolVersion": 1, "clientCapabilities": capabilities});
        self.call("initialize", params).await
    }

    /// Answers a request of the agent.
    pub async fn reply(&mut self, request: &Value, result: Value) {
        self.send(json!({"jsonrpc": "2.0", "id": request["id"], "result": result}))
            .await;
    }

    /// Answers a request of the agent with an error.
    pub async fn reply_error(&mut self, request: &Value, code: i64, message: &str) {
        let error = json!({"code": code, "message": message});
        self.send(json!({"jsonrpc": "2.0", "id": request["id"], "error": error}))
            .await;
    }

    /// The next request of this method.
    pub async fn asked(&mut self, method: &str) -> Value {
        self.until(|message| message["method"] == method).await
    }

    /// Makes a session in the workspace.
    pub async fn session(&mut self) -> String {
        let cwd = self.workspace.path().to_owned();
        let answer = self
            .call("session/new", json!({"cwd": cwd, "mcpServers": []}))
            .await;
        answer["result"]["sessionId"]
            .as_str()
            .expect("a session id")
            .to_owned()
    }

    /// Sends a prompt of one text.
    pub async fn prompt(&mut self, session: &str, text: &str) -> i64 {
        let prompt = json!([{"type": "text", "text": text}]);
        self.request(
            "session/prompt",
            json!({"sessionId": session, "prompt": prompt}),
        )
        .await
    }

    /// Sends a prompt and returns its stop reason, or the whole answer when it is an error.
    pub async fn turn(&mut self, session: &str, text: &str) -> Value {
        let id = self.prompt(session, text).await;
        let answer = self.answer(id).await;
        match answer.get("result") {
            Some(result) => result["stopReason"].clone(),
            None => answer,
        }
    }

    pub async fn cancel(&mut self, session: &str) {
        self.notify("session/cancel", json!({"sessionId": session}))
            .await;
    }

    /// Waits for a permission request and returns it.
    pub async fn permission(&mut self) -> Value {
        self.until(|message| message["method"] == "session/request_permission")
            .await
    }

    /// Answers a permission request with the first option of this kind.
    pub async fn choose(&mut self, request: &Value, kind: &str) {
        let options = request["params"]["options"].as_array().unwrap();
        let option = options
            .iter()
            .find(|option| option["kind"] == kind)
            .expect(kind);
        let outcome = json!({"outcome": "selected", "optionId": option["optionId"]});
        self.send(json!({"jsonrpc": "2.0", "id": request["id"], "result": {"outcome": outcome}}))
            .await;
    }

    /// Closes the agent's input.
    pub fn close(&mut self) {
        self.to = None;
    }

    /// Asks for the end as a signal does.
    pub fn signal(&mut self) {
        let _ = self.signal.take().map(|signal| signal.send(()));
    }

    /// Closes the input, reads to the end of the output and returns what came, and how it ended.
    pub async fn end(mut self) -> (Vec<Value>, Outcome) {
        self.close();
        let mut rest = self.seen();
        while let Some(message) = self.receive().await {
            rest.push(message);
        }
        let outcome = timeout(DEADLINE, self.served)
            .await
            .expect("an end in time")
            .unwrap();
        (rest, outcome)
    }
}

/// The joined text of the message chunks among these updates.
pub fn text(updates: &[Value]) -> String {
    let chunks = updates
        .iter()
        .filter(|u| u["sessionUpdate"] == "agent_message_chunk");
    chunks
        .map(|u| u["content"]["text"].as_str().unwrap())
        .collect()
}
