//! Thousands of random interleavings of what a client can do, against a model that does random
//! things, over the in-memory wire. Everything that went over the wire is judged afterwards.
//!
//! `ROBUST_ROUNDS` says how many, `ROBUST_SEED` with which seed. A failure prints the seed.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a panic is how a test fails, and figures are told on stderr"
)]

mod support;

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use acp_agent::{
    model::{Conversation, Event, Model, Stop, ToolCall},
    serve::Outcome,
};
use futures::{
    StreamExt,
    stream::{self, BoxStream},
};
use rand::{RngExt, SeedableRng, rngs::StdRng, seq::IndexedRandom};
use serde_json::{Value, json};
use soak::{finding::Found, judge::Judge};
use support::client::{Client, Setup};
use tokio::runtime::Handle;

/// How long the last tasks may take to end, on a busy machine.
const DEADLINE: Duration = Duration::from_secs(20);

/// A model that says and calls at random, lets others run in between, and sometimes never ends.
struct Wild(Arc<Mutex<StdRng>>);

impl Model for Wild {
    fn next<'a>(&'a self, _: Conversation<'a>) -> BoxStream<'a, Event> {
        let mut random = self.0.lock().unwrap();
        let length = random.random_range(0..5);
        let steps: Vec<(u8, u8, u8)> = (0..length).map(|_| random.random()).collect();
        let ends = random.random_bool(0.8);
        let stuck = random.random_bool(0.1);
        let event = |(what, which, yields): (u8, u8, u8)| async move {
            for _ in 0..yields % 8 {
                tokio::task::yield_now().await;
            }
            match what % 4 {
                0 => Event::ToolCall(call(which)),
                1 => Event::Thought("hm".to_owned()),
                _ => Event::Text("word ".to_owned()),
            }
        };
        let last = async move {
            if stuck {
                std::future::pending::<()>().await;
            }
            ends.then_some(Event::Stop(Stop::EndTurn))
        };
        let last = stream::once(last).filter_map(std::future::ready);
        stream::iter(steps).then(event).chain(last).boxed()
    }
}

fn call(which: u8) -> ToolCall {
    let (name, arguments) = match which % 5 {
        0 => ("list_directory", json!({"path": "."})),
        1 => ("write_file", json!({"path": "f", "content": "x"})),
        2 => ("read_file", json!({"path": "none"})),
        3 => (
            "update_plan",
            json!({"entries": [{"content": "a", "status": "pending", "priority": "low"}]}),
        ),
        _ => ("bogus", json!({})),
    };
    ToolCall {
        id: "same".to_owned(),
        name: name.to_owned(),
        arguments,
    }
}

/// A client that acts at random and writes down what it sends and what comes.
struct Player {
    client: Client,
    random: StdRng,
    judge: Judge,
    /// The last messages, to be shown when something is wrong.
    lines: VecDeque<String>,
    seed: u64,
    sessions: Vec<String>,
    /// All that were ever made.
    made: Vec<String>,
    last: i64,
    /// Permissions that were asked for, answered or not.
    asked: Vec<Value>,
}

impl Player {
    async fn send(&mut self, message: Value) {
        self.judge.sent(&message);
        self.write_down(&message);
        self.client.send(message).await;
    }

    async fn request(&mut self, method: &str, params: Value) -> i64 {
        let (id, message) = self.client.message(method, params);
        self.last = id;
        self.send(message).await;
        id
    }

    async fn notify(&mut self, method: &str, params: Value) {
        self.send(json!({"jsonrpc": "2.0", "method": method, "params": params}))
            .await;
    }

    /// Reads everything up to the answer to this request.
    async fn read_to(&mut self, id: i64) -> Value {
        loop {
            let message = self.client.receive().await.expect("the connection lives");
            self.note(&message);
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
        }
    }

    fn note(&mut self, message: &Value) {
        if message["method"] == "session/request_permission" {
            self.asked.push(message["id"].clone());
        }
        self.write_down(message);
        let judged = self.judge.came(message);
        self.hold(judged);
    }

    fn write_down(&mut self, message: &Value) {
        self.lines.push_back(message.to_string());
        if self.lines.len() > 60 {
            self.lines.pop_front();
        }
    }

    fn hold(&self, judged: Found<()>) {
        if let Err(finding) = judged {
            self.lines.iter().for_each(|line| eprintln!("{line}"));
            panic!("ROBUST_SEED={}: {finding}", self.seed);
        }
    }

    async fn open(&mut self) {
        let cwd = self.client.workspace.path().to_owned();
        let id = self
            .request("session/new", json!({"cwd": cwd, "mcpServers": []}))
            .await;
        let answer = self.read_to(id).await;
        let session = answer["result"]["sessionId"].as_str().unwrap().to_owned();
        self.made.push(session.clone());
        self.sessions.push(session);
    }

    /// Everything that the agent has to say now.
    async fn catch_up(&mut self) {
        let id = self.request("_ping", json!({})).await;
        self.read_to(id).await;
    }

    async fn act(&mut self) {
        let session = self.sessions.choose(&mut self.random).unwrap().clone();
        let of = json!({"sessionId": session});
        match self.random.random_range(0..24) {
            0..8 => {
                let prompt = json!([{"type": "text", "text": "x"}]);
                self.request(
                    "session/prompt",
                    json!({"sessionId": session, "prompt": prompt}),
                )
                .await;
            }
            8..12 => self.notify("session/cancel", of).await,
            12 => {
                let mode = *["plan", "default", "full-access"]
                    .choose(&mut self.random)
                    .unwrap();
                self.request(
                    "session/set_mode",
                    json!({"sessionId": session, "modeId": mode}),
                )
                .await;
            }
            13 => drop(self.request("session/close", of).await),
            14 => drop(self.request("session/delete", of).await),
            15 | 16 => {
                let cwd = self.client.workspace.path().to_owned();
                let method = *["session/load", "session/resume"]
                    .choose(&mut self.random)
                    .unwrap();
                self.request(
                    method,
                    json!({"sessionId": session, "cwd": cwd, "mcpServers": []}),
                )
                .await;
            }
            17 => {
                let id = self.random.random_range(1..=self.last);
                self.notify("$/cancel_request", json!({"requestId": id}))
                    .await;
            }
            18 => drop(self.request("session/list", json!({})).await),
            19..22 => self.answer_a_question().await,
            22 => self.catch_up().await,
            _ => {
                for _ in 0..self.random.random_range(0..30) {
                    tokio::task::yield_now().await;
                }
            }
        }
    }

    /// In any of its forms, perhaps late, perhaps again.
    async fn answer_a_question(&mut self) {
        let Some(id) = self.asked.choose(&mut self.random).cloned() else {
            return;
        };
        let selected =
            |option: &str| json!({"outcome": {"outcome": "selected", "optionId": option}});
        let mut message = match self.random.random_range(0..5) {
            0 | 1 => json!({"result": selected("allow-once")}),
            2 => json!({"result": selected("reject-once")}),
            3 => json!({"result": {"outcome": {"outcome": "cancelled"}}}),
            _ => json!({"error": {"code": -32601, "message": "no"}}),
        };
        message["jsonrpc"] = "2.0".into();
        message["id"] = id;
        self.send(message).await;
    }

    /// Closes every session. Then there are no more tasks than there were before the first.
    async fn come_to_rest(&mut self, tasks_at_rest: usize) {
        const BUSY: i64 = -32600;
        for session in std::mem::take(&mut self.made) {
            loop {
                let of = json!({"sessionId": session});
                let id = self.request("session/close", of).await;
                if self.read_to(id).await["error"]["code"] != BUSY {
                    break;
                }
            }
        }
        let deadline = Instant::now() + DEADLINE;
        while tasks() > tasks_at_rest {
            let (left, seed) = (tasks(), self.seed);
            assert!(
                Instant::now() < deadline,
                "ROBUST_SEED={seed}: {left} tasks at rest, and {tasks_at_rest} before"
            );
            tokio::task::yield_now().await;
        }
    }

    /// Some sessions, some actions, and the end of all turns.
    async fn round(&mut self) {
        self.sessions.clear();
        for _ in 0..self.random.random_range(1..3) {
            self.open().await;
        }
        for _ in 0..self.random.random_range(1..25) {
            self.act().await;
        }
        for session in self.sessions.clone() {
            self.notify("session/cancel", json!({"sessionId": session}))
                .await;
        }
        self.catch_up().await;
    }
}

/// Tasks of the runtime that have not ended.
fn tasks() -> usize {
    Handle::current().metrics().num_alive_tasks()
}

/// Plays rounds over one connection, and judges it.
async fn play(seed: u64, rounds: u64) {
    let mut random = StdRng::seed_from_u64(seed);
    let model = Wild(Arc::new(Mutex::new(StdRng::from_rng(&mut random))));
    let buffer = *[1 << 20, 4096, 64].choose(&mut random).unwrap();
    let setup = Setup {
        buffer,
        ..Setup::default()
    };
    let mut player = Player {
        client: Client::start_with(model, setup),
        random,
        judge: Judge::default(),
        lines: VecDeque::new(),
        seed,
        sessions: Vec::new(),
        made: Vec::new(),
        last: 1,
        asked: Vec::new(),
    };
    player.client.initialize().await;
    let at_rest = tasks();
    for _ in 0..rounds {
        player.round().await;
    }
    player.come_to_rest(at_rest).await;
    player.judge.closed();
    player.client.close();
    while let Some(message) = player.client.receive().await {
        player.note(&message);
    }
    player.hold(player.judge.ended());
    assert_eq!(player.client.end().await.1, Outcome::Clean, "seed {seed}");
}

fn number(name: &str, otherwise: u64) -> u64 {
    let value = std::env::var(name).ok();
    value
        .and_then(|value| value.parse().ok())
        .unwrap_or(otherwise)
}

#[tokio::test]
async fn whatever_the_order_each_request_has_one_answer_and_each_call_one_end() {
    const ROUNDS_OF_ONE: u64 = 50;
    let rounds = number("ROBUST_ROUNDS", 1_000);
    let first = number("ROBUST_SEED", rand::random::<u32>().into());
    for seed in first..first + rounds.div_ceil(ROUNDS_OF_ONE) {
        eprintln!("seed {seed}");
        play(seed, ROUNDS_OF_ONE).await;
    }
}
