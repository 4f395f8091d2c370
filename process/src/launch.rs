//! Starting a supervisor, and giving it its order.
//!
//! It is separate from [`run`](super::run()) because commands and servers start the same way and
//! differ only in their pipes.

use std::{
    os::{
        fd::OwnedFd,
        unix::{net::UnixStream, process::CommandExt as _},
    },
    process::{Command, Stdio},
    time::Duration,
};

use tokio::{
    net::unix::pipe,
    process::{ChildStderr, ChildStdin, ChildStdout},
};

use super::{
    Access, CommandSpec, OPEN_FILES, SpawnError, Supervisor, Tree, can_confine,
    sweep::{self, TreeId},
    tree::NotStarted,
};
use crate::supervise::{Confine, Input, MARKER, Order, SUBCOMMAND};

/// How long a start may take. It takes a millisecond; ten seconds are only ever reached when the
/// working directory or the program lies on a file system that hangs.
const START_DEADLINE: Duration = Duration::from_secs(10);

/// A process tree with pipes to its leader.
#[derive(Debug)]
pub struct Piped {
    /// Closing it is how a well-behaved server is asked to end.
    pub stdin: ChildStdin,
    /// What the leader says.
    pub stdout: ChildStdout,
    /// What it complains about. It must be read, or a full pipe stops the leader.
    pub stderr: ChildStderr,
    /// Its processes.
    pub tree: Tree,
}

/// Starts a command with pipes for all three of its streams, and returns when it runs.
pub async fn start_piped(supervisor: &Supervisor, spec: CommandSpec) -> Result<Piped, SpawnError> {
    let failed = |source| supervisor_failed(supervisor, &spec, source);
    let (reader, writer) = std::io::pipe().map_err(failed)?;
    let stdin = ChildStdin::from_std(OwnedFd::from(writer).into()).map_err(failed)?;
    let streams = Streams {
        input: Input::Pipe(reader.into()),
        stdout: Stdio::piped(),
        stderr: Stdio::piped(),
    };
    let mut tree = launch(supervisor, &spec, streams).await?;
    match tree.take_output() {
        Some((stdout, stderr)) => Ok(Piped {
            stdin,
            stdout,
            stderr,
            tree,
        }),
        None => Err(no_answer(supervisor, &spec, "has no output")),
    }
}

/// A process tree whose leader has an empty input, and one pipe for its output and its complaints.
#[derive(Debug)]
pub struct Merged {
    /// Both, in the order in which they were written. It may stay open when the leader has ended.
    pub output: pipe::Receiver,
    /// Its processes.
    pub tree: Tree,
}

/// Starts a command with one pipe for standard output and standard error, and returns when it runs.
pub async fn start_merged(
    supervisor: &Supervisor,
    spec: &CommandSpec,
) -> Result<Merged, SpawnError> {
    let failed = |source| supervisor_failed(supervisor, spec, source);
    let (reader, writer) = std::io::pipe().map_err(failed)?;
    let output = pipe::Receiver::from_owned_fd(reader.into()).map_err(failed)?;
    let streams = Streams {
        input: Input::Null,
        stdout: OwnedFd::from(writer.try_clone().map_err(failed)?).into(),
        stderr: OwnedFd::from(writer).into(),
    };
    let tree = launch(supervisor, spec, streams).await?;
    Ok(Merged { output, tree })
}

/// The standard streams of a command.
struct Streams {
    input: Input,
    stdout: Stdio,
    stderr: Stdio,
}

/// Starts the command of `spec` below a new supervisor, and returns when it runs.
async fn launch(
    supervisor: &Supervisor,
    spec: &CommandSpec,
    streams: Streams,
) -> Result<Tree, SpawnError> {
    let failed = |source| supervisor_failed(supervisor, spec, source);
    let id = TreeId::next();
    let order = Order {
        confine: match spec.access {
            Access::Full => Confine::No,
            Access::ReadOnly if can_confine().protects_files() => Confine::Must,
            Access::ReadOnly => Confine::AsFarAsPossible,
        },
        input: streams.input,
        open_files: OPEN_FILES.get().copied(),
        grace: supervisor.grace,
        folder: id.folder(),
        cwd: spec.cwd.clone(),
        program: spec.program.clone(),
        args: spec.args.clone(),
    };
    if order.holds_nul() {
        return Err(SpawnError::Nul {
            program: spec.program.clone(),
        });
    }

    let (ours, theirs) = UnixStream::pair().map_err(failed)?;
    let mut command = Command::new(&supervisor.program);
    command
        .arg0("acp-supervisor")
        .arg(SUBCOMMAND)
        .env_clear()
        .envs(spec.env.iter().map(|(name, value)| (name, value)))
        .env(MARKER, id.to_string())
        .stdin(OwnedFd::from(theirs))
        .stdout(streams.stdout)
        .stderr(streams.stderr);
    let child = sweep::spawn(command, &id).map_err(failed)?;
    let body = order.send_head(&ours).map_err(failed)?;
    // From here on, dropping the tree closes the socket, which ends the supervisor.
    let mut tree = Tree::new(child, id, ours, supervisor.grace).map_err(failed)?;
    match tokio::time::timeout(START_DEADLINE, tree.start(&body)).await {
        Ok(Ok(())) => Ok(tree),
        Ok(Err(cause)) => {
            tree.reap().await;
            Err(match cause {
                NotStarted::Failed(failure) => SpawnError::from_report(spec, failure),
                NotStarted::Lost => no_answer(supervisor, spec, "ended before the command started"),
            })
        }
        Err(_) => Err(no_answer(supervisor, spec, "did not answer in time")),
    }
}

fn supervisor_failed(
    supervisor: &Supervisor,
    spec: &CommandSpec,
    source: std::io::Error,
) -> SpawnError {
    SpawnError::Supervisor {
        program: spec.program.clone(),
        supervisor: supervisor.program.clone(),
        source,
    }
}

fn no_answer(supervisor: &Supervisor, spec: &CommandSpec, what: &'static str) -> SpawnError {
    SpawnError::NoAnswer {
        program: spec.program.clone(),
        supervisor: supervisor.program.clone(),
        what,
    }
}
