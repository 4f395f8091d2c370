//! The agent is killed with SIGKILL: nothing it started may be left.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic is how a test fails"
)]

mod proc_support;

use std::{
    path::Path,
    process::{Command, Stdio},
};

use acp_agent::proc::run;
use proc_support::{LONG, alive, limits, sh, sleeps, supervisor, token, until};
use tokio_util::sync::CancellationToken;

/// Set in the process that stands for the agent, to its token.
const AGENT: &str = "ACP_TEST_AGENT";

/// Not a test but the agent of the test below: the test program starts itself with only this.
#[tokio::test]
async fn the_agent() {
    let Ok(token) = std::env::var(AGENT) else {
        return;
    };
    let cancel = CancellationToken::new();
    let script = "trap '' TERM; (setsid sh -c 'sleep TOKEN &' &); timeout 600 sleep TOKEN";
    let spec = sh(script, &token, Path::new("/"));
    run(&supervisor(), spec, &limits(LONG), &cancel, &mut |_| {})
        .await
        .unwrap();
}

#[tokio::test]
async fn nothing_is_left_when_the_agent_is_killed() {
    let token = token();
    let mut agent = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "the_agent"])
        .env(AGENT, &token)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    until("the command runs", || sleeps(&token)).await;
    agent.kill().unwrap();
    agent.wait().unwrap();
    until("nothing is left", || alive(&token).is_empty()).await;
}
