//! The system calls that a read-only command may not make, because Landlock does not see them.
//!
//! It is a list of what is refused, not of what is allowed: everything that opens, makes, removes
//! or renames a file is left to Landlock, which knows the path. A refused call fails with `EPERM`.
//!
//! Must stay true: a call that changes a file without opening it for writing stands here, or is
//! covered by Landlock.
//!
//! Man pages: seccomp(2), syscalls(2), ioctl_fs(2).

use std::collections::BTreeMap;

use nix::libc;
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen::Dword, SeccompCmpOp,
    SeccompCondition, SeccompFilter, SeccompRule,
};

/// Mode, owner, times and extended attributes. Newer calls are given by number, which is the same
/// on every architecture, because the C library's headers lag behind.
const METADATA: &[i64] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    SETXATTRAT,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    REMOVEXATTRAT,
    FILE_SETATTR,
];
const FCHMODAT2: i64 = 452;
const SETXATTRAT: i64 = 463;
const REMOVEXATTRAT: i64 = 466;
const FILE_SETATTR: i64 = 469;

/// The older forms of the same, which only this architecture still has.
#[cfg(target_arch = "x86_64")]
const OLDER_METADATA: &[i64] = &[
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
];
#[cfg(not(target_arch = "x86_64"))]
const OLDER_METADATA: &[i64] = &[];

/// Calls that do the work of others past this filter, and what only an administrator may do to the
/// machine as a whole: commands in a container often run as root.
const WAYS_AROUND: &[i64] = &[
    libc::SYS_io_uring_setup,
    libc::SYS_bpf,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
];

/// Families of ioctl requests (bits 8 to 15) that change a file which is only open for reading:
/// attributes and verity (`f`), attributes, freeze and trim (`X`), FAT attributes (`r`), Btrfs and
/// clones (0x94), F2FS (0xf5). Asking for attributes falls with them; nothing depends on that.
const FILE_IOCTLS: [u64; 5] = [b'f' as u64, b'X' as u64, b'r' as u64, 0x94, 0xf5];

/// On x86-64 each call exists a second time, for programs with 32-bit pointers, with this bit set
/// in its number; ioctl has a number of its own there.
#[cfg(target_arch = "x86_64")]
const X32: Option<(i64, i64)> = Some((0x4000_0000, 0x4000_0000 | 514));
#[cfg(not(target_arch = "x86_64"))]
const X32: Option<(i64, i64)> = None;

/// Applies the filter to the calling thread, and everything that it will start. It also sets
/// `no_new_privs`, which the kernel demands.
pub(super) fn apply() -> Result<(), seccompiler::Error> {
    seccompiler::apply_filter(&program()?)
}

fn program() -> Result<BpfProgram, BackendError> {
    let mut rules = BTreeMap::new();
    for call in METADATA.iter().chain(OLDER_METADATA).chain(WAYS_AROUND) {
        // No rule means: whatever the arguments are.
        refuse(&mut rules, *call, Vec::new());
    }
    let families = FILE_IOCTLS.map(|family| {
        SeccompRule::new(vec![argument(
            1,
            SeccompCmpOp::MaskedEq(0xff00),
            family << 8,
        )?])
    });
    let families: Vec<SeccompRule> = families.into_iter().collect::<Result<_, _>>()?;
    if let Some((_, ioctl)) = X32 {
        rules.insert(ioctl, families.clone());
    }
    rules.insert(libc::SYS_ioctl, families);

    // A socket is made for a family; a pair of datagram sockets could be connected anew.
    let unix = || argument(0, SeccompCmpOp::Eq, libc::AF_UNIX as u64);
    let datagram = argument(1, SeccompCmpOp::MaskedEq(0xf), libc::SOCK_DGRAM as u64)?;
    refuse(
        &mut rules,
        libc::SYS_socket,
        vec![SeccompRule::new(vec![unix()?])?],
    );
    refuse(
        &mut rules,
        libc::SYS_socketpair,
        vec![SeccompRule::new(vec![unix()?, datagram])?],
    );

    SeccompFilter::new(
        rules,
        SeccompAction::Allow,
        SeccompAction::Errno(libc::EPERM as u32),
        std::env::consts::ARCH.try_into()?,
    )?
    .try_into()
}

fn refuse(rules: &mut BTreeMap<i64, Vec<SeccompRule>>, call: i64, when: Vec<SeccompRule>) {
    if let Some((bit, _)) = X32 {
        rules.insert(call | bit, when.clone());
    }
    rules.insert(call, when);
}

fn argument(
    index: u8,
    compare: SeccompCmpOp,
    value: u64,
) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(index, Dword, compare, value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filter_compiles_and_is_short_enough_for_the_kernel() {
        assert!(program().unwrap().len() < 4096);
    }
}
