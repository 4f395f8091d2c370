//! Ctrl+C and SIGTERM: whatever runs for the agent is ended before the checker ends.
//!
//! Apart from the journeys, because a signal comes at any time. The signals are blocked and taken by
//! one thread (sigwait), so that nothing has to be safe inside a signal handler.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use nix::{
    sys::signal::{SigSet, Signal, kill},
    unistd::Pid,
};

use crate::leftovers;

/// What has to be cleaned up if the run ends now.
#[derive(Debug, Default)]
struct Open {
    marker: Option<String>,
    files: Vec<(PathBuf, Removal)>,
    workers: Vec<Pid>,
}

/// How a path is removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removal {
    /// A file.
    File,
    /// A folder that others may use too: it stays unless it is empty.
    EmptyFolder,
    /// A folder of the checker's own, with all that is in it.
    Tree,
}

static OPEN: Mutex<Open> = Mutex::new(Open {
    marker: None,
    files: Vec::new(),
    workers: Vec::new(),
});

/// How long workers may take to end their agents; they have the same work to do as this process.
const WORKERS_BUDGET: Duration = Duration::from_secs(5);
const WORKERS_LOOK_AGAIN: Duration = Duration::from_millis(20);

/// Blocks the signals in this thread and all later ones, and answers them from a thread that ends the
/// agent and then the program with `exit_status`. Call it before any other thread is started.
///
/// # Errors
/// What the system says.
pub fn handle(exit_status: i32) -> io::Result<()> {
    let mut signals = SigSet::empty();
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        signals.add(signal);
    }
    signals.thread_block()?;
    thread::spawn(move || {
        if signals.wait().is_ok() {
            clean_up();
            std::process::exit(exit_status);
        }
    });
    Ok(())
}

/// An agent with this marker runs from now on.
pub fn started(marker: &str) {
    open().marker = Some(marker.to_owned());
}

/// The agent is gone, with everything below it.
pub fn ended() {
    open().marker = None;
}

/// This path is to be removed if the run is interrupted; the newest one first.
pub fn will_remove(path: &Path, how: Removal) {
    open().files.push((path.to_owned(), how));
}

/// It has been removed.
pub fn removed(path: &Path) {
    open().files.retain(|(file, _)| file != path);
}

/// A worker of this program runs from now on.
pub fn worker_started(pid: u32) {
    open().workers.push(to_pid(pid));
}

/// It has been reaped.
pub fn worker_ended(pid: u32) {
    open().workers.retain(|worker| *worker != to_pid(pid));
}

fn to_pid(pid: u32) -> Pid {
    // Linux process ids are below 2^22.
    Pid::from_raw(pid.cast_signed())
}

/// Each worker cleans up after itself; whoever waits for it reaps it.
fn end_workers() {
    for worker in &open().workers {
        let _ended = kill(*worker, Signal::SIGTERM);
    }
    let deadline = Instant::now() + WORKERS_BUDGET;
    while !open().workers.is_empty() && Instant::now() < deadline {
        thread::sleep(WORKERS_LOOK_AGAIN);
    }
}

fn clean_up() {
    end_workers();
    let open = std::mem::take(&mut *open());
    if let Some(marker) = open.marker {
        leftovers::end_all_marked(&marker);
    }
    for (path, how) in open.files.iter().rev() {
        // Best effort: the run is over, and there is nobody left to tell.
        let _kept = match how {
            Removal::File => fs::remove_file(path),
            Removal::EmptyFolder => fs::remove_dir(path),
            Removal::Tree => fs::remove_dir_all(path),
        };
    }
}

fn open() -> std::sync::MutexGuard<'static, Open> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}
