//! The processes below a process, and how signals reach all of them.
//!
//! Both ends use it: the supervisor to end its tree, and the owner to end what a killed supervisor
//! has left. It reads `/proc` afresh each time; what it returns may be out of date at once, so the
//! callers repeat until nothing is found.
//!
//! A zombie is dead: it has ended and only waits to be noticed by its parent.
//!
//! A process id can be reused between the look and the signal. That needs the process to end, its
//! parent to reap it, and the whole range of ids to go round, within microseconds; it is accepted.
//!
//! Man pages: proc_pid_stat(5), proc_pid_task(5), kill(2).

use std::{collections::BTreeSet, fs, path::Path};

use nix::{
    sys::signal::{Signal, kill, killpg},
    unistd::{Pid, getpgrp},
};

/// A living process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: Pid,
    pub(crate) parent: Pid,
    pub(crate) group: Pid,
    /// Stopped by a signal: it cannot heed a SIGTERM before it goes on.
    pub(crate) stopped: bool,
}

/// All living processes below `root`, parents before their children.
pub(crate) fn descendants(root: Pid) -> Vec<Process> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::from([root]);
    let mut open = vec![root];
    while let Some(parent) = open.pop() {
        for pid in children(parent) {
            if seen.insert(pid) {
                open.push(pid);
                found.extend(living(pid));
            }
        }
    }
    found
}

/// The children of `parent`, dead ones too.
pub(crate) fn children(parent: Pid) -> Vec<Pid> {
    let Ok(threads) = fs::read_dir(format!("/proc/{parent}/task")) else {
        return Vec::new();
    };
    let lists: Option<Vec<String>> = threads
        .flatten()
        .map(|thread| read_children(&thread.path()))
        .collect();
    match lists {
        Some(lists) => lists
            .iter()
            .flat_map(|list| list.split_ascii_whitespace())
            .filter_map(|pid| pid.parse().ok().map(Pid::from_raw))
            .collect(),
        // A kernel without CONFIG_PROC_CHILDREN: ask every process who its parent is.
        None => all()
            .into_iter()
            .filter(|pid| parent_of(*pid) == Some(parent))
            .collect(),
    }
}

/// `None` if the kernel has no such list. A thread that ended in between has no children.
fn read_children(thread: &Path) -> Option<String> {
    match fs::read_to_string(thread.join("children")) {
        Ok(list) => Some(list),
        Err(_) if thread.exists() => None,
        Err(_) => Some(String::new()),
    }
}

/// The ids of all processes that can be seen.
pub(crate) fn all() -> Vec<Pid> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok().map(Pid::from_raw))
        .collect()
}

/// What is known of a process, if it lives.
pub(crate) fn living(pid: Pid) -> Option<Process> {
    parse(pid, &fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
        .filter(|(_, lives)| *lives)
        .map(|(process, _)| process)
}

fn parent_of(pid: Pid) -> Option<Pid> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    parse(pid, &stat).map(|(process, _)| process.parent)
}

/// Reads a line of `/proc/PID/stat`, and whether the process lives. The name in it may hold spaces
/// and parentheses, so the fields are counted from the last `)`.
fn parse(pid: Pid, stat: &str) -> Option<(Process, bool)> {
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_ascii_whitespace().collect();
    let number = |index: usize| fields.get(index)?.parse::<i32>().ok();
    let state = *fields.first()?;
    // A process whose main thread has ended shows Z while its other threads still run.
    let dead = matches!(state, "Z" | "X" | "x") && number(17)? <= 1;
    let process = Process {
        pid,
        parent: Pid::from_raw(number(1)?),
        group: Pid::from_raw(number(2)?),
        stopped: matches!(state, "T" | "t"),
    };
    Some((process, !dead))
}

/// Asks a process to end. One that is stopped must go on to hear it.
pub(crate) fn ask_to_end(process: &Process) {
    // A process that has ended meanwhile, or belongs to another user, cannot be asked.
    let _ = kill(process.pid, Signal::SIGTERM);
    if process.stopped {
        let _ = kill(process.pid, Signal::SIGCONT);
    }
}

/// Kills all of them. Whole groups first: the kernel does a group in one step against which no
/// member can fork, so a process that forks without end cannot run away from it.
pub(crate) fn kill_all(processes: &[Process]) {
    let own = getpgrp();
    let groups: BTreeSet<Pid> = processes.iter().map(|process| process.group).collect();
    for group in groups {
        // A process may have joined the group of its supervisor, which must not kill itself.
        if group != own && group.as_raw() > 1 {
            let _ = killpg(group, Signal::SIGKILL);
        }
    }
    for process in processes {
        let _ = kill(process.pid, Signal::SIGKILL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TAIL: &str = "0 -1 4194560 1 0 0 0 0 0 0 0 20 0";

    #[test]
    fn the_state_tells_the_living_from_the_dead() {
        //  name        state threads  lives  stopped
        let table = [
            ("sleep", "S", 1, true, false),
            ("a b) Z (c", "R", 1, true, false),
            ("sleep", "T", 1, true, true),
            ("sleep", "Z", 1, false, false),
            ("sleep", "X", 0, false, false),
            ("main thread ended", "Z", 3, true, false),
        ];
        for (name, state, threads, lives, stopped) in table {
            let stat = format!("7 ({name}) {state} 1 7 7 {TAIL} {threads} 0 100");
            let (process, alive) = parse(Pid::from_raw(7), &stat).unwrap();
            assert_eq!((alive, process.stopped), (lives, stopped), "{stat}");
            assert_eq!((process.parent.as_raw(), process.group.as_raw()), (1, 7));
        }
        assert!(parse(Pid::from_raw(7), "7 (sh").is_none());
    }
}
