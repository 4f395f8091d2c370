//! One tool call: announced, decided, perhaps asked, run, and ended.
//!
//! ```text
//!   announced (pending) ── decided ──> allowed ──> runs (in_progress) ──> completed | failed
//!                             │  └───> asked ──┬──> allowed
//!                             │                └──> refused ────────────> failed
//!                             └──────> denied ──────────────────────────> failed
//! ```
//!
//! Must stay true: a call that was announced gets one final status on every path, also when the
//! turn is stopped before its turn came. It is kept before it is told, so that a client that never
//! reads cannot make the agent forget what was done.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/tool-calls>

use std::sync::Arc;

use serde_json::Value;
use tokio::sync::watch;

use super::{Halt, ToolSet, Turn};
use crate::{
    acp, limits,
    mode::{self, Decision, Mode},
    model::{Outcome, ToolCall},
    permission::{self, Answer, Choice},
    proc,
    store::Item,
    tools::{self, Effect, Job, Prepared, Progress, RunContext, SessionChange, Tool, ToolOutcome},
};

/// A call that the client knows of.
pub(super) struct Announced {
    /// As the client sees it.
    call: acp::ToolCall,
    /// As the model asked for it.
    request: ToolCall,
    /// What it will do, or why it cannot be done.
    plan: Result<Prepared, String>,
}

/// What the user, the mode and the session say to a call.
enum Verdict {
    Run,
    Refuse(String),
    Stopped,
}

impl Turn {
    /// Announces all calls of one reply, then runs them in their order.
    pub(super) async fn run_calls(
        &mut self,
        tools: &ToolSet,
        requests: Vec<ToolCall>,
    ) -> Result<(), Halt> {
        let mut announced = Vec::with_capacity(requests.len());
        for request in requests {
            announced.push(self.announce(tools, request).await?);
        }
        let mut stopped = false;
        for one in announced {
            stopped |= self.run_call(one, stopped).await?;
        }
        if stopped {
            Err(Halt::Cancelled)
        } else {
            Ok(())
        }
    }

    async fn announce(&mut self, tools: &ToolSet, request: ToolCall) -> Result<Announced, Halt> {
        let plan = match tools.find(&request.name) {
            Some(tool) => self.prepare(tool.as_ref(), &request.arguments).await,
            None => Err(format!("there is no tool named {:?}", request.name)),
        };
        // The model's own id may come twice; the client's must not.
        let id = self.memory.ids.next("call");
        let call = match &plan {
            Ok(prepared) => acp::ToolCall::new(id, prepared.title.clone())
                .kind(prepared.kind)
                .locations(prepared.locations.clone())
                .content(prepared.content.clone()),
            Err(_) => acp::ToolCall::new(id, request.name.clone()).kind(acp::ToolKind::Other),
        };
        // The types know a `name` member that the published schema of v1 does not: it stays unset.
        let call = call.raw_input(request.arguments.clone());
        self.updates
            .send(acp::SessionUpdate::ToolCall(call.clone()))
            .await?;
        Ok(Announced {
            call,
            request,
            plan,
        })
    }

    /// Finds out what a call will do. A change of a file starts from the text that the client has
    /// of it, where the client will also make the change.
    async fn prepare(&self, tool: &dyn Tool, arguments: &Value) -> Result<Prepared, String> {
        let scope = &self.session.scope;
        let client = self.agent.client(&self.session.id);
        let changed = (client.reads_files() && client.writes_files())
            .then(|| tool.changes(arguments, scope))
            .flatten();
        let prepared = match changed {
            // What lies outside is not looked at before the call is allowed.
            Some(located) if located.inside => {
                match tools::text_of(&client, &located, &self.stop.waits).await {
                    Ok(text) => tool.prepare_over(arguments, scope, text),
                    Err(error) => Err(error),
                }
            }
            _ => tool.prepare(arguments, scope),
        };
        prepared.map_err(|error| error.to_string())
    }

    /// Runs one call to its end. Returns whether the turn was stopped meanwhile.
    async fn run_call(&mut self, announced: Announced, stopped: bool) -> Result<bool, Halt> {
        let Announced {
            mut call,
            request,
            plan,
        } = announced;
        let outcome = match plan {
            _ if stopped => ToolOutcome::cancelled("cancelled before it began"),
            Err(reason) => ToolOutcome::failed(reason),
            Ok(prepared) => match self.judge(&Case::of(&request, &prepared), &call).await {
                Verdict::Run => self.execute(&mut call, prepared).await,
                Verdict::Refuse(reason) => ToolOutcome::refused(reason),
                Verdict::Stopped => ToolOutcome::cancelled("cancelled before it was allowed"),
            },
        };
        let stopped = outcome.outcome == Outcome::Cancelled || self.stop.waits.is_cancelled();
        self.conclude(call, request, outcome).await?;
        Ok(stopped)
    }

    /// The mode decides; where it says so, the user does.
    async fn judge(&mut self, case: &Case, call: &acp::ToolCall) -> Verdict {
        match case.decide(self.session.mode()) {
            Decision::Allow => Verdict::Run,
            Decision::Deny(reason) => Verdict::Refuse(reason.to_owned()),
            Decision::Ask => match self.memory.grants.get(&case.grant) {
                Some(true) => Verdict::Run,
                Some(false) => Verdict::Refuse("the user has refused this for the session".into()),
                None => self.ask(case, call).await,
            },
        }
    }

    async fn ask(&mut self, case: &Case, call: &acp::ToolCall) -> Verdict {
        let choice = match case.effect {
            // "Always" would take the choice of the mode out of the user's hands.
            Effect::SwitchMode(_) => Choice::Once,
            _ => Choice::OnceOrAlways,
        };
        let answer = permission::ask(&self.updates, call, choice, &self.stop.waits).await;
        if let Answer::Allowed { always: true } | Answer::Refused { always: true } = answer {
            self.keep(Item::Grant {
                key: case.grant.clone(),
                allow: matches!(answer, Answer::Allowed { .. }),
            });
        }
        match answer {
            Answer::Stopped => Verdict::Stopped,
            Answer::Refused { .. } => Verdict::Refuse("the user did not allow it".to_owned()),
            // The mode may have been changed while the question was open.
            Answer::Allowed { .. } => match case.decide(self.session.mode()) {
                Decision::Deny(reason) => Verdict::Refuse(reason.to_owned()),
                Decision::Allow | Decision::Ask => Verdict::Run,
            },
        }
    }

    /// Runs an allowed call. A job that was begun is always waited for: it ends soon after the
    /// stop, and not before its processes are gone.
    async fn execute(&mut self, call: &mut acp::ToolCall, prepared: Prepared) -> ToolOutcome {
        call.status = acp::ToolCallStatus::InProgress;
        let fields = acp::ToolCallUpdateFields::new().status(call.status);
        if self.update(call, fields).await.is_err() {
            return ToolOutcome::cancelled("the client is gone");
        }
        let Prepared { session, job, .. } = prepared;
        let outcome = self.run_job(call, job).await;
        match (session, outcome.outcome) {
            (Some(change), Outcome::Completed) => match self.change_session(change).await {
                Ok(()) => outcome,
                Err(()) => ToolOutcome::cancelled("the client is gone"),
            },
            _ => outcome,
        }
    }

    /// The job, while the client sees how far it is. Only the newest state waits to be sent, so a
    /// client that reads slowly skips some, and the job never waits for it.
    async fn run_job(&self, call: &acp::ToolCall, job: Job) -> ToolOutcome {
        let (live, mut shown) = watch::channel(String::new());
        let context = RunContext {
            cancel: self.stop.waits.clone(),
            access: self.session.mode().access(),
            supervisor: self.agent.supervisor.clone(),
            progress: Progress::new(move |text| {
                live.send_replace(text);
            }),
            environment: Arc::clone(&self.agent.environment),
            trace: self.trace.clone(),
            client: Some(
                self.agent
                    .client(&self.session.id)
                    .for_call(call.tool_call_id.clone()),
            ),
        };
        let running = job(context);
        tokio::pin!(running);
        loop {
            tokio::select! {
                biased;
                outcome = &mut running => return outcome,
                Ok(()) = shown.changed() => {
                    let text = tail(&shown.borrow_and_update());
                    let content = ToolOutcome::completed(text).content;
                    let fields = acp::ToolCallUpdateFields::new().content(content);
                    tokio::select! {
                        biased;
                        outcome = &mut running => return outcome,
                        _ = self.update(call, fields) => {}
                    }
                }
            }
        }
    }

    /// Does to the session what a tool asked for.
    async fn change_session(&mut self, change: SessionChange) -> Result<(), ()> {
        match change {
            SessionChange::Plan(entries) => {
                let update = crate::replay::plan(&entries);
                self.keep(Item::Plan { entries });
                self.updates.send(update).await.map_err(drop)
            }
            SessionChange::Mode(id) => {
                let Some(mode) = Mode::from_id(&id) else {
                    return Ok(());
                };
                self.session.set_mode(mode);
                crate::handlers::mode::announce(&self.updates, mode)
                    .await
                    .map_err(drop)
            }
        }
    }

    /// Keeps how a call ended, and tells the client.
    async fn conclude(
        &mut self,
        mut call: acp::ToolCall,
        request: ToolCall,
        outcome: ToolOutcome,
    ) -> Result<(), Halt> {
        call.status = match outcome.outcome {
            Outcome::Completed => acp::ToolCallStatus::Completed,
            // v1 has no status for a call that was refused or cancelled; the text says it.
            Outcome::Failed | Outcome::Refused | Outcome::Cancelled => acp::ToolCallStatus::Failed,
        };
        let mut fields = acp::ToolCallUpdateFields::new()
            .status(call.status)
            .raw_output(outcome.raw_output.clone());
        // What was announced, a diff for example, stays when there is nothing newer to show.
        if !outcome.content.is_empty() {
            fields.content = Some(outcome.content);
        }
        fields.locations = outcome.locations;
        call.update(fields.clone());
        without_terminals(&mut call, &outcome.text);
        let id = call.tool_call_id.clone();
        self.keep(Item::ToolCall {
            call,
            request,
            outcome: outcome.outcome,
            text: outcome.text,
            structured: outcome.structured,
        });
        let update = acp::ToolCallUpdate::new(id, fields);
        Ok(self
            .updates
            .send(acp::SessionUpdate::ToolCallUpdate(update))
            .await?)
    }

    async fn update(
        &self,
        call: &acp::ToolCall,
        fields: acp::ToolCallUpdateFields,
    ) -> Result<(), wire::Closed> {
        let update = acp::ToolCallUpdate::new(call.tool_call_id.clone(), fields);
        self.updates
            .send(acp::SessionUpdate::ToolCallUpdate(update))
            .await
    }
}

/// What a call is judged by.
struct Case {
    effect: Effect,
    grant: String,
    /// The command line, for a command.
    command: String,
}

impl Case {
    fn of(request: &ToolCall, prepared: &Prepared) -> Self {
        let command = request.arguments["command"].as_str().unwrap_or_default();
        Self {
            effect: prepared.effect.clone(),
            grant: prepared.grant.clone(),
            command: command.to_owned(),
        }
    }

    /// The table of the modes, and for a command in plan mode whether the kernel can hold it.
    fn decide(&self, mode: Mode) -> Decision {
        match (mode, &self.effect) {
            (Mode::Plan, Effect::Execute) => {
                mode::decide_command_in_plan(&self.command, proc::can_confine().protects_files())
            }
            (mode, effect) => mode::decide(mode, effect),
        }
    }
}

/// A terminal is gone when a call is shown again after a load, so what it said is kept instead.
fn without_terminals(call: &mut acp::ToolCall, text: &str) {
    let is_terminal =
        |content: &acp::ToolCallContent| matches!(content, acp::ToolCallContent::Terminal(_));
    if call.content.iter().any(is_terminal) {
        call.content = ToolOutcome::completed(text).content;
    }
}

/// The end of a live text, on the border of a character.
fn tail(text: &str) -> String {
    let from = text.len().saturating_sub(limits::LIVE_OUTPUT);
    let from = (from..=text.len())
        .find(|&at| text.is_char_boundary(at))
        .unwrap_or(0);
    text[from..].to_owned()
}
