//! Shell commands as children in their own process group, ended with the turn.
//!
//! What must stay true without a fault: when [`run`] returns, the command and its group are gone. A
//! group is signalled only while its leader is not reaped, so that its id cannot belong to another.
//!
//! See waitid(2), killpg(3).

use std::{
    io::{self, Read},
    os::unix::process::CommandExt as _,
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use nix::{
    sys::{
        signal::{Signal, killpg},
        wait::{Id, WaitPidFlag, WaitStatus, waitid},
    },
    unistd::Pid,
};

use super::{behaviour::Behaviour, faults::Fault, session::Stop};

/// Between two looks at a child; short against every limit that is measured.
const LOOK: Duration = Duration::from_millis(5);

/// How a command ended.
#[derive(Debug)]
pub enum Outcome {
    /// By itself, with all that it wrote.
    Ended {
        /// Its standard output and standard error.
        output: String,
        /// Whether its status was 0.
        success: bool,
    },
    /// It was stopped. `left` is what a fault left running.
    Stopped {
        /// The process group that still lives.
        left: Option<ProcessGroup>,
    },
}

/// A process group; whoever holds it must end it before the agent ends.
#[derive(Debug)]
pub struct ProcessGroup {
    leader: Child,
}

impl ProcessGroup {
    /// Starts a program as the leader of a new group.
    ///
    /// # Errors
    /// What the system says.
    pub fn start(command: &mut Command) -> io::Result<Self> {
        let leader = command.process_group(0).spawn()?;
        Ok(Self { leader })
    }

    /// Starts a process that does nothing and ends when this handle or the agent is gone: its input
    /// ends with them.
    ///
    /// # Errors
    /// What the system says.
    pub fn idle() -> io::Result<Self> {
        Self::start(
            Command::new("cat")
                .stdin(Stdio::piped())
                .stdout(Stdio::null()),
        )
    }

    /// The leader.
    pub fn leader(&mut self) -> &mut Child {
        &mut self.leader
    }

    /// Whether the leader has ended. It is not reaped: its id stays the group's.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        let ended = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
        !matches!(
            waitid(Id::Pid(self.id()), ended),
            Ok(WaitStatus::StillAlive)
        )
    }

    /// Waits for the leader's end for so long.
    pub fn wait(&self, limit: Duration) {
        let deadline = Instant::now() + limit;
        while !self.has_ended() && Instant::now() < deadline {
            thread::sleep(LOOK);
        }
    }

    /// Ends the whole group, reaps its leader and returns how that ended.
    ///
    /// # Errors
    /// What the system says.
    pub fn end(&mut self) -> io::Result<ExitStatus> {
        let _ = killpg(self.id(), Signal::SIGKILL);
        self.leader.wait()
    }

    fn id(&self) -> Pid {
        Pid::from_raw(self.leader.id().cast_signed())
    }
}

/// Runs a shell command in `cwd` until it ends or the turn must stop.
///
/// # Errors
/// The shell cannot be started.
pub fn run(command: &str, cwd: &Path, stop: &Stop, behaviour: &Behaviour) -> io::Result<Outcome> {
    // A shell replaces itself by a single command; here the command must be a child of its own.
    let command = match behaviour.fault {
        Some(Fault::CancelKillsShellOnly) => format!("{command}; true"),
        _ => command.to_owned(),
    };
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(command).current_dir(cwd);
    shell
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut group = ProcessGroup::start(&mut shell)?;
    let output = collect(group.leader.stdout.take());
    let errors = collect(group.leader.stderr.take());

    while !group.has_ended() {
        if stop.asked() {
            return Ok(stopped(group, behaviour));
        }
        thread::sleep(LOOK);
    }
    // A background job of the command ends here too, and with it the last writer of the pipes.
    let status = group.end()?;
    Ok(Outcome::Ended {
        output: [output, errors].map(text).concat(),
        success: status.success(),
    })
}

fn stopped(mut group: ProcessGroup, behaviour: &Behaviour) -> Outcome {
    let left = match behaviour.fault {
        Some(Fault::CancelLeavesCommand) => Some(group),
        Some(Fault::CancelKillsShellOnly) => {
            let _ = group.leader.kill();
            Some(group)
        }
        _ => {
            let _ = group.end();
            None
        }
    };
    Outcome::Stopped { left }
}

fn collect(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.read_to_end(&mut bytes);
        }
        bytes
    })
}

fn text(reader: JoinHandle<Vec<u8>>) -> String {
    String::from_utf8_lossy(&reader.join().unwrap_or_default()).into_owned()
}
