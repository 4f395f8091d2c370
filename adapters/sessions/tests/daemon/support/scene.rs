//! An instance of its own, with a daemon that can be ended and killed.

use std::{
    fs,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::http::{Answer, ask};

/// How long anything may take on a busy machine.
const DEADLINE: Duration = Duration::from_secs(60);

/// How often something is looked for.
const LOOK: Duration = Duration::from_millis(5);

/// The harness.
const HARNESS: &str = env!("CARGO_BIN_EXE_scripted-harness");

/// Where the harness is.
pub const fn harness() -> &'static str {
    HARNESS
}

/// An instance.
pub struct Scene {
    folder: TempDir,
    variables: Vec<(String, String)>,
}

impl Scene {
    /// An instance whose default profile is the scripted harness without arguments.
    pub fn new() -> Self {
        let scene = Self {
            folder: tempfile::tempdir().unwrap(),
            variables: Vec::new(),
        };
        fs::create_dir(scene.path("config")).unwrap();
        fs::create_dir(scene.path("project")).unwrap();
        scene.profile(&[], "");
        scene
    }

    /// Sets a limit of the daemons that are started from now on.
    pub fn limit(mut self, name: &str, value: u64) -> Self {
        let suffix = if name == "ACTIONS" { "" } else { "_MS" };
        let name = format!("ACP_SESSIONS_LIMIT_{name}{suffix}");
        self.variables.push((name, value.to_string()));
        self
    }

    /// A path in the instance's folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The same as text.
    pub fn text(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    /// Configures the default profile: the harness with these arguments, and more lines of TOML.
    pub fn profile(&self, arguments: &[&str], more: &str) {
        let mut command = vec![HARNESS];
        command.extend(arguments);
        self.configure(&format!(
            "[profiles.scripted]\ncommand = {command:?}\n{more}\n"
        ));
    }

    /// Makes a repository with one commit: the lines of TOML for a bundle of it, and the commit.
    pub fn bundle(&self) -> (String, String) {
        let origin = self.text("origin");
        let script = format!(
            "git init -q -b main {origin} && cd {origin}
             git config receive.denyCurrentBranch ignore
             git config user.name n && git config user.email e@example.org
             echo one > file && git add file && git commit -q -m one && git rev-parse HEAD"
        );
        let output = Command::new("sh").args(["-c", &script]).output().unwrap();
        let commit = String::from_utf8(output.stdout).unwrap().trim().to_owned();
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert_eq!(commit.len(), 40, "{complaint}");
        let repository = format!("{{ id = \"app\", source = {origin:?} }}");
        let bundle = format!("[bundles.product]\nrepositories = [{repository}]");
        (bundle, commit)
    }

    /// Writes the configuration.
    pub fn configure(&self, text: &str) {
        let text = format!("[defaults]\nprofile = \"scripted\"\n{text}");
        fs::write(self.path("config/config.toml"), text).unwrap();
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_acp-sessions"));
        command
            .args(arguments)
            .env("ACP_SESSIONS_CONFIG_DIR", self.path("config"))
            .env("ACP_SESSIONS_DATA_DIR", self.path("data"))
            .envs(self.variables.clone())
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        command
    }

    /// Starts an ACP front whose sessions are made in the workspace `w`.
    pub fn front(&self) -> Child {
        let mut command = self.command(&["acp", "--workspace", "w"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(Stdio::null()).spawn().unwrap()
    }

    /// Starts the daemon and waits until it answers.
    #[track_caller]
    pub fn start(&self) -> Daemon {
        let started = self.try_start();
        started.unwrap_or_else(|| panic!("{}", fs::read_to_string(self.path("log")).unwrap()))
    }

    /// The same; none if it ends instead.
    pub fn try_start(&self) -> Option<Daemon> {
        let mut log = fs::OpenOptions::new();
        let log = log
            .create(true)
            .append(true)
            .open(self.path("log"))
            .unwrap();
        let mut child = self.command(&["daemon-run"]).stderr(log).spawn().unwrap();
        let endpoint = self.path("data/daemon.json");
        let address = until("the daemon answers or ends", || {
            if child.try_wait().unwrap().is_some() {
                return Some(None);
            }
            let text = fs::read_to_string(&endpoint).ok()?;
            let endpoint: Value = serde_json::from_str(&text).ok()?;
            let address = || endpoint["address"].as_str().unwrap().parse().unwrap();
            (endpoint["pid"] == child.id()).then(|| Some(address()))
        })?;
        let token = fs::read_to_string(self.path("data/token")).unwrap();
        Some(Daemon {
            child,
            address,
            token,
            project: self.text("project"),
        })
    }

    /// Starts a daemon that is not expected to answer, and waits for its end: what it complained.
    pub fn fail_to_start(&self) -> String {
        let output = self
            .command(&["daemon-run"])
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        assert!(!output.status.success());
        String::from_utf8(output.stderr).unwrap()
    }
}

/// A running daemon. Dropped, it is killed.
pub struct Daemon {
    child: Child,
    pub address: SocketAddr,
    pub token: String,
    project: String,
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Daemon {
    /// The directory of its bare sessions.
    pub fn project(&self) -> &str {
        &self.project
    }

    /// Sends SIGTERM and waits for its end.
    pub fn end(mut self) {
        self.tell_to_end();
        assert!(self.child.wait().unwrap().success());
    }

    /// Sends SIGTERM.
    pub fn tell_to_end(&self) {
        let pid = Pid::from_raw(i32::try_from(self.child.id()).unwrap());
        kill(pid, Signal::SIGTERM).unwrap();
    }

    /// Sends SIGKILL.
    pub fn tell_to_die(&self) {
        let pid = Pid::from_raw(i32::try_from(self.child.id()).unwrap());
        kill(pid, Signal::SIGKILL).unwrap();
    }

    /// Sends SIGKILL and waits for its end.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// A request; none if the daemon is gone.
    pub fn try_ask(&self, method: &str, path: &str, body: &Value) -> Option<Answer> {
        let path = format!("/api/v1{path}");
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        ask(self.address, Some(&self.token), method, &path, &body).ok()
    }

    /// A request.
    #[track_caller]
    pub fn ask(&self, method: &str, path: &str, body: &Value) -> Answer {
        self.try_ask(method, path, body)
            .expect("the daemon is gone")
    }

    /// A request to a path from the root, with this token or none.
    pub fn raw(&self, token: Option<&str>, method: &str, path: &str, body: &str) -> Answer {
        ask(self.address, token, method, path, body).unwrap()
    }

    /// A `GET` that succeeds.
    #[track_caller]
    pub fn get(&self, path: &str) -> Value {
        let answer = self.ask("GET", path, &Value::Null);
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()
    }

    /// A `POST`.
    #[track_caller]
    pub fn post(&self, path: &str, body: &Value) -> Answer {
        self.ask("POST", path, body)
    }

    /// Makes the workspace, and says its id.
    pub fn workspace(&self) -> String {
        let answer = self.post("/workspaces", &json!({"name": "w"}));
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()["id"].as_str().unwrap().to_owned()
    }

    /// Makes a session in the project, with more members in the request, and says its id.
    #[track_caller]
    pub fn make(&self, more: &Value) -> String {
        let mut asked = json!({"workspace_id": self.workspace()});
        if more.get("bundle_id").is_none() {
            asked["project_directory"] = self.project.clone().into();
        }
        for (name, value) in more.as_object().into_iter().flatten() {
            asked[name] = value.clone();
        }
        let answer = self.post("/sessions", &asked);
        assert_eq!(answer.status, 201, "{answer:?}");
        answer.json()["session_id"].as_str().unwrap().to_owned()
    }

    /// Makes a session, and waits until it takes prompts.
    #[track_caller]
    pub fn ready(&self) -> String {
        let id = self.make(&json!({}));
        self.until_idle(&id);
        id
    }

    /// The session.
    #[track_caller]
    pub fn session(&self, id: &str) -> Value {
        self.get(&format!("/sessions/{id}"))
    }

    /// Waits until the session is as wanted.
    #[track_caller]
    pub fn until(&self, id: &str, what: &str, is_wanted: impl Fn(&Value) -> bool) -> Value {
        let mut last = Value::Null;
        let begun = Instant::now();
        loop {
            let session = self.session(id);
            if is_wanted(&session) {
                return session;
            }
            assert!(begun.elapsed() < DEADLINE, "never {what}: {last}");
            last = session;
            sleep(LOOK);
        }
    }

    /// Waits until the session takes prompts.
    #[track_caller]
    pub fn until_idle(&self, id: &str) -> Value {
        self.until(id, "idle", |session| {
            assert_ne!(session["lifecycle"], "failed", "{session}");
            session["is_idle"] == true
        })
    }

    /// Waits until the session has this lifecycle.
    #[track_caller]
    pub fn until_lifecycle(&self, id: &str, lifecycle: &str) -> Value {
        self.until(id, lifecycle, |session| session["lifecycle"] == lifecycle)
    }

    /// Waits until the session is unknown.
    pub fn until_gone(&self, id: &str) {
        until("gone", || {
            let answer = self.ask("GET", &format!("/sessions/{id}"), &Value::Null);
            (answer.status == 404).then_some(())
        });
    }

    /// Sends a prompt that is accepted, and says its turn.
    #[track_caller]
    pub fn prompt(&self, id: &str, text: &str) -> u64 {
        let answer = self.post(&format!("/sessions/{id}/prompt"), &json!({"text": text}));
        assert_eq!(answer.status, 202, "{answer:?}");
        answer.json()["turn_id"].as_u64().unwrap()
    }

    /// Waits for the end of a turn.
    #[track_caller]
    pub fn wait(&self, id: &str, turn: u64) -> Value {
        let wait = json!({"turn_id": turn, "timeout_secs": 50});
        let answer = self.post(&format!("/sessions/{id}/wait"), &wait);
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()
    }

    /// Runs a turn to its end.
    #[track_caller]
    pub fn run(&self, id: &str, text: &str) -> Value {
        let turn = self.prompt(id, text);
        self.wait(id, turn)
    }

    /// Interrupts the turn that runs.
    #[track_caller]
    pub fn interrupt(&self, id: &str) {
        let answer = self.post(&format!("/sessions/{id}/interrupt-turn"), &json!({}));
        assert_eq!(answer.status, 202, "{answer:?}");
    }

    /// Begins an operation.
    #[track_caller]
    pub fn begin(&self, id: &str, operation: &str, body: &Value) {
        let answer = self.post(&format!("/sessions/{id}/{operation}"), body);
        assert_eq!(answer.status, 202, "{answer:?}");
    }

    /// The roles and texts of the transcript.
    #[track_caller]
    pub fn said(&self, id: &str) -> Vec<(String, String)> {
        let page = self.get(&format!("/sessions/{id}/transcript?limit=1000"));
        let items = page["items"].as_array().unwrap().iter();
        let text = |item: &Value, name: &str| item[name].as_str().unwrap().to_owned();
        items
            .map(|item| (text(item, "role"), text(item, "text")))
            .collect()
    }
}

/// Waits until something is found.
#[track_caller]
pub fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begun.elapsed() < DEADLINE, "never: {what}");
        sleep(LOOK);
    }
}

/// The command lines of the processes that have this path on theirs.
pub fn processes(path: &Path) -> Vec<String> {
    found(path).map(|(_, line)| line).collect()
}

/// Their ids.
pub fn process_ids(path: &Path) -> Vec<i32> {
    found(path).map(|(pid, _)| pid).collect()
}

fn found(path: &Path) -> impl Iterator<Item = (i32, String)> {
    let path = path.to_str().unwrap().to_owned();
    let entries = fs::read_dir("/proc").unwrap().flatten();
    entries.filter_map(move |entry| {
        let pid = entry.file_name().to_str()?.parse().ok()?;
        let line = fs::read(entry.path().join("cmdline")).ok()?;
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        line.contains(&path).then_some((pid, line))
    })
}
