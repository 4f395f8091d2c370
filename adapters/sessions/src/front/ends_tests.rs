//! The table of how prompts are answered.

use agent_client_protocol_schema::v1::StopReason::{Cancelled, EndTurn, Refusal};

use super::*;
use crate::api::{ChatPhase, ErrorBody, Lifecycle, Session, State};

fn session(id: &SessionId) -> Session {
    Session {
        id: id.clone(),
        workspace_id: "w".to_owned(),
        title: String::new(),
        harness_kind: "acp".to_owned(),
        profile_id: "p".to_owned(),
        target_id: "local".to_owned(),
        bundle_id: None,
        project_directory: None,
        state: State::Running,
        lifecycle: Lifecycle::Live,
        chat_phase: ChatPhase::Idle,
        is_idle: true,
        has_error: false,
        error: None,
        error_kind: None,
        has_checkpoint: false,
        created_at: String::new(),
        updated_at: String::new(),
        at: None,
        branch: None,
        base: None,
        expected_runtime_identity: None,
        runtime: None,
        last_turn_outcome: None,
        pending_elicitations: Vec::new(),
    }
}

fn wait(id: &SessionId, outcome: Outcome) -> WaitAnswer {
    WaitAnswer {
        outcome,
        stop_reason: None,
        message: None,
        final_message: None,
        turn_id: Some(1),
        pending_elicitations: Vec::new(),
        session: session(id),
    }
}

#[test]
fn what_the_daemon_tells() {
    //  outcome                  as it is    while the client cancels
    let table = [
        (Outcome::Finished, EndTurn, EndTurn),
        (Outcome::Cancelled, Cancelled, Cancelled),
        (Outcome::Error, Refusal, Cancelled),
        (Outcome::QuotaLimit, Refusal, Cancelled),
        (Outcome::Stopped, Refusal, Cancelled),
    ];
    let id = SessionId::random();
    for (outcome, plain, while_cancelling) in table {
        for (cancelled, expected) in [(false, plain), (true, while_cancelling)] {
            let end = Course::Ended(wait(&id, outcome)).end(&id, cancelled);
            assert_eq!(end.answer, Ok(expected), "{outcome:?} {cancelled}");
            assert!(end.settled);
        }
    }
}

#[test]
fn one_message_at_most_and_an_explanation_only_of_a_refusal() {
    let id = SessionId::random();
    let (said, why) = (Some("said"), Some("why"));
    //  outcome             final   message  told
    let table = [
        (Outcome::Finished, said, why, said),
        (Outcome::Finished, None, why, None),
        (Outcome::Finished, Some(" \n"), None, None),
        (Outcome::Error, said, why, said),
        (Outcome::Error, None, why, why),
        (Outcome::Cancelled, said, None, said),
        (Outcome::Cancelled, None, why, None),
    ];
    for (outcome, final_message, message, expected) in table {
        let answer = WaitAnswer {
            final_message: final_message.map(str::to_owned),
            message: message.map(str::to_owned),
            ..wait(&id, outcome)
        };
        let end = Course::Ended(answer).end(&id, false);
        assert_eq!(end.message.as_deref(), expected, "{outcome:?}");
    }
}

#[test]
fn what_was_stopped_by_us() {
    let id = SessionId::random();
    let question = || Stop::Question(Some("Which branch?".to_owned()));
    let asked = format!("session {id} waits for input that a program cannot give: Which branch?");
    let ended = |by_us, outcome| {
        let wait = wait(&id, outcome);
        Some(Stopped { by_us, wait })
    };
    let end = |outcome| ended(true, outcome);
    //  why                   how it ended                cancelled  answer               settled
    let table = [
        (
            question(),
            end(Outcome::Cancelled),
            false,
            Err(asked.as_str()),
            true,
        ),
        (
            question(),
            ended(false, Outcome::Finished),
            false,
            Ok(EndTurn),
            true,
        ),
        (
            question(),
            end(Outcome::Finished),
            false,
            Err(asked.as_str()),
            true,
        ),
        (
            question(),
            end(Outcome::Finished),
            true,
            Ok(Cancelled),
            true,
        ),
        (
            question(),
            end(Outcome::Cancelled),
            true,
            Ok(Cancelled),
            true,
        ),
        (question(), None, true, Ok(Cancelled), false),
        (
            Stop::OutOfTime(2.0),
            end(Outcome::Cancelled),
            false,
            Ok(Refusal),
            true,
        ),
        (
            Stop::OutOfTime(2.0),
            end(Outcome::Finished),
            false,
            Ok(EndTurn),
            true,
        ),
        (
            Stop::OutOfTime(2.0),
            end(Outcome::Error),
            true,
            Ok(Cancelled),
            true,
        ),
    ];
    for (why, end, cancelled, answer, settled) in table {
        let case = format!("{why:?} {end:?} {cancelled}");
        let end = Course::Stopped { why, end }.end(&id, cancelled);
        assert_eq!(
            end.answer.as_ref().map_err(String::as_str),
            answer.as_ref().map_err(|text| *text),
            "{case}"
        );
        assert_eq!(end.settled, settled, "{case}");
    }
    let lost = Course::Stopped {
        why: Stop::OutOfTime(2.0),
        end: None,
    };
    let end = lost.end(&id, false);
    assert!(end.answer.unwrap_err().contains("does not stop"));
    assert!(!end.settled);
}

#[test]
fn what_was_not_accepted_or_not_followed() {
    let id = SessionId::random();
    let refused = || ClientError::Refused {
        status: 409,
        body: ErrorBody {
            error: "`at` is held".to_owned(),
            code: None,
            running_actions: None,
            action_limit: None,
        },
    };
    let lost = || ClientError::Lost {
        request: "POST /x".to_owned(),
        reason: "reset".to_owned(),
    };
    let refusal = Course::NotAccepted(refused()).end(&id, false);
    assert_eq!(
        refusal.answer,
        Err("the prompt was not accepted: `--at` is held".to_owned())
    );
    assert!(refusal.settled);
    assert!(!Course::NotAccepted(lost()).end(&id, false).settled);
    let withdrawn = Course::NotAccepted(refused()).end(&id, true);
    assert_eq!(withdrawn.answer, Ok(Cancelled));
    let unfollowed = Course::Unfollowed {
        turn_id: 3,
        error: lost(),
    };
    let end = unfollowed.end(&id, false);
    assert!(
        end.answer
            .unwrap_err()
            .starts_with(&format!("turn 3 of session {id}"))
    );
    assert!(!end.settled);
    assert_eq!(Course::NeverSent.end(&id, true).answer, Ok(Cancelled));
}
