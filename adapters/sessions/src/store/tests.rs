//! The store by itself: what is found again, and what is never overwritten.

use super::{
    Checkpoint, ItemWrite, NewItem, NewSession, SessionRow, Store, TurnEnd, saved_workspaces,
};
use crate::api::{LifecycleError, Outcome, Role, SessionId, State};

fn open() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("store.sqlite")).unwrap();
    (folder, store)
}

async fn row(store: &Store) -> SessionRow {
    let workspace = store.create_workspace("w".to_owned()).await.unwrap();
    SessionRow {
        id: SessionId::random(),
        asked: NewSession {
            workspace_id: workspace.id,
            harness_kind: "scripted".to_owned(),
            profile_id: "p".to_owned(),
            target_id: "local".to_owned(),
            project_directory: Some("/project/zebra".into()),
            ..NewSession::default()
        },
        title: String::new(),
        state: State::Provisioning,
        error: None,
        native_id: None,
        locator: None,
        checkout: None,
        checkpoint: None,
        revision: 1,
        created_at: super::now(),
        updated_at: super::now(),
    }
}

async fn created(store: &Store) -> SessionRow {
    let row = row(store).await;
    assert!(store.create_session(row.clone()).await.unwrap().1);
    row
}

fn said(turn: u64, role: Role, text: &str) -> ItemWrite {
    let text = text.to_owned();
    ItemWrite::Append(NewItem { turn, role, text })
}

#[tokio::test]
async fn a_workspace_is_found_whatever_the_case_of_its_name() {
    let (folder, store) = open();
    let path = folder.path().join("store.sqlite");
    let first = store.create_workspace("Release".to_owned()).await.unwrap();
    let again = store.create_workspace("release".to_owned()).await.unwrap();
    assert_eq!(first, again);
    store.create_workspace("other".to_owned()).await.unwrap();
    let names = |list: Vec<crate::api::Workspace>| -> Vec<String> {
        list.into_iter().map(|workspace| workspace.name).collect()
    };
    // Both may have been opened in the same millisecond; then the last made comes first.
    assert_eq!(
        names(store.workspaces().await.unwrap()),
        ["other", "Release"]
    );
    assert_eq!(
        names(saved_workspaces(&path).unwrap()),
        ["other", "Release"]
    );
    // Also when no daemon has it open.
    store.close().await;
    assert_eq!(
        names(saved_workspaces(&path).unwrap()),
        ["other", "Release"]
    );
    assert_eq!(saved_workspaces(&folder.path().join("none")).unwrap(), []);
}

#[tokio::test]
async fn a_session_comes_back_as_it_was_saved() {
    let (folder, store) = open();
    let mut row = created(&store).await;
    row.revision = 2;
    row.state = State::Stopped;
    row.title = "a title".to_owned();
    row.error = Some((LifecycleError::Suspend, "it did not finish".to_owned()));
    row.native_id = Some("n".to_owned());
    row.locator = Some("{}".to_owned());
    row.checkout = Some("[]".to_owned());
    let archive = serde_json::json!({"path": "/a", "sha256": "0"});
    row.checkpoint = Some(Checkpoint::Archive { archive });
    row.updated_at += 1;
    store.save_session(row.clone()).await.unwrap();
    store.close().await;
    let store = Store::open(&folder.path().join("store.sqlite")).unwrap();
    assert_eq!(store.sessions().await.unwrap(), [row]);
}

#[tokio::test]
async fn an_older_write_never_undoes_a_newer_one() {
    let (_folder, store) = open();
    let mut row = created(&store).await;
    (row.revision, row.state) = (3, State::Running);
    store.save_session(row.clone()).await.unwrap();
    (row.revision, row.state) = (2, State::Launching);
    store.save_session(row).await.unwrap();
    assert_eq!(store.sessions().await.unwrap()[0].state, State::Running);
}

#[tokio::test]
async fn the_same_request_makes_one_session() {
    let (_folder, store) = open();
    let mut first = row(&store).await;
    first.asked.request_id = Some("r".to_owned());
    let mut second = first.clone();
    second.id = SessionId::random();
    assert_eq!(
        store.create_session(first.clone()).await.unwrap(),
        (first.id.clone(), true)
    );
    assert_eq!(
        store.create_session(second).await.unwrap(),
        (first.id, false)
    );
}

#[tokio::test]
async fn the_same_command_makes_one_turn_and_an_end_is_final() {
    let (_folder, store) = open();
    let id = created(&store).await.id;
    let accept = async |text: &str, command: Option<&str>| {
        let command = command.map(str::to_owned);
        let accepted = store
            .accept_turn(id.clone(), text.to_owned(), command, false)
            .await
            .unwrap();
        (accepted.ordinal, accepted.is_new)
    };
    assert_eq!(accept("one", Some("c")).await, (1, true));
    assert_eq!(accept("one", Some("c")).await, (1, false));
    assert_eq!(accept("two", None).await, (2, true));
    let end = |outcome| TurnEnd {
        outcome,
        stop_reason: None,
        message: None,
        final_message: None,
    };
    store
        .end_turn(id.clone(), 1, end(Outcome::Finished), Vec::new())
        .await
        .unwrap();
    store
        .end_turn(id.clone(), 1, end(Outcome::Cancelled), Vec::new())
        .await
        .unwrap();
    let turn = store.turn(id.clone(), 1).await.unwrap().unwrap();
    assert_eq!(turn.end, Some(end(Outcome::Finished)));
    let open: Vec<u64> = store
        .open_turns(id)
        .await
        .unwrap()
        .iter()
        .map(|turn| turn.ordinal)
        .collect();
    assert_eq!(open, [1, 2]);
}

#[tokio::test]
async fn what_was_said_comes_in_pages() {
    let (_folder, store) = open();
    let id = created(&store).await.id;
    for (role, text) in [(Role::User, "a"), (Role::Agent, "b"), (Role::User, "c")] {
        store
            .write_item(id.clone(), said(1, role, text))
            .await
            .unwrap();
    }
    let replace = ItemWrite::Replace {
        seq: 2,
        text: "bb".to_owned(),
    };
    assert_eq!(store.write_item(id.clone(), replace).await.unwrap(), 2);
    let texts = async |after, limit, role| {
        let items = store.items(id.clone(), after, limit, role).await.unwrap();
        items.into_iter().map(|item| item.text).collect::<Vec<_>>()
    };
    assert_eq!(texts(0, 2, None).await, ["a", "bb"]);
    assert_eq!(texts(2, 2, None).await, ["c"]);
    assert_eq!(texts(0, 9, Some(Role::User)).await, ["a", "c"]);
}

#[tokio::test]
async fn a_marker_is_found_while_live_and_after_the_session_is_gone() {
    let (_folder, store) = open();
    let mut row = created(&store).await;
    let id = row.id.clone();
    store
        .write_item(id.clone(), said(1, Role::User, "say marker-4711 now"))
        .await
        .unwrap();
    let replaced = store
        .write_item(id.clone(), said(1, Role::Agent, "grow"))
        .await
        .unwrap();
    let replace = ItemWrite::Replace {
        seq: replaced,
        text: "growing".to_owned(),
    };
    store.write_item(id.clone(), replace).await.unwrap();
    (row.revision, row.title) = (2, "about kites".to_owned());
    store.save_session(row).await.unwrap();
    for exists in [true, false] {
        for words in ["marker-4711", "NOW say", "growing", "kites", "zebra"] {
            let rows = store.search(words, 10).await.unwrap();
            let found: Vec<_> = rows
                .iter()
                .map(|row| (row.session_id.as_str(), row.exists))
                .collect();
            assert_eq!(found, [(id.as_str(), exists)], "{words}");
            assert_eq!(
                (rows[0].tool.as_str(), rows[0].title.as_str()),
                ("scripted", "about kites")
            );
        }
        for words in ["grow", "absent", "marker-4711 absent"] {
            assert_eq!(store.search(words, 10).await.unwrap(), [], "{words}");
        }
        store.remove_session(id.clone()).await.unwrap();
    }
    assert_eq!(store.items(id, 0, 10, None).await.unwrap(), []);
}

#[tokio::test]
async fn a_job_that_fails_undoes_nothing_of_the_others() {
    let (_folder, store) = open();
    let id = created(&store).await.id;
    let strange = SessionId::random();
    let (good, bad) = tokio::join!(
        store.accept_turn(id.clone(), "one".to_owned(), None, false),
        store.accept_turn(strange, "two".to_owned(), None, false),
    );
    assert!(good.is_ok());
    let error = bad.unwrap_err().to_string();
    assert!(
        error.starts_with("the store could not accept a prompt: "),
        "{error}"
    );
    assert!(store.turn(id, 1).await.unwrap().is_some());
}

#[test]
fn a_newer_store_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.sqlite");
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    let error = Store::open(&path).unwrap_err().to_string();
    assert!(
        error.contains("has schema 99, this program knows up to 1"),
        "{error}"
    );
}
