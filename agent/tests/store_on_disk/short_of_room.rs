//! Disks that are full, read-only, or forbid large files.
//!
//! A full disk is a tiny one, mounted in a mount namespace of its own so that it is gone with the
//! process. Where that is not permitted, as in many containers, those tests say so and pass; the
//! limit on file sizes makes the same partial writes everywhere.

use std::process::{Command, Output};

use acp_agent::store::{SessionLog, StoreError};

use crate::fixture::{RUN, State, given_state, given_store, header, items, load, note, turn_end};

/// Mounts a disk of 256 KiB on the state folder.
const MOUNT: &str = r#"mount -t tmpfs -o size=256k,mode=0700 store "$STORE_TEST_STATE""#;

/// Runs a script where it may mount. `None`: it may nowhere.
fn with_mounts(state: &State, role: &str, script: &str) -> Option<Output> {
    for flags in ["-rm", "-m"] {
        let unshare = |script: &str| {
            let mut command = Command::new("unshare");
            command.args([flags, "sh", "-c", script]);
            state.play(&mut command, role);
            command.output()
        };
        if unshare(MOUNT).is_ok_and(|output| output.status.success()) {
            return Some(unshare(&format!("{MOUNT} && {script}")).unwrap());
        }
    }
    println!("SKIPPED, NOTHING TESTED: mounting is not permitted here");
    None
}

fn assert_success(output: &Output) {
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}\n{errors}");
    assert!(
        text.contains("1 passed"),
        "no role was played:\n{text}\n{errors}"
    );
}

/// Tries an item that has no room, and expects to be told why.
fn append_too_much(log: &mut SessionLog, expected: &str) {
    let error = log.append(&note(&"x".repeat(1 << 20))).unwrap_err();
    assert!(matches!(error, StoreError::Io { .. }), "{error}");
    assert!(error.to_string().contains(expected), "{error}");
}

#[test]
fn a_full_disk_leaves_whole_files_and_is_got_over() {
    let state = State::new();
    if let Some(output) = with_mounts(&state, "full disk", RUN) {
        assert_success(&output);
    }
}

pub fn on_a_full_disk() {
    let store = given_store();
    let mut log = store.create(&header("s")).unwrap();
    let file = given_state().join("sessions/s.jsonl");
    let whole = std::fs::metadata(&file).unwrap().len();
    append_too_much(&mut log, "free some space and try again");
    assert_eq!(
        std::fs::metadata(&file).unwrap().len(),
        whole,
        "a torn line is left"
    );

    // Now really full, so that not even a header has room.
    let ballast = given_state().join("ballast");
    std::fs::write(&ballast, vec![0; 1 << 20]).unwrap_err();
    let error = store.create(&header("t")).unwrap_err().to_string();
    assert!(error.contains("free some space and try again"), "{error}");
    assert!(!given_state().join("sessions/t.jsonl").exists());
    append_too_much(&mut log, "free some space and try again");

    std::fs::remove_file(&ballast).unwrap();
    log.append(&note("room")).unwrap();
    log.append(&turn_end()).unwrap();
    log.sync().unwrap();
    drop(log);
    assert_eq!(items(&store, "s"), [note("room"), turn_end()]);
}

#[test]
fn a_read_only_disk_is_named() {
    let state = State::new();
    if let Some(output) = with_mounts(&state, "read-only", RUN) {
        assert_success(&output);
    }
}

pub fn on_a_read_only_disk() {
    let store = given_store();
    drop(store.create(&header("s")).unwrap());
    let remount = Command::new("mount")
        .args(["-o", "remount,ro"])
        .arg(given_state())
        .status();
    assert!(remount.unwrap().success());
    for error in [
        store.create(&header("t")).unwrap_err(),
        store.open("s").unwrap_err(),
        store.delete("s").unwrap_err(),
    ] {
        let message = error.to_string();
        assert!(
            message.contains("the file system is read-only"),
            "{message}"
        );
    }
    assert_eq!(store.list(None, None, 10).unwrap().sessions.len(), 1);
}

#[test]
fn a_limit_on_file_sizes_leaves_whole_files() {
    let state = State::new();
    // The signal would end the process; ignored, the write fails after it was done in part.
    let script = format!("trap '' XFSZ; ulimit -f 64 && {RUN}");
    assert_success(&state.shell("file limit", &script).output().unwrap());
}

pub fn under_a_file_limit() {
    let store = given_store();
    let mut log = store.create(&header("s")).unwrap();
    log.append(&note("before")).unwrap();
    append_too_much(&mut log, "raise the limit on file sizes");
    // Of several items those are kept that have room.
    let several = ["with", "it", &"x".repeat(1 << 20), "behind"].map(note);
    let stopped = log.append_all(&several).unwrap_err();
    assert_eq!(stopped.taken, 2, "{}", stopped.error);
    log.append(&note("after")).unwrap();
    log.sync().unwrap();
    drop(log);
    let (items, replayed) = load(&store, "s").unwrap();
    assert_eq!(items, ["before", "with", "it", "after"].map(note));
    assert_eq!(replayed.dropped, 0);
}
