//! The methods of the agent: one table, and one file for each family behind it.
//!
//! Must stay true: a handler never waits. What must be ordered, such as taking the place of a turn
//! or flipping the token of a cancel, it does at once, in the order in which the messages came;
//! what may wait, it spawns. So a cancel that was written behind its prompt always finds the turn,
//! and nothing that one session does holds up another.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/overview>

mod authenticate;
mod close;
mod commands;
mod initialize;
mod list;
mod load;
pub mod mode;
mod new;
mod prompt;
mod setup;

use std::{future::Future, sync::Arc};

use serde::Serialize;
use tokio::sync::OwnedSemaphorePermit;
use wire::{Call, Notification, Request, Responder};

use crate::{acp, agent::Agent, error::RequestError};

/// What is left to do for a request once everything that can be wrong with it has been looked at:
/// to answer, now or later, with the responder that it is given. The room is given back when the
/// work for the request has ended; a turn, of which a session has only one, gives it back at once.
type Reply = Box<dyn FnOnce(Responder, Room) + Send>;

/// Room to work on a request.
type Room = OwnedSemaphorePermit;

/// What a handler makes of a request: what to do with it, or the error to answer it with.
type Handled = Result<Reply, wire::Error>;

/// Takes one message from the client.
pub fn handle(agent: &Arc<Agent>, call: Call) {
    match call {
        Call::Request(request) => handle_request(agent, request),
        Call::Notification(notification) => handle_notification(agent, &notification),
    }
}

/// The table of requests.
fn handle_request(agent: &Arc<Agent>, request: Request) {
    let Request {
        method,
        params,
        responder,
    } = request;
    if agent.closing.is_cancelled() {
        return responder.error(RequestError::ShuttingDown.into());
    }
    let size = params.raw().map_or(0, |raw| raw.get().len());
    let room = match agent.room(size) {
        Ok(room) => room,
        Err(error) => return responder.error(error.into()),
    };
    let names = acp::AGENT_METHOD_NAMES;
    let logged_in = || agent.login.check().map_err(wire::Error::from);
    let handled = match method.as_str() {
        m if m == names.initialize => initialize::initialize(agent, &params),
        m if m == names.authenticate => authenticate::authenticate(agent, &params),
        m if m == names.logout => authenticate::logout(agent, &params),
        m if m == names.session_new => logged_in().and_then(|()| new::new(agent, &params)),
        m if m == names.session_load => logged_in().and_then(|()| load::load(agent, &params)),
        m if m == names.session_resume => logged_in().and_then(|()| load::resume(agent, &params)),
        m if m == names.session_list => list::list(agent, &params),
        m if m == names.session_close => close::close(agent, &params),
        m if m == names.session_delete => close::delete(agent, &params),
        m if m == names.session_prompt => logged_in().and_then(|()| prompt::prompt(agent, &params)),
        m if m == names.session_set_mode => mode::set_mode(agent, &params),
        m if m == names.session_set_config_option => mode::set_config_option(agent, &params),
        unknown => Err(wire::Error::method_not_found(unknown)),
    };
    match handled {
        Ok(reply) => reply(responder, room),
        Err(error) => responder.error(error),
    }
}

/// The table of notifications. They are never answered, so what is wrong with one is only logged.
fn handle_notification(agent: &Arc<Agent>, notification: &Notification) {
    let Notification { method, params } = notification;
    if method != acp::AGENT_METHOD_NAMES.session_cancel {
        return tracing::debug!(method, "an unknown notification is ignored");
    }
    match params.parse::<acp::CancelNotification>() {
        Ok(cancel) => match agent.sessions.get(&cancel.session_id) {
            Ok(session) => session.cancel(),
            Err(error) => tracing::debug!(%error, "a cancel that meets no session is ignored"),
        },
        Err(error) => tracing::warn!(%error, "a cancel without a session is ignored"),
    }
}

/// A reply that is worked out by a task, for what may wait.
fn later<A, F>(agent: &Arc<Agent>, work: impl FnOnce(&Responder) -> F + Send + 'static) -> Reply
where
    A: Serialize,
    F: Future<Output = Result<A, RequestError>> + Send + 'static,
{
    let tasks = agent.tasks.clone();
    Box::new(move |responder, room| {
        let work = work(&responder);
        tasks.spawn(async move {
            let _room = room;
            responder.finish(work.await.map_err(wire::Error::from));
        });
    })
}
