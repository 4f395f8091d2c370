//! The list of living supervisors, and the last line of defence: ending what a killed one left.
//!
//! A supervisor that dies of a SIGKILL leaves its tree running. The kernel gives those processes
//! to the owner, which is a subreaper, so they are children of the owner that no list knows. That
//! also finds a process that has left its group and cleared its environment. Where the owner is no
//! subreaper they are found by the marker in their environment.
//!
//! Must stay true:
//!
//! - Only this module's `spawn` makes children of the owner, and it puts them on the list in the
//!   same step: a child that is not on it is an orphan.
//! - Children are reaped by id.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, fs,
    hash::{BuildHasher as _, Hasher as _},
    io,
    path::PathBuf,
    process::Command,
    sync::{
        LazyLock, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use nix::{
    sys::{
        prctl,
        wait::{WaitPidFlag, waitpid},
    },
    unistd::{Pid, getpid},
};
use tokio::{process::Child, time::Instant};

use crate::supervise::{MARKER, tree};

/// How long a sweep may take. A SIGKILL works in microseconds; only a process that hangs in the
/// kernel outlives this, and nobody could end it.
pub const SWEEP_DEADLINE: Duration = Duration::from_millis(500);

/// How often a sweep looks again.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// The id of a tree, unique on this machine: no two processes ever share the first two parts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TreeId(String);

impl TreeId {
    pub(super) fn next() -> Self {
        static AGENT: LazyLock<u64> =
            LazyLock::new(|| std::hash::RandomState::new().build_hasher().finish());
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        Self(format!("{}-{:016x}-{count}", std::process::id(), *AGENT))
    }

    /// Where the tree has its private temporary folder, if it has one.
    pub(super) fn folder(&self) -> PathBuf {
        std::env::temp_dir().join(format!("acp-tree-{self}"))
    }
}

impl fmt::Display for TreeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What the owner knows of its children.
#[derive(Default)]
struct Supervisors {
    living: BTreeMap<TreeId, Pid>,
    /// Those that ended without saying that their tree has.
    lost: BTreeSet<TreeId>,
}

static SUPERVISORS: Mutex<Supervisors> = Mutex::new(Supervisors {
    living: BTreeMap::new(),
    lost: BTreeSet::new(),
});

fn supervisors() -> MutexGuard<'static, Supervisors> {
    // Nothing under this lock leaves it half changed.
    SUPERVISORS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a supervisor and puts it on the list.
pub(super) fn spawn(command: Command, id: &TreeId) -> io::Result<Child> {
    // The lock is held over the start, or a sweep could take the new child for an orphan.
    let mut supervisors = supervisors();
    let child = tokio::process::Command::from(command).spawn()?;
    if let Some(pid) = child.id() {
        supervisors
            .living
            .insert(id.clone(), Pid::from_raw(pid.cast_signed()));
    }
    Ok(child)
}

/// Takes a supervisor that was reaped off the list. `clean` says that its tree had ended before.
pub(super) fn ended(id: &TreeId, clean: bool) {
    let mut supervisors = supervisors();
    if supervisors.living.remove(id).is_some() && !clean {
        supervisors.lost.insert(id.clone());
    }
}

/// Ends what killed supervisors have left, and reaps it. Trees that run are not touched. Cheap when
/// there is nothing to do.
pub async fn sweep() {
    let deadline = Instant::now() + SWEEP_DEADLINE;
    while sweep_once() > 0 && Instant::now() < deadline {
        tokio::time::sleep(LOOK_AGAIN).await;
    }
}

/// Kills every orphan and everything below it. Returns how many processes it found.
fn sweep_once() -> usize {
    let mut supervisors = supervisors();
    let children = tree::children(getpid());
    // A tree that was dropped is not waited for here; the runtime has reaped its supervisor.
    let gone = supervisors
        .living
        .extract_if(.., |_, pid| !children.contains(pid));
    let gone: Vec<TreeId> = gone.map(|(id, _)| id).collect();
    supervisors.lost.extend(gone);

    let adopted = adopted(&supervisors, &children);
    let strays = strays(&supervisors.lost);
    let mut found = Vec::new();
    for pid in adopted.iter().chain(&strays) {
        found.extend(tree::living(*pid));
        found.extend(tree::descendants(*pid));
    }
    tree::kill_all(&found);
    for pid in &adopted {
        // Not yet dead: then the next round does it.
        let _ = waitpid(*pid, Some(WaitPidFlag::WNOHANG));
    }
    if found.is_empty() {
        for id in std::mem::take(&mut supervisors.lost) {
            // It is rarely there: only a supervisor that was killed leaves its folder.
            let _ = fs::remove_dir_all(id.folder());
        }
    }
    found.len()
}

/// Children of the owner that it did not start. A subreaper has none but those that supervisors
/// left. The first process of a container gets other people's orphans too, and leaves them alone.
fn adopted(supervisors: &Supervisors, children: &[Pid]) -> Vec<Pid> {
    if getpid().as_raw() == 1 || !prctl::get_child_subreaper().unwrap_or(false) {
        return Vec::new();
    }
    let started = |pid: &Pid| supervisors.living.values().any(|living| living == pid);
    children
        .iter()
        .copied()
        .filter(|pid| !started(pid))
        .collect()
}

/// Processes whose environment says that they belong to a lost tree.
fn strays(lost: &BTreeSet<TreeId>) -> Vec<Pid> {
    if lost.is_empty() {
        return Vec::new();
    }
    let marks: Vec<String> = lost.iter().map(|id| format!("{MARKER}={id}")).collect();
    let is_marked = |pid: &Pid| {
        fs::read(format!("/proc/{pid}/environ")).is_ok_and(|environment| {
            environment
                .split(|byte| *byte == 0)
                .any(|entry| marks.iter().any(|mark| entry == mark.as_bytes()))
        })
    };
    tree::all().into_iter().filter(is_marked).collect()
}
