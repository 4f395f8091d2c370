//! Seeing which processes of a test are alive. Each test has a token in the environment of all its
//! processes. A zombie is dead.

use std::{
    fs,
    sync::atomic::{AtomicU32, Ordering},
    time::{Duration, Instant},
};

/// How long a test waits for what must happen. Generous: the machine may be busy.
pub const DEADLINE: Duration = Duration::from_secs(30);

/// A token that no other process on this machine has.
pub fn token() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("120.{:010}{count:03}9", std::process::id())
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

/// Waits for something that must happen.
pub fn until(what: &str, mut happened: impl FnMut() -> bool) {
    let deadline = Instant::now() + DEADLINE;
    while !happened() {
        assert!(Instant::now() < deadline, "did not happen in time: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Waits until no process of a test is left.
pub fn none_left(token: &str) {
    until("no process is left", || alive(token).is_empty());
}
