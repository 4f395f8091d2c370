//! The agent is killed with SIGKILL at random moments, again and again, while turns run and
//! sessions are made, loaded, listed, closed and deleted.
//!
//! After each kill: nothing that the agent started is left; every session whose prompt was
//! answered loads with that prompt and its answer; none is damaged; no lock of a dead process
//! blocks.
//!
//! `ROBUST_KILLS` says how often, `ROBUST_SEED` with which seed. A failure prints the seed.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a panic is how a test fails, and figures are told on stderr"
)]

mod robust;

use std::{
    collections::BTreeMap,
    path::Path,
    time::{Duration, Instant},
};

use rand::{RngExt, SeedableRng, rngs::StdRng, seq::IndexedRandom};
use robust::{Scene, number};
use serde_json::{Value, json};
use soak::{
    client::{Client, Next, text, text_of},
    finding::{Finding, Found, must},
    processes,
};

/// A kill comes at a random moment of this time.
const LONGEST_LIFE: Duration = Duration::from_millis(120);

/// Sessions that are looked at after each kill, besides those that were in use.
const LOOKED_AT: usize = 3;

/// What a command leaves if nobody ends it. `MARK` is the mark.
const COMMANDS: [&str; 6] = [
    "sleep MARK",
    "trap '' TERM; sleep MARK; sleep MARK",
    "setsid sleep MARK",
    "(setsid sh -c 'sleep MARK &' &); sleep MARK",
    "env -i setsid sh -c 'trap \"\" TERM HUP; sleep MARK & wait; sleep MARK'",
    "timeout 600 sleep MARK & wait",
];

/// A prompt that was sent, and what must be there if it was answered.
#[derive(Debug, Clone)]
struct Sent {
    prompt: String,
    answer: Option<String>,
    answered: bool,
}

/// What the client knows of a session.
#[derive(Debug, Default, Clone)]
struct Known {
    sent: Vec<Sent>,
    /// A delete was sent: it may be gone, and need not.
    deleting: bool,
}

/// What the answer to a request will be about.
enum Asked {
    New,
    Prompt(String, usize),
    Delete(String),
    Else,
}

/// One life of an agent, up to its death.
struct Life<'a> {
    client: Client,
    random: &'a mut StdRng,
    scene: &'a Scene,
    sessions: &'a mut BTreeMap<String, Known>,
    /// Sessions that this agent has open, and whether a prompt is on its way.
    open: BTreeMap<String, bool>,
    asked: BTreeMap<i64, Asked>,
    count: &'a mut u64,
}

impl Life<'_> {
    /// Random work until the moment comes. A write that fails is the agent's death by itself.
    fn work(&mut self) -> Found<()> {
        let moment = self.random.random_range(0..LONGEST_LIFE.as_micros() as u64);
        let end = Instant::now() + Duration::from_micros(moment);
        while Instant::now() < end {
            self.act()?;
            while let Next::Message(message) =
                self.client.receive_within(Duration::from_micros(300))?
            {
                self.hear(&message)?;
            }
        }
        Ok(())
    }

    fn act(&mut self) -> Found<()> {
        let session = self.open.keys().copied_choice(self.random);
        match (self.random.random_range(0..20), session) {
            (0..3, _) | (_, None) => self.open_new(),
            (3..12, Some(id)) => self.prompt(&id),
            (12..14, Some(id)) => self.client.cancel(&id),
            (14, Some(id)) => {
                self.open.remove(&id);
                self.ask("session/close", json!({"sessionId": id}), Asked::Else)
            }
            (15, Some(id)) if self.random.random_bool(0.2) => {
                self.open.remove(&id);
                self.sessions.get_mut(&id).unwrap().deleting = true;
                self.ask(
                    "session/delete",
                    json!({"sessionId": id}),
                    Asked::Delete(id),
                )
            }
            (16, Some(id)) => {
                let mode = *["plan", "full-access"].choose(self.random).unwrap();
                self.ask(
                    "session/set_mode",
                    json!({"sessionId": id, "modeId": mode}),
                    Asked::Else,
                )
            }
            (17, _) => self.ask("session/list", json!({}), Asked::Else),
            _ => {
                let known: Vec<_> = self.sessions.keys().cloned().collect();
                let id = known.choose(self.random).cloned().unwrap_or_default();
                if self.sessions.get(&id).is_none_or(|known| known.deleting) {
                    return Ok(());
                }
                let params = json!({"sessionId": id, "cwd": self.scene.cwd(), "mcpServers": []});
                self.ask("session/load", params, Asked::Else)
            }
        }
    }

    fn ask(&mut self, method: &str, params: Value, asked: Asked) -> Found<()> {
        let id = self.client.request(method, params)?;
        self.asked.insert(id, asked);
        Ok(())
    }

    fn open_new(&mut self) -> Found<()> {
        let mark = &self.scene.mark;
        // Servers that never answer, one of which does not listen either.
        let stubborn = format!("trap '' TERM; while :; do sleep {mark} & wait; done");
        let servers = match self.random.random_range(0..6) {
            0 => json!([{"name": "a", "command": "sh", "args": ["-c", stubborn], "env": []}]),
            1 => json!([{"name": "b", "command": "setsid", "args": ["sleep", mark], "env": []}]),
            _ => json!([]),
        };
        let params = json!({"cwd": self.scene.cwd(), "mcpServers": servers});
        self.ask("session/new", params, Asked::New)
    }

    fn prompt(&mut self, id: &str) -> Found<()> {
        if self.open[id] {
            return Ok(());
        }
        *self.count += 1;
        let word = format!("W{:06}", self.count);
        let (prompt, answer) = match self.random.random_range(0..4) {
            0 | 1 => (
                format!("Reply with exactly {word} and nothing else."),
                Some(word),
            ),
            2 => (format!("Run the shell command: echo {word}"), None),
            _ => {
                let command = COMMANDS.choose(self.random).unwrap();
                let command = command.replace("MARK", &self.scene.mark);
                (
                    format!("Run this command and wait: `: {word}; {command}`"),
                    None,
                )
            }
        };
        let known = self.sessions.get_mut(id).unwrap();
        known.sent.push(Sent {
            prompt: prompt.clone(),
            answer,
            answered: false,
        });
        let asked = Asked::Prompt(id.to_owned(), known.sent.len() - 1);
        self.open.insert(id.to_owned(), true);
        let params = json!({"sessionId": id, "prompt": [{"type": "text", "text": prompt}]});
        self.ask("session/prompt", params, asked)
    }

    /// Takes in an answer. What was answered must be there for ever.
    fn hear(&mut self, message: &Value) -> Found<()> {
        let id = message["id"].as_i64();
        let asked = id.and_then(|id| self.asked.remove(&id));
        match asked {
            Some(Asked::New) => {
                let id = message["result"]["sessionId"].as_str();
                let id = id.ok_or_else(|| Finding(format!("session/new: {message}")))?;
                self.sessions.insert(id.to_owned(), Known::default());
                self.open.insert(id.to_owned(), false);
            }
            Some(Asked::Prompt(session, index)) => {
                if let Some(busy) = self.open.get_mut(&session) {
                    *busy = false;
                }
                let known = self.sessions.get_mut(&session).unwrap();
                let sent = &mut known.sent[index];
                match message["result"]["stopReason"].as_str() {
                    Some("end_turn") => sent.answered = true,
                    Some("cancelled") => {
                        sent.answered = true;
                        sent.answer = None;
                    }
                    _ => {
                        // Closed, deleted or loaded meanwhile; nothing else may go wrong.
                        let refused = ["-32002", "-32600"];
                        let code = message["error"]["code"].to_string();
                        must(refused.contains(&code.as_str()), || {
                            format!("a prompt was answered with {message}")
                        })?;
                        sent.answer = None;
                    }
                }
            }
            Some(Asked::Delete(session)) if message.get("result").is_some() => {
                self.sessions.remove(&session);
            }
            _ => {}
        }
        Ok(())
    }
}

/// A random one of some strings, so that the borrow ends.
trait CopiedChoice<'a>: Iterator<Item = &'a String> + Sized {
    fn copied_choice(self, random: &mut StdRng) -> Option<String> {
        let all: Vec<_> = self.collect();
        all.choose(random).map(|one| (*one).clone())
    }
}

impl<'a, I: Iterator<Item = &'a String>> CopiedChoice<'a> for I {}

/// Loads a session and holds it against what is known of it.
fn look_at(client: &mut Client, cwd: &Path, id: &str, known: &Known) -> Found<()> {
    client.seen();
    let answer = client.load(id, cwd)?;
    if answer["error"]["code"] == -32002 && known.deleting {
        return Ok(());
    }
    must(answer.get("result").is_some(), || {
        format!("{id} cannot be loaded: {answer}")
    })?;
    let updates = client.updates();
    let mut prompts = text_of("user_message_chunk", &updates);
    let said = text(&updates);
    for sent in &known.sent {
        // In their order; only what was never answered may be missing.
        match prompts.split_once(&sent.prompt) {
            Some((before, behind)) => {
                must(before.is_empty(), || {
                    format!("{id} has {before:?}, which nobody said")
                })?;
                prompts = behind.to_owned();
            }
            None => must(!sent.answered, || {
                format!("{id} has lost an answered prompt: {sent:?}")
            })?,
        }
        if let (true, Some(answer)) = (sent.answered, &sent.answer) {
            must(said.matches(answer.as_str()).count() == 1, || {
                format!("{id} has lost an answer: {sent:?}; it has {said:?}")
            })?;
        }
    }
    must(prompts.is_empty(), || {
        format!("{id} has {prompts:?}, which nobody said")
    })
}

fn kill_again_and_again(kills: u64, random: &mut StdRng) -> Found<()> {
    let scene = Scene::new()?;
    let mut sessions = BTreeMap::new();
    let (mut count, mut slowest) = (0, Duration::ZERO);
    let mut used: Vec<String> = Vec::new();
    for _ in 0..kills {
        let mut client = scene.client()?;
        let ids: Vec<String> = sessions.keys().cloned().collect();
        used.extend(ids.sample(random, LOOKED_AT).cloned());
        for id in used.drain(..) {
            if let Some(known) = sessions.get(&id) {
                look_at(&mut client, scene.cwd(), &id, known)?;
            }
        }
        client.seen();
        // Some sessions go on where they were.
        let mut open = BTreeMap::new();
        for id in ids.sample(random, 2) {
            if client.load(id, scene.cwd())?.get("result").is_some() {
                open.insert(id.clone(), false);
            }
        }
        client.seen();
        let mut life = Life {
            client,
            random: &mut *random,
            scene: &scene,
            sessions: &mut sessions,
            open,
            asked: BTreeMap::new(),
            count: &mut count,
        };
        let worked = life.work();
        life.client.program.kill()?;
        worked?;
        let killed = Instant::now();
        // What was written before the death was said.
        for message in life.client.rest()? {
            life.hear(&message)?;
        }
        used = life.open.into_keys().collect();
        scene.nothing_left()?;
        slowest = slowest.max(killed.elapsed());
    }
    let mut client = scene.client()?;
    for (id, known) in &sessions {
        look_at(&mut client, scene.cwd(), id, known)?;
    }
    let listed = list_all(&mut client)?;
    must(
        sessions
            .keys()
            .all(|id| listed.contains(id) || sessions[id].deleting),
        || "a session is not listed".to_owned(),
    )?;
    let prompts = sessions.values().flat_map(|known| &known.sent);
    eprintln!(
        "{kills} kills, {} sessions, {} prompts, {} of them answered; after a kill all was gone within {slowest:?}",
        sessions.len(),
        prompts.clone().count(),
        prompts.filter(|sent| sent.answered).count(),
    );
    scene.end(client).map(drop)
}

fn list_all(client: &mut Client) -> Found<Vec<String>> {
    let (mut ids, mut params) = (Vec::new(), json!({}));
    loop {
        let page = client.call("session/list", params)?["result"].clone();
        let sessions = page["sessions"].as_array().cloned().unwrap_or_default();
        ids.extend(
            sessions
                .iter()
                .filter_map(|s| s["sessionId"].as_str().map(ToOwned::to_owned)),
        );
        match page.get("nextCursor") {
            Some(cursor) => params = json!({"cursor": cursor}),
            None => return Ok(ids),
        }
    }
}

#[test]
fn what_was_answered_survives_every_kill_and_nothing_else_does() {
    let kills = number("ROBUST_KILLS", 60);
    let seed = number("ROBUST_SEED", rand::random());
    eprintln!("seed {seed}");
    let mut random = StdRng::seed_from_u64(seed);
    if let Err(finding) = kill_again_and_again(kills, &mut random) {
        panic!("ROBUST_SEED={seed} ROBUST_KILLS={kills}: {finding}");
    }
}

/// The forms of commands one by one, so that each is seen to run before the kill.
#[test]
fn every_form_of_a_command_is_gone_after_a_kill() -> Found<()> {
    let scene = Scene::new()?;
    for command in COMMANDS {
        let mut client = scene.client()?;
        let session = client.session(scene.cwd())?;
        let command = command.replace("MARK", &scene.mark);
        client.prompt(&session, &format!("Run this command and wait: `{command}`"))?;
        client.running(&session)?;
        let sleeps = |(_, line): &(u32, String)| line.starts_with("sleep");
        let deadline = Instant::now() + robust::GONE;
        while !processes::alive(&scene.mark).iter().any(sleeps) {
            must(Instant::now() < deadline, || format!("{command} never ran"))?;
        }
        client.program.kill()?;
        scene.nothing_left()?;
    }
    Ok(())
}
