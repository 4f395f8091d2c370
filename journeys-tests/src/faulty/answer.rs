//! The answer to a prompt, and what a fault does in place of it.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/prompt-turn#stop-reasons>

use std::thread;

use serde_json::{Value, json};

use super::{agent::Agent, faults::Fault, output::answer_message, turn::Turn, variants::Variant};

/// The JSON-RPC code for a request that was cancelled; wrong for a prompt.
const REQUEST_CANCELLED: i64 = -32800;
/// The JSON-RPC code for an internal error.
const INTERNAL_ERROR: i64 = -32603;

impl Turn {
    /// Answers the prompt of a turn that was not cancelled.
    pub fn answer(&self, reply: &str) {
        let reason = match self.behaviour().fault {
            Some(Fault::WrongStopReason) => "max_tokens",
            Some(Fault::FirstTurnRefused) if self.number == 1 => "refusal",
            Some(Fault::SecondTurnRefused) if self.number == 2 => "refusal",
            _ => "end_turn",
        };
        let mut result = json!({"stopReason": reason});
        if self.behaviour().has(Fault::ReplyInResult) {
            result["_meta"] = json!({"reply": reply});
        }
        self.agent.answer_prompt(&self.id, result);
        if self.behaviour().is(Variant::UpdatesOutOfTurn) {
            self.updates_out_of_turn();
        }
    }

    /// Answers the prompt of a turn whose model failed.
    pub fn answer_failed(&self, reason: &str) {
        self.agent.output.fail(&self.id, INTERNAL_ERROR, reason);
    }

    /// Answers the prompt of a cancelled turn.
    ///
    /// ACP: <https://agentclientprotocol.com/protocol/v1/prompt-turn#cancellation>
    pub fn answer_cancelled(&self) {
        if self.behaviour().is(Variant::PermissionsAtCancel) {
            self.permissions_at_cancel();
        }
        match self.behaviour().fault {
            Some(Fault::CancelUnanswered) => return,
            Some(Fault::CancelLate) => thread::sleep(self.behaviour().seconds(45.0)),
            _ => {}
        }
        match self.behaviour().fault {
            Some(Fault::CancelError) => {
                let output = &self.agent.output;
                output.fail(&self.id, REQUEST_CANCELLED, "Request cancelled");
            }
            Some(Fault::CancelEndTurn) => {
                let result = json!({"stopReason": "end_turn"});
                self.agent.output.answer(&self.id, result);
            }
            _ => {
                let result = json!({"stopReason": "cancelled"});
                self.agent.output.answer(&self.id, result);
            }
        }
    }
}

impl Agent {
    /// Answers a prompt, or does what a fault does in place of it.
    fn answer_prompt(&self, id: &Value, result: Value) {
        let output = &self.output;
        match self.behaviour.fault {
            Some(Fault::PromptUnanswered) => {}
            Some(Fault::PromptError) => output.fail(id, INTERNAL_ERROR, "the model is gone"),
            Some(Fault::NoJsonrpc) => output.send(&json!({"id": id, "result": result})),
            Some(Fault::StringId) => output.answer(&json!(id.to_string()), result),
            Some(Fault::TwoAnswers) => {
                output.answer(id, result.clone());
                output.answer(id, result);
            }
            Some(Fault::UnknownId) => {
                output.answer(&json!(999_999), json!({}));
                output.answer(id, result);
            }
            Some(Fault::ExitsAfterReply) => {
                output.send_last(&answer_message(id, result));
                std::process::exit(0);
            }
            _ => output.answer(id, result),
        }
    }
}
