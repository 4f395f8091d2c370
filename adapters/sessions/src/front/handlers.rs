//! The methods of the front: one table.
//!
//! Must stay true: a handler never waits. What must be ordered it does at once; what may wait is a
//! task. So a cancel, a further request and the end of the input are noticed while sessions start
//! and turns run.
//!
//! Every refusal of the front's own is -32603 with the whole reason as its message: clients show
//! the message, and hardly any shows the data.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/overview>

use std::sync::Arc;

use agent_client_protocol_schema::v1 as acp;
use wire::{Call, Error, INTERNAL_ERROR, Notification, Params, Request};

use super::{Front, create, initialize, prompt, turn};

/// As much of the name of an unknown method as is repeated.
const METHOD_SHOWN: usize = 100;

/// Takes one message of the client.
pub(super) fn handle(front: &Arc<Front>, call: Call) {
    match call {
        Call::Request(request) => handle_request(front, request),
        Call::Notification(notification) => handle_notification(front, &notification),
    }
}

fn handle_request(front: &Arc<Front>, request: Request) {
    let Request {
        method,
        params,
        responder,
    } = request;
    let names = acp::AGENT_METHOD_NAMES;
    match method.as_str() {
        m if m == names.initialize => responder.finish(initialize::answer(&params)),
        m if m == names.session_new => match create::read(front, &params) {
            Ok(cwd) => create::begin(front, cwd, responder),
            Err(error) => responder.error(error),
        },
        m if m == names.session_prompt => match prompt::read(front, &params) {
            Ok(prompt) => turn::begin(front, prompt, responder),
            Err(error) => responder.error(error),
        },
        unknown => responder.error(unknown_method(unknown)),
    }
}

/// A notification is never answered, so what is wrong with one is only logged.
fn handle_notification(front: &Arc<Front>, notification: &Notification) {
    let Notification { method, params } = notification;
    if method != acp::AGENT_METHOD_NAMES.session_cancel {
        return tracing::debug!(method, "an unknown notification is ignored");
    }
    match session(params) {
        Ok(id) if front.owned.cancel(&id) => {}
        Ok(_) => tracing::debug!("a cancel that meets no prompt of ours is ignored"),
        Err(error) => tracing::warn!(%error, "a cancel without a session is ignored"),
    }
}

fn session(params: &Params) -> Result<String, Error> {
    let cancel: acp::CancelNotification = params.parse()?;
    Ok(cancel.session_id.to_string())
}

fn unknown_method(method: &str) -> Error {
    let shown: String = method.chars().take(METHOD_SHOWN).collect();
    Error::method_not_found(method).with_data(shown)
}

/// A refusal of the front's own, with its whole reason.
pub(super) fn refusal(reason: impl std::fmt::Display) -> Error {
    Error::new(INTERNAL_ERROR, reason.to_string())
}

/// Nothing new is begun.
pub(super) fn closing() -> Error {
    refusal("this adapter is ending and begins nothing new")
}
