//! Starting the command itself.
//!
//! A read-only command is started from a short-lived thread that has confined itself: Landlock
//! domains and seccomp filters belong to a thread and are inherited by what it starts. So the
//! supervisor stays free, which matters twice: a confined command cannot send a signal to it, and
//! it can remove the temporary folder.

use std::{
    fs, io,
    os::unix::{fs::DirBuilderExt as _, net::UnixStream, process::CommandExt as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
};

use nix::{
    errno::Errno,
    sys::resource::{Resource, getrlimit, setrlimit},
    unistd::{Pid, dup2_stderr, dup2_stdin, dup2_stdout},
};

use super::{Confine, Failure, Input, Order, Report, Stage, confine};

/// The command that was started.
pub(super) struct Leader {
    pub(super) pid: Pid,
    /// Removed with this value, when nobody uses it any more.
    _folder: Option<TemporaryFolder>,
}

/// Starts the command of the order, and reports that it runs.
pub(super) fn start(order: Order, control: &UnixStream) -> Result<Leader, Failure> {
    std::env::set_current_dir(&order.cwd).map_err(at(Stage::Directory))?;
    if let Some(limit) = order.open_files {
        restore_open_files(limit);
    }
    let mut command = Command::new(&order.program);
    command
        .args(&order.args)
        .process_group(0)
        .stdin(match order.input {
            Input::Null => Stdio::null(),
            Input::Pipe(fd) => fd.into(),
        });
    let (child, folder) = match order.confine {
        Confine::No => (command.spawn().map_err(at(Stage::Program))?, None),
        strictness => {
            let folder = TemporaryFolder::make(order.folder).map_err(at(Stage::TemporaryFolder))?;
            command.env("TMPDIR", &folder.0);
            let child = start_confined(&mut command, &folder.0, strictness, control)?;
            (child, Some(folder))
        }
    };
    let_go_of_output();
    let pid = Pid::from_raw(child.id().cast_signed());
    // An owner that is already gone is seen by the loop that follows.
    let _ = Report::Started(pid.as_raw()).send(control);
    Ok(Leader {
        pid,
        _folder: folder,
    })
}

/// Confines a thread, and starts the command from it.
fn start_confined(
    command: &mut Command,
    folder: &Path,
    strictness: Confine,
    control: &UnixStream,
) -> Result<Child, Failure> {
    let start = || {
        let confinement = confine::this_thread(Some(folder));
        if strictness == Confine::Must && !confinement.protects_files() {
            return Err(failure(Stage::Confinement, Errno::EPERM));
        }
        let _ = Report::Confined(confinement).send(control);
        command.spawn().map_err(at(Stage::Program))
    };
    thread::scope(|scope| {
        let thread = thread::Builder::new()
            .spawn_scoped(scope, start)
            .map_err(at(Stage::Confinement))?;
        thread
            .join()
            .unwrap_or(Err(failure(Stage::Confinement, Errno::EIO)))
    })
}

/// Gives the command the soft limit that the owner had before it raised its own: programs that use
/// select(2), or close every possible descriptor, break or crawl with a large one.
fn restore_open_files(soft: u64) {
    // Best effort: lowering a soft limit cannot fail, and a limit is no reason not to start.
    if let Ok((_, hard)) = getrlimit(Resource::RLIMIT_NOFILE) {
        let _ = setrlimit(Resource::RLIMIT_NOFILE, soft.min(hard), hard);
    }
}

/// Points the supervisor's own input and output to `/dev/null`, so that only the command holds its
/// pipes: when it closes its output the owner sees the end, and not the supervisor's copy.
fn let_go_of_output() {
    // Without `/dev/null` the pipes end with the supervisor, which is only later.
    if let Ok(null) = fs::File::options().read(true).write(true).open("/dev/null") {
        let _ = dup2_stdin(&null);
        let _ = dup2_stdout(&null);
        let _ = dup2_stderr(&null);
    }
}

/// The private folder of a read-only command.
struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    /// Fails if it is there already: it would be somebody else's.
    fn make(path: PathBuf) -> io::Result<Self> {
        fs::DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self(path))
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // What cannot be removed lies where the system cleans up temporary files.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn at(stage: Stage) -> impl Fn(io::Error) -> Failure {
    // Errors without a number come from `Command` itself, for input it cannot pass on.
    move |error| Failure {
        stage,
        errno: error.raw_os_error().unwrap_or(Errno::EINVAL as i32),
    }
}

const fn failure(stage: Stage, errno: Errno) -> Failure {
    Failure {
        stage,
        errno: errno as i32,
    }
}
