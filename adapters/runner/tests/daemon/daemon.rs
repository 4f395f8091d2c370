//! The daemon, started with a session of its own, and a client of it.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::Instant,
};

use serde_json::{Value, json};
use tungstenite::{Message, WebSocket, client::IntoClientRequest as _};

use crate::support::{
    Scene,
    processes::{DEADLINE, none_left, until},
    schema,
};

const TOKEN: &str = "test-token";

pub struct Daemon {
    child: Child,
    address: String,
    state: PathBuf,
    token: String,
}

impl Daemon {
    /// Starts the daemon with the runner of a scene behind it.
    pub fn start(scene: &Scene, initial_prompt: Option<&str>) -> Self {
        Self::start_program(scene, initial_prompt, env!("CARGO_BIN_EXE_acp-runner"))
    }

    pub fn start_program(scene: &Scene, initial_prompt: Option<&str>, program: &str) -> Self {
        let daemon = std::env::var("COLONIZER_AGENTD").expect("COLONIZER_AGENTD names the daemon");
        // Taken again at once by the daemon; nothing else on this machine asks for ports so fast.
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let address = format!("127.0.0.1:{port}");
        let session = json!({
            "session_id": "t1",
            "workspace": scene.workspace(),
            "listen": address,
            "agent": {"module": "acp", "command": [program], "env": scene.variables()},
            "initial_prompt": initial_prompt,
        });
        fs::write(scene.at("session.json"), session.to_string()).unwrap();
        fs::write(scene.at("token"), TOKEN).unwrap();
        let child = Command::new(daemon)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", scene.at("home"))
            .arg("--config")
            .arg(scene.at("session.json"))
            .arg("--token-file")
            .arg(scene.at("token"))
            .arg("--state-dir")
            .arg(scene.at("agentd"))
            .arg("--path-policy")
            .arg(scene.at("none"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let daemon = Self {
            child,
            address,
            state: scene.at("agentd"),
            token: scene.token.clone(),
        };
        until("the daemon listens", || {
            TcpStream::connect(&daemon.address).is_ok()
        });
        daemon
    }

    /// A client that reads all events from a number on.
    pub fn client(&self, since: u64) -> Client {
        let url = format!("ws://{}/v1/events?since={since}", self.address);
        let mut request = url.into_client_request().unwrap();
        let bearer = format!("Bearer {TOKEN}").parse().unwrap();
        request.headers_mut().insert("Authorization", bearer);
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        let (socket, _) = tungstenite::client(request, stream).unwrap();
        Client {
            socket,
            events: Vec::new(),
        }
    }

    /// A client of a runner that runs. The daemon drops what it is told before.
    pub fn ready_client(&self) -> Client {
        let mut client = self.client(0);
        client.until_state("idle");
        client
    }

    /// Asks for the end of the runner: the status line of the answer.
    pub fn post_shutdown(&self) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(
            stream,
            "POST /v1/shutdown HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {TOKEN}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            self.address
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.lines().next().unwrap_or_default().to_owned()
    }

    /// The process of the runner: the daemon's only child.
    pub fn runner(&self) -> i32 {
        let pid = self.child.id();
        let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap();
        let mut all: Vec<i32> = Vec::new();
        for task in fs::read_dir(format!("/proc/{pid}/task")).unwrap().flatten() {
            let list = fs::read_to_string(task.path().join("children")).unwrap_or_default();
            all.extend(
                list.split_whitespace()
                    .map(|pid| pid.parse::<i32>().unwrap()),
            );
        }
        assert_eq!(all.len(), 1, "{children}");
        all[0]
    }

    /// Ends the daemon, and returns its whole log. Everything in it is checked.
    pub fn end(mut self) -> Vec<Value> {
        use nix::{
            sys::signal::{Signal, kill},
            unistd::Pid,
        };
        let begin = Instant::now();
        kill(
            Pid::from_raw(self.child.id().cast_signed()),
            Signal::SIGTERM,
        )
        .unwrap();
        assert!(self.child.wait().unwrap().success());
        assert!(
            begin.elapsed().as_secs() < 10,
            "the daemon waited for the runner"
        );
        none_left(&self.token);
        let log = fs::read_to_string(self.state.join("events.jsonl")).unwrap();
        let events: Vec<Value> = log.lines().map(check).collect();
        for (event, seq) in events.iter().zip(1..) {
            assert_eq!(event["seq"], seq);
            let message = event["message"].as_str().unwrap_or_default();
            // I7: nothing that the runner said was no event, or too long for one.
            for fault in ["non-event line", "[truncated "] {
                assert!(!message.contains(fault), "{event}");
            }
        }
        events
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Checks an event as the daemon stored it.
fn check(line: &str) -> Value {
    let event: Value = serde_json::from_str(line).unwrap();
    let mut body = event.clone();
    let members = body.as_object_mut().unwrap();
    assert!(
        members.remove("seq").is_some() && members.remove("ts").is_some(),
        "{line}"
    );
    schema::check(&body.to_string());
    event
}

pub struct Client {
    socket: WebSocket<TcpStream>,
    pub events: Vec<Value>,
}

impl Client {
    pub fn send(&mut self, command: Value) {
        self.socket
            .send(Message::text(command.to_string()))
            .unwrap();
    }

    pub fn say(&mut self, id: &str, text: &str) {
        self.send(json!({"type": "user_message", "id": id, "text": text}));
    }

    pub fn next(&mut self) -> Value {
        loop {
            let read = self.socket.read();
            let message = read.unwrap_or_else(|error| panic!("{error} after {:#?}", self.events));
            if let Message::Text(text) = message {
                let event = check(&text);
                self.events.push(event.clone());
                return event;
            }
        }
    }

    pub fn until(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            let event = self.next();
            if is_it(&event) {
                return event;
            }
        }
    }

    pub fn until_type(&mut self, kind: &str) -> Value {
        self.until(|event| event["type"] == kind)
    }

    pub fn until_state(&mut self, state: &str) -> Value {
        self.until(|event| event["type"] == "status" && event["state"] == state)
    }
}
