//! A cancel ends the whole tree, however its processes try to get away.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic is how a test fails"
)]

mod proc_support;

use std::path::Path;

use acp_agent::proc::{Ended, run};
use proc_support::{DEADLINE, LONG, alive, limits, sh, sleeps, supervisor, token, until};
use tokio_util::sync::CancellationToken;

/// Runs a script, waits until its `sleep TOKEN` runs, cancels, and sees that nothing is left when
/// `run` returns.
async fn cancel_leaves_nothing(script: &str) {
    let token = token();
    let cancel = CancellationToken::new();
    let spec = sh(script, &token, Path::new("/"));
    let (supervisor, limits) = (supervisor(), limits(LONG));
    let mut progress = |_: &_| {};
    let command = run(&supervisor, spec, &limits, &cancel, &mut progress);
    let canceller = async {
        until(script, || sleeps(&token)).await;
        cancel.cancel();
    };
    let (finished, ()) = tokio::time::timeout(DEADLINE, async { tokio::join!(command, canceller) })
        .await
        .expect("a cancelled command ends");
    assert_eq!(finished.unwrap().ended, Ended::Cancelled);
    assert_eq!(alive(&token), Vec::<String>::new(), "left by {script}");
}

#[tokio::test]
async fn a_single_process() {
    cancel_leaves_nothing("exec sleep TOKEN").await;
}

#[tokio::test]
async fn a_child_of_a_shell() {
    cancel_leaves_nothing("sleep TOKEN; true").await;
}

#[tokio::test]
async fn a_shell_in_a_shell() {
    cancel_leaves_nothing("sh -c 'sleep TOKEN; true'; true").await;
}

#[tokio::test]
async fn a_session_of_its_own() {
    cancel_leaves_nothing("setsid sleep TOKEN; true").await;
}

#[tokio::test]
async fn a_group_of_its_own() {
    cancel_leaves_nothing("timeout 600 sleep TOKEN; true").await;
}

#[tokio::test]
async fn a_background_job() {
    cancel_leaves_nothing("nohup sleep TOKEN >/dev/null 2>&1 & wait").await;
}

#[tokio::test]
async fn a_double_fork() {
    cancel_leaves_nothing("(setsid sh -c 'sleep TOKEN &' &); sleep 120").await;
}

#[tokio::test]
async fn a_cleared_environment() {
    cancel_leaves_nothing("env -i /usr/bin/setsid -f sleep TOKEN; sleep 120").await;
}

#[tokio::test]
async fn another_name() {
    let script = r#"
        sleep TOKEN &
        exec env -i python3 -c '
import ctypes, time
ctypes.CDLL(None).prctl(15, b"kworker/0:1", 0, 0, 0)
time.sleep(120)' TOKEN"#;
    cancel_leaves_nothing(script).await;
}

#[tokio::test]
async fn one_that_ignores_the_request() {
    cancel_leaves_nothing("trap '' TERM INT HUP; while :; do sleep TOKEN; done").await;
}

#[tokio::test]
async fn a_stopped_one() {
    cancel_leaves_nothing("sh -c 'kill -STOP $$; sleep 120' & sleep TOKEN").await;
}

#[tokio::test]
async fn one_in_the_group_of_its_supervisor() {
    let script = r#"
        sleep TOKEN &
        trap '' TERM
        exec python3 -c '
import os, time, signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
os.setpgid(0, os.getppid())
time.sleep(120)'"#;
    cancel_leaves_nothing(script).await;
}

#[tokio::test]
async fn a_fork_bomb_with_a_fuse() {
    // Each process starts the next one and goes; there is never one to hold on to.
    let script = "sleep TOKEN & f() { sleep 0.001; f & exit; }; trap '' TERM; f & wait; sleep 120";
    cancel_leaves_nothing(script).await;
}

#[tokio::test]
async fn a_trap_may_clean_up_in_the_time_of_grace() {
    let folder = tempfile::tempdir().unwrap();
    let script = format!(
        "trap 'sleep 0.1 && echo done > {}/trap; exit' TERM; sleep TOKEN & wait",
        folder.path().display()
    );
    cancel_leaves_nothing(&script).await;
    assert_eq!(
        std::fs::read_to_string(folder.path().join("trap")).unwrap(),
        "done\n"
    );
}

#[tokio::test]
async fn a_child_is_asked_too_when_its_parent_does_not_listen() {
    let folder = tempfile::tempdir().unwrap();
    // A caught signal goes back to its default in the child, so the child can catch it again.
    let script = format!(
        "trap : TERM; sh -c 'trap \"echo done > {}/trap; exit\" TERM; sleep TOKEN & wait'; sleep 120",
        folder.path().display()
    );
    cancel_leaves_nothing(&script).await;
    assert_eq!(
        std::fs::read_to_string(folder.path().join("trap")).unwrap(),
        "done\n"
    );
}

#[tokio::test]
async fn what_was_cancelled_before_is_not_started() {
    let folder = tempfile::tempdir().unwrap();
    let cancel = CancellationToken::new();
    cancel.cancel();
    let spec = sh("echo > started", &token(), folder.path());
    let finished = run(&supervisor(), spec, &limits(LONG), &cancel, &mut |_| {})
        .await
        .unwrap();
    assert_eq!(finished.ended, Ended::Cancelled);
    assert!(!folder.path().join("started").exists());
}

#[tokio::test]
async fn dropping_the_run_ends_the_command() {
    let token = token();
    let cancel = CancellationToken::new();
    let spec = sh("sleep TOKEN; true", &token, Path::new("/"));
    let (supervisor, limits) = (supervisor(), limits(LONG));
    let mut progress = |_: &_| {};
    tokio::select! {
        _ = run(&supervisor, spec, &limits, &cancel, &mut progress) => panic!("it ended by itself"),
        () = until("it runs", || sleeps(&token)) => {}
    }
    until("nothing is left", || alive(&token).is_empty()).await;
}
