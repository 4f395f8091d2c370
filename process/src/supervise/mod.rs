//! The supervisor: the small process that stands between the owner and every process it starts.
//!
//! It is the same program, started with the hidden subcommand `supervise`, and it is separate from
//! the owner because it must still be there when the owner is not: even after a SIGKILL of the
//! owner, no process that the owner started may be left.
//!
//! How it works, in the order in which it happens:
//!
//! 1. Its standard input is the *control socket*. On it come the `Order` (what to start), later
//!    a `Request` (end it), and back go the `Report`s. Nothing of the command stands in the
//!    supervisor's own arguments, so that a `pkill -f` for the command cannot hit the supervisor.
//! 2. It makes itself a session of its own, without a terminal, and a child subreaper: a process
//!    below it that loses its parent becomes its child, whatever `setsid` or double fork it made.
//!    So "no child is left" (`ECHILD`) means "no descendant is left".
//! 3. It starts the command, its *leader*, in a process group of its own; see `leader.rs`.
//! 4. It waits for what ends the tree; see `watch.rs`. The end of the owner is the end of the
//!    control socket, which the kernel closes whatever the owner dies of.
//!
//! Must stay true:
//!
//! - It exits only when no descendant is left.
//! - It stays small and fast to start: no runtime, no logging, no argument parser.
//! - All children are its own, so it may wait for any of them. The owner may not: see the crate's page.
//!
//! It does not use `PR_SET_PDEATHSIG`: that signal follows the *thread* that started the process,
//! and threads of an async runtime may end while the owner lives. The socket has no such trap.
//!
//! Man pages: prctl(2) `PR_SET_CHILD_SUBREAPER`, setsid(2), waitpid(2).

mod confine;
mod confinement;
mod filter;
mod leader;
mod order;
mod report;
mod signals;
pub(crate) mod tree;
mod watch;

use std::{
    fs,
    io::{self, IsTerminal as _, Write as _},
    os::{fd::AsFd as _, unix::net::UnixStream},
    process::ExitCode,
};

use nix::sys::prctl;
use signals::Signals;

pub(crate) use confine::probe;
pub use confinement::Confinement;
pub use order::Access;
pub(crate) use order::{Confine, Input, Order};
pub(crate) use report::{Failure, Report, Request, Stage};
pub(crate) use watch::GRACE;
#[cfg(test)]
pub(crate) use watch::LINGER;

/// The name of the hidden subcommand.
pub const SUBCOMMAND: &str = "supervise";

/// The environment variable that marks every process of a tree. Its value is the tree's id, so a
/// process whose supervisor was killed can still be attributed.
pub const MARKER: &str = "ACP_AGENT_TREE";

/// Everything that the subcommand does, from the order on standard input to the end of the tree.
///
/// The exit status says only whether the supervisor could do its work; how the command ended is
/// told on the control socket.
pub fn main() -> ExitCode {
    match supervise() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // It stands where the command's own complaints would stand. Nobody may hear it.
            let _ = writeln!(io::stderr(), "supervisor: {error}");
            ExitCode::FAILURE
        }
    }
}

fn supervise() -> io::Result<()> {
    close_inherited()?;
    let stdin = io::stdin();
    if stdin.is_terminal() {
        return Err(io::Error::other("a program starts this, not a person"));
    }
    // The copy is closed on exec, and the leader's standard input replaces the original.
    let control = UnixStream::from(stdin.as_fd().try_clone_to_owned()?);
    let signals = Signals::take_over()?;
    prctl::set_child_subreaper(true)?;
    // Fails only for a group leader, which a freshly started child of the owner is not.
    nix::unistd::setsid()?;
    // A label for `ps`; nothing depends on it.
    let _ = prctl::set_name(c"acp-supervisor");

    let order = Order::receive(&control)?;
    control.set_nonblocking(true)?;
    let grace = order.grace;
    let leader = match leader::start(order, &control) {
        Ok(leader) => leader,
        Err(failure) => return Report::Failed(failure).send(&control),
    };
    let left_behind = watch::until_gone(leader.pid, grace, &control, &signals);
    // Its temporary folder is gone before the owner hears that the tree is.
    drop(leader);
    Report::Gone { left_behind }.send(&control)
}

/// Closes what the owner was itself started with by a careless launcher, and every process would
/// keep: only the three standard streams are meant for the supervisor and its command.
fn close_inherited() -> io::Result<()> {
    let open: Vec<i32> = fs::read_dir("/proc/self/fd")?
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|fd| *fd > STDERR)
        .collect();
    for fd in open {
        // The one through which the list was read is closed already. Nothing else is ours yet.
        let _ = nix::unistd::close(fd);
    }
    Ok(())
}

/// The last of the standard streams.
const STDERR: i32 = 2;
