//! The agent as a program: started, killed, awaited.
//!
//! It is apart from the client because some tests speak to the pipes themselves: one byte at a
//! time, or not at all.
//!
//! Must stay true: an agent that is dropped is killed and reaped.

use std::{
    ffi::OsString,
    io::{self, Read},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};

use crate::{
    figures::Figures,
    finding::{Finding, Found},
    processes::VARIABLE,
};

/// How much of the end of stderr is kept, in bytes.
const STDERR_KEPT: usize = 16 * 1024;

/// How often to look whether the program has ended.
const LOOK_AGAIN: Duration = Duration::from_millis(2);

/// How to start an agent.
#[derive(Debug, Clone)]
pub struct Setup {
    /// The command line that starts it in ACP mode.
    pub command: Vec<OsString>,
    /// Further arguments.
    pub args: Vec<OsString>,
    /// The mark that it and everything below it carries in the environment.
    pub mark: String,
    /// Its working directory.
    pub cwd: PathBuf,
    /// Whether its stderr is read. When it is not, a pipe fills up behind it.
    pub read_stderr: bool,
}

impl Setup {
    /// The reference agent at this path, which keeps its sessions in `state` and asks nothing.
    #[must_use]
    pub fn reference(program: &Path, state: &Path, mark: &str) -> Self {
        let args = ["--state-dir".into(), state.into()].into_iter();
        let free = ["--mode", "full-access", "--pass-env", VARIABLE];
        Self {
            command: vec![program.into(), "--acp".into()],
            args: args.chain(free.map(Into::into)).collect(),
            mark: mark.to_owned(),
            cwd: state.to_owned(),
            read_stderr: true,
        }
    }
}

/// A running agent.
#[derive(Debug)]
pub struct Program {
    child: Child,
    stderr: Arc<Mutex<Vec<u8>>>,
}

impl Program {
    /// Starts it in a process group of its own, with pipes for its three streams.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start(setup: &Setup) -> Found<(Self, ChildStdin, ChildStdout)> {
        let failed = || Finding::cannot("start the agent");
        let (program, first) = setup
            .command
            .split_first()
            .ok_or_else(|| Finding("there is no command to start the agent with".to_owned()))?;
        let mut child = Command::new(program)
            .args(first)
            .args(&setup.args)
            .current_dir(&setup.cwd)
            .env(VARIABLE, &setup.mark)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(failed())?;
        let missing = || failed()(io::Error::other("it has no pipes"));
        let stdin = child.stdin.take().ok_or_else(missing)?;
        let stdout = child.stdout.take().ok_or_else(missing)?;
        let stderr = Arc::default();
        if setup.read_stderr {
            let pipe = child.stderr.take().ok_or_else(missing)?;
            let kept = Arc::clone(&stderr);
            thread::spawn(move || keep_the_end(pipe, &kept));
        }
        Ok((Self { child, stderr }, stdin, stdout))
    }

    /// Its process id.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// What it takes now; nothing when it has ended.
    #[must_use]
    pub fn figures(&self) -> Option<Figures> {
        Figures::of(self.id())
    }

    /// The end of what it wrote to stderr.
    #[must_use]
    pub fn stderr(&self) -> String {
        let kept = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&kept).into_owned()
    }

    /// Sends a signal to it.
    ///
    /// # Errors
    /// It is not there any more.
    pub fn signal(&self, signal: Signal) -> Found<()> {
        kill(Pid::from_raw(self.id().cast_signed()), signal)
            .map_err(|errno| Finding::cannot("signal the agent")(errno.into()))
    }

    /// Ends it with SIGKILL.
    ///
    /// # Errors
    /// It cannot be killed or reaped.
    pub fn kill(&mut self) -> Found<()> {
        self.child
            .kill()
            .and_then(|()| self.child.wait())
            .map(drop)
            .map_err(Finding::cannot("kill the agent"))
    }

    /// How it has ended, if it has.
    ///
    /// # Errors
    /// It cannot be asked for.
    pub fn ended(&mut self) -> Found<Option<ExitStatus>> {
        self.child
            .try_wait()
            .map_err(Finding::cannot("wait for the agent"))
    }

    /// Waits for its end. Says how it ended and how long that took.
    ///
    /// # Errors
    /// It still runs at the deadline.
    pub fn wait(&mut self, deadline: Duration) -> Found<(ExitStatus, Duration)> {
        let begin = Instant::now();
        loop {
            if let Some(status) = self.ended()? {
                return Ok((status, begin.elapsed()));
            }
            if begin.elapsed() > deadline {
                return Err(Finding(format!(
                    "the agent has not ended within {deadline:?}; its stderr ends with {:?}",
                    self.stderr()
                )));
            }
            thread::sleep(LOOK_AGAIN);
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // One that has ended was reaped, and kill knows that.
        let _ = self.kill();
    }
}

fn keep_the_end(mut pipe: impl Read, kept: &Mutex<Vec<u8>>) {
    let mut piece = [0; 4096];
    while let Ok(count @ 1..) = pipe.read(&mut piece) {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(&piece[..count]);
        let over = kept.len().saturating_sub(STDERR_KEPT);
        kept.drain(..over);
    }
}
