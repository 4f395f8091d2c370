//! A process that outlives the agent, for the faults that leave one.
//!
//! This program starts itself again as a go-between that becomes the leader of a new session,
//! starts a sleeping process and exits: the sleeper then has neither the agent's group nor its
//! session nor a living parent of the agent. It ends by itself after [`SLEEP_SECONDS`].

use std::{
    io,
    os::unix::process::CommandExt as _,
    process::{Command, Stdio},
};

use super::cli::LeaveBehind;

/// Longer than any wait of the checker at full scale; short enough to clean up after itself.
const SLEEP_SECONDS: &str = "60";

/// Starts the go-between and waits until it has left a process behind.
///
/// `stdin` becomes the sleeper's standard input.
///
/// # Errors
/// What the system says.
pub fn start(how: LeaveBehind, stdin: Stdio) -> io::Result<()> {
    let mut go_between = Command::new(std::env::current_exe()?);
    go_between.arg("--leave-behind").arg(how.name());
    go_between
        .stdin(stdin)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    go_between.spawn()?.wait()?;
    Ok(())
}

/// What the go-between does.
///
/// # Errors
/// What the system says.
pub fn go_between(how: LeaveBehind) -> io::Result<()> {
    nix::unistd::setsid()?;
    let mut sleeper = Command::new("/bin/sleep");
    sleeper.arg(SLEEP_SECONDS);
    if how == LeaveBehind::Disguised {
        sleeper.arg0("[kworker/0:1]").env_clear().current_dir("/");
    }
    // Never waited for: it is meant to be left.
    drop(sleeper.spawn()?);
    Ok(())
}
