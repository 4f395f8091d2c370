//! A runner that cannot start its agent: it stays, and says so to everyone who speaks to it.
//!
//! It does not exit, so that the error is what its user sees, and not the end of a process.

use tokio::sync::mpsc;

use crate::{
    command::Command,
    event::{Event, State},
    input::Input,
    named_error::NamedError,
    outlet::Outlet,
    runner::{ignored_set_model, report},
};

/// Refuses every message until the shutdown.
pub async fn serve(error: NamedError, outlet: &Outlet, mut inputs: mpsc::Receiver<Input>) {
    report(outlet, &error).await;
    let mut made_ids = 0_u64;
    loop {
        let input = tokio::select! {
            Some(input) = inputs.recv() => input,
            // Nobody reads any more.
            () = outlet.closed() => break,
            else => break,
        };
        match input {
            Input::Faulty(warning) => outlet.send(Event::warn(warning)).await,
            Input::Command(Command::Shutdown) => break,
            Input::Command(Command::UserMessage { id, text }) => {
                let id = id.unwrap_or_else(|| {
                    made_ids += 1;
                    format!("message-{made_ids}")
                });
                refuse(&error, id, text, outlet).await;
            }
            Input::Command(Command::Answer { question_id, .. }) => {
                let warning = format!("no open question with id {question_id}");
                outlet.send(Event::warn(warning)).await;
            }
            Input::Command(Command::SetModel { model }) => {
                outlet.send(Event::warn(ignored_set_model(&model))).await;
            }
            Input::Command(Command::Interrupt) => {}
        }
    }
    outlet.send(Event::status(State::Exited)).await;
    outlet.flush().await;
}

async fn refuse(error: &NamedError, id: String, text: String, outlet: &Outlet) {
    let detail = Some(error.code.as_str().to_owned());
    let events = [
        Event::UserMessage { id, text },
        Event::status(State::Working),
        Event::TurnEnd {
            is_error: true,
            result: Some(error.to_string()),
            cost_usd: None,
            duration_ms: Some(0),
        },
        Event::Status {
            state: State::Error,
            detail,
        },
    ];
    for event in events {
        outlet.send(event).await;
    }
}
