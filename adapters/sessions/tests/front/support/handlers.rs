//! How the fake daemon answers as usual: like a daemon whose sessions are ready at once and whose
//! turns finish at once.

use std::{sync::Arc, time::Duration};

use acp_sessions::api::{Elicitation, Outcome, SessionId, State as Stored};
use serde_json::{Value, json};

use super::state::{FakeSession, Route, Shared, State, Turn, become_state, idle};

/// A status and a body.
pub type Said = (u16, Value);

/// Answers as usual.
pub async fn answer(
    shared: &Arc<Shared>,
    route: Route,
    session: Option<SessionId>,
    body: Value,
) -> Said {
    match (route, session) {
        (Route::Info, _) => (
            200,
            json!({"version": "0", "pid": std::process::id(), "api_version": "1",
                "started_at": "2026-01-01T00:00:00Z", "session_count": 0}),
        ),
        (Route::Workspaces, _) => {
            shared.with(|state| (200, json!({"workspaces": state.workspaces})))
        }
        (Route::Create, _) => shared.with(|state| create(state, &body)),
        (Route::Wait, Some(id)) => wait(shared, &id, &body).await,
        (route, Some(id)) => shared.with(|state| of_session(state, route, &id, &body)),
        (_, None) => (404, json!({"error": "no such route"})),
    }
}

fn create(state: &mut State, body: &Value) -> Said {
    let request = body["request_id"].as_str().unwrap_or_default().to_owned();
    if let Some(id) = state.requests.get(&request) {
        return (201, json!({"session_id": id}));
    }
    let id = SessionId::random();
    let mut view = idle(&id);
    if let Some(born) = state.born.pop_front() {
        born(&mut view);
    }
    let session = FakeSession {
        view,
        looks: [].into(),
        turns: Vec::new(),
    };
    state.sessions.insert(id.clone(), session);
    state.order.push(id.clone());
    state.requests.insert(request, id.clone());
    (201, json!({"session_id": id}))
}

fn of_session(state: &mut State, route: Route, id: &SessionId, body: &Value) -> Said {
    let unknown = (
        404,
        json!({"error": "no such session", "code": "unknown_session"}),
    );
    let next_turn = match route {
        Route::Prompt => state.turns.pop_front(),
        _ => None,
    };
    let Some(session) = state.sessions.get_mut(id) else {
        return unknown;
    };
    let acknowledged = |session: &FakeSession| (202, json!({"lifecycle": session.view.lifecycle}));
    match route {
        Route::Look => match session.looks.pop_front() {
            Some(None) => unknown,
            Some(Some(look)) => (200, json!(look)),
            None => (200, json!(session.seen())),
        },
        Route::Prompt => {
            let command = body["command_id"].as_str().unwrap_or_default().to_owned();
            if let Some(turn_id) = state.commands.get(&command) {
                return (202, json!({"turn_id": turn_id}));
            }
            let turn = next_turn.unwrap_or(Turn::Ends(Outcome::Finished, Some("done"), None));
            let over = matches!(turn, Turn::Ends(..));
            session.turns.push((turn, over));
            let turn_id = session.turns.len() as u64;
            state.commands.insert(command, turn_id);
            (202, json!({"turn_id": turn_id}))
        }
        Route::Interrupt => match session.turns.iter_mut().find(|(_, over)| !over) {
            Some((turn, over)) => {
                *over = !matches!(turn, Turn::Deaf);
                (202, json!({}))
            }
            None => (409, json!({"error": "there is nothing to interrupt"})),
        },
        Route::Suspend => {
            become_state(&mut session.view, Stored::Stopped);
            acknowledged(session)
        }
        Route::Destroy => {
            let said = acknowledged(session);
            state.sessions.remove(id);
            said
        }
        _ => unknown,
    }
}

async fn wait(shared: &Arc<Shared>, id: &SessionId, body: &Value) -> Said {
    let number = body["turn_id"].as_u64().unwrap() as usize;
    let rounds = body["timeout_secs"].as_u64().unwrap() * 200;
    for _ in 0..rounds {
        if let Some(said) = shared.with(|state| ended(state, id, number, body)) {
            return said;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    shared.with(|state| {
        let session = state.sessions[id].seen();
        (200, json!({"outcome": "timeout", "session": session}))
    })
}

fn ended(state: &State, id: &SessionId, number: usize, body: &Value) -> Option<Said> {
    let Some(session) = state.sessions.get(id) else {
        return Some((
            404,
            json!({"error": "no such session", "code": "unknown_session"}),
        ));
    };
    let (turn, over) = &session.turns[number - 1];
    let mut said = json!({"turn_id": number, "session": session.seen()});
    match turn {
        Turn::Asks(question) if !over && body["return_on_input"] == true => {
            let message = (*question).to_owned();
            said["outcome"] = json!("input_required");
            said["pending_elicitations"] = json!([Elicitation {
                id: "1".to_owned(),
                message
            }]);
        }
        _ if !over => return None,
        Turn::Ends(outcome, final_message, message) => {
            said["outcome"] = json!(outcome);
            said["final_message"] = json!(final_message);
            said["message"] = json!(message);
        }
        Turn::Runs(outcome) => said["outcome"] = json!(outcome),
        Turn::Asks(_) | Turn::Deaf => said["outcome"] = json!(Outcome::Cancelled),
    }
    Some((200, said))
}
