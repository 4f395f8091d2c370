//! The real daemon behind a scene, with a harness that does what its prompts say.

use std::{path::Path, process::Output, thread, time::Instant};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};

use super::{DEADLINE, Scene};

/// Ends the daemon of a scene, if there is one, and waits until it is gone.
pub struct EndDaemon<'a>(pub &'a Scene);

impl Drop for EndDaemon<'_> {
    fn drop(&mut self) {
        for pid in daemons(&self.0.data()) {
            let _ = kill(Pid::from_raw(pid), Signal::SIGTERM);
        }
        let deadline = Instant::now() + DEADLINE;
        while !daemons(&self.0.data()).is_empty() && Instant::now() < deadline {
            thread::sleep(std::time::Duration::from_millis(10));
        }
        for pid in daemons(&self.0.data()) {
            let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
        }
    }
}

/// The daemons that serve this data directory.
pub fn daemons(data: &Path) -> Vec<i32> {
    let wanted = format!("ACP_SESSIONS_DATA_DIR={}", data.display());
    let is_daemon = |pid: &i32| {
        let read = |what: &str| std::fs::read(format!("/proc/{pid}/{what}")).unwrap_or_default();
        let has = |bytes: &[u8], word: &str| {
            bytes
                .split(|byte| *byte == 0)
                .any(|part| part == word.as_bytes())
        };
        has(&read("cmdline"), "daemon-run") && has(&read("environ"), &wanted)
    };
    let entries = std::fs::read_dir("/proc").unwrap();
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    pids.filter(is_daemon).collect()
}

impl Scene {
    /// Makes the harness that does what its prompts say the default one.
    pub fn scripted_harness(&self) {
        let config = format!(
            "[defaults]\nprofile = \"scripted\"\n[profiles.scripted]\ncommand = [{:?}]\n",
            env!("CARGO_BIN_EXE_scripted-harness")
        );
        std::fs::write(self.config().join("config.toml"), config).unwrap();
    }

    /// Runs a command to its end.
    pub fn run(&self, args: &[&str]) -> Ran {
        let Output {
            status,
            stdout,
            stderr,
        } = self.command(args).output().unwrap();
        Ran {
            args: format!("{args:?}"),
            status: status.code().unwrap(),
            stdout: String::from_utf8(stdout).unwrap(),
            stderr: String::from_utf8(stderr).unwrap(),
        }
    }
}

/// A command that has ended.
pub struct Ran {
    args: String,
    status: i32,
    stdout: String,
    stderr: String,
}

impl Ran {
    /// What it printed; it did what it should.
    #[track_caller]
    pub fn done(self) -> String {
        let Self {
            args,
            status,
            stdout,
            stderr,
        } = self;
        assert_eq!(status, 0, "{args}: stdout: {stdout} stderr: {stderr}");
        stdout
    }

    /// What it said on stderr; it failed.
    #[track_caller]
    pub fn failed(self) -> String {
        let Self {
            args,
            status,
            stdout,
            stderr,
        } = self;
        assert_eq!(status, 1, "{args}: stdout: {stdout} stderr: {stderr}");
        stderr
    }
}
