//! `prompt`, `wait` and `interrupt`: turns by hand.

use std::io::Read;

use tokio::time::{Duration, Instant};

use super::{
    CliError,
    arguments::{One, Prompt, Wait},
    find, output,
    progress::Progress,
};
use crate::{
    api::{self, Interrupt, Outcome, SessionId, WaitAnswer},
    client::{Client, Daemon},
};

/// How long one wait takes at most; then what goes on is shown, and it is asked again.
const ONE_WAIT: u64 = 1;

pub(super) async fn prompt(daemon: &Daemon, flags: Prompt) -> Result<(), CliError> {
    let id = find::session(&daemon.client().await?, &flags.session).await?;
    let body = api::Prompt {
        text: text(&flags.text)?,
        // By it the daemon knows that the same prompt is sent again.
        command_id: Some(format!("{:032x}", rand::random::<u128>())),
    };
    let (session, prompt) = (&id, &body);
    let submit = |client: Client| async move { client.prompt(session, prompt).await };
    let turn = daemon.follow(submit).await?;
    match flags.no_wait {
        true => output::print_line(&turn.to_string()),
        false => follow(daemon, &id, Some(turn), None).await,
    }
}

pub(super) async fn wait(daemon: &Daemon, flags: Wait) -> Result<(), CliError> {
    let id = find::session(&daemon.client().await?, &flags.session).await?;
    follow(daemon, &id, flags.turn, flags.timeout).await
}

pub(super) async fn interrupt(client: &Client, flags: One) -> Result<(), CliError> {
    let id = find::session(client, &flags.session).await?;
    match client.interrupt(&id, Interrupt::default()).await? {
        true => Ok(()),
        false => Err(CliError::NothingToInterrupt(id)),
    }
}

/// The words of the command line, or stdin.
fn text(words: &[String]) -> Result<String, CliError> {
    let text = match words {
        [dash] if dash == "-" => {
            let mut text = String::new();
            let read = std::io::stdin().read_to_string(&mut text);
            read.map_err(CliError::Stdio)?;
            text
        }
        words => words.join(" "),
    };
    match text.trim().is_empty() {
        true => Err(CliError::NoText),
        false => Ok(text),
    }
}

/// Waits for the end of a turn and prints what the agent said last.
async fn follow(
    daemon: &Daemon,
    id: &SessionId,
    turn: Option<u64>,
    timeout: Option<u64>,
) -> Result<(), CliError> {
    let deadline = timeout.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let mut progress = Progress::new();
    let answer = loop {
        let wait = api::Wait {
            turn_id: turn,
            return_on_input: true,
            timeout_secs: Some(ONE_WAIT),
        };
        let wait = &wait;
        let ask = |client: Client| async move { client.wait(id, wait).await };
        let answer = daemon.follow(ask).await?;
        let is_over = deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if answer.outcome != Outcome::Timeout || is_over {
            break answer;
        }
        progress.show_session(&answer.session);
    };
    drop(progress);
    if let Some(message) = &answer.final_message {
        output::print_line(&output::lines(message))?;
    }
    ended(id, turn, &answer)
}

/// Whether the turn finished; if not, what happened and what to do.
fn ended(id: &SessionId, turn: Option<u64>, answer: &WaitAnswer) -> Result<(), CliError> {
    let why = answer.message.as_deref().unwrap_or("no cause is recorded");
    let how = match answer.outcome {
        Outcome::Finished => return Ok(()),
        Outcome::Cancelled => "was interrupted".to_owned(),
        Outcome::Error => format!("failed: {}", output::one_line(why)),
        Outcome::QuotaLimit => format!("ran out of quota: {}", output::one_line(why)),
        Outcome::Stopped => format!(
            "does not run: the session is {}; see: acp-sessions sessions --session {id}",
            answer.session.lifecycle.as_str()
        ),
        Outcome::Timeout => {
            format!("still runs; wait again with: acp-sessions wait --session {id}")
        }
        Outcome::InputRequired => {
            let question = answer.pending_elicitations.first();
            let question = question.map_or("it does not say what", |asked| &asked.message);
            format!(
                "asks: {}; that cannot be answered here; end it with: \
                 acp-sessions interrupt --session {id}",
                output::one_line(question)
            )
        }
    };
    let turn = answer.turn_id.or(turn);
    Err(CliError::Turn {
        id: id.clone(),
        turn: turn.map_or_else(|| "?".to_owned(), |turn| turn.to_string()),
        how,
    })
}
