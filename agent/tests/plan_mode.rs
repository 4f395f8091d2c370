//! Plan mode against a hostile model: whatever it tries, and although the client allows
//! everything, nothing changes.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

mod support;

use std::{collections::BTreeMap, fs, os::unix::fs::MetadataExt, path::Path, process::Command};

use serde_json::{Value, json};
use support::{
    client::{Client, Setup},
    script::{Do, Script},
};

/// Everything that a change could show in.
fn snapshot(root: &Path) -> BTreeMap<String, (u32, u64, i64, i64, Vec<u8>)> {
    let mut all = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let meta = fs::symlink_metadata(&path).unwrap();
            let content = if meta.is_file() {
                fs::read(&path).unwrap()
            } else {
                Vec::new()
            };
            if meta.is_dir() {
                folders.push(path.clone());
            }
            let state = (
                meta.mode(),
                meta.ino(),
                meta.mtime_nsec(),
                meta.ctime_nsec(),
                content,
            );
            all.insert(path.display().to_string(), state);
        }
    }
    all
}

fn git(workspace: &Path, arguments: &[&str]) {
    let status = Command::new("git")
        .arg("-C")
        .arg(workspace)
        .args(arguments)
        .status()
        .unwrap();
    assert!(status.success());
}

fn attempts() -> Vec<Do> {
    let commands = [
        "echo x > f",
        "echo x >> kept.txt",
        "sh -c 'echo x > f'",
        "bash -c 'cat kept.txt > f' || sh -c 'cp kept.txt f'",
        "python3 -c \"open('f','w').write('x')\"",
        "python3 -c \"import os; os.truncate('kept.txt', 0)\"",
        "git commit --allow-empty -qm x",
        "git add -A; git stash",
        "mv kept.txt moved.txt",
        "ln -s /etc/passwd link; ln kept.txt hard",
        "rm -f kept.txt; rmdir folder; mkdir made; touch touched",
        "chmod 777 kept.txt; chown 1:1 kept.txt; touch -d '1 hour ago' kept.txt",
        "sed -i s/keep/lose/ kept.txt; dd if=/dev/zero of=kept.txt count=1; tee kept.txt </dev/null",
        "setsid sh -c 'sleep 0.2; echo x > late' & nohup sh -c 'echo x > nohup' &",
        "cd folder && echo x > g; cp kept.txt /proc/self/cwd/h",
    ];
    let mut all: Vec<Do> = commands
        .into_iter()
        .map(|command| Do::Call("shell", json!({"command": command})))
        .collect();
    all.push(Do::Call(
        "write_file",
        json!({"path": "w.txt", "content": "x"}),
    ));
    all.push(Do::Call(
        "write_file",
        json!({"path": "kept.txt", "content": "x"}),
    ));
    all.push(Do::Call(
        "write_file",
        json!({"path": "out/w.txt", "content": "x"}),
    ));
    all.push(Do::Call(
        "edit_file",
        json!({"path": "kept.txt", "old_text": "keep", "new_text": "lose"}),
    ));
    all
}

#[tokio::test]
async fn nothing_changes_whatever_is_tried() {
    let script = Script::new([attempts(), vec![Do::End], attempts(), vec![Do::End]]);
    let mut client = Client::start_with(script, Setup::default());
    let workspace = client.workspace.path().to_owned();
    let outside = tempfile::tempdir().unwrap();
    fs::write(workspace.join("kept.txt"), "keep").unwrap();
    fs::create_dir(workspace.join("folder")).unwrap();
    std::os::unix::fs::symlink(outside.path(), workspace.join("out")).unwrap();
    git(&workspace, &["init", "-q"]);
    git(&workspace, &["config", "user.email", "a@example.invalid"]);
    git(&workspace, &["config", "user.name", "A"]);
    git(&workspace, &["add", "kept.txt"]);
    git(&workspace, &["commit", "-qm", "first"]);
    let (before, outside_before) = (snapshot(&workspace), snapshot(outside.path()));

    client.initialize().await;
    let session = client.session().await;
    client
        .call(
            "session/set_mode",
            json!({"sessionId": session, "modeId": "plan"}),
        )
        .await;
    let id = client.prompt(&session, "be evil").await;
    let answer = allow_everything(&mut client, id).await;
    assert_eq!(answer["result"]["stopReason"], "end_turn");
    assert_eq!(snapshot(&workspace), before);
    assert_eq!(snapshot(outside.path()), outside_before);

    // The same tries do change something where they may, so the test can fail.
    client
        .call(
            "session/set_mode",
            json!({"sessionId": session, "modeId": "full-access"}),
        )
        .await;
    client.turn(&session, "be evil again").await;
    assert_ne!(snapshot(&workspace), before);
}

#[tokio::test]
async fn reading_still_works_and_so_does_leaving() {
    let script = Script::new([
        vec![
            Do::Call(
                "shell",
                json!({"command": "cat kept.txt; echo x > $TMPDIR/t && cat $TMPDIR/t"}),
            ),
            Do::Call("read_file", json!({"path": "kept.txt"})),
        ],
        vec![Do::Call("switch_mode", json!({"mode": "default"}))],
        vec![Do::Call("write_file", json!({"path": "f", "content": "x"}))],
        vec![Do::End],
    ]);
    let mut client = Client::start_with(script, Setup::default());
    fs::write(client.workspace.path().join("kept.txt"), "keep").unwrap();
    client.initialize().await;
    let session = client.session().await;
    client
        .call(
            "session/set_mode",
            json!({"sessionId": session, "modeId": "plan"}),
        )
        .await;
    client.seen();
    let id = client.prompt(&session, "look, then work").await;
    let answer = allow_everything(&mut client, id).await;
    assert_eq!(answer["result"]["stopReason"], "end_turn");
    let seen = client.seen();
    let updates: Vec<&Value> = seen.iter().map(|m| &m["params"]["update"]).collect();
    let completed = updates
        .iter()
        .filter(|u| u["status"] == "completed")
        .count();
    assert_eq!(completed, 4, "{updates:?}");
    assert!(updates.iter().any(|u| u["currentModeId"] == "default"));
    assert_eq!(fs::read(client.workspace.path().join("f")).unwrap(), b"x");
}

#[tokio::test]
async fn a_refused_exit_stays_in_plan_mode_and_ends() {
    for kind in ["reject_once", "cancelled", "error"] {
        let script = Script::new([
            vec![Do::Call("switch_mode", json!({"mode": "default"}))],
            vec![Do::Call("write_file", json!({"path": "f", "content": "x"}))],
            vec![Do::End],
        ]);
        let mut client = Client::start_with(script, Setup::default());
        client.initialize().await;
        let session = client.session().await;
        client
            .call(
                "session/set_mode",
                json!({"sessionId": session, "modeId": "plan"}),
            )
            .await;
        let id = client.prompt(&session, "make a plan and start").await;
        let request = client.permission().await;
        assert_eq!(request["params"]["toolCall"]["kind"], "switch_mode");
        match kind {
            "reject_once" => client.choose(&request, kind).await,
            "cancelled" => {
                let result = json!({"outcome": {"outcome": "cancelled"}});
                client
                    .send(json!({"jsonrpc": "2.0", "id": request["id"], "result": result}))
                    .await;
            }
            _ => {
                let error = json!({"code": -32601, "message": "no"});
                client
                    .send(json!({"jsonrpc": "2.0", "id": request["id"], "error": error}))
                    .await;
            }
        }
        assert_eq!(client.answer(id).await["result"]["stopReason"], "end_turn");
        assert!(!client.workspace.path().join("f").exists(), "{kind}");
    }
}

/// Answers every permission request with the first option that allows, until the prompt's answer.
async fn allow_everything(client: &mut Client, id: i64) -> Value {
    loop {
        let asks_or_answers = |m: &Value| {
            m["method"] == "session/request_permission"
                || (m["id"] == id && m.get("method").is_none())
        };
        let message = client.until(asks_or_answers).await;
        if message.get("method").is_none() {
            return message;
        }
        client.choose(&message, "allow_once").await;
    }
}
