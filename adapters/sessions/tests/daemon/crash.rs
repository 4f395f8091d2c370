//! What survives the end of the daemon, however it ends.

use std::{fs, thread};

use serde_json::json;

use crate::support::{Scene, processes, until};

#[test]
fn a_killed_daemon_loses_no_session_and_no_finished_turn() {
    let scene = Scene::new();
    scene.profile(&["--state", &scene.text("memory")], "");
    let daemon = scene.start();
    let id = daemon.ready();
    daemon.run(&id, "say finished");
    let running = daemon.prompt(&id, "say begun\nwait-cancel");
    let waiting = daemon.prompt(&id, "count");
    until("begun", || {
        let begun = ("agent".to_owned(), "begun".to_owned());
        daemon.said(&id).contains(&begun).then_some(())
    });
    daemon.kill();
    until("no process", || {
        processes(&scene.path("memory")).is_empty().then_some(())
    });

    let daemon = scene.start();
    assert_eq!(daemon.wait(&id, 1)["outcome"], "finished");
    let answer = daemon.wait(&id, running);
    assert_eq!(answer["outcome"], "cancelled");
    assert_eq!(
        answer["message"],
        "interrupted: the daemon ended during the turn"
    );
    // What was accepted and never began runs now, in the session as the harness remembers it.
    let answer = daemon.wait(&id, waiting);
    assert_eq!(
        (&answer["outcome"], &answer["final_message"]),
        (&json!("finished"), &json!("3"))
    );
    daemon.until_idle(&id);
    let said = daemon.said(&id);
    let notices: Vec<_> = said.iter().filter(|(role, _)| role == "notice").collect();
    assert_eq!(notices.len(), 1, "{said:?}");
}

#[test]
fn a_command_is_the_same_after_a_crash() {
    let scene = Scene::new();
    let daemon = scene.start();
    let id = daemon.ready();
    let prompt = json!({"text": "say once", "command_id": "c"});
    let path = format!("/sessions/{id}/prompt");
    let turn = daemon.post(&path, &prompt).json()["turn_id"].clone();
    daemon.wait(&id, 1);
    daemon.kill();
    let daemon = scene.start();
    assert_eq!(daemon.post(&path, &prompt).json()["turn_id"], turn);
    daemon.until_idle(&id);
    assert_eq!(daemon.prompt(&id, "say next"), 2);
}

#[test]
fn a_session_whose_start_was_cut_off_starts_again() {
    let scene = Scene::new();
    scene.profile(&["--ready", &scene.text("ready")], "");
    let daemon = scene.start();
    let id = daemon.make(&json!({}));
    daemon.kill();
    let daemon = scene.start();
    assert_ne!(daemon.session(&id)["lifecycle"], "failed");
    fs::write(scene.path("ready"), "").unwrap();
    daemon.until_idle(&id);
}

#[test]
fn no_state_in_which_a_daemon_can_die_is_one_for_ever() {
    //  stored            becomes      error
    let table = [
        ("provisioning", "live", None),
        ("launching", "live", None),
        ("disconnected", "live", None),
        ("running", "live", None),
        (
            "checkpointing",
            "live",
            Some("the checkpoint did not finish"),
        ),
        ("closing", "live", Some("the suspension did not finish")),
        ("stopped", "suspended", None),
        ("error", "failed", None),
        ("lost", "failed", None),
        ("destroying", "gone", None),
    ];
    let scene = Scene::new();
    let daemon = scene.start();
    let ids: Vec<String> = table.iter().map(|_| daemon.ready()).collect();
    daemon.kill();
    let store = rusqlite::Connection::open(scene.path("data/store.sqlite")).unwrap();
    for (id, (state, ..)) in ids.iter().zip(table) {
        let changed = store.execute("UPDATE sessions SET state = ? WHERE id = ?", [state, id]);
        assert_eq!(changed, Ok(1));
    }
    drop(store);
    let daemon = scene.start();
    for (id, (state, becomes, error)) in ids.iter().zip(table) {
        if becomes == "gone" {
            daemon.until_gone(id);
            continue;
        }
        let session = daemon.until(id, state, |session| {
            let rests = session["is_idle"] == true || session["lifecycle"] != "live";
            rests && session["lifecycle"] == becomes
        });
        let told = session["error"].as_str();
        match error {
            Some(words) => assert!(told.unwrap().contains(words), "{state}: {session}"),
            None => assert_eq!(told, None, "{state}"),
        }
    }
}

#[test]
fn a_suspended_session_stays_suspended() {
    let scene = Scene::new();
    let daemon = scene.start();
    let id = daemon.ready();
    daemon.begin(&id, "suspend", &json!({}));
    daemon.until_lifecycle(&id, "suspended");
    daemon.kill();
    let daemon = scene.start();
    assert_eq!(daemon.session(&id)["lifecycle"], "suspended");
    daemon.begin(&id, "resume", &json!({}));
    daemon.until_idle(&id);
}

#[test]
fn sigterm_refuses_interrupts_and_leaves_nothing() {
    let scene = Scene::new();
    scene.profile(&["--state", &scene.text("memory")], "");
    let daemon = scene.start();
    let id = daemon.ready();
    let turn = daemon.prompt(&id, "say begun\nwait-cancel");
    until("begun", || (daemon.said(&id).len() == 2).then_some(()));
    let path = format!("/sessions/{id}/wait");
    thread::scope(|scope| {
        let waiting = scope.spawn(|| daemon.try_ask("POST", &path, &json!({"turn_id": turn})));
        daemon.tell_to_end();
        // The end of the turn and that of the daemon may come in either order; or it was too late to
        // connect at all.
        match waiting.join().unwrap() {
            None => {}
            Some(answer) if answer.status == 200 => {
                assert_eq!(answer.json()["outcome"], "cancelled");
            }
            Some(answer) => {
                let told = (answer.status, answer.json()["code"].clone());
                assert_eq!(told, (503, json!("shutting_down")));
            }
        }
    });
    daemon.end();
    assert!(!scene.path("data/daemon.json").exists());
    assert_eq!(processes(&scene.path("memory")), Vec::<String>::new());
    let daemon = scene.start();
    assert_eq!(daemon.wait(&id, turn)["outcome"], "cancelled");
    daemon.until_idle(&id);
    assert_eq!(daemon.run(&id, "count")["final_message"], "2");
}
