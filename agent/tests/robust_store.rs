//! Disks and folders that fail, seen by a client: a clear error, the next request works, nothing
//! that was promised is lost, and the process lives.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a panic is how a test fails, and what is skipped is told"
)]

mod robust;

use std::{
    collections::BTreeMap, env, ffi::OsString, fs, os::unix::fs::PermissionsExt, process::Command,
    thread,
};

use nix::libc;
use robust::Scene;
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};
use serde_json::{Value, json};
use soak::{
    client::{Client, text, text_of},
    finding::Found,
    program::Setup,
};

/// An agent whose state folder is a small disk of its own, in a mount namespace that ends with it.
/// `None`: mounting is not permitted here.
fn on_a_small_disk(scene: &Scene, options: &str) -> Option<Setup> {
    let state = scene.state.path().display();
    let script = format!("mount -t tmpfs -o {options} tmpfs {state} && cd {state} && exec \"$@\"");
    for flags in ["-rm", "-m"] {
        let command = ["unshare", flags, "sh", "-c", &script, "sh"].map(OsString::from);
        let mut attempt = Command::new(&command[0]);
        if attempt
            .args(&command[1..])
            .arg("true")
            .status()
            .is_ok_and(|status| status.success())
        {
            let mut setup = scene.setup();
            setup.command.splice(0..0, command);
            return Some(setup);
        }
    }
    eprintln!("SKIPPED, NOTHING TESTED: mounting is not permitted here");
    None
}

/// An agent for which this system call fails with an I/O error, as on a disk that breaks: a filter
/// of the kernel holds for all that its thread starts. `None`: filters are not permitted here.
fn where_it_fails(scene: &Scene, call: i64) -> Found<Option<Client>> {
    let filter = SeccompFilter::new(
        BTreeMap::from([(call, Vec::new())]),
        SeccompAction::Allow,
        SeccompAction::Errno(libc::EIO.unsigned_abs()),
        env::consts::ARCH.try_into().unwrap(),
    );
    let filter: BpfProgram = filter.unwrap().try_into().unwrap();
    let setup = scene.setup();
    let started = thread::spawn(move || {
        if let Err(error) = seccompiler::apply_filter(&filter) {
            eprintln!("SKIPPED, NOTHING TESTED: {error}");
            return Ok(None);
        }
        Client::start(&setup).map(Some)
    });
    started.join().unwrap()
}

/// The message of an error answer.
fn error(answer: &Value) -> &str {
    assert_eq!(answer["error"]["code"], -32603, "{answer}");
    answer["error"]["message"].as_str().unwrap()
}

fn new_session(client: &mut Client, scene: &Scene) -> Found<Value> {
    client.call("session/new", json!({"cwd": scene.cwd(), "mcpServers": []}))
}

#[test]
fn a_full_disk_is_told_and_got_over() -> Found<()> {
    let scene = Scene::new()?;
    let Some(setup) = on_a_small_disk(&scene, "size=256k,mode=0700") else {
        return Ok(());
    };
    let mut client = Client::start(&setup)?;
    let session = client.session(scene.cwd())?;
    assert_eq!(client.turn(&session, "reply BEFORE")?, "end_turn");
    let filler = scene.state.path().join("filler").display().to_string();
    let fill = format!("Run the shell command: cat /dev/zero > {filler}");
    // This may still fit: a file system gives room by the page.
    client.turn(&session, &fill)?;
    let full = format!("{} reply FULL", "page ".repeat(4_000));
    assert!(error(&client.turn(&session, &full)?).contains("free some space"));
    let refused = new_session(&mut client, &scene)?;
    assert!(error(&refused).contains("free some space"), "{refused}");
    let listed = client.call("session/list", json!({}))?;
    assert_eq!(listed["result"]["sessions"].as_array().unwrap().len(), 1);
    // A cancelled turn is answered as cancelled all the same.
    let sleep = client.prompt(
        &session,
        &format!("Run the shell command sleep {}", scene.mark),
    )?;
    client.running(&session)?;
    client.cancel(&session)?;
    assert_eq!(client.answer(sleep)?["result"]["stopReason"], "cancelled");

    let free = format!("Run the shell command: rm {filler}");
    assert_eq!(client.turn(&session, &free)?, "end_turn");
    assert_eq!(client.turn(&session, "reply AFTER")?, "end_turn");
    client.seen();
    assert!(client.load(&session, scene.cwd())?.get("result").is_some());
    let updates = client.updates();
    let (asked, said) = (text_of("user_message_chunk", &updates), text(&updates));
    for words in [
        "reply BEFORE",
        "cat /dev/zero",
        "reply FULL",
        "sleep",
        "rm ",
        "reply AFTER",
    ] {
        assert_eq!(asked.matches(words).count(), 1, "{words}: {asked}");
    }
    assert!(said.contains("BEFORE") && said.contains("AFTER"), "{said}");
    assert!(new_session(&mut client, &scene)?.get("result").is_some());
    scene.end(client).map(drop)
}

#[test]
fn a_read_only_disk_is_told() -> Found<()> {
    let scene = Scene::new()?;
    let Some(setup) = on_a_small_disk(&scene, "ro,mode=0700") else {
        return Ok(());
    };
    let mut client = Client::start(&setup)?;
    for _ in 0..2 {
        let refused = new_session(&mut client, &scene)?;
        assert!(error(&refused).contains("--state-dir"), "{refused}");
        let listed = client.call("session/list", json!({}))?;
        assert_eq!(listed["result"]["sessions"], json!([]));
        assert_eq!(client.load("sess_0", scene.cwd())?["error"]["code"], -32002);
    }
    scene.end(client).map(drop)
}

/// An agent that is not root, as most are.
#[test]
fn a_folder_without_permission_is_told() -> Found<()> {
    let scene = Scene::new()?;
    let mut setup = scene.setup();
    setup.cwd = "/".into();
    if nix::unistd::geteuid().is_root() {
        let nobody = [
            "setpriv",
            "--reuid",
            "65534",
            "--regid",
            "65534",
            "--clear-groups",
        ];
        setup.command.splice(0..0, nobody.map(OsString::from));
    } else {
        fs::set_permissions(scene.state.path(), fs::Permissions::from_mode(0o500)).unwrap();
    }
    let mut client = Client::start(&setup)?;
    for _ in 0..2 {
        let refused = client.call("session/new", json!({"cwd": "/", "mcpServers": []}))?;
        assert!(error(&refused).contains("--state-dir"), "{refused}");
    }
    let ended = client.end()?;
    assert!(ended.status.success());
    Ok(())
}

#[test]
fn a_file_where_the_folder_should_be_is_told() -> Found<()> {
    for below in ["", "/sessions"] {
        let scene = Scene::new()?;
        let state = scene.workspace.path().join("state");
        if below.is_empty() {
            fs::write(&state, "a file").unwrap();
        } else {
            fs::create_dir(&state).unwrap();
            fs::write(state.join("sessions"), "a file").unwrap();
        }
        let mut setup = scene.setup();
        setup.args[1] = state.clone().into();
        let mut client = Client::start(&setup)?;
        for _ in 0..2 {
            let refused = new_session(&mut client, &scene)?;
            assert!(error(&refused).contains("move it away"), "{refused}");
            // Empty or an error, but an answer.
            client.call("session/list", json!({}))?;
        }
        // It is moved away, and all is well.
        if below.is_empty() {
            fs::remove_file(&state).unwrap();
        } else {
            fs::remove_file(state.join("sessions")).unwrap();
        }
        let session = client.session(scene.cwd())?;
        assert_eq!(client.turn(&session, "reply MARK")?, "end_turn");
        scene.end(client)?;
    }
    Ok(())
}

#[test]
fn a_folder_that_is_deleted_during_a_session_is_told() -> Found<()> {
    let scene = Scene::new()?;
    let mut client = scene.client()?;
    let session = client.session(scene.cwd())?;
    assert_eq!(client.turn(&session, "reply ONE")?, "end_turn");
    fs::remove_dir_all(scene.state.path().join("sessions")).unwrap();
    let answer = client.turn(&session, "reply TWO")?;
    assert!(error(&answer).contains("was removed"), "{answer}");
    // A cancel is still one, and other sessions have a new folder.
    let sleep = client.prompt(
        &session,
        &format!("Run the shell command sleep {}", scene.mark),
    )?;
    client.running(&session)?;
    client.cancel(&session)?;
    assert_eq!(client.answer(sleep)?["result"]["stopReason"], "cancelled");
    let other = client.session(scene.cwd())?;
    assert_eq!(client.turn(&other, "reply THREE")?, "end_turn");
    assert_eq!(client.load(&session, scene.cwd())?["error"]["code"], -32002);
    let ended = client.end()?;
    eprintln!("ended with {}", ended.status);
    scene.nothing_left()
}

/// The kernel says once that it could not write, and forgets what it had: so the session ends
/// there, and the agent lives. The file's data and its name in the folder are flushed apart.
#[test]
fn a_flush_that_fails_is_told_and_never_taken_for_one() -> Found<()> {
    for (name, call) in [
        ("fdatasync", libc::SYS_fdatasync),
        ("fsync", libc::SYS_fsync),
    ] {
        let scene = Scene::new()?;
        let Some(mut client) = where_it_fails(&scene, call)? else {
            return Ok(());
        };
        if call == libc::SYS_fsync {
            no_folder_is_taken_for_durable(&mut client, &scene)?;
        }
        // Nothing is promised yet.
        let session = client.session(scene.cwd())?;
        let failed = client.turn(&session, "reply ONE")?;
        assert!(error(&failed).contains("cannot flush"), "{name}: {failed}");
        assert!(error(&failed).contains("os error 5"), "{name}: {failed}");
        let lost = client.turn(&session, "reply TWO")?;
        assert!(
            error(&lost).contains("load this one again"),
            "{name}: {lost}"
        );
        // A cancelled turn is answered as cancelled all the same.
        let sleep = format!("Run the shell command sleep {}", scene.mark);
        let sleep = client.prompt(&session, &sleep)?;
        client.running(&session)?;
        client.cancel(&session)?;
        assert_eq!(client.answer(sleep)?["result"]["stopReason"], "cancelled");
        // Loaded again it has what the kernel still has, and the next prompt is told the same.
        client.seen();
        assert!(client.load(&session, scene.cwd())?.get("result").is_some());
        assert_eq!(text(&client.updates()), "ONE", "{name}");
        let failed = client.turn(&session, "reply THREE")?;
        assert!(error(&failed).contains("cannot flush"), "{name}: {failed}");
        let listed = client.call("session/list", json!({}))?;
        assert_eq!(listed["result"]["sessions"].as_array().unwrap().len(), 1);
        // What could not be saved is no clean end.
        let ended = client.end()?;
        assert_eq!(ended.status.code(), Some(1), "{name}");
        scene.nothing_left()?;

        // The disk is well again, and no more is gone than was told.
        let mut client = scene.client()?;
        assert!(client.load(&session, scene.cwd())?.get("result").is_some());
        assert_eq!(text(&client.updates()), "ONETHREE", "{name}");
        assert_eq!(client.turn(&session, "reply FOUR")?, "end_turn");
        scene.end(client)?;
    }
    Ok(())
}

/// A folder whose name may be gone after a power cut is none, also for who asks again.
fn no_folder_is_taken_for_durable(client: &mut Client, scene: &Scene) -> Found<()> {
    for _ in 0..2 {
        let refused = new_session(client, scene)?;
        assert!(error(&refused).contains("flush the folder"), "{refused}");
    }
    fs::create_dir(scene.state.path().join("sessions")).unwrap();
    Ok(())
}

#[test]
fn a_delete_and_an_edit_that_cannot_be_flushed_are_told() -> Found<()> {
    let scene = Scene::new()?;
    let Some(mut client) = where_it_fails(&scene, libc::SYS_fsync)? else {
        return Ok(());
    };
    no_folder_is_taken_for_durable(&mut client, &scene)?;
    let session = client.session(scene.cwd())?;
    client.turn(&session, "Write the word NEW into the file a.txt")?;
    let updates = client.updates();
    let failed = updates.iter().find(|update| update["status"] == "failed");
    let failed = failed.unwrap().to_string();
    assert!(failed.contains("os error 5"), "{failed}");
    assert_eq!(
        fs::read_dir(scene.cwd()).unwrap().count(),
        0,
        "nothing is left of it"
    );
    // The second time it is gone already, and might come back.
    for _ in 0..2 {
        let refused = client.call("session/delete", json!({"sessionId": session}))?;
        assert!(error(&refused).contains("cannot flush"), "{refused}");
    }
    let answer = client.session(scene.cwd())?;
    assert_ne!(answer, session, "the agent lives");
    client.end().map(drop)
}

#[test]
fn a_second_process_is_told_who_has_the_session() -> Found<()> {
    let scene = Scene::new()?;
    let mut first = scene.client()?;
    let session = first.session(scene.cwd())?;
    assert_eq!(first.turn(&session, "reply ONE")?, "end_turn");
    let mut second = scene.client()?;
    for method in ["session/load", "session/resume"] {
        let params = json!({"sessionId": session, "cwd": scene.cwd(), "mcpServers": []});
        let refused = second.call(method, params)?;
        let pid = first.program.id().to_string();
        assert!(error(&refused).contains(&pid), "{refused}");
    }
    let refused = second.call("session/delete", json!({"sessionId": session}))?;
    assert!(error(&refused).contains("process"), "{refused}");
    // The holder never noticed, and what it says now is not lost.
    assert_eq!(first.turn(&session, "reply TWO")?, "end_turn");
    first.program.kill()?;
    assert!(second.load(&session, scene.cwd())?.get("result").is_some());
    assert_eq!(text(&second.updates()), "ONETWO");
    assert_eq!(second.turn(&session, "reply THREE")?, "end_turn");
    scene.end(second).map(drop)
}

/// Whatever a session is called in the folder, only regular files of ours are opened.
#[test]
fn things_that_are_no_sessions_are_in_nobodys_way() -> Found<()> {
    let scene = Scene::new()?;
    let folder = scene.state.path().join("sessions");
    fs::create_dir(&folder).unwrap();
    fs::create_dir(folder.join("sess_folder.jsonl")).unwrap();
    fs::write(folder.join("sess_empty.jsonl"), "").unwrap();
    fs::write(folder.join("sess_noise.jsonl"), [0xff_u8; 70_000]).unwrap();
    fs::write(folder.join("notes.txt"), "hello").unwrap();
    std::os::unix::fs::symlink("/etc/passwd", folder.join("sess_link.jsonl")).unwrap();
    nix::unistd::mkfifo(
        &folder.join("sess_pipe.jsonl"),
        nix::sys::stat::Mode::S_IRWXU,
    )
    .unwrap();
    let mut client = scene.client()?;
    let listed = client.call("session/list", json!({}))?;
    assert_eq!(listed["result"]["sessions"], json!([]));
    for name in ["folder", "empty", "noise", "link", "pipe"] {
        let answer = client.load(&format!("sess_{name}"), scene.cwd())?;
        assert!(answer["error"]["message"].is_string(), "{name}: {answer}");
        assert!(!answer.to_string().contains("root:"), "{answer}");
    }
    let session = client.session(scene.cwd())?;
    assert_eq!(client.turn(&session, "reply MARK")?, "end_turn");
    scene.end(client).map(drop)
}
