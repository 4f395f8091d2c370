//! What must hold on every kind of target, whatever stands between.

use std::{os::unix::ffi::OsStrExt as _, path::Path, process::Stdio, time::Duration};

use acp_sessions::{
    api::SessionId,
    config::{BundleConfig, TargetConfig},
    git::{Publication, Selection, checkpoint, diff, prepare, published, restore},
    target::{Digest, Ended, Place, TargetCommand, TargetError},
};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

use crate::scene::{Scene, grounds, marker, running, sh, shell, target_of, until};

/// Words, folder, environment, input, output, complaints and endings are the command's own.
pub async fn commands(place: &Place) {
    let odd = "a b'\"$(x)\n\\;*\u{e9} -n";
    let mut command =
        TargetCommand::new(["sh", "-c", r#"printf '%s|%s|%s' "$1" "$ODD" "$PWD"; cat"#])
            .env("ODD", odd);
    command.argv.extend(["sh".into(), odd.into()]);
    let output = place.run(&command, b" and\0the input\n").await.unwrap();
    let root = place.root().display();
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        format!("{odd}|{odd}|{root} and\0the input\n")
    );
    assert_eq!(output.ended, Ended::Exited(0));

    let output = place.run(&sh("echo no >&2; exit 7"), b"").await.unwrap();
    assert_eq!(
        (output.ended, output.stderr.as_str()),
        (Ended::Exited(7), "no")
    );
    for command in [
        TargetCommand::new(["no-such-program"]),
        sh(":").cwd("/no/such"),
    ] {
        place.run(&command, b"").await.unwrap_err();
    }
    let big = vec![b'x'; 3_000_000];
    let output = place.run(&sh("cat"), &big).await.unwrap();
    assert!(output.stdout == big);
}

/// What takes too long or says too much is ended, on the target too.
pub async fn bounds(place: &Place) {
    let marker = marker();
    let slow = sh(&format!("sleep {marker}; :")).within(Duration::from_secs(2));
    let error = place.run(&slow, b"").await.unwrap_err();
    assert!(matches!(error, TargetError::TooLong { .. }), "{error}");
    assert_eq!(running(&marker), Vec::<String>::new());
    let loud = sh("yes").at_most(1_000);
    let error = place.run(&loud, b"").await.unwrap_err();
    assert!(matches!(error, TargetError::TooMuch { .. }), "{error}");
}

/// A process that talks, ends with everything below it: told to, dropped, or by itself.
pub async fn endings(place: &Place) {
    let marker = marker();
    // One below it, one in a session of its own, one that is deaf to SIGTERM.
    let script = format!(
        "sleep {marker} & setsid sleep {marker} & (trap '' TERM; sleep {marker}; :) & read line; echo \"got $line\"; wait"
    );
    let mut process = place.spawn(&sh(&script)).await.unwrap();
    process.stdin.write_all(b"hello\n").await.unwrap();
    let mut lines = BufReader::new(&mut process.stdout).lines();
    assert_eq!(
        lines.next_line().await.unwrap().as_deref(),
        Some("got hello")
    );
    until("all run", || running(&marker).len() >= 4).await;
    process.end().await;
    assert_eq!(running(&marker), Vec::<String>::new());

    let process = place
        .spawn(&sh(&format!("sleep {marker}; :")))
        .await
        .unwrap();
    until("it runs", || !running(&marker).is_empty()).await;
    drop(process);
    until("it is gone", || running(&marker).is_empty()).await;

    let script = format!("setsid sleep {marker} </dev/null >/dev/null 2>&1 & exit 3");
    let mut process = place.spawn(&sh(&script)).await.unwrap();
    assert_eq!(process.handle.wait().await, Ended::Exited(3));
    assert_eq!(running(&marker), Vec::<String>::new());
}

/// Files travel whole, with their digest.
pub async fn files(scene: &Scene, place: &Place) {
    let odd = std::ffi::OsStr::from_bytes(b"-odd \xff\n'name");
    let content: Vec<u8> = (0..500_000_u32).flat_map(u32::to_le_bytes).collect();
    let (here, back) = (
        scene.folder.path().join("here"),
        scene.folder.path().join("back"),
    );
    std::fs::write(&here, &content).unwrap();
    let there = place.root().join(odd);
    let sent = place.store(&here, &there).await.unwrap();
    let fetched = place.fetch(&there, &back).await.unwrap();
    assert_eq!(
        (sent, fetched),
        (Digest::of(&content), Digest::of(&content))
    );
    assert!(std::fs::read(&back).unwrap() == content);

    let error = place.fetch(Path::new("/no/such"), &back).await.unwrap_err();
    assert!(error.to_string().contains("o such file"), "{error}");
    assert!(
        std::fs::read(&back).unwrap() == content,
        "it was left alone"
    );
    assert!(!scene.folder.path().join("back.part").exists());
    shell(place, "rm -f ./-odd*").await;
}

/// Whoever comes after a daemon that was killed finds the files, and nothing that runs.
pub async fn after_a_crash(scene: &Scene, target: &TargetConfig, target_text: &str) {
    let (marker, session) = (marker(), SessionId::random());
    let locator = Place::plan(&scene.grounds, target, &session, None);
    let mut daemon = tokio::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "every::child_that_is_killed", "--nocapture"])
        .env("CHILD_TARGET", target_text)
        .env("CHILD_LOCATOR", serde_json::to_string(&locator).unwrap())
        .env("CHILD_FOLDER", &scene.grounds.folder)
        .env("CHILD_MARKER", &marker)
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut said = BufReader::new(daemon.stdout.take().unwrap()).lines();
    loop {
        let line = said
            .next_line()
            .await
            .unwrap()
            .expect("the child says that it is ready");
        if line.contains("child is ready") {
            break;
        }
    }
    assert_ne!(running(&marker), Vec::<String>::new());
    daemon.kill().await.unwrap();
    until("nothing of it runs", || running(&marker).is_empty()).await;

    let place = Place::attach(&scene.grounds, target, &locator)
        .await
        .unwrap();
    assert_eq!(shell(&place, "cat kept").await, "kept");
    assert_eq!(running(&marker), Vec::<String>::new());
    place.release(false).await.unwrap();
}

/// What the test above kills. Alone it does nothing.
#[tokio::test]
async fn child_that_is_killed() {
    let Ok(text) = std::env::var("CHILD_TARGET") else {
        return;
    };
    let of = |name: &str| std::env::var(name).unwrap();
    let target = target_of(&text);
    let locator = serde_json::from_str(&of("CHILD_LOCATOR")).unwrap();
    let grounds = grounds(of("CHILD_FOLDER").into());
    let place = Place::provision(&grounds, &target, &locator).await.unwrap();
    let marker = of("CHILD_MARKER");
    let script = format!("echo kept > kept; setsid sleep {marker} & sleep {marker}; :");
    let _process = place.spawn(&sh(&script)).await.unwrap();
    until("both run", || running(&marker).len() >= 2).await;
    println!("child is ready");
    std::future::pending::<()>().await;
}

/// A place is there until it is given back, and can be given back by who only knows where it was.
pub async fn places(scene: &Scene, target: &TargetConfig) {
    let session = SessionId::random();
    let locator = Place::plan(&scene.grounds, target, &session, None);
    // Nothing is there yet.
    Place::release_at(&scene.grounds, target, &locator, false)
        .await
        .unwrap();
    let gone = Place::attach(&scene.grounds, target, &locator).await;
    assert!(gone.is_err(), "{gone:?}");
    let place = Place::provision(&scene.grounds, target, &locator)
        .await
        .unwrap();
    assert!(place.is_managed());
    shell(&place, "mkdir -p a/b; echo x > a/b/c").await;
    // As after a crash in the middle.
    let place = Place::provision(&scene.grounds, target, &locator)
        .await
        .unwrap();
    assert_eq!(shell(&place, "cat a/b/c").await, "x");
    let marker = marker();
    let process = place
        .spawn(&sh(&format!("sleep {marker}; :")))
        .await
        .unwrap();
    until("it runs", || !running(&marker).is_empty()).await;
    Place::release_at(&scene.grounds, target, &locator, false)
        .await
        .unwrap();
    drop(process);
    drop(place);
    until("nothing runs", || running(&marker).is_empty()).await;
    let gone = Place::attach(&scene.grounds, target, &locator).await;
    assert!(gone.is_err(), "{gone:?}");
    Place::release_at(&scene.grounds, target, &locator, false)
        .await
        .unwrap();
}

/// The work of a session survives its place. `bundle` is reached from the target.
pub async fn work(scene: &Scene, target: &TargetConfig, bundle: &BundleConfig, at: &str) {
    let place = scene.provision(target).await;
    let selection = Selection {
        at: Some(at.to_owned()),
        branch: Some("work".to_owned()),
        base: None,
    };
    let session = SessionId::random();
    let checkout = prepare(&place, bundle, &selection, &session).await.unwrap();
    assert_eq!(
        prepare(&place, bundle, &selection, &session).await.unwrap(),
        checkout
    );
    assert_eq!(
        published(&place, &checkout).await.unwrap(),
        Publication::Published
    );
    let script = r#"cd app && git config user.name x && git config user.email x &&
        echo committed > file && git commit -qam work && echo staged > file && git add file &&
        echo changed > file && echo new > "new
name" && rm first.txt && git stash list"#;
    shell(&place, script).await;
    let status = "cd app && git status --porcelain && git rev-parse HEAD && cat file new*";
    let before = shell(&place, status).await;
    let judged = published(&place, &checkout).await.unwrap();
    assert!(matches!(judged, Publication::Unpublished { .. }));
    let shown = diff(&place, &checkout, None).await.unwrap();
    assert!(shown.diff.contains("+changed") && shown.head_descends_from_base);
    let state = place.state_dir().unwrap();
    shell(
        &place,
        &format!(
            "mkdir -p {0}/agent && echo kept > {0}/agent/memory",
            state.display()
        ),
    )
    .await;

    let path = scene.folder.path().join("saved.tar");
    let archive = checkpoint(&place, &checkout, &path).await.unwrap();
    place.release(false).await.unwrap();
    let place = scene.provision(target).await;
    let checkout = restore(&place, Some(bundle), &archive.path).await.unwrap();
    assert_eq!(shell(&place, status).await, before);
    assert_eq!(checkout.base.as_deref(), Some(at));
    let state = place.state_dir().unwrap();
    assert_eq!(
        shell(&place, &format!("cat {}/agent/memory", state.display())).await,
        "kept"
    );
    place.release(false).await.unwrap();
}
