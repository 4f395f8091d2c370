//! Processes that carry a mark, wherever they have gone.
//!
//! The mark stands in the environment and in the arguments, so that neither `setsid`, nor a double
//! fork, nor a cleared environment hides a process. A zombie is dead.
//!
//! Man pages: `proc_pid_cmdline(5)`, `proc_pid_environ(5)`, `proc_pid_stat(5)`.

use std::{
    fs,
    sync::atomic::{AtomicU32, Ordering},
    thread,
    time::{Duration, Instant},
};

/// The environment variable that carries the mark.
pub const VARIABLE: &str = "ACP_PROBE";

/// How often to look again.
const LOOK_AGAIN: Duration = Duration::from_millis(3);

/// A mark that no other process on this machine has. As a number of seconds it is five minutes and
/// a bit, so that `sleep MARK` sleeps, and is found by its argument.
#[must_use]
pub fn mark() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("300.{:010}{count:04}7", std::process::id())
}

/// The living processes that carry the mark, each as its id and its command line. This very
/// process is not one of them.
#[must_use]
pub fn alive(mark: &str) -> Vec<(u32, String)> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    let ids = entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    ids.filter(|pid| *pid != std::process::id())
        .filter(|pid| carries(*pid, "cmdline", mark) || carries(*pid, "environ", mark))
        .filter(|pid| is_alive(*pid))
        .map(|pid| (pid, command_line(pid)))
        .collect()
}

/// Waits until no process carries the mark. Says how long that took.
///
/// # Errors
/// Those that still live at the deadline.
pub fn wait_until_gone(mark: &str, deadline: Duration) -> Result<Duration, Vec<(u32, String)>> {
    let begin = Instant::now();
    loop {
        let left = alive(mark);
        if left.is_empty() {
            return Ok(begin.elapsed());
        }
        if begin.elapsed() > deadline {
            return Err(left);
        }
        thread::sleep(LOOK_AGAIN);
    }
}

/// Whether the process is there and no zombie.
#[must_use]
pub fn is_alive(pid: u32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat"))
        .ok()
        .and_then(|stat| {
            Some(
                !stat
                    .rsplit_once(')')?
                    .1
                    .trim_start()
                    .starts_with(['Z', 'X']),
            )
        })
        .unwrap_or(false)
}

fn carries(pid: u32, file: &str, mark: &str) -> bool {
    fs::read(format!("/proc/{pid}/{file}")).is_ok_and(|bytes| {
        bytes
            .windows(mark.len())
            .any(|part| part == mark.as_bytes())
    })
}

fn command_line(pid: u32) -> String {
    let bytes = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&bytes)
        .replace('\0', " ")
        .trim_end()
        .to_owned()
}
