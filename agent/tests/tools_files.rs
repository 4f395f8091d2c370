//! The file tools on a real disk, with all that can lie on one.

// A helper of a test fails as a test does.
#![allow(clippy::unwrap_used, clippy::panic)]

mod tools_scene;

use std::{fs, os::unix::fs::PermissionsExt};

use acp_agent::tools::Effect;
use serde_json::{Value, json};
use stub_model::Outcome;
use tools_scene::Scene;

/// A workspace with links of all kinds, and files outside of it.
fn links() -> Scene {
    let scene = Scene::new();
    scene
        .write("w/target", "sentinel")
        .write("w/deep/target", "deep")
        .write("w/deep/dir/x", "x")
        .write("w-evil/y", "evil")
        .write("out/secret", "secret")
        .link("w/alias", "deep/dir")
        .link("w/link", "../out")
        .link("w/link2", "../out")
        .link("w/inner", "deep/target")
        .link("door", "w");
    scene
}

#[tokio::test]
async fn a_file_is_read_where_the_kernel_finds_it_and_outside_is_told() {
    let scene = links();
    let absolute = |path: &str| scene.top.join(path).to_string_lossy().into_owned();
    let rows = [
        ("target".to_owned(), "sentinel", Effect::Read),
        ("alias/../target".into(), "deep", Effect::Read),
        (absolute("w/alias/../target"), "deep", Effect::Read),
        (absolute("door/target"), "sentinel", Effect::Read),
        ("inner".into(), "deep", Effect::Read),
        ("link/secret".into(), "secret", Effect::ReadOutside),
        ("../out/secret".into(), "secret", Effect::ReadOutside),
        (absolute("w-evil/y"), "evil", Effect::ReadOutside),
    ];
    for (path, content, effect) in rows {
        let (got, outcome) = scene.call("read_file", json!({ "path": path })).await;
        assert_eq!((outcome.text.as_str(), got), (content, effect), "{path}");
        let (got, outcome) = scene
            .call("search", json!({ "pattern": "^", "path": path }))
            .await;
        assert!(outcome.text.ends_with(content), "{path}: {}", outcome.text);
        assert_eq!(
            got == Effect::Read,
            content != "secret" && content != "evil"
        );
    }
}

#[tokio::test]
async fn a_file_is_written_where_the_kernel_finds_it_and_outside_is_told() {
    let scene = links();
    let rows = [
        ("alias/../target", "w/deep/target", Effect::Edit),
        ("new/folder/file", "w/new/folder/file", Effect::Edit),
        ("inner", "w/deep/target", Effect::Edit),
        ("link2/new", "out/new", Effect::EditOutside),
        ("../w-evil/y", "w-evil/y", Effect::EditOutside),
    ];
    for (path, real, effect) in rows {
        let arguments = json!({ "path": path, "content": real });
        let (got, outcome) = scene.call("write_file", arguments).await;
        assert_eq!(
            (outcome.outcome, got),
            (Outcome::Completed, effect),
            "{path}"
        );
        assert_eq!(scene.read(real), real, "{path}");
    }
    assert_eq!(scene.read("w/target"), "sentinel");
    assert!(
        fs::symlink_metadata(scene.top.join("w/inner"))
            .unwrap()
            .is_symlink()
    );
}

#[tokio::test]
async fn a_link_that_is_swapped_in_after_the_question_leads_nowhere() {
    let scene = Scene::new();
    scene
        .write("w/folder/file", "mine")
        .write("out/file", "theirs");
    let read = scene
        .prepare("read_file", json!({ "path": "folder/file" }))
        .unwrap();
    let arguments = json!({ "path": "folder/file", "content": "new" });
    let write = scene.prepare("write_file", arguments).unwrap();
    assert_eq!(
        (&read.effect, &write.effect),
        (&Effect::Read, &Effect::Edit)
    );

    fs::rename(scene.top.join("w/folder"), scene.top.join("w/old")).unwrap();
    scene.link("w/folder", "../out");
    for prepared in [read, write] {
        let outcome = (prepared.job)(scene.context()).await;
        assert_eq!(outcome.outcome, Outcome::Failed);
        assert!(
            outcome.text.contains("was changed by someone else"),
            "{}",
            outcome.text
        );
    }
    assert_eq!(scene.read("out/file"), "theirs");
}

#[tokio::test]
async fn what_can_be_read_is_bounded_and_what_cannot_is_said() {
    let scene = Scene::new();
    scene
        .write("w/empty", "")
        .write("w/lines", "one\ntwo\nthree\n")
        .write("w/long", "x".repeat(300 * 1024))
        .write("w/many", "l\n".repeat(2_001))
        .write("w/latin", b"caf\xe9\n")
        .write("w/image", b"\x89PNG\0\0")
        .write("w/folder/x", "")
        .link("w/loop", "loop");
    nix::unistd::mkfifo(&scene.top.join("w/fifo"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    let long = format!(
        "{}\n[cut in line 1 after 262144 bytes; the file goes on]",
        "x".repeat(256 * 1024)
    );
    let many = format!(
        "{}\n[the file goes on; read it from line 2001]",
        "l\n".repeat(2_000)
    );
    let rows: Vec<(Value, Outcome, &str)> = vec![
        (
            json!({"path": "empty"}),
            Outcome::Completed,
            "[the file is empty]",
        ),
        (
            json!({"path": "lines"}),
            Outcome::Completed,
            "one\ntwo\nthree\n",
        ),
        (
            json!({"path": "lines", "line": 3}),
            Outcome::Completed,
            "three\n",
        ),
        (
            json!({"path": "lines", "line": 2, "limit": 1}),
            Outcome::Completed,
            "two\n\n[the file goes on; read it from line 3]",
        ),
        (
            json!({"path": "lines", "line": 4}),
            Outcome::Failed,
            "line 4 is past the end: the file has 3 lines",
        ),
        (json!({"path": "long"}), Outcome::Completed, &long),
        (json!({"path": "many"}), Outcome::Completed, &many),
        (
            json!({"path": "latin"}),
            Outcome::Completed,
            "caf\u{fffd}\n",
        ),
        (
            json!({"path": "image"}),
            Outcome::Failed,
            "is a binary file of 6 bytes",
        ),
        (
            json!({"path": "folder"}),
            Outcome::Failed,
            "use list_directory",
        ),
        (json!({"path": "fifo"}), Outcome::Failed, "is a FIFO"),
        (json!({"path": "/dev/zero"}), Outcome::Failed, "is a device"),
        (json!({"path": "none"}), Outcome::Failed, "does not exist"),
    ];
    for (arguments, outcome, text) in rows {
        let (_, got) = scene.call("read_file", arguments.clone()).await;
        assert_eq!(got.outcome, outcome, "{arguments}: {}", got.text);
        let fits = if outcome == Outcome::Failed {
            got.text.contains(text)
        } else {
            got.text == text
        };
        assert!(
            fits,
            "{arguments}: {:?}",
            &got.text[got.text.len().saturating_sub(200)..]
        );
    }
    let error = scene
        .prepare("read_file", json!({"path": "loop"}))
        .err()
        .unwrap();
    assert!(error.contains("too many symbolic links"), "{error}");
}

#[tokio::test]
async fn the_diff_is_the_change() {
    let scene = Scene::new();
    scene.write("w/old", "a\nb\nb\n");
    fs::set_permissions(scene.top.join("w/old"), fs::Permissions::from_mode(0o640)).unwrap();
    let shown =
        |prepared: &acp_agent::tools::Prepared| serde_json::to_value(&prepared.content).unwrap();
    let path = scene.top.join("w/old");

    let arguments = json!({"path": "old", "old_text": "a\nb", "new_text": "c"});
    let edit = scene.prepare("edit_file", arguments).unwrap();
    let diff = json!([{"type": "diff", "path": path, "oldText": "a\nb\nb\n", "newText": "c\nb\n"}]);
    assert_eq!(shown(&edit), diff);
    assert_eq!(edit.locations[0].line, Some(1));
    assert_eq!(
        scene.read("w/old"),
        "a\nb\nb\n",
        "nothing happens before the job"
    );
    let outcome = (edit.job)(scene.context()).await;
    assert_eq!(
        outcome.text,
        format!("replaced 1 passage of {}, in line 1", path.display())
    );
    assert!(
        outcome.content.is_empty(),
        "the diff that was announced stays"
    );
    assert_eq!(scene.read("w/old"), "c\nb\n");
    assert_eq!(
        fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o640
    );

    let new = scene
        .prepare("write_file", json!({"path": "new", "content": "n"}))
        .unwrap();
    assert!(shown(&new)[0]["oldText"].is_null());
    assert_eq!(shown(&new)[0]["newText"], "n");
    assert_eq!(
        new.grant,
        format!("write_file: {}", scene.top.join("w/new").display())
    );
}

#[tokio::test]
async fn an_edit_fits_exactly_or_not_at_all() {
    let scene = Scene::new();
    scene
        .write("w/f", "one two two")
        .write("w/latin", b"caf\xe9")
        .write("w/large", "x".repeat(5 * 1024 * 1024));
    let edit =
        |path: &str, old: &str, new: &str| json!({"path": path, "old_text": old, "new_text": new});
    let rows = [
        (edit("f", "three", "x"), "the old text is not in the file"),
        (edit("f", "two", "x"), "is in the file 2 times"),
        (edit("f", "", "x"), "`old_text` must not be empty"),
        (edit("f", "one", "one"), "is the same as `old_text`"),
        (edit("none", "a", "b"), "does not exist"),
        (edit("latin", "c", "b"), "is not UTF-8 text"),
        (
            edit("large", "x", "b"),
            "has 5242880 bytes, more than the 4194304",
        ),
        (edit(".", "x", "b"), "is a folder"),
    ];
    for (arguments, words) in rows {
        let error = scene.prepare("edit_file", arguments.clone()).err().unwrap();
        assert!(error.contains(words), "{arguments}: {error}");
    }
    let mut all = edit("f", "two", "2");
    all["replace_all"] = json!(true);
    let (_, outcome) = scene.call("edit_file", all).await;
    assert_eq!(outcome.outcome, Outcome::Completed);
    assert_eq!(scene.read("w/f"), "one 2 2");
}

#[tokio::test]
async fn an_edit_is_not_made_to_another_file_than_the_one_shown() {
    let scene = Scene::new();
    scene.write("w/f", "one two");
    let arguments = json!({"path": "f", "old_text": "one", "new_text": "1"});
    let edit = scene.prepare("edit_file", arguments).unwrap();
    let write = scene
        .prepare("write_file", json!({"path": "f", "content": "mine"}))
        .unwrap();
    scene.write("w/f", "one two three");
    for prepared in [edit, write] {
        let outcome = (prepared.job)(scene.context()).await;
        assert!(
            outcome.text.contains("was changed by someone else"),
            "{}",
            outcome.text
        );
    }
    assert_eq!(scene.read("w/f"), "one two three");
}

#[tokio::test]
async fn preparing_tells_nothing_of_files_outside() {
    let scene = Scene::new();
    scene.write("out/secret", "the word is LYNX");
    for passage in ["LYNX", "no such words"] {
        let arguments = json!({"path": "../out/secret", "old_text": passage, "new_text": "x"});
        let prepared = scene.prepare("edit_file", arguments).unwrap();
        assert_eq!(prepared.effect, Effect::EditOutside);
        let shown = serde_json::to_string(&prepared.content).unwrap();
        assert!(!shown.contains("the word is"), "{shown}");
    }
    for path in ["../out", "../out/none/x"] {
        let prepared = scene
            .prepare("write_file", json!({"path": path, "content": ""}))
            .unwrap();
        assert_eq!(prepared.effect, Effect::EditOutside);
        let outcome = (prepared.job)(scene.context()).await;
        assert_eq!(outcome.outcome, Outcome::Failed, "{path}");
    }
    assert!(!scene.top.join("out/none").exists());
}

#[tokio::test]
async fn a_cancelled_write_changes_nothing() {
    let scene = Scene::new();
    scene.write("w/f", "old");
    let write = scene
        .prepare("write_file", json!({"path": "f", "content": "new"}))
        .unwrap();
    let read = scene.prepare("read_file", json!({"path": "f"})).unwrap();
    scene.cancel.cancel();
    for prepared in [write, read] {
        let outcome = (prepared.job)(scene.context()).await;
        assert_eq!(outcome.outcome, Outcome::Cancelled);
    }
    assert_eq!(scene.read("w/f"), "old");
}

#[tokio::test]
async fn a_folder_is_listed_in_order_and_links_are_not_followed() {
    let scene = links();
    let (effect, outcome) = scene.call("list_directory", json!({})).await;
    assert_eq!(effect, Effect::Read);
    let listed =
        "alias -> deep/dir\ndeep/\ninner -> deep/target\nlink -> ../out\nlink2 -> ../out\ntarget";
    assert_eq!(outcome.text, listed);
    let (_, outcome) = scene
        .call("list_directory", json!({"path": "deep", "depth": 2}))
        .await;
    assert_eq!(outcome.text, "dir/\ndir/x\ntarget");
    let (effect, outcome) = scene.call("list_directory", json!({"path": "link"})).await;
    assert_eq!(
        (effect, outcome.text.as_str()),
        (Effect::ReadOutside, "secret")
    );
    for (path, words) in [("target", "use read_file"), ("none", "does not exist")] {
        let (_, outcome) = scene.call("list_directory", json!({ "path": path })).await;
        assert!(outcome.text.contains(words), "{}", outcome.text);
    }
    fs::create_dir(scene.top.join("w/empty")).unwrap();
    let (_, outcome) = scene.call("list_directory", json!({"path": "empty"})).await;
    assert_eq!(outcome.text, "[the folder is empty]");
    for number in 0..1_100 {
        scene.write(&format!("w/empty/{number}"), "");
    }
    let (_, outcome) = scene.call("list_directory", json!({"path": "empty"})).await;
    assert!(
        outcome.text.ends_with("[100 more]"),
        "{}",
        outcome.text.lines().last().unwrap()
    );
}

#[tokio::test]
async fn gitignore_counts_without_a_repository_too() {
    let scene = Scene::new();
    scene
        .write("w/.gitignore", "target\n")
        .write("w/target/built", "needle")
        .write("w/.hidden", "needle");
    let (_, outcome) = scene.call("search", json!({"pattern": "needle"})).await;
    assert_eq!(outcome.text, ".hidden:1: needle");
}

#[tokio::test]
async fn a_search_looks_where_a_developer_would() {
    let scene = Scene::new();
    scene
        .write("w/.gitignore", "target\n")
        .write("w/.git/config", "needle")
        .write("w/target/built.rs", "needle")
        .write("w/src/a.rs", "first\n  needle(x\nNEEDLE")
        .write("w/src/deep/b.txt", "needle")
        .write("w/binary", b"needle\0")
        .write("out/c.rs", "needle")
        .link("w/out", "../out");
    let rows: Vec<(Value, &str)> = vec![
        (
            json!({"pattern": "needle"}),
            "src/a.rs:2: needle(x\nsrc/deep/b.txt:1: needle",
        ),
        (
            json!({"pattern": "needle", "glob": "*.rs"}),
            "src/a.rs:2: needle(x",
        ),
        (
            json!({"pattern": "needle", "glob": "src/*"}),
            "src/a.rs:2: needle(x",
        ),
        (
            json!({"pattern": "needle", "path": "src/deep"}),
            "src/deep/b.txt:1: needle",
        ),
        (
            json!({"pattern": "^n.*e$", "case": "insensitive", "glob": "*.rs"}),
            "src/a.rs:3: NEEDLE",
        ),
        (
            json!({"pattern": "needle(x"}),
            "src/a.rs:2: needle(x\n[the pattern is no regular expression: searched as plain text]",
        ),
        (json!({"pattern": "nothing"}), "[no matches]"),
    ];
    for (arguments, text) in rows {
        let (effect, outcome) = scene.call("search", arguments.clone()).await;
        assert_eq!(
            (outcome.text.as_str(), effect),
            (text, Effect::Read),
            "{arguments}"
        );
    }
    let (_, outcome) = scene.call("search", json!({"pattern": "needle"})).await;
    let first = &outcome.locations.unwrap()[0];
    assert_eq!(
        (first.path.as_path(), first.line),
        (scene.top.join("w/src/a.rs").as_path(), Some(2))
    );
    scene.write("w/many", "needle\n".repeat(500));
    let alone = json!({"pattern": "needle", "path": "src/a.rs", "glob": "*.rs"});
    let (_, outcome) = scene.call("search", alone).await;
    assert_eq!(outcome.text, "src/a.rs:2: needle(x");
    let path = &outcome.locations.unwrap()[0].path;
    assert_eq!(path.as_os_str(), scene.top.join("w/src/a.rs").as_os_str());
    let (_, outcome) = scene
        .call("search", json!({"pattern": "needle", "path": "many"}))
        .await;
    assert_eq!(outcome.text.lines().count(), 201);
    assert!(
        outcome
            .text
            .ends_with("[there are more matches; search more narrowly]")
    );
    let error = scene
        .prepare("search", json!({"pattern": "x", "glob": "["}))
        .err()
        .unwrap();
    assert!(error.contains("`glob` is not valid"), "{error}");
}
