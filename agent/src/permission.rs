//! Asking the user whether a tool call may run.
//!
//! It stands apart from [`crate::mode`], which decides whether to ask. Here is only the question
//! and what counts as a yes: one of the two allowing options that were offered. Anything else, an
//! unknown option, an error, a broken answer, is a no.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/tool-calls#requesting-permission>

use tokio_util::sync::CancellationToken;
use wire::RequestError as WireError;

use crate::{acp, updates::Updates};

/// What came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// Run it; `always` when the same need not be asked again.
    Allowed {
        /// The answer holds for the rest of the session.
        always: bool,
    },
    /// Do not run it; `always` when the same need not be asked again.
    Refused {
        /// The answer holds for the rest of the session.
        always: bool,
    },
    /// The turn was stopped before an answer came.
    Stopped,
}

/// Whether "always" is among the options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// This once, or always.
    OnceOrAlways,
    /// This once only.
    Once,
}

const ALLOW_ONCE: &str = "allow-once";
const ALLOW_ALWAYS: &str = "allow-always";
const REJECT_ONCE: &str = "reject-once";
const REJECT_ALWAYS: &str = "reject-always";

/// Asks, and waits for the answer or for the stop. The request shows exactly what will run.
pub async fn ask(
    updates: &Updates,
    call: &acp::ToolCall,
    choice: Choice,
    stop: &CancellationToken,
) -> Answer {
    let request = acp::RequestPermissionRequest::new(
        updates.session_id().clone(),
        shown(call),
        options(choice),
    );
    let method = acp::CLIENT_METHOD_NAMES.session_request_permission;
    let asking = async {
        let peer = updates.peer();
        let answer = peer.request::<acp::RequestPermissionResponse>(method, &request);
        let answer = answer.await;
        // A client that cancels the turn answers its questions too, behind the cancel: the cancel
        // must be heard first, as it must be when the mode was changed.
        peer.caught_up().await;
        answer
    };
    let answer = tokio::select! {
        biased;
        // Dropping the request takes it back; a late answer meets nobody and is harmless.
        () = stop.cancelled() => return Answer::Stopped,
        answer = asking => answer,
    };
    match answer {
        _ if stop.is_cancelled() => Answer::Stopped,
        Ok(response) => meaning(&response.outcome),
        Err(WireError::Closed) => Answer::Stopped,
        Err(error) => {
            tracing::warn!(%error, "the client could not answer a permission request: refused");
            Answer::Refused { always: false }
        }
    }
}

fn meaning(outcome: &acp::RequestPermissionOutcome) -> Answer {
    let acp::RequestPermissionOutcome::Selected(selected) = outcome else {
        return Answer::Refused { always: false };
    };
    match &*selected.option_id.0 {
        ALLOW_ONCE => Answer::Allowed { always: false },
        ALLOW_ALWAYS => Answer::Allowed { always: true },
        REJECT_ALWAYS => Answer::Refused { always: true },
        _ => Answer::Refused { always: false },
    }
}

fn options(choice: Choice) -> Vec<acp::PermissionOption> {
    use acp::PermissionOptionKind::{AllowAlways, AllowOnce, RejectAlways, RejectOnce};
    let once = [
        acp::PermissionOption::new(ALLOW_ONCE, "Allow once", AllowOnce),
        acp::PermissionOption::new(REJECT_ONCE, "Reject", RejectOnce),
    ];
    let [allow, reject] = once;
    match choice {
        Choice::Once => vec![allow, reject],
        Choice::OnceOrAlways => vec![
            allow,
            acp::PermissionOption::new(ALLOW_ALWAYS, "Always allow in this session", AllowAlways),
            reject,
            acp::PermissionOption::new(
                REJECT_ALWAYS,
                "Always reject in this session",
                RejectAlways,
            ),
        ],
    }
}

/// All that is known of the call, so that a client can show it without having kept the
/// announcement.
fn shown(call: &acp::ToolCall) -> acp::ToolCallUpdate {
    let fields = acp::ToolCallUpdateFields::new()
        .title(call.title.clone())
        .kind(call.kind)
        .status(call.status)
        .content((!call.content.is_empty()).then(|| call.content.clone()))
        .locations((!call.locations.is_empty()).then(|| call.locations.clone()))
        .raw_input(call.raw_input.clone());
    acp::ToolCallUpdate::new(call.tool_call_id.clone(), fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_offered_options_allow() {
        let selected = |id: &str| {
            let json = serde_json::json!({"outcome": "selected", "optionId": id});
            meaning(&serde_json::from_value(json).unwrap())
        };
        for (id, answer) in [
            (ALLOW_ONCE, Answer::Allowed { always: false }),
            (ALLOW_ALWAYS, Answer::Allowed { always: true }),
            (REJECT_ONCE, Answer::Refused { always: false }),
            (REJECT_ALWAYS, Answer::Refused { always: true }),
            ("allow", Answer::Refused { always: false }),
            ("", Answer::Refused { always: false }),
        ] {
            assert_eq!(selected(id), answer, "{id}");
        }
        let cancelled = serde_json::from_value(serde_json::json!({"outcome": "cancelled"}));
        assert_eq!(
            meaning(&cancelled.unwrap()),
            Answer::Refused { always: false }
        );
    }

    #[test]
    fn each_option_has_its_own_id() {
        for choice in [Choice::Once, Choice::OnceOrAlways] {
            let mut ids: Vec<_> = options(choice).into_iter().map(|o| o.option_id).collect();
            let all = ids.len();
            ids.dedup();
            assert_eq!(ids.len(), all);
        }
    }
}
