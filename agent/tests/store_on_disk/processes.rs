//! Several processes at one store.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use acp_agent::store::StoreError;

use crate::fixture::{
    ROLE, State, append_all, given_store, header, items, load, note, prompt, sample, store_session,
    turn_end,
};
use crate::short_of_room;

/// How long a role may take. Its end is seen by the test that waits for it, which then fails.
const DEADLINE: Duration = Duration::from_secs(60);

/// Not a test of its own: what the other processes of the tests here do.
#[test]
fn play_a_role() {
    let Ok(role) = std::env::var(ROLE) else {
        return;
    };
    std::thread::spawn(|| {
        std::thread::sleep(DEADLINE);
        std::process::exit(1);
    });
    match role.as_str() {
        "create" => create_sessions(),
        "hold" => hold_a_session(),
        "write" => write_until_killed(),
        "full disk" => short_of_room::on_a_full_disk(),
        "read-only" => short_of_room::on_a_read_only_disk(),
        "file limit" => short_of_room::under_a_file_limit(),
        role => panic!("no role {role}"),
    }
}

fn create_sessions() {
    for number in 0..5 {
        let id = format!("s{}-{number}", std::process::id());
        store_session(&given_store(), &header(&id), &sample());
    }
}

/// Says what other processes wait for. The test harness may have begun the line.
fn say(word: &str) {
    println!("\n{word}");
    std::io::stdout().flush().unwrap();
}

fn hold_a_session() {
    let _log = given_store().create(&header("s")).unwrap();
    say("held");
    // Until the other side closes.
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
}

fn write_until_killed() {
    let mut log = given_store().create(&header("s")).unwrap();
    loop {
        append_all(&mut log, &[prompt("p"), turn_end()]);
        log.sync().unwrap();
        say("synced");
        log.append(&note(&"x".repeat(100_000))).unwrap();
    }
}

/// Starts a process that is ended with the test.
struct Started(Child);

impl Started {
    fn new(mut command: Command) -> Started {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        Started(command.spawn().unwrap())
    }

    /// Waits until the process has said the word so many times.
    fn wait_for(&mut self, word: &str, times: usize) {
        let said = BufReader::new(self.0.stdout.as_mut().unwrap())
            .lines()
            .map(Result::unwrap)
            .filter(|line| line == word)
            .take(times)
            .count();
        assert_eq!(said, times, "the process ended before it said {word}");
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_session_of_another_process_is_refused_and_the_process_named() {
    let state = State::new();
    let mut holder = Started::new(state.role("hold"));
    holder.wait_for("held", 1);
    let store = state.store();
    for error in [store.open("s").unwrap_err(), store.delete("s").unwrap_err()] {
        let pid = holder.0.id();
        assert!(
            matches!(error, StoreError::InUse { pid: Some(found), .. } if found == pid),
            "{error}"
        );
        let message = error.to_string();
        assert!(
            message.contains(&format!("in use by process {pid};")),
            "{message}"
        );
    }
    assert_eq!(store.list(None, None, 10).unwrap().sessions.len(), 1);

    drop(holder.0.stdin.take());
    assert!(holder.0.wait().unwrap().success());
    assert!(items(&store, "s").is_empty());
}

#[test]
fn the_lock_of_a_killed_process_is_free() {
    let state = State::new();
    let mut holder = Started::new(state.role("hold"));
    holder.wait_for("held", 1);
    drop(holder);
    assert!(items(&state.store(), "s").is_empty());
}

#[test]
fn a_killed_writer_leaves_all_that_was_synced() {
    let state = State::new();
    let mut writer = Started::new(state.role("write"));
    writer.wait_for("synced", 20);
    drop(writer);
    let (items, mut replayed) = load(&state.store(), "s").unwrap();
    let ended = items.iter().filter(|item| **item == turn_end()).count();
    assert!(ended >= 20, "{ended} turns");
    replayed.log.append(&note("on")).unwrap();
    replayed.log.sync().unwrap();
}

#[test]
fn eight_processes_make_sessions_at_once() {
    let state = State::new();
    let mut started: Vec<_> = (0..8).map(|_| Started::new(state.role("create"))).collect();
    for process in &mut started {
        // Its output is small enough for the pipe.
        assert!(process.0.wait().unwrap().success());
    }
    let page = state.store().list(None, None, 100).unwrap();
    let ids: BTreeSet<_> = page
        .sessions
        .iter()
        .map(|session| &session.session_id)
        .collect();
    assert_eq!(ids.len(), 40);
    for id in ids {
        assert_eq!(items(&state.store(), id), sample());
    }
}
