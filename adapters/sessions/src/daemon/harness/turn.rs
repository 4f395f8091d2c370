//! One turn: a prompt, everything that the harness says about it, and its end.
//!
//! Must stay true: a turn that was cut off is never called finished; a turn that the harness did
//! finish is, also if somebody wanted to interrupt it.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/prompt-turn>

use std::{future::pending, pin::Pin};

use futures::{FutureExt as _, future::select_all};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep_until, timeout_at};
use wire::{Call, Limits, RequestError, Responder};

use super::{
    connect::{how, refuse},
    drive::Driver,
    permission,
    stderr::LAST_WORDS,
    stop_reason,
    transcript::Transcript,
    updates,
};
use crate::{
    api::{Elicitation, Outcome, Role},
    daemon::session::Queued,
    limits,
    store::{ItemWrite, NewItem, StoreError, TurnEnd},
    target::Ended,
};

/// How many questions may be open at once. A harness that asks more is answered "cancel".
const MOST_QUESTIONS: usize = 32;

/// What is written about a turn that was interrupted before the harness heard of it.
const INTERRUPTED_AT_ONCE: &str = "interrupted before it ran";

/// How much of a question is kept.
const LONGEST_QUESTION: usize = 4_096;

/// What becomes of the harness behind a turn.
pub(super) enum After {
    /// It waits for the next one.
    Ready,
    /// It has ended, by itself or because it did not heed an interrupt.
    Ended(String),
    /// The daemon lets go of it.
    Stop,
}

type Answer<'a> = Pin<Box<dyn Future<Output = Result<Value, RequestError>> + Send + 'a>>;

/// What a turn holds while it runs.
struct Turn {
    ordinal: u64,
    transcript: Transcript,
    questions: Vec<(String, Responder)>,
    asked: u64,
    /// When the harness is ended, once the turn was interrupted.
    deadline: Option<Instant>,
}

impl Driver {
    /// Runs a turn, stores its end, and then tells of it.
    pub(super) async fn turn(&mut self, queued: &Queued) -> After {
        let id = self.session.id.clone();
        let ordinal = queued.ordinal;
        let mut turn = Turn {
            ordinal,
            transcript: Transcript::new(&self.daemon.store, &id, ordinal),
            questions: Vec::new(),
            asked: 0,
            deadline: None,
        };
        let (mut end, after) = match self.run(&mut turn, queued).await {
            Ok(ended) => ended,
            Err(error) => {
                // What was not written cannot be told; the harness may still work, so it is ended.
                let why = error.to_string();
                self.harness.handle.end().await;
                (failed(Outcome::Error, &why), After::Ended(why))
            }
        };
        self.close_questions(&mut turn, |_| true);
        let (mut last, answer) = turn.transcript.end();
        end.final_message = answer;
        if let (
            Outcome::Cancelled | Outcome::Error | Outcome::Stopped | Outcome::QuotaLimit,
            Some(text),
        ) = (end.outcome, &end.message)
        {
            let (turn, role, text) = (ordinal, Role::Notice, text.clone());
            last.push(ItemWrite::Append(NewItem { turn, role, text }));
        }
        let stored = self.daemon.store.end_turn(id, ordinal, end.clone(), last);
        if let Err(error) = stored.await {
            tracing::error!(session = %self.session.id, ordinal, %error, "the end of a turn is lost");
            if end.outcome == Outcome::Finished {
                // Nobody may be told what a restart would deny.
                end = failed(Outcome::Error, &error.to_string());
            }
        }
        self.session.update(|known| known.turns.end(ordinal, end));
        after
    }

    async fn run(
        &mut self,
        turn: &mut Turn,
        queued: &Queued,
    ) -> Result<(TurnEnd, After), StoreError> {
        if self.is_interrupted(turn.ordinal) {
            // In the moment in which it began.
            let end = failed(Outcome::Cancelled, INTERRUPTED_AT_ONCE);
            return Ok((end, After::Ready));
        }
        if !queued.is_started {
            let id = self.session.id.clone();
            self.daemon.store.start_turn(id, turn.ordinal).await?;
        }
        let params = json!({
            "sessionId": self.native_id,
            "prompt": [{"type": "text", "text": queued.text}],
        });
        let peer = self.harness.peer.clone();
        let mut answer: Answer<'_> = Box::pin(peer.request("session/prompt", &params));
        // The first poll puts it on the wire, in front of a cancel.
        if let Some(early) = answer.as_mut().now_or_never() {
            answer = Box::pin(std::future::ready(early));
        }
        let mut watch = self.session.watch();
        loop {
            let interrupted = self.is_interrupted(turn.ordinal);
            if interrupted && turn.deadline.is_none() {
                self.interrupt(turn).await;
            }
            // Not biased: a harness that floods must not hold up its own end.
            tokio::select! {
                () = self.attached.stop.cancelled() => return Ok(self.cut_off(turn).await),
                call = self.harness.incoming.next() => match call {
                    Some(call) => self.call(turn, call).await?,
                    None => return Ok(self.died(turn).await),
                },
                answered = &mut answer => return self.answered(turn, answered).await,
                ended = self.harness.handle.wait() => {
                    self.take_last_calls(turn).await?;
                    return Ok(self.dead(turn, &ended).await);
                }
                () = turn.transcript.due() => turn.transcript.flush().await?,
                () = withdrawn(&turn.questions) => {
                    self.close_questions(turn, |question| question.cancelled().is_cancelled());
                }
                () = at(turn.deadline) => return Ok(self.unheeded().await),
                _ = watch.changed() => {}
            }
        }
    }

    fn is_interrupted(&self, ordinal: u64) -> bool {
        let running = self.session.lock().turns.running;
        running.is_some_and(|running| running.ordinal == ordinal && running.is_interrupted)
    }

    /// Tells the harness to stop, and answers what it asks. Its answer may take a while.
    async fn interrupt(&mut self, turn: &mut Turn) {
        turn.deadline = Some(Instant::now() + limits::interrupt_grace());
        let params = json!({"sessionId": self.native_id});
        // If the connection has ended, the turn is about to.
        let _ = self.harness.peer.notify("session/cancel", &params).await;
        self.close_questions(turn, |_| true);
    }

    /// The harness has answered the prompt.
    async fn answered(
        &mut self,
        turn: &mut Turn,
        answer: Result<Value, RequestError>,
    ) -> Result<(TurnEnd, After), StoreError> {
        self.take_calls(turn).await?;
        let is_interrupted = turn.deadline.is_some();
        let end = match answer {
            Ok(result) => {
                let reason = result["stopReason"].as_str().unwrap_or_default();
                let outcome = stop_reason::outcome(reason);
                let message = match outcome {
                    Outcome::Finished | Outcome::Cancelled => None,
                    _ => Some(format!("the harness ended the turn with {reason:?}")),
                };
                let stop_reason = Some(reason.to_owned());
                TurnEnd {
                    outcome,
                    stop_reason,
                    message,
                    final_message: None,
                }
            }
            Err(RequestError::Closed) => return Ok(self.died(turn).await),
            Err(error) => {
                let message = match error {
                    RequestError::Answer(error) => error.message,
                    error => error.to_string(),
                };
                match is_interrupted {
                    true => failed(Outcome::Cancelled, &message),
                    false => failed(stop_reason::outcome_of_error(&message), &message),
                }
            }
        };
        Ok((end, After::Ready))
    }

    /// The connection has ended, so the harness has, or is made to.
    async fn died(&mut self, turn: &Turn) -> (TurnEnd, After) {
        let ended = self.harness.handle.end().await;
        self.dead(turn, &ended).await
    }

    /// The harness has ended by itself.
    async fn dead(&mut self, turn: &Turn, ended: &Ended) -> (TurnEnd, After) {
        let tail = self.harness.complaints.clause().await;
        let why = format!("the harness ended during the turn ({}){tail}", how(ended));
        let outcome = match turn.deadline {
            Some(_) => Outcome::Cancelled,
            None => Outcome::Error,
        };
        (failed(outcome, &why), After::Ended(why))
    }

    /// The harness did not heed the interrupt.
    async fn unheeded(&mut self) -> (TurnEnd, After) {
        self.harness.handle.end().await;
        let seconds = limits::interrupt_grace().as_secs_f32();
        let why = format!("the harness did not stop within {seconds} seconds and was ended");
        (failed(Outcome::Cancelled, &why), After::Ended(why))
    }

    /// The daemon lets go of the harness in the middle of the turn.
    async fn cut_off(&mut self, turn: &mut Turn) -> (TurnEnd, After) {
        self.harness.handle.end().await;
        // What it said until then is a part of the transcript.
        let _ = self.take_last_calls(turn).await;
        let why = self
            .attached
            .why
            .get()
            .copied()
            .unwrap_or(super::Stop::DaemonEnds);
        let outcome = match why {
            super::Stop::DaemonEnds => Outcome::Cancelled,
            _ => Outcome::Stopped,
        };
        (failed(outcome, why.sentence()), After::Stop)
    }

    async fn call(&mut self, turn: &mut Turn, call: Call) -> Result<(), StoreError> {
        match call {
            Call::Notification(notification) if notification.method == "session/update" => {
                let params: Value = notification.params.parse().unwrap_or_default();
                match updates::said(&params) {
                    Some(said) if params["sessionId"] == self.native_id.as_str() => {
                        turn.transcript.push(said).await
                    }
                    _ => Ok(()),
                }
            }
            Call::Notification(_) => Ok(()),
            Call::Request(request) => {
                let params: Value = request.params.parse().unwrap_or_default();
                match request.method.as_str() {
                    "session/request_permission" => {
                        let answer = match turn.deadline {
                            Some(_) => permission::cancelled(),
                            None => permission::answer(&params, self.permissions),
                        };
                        request.responder.respond(&answer);
                    }
                    "elicitation/create" => self.ask(turn, &params, request.responder),
                    _ => refuse(Call::Request(request)),
                }
                Ok(())
            }
        }
    }

    /// The harness asks something that only a person could answer.
    fn ask(&self, turn: &mut Turn, params: &Value, responder: Responder) {
        if turn.deadline.is_some() || turn.questions.len() >= MOST_QUESTIONS {
            return responder.respond(&json!({"action": "cancel"}));
        }
        turn.asked += 1;
        let id = format!("{}-{}", turn.ordinal, turn.asked);
        let message = params["message"].as_str().unwrap_or_default();
        let cut = message.floor_char_boundary(LONGEST_QUESTION);
        let question = Elicitation {
            id: id.clone(),
            message: message[..cut].to_owned(),
        };
        turn.questions.push((id, responder));
        self.session.update(|known| known.questions.push(question));
    }

    /// Answers those questions that nobody will answer any more.
    fn close_questions(&self, turn: &mut Turn, which: impl Fn(&Responder) -> bool) {
        let (closed, open) = std::mem::take(&mut turn.questions)
            .into_iter()
            .partition::<Vec<_>, _>(|(_, responder)| which(responder));
        turn.questions = open;
        if closed.is_empty() {
            return;
        }
        self.session.update(|known| {
            known
                .questions
                .retain(|question| closed.iter().all(|(id, _)| *id != question.id));
        });
        for (_, responder) in closed {
            responder.respond(&json!({"action": "cancel"}));
        }
    }

    /// Takes what a harness that has ended said before. It is in the pipe already, and followed by
    /// the end.
    async fn take_last_calls(&mut self, turn: &mut Turn) -> Result<(), StoreError> {
        let deadline = Instant::now() + LAST_WORDS;
        while let Ok(Some(call)) = timeout_at(deadline, self.harness.incoming.next()).await {
            self.call(turn, call).await?;
        }
        Ok(())
    }

    /// Takes the calls that were written before what was just learnt.
    async fn take_calls(&mut self, turn: &mut Turn) -> Result<(), StoreError> {
        // As many as the connection's queue holds, and one that waits for its place. Not more, or a
        // flood behind the answer would go on for ever.
        for _ in 0..=Limits::default().incoming {
            // Not on the runtime's budget, which could say "nothing there" too early.
            let next = tokio::task::unconstrained(self.harness.incoming.next()).now_or_never();
            match next {
                Some(Some(call)) => self.call(turn, call).await?,
                _ => break,
            }
        }
        Ok(())
    }
}

fn failed(outcome: Outcome, message: &str) -> TurnEnd {
    TurnEnd {
        outcome,
        stop_reason: None,
        message: Some(message.to_owned()),
        final_message: None,
    }
}

/// Waits until the harness wants no answer to one of its questions any more.
async fn withdrawn(questions: &[(String, Responder)]) {
    if questions.is_empty() {
        pending::<()>().await;
    }
    let each = questions.iter().map(|(_, question)| question.cancelled());
    select_all(each.map(|token| Box::pin(token.cancelled_owned()))).await;
}

/// Waits until then; for ever if there is no then.
async fn at(then: Option<Instant>) {
    match then {
        Some(then) => sleep_until(then).await,
        None => pending().await,
    }
}
