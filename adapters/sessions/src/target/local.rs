//! This machine as a target: a command is simply started.
//!
//! The command runs below a supervisor, which ends everything below it when the command has ended,
//! when it is told to, or when the daemon has ended, however it did. So there is nothing to find
//! again after a restart but folders.

use std::{
    ffi::OsString,
    fs,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
};

use process_tree::{Access, CommandSpec, Supervisor, base_environment, start_piped};

use super::{Ground, Process, TargetCommand, TargetError};

/// Makes the folder of a session, or finds its project. Answers its root.
pub(super) fn provision(ground: &Ground) -> Result<PathBuf, TargetError> {
    let root = ground.root();
    if matches!(ground, Ground::Managed(_)) {
        let mut builder = fs::DirBuilder::new();
        // What stands in a session's files is nobody else's business.
        builder.recursive(true).mode(0o700);
        builder.create(&root).map_err(failed(&root, "made"))?;
    }
    find(&root)
}

/// The directory, if it is there.
pub(super) fn find(root: &Path) -> Result<PathBuf, TargetError> {
    let failed = failed(root, "entered");
    match fs::metadata(root) {
        Ok(found) if found.is_dir() => Ok(root.to_path_buf()),
        Ok(_) => Err(failed(std::io::ErrorKind::NotADirectory.into())),
        Err(error) => Err(failed(error)),
    }
}

/// Removes what was made. Its processes are gone: each handle ends its own.
pub(super) async fn release(ground: &Ground, keep_project: bool) -> Result<(), TargetError> {
    let Ground::Managed(folder) = ground else {
        return Ok(());
    };
    if keep_project {
        return Ok(());
    }
    match tokio::fs::remove_dir_all(folder).await {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(failed(folder, "removed")(error))
        }
        _ => Ok(()),
    }
}

/// Starts the command.
pub(super) async fn spawn(
    supervisor: &Supervisor,
    root: &Path,
    command: &TargetCommand,
) -> Result<Process, TargetError> {
    let mut env = base_environment(&[]);
    for (name, value) in &command.env {
        env.retain(|(present, _)| present != name);
        env.push((name.clone(), value.clone()));
    }
    let cwd = command.cwd.as_deref().unwrap_or(root);
    let spec = spec(command.argv.clone(), cwd, env);
    Ok(Process::new(start_piped(supervisor, spec).await?, None))
}

/// How a process of this machine is started.
pub(super) fn spec(
    argv: impl IntoIterator<Item = OsString>,
    cwd: &Path,
    env: Vec<(OsString, OsString)>,
) -> CommandSpec {
    let mut words = argv.into_iter();
    CommandSpec {
        program: words.next().unwrap_or_default(),
        args: words.collect(),
        cwd: cwd.to_path_buf(),
        env,
        access: Access::Full,
    }
}

pub(super) fn failed(
    path: &Path,
    what: &'static str,
) -> impl FnOnce(std::io::Error) -> TargetError {
    let path = path.to_path_buf();
    move |source| TargetError::File { path, what, source }
}
