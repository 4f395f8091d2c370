//! One life of an agent under random work: sessions made, prompted, cancelled, loaded, closed and
//! deleted, commands that try to stay, and tool servers that do not listen.
//!
//! Must stay true: everything that is sent or received is judged, and what an answer promised is
//! written down in the [`World`].

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use rand::{RngExt, rngs::StdRng, seq::IndexedRandom};
use serde_json::{Value, json};

use crate::{
    client::{Client, DEADLINE, Next, update},
    finding::{Finding, Found, must},
    program::Setup,
    world::{Known, Sent, World},
};

/// Sessions that a life opens at most. There are others: it closes some, and loads old ones.
const OPEN: usize = 12;

/// Sessions in the folder. When there are more, old ones are deleted instead of new ones made.
const KEPT: usize = 400;

/// How long to listen between two actions.
const LISTEN: Duration = Duration::from_micros(300);

/// What a command leaves if nobody ends it. `MARK` stands for the mark, on which `sleep` sleeps.
pub const COMMANDS: [&str; 6] = [
    "sleep MARK",
    "trap '' TERM; sleep MARK; sleep MARK",
    "setsid sleep MARK",
    "(setsid sh -c 'sleep MARK &' &); sleep MARK",
    "env -i setsid sh -c 'trap \"\" TERM HUP; sleep MARK & wait; sleep MARK'",
    "timeout 600 sleep MARK & wait",
];

/// One life.
#[derive(Debug)]
pub struct Life<'a> {
    /// The agent.
    pub client: Client,
    world: &'a mut World,
    random: &'a mut StdRng,
    /// Sessions that are open here.
    open: BTreeMap<String, Open>,
    asked: BTreeMap<i64, Asked>,
}

/// A session that is open.
#[derive(Debug, Default)]
struct Open {
    /// A prompt is on its way.
    busy: bool,
    /// What the agent said to it so far.
    said: String,
    /// It has a tool server that never starts, so a turn would wait for it.
    mute: bool,
}

/// What the answer to a request will be about.
#[derive(Debug)]
enum Asked {
    New { mute: bool },
    Prompt { session: String, at: usize },
    Delete(String),
    Load(String),
    Else,
}

impl<'a> Life<'a> {
    /// Starts an agent, looks at `looked_at` and at some other sessions, and goes on with two.
    ///
    /// # Errors
    /// What was found.
    pub fn begin(
        setup: &Setup,
        world: &'a mut World,
        random: &'a mut StdRng,
        looked_at: &[String],
    ) -> Found<Self> {
        let mut client = Client::start(setup)?;
        client.judge();
        let ids: Vec<String> = world.sessions.keys().cloned().collect();
        let some = ids.sample(&mut *random, 3).cloned();
        for id in looked_at.iter().cloned().chain(some) {
            if world.look_at(&mut client, &id)? {
                client.call("session/close", json!({"sessionId": id}))?;
            }
        }
        let mut open = BTreeMap::new();
        for id in ids.sample(&mut *random, 2) {
            if world.look_at(&mut client, id)? {
                open.insert(id.clone(), Open::default());
            }
        }
        client.seen();
        Ok(Self {
            client,
            world,
            random,
            open,
            asked: BTreeMap::new(),
        })
    }

    /// The agent, and the sessions that were open.
    #[must_use]
    pub fn apart(self) -> (Client, Vec<String>) {
        (self.client, self.open.into_keys().collect())
    }

    /// Random work until this moment.
    ///
    /// # Errors
    /// What was found.
    pub fn work(&mut self, until: Instant) -> Found<()> {
        while Instant::now() < until {
            self.act()?;
            while let Next::Message(message) = self.client.receive_within(LISTEN)? {
                self.hear(&message)?;
            }
        }
        Ok(())
    }

    /// Stops all turns, closes all sessions, and waits for all answers.
    ///
    /// # Errors
    /// What was found.
    pub fn come_to_rest(&mut self) -> Found<()> {
        self.settle()?;
        let open: Vec<_> = std::mem::take(&mut self.open).into_keys().collect();
        for id in open {
            self.ask("session/close", json!({"sessionId": id}), Asked::Else)?;
        }
        self.settle()
    }

    /// Stops all turns and waits for all answers.
    fn settle(&mut self) -> Found<()> {
        let deadline = Instant::now() + DEADLINE;
        let mut cancelled = Instant::now();
        for id in self.open.keys() {
            self.client.cancel(id)?;
        }
        while !self.asked.is_empty() {
            if let Next::Message(message) = self.client.receive_within(LISTEN)? {
                self.hear(&message)?;
            }
            // A load may have brought a session back behind the cancel.
            if cancelled.elapsed() > Duration::from_secs(1) {
                cancelled = Instant::now();
                for id in self.open.keys() {
                    self.client.cancel(id)?;
                }
            }
            must(Instant::now() < deadline, || {
                format!("no answer within {DEADLINE:?} to {:?}", self.asked)
            })?;
        }
        Ok(())
    }

    /// Hears what was written before a kill: that too was said.
    ///
    /// # Errors
    /// What was found.
    pub fn hear_the_rest(&mut self) -> Found<()> {
        for message in self.client.rest()? {
            self.hear(&message)?;
        }
        Ok(())
    }

    fn act(&mut self) -> Found<()> {
        let open: Vec<_> = self.open.keys().cloned().collect();
        let session = open.choose(self.random).cloned();
        match (self.random.random_range(0..20), session) {
            (_, None) => self.open_new(),
            (0..3, _) if open.len() < OPEN => self.open_new(),
            (3..12, Some(id)) => self.prompt(&id),
            (12..14, Some(id)) => self.client.cancel(&id),
            (14, Some(id)) => {
                self.open.remove(&id);
                self.ask("session/close", json!({"sessionId": id}), Asked::Else)
            }
            (15, Some(id)) if self.random.random_bool(0.3) => self.delete(id),
            (16, Some(id)) => {
                let mode = ["plan", "full-access"].choose(self.random);
                let params = json!({"sessionId": id, "modeId": mode});
                self.ask("session/set_mode", params, Asked::Else)
            }
            (17, _) => self.ask("session/list", json!({}), Asked::Else),
            _ => self.load_one(),
        }
    }

    fn ask(&mut self, method: &str, params: Value, asked: Asked) -> Found<()> {
        let id = self.client.request(method, params)?;
        self.asked.insert(id, asked);
        Ok(())
    }

    fn delete(&mut self, id: String) -> Found<()> {
        self.open.remove(&id);
        if let Some(known) = self.world.sessions.get_mut(&id) {
            known.deleting = true;
        }
        let params = json!({"sessionId": id});
        self.ask("session/delete", params, Asked::Delete(id))
    }

    fn open_new(&mut self) -> Found<()> {
        if self.world.sessions.len() >= KEPT {
            return match self.choose() {
                Some(id) => self.delete(id),
                None => Ok(()),
            };
        }
        let mark = &self.world.mark;
        // Servers that never answer, one of which does not listen either.
        let stubborn = format!("trap '' TERM; while :; do sleep {mark} & wait; done");
        let servers = match self.random.random_range(0..6) {
            0 => json!([{"name": "a", "command": "sh", "args": ["-c", stubborn], "env": []}]),
            1 => json!([{"name": "b", "command": "setsid", "args": ["sleep", mark], "env": []}]),
            _ => json!([]),
        };
        let mute = servers != json!([]);
        let params = json!({"cwd": self.world.cwd, "mcpServers": servers});
        self.ask("session/new", params, Asked::New { mute })
    }

    fn load_one(&mut self) -> Found<()> {
        let Some(id) = self.choose() else {
            return Ok(());
        };
        let params = json!({"sessionId": id, "cwd": self.world.cwd, "mcpServers": []});
        self.ask("session/load", params, Asked::Load(id))
    }

    /// A session that should be there.
    fn choose(&mut self) -> Option<String> {
        let known = self.world.sessions.iter();
        let there: Vec<_> = known.filter(|(_, known)| !known.deleting).collect();
        there.choose(self.random).map(|(id, _)| (*id).clone())
    }

    fn prompt(&mut self, id: &str) -> Found<()> {
        let Some(open) = self.open.get_mut(id) else {
            return Ok(());
        };
        if open.busy || (open.mute && self.random.random_bool(0.8)) {
            return Ok(());
        }
        open.busy = true;
        open.said.clear();
        self.world.prompts += 1;
        let word = format!("W{:06}", self.world.prompts);
        let (prompt, answer) = self.words(word);
        let Some(known) = self.world.sessions.get_mut(id) else {
            return Ok(());
        };
        known.sent.push(Sent {
            prompt: prompt.clone(),
            answer,
            answered: false,
        });
        let asked = Asked::Prompt {
            session: id.to_owned(),
            at: known.sent.len() - 1,
        };
        let prompt = json!([{"type": "text", "text": prompt}]);
        let params = json!({"sessionId": id, "prompt": prompt});
        self.ask("session/prompt", params, asked)
    }

    /// A prompt that holds this word, and its answer where that is known.
    fn words(&mut self, word: String) -> (String, Option<String>) {
        match self.random.random_range(0..4) {
            0 | 1 => {
                let prompt = format!("Reply with exactly {word} and nothing else.");
                (prompt, Some(word))
            }
            2 => (format!("Run the shell command: echo {word}"), None),
            _ => {
                let command = COMMANDS.choose(self.random).copied().unwrap_or_default();
                let command = command.replace("MARK", &self.world.mark);
                (
                    format!("Run this command and wait: `: {word}; {command}`"),
                    None,
                )
            }
        }
    }

    fn hear(&mut self, message: &Value) -> Found<()> {
        if let Some(update) = update(message) {
            let session = message["params"]["sessionId"].as_str().unwrap_or_default();
            let chunk = update["sessionUpdate"] == "agent_message_chunk";
            if let (true, Some(open)) = (chunk, self.open.get_mut(session)) {
                open.said += update["content"]["text"].as_str().unwrap_or_default();
            }
        }
        let asked = message["id"].as_i64().and_then(|id| self.asked.remove(&id));
        match asked {
            Some(Asked::New { mute }) => {
                let id = message["result"]["sessionId"].as_str();
                let id = id.ok_or_else(|| Finding(format!("session/new: {message}")))?;
                let open = Open {
                    mute,
                    ..Open::default()
                };
                self.open.insert(id.to_owned(), open);
                self.world.sessions.insert(id.to_owned(), Known::default());
            }
            Some(Asked::Prompt { session, at }) => self.answered(&session, at, message)?,
            Some(Asked::Delete(session)) if message.get("result").is_some() => {
                self.world.sessions.remove(&session);
            }
            Some(Asked::Load(session)) if message.get("result").is_some() => {
                // What was replayed is no answer to the prompt that stands behind the load.
                self.open.entry(session).or_default().said.clear();
            }
            _ => {}
        }
        Ok(())
    }

    /// What was answered must be there for ever.
    fn answered(&mut self, session: &str, at: usize, message: &Value) -> Found<()> {
        let said = self.open.get_mut(session).map(|open| {
            open.busy = false;
            std::mem::take(&mut open.said)
        });
        let known = self.world.sessions.get_mut(session);
        let Some(sent) = known.and_then(|known| known.sent.get_mut(at)) else {
            return Ok(());
        };
        match message["result"]["stopReason"].as_str() {
            Some("end_turn") => {
                sent.answered = true;
                self.world.answered += 1;
                if let (Some(said), Some(answer)) = (said, &sent.answer) {
                    must(said == *answer, || format!("{said:?} answers {sent:?}"))?;
                }
            }
            Some("cancelled") => {
                sent.answered = true;
                sent.answer = None;
            }
            // Refused: closed, deleted or loaded meanwhile. The judge knows all else.
            _ => sent.answer = None,
        }
        Ok(())
    }
}
