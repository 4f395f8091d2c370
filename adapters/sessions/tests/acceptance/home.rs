//! A configuration, a daemon of its own, and the command line of `acp-sessions`.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command as StdCommand,
    time::Instant,
};

use acp_sessions::config::Config;
use tokio::process::Command;

use crate::{
    origin::Origin,
    scene::{PATIENCE, Scene, marker},
};

/// A program that is built beside ours.
pub fn beside(name: &str) -> PathBuf {
    let ours = Path::new(env!("CARGO_BIN_EXE_acp-sessions"));
    let path = ours.with_file_name(name);
    assert!(
        path.is_file(),
        "{path:?} is not built: cargo build --workspace --bins"
    );
    path
}

/// The reference agent under a name that only one test has, so that its processes can be told from
/// those of others.
pub fn agent(scene: &Scene) -> PathBuf {
    let path = scene.folder.path().join(format!("agent-{}", marker()));
    std::os::unix::fs::symlink(beside("acp-agent"), &path).unwrap();
    path
}

/// The folders of one user. The daemon that clients started is ended with it.
pub struct Home {
    folder: PathBuf,
}

impl Drop for Home {
    fn drop(&mut self) {
        let Ok(text) = fs::read_to_string(self.folder.join("data/daemon.json")) else {
            return;
        };
        let endpoint: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
        let Some(pid) = endpoint["pid"].as_u64() else {
            return;
        };
        let _ = StdCommand::new("kill").arg(pid.to_string()).status();
        let deadline = Instant::now() + PATIENCE;
        while Path::new(&format!("/proc/{pid}")).exists() && Instant::now() < deadline {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }
}

impl Home {
    /// With a target `it` (none if the text is empty), and another program for the reference agent
    /// if it is not the one beside ours.
    pub fn new(scene: &Scene, target: &str, agent: Option<&str>) -> Self {
        let folder = scene.folder.path().join("home");
        fs::create_dir_all(folder.join("config")).unwrap();
        let target = match target {
            "" => String::new(),
            text => format!("[targets.it]\n{text}\n"),
        };
        let profile = agent
            .map(|program| format!("[profiles.reference]\ncommand = [\"{program}\", \"--acp\"]\n"));
        let home = Self { folder };
        let text = format!("{target}\n{}", profile.unwrap_or_default());
        fs::write(home.config(), text).unwrap();
        home.check();
        home
    }

    /// And a bundle `product` of one repository.
    pub fn with_bundle(self, origin: &Origin) -> Self {
        let text = fs::read_to_string(self.config()).unwrap();
        let source = origin.bare.display();
        let bundle = format!(
            "[bundles.product]\nprimary_repo = \"app\"\n\
             [[bundles.product.repositories]]\nid = \"app\"\nsource = \"{source}\"\n"
        );
        fs::write(self.config(), format!("{text}\n{bundle}")).unwrap();
        self.check();
        self
    }

    fn config(&self) -> PathBuf {
        self.folder.join("config/config.toml")
    }

    fn check(&self) {
        Config::load(&self.config()).unwrap();
    }

    /// A program with this user's folders.
    pub fn program(&self, name: &str) -> Command {
        let mut command = Command::new(beside(name));
        command
            .current_dir(&self.folder)
            .env("ACP_SESSIONS_CONFIG_DIR", self.folder.join("config"))
            .env("ACP_SESSIONS_DATA_DIR", self.folder.join("data"))
            .kill_on_drop(true);
        command
    }

    /// Runs a command of `acp-sessions`, which must succeed.
    pub async fn say(&self, words: &[&str]) -> String {
        let output = self
            .program("acp-sessions")
            .args(words)
            .output()
            .await
            .unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{words:?}: {said} {complaint}");
        said
    }

    /// Waits until the session has nothing to do.
    pub async fn until_idle(&self, session: &str) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let said = self
                .say(&["sessions", "--session", session, "--json"])
                .await;
            let view: serde_json::Value = serde_json::from_str(&said).unwrap();
            if view["is_idle"] == true && view["lifecycle"] == "live" {
                return;
            }
            assert!(Instant::now() < deadline, "it is never idle: {said}");
        }
    }

    /// Waits until the search finds the session by this word.
    pub async fn until_found(&self, word: &str, session: &str) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let said = self.say(&["search", "--json", word]).await;
            if said.contains(session) {
                return;
            }
            assert!(Instant::now() < deadline, "{word} is never found: {said}");
        }
    }
}
