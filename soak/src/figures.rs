//! What a process takes of the machine.
//!
//! Man pages: `proc_pid_status(5)`, `proc_pid_fd(5)`.

use std::{fmt, fs};

/// The figures of one process at one moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Figures {
    /// Memory that is in use now, in KiB.
    pub memory: u64,
    /// The most memory that ever was in use, in KiB.
    pub peak: u64,
    /// Open files.
    pub files: u64,
    /// Threads.
    pub threads: u64,
}

impl Figures {
    /// The figures of a process; nothing when it is not there.
    #[must_use]
    pub fn of(pid: u32) -> Option<Self> {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let value = |name: &str| {
            let line = status.lines().find(|line| line.starts_with(name))?;
            line.split_ascii_whitespace().nth(1)?.parse().ok()
        };
        Some(Self {
            memory: value("VmRSS:")?,
            peak: value("VmHWM:")?,
            files: fs::read_dir(format!("/proc/{pid}/fd")).ok()?.count() as u64,
            threads: value("Threads:")?,
        })
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "{} KiB (peak {} KiB), {} files, {} threads",
            self.memory, self.peak, self.files, self.threads
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_has_figures() {
        let figures = Figures::of(std::process::id()).unwrap();
        assert!(figures.memory > 100 && figures.peak >= figures.memory);
        assert!(figures.files >= 3 && figures.threads >= 1);
    }
}
