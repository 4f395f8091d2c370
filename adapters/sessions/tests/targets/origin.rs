//! A repository that sessions clone, and git as its owner uses it.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use acp_sessions::config::{BundleConfig, RepositoryConfig};

/// Runs git as the owner of a repository; it must succeed.
pub fn git(directory: &Path, words: &[&str]) -> String {
    let output = Command::new("git")
        .args(words)
        .current_dir(directory)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_NAME"), "owner")))
        .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_EMAIL"), "owner@example.org")))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {words:?}: {said} {complaint}");
    said
}

/// A bare repository, and a working copy from which its owner pushes.
pub struct Origin {
    pub bare: PathBuf,
    pub copy: PathBuf,
}

impl Origin {
    /// With two commits on `main`, and one on `other`.
    pub fn new(folder: &Path, name: &str) -> Self {
        let (bare, copy) = (folder.join(format!("{name}.git")), folder.join(name));
        git(
            folder,
            &[
                "init",
                "--quiet",
                "--bare",
                "--initial-branch=main",
                bare.to_str().unwrap(),
            ],
        );
        git(
            folder,
            &[
                "clone",
                "--quiet",
                bare.to_str().unwrap(),
                copy.to_str().unwrap(),
            ],
        );
        let origin = Self { bare, copy };
        origin.commit("first");
        git(&origin.copy, &["branch", "other"]);
        git(&origin.copy, &["push", "--quiet", "origin", "other"]);
        origin.commit("second");
        origin
    }

    /// A commit on `main` that is pushed. Answers its id.
    pub fn commit(&self, text: &str) -> String {
        std::fs::write(self.copy.join("file"), format!("{text}\n")).unwrap();
        std::fs::write(self.copy.join(format!("{text}.txt")), text).unwrap();
        git(&self.copy, &["add", "."]);
        git(&self.copy, &["commit", "--quiet", "-m", text]);
        git(&self.copy, &["push", "--quiet", "origin", "HEAD"]);
        git(&self.copy, &["rev-parse", "HEAD"])
    }

    pub fn id(&self, revision: &str) -> String {
        git(&self.bare, &["rev-parse", revision])
    }

    /// All its refs.
    pub fn refs(&self) -> String {
        git(&self.bare, &["for-each-ref"])
    }

    /// A bundle of this repository alone.
    pub fn bundle(&self) -> BundleConfig {
        bundle(&[("app", self)])
    }
}

/// A bundle whose first repository is the primary one.
pub fn bundle(repositories: &[(&str, &Origin)]) -> BundleConfig {
    let repository = |(id, origin): &(&str, &Origin)| RepositoryConfig {
        id: (*id).to_owned(),
        source: origin.bare.to_str().unwrap().to_owned(),
        destination: (*id).into(),
    };
    BundleConfig {
        id: "bundle".to_owned(),
        primary_repo: repositories[0].0.to_owned(),
        repositories: repositories.iter().map(repository).collect(),
    }
}
