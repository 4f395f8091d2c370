//! Daemon, front and harnesses are killed at random points while clients do random things. After each
//! restart nothing is lost, nothing is stuck, and nothing is left.
//!
//! `ACP_SESSIONS_STORM_ROUNDS` says how often the daemon is killed, `ACP_SESSIONS_STORM_SEED` with
//! which choices. The same seed makes the same choices; when the kernel lets which process run is
//! not ours to choose.

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    sync::Mutex,
    thread,
    time::{Duration, Instant},
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};
use serde_json::{Value, json};

use crate::front;
use crate::support::{Daemon, Scene, process_ids, processes, until};

/// How often the daemon is killed by default.
const ROUNDS: u64 = 8;

/// How many clients do something at once.
const CLIENTS: u64 = 3;

/// How many sessions there are at most.
const SESSIONS: usize = 6;

/// How long a session may take to come to rest: its queue may hold some slow prompts.
const PATIENCE: Duration = Duration::from_secs(60);

/// What was finished in a session.
#[derive(Clone, Default)]
struct Finished {
    turns: BTreeSet<u64>,
    /// Lines that were written into a file of its own clone.
    work: BTreeSet<String>,
}

/// What the clients were told.
#[derive(Default)]
struct Told {
    /// Sessions that were made, and what was finished in each.
    sessions: BTreeMap<String, Finished>,
    /// Those of fronts that were killed. They are destroyed once they were found whole.
    of_fronts: BTreeSet<String>,
    /// Those whose destruction was asked for: they may be gone.
    doomed: BTreeSet<String>,
    /// Requests for a session whose answer never came.
    unanswered: Vec<String>,
}

fn number(variable: &str, default: u64) -> u64 {
    env::var(variable).map_or(default, |text| text.parse().unwrap())
}

#[test]
fn nothing_is_lost_stuck_or_left_however_the_daemon_ends() {
    let seed = number("ACP_SESSIONS_STORM_SEED", 7);
    let mut choices = StdRng::seed_from_u64(seed);
    let scene = Scene::new().limit("INTERRUPT_GRACE", 500);
    let (bundle, _) = scene.bundle();
    scene.profile(&["--state", &scene.text("memory")], &bundle);
    let told = Mutex::new(Told::default());
    for round in 0..number("ACP_SESSIONS_STORM_ROUNDS", ROUNDS) {
        let daemon = scene.start();
        check(&daemon, &told, &format!("seed {seed}, round {round}"));
        daemon.ask("POST", "/workspaces", &json!({"name": "w"}));
        thread::scope(|scope| {
            for client in 0..CLIENTS {
                let (daemon, scene, told) = (&daemon, &scene, &told);
                let choices = StdRng::seed_from_u64(seed ^ (round << 8) ^ (client << 40));
                let name = format!("{round}-{client}");
                scope.spawn(move || drive(daemon, scene, told, choices, &name));
            }
            // A front starts a daemon that is gone, so it goes first.
            let life = Duration::from_millis(choices.random_range(0..300));
            if let Some((id, finished)) = front::until_killed(scene.front(), daemon.project(), life)
            {
                let mut told = told.lock().unwrap();
                told.of_fronts.insert(id.clone());
                told.sessions
                    .entry(id)
                    .or_default()
                    .turns
                    .extend(1..=finished);
            }
            thread::sleep(Duration::from_millis(choices.random_range(5..200)));
            match choices.random_range(0..4) {
                0 => daemon.tell_to_end(),
                _ => daemon.tell_to_die(),
            }
        });
        daemon.kill();
        until("no process is left", || {
            processes(&scene.path("memory")).is_empty().then_some(())
        });
    }
    let daemon = scene.start();
    check(&daemon, &told, "the end");
    daemon.end();
    assert_eq!(processes(&scene.path("memory")), Vec::<String>::new());
}

/// Everything that was told is still so, and everything comes to rest.
fn check(daemon: &Daemon, told: &Mutex<Told>, when: &str) {
    let mut told = told.lock().unwrap();
    for request in std::mem::take(&mut told.unanswered) {
        let id = make(daemon, &request).expect("the daemon is there");
        told.sessions.entry(id).or_default();
    }
    let (sessions, doomed) = (told.sessions.clone(), told.doomed.clone());
    for (id, finished) in sessions {
        let rested = rests(daemon, &id, when);
        if !rested {
            assert!(doomed.contains(&id), "{id} is lost, {when}");
            told.sessions.remove(&id);
            continue;
        }
        for turn in finished.turns {
            let answer = daemon.wait(&id, turn);
            let outcome = &answer["outcome"];
            assert_eq!(outcome, "finished", "{id} {turn}, {when}: {answer}");
        }
        if daemon.session(&id)["is_idle"] == true && !finished.work.is_empty() {
            let seen = daemon.run(&id, "sh cat work");
            let seen = seen["final_message"].as_str().unwrap();
            let lines: BTreeSet<String> = seen.lines().map(str::to_owned).collect();
            let lost: Vec<_> = finished.work.difference(&lines).collect();
            assert!(lost.is_empty(), "{id} lost {lost:?}, {when}");
        }
        if told.of_fronts.remove(&id) {
            told.doomed.insert(id.clone());
            daemon.ask("POST", &format!("/sessions/{id}/destroy"), &json!({}));
        }
    }
}

/// Waits until a session is at rest; false if it is gone.
fn rests(daemon: &Daemon, id: &str, when: &str) -> bool {
    let begun = Instant::now();
    loop {
        let answer = daemon.ask("GET", &format!("/sessions/{id}"), &Value::Null);
        if answer.status == 404 {
            return false;
        }
        let session = answer.json();
        let lifecycle = &session["lifecycle"];
        if session["is_idle"] == true || *lifecycle == "suspended" || *lifecycle == "failed" {
            return true;
        }
        let said = || daemon.said(id);
        assert!(
            begun.elapsed() < PATIENCE,
            "never at rest, {when}: {session}\n{:?}",
            said()
        );
        thread::sleep(Duration::from_millis(5));
    }
}

fn make(daemon: &Daemon, request: &str) -> Option<String> {
    let workspace = daemon.try_ask("POST", "/workspaces", &json!({"name": "w"}))?;
    let mut asked = json!({"workspace_id": workspace.json()["id"], "request_id": request});
    // Asked again it must be the same request.
    match request.len() % 2 {
        0 => asked["project_directory"] = daemon.project().into(),
        _ => asked["bundle_id"] = "product".into(),
    }
    let answer = daemon.try_ask("POST", "/sessions", &asked)?;
    Some(answer.json()["session_id"].as_str()?.to_owned())
}

/// Does random things until the daemon is gone.
fn drive(daemon: &Daemon, scene: &Scene, told: &Mutex<Told>, mut choices: StdRng, name: &str) {
    for step in 0.. {
        let ids: Vec<String> = told.lock().unwrap().sessions.keys().cloned().collect();
        let request = format!("{name}-{step}");
        let alive = if ids.is_empty() || (ids.len() < SESSIONS && choices.random_range(0..4) == 0) {
            make_one(daemon, told, &request)
        } else {
            let id = &ids[choices.random_range(0..ids.len())];
            act(daemon, scene, told, id, choices.random_range(0..12))
        };
        if alive.is_none() {
            return;
        }
    }
}

fn make_one(daemon: &Daemon, told: &Mutex<Told>, request: &str) -> Option<()> {
    told.lock().unwrap().unanswered.push(request.to_owned());
    let id = make(daemon, request)?;
    let mut told = told.lock().unwrap();
    told.unanswered.retain(|other| other != request);
    told.sessions.entry(id).or_default();
    Some(())
}

/// Does one thing to a session; nothing if the daemon is gone.
fn act(daemon: &Daemon, scene: &Scene, told: &Mutex<Told>, id: &str, what: u32) -> Option<()> {
    let post =
        |end: &str, body: Value| daemon.try_ask("POST", &format!("/sessions/{id}/{end}"), &body);
    match what {
        0..=5 => {
            let line = format!("line-{:x}", rand::random::<u64>());
            let (script, work) = match what {
                0 => ("say slow\nsh sleep 0.05".to_owned(), None),
                1 => ("leave 3600\nsay left".to_owned(), None),
                2 => ("die 1".to_owned(), None),
                // Only in a clone: the project is shared.
                _ => (
                    format!("sh test ! -d .git || echo {line} >> work"),
                    Some(line),
                ),
            };
            let accepted = post("prompt", json!({"text": script}))?;
            if accepted.status != 202 {
                return Some(());
            }
            let turn = accepted.json()["turn_id"].as_u64()?;
            let ended = post("wait", json!({"turn_id": turn}))?;
            if ended.status == 200 && ended.json()["outcome"] == "finished" {
                let is_managed = ended.json()["session"].get("bundle_id").is_some();
                let mut told = told.lock().unwrap();
                let finished = told.sessions.entry(id.to_owned()).or_default();
                finished.turns.insert(turn);
                finished.work.extend(work.filter(|_| is_managed));
            }
        }
        6 => {
            // It ends by itself too: it may be cut off before the interrupt and run again.
            post("prompt", json!({"text": "sh sleep 0.3"}))?;
            post("interrupt-turn", json!({}))?;
        }
        7 => drop(post(
            "suspend",
            json!({"acknowledge_unpublished_work": true}),
        )?),
        8 | 9 => drop(post("resume", json!({}))?),
        10 => {
            told.lock().unwrap().doomed.insert(id.to_owned());
            post("destroy", json!({}))?;
        }
        _ => {
            if let Some(pid) = process_ids(&scene.path("memory")).first() {
                // It may be gone already.
                let _ = kill(Pid::from_raw(*pid), Signal::SIGKILL);
            }
            daemon.try_ask("GET", "/info", &Value::Null)?;
        }
    }
    Some(())
}
