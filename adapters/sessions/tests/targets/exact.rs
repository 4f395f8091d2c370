//! The exact checkout: cases 63 to 68.

use std::path::Path;

use acp_sessions::{
    api::SessionId,
    git::{Checkout, GitError, Selection, prepare},
    target::Place,
};

use crate::{
    origin::{Origin, bundle, git},
    scene::Scene,
};

fn at(commit: &str) -> Selection {
    Selection {
        at: Some(commit.to_owned()),
        ..Selection::default()
    }
}

fn branch(selection: Selection, name: &str) -> Selection {
    Selection {
        branch: Some(name.to_owned()),
        ..selection
    }
}

fn base(selection: Selection, revision: &str) -> Selection {
    Selection {
        base: Some(revision.to_owned()),
        ..selection
    }
}

/// One clone and who asks for it.
struct Case {
    scene: Scene,
    origin: Origin,
    place: Place,
    session: SessionId,
}

impl Case {
    async fn new() -> Self {
        let scene = Scene::new();
        let origin = Origin::new(scene.folder.path(), "app");
        let place = scene.local().await;
        let session = SessionId::random();
        Self {
            scene,
            origin,
            place,
            session,
        }
    }

    async fn prepare(&self, selection: &Selection) -> Result<Checkout, GitError> {
        prepare(&self.place, &self.origin.bundle(), selection, &self.session).await
    }

    fn clone(&self) -> std::path::PathBuf {
        self.place.root().join("app")
    }

    fn head(&self) -> String {
        git(&self.clone(), &["rev-parse", "HEAD"])
    }

    /// The branch, or `HEAD`.
    fn branch(&self) -> String {
        git(&self.clone(), &["rev-parse", "--abbrev-ref", "HEAD"])
    }

    fn is_clean(&self) -> bool {
        git(&self.clone(), &["status", "--porcelain"]).is_empty()
    }

    /// What a crash between the switch and the record leaves.
    fn forget_that_it_is_done(&self) {
        let path = self.clone().join(".git/acp-sessions-checkout.json");
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(r#""done":true"#), "{text}");
        std::fs::write(&path, text.replace(r#""done":true"#, r#""done":false"#)).unwrap();
    }
}

fn commit_in(clone: &Path) -> String {
    std::fs::write(clone.join("new"), "new").unwrap();
    git(clone, &["add", "."]);
    git(clone, &["commit", "--quiet", "-m", "new"]);
    git(clone, &["rev-parse", "HEAD"])
}

#[tokio::test]
async fn case_63_exact_commit_on_a_new_branch() {
    let case = Case::new().await;
    let (first, refs) = (case.origin.id("main~1"), case.origin.refs());
    let selection = branch(at(&first.to_uppercase()), " work ");
    let checkout = case.prepare(&selection).await.unwrap();
    assert_eq!(checkout.primary, case.clone());
    assert_eq!(checkout.base.as_ref(), Some(&first));
    assert_eq!((case.head(), case.branch()), (first, "work".to_owned()));
    assert!(case.is_clean());
    let upstream = git(
        &case.clone(),
        &["for-each-ref", "--format=%(upstream)", "refs/heads/work"],
    );
    assert_eq!(upstream, "");
    assert_eq!(case.origin.refs(), refs);

    // Also when the remote moves on in between.
    case.origin.commit("third");
    let reflog = git(&case.clone(), &["reflog"]);
    assert_eq!(case.prepare(&selection).await.unwrap(), checkout);
    assert_eq!(
        git(&case.clone(), &["reflog"]),
        reflog,
        "nothing was moved again"
    );
}

#[tokio::test]
async fn case_64_a_commit_made_after_the_clone_is_fetched_and_detached() {
    let case = Case::new().await;
    // The clone is there, as after a crash before the selection was begun.
    let main = git(&case.origin.copy, &["rev-parse", "HEAD"]);
    git(
        case.place.root(),
        &[
            "clone",
            "--quiet",
            case.origin.bare.to_str().unwrap(),
            "app",
        ],
    );
    let later = case.origin.commit("later");
    let checkout = case.prepare(&at(&later)).await.unwrap();
    assert_eq!(
        (case.head(), case.branch()),
        (later.clone(), "HEAD".to_owned())
    );
    assert_eq!(checkout.base, Some(later));
    assert_eq!(git(&case.clone(), &["rev-parse", "main"]), main);
}

#[tokio::test]
async fn case_65_what_cannot_be_checked_out_moves_nothing() {
    let case = Case::new().await;
    git(&case.origin.copy, &["tag", "-a", "-m", "x", "v1"]);
    git(&case.origin.copy, &["push", "--quiet", "origin", "v1"]);
    let (head, first, tag) = (
        case.origin.id("main"),
        case.origin.id("main~1"),
        case.origin.id("v1"),
    );
    let blob = case.origin.id("main:file");
    let unknown = "1".repeat(40);
    let table = [
        (at(&unknown), unknown.as_str()),
        (at(&first[..10]), "full commit id"),
        (at(&"0".repeat(40)), "null id"),
        (branch(at(&first), "a..b"), "legal branch name"),
        (branch(at(&first), "HEAD"), "not a name for a branch"),
        (branch(at(&first), "main"), "exists already"),
        (branch(at(&first), "main/x"), "refs/heads/main"),
        (branch(at(&first), " "), "is empty"),
        (at(&tag), "is a tag, not a commit"),
        (at(&blob), "is a blob, not a commit"),
        (base(at(&first), "nosuch"), "origin/NAME"),
        (base(at(&first), "--output=x"), "not a revision"),
        (branch(Selection::default(), "nosuch"), "does not exist"),
    ];
    for (selection, text) in table {
        let error = case.prepare(&selection).await.unwrap_err().to_string();
        assert!(error.contains(text), "{selection:?}: {error}");
        if case.clone().exists() {
            assert_eq!(
                (case.head(), case.branch()),
                (head.clone(), "main".to_owned())
            );
            assert!(case.is_clean());
        }
    }
    std::fs::write(case.clone().join("file"), "dirty").unwrap();
    let error = case.prepare(&at(&first)).await.unwrap_err().to_string();
    assert!(error.contains("not clean"), "{error}");
    assert_eq!(case.head(), head);
    assert_eq!(
        std::fs::read_to_string(case.clone().join("file")).unwrap(),
        "dirty"
    );
}

#[tokio::test]
async fn case_66_a_retry_finishes_only_the_same_selection_on_an_untouched_clone() {
    let case = Case::new().await;
    let (main, first) = (case.origin.id("main"), case.origin.id("main~1"));
    let selection = branch(at(&first), "work");
    let checkout = case.prepare(&selection).await.unwrap();
    case.forget_that_it_is_done();
    assert_eq!(case.prepare(&selection).await.unwrap(), checkout);

    // The branch was made, HEAD not moved yet.
    case.forget_that_it_is_done();
    git(&case.clone(), &["switch", "--quiet", "main"]);
    assert_eq!(case.prepare(&selection).await.unwrap(), checkout);
    assert_eq!(
        (case.head(), case.branch()),
        (first.clone(), "work".to_owned())
    );

    for other in [
        at(&main),
        at(&first),
        branch(at(&first), "else"),
        base(selection.clone(), "main"),
    ] {
        let error = case.prepare(&other).await.unwrap_err().to_string();
        assert!(error.contains("another selection"), "{error}");
    }
    let stranger = SessionId::random();
    let error = prepare(&case.place, &case.origin.bundle(), &selection, &stranger).await;
    let error = error.unwrap_err().to_string();
    assert!(error.contains(case.session.as_str()), "{error}");

    case.forget_that_it_is_done();
    std::fs::write(case.clone().join("untracked"), "work").unwrap();
    let error = case.prepare(&selection).await.unwrap_err().to_string();
    assert!(error.contains("untracked"), "{error}");
    assert_eq!(
        std::fs::read_to_string(case.clone().join("untracked")).unwrap(),
        "work"
    );
    std::fs::remove_file(case.clone().join("untracked")).unwrap();

    let commit = commit_in(&case.clone());
    let error = case.prepare(&selection).await.unwrap_err().to_string();
    assert!(error.contains(&commit), "{error}");
    assert_eq!(case.head(), commit);
}

#[tokio::test]
async fn case_67_only_the_primary_repository_is_moved() {
    let case = Case::new().await;
    let library = Origin::new(case.scene.folder.path(), "library");
    git(&case.origin.copy, &["tag", "only-here", "main~1"]);
    git(
        &case.origin.copy,
        &["push", "--quiet", "origin", "only-here"],
    );
    let first = case.origin.id("main~1");
    let bundle = bundle(&[("app", &case.origin), ("library", &library)]);
    let selection = base(branch(at(&first), "work"), "only-here");
    let checkout = prepare(&case.place, &bundle, &selection, &case.session)
        .await
        .unwrap();
    assert_eq!(case.head(), first);
    let other = case.place.root().join("library");
    assert_eq!(checkout.roots, std::slice::from_ref(&other));
    assert_eq!(git(&other, &["rev-parse", "HEAD"]), library.id("main"));
    assert_eq!(git(&other, &["rev-parse", "--abbrev-ref", "HEAD"]), "main");
    assert_eq!(checkout.base, Some(first));
}

#[tokio::test]
async fn case_68_the_receipt_says_at_for_base_and_does_not_change() {
    let case = Case::new().await;
    let first = case.origin.id("main~1");
    let selection = at(&first).checked().unwrap();
    assert_eq!(selection.told_base(), Some(first.as_str()));
    let checkout = case.prepare(&selection).await.unwrap();
    commit_in(&case.clone());
    assert_eq!(checkout.base, Some(first.clone()));
    let diff = acp_sessions::git::diff(&case.place, &checkout, None)
        .await
        .unwrap();
    assert_eq!(diff.base, Some(first));
    assert!(diff.head_descends_from_base);
}

#[tokio::test]
async fn without_a_commit_the_branch_or_the_default_is_checked_out() {
    let case = Case::new().await;
    let selection = base(branch(Selection::default(), "other"), "origin/main");
    let checkout = case.prepare(&selection).await.unwrap();
    assert_eq!(
        (case.head(), case.branch()),
        (case.origin.id("other"), "other".to_owned())
    );
    assert_eq!(checkout.base, Some(case.origin.id("main")));
    let upstream = git(
        &case.clone(),
        &["rev-parse", "--abbrev-ref", "other@{upstream}"],
    );
    assert_eq!(upstream, "origin/other");
    assert_eq!(case.prepare(&selection).await.unwrap(), checkout);

    let case = Case::new().await;
    let checkout = case.prepare(&Selection::default()).await.unwrap();
    assert_eq!(
        (case.head(), case.branch()),
        (case.origin.id("main"), "main".to_owned())
    );
    assert_eq!(checkout.base, Some(case.origin.id("main")));
}

#[tokio::test]
async fn a_repository_without_a_commit_can_be_worked_in() {
    let case = Case::new().await;
    let empty = case.scene.folder.path().join("empty.git");
    git(
        case.scene.folder.path(),
        &["init", "--quiet", "--bare", empty.to_str().unwrap()],
    );
    let mut bundle = case.origin.bundle();
    bundle.repositories[0].source = empty.to_str().unwrap().to_owned();
    let selection = Selection::default();
    let checkout = prepare(&case.place, &bundle, &selection, &case.session)
        .await
        .unwrap();
    assert_eq!(checkout.base, None);
    std::fs::write(case.clone().join("new"), "new\n").unwrap();
    let diff = acp_sessions::git::diff(&case.place, &checkout, None)
        .await
        .unwrap();
    assert!(diff.diff.contains("+new"), "{diff:?}");
}

#[tokio::test]
async fn an_interrupted_clone_is_made_again() {
    let case = Case::new().await;
    let part = case.place.root().join("app.acp-sessions-part");
    std::fs::create_dir_all(part.join(".git")).unwrap();
    case.prepare(&Selection::default()).await.unwrap();
    assert!(!part.exists());
    assert!(case.is_clean());
}
