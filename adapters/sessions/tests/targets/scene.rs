//! What the tests stand on: a folder of their own, and looks at processes.

use std::{
    path::PathBuf,
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use acp_sessions::{
    api::SessionId,
    config::TargetConfig,
    target::{Grounds, Output, Place, TargetCommand},
};
use process_tree::Supervisor;
use tempfile::TempDir;

/// Longer than anything here can take on a busy machine, and shorter than a guard waits that hears
/// nothing: what is ended must not be ended by that.
pub const PATIENCE: Duration = Duration::from_secs(45);

/// The ground of one test; it is removed with it.
pub struct Scene {
    pub folder: TempDir,
    pub grounds: Grounds,
}

impl Scene {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let grounds = grounds(folder.path().join("places"));
        Self { folder, grounds }
    }

    /// A managed place of this machine.
    pub async fn local(&self) -> Place {
        self.provision(&TargetConfig::local("local")).await
    }

    /// A managed place of a target.
    pub async fn provision(&self, target: &TargetConfig) -> Place {
        let locator = Place::plan(&self.grounds, target, &SessionId::random(), None);
        Place::provision(&self.grounds, target, &locator)
            .await
            .unwrap()
    }
}

/// What places stand on, in this folder.
pub fn grounds(folder: PathBuf) -> Grounds {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_acp-sessions"));
    let supervisor = Supervisor::at(program);
    Grounds { supervisor, folder }
}

/// How long a process sleeps that no other test looks for.
pub fn marker() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(10_000);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("8{count}.{}", std::process::id())
}

/// A shell command.
pub fn sh(script: &str) -> TargetCommand {
    TargetCommand::new(["sh", "-c", script]).within(PATIENCE)
}

/// Runs a shell command that must succeed.
pub async fn shell(place: &Place, script: &str) -> String {
    let output: Output = place.run(&sh(script), b"").await.unwrap();
    assert!(output.is_success(), "{script}: {output:?}");
    output.text()
}

/// The processes of this machine whose command line holds the marker.
pub fn running(marker: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap_or_default();
        let Ok(line) = std::fs::read(entry.path().join("cmdline")) else {
            continue;
        };
        let is_process = name.bytes().all(|byte| byte.is_ascii_digit());
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        if is_process && line.contains(marker) {
            found.push(format!("{name} {line}"));
        }
    }
    found
}

/// Waits until something is true.
pub async fn until(what: &str, mut is_true: impl FnMut() -> bool) {
    let deadline = std::time::Instant::now() + PATIENCE;
    while !is_true() {
        assert!(std::time::Instant::now() < deadline, "never: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// A target as it stands in a configuration.
pub fn target_of(text: &str) -> TargetConfig {
    let text = format!("[targets.it]\n{text}");
    let config =
        acp_sessions::config::Config::parse(std::path::Path::new("test.toml"), &text).unwrap();
    config.targets["it"].clone()
}
