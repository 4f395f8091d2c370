//! Making a command read-only: the file system by Landlock, the rest by a system call filter.
//!
//! What holds for a read-only command and all that it starts:
//!
//! - Every file may be read and executed. None may be written, made, removed, renamed, linked or
//!   truncated, but in one private temporary folder (`TMPDIR`), and `/dev/null`, `/dev/zero` and
//!   `/dev/full`.
//! - No metadata of any file may be changed, in the temporary folder neither: Landlock does not
//!   know mode, owner, times and attributes, and a filter cannot see which file is meant. See
//!   [`filter`]. (`touch` and `cp -p` therefore complain.)
//! - No privilege can be gained by a set-user-id program (`no_new_privs`).
//! - No connection to another program over a Unix socket, so nobody can be asked to write instead:
//!   no container daemon, no desktop bus, no terminal multiplexer, no agent for keys.
//! - No signal to a process outside (from Linux 6.12 on).
//!
//! What it does not do, and plan mode therefore still asks for permission:
//!
//! - The network is open: a server that listens on a TCP port can be asked to change something,
//!   and what can be read can be sent away.
//! - It protects files, not secrets, and not the machine's time, memory or process limits.
//! - Programs of another architecture (32 bit) are killed rather than filtered.
//!
//! A private mount namespace would also cover metadata, but needs privileges that containers and
//! hardened systems do not give; these two work for everyone who may start a process.
//!
//! Man pages: landlock(7), seccomp(2).

use std::{error::Error, path::Path, thread};

use landlock::{
    ABI, Access as _, AccessFs, CompatLevel, Compatible as _, LandlockStatus, PathBeneath, PathFd,
    RestrictionStatus, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _, RulesetStatus, Scope,
};

use super::{Confinement, filter};

/// Without the rights of this version files can be truncated, or moved between folders.
const NEEDED: ABI = ABI::V3;

/// The newest version whose rights are asked for: devices (5) and signals (6). Those that follow
/// are about logging, or about sockets, which the filter covers on every kernel.
const WANTED: ABI = ABI::V6;

/// The devices that swallow what is written.
const SINKS: [&str; 3] = ["/dev/null", "/dev/zero", "/dev/full"];

/// Finds out how far this kernel can confine. It tries it on a thread that then ends, because that
/// is the only answer that counts: a container may allow the question and forbid the deed.
pub(crate) fn probe() -> Confinement {
    let failed = || Confinement::None("cannot start a thread to try it".to_owned());
    match thread::Builder::new().spawn(|| this_thread(None)) {
        Ok(thread) => thread.join().unwrap_or_else(|_| failed()),
        Err(_) => failed(),
    }
}

/// Confines the calling thread, and everything that it will start, for ever.
pub(super) fn this_thread(temporary_folder: Option<&Path>) -> Confinement {
    let status = match restrict_files(temporary_folder) {
        Ok(status) => status,
        Err(error) => return Confinement::None(format!("Landlock: {error}")),
    };
    if let Err(error) = filter::apply() {
        return Confinement::None(format!("seccomp: {error}"));
    }
    match (status.ruleset, status.landlock) {
        (RulesetStatus::FullyEnforced, _) => Confinement::Full,
        (RulesetStatus::PartiallyEnforced, LandlockStatus::Available { effective_abi, .. }) => {
            Confinement::Partial(missing(effective_abi).to_owned())
        }
        _ => Confinement::None("this kernel has no Landlock".to_owned()),
    }
}

/// What a kernel before [`WANTED`] lets a read-only command do.
fn missing(abi: ABI) -> &'static str {
    if abi < ABI::V5 {
        "it may send signals to other processes, and control devices it may read"
    } else {
        "it may send signals to other processes"
    }
}

/// The error is only ever shown.
fn restrict_files(temporary_folder: Option<&Path>) -> Result<RestrictionStatus, Box<dyn Error>> {
    let everything = AccessFs::from_all(WANTED);
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(NEEDED))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(everything)?
        .scope(Scope::from_all(WANTED))?
        .create()?
        .add_rule(PathBeneath::new(
            PathFd::new("/")?,
            AccessFs::from_read(WANTED),
        ))?;
    for sink in SINKS {
        // A container may lack one, and then needs no rule for it.
        if let Ok(sink) = PathFd::new(sink) {
            rules = rules.add_rule(PathBeneath::new(sink, AccessFs::from_file(WANTED)))?;
        }
    }
    if let Some(folder) = temporary_folder {
        rules = rules.add_rule(PathBeneath::new(PathFd::new(folder)?, everything))?;
    }
    Ok(rules.restrict_self()?)
}
