//! The supervisor is killed with SIGKILL: the agent notices, and ends what it left.
//!
//! A program of its own, because a sweep ends every child of the test program that it did not
//! start: that is what an adopted orphan looks like.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic is how a test fails"
)]

mod proc_support;

use std::path::Path;

use acp_agent::proc::{Ended, init, run};
use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use proc_support::{LONG, alive, limits, sh, sleeps, supervisor, token, until};
use tokio_util::sync::CancellationToken;

async fn kill_the_supervisor_of(script: &str) {
    init();
    let token = token();
    let cancel = CancellationToken::new();
    let spec = sh(script, &token, Path::new("/"));
    let (supervisor, limits) = (supervisor(), limits(LONG));
    let mut progress = |_: &_| {};
    let command = run(&supervisor, spec, &limits, &cancel, &mut progress);
    let killer = async {
        until("it runs", || sleeps(&token)).await;
        let alive = alive(&token);
        let stat = alive
            .iter()
            .find(|stat| stat.contains("(acp-supervisor)"))
            .unwrap();
        let pid = stat.split_once(' ').unwrap().0.parse().unwrap();
        kill(Pid::from_raw(pid), Signal::SIGKILL).unwrap();
    };
    let (finished, ()) = tokio::join!(command, killer);
    assert_eq!(
        finished.unwrap().ended,
        Ended::Lost("its supervisor was killed".into())
    );
    assert_eq!(alive(&token), Vec::<String>::new());
}

#[tokio::test]
async fn a_plain_tree() {
    kill_the_supervisor_of("echo before; sleep TOKEN; true").await;
}

#[tokio::test]
async fn one_that_ignores_requests() {
    kill_the_supervisor_of("trap '' TERM; while :; do sleep TOKEN; done").await;
}

#[tokio::test]
async fn one_without_environment_in_a_session_of_its_own() {
    kill_the_supervisor_of("env -i /usr/bin/setsid -f sleep TOKEN; sleep 120").await;
}
