//! One process of the agent: start, pipes, end. It knows bytes and lines, not what they mean.
//!
//! Each pipe has a thread of its own, so that an agent that floods one pipe never blocks another, and
//! everything they see comes in one bounded channel. The exit is seen with `WNOWAIT`: the process stays
//! a zombie, and its id cannot be given to another one, until all that was looked for is found.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/transports#stdio>

use std::{
    collections::VecDeque,
    io::{self, BufReader, Read, Write as _},
    os::unix::process::CommandExt as _,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, SyncSender, TrySendError, sync_channel},
    },
    thread,
    time::Instant,
};

use nix::{
    sys::{
        signal::{Signal, kill},
        wait::{Id, WaitPidFlag, WaitStatus, waitid},
    },
    unistd::Pid,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    interrupt,
    lines::{Line, read_line},
    recording::{ExitStatus, StderrTail},
    trouble::Trouble,
};

/// The environment variable by which a process of the agent is known, wherever it went.
pub const MARKER_VARIABLE: &str = "ACP_JOURNEYS_MARK";

/// Lines that wait for the client; with the bound of a line, at most 64 MiB.
const INBOUND_LINES: usize = 16;

/// Lines that wait for an agent that does not read. A journey sends a few dozen in all.
const OUTBOUND_LINES: usize = 1024;

/// How much of standard error is kept. The last lines say why a program died.
const STDERR_TAIL_BYTES: usize = 64 * 1024;

/// The command that starts an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentCommand {
    /// The program: a path, or a name on PATH.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
}

impl AgentCommand {
    /// The command from its words; `None` if there are none.
    #[must_use]
    pub fn from_words(words: &[String]) -> Option<Self> {
        let (program, args) = words.split_first()?;
        Some(Self {
            program: program.clone(),
            args: args.to_vec(),
        })
    }

    /// The words of the command.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        let program = std::iter::once(&self.program);
        program.chain(&self.args).cloned().collect()
    }
}

/// What the pipes and the kernel say.
#[derive(Debug)]
pub enum Inbound {
    /// A line of standard output, and when it was read.
    Line(Instant, Line),
    /// Standard output ended.
    OutputClosed(Instant),
    /// Standard error ended.
    StderrClosed,
    /// The process ended; it is not reaped yet.
    Exited(Instant, ExitStatus),
}

/// A running agent.
#[derive(Debug)]
pub struct AgentProcess {
    child: Child,
    input: Option<SyncSender<String>>,
    inbound: Receiver<Inbound>,
    stderr: Arc<Mutex<Tail>>,
}

impl AgentProcess {
    /// Starts the agent in its own process group, with the marker in its environment.
    ///
    /// # Errors
    /// [`Trouble::CouldNotStart`].
    pub fn start(command: &AgentCommand, marker: &str) -> Result<Self, Trouble> {
        let failed = |error: io::Error| Trouble::CouldNotStart {
            program: command.program.clone(),
            error: error.to_string(),
        };
        let mut child = Command::new(&command.program)
            .args(&command.args)
            .env(MARKER_VARIABLE, marker)
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        interrupt::started(marker);
        let (sender, inbound) = sync_channel(INBOUND_LINES);
        let stderr = Arc::new(Mutex::new(Tail::default()));
        let input = child.stdin.take().map(write_lines);
        if let Some(stdout) = child.stdout.take() {
            let sender = sender.clone();
            thread::spawn(move || read_stdout(stdout, &sender));
        }
        if let Some(pipe) = child.stderr.take() {
            let (sender, tail) = (sender.clone(), Arc::clone(&stderr));
            thread::spawn(move || {
                drain(pipe, &tail);
                let _gone = sender.send(Inbound::StderrClosed);
            });
        }
        let pid = pid_of(&child);
        thread::spawn(move || {
            if let Some(status) = wait_without_reaping(pid) {
                let _gone = sender.send(Inbound::Exited(Instant::now(), status));
            }
        });
        Ok(Self {
            child,
            input,
            inbound,
            stderr,
        })
    }

    /// The process id.
    #[must_use]
    pub fn pid(&self) -> i32 {
        pid_of(&self.child).as_raw()
    }

    /// Queues a line for the agent's input.
    ///
    /// # Errors
    /// [`Trouble::InputStuck`] if the agent has not read for a long time, or its input is gone.
    pub fn send(&self, line: String, step: &str) -> Result<(), Trouble> {
        let sent = self.input.as_ref().map(|input| input.try_send(line));
        match sent {
            // A closed pipe shows itself as the end of the output, with the status: the better cause.
            Some(Ok(()) | Err(TrySendError::Disconnected(_))) => Ok(()),
            Some(Err(TrySendError::Full(_))) | None => Err(Trouble::InputStuck {
                step: step.to_owned(),
            }),
        }
    }

    /// Closes the agent's input after the lines that wait.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// What the pipes and the kernel say, in order for each pipe.
    #[must_use]
    pub fn inbound(&self) -> &Receiver<Inbound> {
        &self.inbound
    }

    /// The end of standard error so far.
    #[must_use]
    pub fn stderr(&self) -> StderrTail {
        lock(&self.stderr).read()
    }

    /// Kills the process; no error if it has ended.
    pub fn kill(&self) {
        let _ended = kill(pid_of(&self.child), Signal::SIGKILL);
    }

    /// Reaps the process, which must have ended or been killed.
    pub fn reap(&mut self) {
        let _status = self.child.wait();
    }
}

impl Drop for AgentProcess {
    /// The last defence: on the normal path the process has been reaped long before.
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            self.kill();
            self.reap();
        }
        interrupt::ended();
    }
}

fn pid_of(child: &Child) -> Pid {
    // Linux process ids are below 2^22.
    Pid::from_raw(i32::try_from(child.id()).unwrap_or(i32::MAX))
}

fn write_lines(mut stdin: ChildStdin) -> SyncSender<String> {
    let (sender, lines) = sync_channel::<String>(OUTBOUND_LINES);
    thread::spawn(move || {
        for line in lines {
            // The agent closed its input or ended; its output will say so.
            if stdin.write_all(format!("{line}\n").as_bytes()).is_err() {
                return;
            }
        }
    });
    sender
}

fn read_stdout(stdout: ChildStdout, sender: &SyncSender<Inbound>) {
    let mut reader = BufReader::with_capacity(64 * 1024, stdout);
    while let Ok(Some(line)) = read_line(&mut reader) {
        if sender.send(Inbound::Line(Instant::now(), line)).is_err() {
            return;
        }
    }
    let _gone = sender.send(Inbound::OutputClosed(Instant::now()));
}

/// See waitid(2): `WNOWAIT` leaves the process waitable.
fn wait_without_reaping(pid: Pid) -> Option<ExitStatus> {
    loop {
        match waitid(Id::Pid(pid), WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT) {
            Ok(WaitStatus::Exited(_, code)) => return Some(ExitStatus::Code(code)),
            Ok(WaitStatus::Signaled(_, signal, _)) => {
                return Some(ExitStatus::Signal(signal as i32));
            }
            Ok(_) | Err(nix::Error::EINTR) => {}
            Err(_) => return None,
        }
    }
}

/// The last bytes of a stream.
#[derive(Debug, Default)]
struct Tail {
    bytes: u64,
    kept: VecDeque<u8>,
}

impl Tail {
    fn push(&mut self, part: &[u8]) {
        self.bytes += part.len() as u64;
        self.kept.extend(part);
        let excess = self.kept.len().saturating_sub(STDERR_TAIL_BYTES);
        self.kept.drain(..excess);
    }

    fn read(&self) -> StderrTail {
        let (front, back) = self.kept.as_slices();
        StderrTail {
            bytes: self.bytes,
            tail: String::from_utf8_lossy(&[front, back].concat()).into_owned(),
        }
    }
}

/// Reads for as long as there is something: a full pipe would stop the agent.
fn drain(mut pipe: impl Read, tail: &Mutex<Tail>) {
    let mut buffer = [0_u8; 16 * 1024];
    loop {
        match pipe.read(&mut buffer) {
            Ok(0) => return,
            Ok(read) => lock(tail).push(&buffer[..read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

fn lock(tail: &Mutex<Tail>) -> std::sync::MutexGuard<'_, Tail> {
    tail.lock().unwrap_or_else(PoisonError::into_inner)
}
