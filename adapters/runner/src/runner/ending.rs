//! The ways out. Each of them ends the agent and the terminals, and says how it went.
//!
//! A turn that runs has a moment to land; then agent and terminals are ended, all at once. How long
//! each may take is in [`deadlines`](crate::deadlines).

use std::time::Duration;

use futures::FutureExt as _;
use process_tree::Ended;
use tokio::time::{Instant, timeout, timeout_at};

use super::{Exit, Runner};
use crate::{
    agent::LAST_WORDS,
    event::{Event, Level, State},
    named_error::{Code, NamedError},
    turn::End,
};

/// How long an agent that closed its output may take to end by itself, so that its exit status is
/// known.
const EXIT_DEADLINE: Duration = Duration::from_secs(1);

impl Runner {
    /// The agent's process has ended: what it said before is taken, then its end is told.
    pub(super) async fn died(&mut self, ended: &Ended) -> NamedError {
        self.last_words().await;
        self.agent.death(ended).await
    }

    /// The agent has closed its output: it has ended, or is of no use any more.
    pub(super) async fn closed(&mut self) -> NamedError {
        self.last_words().await;
        match timeout(EXIT_DEADLINE, self.agent.ended()).await {
            Ok(ended) => self.agent.death(&ended).await,
            Err(_) => NamedError::new(
                Code::AgentFailed,
                "the ACP agent closed its output and went on running",
            ),
        }
    }

    /// Takes everything that the agent said before it ended.
    async fn last_words(&mut self) {
        let until = Instant::now() + LAST_WORDS;
        while let Ok(Some(call)) = timeout_at(until, self.incoming.next()).await {
            self.call(call).await;
        }
        // Agents that cannot start like to say why on the wrong stream.
        while let Ok(line) = self.strays.try_recv() {
            self.stray(&line).await;
        }
        self.last_answer().await;
    }

    /// Ends the turn if the agent answered the prompt before it ended.
    async fn last_answer(&mut self) {
        let answer = match &mut self.turn {
            Some((_, answer)) => answer.as_mut().now_or_never(),
            None => None,
        };
        match answer {
            Some(answer @ (Ok(_) | Err(wire::RequestError::Answer(_)))) => {
                self.answered(answer).await;
            }
            Some(Err(_)) => self.lose_answer(),
            None => {}
        }
    }

    /// The connection has ended, and with it the wait for the answer.
    pub(super) fn lose_answer(&mut self) {
        if let Some((_, answer)) = &mut self.turn {
            *answer = Box::pin(std::future::pending());
        }
    }

    /// Tells of a failure that ends the run, and ends everything.
    pub(super) async fn fail(mut self, error: NamedError) -> Exit {
        report(&self.outlet, &error).await;
        self.cancel_questions();
        self.end_turn(End::Died(error.message)).await;
        self.end_processes().await;
        self.outlet.flush().await;
        Exit::Failed
    }

    /// Ends everything after a shutdown.
    pub(super) async fn close(mut self) -> Exit {
        self.cancel_questions();
        self.end_turn(End::Interrupted).await;
        self.end_processes().await;
        self.outlet.send(Event::status(State::Exited)).await;
        self.outlet.flush().await;
        Exit::Clean
    }

    /// Ends agent and terminals, both at once.
    async fn end_processes(&mut self) {
        // Its input ends too, which is how a well-behaved agent is asked to end.
        self.peer.close();
        tokio::join!(self.agent.end(), self.terminals.end());
        process_tree::sweep().await;
    }
}

/// Tells of a named error.
pub async fn report(outlet: &crate::outlet::Outlet, error: &NamedError) {
    outlet
        .send(Event::log(Level::Error, error.to_string()))
        .await;
    let detail = Some(error.code.as_str().to_owned());
    outlet
        .send(Event::Status {
            state: State::Error,
            detail,
        })
        .await;
}
