//! Permission requests: decided by the exec policy, or asked of a person.
//!
//! Must stay true: each request gets exactly one answer; an option that lets something happen is
//! only ever chosen by a person or by a rule that says so; what a person said is remembered in
//! memory only.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/tool-calls#requesting-permission>

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use serde_json::{Map, Value};
use tokio::{
    task::{JoinHandle, spawn_blocking},
    time::timeout,
};
use tokio_util::sync::{CancellationToken, DropGuard};
use wire::Responder;

use super::{Happened, Runner};
use crate::{
    audit, boundary,
    event::{BoundaryKind, Event, Level, Question, State},
    exec_policy::{Decision, Hit, command_text},
    fit::one_line,
    question::{self, Asked, by_kind, cancelled, choices, selected},
};

/// A question that waits for its answer.
pub(super) struct Open {
    id: String,
    asked: Asked,
    responder: Responder,
    /// Whether the turn that runs asks, and not the agent by itself.
    is_of_turn: bool,
    /// Ends the watch for a withdrawal.
    _closed: DropGuard,
    /// The rule that made it a question, and the command.
    rule: Option<(Hit, String)>,
}

/// What persons said to rules that ask. The key of a rule is its layer and its id.
#[derive(Debug, Default)]
pub(super) struct Remembered {
    /// Rules and commands that were allowed.
    allowed: HashSet<(RuleKey, String)>,
    /// Rules that were refused, and the last command for which.
    refused: HashMap<RuleKey, String>,
}

type RuleKey = (&'static str, String);

/// How many answers are remembered. A person does not answer so many.
const MOST_REMEMBERED: usize = 4_096;

/// The longest id of a call, in bytes, that names its question. It comes back in the answer, so it
/// must not be cut on the way.
const MAX_ID: usize = 1_000;

/// How many questions may be open. An agent that asks more at once asks nobody.
const MOST_OPEN: usize = 256;

fn key(hit: &Hit) -> RuleKey {
    (hit.layer, hit.rule.clone())
}

/// A command as it is compared: its white space does not count.
fn normal(command: &str) -> String {
    command.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Runner {
    /// Serves a permission request.
    pub(super) async fn permission(&mut self, params: Value, responder: Responder) {
        let call = &params["toolCall"];
        let command = (call["kind"] == "execute")
            .then(|| command_text(call))
            .flatten();
        let hit = match &command {
            Some(command) => self.judge(command).await,
            None => None,
        };
        let (Some(hit), Some(command)) = (hit, command) else {
            return self.ask(&params, None, responder).await;
        };
        record(hit.decision.as_str(), &hit, &command);
        let choices = choices(&params);
        let allow = by_kind(&choices, "allow_once", "allow").map(selected);
        match (hit.decision, allow) {
            (Decision::Deny, _) => {
                let detail = format!("deny ({}): {command}", hit.layer);
                self.boundary(BoundaryKind::ExecPolicyDeny, &hit, &detail)
                    .await;
                let reject = by_kind(&choices, "reject_once", "reject");
                responder.respond(&reject.map_or_else(cancelled, selected));
            }
            (Decision::Allow, Some(answer)) => responder.respond(&answer),
            (Decision::Ask, Some(answer)) if self.was_allowed(&hit, &command) => {
                audit::line(&format!(
                    "exec policy: allowed earlier in this colony rule={} layer={}",
                    hit.rule, hit.layer
                ));
                responder.respond(&answer);
            }
            (Decision::Allow, None) => self.ask(&params, None, responder).await,
            (Decision::Ask, _) => {
                if let Some(earlier) = self.asked_before.refused.get(&key(&hit)) {
                    let detail = format!("asked again: {command}; refused earlier: {earlier}");
                    let kind = BoundaryKind::ExecPolicyAskBypassAttempt;
                    self.boundary(kind, &hit, &detail).await;
                }
                self.ask(&params, Some((hit, command)), responder).await;
            }
        }
    }

    /// What the rules say of a command. Their expressions may take for ever, so they are applied away
    /// from the loop, and no other command is tried while one is stuck.
    async fn judge(&mut self, command: &str) -> Option<Hit> {
        let is_stuck = |stuck: &JoinHandle<_>| !stuck.is_finished();
        if self.stuck.as_ref().is_some_and(is_stuck) {
            return Some(Hit::too_slow());
        }
        let (policy, command) = (Arc::clone(&self.exec_policy), command.to_owned());
        let mut judged = spawn_blocking(move || policy.judge(&command));
        match timeout(self.deadlines.judge, &mut judged).await {
            Ok(Ok(hit)) => hit,
            Ok(Err(_)) => Some(Hit::too_slow()),
            Err(_) => {
                self.stuck = Some(judged);
                Some(Hit::too_slow())
            }
        }
    }

    fn was_allowed(&self, hit: &Hit, command: &str) -> bool {
        let allowed = &self.asked_before.allowed;
        allowed.contains(&(key(hit), normal(command)))
    }

    async fn boundary(&self, kind: BoundaryKind, hit: &Hit, detail: &str) {
        let control = format!("exec_policy:{}", hit.rule);
        let event = boundary::event(kind, &control, detail, hit.target.as_deref());
        self.outlet.send(event).await;
    }

    /// Asks a person.
    async fn ask(&mut self, params: &Value, rule: Option<(Hit, String)>, responder: Responder) {
        if self.questions.len() >= MOST_OPEN {
            return responder.respond(&cancelled());
        }
        let note = rule.as_ref().map(|(hit, _)| hit.note());
        let asked = question::ask(params, note.as_deref());
        let id = self.question_id(params["toolCall"]["toolCallId"].as_str());
        let event = Event::Question(Question {
            question_id: id.clone(),
            message_id: self
                .turn
                .as_ref()
                .map(|(turn, _)| turn.message_id().to_owned()),
            risk: asked.risk,
            kind: rule.as_ref().map(|_| "exec_policy"),
            blocking: true,
            questions: vec![asked.card.clone()],
        });
        let (withdrawn, tell, withdrawn_id) =
            (responder.cancelled(), self.tell.clone(), id.clone());
        let closed = CancellationToken::new();
        let is_closed = closed.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = is_closed.cancelled() => {}
                () = withdrawn.cancelled() => {
                    let _ = tell.send(Happened::Withdrawn(withdrawn_id)).await;
                }
            }
        });
        self.questions.push(Open {
            id,
            is_of_turn: self.turn.is_some(),
            asked,
            responder,
            rule,
            _closed: closed.drop_guard(),
        });
        self.outlet.send(event).await;
        self.outlet
            .send(Event::status(State::WaitingForAnswer))
            .await;
    }

    /// An id that no open question has.
    fn question_id(&mut self, call: Option<&str>) -> String {
        let is_free = |id: &str| self.questions.iter().all(|open| open.id != id);
        let is_usable = |id: &&str| (1..=MAX_ID).contains(&id.len()) && is_free(id);
        if let Some(id) = call.filter(is_usable) {
            return id.to_owned();
        }
        loop {
            self.asked += 1;
            let id = format!("permission-{}", self.asked);
            if self.questions.iter().all(|open| open.id != id) {
                return id;
            }
        }
    }

    /// A person has answered.
    pub(super) async fn answer(
        &mut self,
        id: String,
        answers: Map<String, Value>,
        response: Option<String>,
    ) {
        let Some(open) = self.take_question(&id) else {
            let warning = format!("no open question with id {id}");
            return self.outlet.send(Event::warn(warning)).await;
        };
        let chosen = open.asked.chosen(&answers).cloned();
        let has_response = response.is_some();
        self.outlet
            .send(Event::QuestionAnswered {
                question_id: id.clone(),
                answers,
                response,
            })
            .await;
        self.after_a_question().await;
        if has_response && chosen.is_none() {
            let message = format!(
                "a free-text reply cannot select one of the agent's options; answered cancelled \
                 for {id}"
            );
            self.outlet.send(Event::log(Level::Info, message)).await;
        }
        if let Some((hit, command)) = &open.rule {
            let is_allowed = chosen
                .as_ref()
                .is_some_and(|choice| choice.kind.starts_with("allow"));
            self.remember(hit, command, is_allowed).await;
        }
        let answer = chosen.map_or_else(cancelled, |choice| selected(&choice.option_id));
        open.responder.respond(&answer);
    }

    /// Keeps what a person said to a rule that asked.
    async fn remember(&mut self, hit: &Hit, command: &str, is_allowed: bool) {
        let before = &mut self.asked_before;
        if is_allowed {
            if before.allowed.len() < MOST_REMEMBERED {
                before.allowed.insert((key(hit), normal(command)));
            }
            return;
        }
        if before.refused.len() < MOST_REMEMBERED {
            before.refused.insert(key(hit), one_line(command, 150));
        }
        let detail = format!("ask refused ({}): {command}", hit.layer);
        self.boundary(BoundaryKind::ExecPolicyDeny, hit, &detail)
            .await;
    }

    /// Answers all open questions with `cancelled`. The host knows by itself why.
    pub(super) fn cancel_questions(&mut self) {
        for open in self.questions.drain(..) {
            open.responder.respond(&cancelled());
        }
    }

    /// The turn is over: who asked in it wants no answer any more.
    pub(super) async fn close_questions_of_turn(&mut self) {
        while let Some(place) = self.questions.iter().position(|open| open.is_of_turn) {
            let open = self.questions.remove(place);
            open.responder.respond(&cancelled());
            self.close_card(&open.id).await;
        }
    }

    /// The agent has withdrawn a request: its card is closed.
    pub(super) async fn withdrawn(&mut self, id: &str) {
        let Some(open) = self.take_question(id) else {
            return;
        };
        if !open.responder.cancelled().is_cancelled() {
            // The id was used again, by a request that still waits.
            self.questions.push(open);
            return;
        }
        drop(open);
        self.close_card(id).await;
    }

    /// Tells the host that nobody waits for an answer.
    async fn close_card(&self, id: &str) {
        self.outlet
            .send(Event::QuestionAnswered {
                question_id: id.to_owned(),
                answers: Map::new(),
                response: None,
            })
            .await;
        self.after_a_question().await;
    }

    fn take_question(&mut self, id: &str) -> Option<Open> {
        let place = self.questions.iter().position(|open| open.id == id)?;
        Some(self.questions.remove(place))
    }
}

/// The line of the audit, on standard error.
fn record(decision: &str, hit: &Hit, command: &str) {
    let command = one_line(&boundary::redact(command), 200);
    audit::line(&format!(
        "exec policy: {decision} rule={} layer={} command={command}",
        hit.rule, hit.layer
    ));
}
