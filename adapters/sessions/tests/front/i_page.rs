//! The page in a real browser, on the real daemon. Where no Chromium is installed there is nothing
//! to look with, and the test says so.

use std::{
    io::{Read, Write},
    net::TcpStream,
    process::{Command, Stdio},
};

use crate::support::{Scene, daemon::EndDaemon};

const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// How much time of its own the page has to ask and show, in milliseconds. It costs less.
const PAGE_TIME: &str = "--virtual-time-budget=8000";

/// The document after its script has run; none without a browser.
fn document(url: &str) -> Option<String> {
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
            .args([PAGE_TIME, "--dump-dom", url])
            .stdin(Stdio::null())
            .output()
            .ok()
    })?;
    let document = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(document.contains("</html>"), "no document: {output:?}");
    Some(document)
}

#[test]
fn the_page_shows_sessions_and_what_they_say_as_text() {
    let scene = Scene::new();
    scene.scripted_harness();
    let _end = EndDaemon(&scene);
    scene.run(&["workspaces", "create", "demo"]).done();
    let id = scene
        .run(&["new", "--title", "<img src=x onerror=alert(1)>"])
        .done();
    let id = id.trim();
    let say = "say <b>bold</b> <script>document.title='taken'</script>";
    scene.run(&["prompt", "--session", id, say]).done();
    let url = scene.run(&["web"]).done();
    let url = url.trim();
    let Some(list) = document(url) else {
        eprintln!("skipped: install chromium to look at the page");
        return;
    };
    assert!(
        list.contains("&lt;img src=x onerror=alert(1)&gt;"),
        "{list}"
    );
    assert!(
        list.contains("state ready") && list.contains("1 in all."),
        "{list}"
    );

    let one = document(&format!("{url}&session={id}")).unwrap();
    for wanted in [
        "item user",
        "item agent",
        "&lt;b&gt;bold&lt;/b&gt;",
        id,
        "finished",
    ] {
        assert!(one.contains(wanted), "no {wanted:?} in {one}");
    }
    assert!(
        one.contains("<title>Sessions</title>"),
        "a script of a session ran: {one}"
    );
    assert!(!one.contains("<b>bold"), "markup of a session: {one}");

    let (address, _) = url.split_once('#').unwrap();
    let strangers = document(address).unwrap();
    assert!(
        strangers.contains("no token") && !strangers.contains(id),
        "{strangers}"
    );
    let wrong = document(&format!("{address}#token=0000")).unwrap();
    assert!(
        wrong.contains("acp-sessions web") && !wrong.contains(id),
        "{wrong}"
    );
}

#[test]
fn the_page_is_for_everybody_and_what_it_asks_for_is_not() {
    let scene = Scene::new();
    scene.scripted_harness();
    let _end = EndDaemon(&scene);
    let url = scene.run(&["web"]).done();
    let address = url.trim_start_matches("http://").split('/').next().unwrap();
    let get = |path: &str| {
        let mut stream = TcpStream::connect(address).unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.to_lowercase()
    };
    for path in ["/", "/page.js", "/page.css"] {
        let answer = get(path);
        assert!(answer.starts_with("http/1.1 200"), "{path}: {answer}");
        let policy = "content-security-policy: default-src 'none'; script-src 'self';";
        for wanted in [
            policy,
            "nosniff",
            "no-referrer",
            "no-store",
            "frame-ancestors 'none'",
        ] {
            assert!(answer.contains(wanted), "{path} without {wanted}: {answer}");
        }
    }
    let refused = get("/api/v1/sessions");
    assert!(refused.starts_with("http/1.1 401"), "{refused}");
    assert!(refused.contains("acp-sessions-api-version: 1"), "{refused}");
}
