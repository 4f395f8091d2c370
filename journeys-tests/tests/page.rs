//! The page in a real browser: its script runs under its own policy, opens what a link points at, and
//! searches. Where no Chromium is installed there is nothing to look with, and the test says so.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

mod checker;

use std::{
    path::Path,
    process::{Command, Stdio},
};

use checker::{AGENT, checker};

const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// The document after its script has run; none without a browser.
fn document(page: &Path, suffix: &str) -> Option<String> {
    let profile = tempfile::tempdir().unwrap();
    let output = BROWSERS.iter().find_map(|browser| {
        Command::new(browser)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--no-first-run",
            ])
            .args([
                "--disable-background-networking",
                "--disable-component-update",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("--dump-dom")
            .arg(format!("file://{}{suffix}", page.display()))
            .stdin(Stdio::null())
            .output()
            .ok()
    })?;
    let document = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(document.contains("</html>"), "no document: {output:?}");
    Some(document)
}

#[test]
fn links_open_and_search_finds() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    let run = checker()
        .current_dir(folder.path())
        .args([
            "run",
            "--only",
            "reply",
            "--only",
            "plan",
            "--html",
            "page.html",
        ])
        .args(["--", AGENT, "--fault", "plan-writes", "--state", "state"])
        .output()
        .unwrap();
    assert_eq!(run.status.code(), Some(1));
    let Some(plain) = document(&page, "") else {
        eprintln!("skipped: install chromium to look at the page");
        return;
    };
    let is_open = |document: &str, journey: &str| {
        let start = document.find(&format!("id=\"{journey}\"")).unwrap();
        let tag = &document[start..start + document[start..].find('>').unwrap()];
        tag.contains("open")
    };
    assert!(is_open(&plain, "plan"), "what failed is open");
    assert!(!is_open(&plain, "reply"), "what passed is closed");

    let linked = document(&page, "#reply-p0-e1").unwrap();
    assert!(is_open(&linked, "reply"), "a link opens what it points at");

    let searched = document(&page, "?q=create_plan").unwrap();
    assert!(is_open(&searched, "plan"));
    assert!(!is_open(&searched, "reply"));
    assert!(searched.contains("is-hidden") && searched.contains("is-hit"));
    assert!(searched.contains(" found</output>"));
}
