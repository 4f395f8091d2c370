//! A read-only command reads everything and changes nothing.
//!
//! Each test needs a kernel that can confine. Where it cannot the tests fail rather than pass:
//! that a promise cannot be checked is not that it is kept.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic is how a test fails"
)]

mod proc_support;

use std::{
    collections::BTreeMap,
    fs,
    os::unix::{fs::MetadataExt as _, net::UnixListener},
    path::Path,
};

use acp_agent::proc::{Access, Confinement, Ended, Finished, can_confine};
use proc_support::{finish, sh, token};

async fn read_only(script: &str, cwd: &Path) -> Finished {
    let mut spec = sh(script, &token(), cwd);
    spec.access = Access::ReadOnly;
    finish(spec).await
}

/// A folder with a file, a script and a link, as a workspace may have them.
fn workspace() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "content\n").unwrap();
    fs::create_dir(folder.path().join("sub")).unwrap();
    std::os::unix::fs::symlink("file", folder.path().join("link")).unwrap();
    folder
}

/// All that can be seen of the files in a folder: content, mode, owner, times, links, attributes.
fn state(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(path) = open.pop() {
        let data = fs::symlink_metadata(&path).unwrap();
        let content = match data.file_type() {
            kind if kind.is_dir() => {
                open.extend(
                    fs::read_dir(&path)
                        .unwrap()
                        .map(|entry| entry.unwrap().path()),
                );
                String::new()
            }
            kind if kind.is_file() => fs::read_to_string(&path).unwrap(),
            _ => fs::read_link(&path).unwrap().display().to_string(),
        };
        let seen = format!(
            "{content:?} {:o} {}:{} {} {}.{} {}.{}",
            data.mode(),
            data.uid(),
            data.gid(),
            data.nlink(),
            data.mtime(),
            data.mtime_nsec(),
            // Every change of metadata, attributes too, changes this time.
            data.ctime(),
            data.ctime_nsec(),
        );
        found.insert(path.display().to_string(), seen);
    }
    found
}

/// A script that works with full access fails, and the workspace is as it was.
async fn changes_nothing(script: &str) {
    let folder = workspace();
    let control = finish(sh(script, &token(), folder.path())).await;
    assert_eq!(
        control.ended,
        Ended::Exited(0),
        "{script} proves nothing: it never works here"
    );
    is_refused(script).await;
}

/// The script fails, and the workspace is as it was.
async fn is_refused(script: &str) {
    let folder = workspace();
    let before = state(folder.path());
    let finished = read_only(script, folder.path()).await;
    let text = finished.output.text();
    assert_eq!(state(folder.path()), before, "{script}: {text}");
    assert!(
        finished.confinement.protects_files(),
        "{:?}",
        finished.confinement
    );
    assert_ne!(
        finished.ended,
        Ended::Exited(0),
        "{script} seems to have worked: {text}"
    );
}

#[test]
fn this_kernel_can_confine() {
    assert!(can_confine().protects_files(), "{:?}", can_confine());
}

#[tokio::test]
async fn writing() {
    for script in [
        "echo x > file",
        "echo x >> file",
        "echo x > new",
        "sh -c 'echo x > new'",
        "echo x > link",
        "python3 -c 'open(\"new\", \"w\")'",
        "truncate -s 0 file",
        "python3 -c 'import os; os.truncate(\"file\", 0)'",
        "python3 -c 'import os; os.open(\"file\", os.O_RDONLY | os.O_TRUNC)'",
        "dd if=/dev/zero of=file count=1",
        "tee new < file",
        "cp file new",
        "sed -i s/content/other/ file",
    ] {
        changes_nothing(script).await;
    }
}

#[tokio::test]
async fn making_and_removing() {
    for script in [
        "mkdir new",
        "mkfifo new",
        "ln file new",
        "ln -s file new",
        "mv file new",
        "mv file sub/",
        "rm file",
        "rm -rf sub",
        "rmdir sub",
        "touch new",
    ] {
        changes_nothing(script).await;
    }
}

#[tokio::test]
async fn metadata() {
    for script in [
        "chmod 777 file",
        "chmod +x .",
        "touch file",
        "touch -d 2001-01-01 file",
        "touch -h link",
        "python3 -c 'import os; os.fchmod(os.open(\"file\", os.O_RDONLY), 0)'",
    ] {
        changes_nothing(script).await;
    }
}

/// What needs privileges, or a file system that knows it, and so cannot be seen to work everywhere.
#[tokio::test]
async fn what_few_may_do() {
    for script in [
        "mknod new c 1 3",
        "chown 1:1 file",
        "chown -h 1 link",
        "chattr +d file",
        "python3 -c 'import os; os.setxattr(\"file\", \"user.a\", b\"b\")'",
        "python3 -c 'import os; os.setxattr(\"file\", \"trusted.a\", b\"b\")'",
        "mount -t tmpfs none sub",
        "unshare -Urm mount -t tmpfs none sub",
    ] {
        is_refused(script).await;
    }
}

#[tokio::test]
async fn version_control() {
    let script = "git commit --allow-empty -m x";
    let folder = workspace();
    let author = "git -c user.name=n -c user.email=e@x";
    let prepare = format!("git init -q . && git add -A && {author} commit -qm first");
    assert_eq!(
        finish(sh(&prepare, &token(), folder.path())).await.ended,
        Ended::Exited(0)
    );
    let before = state(&folder.path().join(".git/refs"));
    let change = format!("{author} {}", script.strip_prefix("git ").unwrap());
    assert_ne!(
        read_only(&change, folder.path()).await.ended,
        Ended::Exited(0)
    );
    assert_eq!(state(&folder.path().join(".git/refs")), before);
    // And looking at it works.
    let shown = read_only("git status --short && git log --format=%s", folder.path()).await;
    assert_eq!(
        (shown.ended, shown.output.text().as_str()),
        (Ended::Exited(0), "first\n")
    );
}

#[tokio::test]
async fn asking_another_program_over_a_unix_socket() {
    let folder = workspace();
    let listener = UnixListener::bind(folder.path().join("socket")).unwrap();
    let script = "python3 -c 'import socket; \
                  socket.socket(socket.AF_UNIX).connect(\"socket\")'";
    let finished = read_only(script, folder.path()).await;
    assert!(finished.output.text().contains("Operation not permitted"));
    listener.set_nonblocking(true).unwrap();
    assert!(listener.accept().is_err());
}

#[tokio::test]
async fn signals_to_the_outside() {
    let folder = workspace();
    // The test program itself, which is the parent of the supervisor, and then the supervisor.
    let own = std::process::id();
    let finished = read_only(&format!("kill -0 {own}; kill -0 $PPID"), folder.path()).await;
    if finished.confinement == Confinement::Full {
        assert_ne!(finished.ended, Ended::Exited(0));
        assert_eq!(finished.output.text().matches("not permitted").count(), 2);
    }
}

#[tokio::test]
async fn privileges_cannot_be_gained() {
    let folder = workspace();
    let finished = read_only("grep NoNewPrivs /proc/self/status", folder.path()).await;
    assert_eq!(finished.output.text(), "NoNewPrivs:\t1\n");
}

#[tokio::test]
async fn reading_and_running_work() {
    let folder = workspace();
    let script = "cat file && ls sub && python3 -c 'print(1 + 1)' && echo x > /dev/null \
                  && (echo out | cat) && echo err >&2 && echo again > /dev/stderr";
    let finished = read_only(script, folder.path()).await;
    assert_eq!(finished.output.text(), "content\n2\nout\nerr\nagain\n");
    assert_eq!(finished.ended, Ended::Exited(0));
}

#[tokio::test]
async fn its_temporary_folder_is_private_and_goes_with_it() {
    let folder = workspace();
    let script = r#"f=$(mktemp) && echo x > "$f" && mkdir "$TMPDIR/a" && mv "$f" "$TMPDIR/a/b" \
                    && cat "$TMPDIR/a/b" && stat -c %a "$TMPDIR" && echo "$TMPDIR""#;
    let finished = read_only(script, folder.path()).await;
    let text = finished.output.text();
    let path = text.strip_prefix("x\n700\n").expect(&text).trim_end();
    assert!(!Path::new(path).exists(), "{path} is left");
}

#[tokio::test]
async fn a_cancelled_one_leaves_nothing_either() {
    let folder = workspace();
    let finished = read_only("sleep 120 & echo \"$TMPDIR\"", folder.path()).await;
    assert_eq!(
        (finished.ended, finished.left_behind),
        (Ended::Exited(0), 1)
    );
    assert!(!Path::new(finished.output.text().trim_end()).exists());
}
