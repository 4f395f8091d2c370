//! Which processes belong to the agent, and which of them are still there.
//!
//! The checker is a subreaper, so that an orphan of the agent becomes its child instead of vanishing to
//! process 1. A process belongs to the agent if it descends from the agent or from such an orphan, or
//! carries the run's random marker in its environment. Neither a name nor a bare process id decides: on
//! a busy machine both belong to somebody else, and a program may clear its environment, leave its
//! group or its session.
//!
//! "There" means alive: a zombie runs nothing and holds nothing. Zombies that were adopted are reaped.
//!
//! See prctl(2) `PR_SET_CHILD_SUBREAPER`, proc(5), setpgid(2).

use std::{
    collections::{HashMap, HashSet},
    thread,
    time::{Duration, Instant},
};

use nix::{
    sys::{
        prctl,
        signal::{Signal, kill},
        wait::{WaitPidFlag, waitpid},
    },
    unistd::{Pid, getpgrp, getpid},
};
use procfs::process::{Process, Stat, all_processes};

use crate::{agent_process::MARKER_VARIABLE, recording::SeenProcess, trouble::Trouble};

/// How often a wait looks again. A look costs a few milliseconds.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// How long killed processes may take to go. Only one that hangs in the kernel needs longer.
const KILL_BUDGET: Duration = Duration::from_secs(2);

/// Arguments that are kept of a command, and characters of each.
const MAX_ARGUMENTS: usize = 16;
const MAX_ARGUMENT_CHARS: usize = 200;

/// Stands where a command was cut.
const CUT: &str = "…";

/// A process id with its start time: a name that is never given twice.
type Identity = (i32, u64);

/// Makes this process adopt the orphans of its descendants.
///
/// # Errors
/// [`Trouble::Checker`] where the kernel does not know it.
pub fn become_subreaper() -> Result<(), Trouble> {
    prctl::set_child_subreaper(true).map_err(|error| Trouble::Checker {
        what: format!("cannot become a subreaper ({error}); Linux 3.4 or later is needed"),
    })
}

/// What tells the agent's processes from all others.
#[derive(Debug)]
pub struct Watch {
    marker: String,
    agent: i32,
    before: HashSet<Identity>,
}

impl Watch {
    /// Notes who is there before the agent is started. The agent gets `marker` in its environment.
    #[must_use]
    pub fn new(marker: String) -> Self {
        let before = stats().iter().map(|(_, stat)| identity(stat)).collect();
        Self {
            marker,
            agent: 0,
            before,
        }
    }

    /// The agent runs under this id.
    pub fn agent_is(&mut self, pid: i32) {
        self.agent = pid;
    }

    /// The living processes that belong to the agent, without the agent.
    #[must_use]
    pub fn look(&self) -> Vec<SeenProcess> {
        let all = stats();
        let family = self.family(&all);
        let mut seen: Vec<_> = all
            .iter()
            .filter(|(_, stat)| stat.pid != self.agent && is_alive(stat))
            .filter(|(_, stat)| !self.before.contains(&identity(stat)))
            .filter(|(process, stat)| family.contains(&stat.pid) || carries(process, &self.marker))
            .map(|(process, stat)| seen(process, stat))
            .collect();
        seen.sort_by_key(|process| (process.start_ticks, process.pid));
        seen
    }

    /// How many of the agent's own tree have ended and were not waited for.
    #[must_use]
    pub fn zombies(&self) -> usize {
        let all = stats();
        let family = self.family(&all);
        let own = getpid().as_raw();
        let zombies = all.iter().filter(|(_, stat)| {
            stat.state == 'Z' && stat.ppid != own && family.contains(&stat.pid)
        });
        zombies.count()
    }

    /// The agent, the orphans of its tree, and everything below them.
    fn family(&self, all: &[(Process, Stat)]) -> HashSet<i32> {
        let mut children: HashMap<i32, Vec<&Stat>> = HashMap::new();
        for (_, stat) in all {
            children.entry(stat.ppid).or_default().push(stat);
        }
        let (own, own_group) = (getpid().as_raw(), getpgrp().as_raw());
        // The agent was started in a group of its own. A child in the checker's group was started by
        // the program around this library and is none of the agent's.
        let orphans = children.get(&own).into_iter().flatten();
        let orphans = orphans
            .filter(|stat| stat.pgrp != own_group && !self.before.contains(&identity(stat)))
            .map(|stat| stat.pid);
        let mut open: Vec<i32> = orphans
            .chain((self.agent != 0).then_some(self.agent))
            .collect();
        let mut family = HashSet::new();
        while let Some(pid) = open.pop() {
            if family.insert(pid) {
                open.extend(
                    children
                        .get(&pid)
                        .into_iter()
                        .flatten()
                        .map(|stat| stat.pid),
                );
            }
        }
        family
    }

    /// Looks until nobody that `counts` is there, at most for `patience`; returns the last look.
    #[must_use]
    pub fn look_until_none(
        &self,
        patience: Duration,
        counts: impl Fn(&SeenProcess) -> bool,
    ) -> Vec<SeenProcess> {
        let deadline = Instant::now() + patience;
        loop {
            self.reap_adopted();
            let seen = self.look();
            if !seen.iter().any(&counts) || Instant::now() >= deadline {
                return seen;
            }
            thread::sleep(LOOK_AGAIN);
        }
    }

    /// Kills and reaps everything that belongs to the agent, the agent left out.
    pub fn end_all(&self) {
        let deadline = Instant::now() + KILL_BUDGET;
        loop {
            let left = self.look();
            left.iter().for_each(kill_process);
            self.reap_adopted();
            if left.is_empty() || Instant::now() >= deadline {
                return;
            }
            thread::sleep(LOOK_AGAIN);
        }
    }

    /// Reaps adopted zombies, each by its id: a wait for any child would steal others' children.
    fn reap_adopted(&self) {
        let (own, own_group) = (getpid().as_raw(), getpgrp().as_raw());
        for (_, stat) in stats() {
            let adopted = stat.ppid == own && stat.pid != self.agent && stat.pgrp != own_group;
            if adopted && !is_alive(&stat) && !self.before.contains(&identity(&stat)) {
                let _status = waitpid(Pid::from_raw(stat.pid), Some(WaitPidFlag::WNOHANG));
            }
        }
    }
}

/// Kills everything that carries the marker or descends from this process, for a run that is
/// interrupted.
pub fn end_all_marked(marker: &str) {
    let watch = Watch {
        marker: marker.to_owned(),
        agent: 0,
        before: HashSet::new(),
    };
    watch.end_all();
}

fn kill_process(process: &SeenProcess) {
    let still_the_same = Process::new(process.pid)
        .and_then(|now| now.stat())
        .is_ok_and(|stat| identity(&stat) == (process.pid, process.start_ticks));
    if still_the_same {
        let _gone = kill(Pid::from_raw(process.pid), Signal::SIGKILL);
    }
}

/// All processes that can be read. One that ends while it is read is left out.
fn stats() -> Vec<(Process, Stat)> {
    let Ok(processes) = all_processes() else {
        return Vec::new();
    };
    processes
        .filter_map(|process| {
            let process = process.ok()?;
            let stat = process.stat().ok()?;
            Some((process, stat))
        })
        .collect()
}

fn identity(stat: &Stat) -> Identity {
    (stat.pid, stat.starttime)
}

fn is_alive(stat: &Stat) -> bool {
    !matches!(stat.state, 'Z' | 'X')
}

/// Only processes of the same user can be asked; others cannot carry the marker.
fn carries(process: &Process, marker: &str) -> bool {
    process.environ().is_ok_and(|variables| {
        variables
            .get(std::ffi::OsStr::new(MARKER_VARIABLE))
            .is_some_and(|value| value == marker)
    })
}

fn cut(argument: &str) -> String {
    let mut kept: String = argument.chars().take(MAX_ARGUMENT_CHARS).collect();
    if kept.len() < argument.len() {
        kept.push_str(CUT);
    }
    kept
}

fn seen(process: &Process, stat: &Stat) -> SeenProcess {
    let arguments = process.cmdline().unwrap_or_default();
    let mut command: Vec<String> = arguments
        .iter()
        .take(MAX_ARGUMENTS)
        .map(|argument| cut(argument))
        .collect();
    if arguments.len() > MAX_ARGUMENTS {
        command.push(CUT.to_owned());
    }
    if command.is_empty() {
        command.push(format!("[{}]", stat.comm));
    }
    SeenProcess {
        pid: stat.pid,
        start_ticks: stat.starttime,
        command,
    }
}
