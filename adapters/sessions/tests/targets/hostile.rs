//! Clones in which an agent has put everything that git could be made to run. Our own commands run
//! nothing of it.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use acp_sessions::{
    api::SessionId,
    config::BundleConfig,
    git::{
        Checkout, Publication, Selection, checkpoint, diff, export, prepare, published, restore,
    },
    target::Place,
};

use crate::{
    origin::{Origin, git},
    scene::Scene,
};

struct Trap {
    /// Made by whatever runs.
    sprung: PathBuf,
    program: PathBuf,
}

impl Trap {
    fn new(folder: &Path) -> Self {
        let (sprung, program) = (folder.join("sprung"), folder.join("trap"));
        let script = format!(
            "#!/bin/sh\necho \"$0 $@\" >> '{}'\nexit 1\n",
            sprung.display()
        );
        fs::write(&program, script).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        Self { sprung, program }
    }

    /// What has run.
    fn caught(&self) -> String {
        fs::read_to_string(&self.sprung).unwrap_or_default()
    }

    /// Puts it everywhere in a clone.
    fn set(&self, clone: &Path) {
        let program = self.program.to_str().unwrap();
        let shell = format!("!{program}");
        let settings = [
            ("core.fsmonitor", program),
            ("core.sshCommand", program),
            ("core.askPass", program),
            ("core.editor", program),
            ("core.pager", program),
            ("core.alternateRefsCommand", program),
            ("credential.helper", &shell),
            ("diff.external", program),
            ("diff.trap.command", program),
            ("diff.trap.textconv", program),
            ("filter.trap.clean", program),
            ("filter.trap.smudge", program),
            ("filter.trap.required", "true"),
            ("filter.a=b.process", program),
            ("filter.a=b.required", "true"),
            ("merge.trap.driver", program),
            ("gpg.program", program),
            ("commit.gpgSign", "true"),
            ("log.showSignature", "true"),
            ("remote.origin.uploadpack", program),
            ("remote.origin.receivepack", program),
            ("pager.diff", program),
            ("sequence.editor", program),
            ("gc.auto", "1"),
            ("protocol.ext.allow", "always"),
            ("submodule.recurse", "true"),
            ("uploadpack.packObjectsHook", program),
        ];
        for (name, value) in settings {
            git(clone, &["config", name, value]);
        }
        let hooks = clone.join(".git/hooks");
        fs::create_dir_all(&hooks).unwrap();
        for hook in [
            "post-checkout",
            "pre-commit",
            "post-commit",
            "reference-transaction",
            "post-index-change",
            "pre-auto-gc",
            "fsmonitor-watchman",
            "post-merge",
            "pre-push",
            "commit-msg",
        ] {
            fs::copy(&self.program, hooks.join(hook)).unwrap();
        }
        git(
            clone,
            &["config", "core.hooksPath", hooks.to_str().unwrap()],
        );
        fs::create_dir_all(clone.join(".git/info")).unwrap();
        fs::write(
            clone.join(".git/info/attributes"),
            "* filter=a=b diff=trap merge=trap\n",
        )
        .unwrap();
    }
}

/// A bundle whose repository itself is a trap too.
fn bad_origin(folder: &Path, trap: &Trap) -> (Origin, BundleConfig) {
    let origin = Origin::new(folder, "app");
    let program = trap.program.display();
    fs::write(
        origin.copy.join(".gitattributes"),
        "* filter=trap diff=trap\n",
    )
    .unwrap();
    let modules = format!("[submodule \"sub\"]\n\tpath = sub\n\turl = ext::{program} x\n");
    fs::write(origin.copy.join(".gitmodules"), modules).unwrap();
    let link = format!("160000,{},sub", origin.id("main"));
    git(
        &origin.copy,
        &["update-index", "--add", "--cacheinfo", &link],
    );
    std::os::unix::fs::symlink("/etc", origin.copy.join("etc")).unwrap();
    fs::write(origin.copy.join("new\nline \"'"), "odd").unwrap();
    fs::create_dir(origin.copy.join("sub")).unwrap();
    origin.commit("bad");
    let bundle = origin.bundle();
    (origin, bundle)
}

#[tokio::test]
async fn nothing_of_a_hostile_repository_runs() {
    let scene = Scene::new();
    let folder = scene.folder.path();
    let trap = Trap::new(folder);
    let (origin, bundle) = bad_origin(folder, &trap);
    let place = scene.local().await;
    let (session, first) = (SessionId::random(), origin.id("main"));
    let selection = Selection {
        at: Some(first),
        branch: Some("work".to_owned()),
        base: Some("origin/other".to_owned()),
    };
    let checkout = prepare(&place, &bundle, &selection, &session)
        .await
        .unwrap();
    let clone = &checkout.primary;
    fs::write(clone.join("file"), "changed\n").unwrap();
    git(clone, &["add", "file"]);
    git(clone, &["commit", "--quiet", "-m", "work"]);
    fs::write(clone.join("file"), "changed again\n").unwrap();
    fs::write(clone.join("untracked"), "new\n").unwrap();
    trap.set(clone);

    let found = diff(&place, &checkout, None).await.unwrap();
    assert!(
        found.diff.contains("+changed again") && found.diff.contains("+new"),
        "{found:?}"
    );
    let judged = published(&place, &checkout).await.unwrap();
    assert!(matches!(judged, Publication::Unpublished { .. }));
    let path = folder.join("saved.tar");
    checkpoint(&place, &checkout, &path).await.unwrap();
    export(&place, &checkout, &folder.join("work.bundle"))
        .await
        .unwrap();
    prepare(&place, &bundle, &selection, &session)
        .await
        .unwrap_err();
    let again = scene.local().await;
    let restored = restore(&again, Some(&bundle), &path).await.unwrap();
    assert_eq!(
        fs::read_to_string(restored.primary.join("file")).unwrap(),
        "changed again\n"
    );
    assert_eq!(trap.caught(), "");

    // The trap is one: git as it is springs it.
    let _ = std::process::Command::new("git")
        .arg("status")
        .current_dir(clone)
        .output();
    assert_ne!(trap.caught(), "");
}

#[tokio::test]
async fn a_clone_that_points_elsewhere_is_not_followed() {
    let scene = Scene::new();
    let origin = Origin::new(scene.folder.path(), "app");
    let place = scene.local().await;
    let bundle = origin.bundle();
    let checkout = prepare(&place, &bundle, &Selection::default(), &SessionId::random())
        .await
        .unwrap();
    let clone = &checkout.primary;
    let elsewhere = scene.folder.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::write(elsewhere.join("secret"), "do not show\n").unwrap();
    git(
        clone,
        &["config", "core.worktree", elsewhere.to_str().unwrap()],
    );
    let found = diff(&place, &checkout, None).await.unwrap();
    assert_eq!(found.diff, "");
    // `.git` itself elsewhere, by a link and by a file.
    let moved = scene.folder.path().join("moved.git");
    fs::rename(clone.join(".git"), &moved).unwrap();
    std::os::unix::fs::symlink(&moved, clone.join(".git")).unwrap();
    refused(&place, &checkout).await;
    fs::remove_file(clone.join(".git")).unwrap();
    fs::write(clone.join(".git"), format!("gitdir: {}\n", moved.display())).unwrap();
    refused(&place, &checkout).await;
}

async fn refused(place: &Place, checkout: &Checkout) {
    let error = diff(place, checkout, None).await.unwrap_err().to_string();
    assert!(error.contains("not a folder of its own"), "{error}");
    let judged = published(place, checkout).await.unwrap();
    assert!(matches!(judged, Publication::Unpublished { .. }));
    let into = place.root().join("saved.tar");
    checkpoint(place, checkout, &into).await.unwrap_err();
}

#[tokio::test]
async fn a_source_that_would_run_a_command_is_refused() {
    let scene = Scene::new();
    let trap = Trap::new(scene.folder.path());
    let mut bundle = Origin::new(scene.folder.path(), "app").bundle();
    let place = scene.local().await;
    let program = trap.program.display().to_string();
    for source in [
        format!("ext::{program} x"),
        format!("--upload-pack={program}"),
        "git://127.0.0.1:9/x".to_owned(),
    ] {
        bundle.repositories[0].source = source;
        let selection = Selection::default();
        prepare(&place, &bundle, &selection, &SessionId::random())
            .await
            .unwrap_err();
        assert_eq!(fs::read_dir(place.root()).unwrap().count(), 0);
    }
    assert_eq!(trap.caught(), "");
}
