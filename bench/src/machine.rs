//! What the kernel says: memory of a process, who lives below it, and who else used the CPU.
//!
//! Man pages: proc_pid_status(5), proc_pid_stat(5), proc_stat(5);
//! for schedstat the kernel's Documentation/scheduler/sched-stats.rst.

use nix::unistd::Pid;
use procfs::{CurrentSI, KernelStats, ProcResult, process::Process};

use crate::fault::Fault;

const KIB_PER_MIB: f64 = 1024.0;
const NANOS_PER_MILLI: f64 = 1e6;

/// Memory of a process and all below it, in MiB.
#[derive(Debug, Clone, Copy, Default)]
pub struct Memory {
    /// What it has now (`VmRSS`).
    pub now: f64,
    /// The most it ever had (`VmHWM`; of several processes, the sum of their peaks).
    pub peak: f64,
}

/// The memory of a process and all below it.
///
/// # Errors
/// The process is gone.
pub fn memory(pid: Pid) -> Result<Memory, Fault> {
    let mut sum = of_process(pid).map_err(unreadable)?;
    for below in descendants(pid) {
        // One that ended meanwhile has no memory.
        let one = of_process(below).unwrap_or_default();
        sum = Memory {
            now: sum.now + one.now,
            peak: sum.peak + one.peak,
        };
    }
    Ok(sum)
}

fn of_process(pid: Pid) -> ProcResult<Memory> {
    let status = Process::new(pid.as_raw())?.status()?;
    let mib = |kib: Option<u64>| kib.unwrap_or(0) as f64 / KIB_PER_MIB;
    Ok(Memory {
        now: mib(status.vmrss),
        peak: mib(status.vmhwm),
    })
}

/// The CPU time that the threads of a process have used so far, in milliseconds.
///
/// Unlike the time that passes it hardly depends on what else the machine does. Threads that have
/// ended, and processes below this one, do not count.
///
/// # Errors
/// The process is gone.
pub fn cpu_time(pid: Pid) -> Result<f64, Fault> {
    let nanos = || -> ProcResult<u64> {
        let mut sum = 0;
        for thread in Process::new(pid.as_raw())?.tasks()? {
            // One that ended meanwhile.
            sum += thread
                .and_then(|thread| thread.schedstat())
                .map_or(0, |stat| stat.sum_exec_runtime);
        }
        Ok(sum)
    };
    Ok(nanos().map_err(unreadable)? as f64 / NANOS_PER_MILLI)
}

fn unreadable(error: procfs::ProcError) -> Fault {
    Fault::machine("reading /proc")(std::io::Error::other(error))
}

/// All processes below this one.
pub fn descendants(pid: Pid) -> Vec<Pid> {
    let parents: Vec<(i32, i32)> = procfs::process::all_processes()
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|process| Some((process.pid, process.stat().ok()?.ppid)))
        .collect();
    let mut found = vec![pid.as_raw()];
    let mut next = 0;
    while let Some(&parent) = found.get(next) {
        found.extend(
            parents
                .iter()
                .filter(|(_, of)| *of == parent)
                .map(|(child, _)| *child),
        );
        next += 1;
    }
    found.into_iter().skip(1).map(Pid::from_raw).collect()
}

/// Whether a process runs. One that is dead and not yet reaped does not.
pub fn is_alive(pid: Pid) -> bool {
    Process::new(pid.as_raw())
        .and_then(|process| process.stat())
        .is_ok_and(|stat| !matches!(stat.state, 'Z' | 'X'))
}

/// The kernel counts in ticks of 10 ms. Below this the shares are chance.
const ENOUGH_TICKS: u64 = 40;

/// The use of all CPUs since the machine started, in ticks.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cpu {
    total: u64,
    busy: u64,
    ours: u64,
}

impl Cpu {
    /// Until now. Children of the bench count as its own once they are reaped.
    pub fn now() -> Self {
        let read = || -> ProcResult<Self> {
            let all = KernelStats::current()?.total;
            let idle = all.idle + all.iowait.unwrap_or(0);
            let busy = all.user
                + all.nice
                + all.system
                + all.irq.unwrap_or(0)
                + all.softirq.unwrap_or(0)
                + all.steal.unwrap_or(0);
            let own = Process::myself()?.stat()?;
            let children = u64::try_from(own.cutime + own.cstime).unwrap_or(0);
            Ok(Self {
                total: busy + idle,
                busy,
                ours: own.utime + own.stime + children,
            })
        };
        // Without the numbers the noise is unknown, and shown as none; nothing else needs them.
        read().unwrap_or_default()
    }

    /// The share of the machine that others have used since `before`, from 0 to 1; absent when too
    /// few ticks have passed.
    pub fn noise_since(self, before: Self) -> Option<f64> {
        let total = self.total.saturating_sub(before.total);
        if total < ENOUGH_TICKS {
            return None;
        }
        let ours = self.ours.saturating_sub(before.ours);
        let others = self.busy.saturating_sub(before.busy).saturating_sub(ours);
        Some(others as f64 / total as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_what_others_used() {
        let cpu = |total, busy, ours| Cpu { total, busy, ours };
        for (before, after, noise) in [
            (cpu(0, 0, 0), cpu(100, 60, 10), Some(0.5)),
            (cpu(100, 60, 10), cpu(200, 160, 110), Some(0.0)),
            // The counters are not taken in one moment.
            (cpu(0, 0, 0), cpu(100, 9, 10), Some(0.0)),
            (cpu(5, 5, 5), cpu(44, 5, 5), None),
        ] {
            assert_eq!(after.noise_since(before), noise, "{before:?} {after:?}");
        }
    }

    #[test]
    fn a_process_has_memory_and_a_dead_one_has_none() {
        let own = memory(Pid::this()).unwrap();
        assert!(own.now > 0.1 && own.peak >= own.now / 2.0, "{own:?}");
        assert!(is_alive(Pid::this()));
        assert!(cpu_time(Pid::this()).unwrap() > 0.0);
        assert!(memory(Pid::from_raw(i32::MAX)).is_err());
        assert!(!is_alive(Pid::from_raw(i32::MAX)));
    }
}
