//! A command whose processes can be seen to run and to be gone, without a look at `/proc`.
//!
//! Each of its processes holds the writing end of a named pipe and says its process id through it.
//! The bench holds the reading end: a process id means "this one runs", and the end of the pipe is
//! the moment in which the last of them is gone, told by the kernel and whoever killed it.
//!
//! Man pages: fifo(7), pipe(7).

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read},
    os::{
        fd::{AsFd, BorrowedFd},
        unix::fs::OpenOptionsExt,
    },
    path::{Path, PathBuf},
};

use nix::{
    fcntl::OFlag,
    sys::{
        signal::{Signal, kill},
        stat::Mode,
    },
    unistd::{Pid, mkfifo},
};

use crate::{fault::Fault, machine};

/// How the processes of a command behave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// One process, which ends when it is asked to.
    Sleep,
    /// A shell, a child of it, and a child that left the process group and the session.
    Tree,
    /// One process that ignores every signal that it can ignore.
    Stubborn,
}

impl Shape {
    /// What runs, for people.
    pub fn name(self) -> &'static str {
        match self {
            Shape::Sleep => "sleep 120 runs",
            Shape::Tree => "process tree runs",
            Shape::Stubborn => "command ignores TERM",
        }
    }

    /// How many processes say that they run.
    fn processes(self) -> usize {
        match self {
            Shape::Sleep | Shape::Stubborn => 1,
            Shape::Tree => 3,
        }
    }

    /// The shell script, with descriptor 9 as the pipe.
    fn script(self) -> &'static str {
        match self {
            Shape::Sleep => "echo $$ >&9\nexec sleep 120\n",
            Shape::Tree => {
                "setsid sh -c 'echo $$ >&9; exec sleep 120' &\n\
                 sh -c 'echo $$ >&9; exec sleep 120' &\n\
                 echo $$ >&9\nwait\n"
            }
            Shape::Stubborn => "trap '' HUP INT QUIT TERM\necho $$ >&9\nexec sleep 120\n",
        }
    }
}

/// A command that is about to run, runs, or ran.
#[derive(Debug)]
pub struct Tree {
    shape: Shape,
    script: PathBuf,
    pipe: File,
    said: Vec<u8>,
    ended: bool,
}

impl Tree {
    /// Writes the script and makes the pipe, in `folder`.
    ///
    /// # Errors
    /// The folder does not take them.
    pub fn new(folder: &Path, shape: Shape) -> Result<Self, Fault> {
        let (script, fifo) = (folder.join("command.sh"), folder.join("alive"));
        let make = || -> io::Result<File> {
            // What is left of the command before: its end may still show at the old pipe.
            let _ = fs::remove_file(&fifo);
            mkfifo(&fifo, Mode::S_IRUSR | Mode::S_IWUSR)?;
            fs::write(
                &script,
                format!("exec 9>'{}'\n{}", fifo.display(), shape.script()),
            )?;
            let flags = OFlag::O_NONBLOCK.bits();
            OpenOptions::new()
                .read(true)
                .custom_flags(flags)
                .open(&fifo)
        };
        let pipe = make().map_err(Fault::machine("making a command to run"))?;
        Ok(Self {
            shape,
            script,
            pipe,
            said: Vec::new(),
            ended: false,
        })
    }

    /// What to run in a shell.
    pub fn command(&self) -> String {
        format!("sh {}", self.script.display())
    }

    /// Readable when there is news of the command.
    pub fn news(&self) -> BorrowedFd<'_> {
        self.pipe.as_fd()
    }

    /// Takes the news. Returns whether all of its processes run.
    ///
    /// # Errors
    /// The pipe cannot be read.
    pub fn runs(&mut self) -> Result<bool, Fault> {
        self.read()?;
        Ok(self.pids().count() == self.shape.processes())
    }

    /// Whether all of its processes are gone, now.
    ///
    /// # Errors
    /// The pipe cannot be read.
    pub fn is_gone(&mut self) -> Result<bool, Fault> {
        self.read()?;
        Ok(self.ended)
    }

    fn read(&mut self) -> Result<(), Fault> {
        let mut bytes = [0; 256];
        while !self.ended {
            match self.pipe.read(&mut bytes) {
                // Before the first writer came, a pipe looks just as it does at its end.
                Ok(0) if self.said.is_empty() => break,
                Ok(0) => self.ended = true,
                Ok(read) => self.said.extend(&bytes[..read]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(Fault::machine("reading news of a command")(error)),
            }
        }
        Ok(())
    }

    /// The processes that have said that they run.
    fn pids(&self) -> impl Iterator<Item = Pid> {
        let said = String::from_utf8_lossy(&self.said).into_owned();
        let whole = said.rfind('\n').map_or(0, |end| end + 1);
        let pids: Vec<_> = said[..whole]
            .lines()
            .filter_map(|pid| pid.parse().ok())
            .collect();
        pids.into_iter().map(Pid::from_raw)
    }
}

impl Drop for Tree {
    /// Ends what a contender left running.
    fn drop(&mut self) {
        if matches!(self.is_gone(), Ok(true)) {
            return;
        }
        for pid in self.pids().filter(|pid| machine::is_alive(*pid)) {
            let _ = kill(pid, Signal::SIGKILL);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        process::{Command, Stdio},
        time::{Duration, Instant},
    };

    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

    use super::*;

    fn wait_for_news(tree: &Tree) {
        let mut fds = [PollFd::new(tree.news(), PollFlags::POLLIN)];
        assert_eq!(poll(&mut fds, PollTimeout::from(5000u16)), Ok(1), "no news");
    }

    #[test]
    fn a_command_is_seen_to_run_and_to_be_gone() {
        for shape in [Shape::Sleep, Shape::Tree, Shape::Stubborn] {
            let folder = tempfile::tempdir().unwrap();
            let mut tree = Tree::new(folder.path(), shape).unwrap();
            assert!(!tree.runs().unwrap() && !tree.is_gone().unwrap());
            let mut shell = Command::new("sh")
                .args(["-c", &tree.command()])
                .stdin(Stdio::null())
                .spawn()
                .unwrap();
            while !tree.runs().unwrap() {
                wait_for_news(&tree);
            }
            let pids: Vec<_> = tree.pids().collect();
            assert!(pids.iter().all(|pid| machine::is_alive(*pid)), "{shape:?}");
            for (dead, pid) in pids.iter().enumerate() {
                assert!(
                    !tree.is_gone().unwrap(),
                    "{shape:?}: {dead} of {} dead",
                    pids.len()
                );
                kill(*pid, Signal::SIGKILL).unwrap();
            }
            let deadline = Instant::now() + Duration::from_secs(5);
            while !tree.is_gone().unwrap() {
                assert!(Instant::now() < deadline, "{shape:?}");
                wait_for_news(&tree);
            }
            shell.wait().unwrap();
        }
    }
}
