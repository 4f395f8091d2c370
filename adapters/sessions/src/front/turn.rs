//! `session/prompt`: one turn, from the prompt to its answer.
//!
//! What must stay true: the prompt is submitted once; the wait is repeated until the turn has
//! really ended, however long it takes and whichever daemon tells; the agent's message stands
//! before the answer; the session is free again before the answer is out, because the client may
//! prompt the moment it reads it.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/prompt-turn>

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use agent_client_protocol_schema::v1 as acp;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use wire::Responder;

use super::{
    Front,
    ends::{Course, End, Stop, Stopped},
    handlers::refusal,
    interrupt,
    progress::{self, Told},
    prompt::Prompt,
};
use crate::{
    api::{self, Outcome, Wait, WaitAnswer},
    client::{Client, ClientError},
    limits,
};

/// Runs the turn in a task of its own.
pub(super) fn begin(front: &Arc<Front>, prompt: Prompt, responder: Responder) {
    let turns = front.turns.clone();
    let front = Arc::clone(front);
    turns.spawn(async move {
        let (end, told) = run(&front, &prompt, &responder.cancelled()).await;
        let finished = end.answer == Ok(acp::StopReason::EndTurn);
        told.end(&front, &prompt, finished).await;
        if let Some(message) = end.message {
            // The one message that a turn has: all that the agent said at last.
            let chunk = acp::ContentChunk::new(acp::ContentBlock::from(message));
            progress::tell(
                &front,
                &prompt,
                acp::SessionUpdate::AgentMessageChunk(chunk),
            )
            .await;
        }
        front.owned.end(&prompt.id, end.settled);
        match end.answer {
            Ok(stop_reason) => responder.respond(&acp::PromptResponse::new(stop_reason)),
            Err(reason) => responder.error(refusal(reason)),
        }
    });
}

/// Follows the turn to its end, and interrupts it as soon as it is cancelled: by `session/cancel`,
/// by the end of the front, or by a cancel of the request itself.
async fn run(front: &Front, prompt: &Prompt, request_cancelled: &CancellationToken) -> (End, Told) {
    let over = CancellationToken::new();
    let turn_id = OnceLock::new();
    let course = async {
        let course = course(front, prompt, &turn_id).await;
        over.cancel();
        course
    };
    let request = async {
        tokio::select! {
            () = over.cancelled() => {}
            () = request_cancelled.cancelled() => prompt.cancelled.cancel(),
        }
    };
    let interrupts = interrupt::when_cancelled(
        &front.daemon,
        &prompt.id,
        &turn_id,
        &prompt.cancelled,
        &over,
    );
    let watch = progress::watch(front, prompt, &turn_id, &over);
    let (course, (), (), told) = tokio::join!(course, request, interrupts, watch);
    let end = course.end(&prompt.id, prompt.cancelled.is_cancelled());
    tracing::info!(id = %prompt.id, answer = ?end.answer, settled = end.settled, "a turn ended");
    (end, told)
}

async fn course(front: &Front, prompt: &Prompt, number: &OnceLock<u64>) -> Course {
    if prompt.cancelled.is_cancelled() {
        return Course::NeverSent;
    }
    let turn_id = match submit(front, prompt).await {
        Ok(turn_id) => turn_id,
        Err(error) => return Course::NotAccepted(error),
    };
    let turn_id = *number.get_or_init(|| turn_id);
    let followed = follow(front, prompt, turn_id).await;
    followed.unwrap_or_else(|error| Course::Unfollowed { turn_id, error })
}

/// Submits the prompt. A lost reply is asked for again, unless the prompt was cancelled meanwhile:
/// asking again could then begin what should not be.
async fn submit(front: &Front, prompt: &Prompt) -> Result<u64, ClientError> {
    let body = api::Prompt {
        text: prompt.text.clone(),
        // By it the daemon knows that the same prompt is sent again.
        command_id: Some(format!("{:032x}", rand::random::<u128>())),
    };
    let wanted = || !prompt.cancelled.is_cancelled();
    let body = &body;
    let submit = |client: Client| async move { client.prompt(&prompt.id, body).await };
    front.daemon.follow_while(wanted, submit).await
}

/// Waits until the turn has ended, or has to be stopped.
async fn follow(front: &Front, prompt: &Prompt, turn_id: u64) -> Result<Course, ClientError> {
    let limit = front.settings.turn_timeout;
    let deadline = limit.map(|limit| (Instant::now() + limit, limit.as_secs_f64()));
    loop {
        let left = deadline.map(|(deadline, _)| deadline.saturating_duration_since(Instant::now()));
        let longest = limits::wait_default().min(left.unwrap_or(Duration::MAX));
        let answer = wait(front, prompt, turn_id, longest, true).await?;
        let why = match (answer.outcome, deadline) {
            (Outcome::InputRequired, _) => {
                let question = answer.pending_elicitations.first();
                Stop::Question(question.map(|question| question.message.clone()))
            }
            (Outcome::Timeout, Some((deadline, seconds))) if Instant::now() >= deadline => {
                Stop::OutOfTime(seconds)
            }
            // The daemon's limit is none of the turn's: it goes on, so we do.
            (Outcome::Timeout, _) => continue,
            _ => return Ok(Course::Ended(answer)),
        };
        let stopping = timeout(limits::turn_settle(), stop(front, prompt, turn_id));
        let end = stopping.await.ok().transpose()?;
        return Ok(Course::Stopped { why, end });
    }
}

/// Interrupts the turn and waits until it has ended.
async fn stop(front: &Front, prompt: &Prompt, turn_id: u64) -> Result<Stopped, ClientError> {
    // Refused when it ended by itself, or when it cannot be interrupted yet.
    while !interrupt::once(&front.daemon, &prompt.id, Some(turn_id)).await {
        let look = wait(front, prompt, turn_id, Duration::ZERO, false).await?;
        if look.outcome != Outcome::Timeout {
            let (by_us, wait) = (false, look);
            return Ok(Stopped { by_us, wait });
        }
        sleep(limits::interrupt_retry()).await;
    }
    loop {
        let answer = wait(front, prompt, turn_id, limits::turn_settle(), false).await?;
        if answer.outcome != Outcome::Timeout {
            let (by_us, wait) = (true, answer);
            return Ok(Stopped { by_us, wait });
        }
    }
}

/// One wait, on whichever daemon there is.
async fn wait(
    front: &Front,
    prompt: &Prompt,
    turn_id: u64,
    longest: Duration,
    return_on_input: bool,
) -> Result<WaitAnswer, ClientError> {
    let wait = Wait {
        turn_id: Some(turn_id),
        return_on_input,
        timeout_secs: Some(longest.as_millis().div_ceil(1000).clamp(1, 3600) as u64),
    };
    let wait = &wait;
    let ask = |client: Client| async move { client.wait(&prompt.id, wait).await };
    front.daemon.follow(ask).await
}
