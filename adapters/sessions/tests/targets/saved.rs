//! Publication, checkpoint and restore: the git parts of cases 49, 77 and 78.

use std::{
    fs,
    os::unix::{ffi::OsStrExt as _, fs::PermissionsExt as _},
    path::{Path, PathBuf},
};

use acp_sessions::{
    api::SessionId,
    config::BundleConfig,
    git::{
        Checkout, Publication, Selection, checkpoint, diff, export, open, prepare, published,
        restore,
    },
    target::Place,
};

use crate::{
    origin::{Origin, bundle, git},
    scene::{Scene, shell},
};

/// A prepared session on this machine.
struct Session {
    scene: Scene,
    origin: Origin,
    place: Place,
    checkout: Checkout,
}

impl Session {
    async fn new() -> Self {
        let scene = Scene::new();
        let origin = Origin::new(scene.folder.path(), "app");
        let place = scene.local().await;
        let (bundle, session) = (origin.bundle(), SessionId::random());
        let selection = Selection::default();
        let checkout = prepare(&place, &bundle, &selection, &session)
            .await
            .unwrap();
        Self {
            scene,
            origin,
            place,
            checkout,
        }
    }

    fn clone(&self) -> &Path {
        &self.checkout.primary
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.clone().join(name), text).unwrap();
    }

    fn commit(&self, name: &str) -> String {
        self.write(name, name);
        git(self.clone(), &["add", "."]);
        git(self.clone(), &["commit", "--quiet", "-m", name]);
        git(self.clone(), &["rev-parse", "HEAD"])
    }

    /// The reasons why it is not published.
    async fn reasons(&self) -> Vec<String> {
        match published(&self.place, &self.checkout).await.unwrap() {
            Publication::Published => Vec::new(),
            Publication::Unpublished { reasons } => reasons,
        }
    }

    fn archive(&self) -> PathBuf {
        self.scene.folder.path().join("saved.tar")
    }
}

/// Everything that must come back: names, content, links, rights, and what git says.
fn picture(clone: &Path) -> String {
    let words: [&[&str]; 7] = [
        &["status", "--porcelain", "-z", "--untracked-files=all"],
        &["diff", "--cached", "--binary"],
        &["diff", "--binary"],
        &["stash", "list", "--format=%H %gs"],
        &[
            "for-each-ref",
            "--format=%(refname) %(objectname) %(upstream)",
            "refs/heads",
            "refs/tags",
            "refs/stash",
        ],
        &["rev-parse", "HEAD"],
        &["rev-parse", "--symbolic-full-name", "HEAD"],
    ];
    let mut lines: Vec<String> = words.iter().map(|words| git(clone, words)).collect();
    let mut open = vec![clone.to_path_buf()];
    let mut files = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            let about = path.symlink_metadata().unwrap();
            if path.ends_with(".git") {
            } else if about.is_symlink() {
                files.push(format!("{path:?} -> {:?}", fs::read_link(&path).unwrap()));
            } else if about.is_dir() {
                open.push(path);
            } else {
                let mode = about.permissions().mode() & 0o777;
                files.push(format!("{path:?} {mode:o} {:?}", fs::read(&path).unwrap()));
            }
        }
    }
    files.sort();
    lines.extend(files);
    lines.join("\n").replace(clone.to_str().unwrap(), "CLONE")
}

#[tokio::test]
async fn an_untouched_clone_is_published_also_when_the_remote_moves_on() {
    let session = Session::new().await;
    assert_eq!(session.reasons().await, Vec::<String>::new());
    session.origin.commit("later");
    assert_eq!(session.reasons().await, Vec::<String>::new());
    git(session.clone(), &["switch", "--quiet", "-c", "work"]);
    assert_eq!(session.reasons().await, Vec::<String>::new());
    assert_eq!(git(session.clone(), &["status", "--porcelain"]), "");
    assert!(!git(session.clone(), &["for-each-ref"]).contains("refs/remote/"));
}

#[tokio::test]
async fn case_49_work_that_is_not_on_the_remote_is_not_published() {
    let session = Session::new().await;
    let clone = session.clone();
    session.write("new", "new");
    assert!(session.reasons().await[0].contains("not committed"));
    let commit = session.commit("new");
    assert_eq!(
        session.reasons().await,
        ["app: refs/heads/main is not on the remote"]
    );
    // What the clone believes of the remote proves nothing.
    git(clone, &["update-ref", "refs/remotes/origin/main", &commit]);
    git(clone, &["remote", "add", "here", clone.to_str().unwrap()]);
    assert_eq!(
        session.reasons().await,
        ["app: refs/heads/main is not on the remote"]
    );
    git(
        clone,
        &["push", "--quiet", "origin", "HEAD:refs/heads/elsewhere"],
    );
    assert_eq!(session.reasons().await, Vec::<String>::new());

    git(clone, &["tag", "-a", "-m", "words", "v1"]);
    assert_eq!(
        session.reasons().await,
        ["app: refs/tags/v1 is not on the remote"]
    );
    git(clone, &["push", "--quiet", "origin", "v1"]);
    session.write("file", "stashed");
    git(clone, &["stash"]);
    assert_eq!(
        session.reasons().await,
        ["app: there are 1 entries in the stash"]
    );
    git(clone, &["stash", "drop", "--quiet"]);

    git(clone, &["update-index", "--assume-unchanged", "file"]);
    session.write("file", "hidden");
    assert!(session.reasons().await[0].contains("told not to look at 1 files"));
    git(clone, &["checkout", "--quiet", "HEAD", "--", "file"]);
    git(clone, &["update-index", "--no-assume-unchanged", "file"]);
    git(clone, &["restore", "file"]);
    git(clone, &["switch", "--quiet", "--detach"]);
    assert_eq!(session.reasons().await, Vec::<String>::new());
    let detached = session.commit("detached");
    assert_eq!(
        session.reasons().await,
        [format!(
            "app: the detached HEAD {detached} is not on the remote"
        )]
    );

    fs::rename(
        &session.origin.bare,
        session.origin.bare.with_extension("moved"),
    )
    .unwrap();
    assert!(
        session.reasons().await[0].contains("cannot be verified"),
        "{:?}",
        session.reasons().await
    );
}

/// Work of every kind in a clone.
fn work(session: &Session) {
    let clone = session.clone();
    for name in [
        "gone",
        "staged-gone",
        "folder/inside",
        "type",
        "mode",
        "assumed",
    ] {
        fs::create_dir_all(clone.join(name).parent().unwrap()).unwrap();
        session.write(name, name);
    }
    session.commit("committed");
    git(clone, &["branch", "side", "HEAD~1"]);
    git(
        clone,
        &[
            "branch",
            "--quiet",
            "--set-upstream-to=origin/other",
            "side",
        ],
    );
    git(clone, &["tag", "-a", "-m", "words", "v1"]);
    for number in 0..2 {
        session.write("file", &format!("stash {number}"));
        git(clone, &["stash", "-m", &format!("stash: number {number}")]);
    }
    session.write("file", "staged");
    session.write("added", "added");
    git(clone, &["add", "file", "added"]);
    git(clone, &["rm", "--quiet", "staged-gone"]);
    session.write("file", "not staged\r\n");
    fs::remove_file(clone.join("gone")).unwrap();
    // A folder becomes a file, a file a link.
    fs::remove_dir_all(clone.join("folder")).unwrap();
    session.write("folder", "a file now");
    fs::remove_file(clone.join("type")).unwrap();
    std::os::unix::fs::symlink("/nowhere", clone.join("type")).unwrap();
    fs::set_permissions(clone.join("mode"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::create_dir(clone.join("deep")).unwrap();
    session.write("deep/-odd name\n*\"'$(x)", "odd");
    let bytes = std::ffi::OsStr::from_bytes(b"not utf8 \xff");
    fs::write(clone.join(bytes), b"\0\xff\n").unwrap();
    std::os::unix::fs::symlink("../gone", clone.join("deep/link")).unwrap();
    session.write(".gitignore", "ignored\n");
    session.write("ignored", "ignored");
}

#[tokio::test]
async fn case_77_everything_comes_back() {
    let session = Session::new().await;
    work(&session);
    let state = session.place.state_dir().unwrap();
    fs::create_dir_all(state.join("agent")).unwrap();
    fs::write(state.join("agent/memory"), "remembered").unwrap();
    fs::write(state.join("agent/login"), "secret").unwrap();
    let before = picture(session.clone());
    let archive = checkpoint(&session.place, &session.checkout, &session.archive())
        .await
        .unwrap();
    assert_eq!(picture(session.clone()), before, "saving changes nothing");
    let bytes = fs::read(&archive.path).unwrap();
    for secret in ["secret", session.origin.bare.to_str().unwrap()] {
        assert!(
            !bytes
                .windows(secret.len())
                .any(|window| window == secret.as_bytes()),
            "{secret}"
        );
    }
    session.place.release(false).await.unwrap();

    // The remote has moved on meanwhile.
    session.origin.commit("later");
    let place = session.scene.local().await;
    let bundle = session.origin.bundle();
    let checkout = restore(&place, Some(&bundle), &archive.path).await.unwrap();
    fs::remove_file(place.root().join("app/ignored")).unwrap_err();
    fs::write(place.root().join("app/ignored"), "ignored").unwrap();
    assert_eq!(picture(&checkout.primary), before);
    assert_eq!(checkout.base, session.checkout.base);
    let state = place.state_dir().unwrap();
    assert_eq!(
        fs::read_to_string(state.join("agent/memory")).unwrap(),
        "remembered"
    );
    assert!(!state.join("agent/login").exists());
    assert!(!git(&checkout.primary, &["for-each-ref"]).contains("acp-sessions"));
    git(&checkout.primary, &["fsck", "--no-dangling"]);
    let leftovers = shell(
        &place,
        "find . .. -name '*.bundle' -o -name '*.part' -o -name unpack.tar",
    )
    .await;
    assert_eq!(leftovers, "");
}

#[tokio::test]
async fn every_clone_of_a_bundle_and_a_detached_head_come_back() {
    let scene = Scene::new();
    let app = Origin::new(scene.folder.path(), "app");
    let library = Origin::new(scene.folder.path(), "library");
    let bundle: BundleConfig = bundle(&[("app", &app), ("library", &library)]);
    let place = scene.local().await;
    let selection = Selection {
        at: Some(app.id("main~1")),
        ..Selection::default()
    };
    let checkout = prepare(&place, &bundle, &selection, &SessionId::random())
        .await
        .unwrap();
    fs::write(checkout.roots[0].join("new"), "new").unwrap();
    let pictures = [picture(&checkout.primary), picture(&checkout.roots[0])];
    let path = scene.folder.path().join("saved.tar");
    let archive = checkpoint(&place, &checkout, &path).await.unwrap();
    let manifest = open(&path, Some(&archive.sha256)).unwrap();
    assert_eq!(manifest.repositories[0].untracked, []);
    place.release(false).await.unwrap();

    let place = scene.local().await;
    let restored = restore(&place, Some(&bundle), &path).await.unwrap();
    assert_eq!(
        [picture(&restored.primary), picture(&restored.roots[0])],
        pictures
    );
    assert_eq!(
        git(&restored.primary, &["rev-parse", "--abbrev-ref", "HEAD"]),
        "HEAD"
    );
}

#[tokio::test]
async fn a_checkpoint_needs_no_remote_and_then_holds_all_commits() {
    let session = Session::new().await;
    session.commit("work");
    let moved = session.origin.bare.with_extension("moved");
    fs::rename(&session.origin.bare, &moved).unwrap();
    let archive = checkpoint(&session.place, &session.checkout, &session.archive())
        .await
        .unwrap();
    let before = picture(session.clone());
    session.place.release(false).await.unwrap();
    // The remote has lost everything that the session knew.
    git(
        session.scene.folder.path(),
        &[
            "init",
            "--quiet",
            "--bare",
            session.origin.bare.to_str().unwrap(),
        ],
    );
    let place = session.scene.local().await;
    let restored = restore(&place, Some(&session.origin.bundle()), &archive.path)
        .await
        .unwrap();
    let without_upstream = |text: &str| {
        text.replace(" refs/remotes/origin/main", "")
            .replace("main \n", "main\n")
    };
    let lines = |text: String| without_upstream(&text).replace(' ', "");
    assert_eq!(lines(picture(&restored.primary)), lines(before));
}

#[tokio::test]
async fn what_cannot_be_put_back_is_not_saved() {
    let session = Session::new().await;
    let clone = session.clone();
    git(clone, &["switch", "--quiet", "-c", "a"]);
    session.write("file", "a");
    git(clone, &["commit", "--quiet", "-am", "a"]);
    git(clone, &["switch", "--quiet", "-c", "b", "HEAD~1"]);
    session.write("file", "b");
    git(clone, &["commit", "--quiet", "-am", "b"]);
    assert!(
        std::process::Command::new("git")
            .args(["-c", "user.name=x", "-c", "user.email=x", "merge", "a"])
            .current_dir(clone)
            .output()
            .is_ok()
    );
    let error = checkpoint(&session.place, &session.checkout, &session.archive())
        .await
        .unwrap_err();
    assert!(error.to_string().contains("MERGE_HEAD"), "{error}");
    assert!(!session.archive().exists());
}

#[tokio::test]
async fn case_78_a_damaged_copy_leaves_the_previous_checkpoint() {
    let session = Session::new().await;
    let first = checkpoint(&session.place, &session.checkout, &session.archive())
        .await
        .unwrap();
    let bytes = fs::read(&first.path).unwrap();
    session.write("new", "new");
    // On the way the digest changes: on this target the program that tells it lies.
    let folder = session.scene.folder.path().join("bin");
    fs::create_dir(&folder).unwrap();
    let liar = folder.join("sha256sum");
    fs::write(&liar, "#!/bin/sh\necho \"$(echo 0 | tr 0 a)  $2\"\n").unwrap();
    fs::set_permissions(&liar, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let program = std::env::current_exe().unwrap();
    let output = std::process::Command::new(program)
        .args(["--exact", "saved::child_that_saves", "--nocapture"])
        .env("PATH", path)
        .env(
            "SAVED_PLACE",
            serde_json::to_string(session.place.locator()).unwrap(),
        )
        .env(
            "SAVED_CHECKOUT",
            serde_json::to_string(&session.checkout).unwrap(),
        )
        .env("SAVED_FOLDER", session.scene.folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        said.contains("damaged on its way"),
        "{said} {}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(
        fs::read(&first.path).unwrap() == bytes,
        "the first one stays"
    );
    let left: Vec<_> = fs::read_dir(session.scene.folder.path())
        .unwrap()
        .flatten()
        .collect();
    assert!(
        left.iter()
            .all(|entry| !entry.file_name().to_string_lossy().contains("checkpoint-"))
    );
    open(&first.path, Some(&first.sha256)).unwrap();
}

/// What the test above runs in a process of its own, with another `PATH`. Alone it does nothing.
#[tokio::test]
async fn child_that_saves() {
    let of = |name: &str| std::env::var(name).unwrap();
    let Ok(locator) = std::env::var("SAVED_PLACE") else {
        return;
    };
    let locator = serde_json::from_str(&locator).unwrap();
    let checkout = serde_json::from_str(&of("SAVED_CHECKOUT")).unwrap();
    let scene = Scene::new();
    let target = acp_sessions::config::TargetConfig::local("local");
    let place = Place::attach(&scene.grounds, &target, &locator)
        .await
        .unwrap();
    let into = Path::new(&of("SAVED_FOLDER")).join("saved.tar");
    println!(
        "{}",
        checkpoint(&place, &checkout, &into).await.unwrap_err()
    );
}

#[tokio::test]
async fn a_damaged_archive_is_refused_before_anything_of_it_is_used() {
    let session = Session::new().await;
    session.write("new", &"x".repeat(5_000));
    let archive = checkpoint(&session.place, &session.checkout, &session.archive())
        .await
        .unwrap();
    let good = fs::read(&archive.path).unwrap();
    let at = good
        .windows(9)
        .position(|window| window == b"xxxxxxxxx")
        .unwrap();
    let mut flipped = good.clone();
    flipped[at] = b'y';
    let cases = [flipped, good[..good.len() / 2].to_vec(), Vec::new()];
    for bad in cases {
        fs::write(&archive.path, bad).unwrap();
        open(&archive.path, None).unwrap_err();
        let error = open(&archive.path, Some(&archive.sha256))
            .unwrap_err()
            .to_string();
        assert!(error.contains("was recorded"), "{error}");
        let place = session.scene.local().await;
        restore(&place, Some(&session.origin.bundle()), &archive.path)
            .await
            .unwrap_err();
        assert_eq!(fs::read_dir(place.root()).unwrap().count(), 0);
    }
    fs::write(&archive.path, good).unwrap();
    open(&archive.path, Some(&archive.sha256)).unwrap();
}

#[tokio::test]
async fn a_directory_of_the_users_own_is_neither_saved_nor_judged() {
    let scene = Scene::new();
    let origin = Origin::new(scene.folder.path(), "app");
    fs::write(origin.copy.join("new"), "new\n").unwrap();
    let target = acp_sessions::config::TargetConfig::local("local");
    let locator = Place::plan(
        &scene.grounds,
        &target,
        &SessionId::random(),
        Some(&origin.copy),
    );
    let place = Place::provision(&scene.grounds, &target, &locator)
        .await
        .unwrap();
    let checkout = Checkout::project(place.root());
    assert_eq!(
        published(&place, &checkout).await.unwrap(),
        Publication::Published
    );
    let path = scene.folder.path().join("saved.tar");
    checkpoint(&place, &checkout, &path).await.unwrap();
    assert_eq!(restore(&place, None, &path).await.unwrap(), checkout);
    let found = diff(&place, &checkout, None).await.unwrap();
    assert!(
        found.diff.contains("+new") && found.head_descends_from_base,
        "{found:?}"
    );
    assert_eq!(git(&origin.copy, &["status", "--porcelain"]), "?? new");
}

#[tokio::test]
async fn a_diff_shows_all_work_against_any_base() {
    let session = Session::new().await;
    session.commit("committed");
    session.write("file", "changed\n");
    session.write("new file", "new\n");
    let found = diff(&session.place, &session.checkout, None).await.unwrap();
    for text in ["+committed", "-second", "+changed", "b/new file", "+new"] {
        assert!(found.diff.contains(text), "{text}: {}", found.diff);
    }
    assert_eq!(found.base, session.checkout.base);
    assert!(found.head_descends_from_base);
    assert_eq!(
        git(session.clone(), &["diff", "--cached", "--name-only"]),
        ""
    );
    let other = diff(&session.place, &session.checkout, Some("origin/other"))
        .await
        .unwrap();
    assert_eq!(other.base, Some(session.origin.id("other")));
    let head = diff(&session.place, &session.checkout, Some("HEAD"))
        .await
        .unwrap();
    assert!(!head.diff.contains("+committed"));
    for bad in ["nosuch", "--output=/x", ""] {
        let error = diff(&session.place, &session.checkout, Some(bad))
            .await
            .unwrap_err();
        assert!(error.to_string().contains("base"), "{error}");
    }
    git(
        session.clone(),
        &["checkout", "--quiet", "--orphan", "fresh"],
    );
    session.commit("unrelated");
    let orphan = diff(&session.place, &session.checkout, None).await.unwrap();
    assert!(!orphan.head_descends_from_base);
}

#[tokio::test]
async fn commits_are_exported_as_a_bundle() {
    let session = Session::new().await;
    let into = session.scene.folder.path().join("work.bundle");
    let error = export(&session.place, &session.checkout, &into)
        .await
        .unwrap_err();
    assert!(
        error.to_string().contains("no commit beyond the base"),
        "{error}"
    );
    let commit = session.commit("work");
    let archive = export(&session.place, &session.checkout, &into)
        .await
        .unwrap();
    assert_eq!(archive.size, fs::metadata(&into).unwrap().len());
    git(
        &session.origin.copy,
        &["fetch", "--quiet", into.to_str().unwrap(), "main"],
    );
    assert_eq!(
        git(&session.origin.copy, &["rev-parse", "FETCH_HEAD"]),
        commit
    );
}
