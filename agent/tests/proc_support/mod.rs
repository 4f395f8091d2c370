//! What the tests of processes share: how to start them, and how to see that they are gone.
//!
//! Every test has a token. It stands in the environment of its processes and in the arguments of
//! those that clear their environment, so that a look at `/proc` finds them wherever they have
//! gone. A zombie is dead.

#![allow(dead_code, missing_docs, reason = "each test program uses a part")]
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::{
    fs,
    path::Path,
    sync::atomic::{AtomicU32, Ordering},
    time::{Duration, Instant},
};

use acp_agent::proc::{
    Access, Capture, CommandSpec, Finished, RunLimits, Supervisor, base_environment, run,
};
use tokio_util::sync::CancellationToken;

/// How long a test waits for what must happen. Generous: the machine may be busy.
pub const DEADLINE: Duration = Duration::from_secs(20);

/// Longer than any test: a command that runs so long has hung.
pub const LONG: Duration = Duration::from_secs(60);

pub fn supervisor() -> Supervisor {
    Supervisor::at(env!("CARGO_BIN_EXE_acp-agent").into())
}

/// A token that no other process on this machine has. As a number of seconds it is two minutes and
/// a bit, so `sleep TOKEN` can be recognised by its argument.
pub fn token() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("120.{:010}{count:03}7", std::process::id())
}

/// `sh -c SCRIPT` in a folder, where `TOKEN` stands for the token.
pub fn sh(script: &str, token: &str, cwd: &Path) -> CommandSpec {
    spec("sh", &["-c", &script.replace("TOKEN", token)], token, cwd)
}

pub fn spec(program: &str, args: &[&str], token: &str, cwd: &Path) -> CommandSpec {
    let mut env = base_environment(&[]);
    env.push(("ACP_TEST".into(), token.into()));
    CommandSpec {
        program: program.into(),
        args: args.iter().map(Into::into).collect(),
        cwd: cwd.to_owned(),
        env,
        access: Access::Full,
    }
}

pub fn limits(timeout: Duration) -> RunLimits {
    RunLimits {
        timeout,
        head: 48 * 1024,
        tail: 48 * 1024,
    }
}

/// Runs a command that ends by itself.
pub async fn finish(spec: CommandSpec) -> Finished {
    let cancel = CancellationToken::new();
    run(
        &supervisor(),
        spec,
        &limits(LONG),
        &cancel,
        &mut |_: &Capture| {},
    )
    .await
    .unwrap()
}

/// The living processes that carry the token.
pub fn alive(token: &str) -> Vec<String> {
    let own = std::process::id().to_string();
    let carries = |path: String| {
        fs::read(path).is_ok_and(|bytes| bytes.windows(token.len()).any(|w| w == token.as_bytes()))
    };
    fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|pid| pid.bytes().all(|byte| byte.is_ascii_digit()) && *pid != own)
        .filter(|pid| {
            carries(format!("/proc/{pid}/cmdline")) || carries(format!("/proc/{pid}/environ"))
        })
        .filter_map(|pid| {
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
            let state = stat.rsplit_once(") ")?.1;
            (!state.starts_with(['Z', 'X'])).then_some(stat)
        })
        .collect()
}

/// Whether `sleep TOKEN` runs, which every long script of these tests comes to last.
pub fn sleeps(token: &str) -> bool {
    alive(token).iter().any(|stat| stat.contains("(sleep)"))
}

/// Waits for something that must happen.
pub async fn until(what: &str, mut happened: impl FnMut() -> bool) {
    let deadline = Instant::now() + DEADLINE;
    while !happened() {
        assert!(Instant::now() < deadline, "did not happen in time: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
