//! How long a client waits for the end of a command that it has cancelled, and how long the
//! command's processes live on.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/prompt-turn#cancellation>

use std::time::{Duration, Instant};

use super::start::millis;
use crate::{
    deadline::Deadline,
    effort::Rounds,
    fault::Fault,
    message::Message,
    row::{Row, Series, Target},
    series::Field,
    session::{PATIENCE, Session, expect_stop, run},
    tree::{Shape, Tree},
};

/// How long a command's processes may live on.
const GONE: Duration = Duration::from_secs(10);

/// Commands of three kinds.
pub(super) fn measure(field: &Field) -> Vec<Series> {
    [
        (Shape::Sleep, 50, 20.0),
        (Shape::Tree, 50, 20.0),
        (Shape::Stubborn, 10, 600.0),
    ]
    .into_iter()
    .flat_map(|(shape, rounds, most)| {
        of(
            field,
            shape,
            field.effort.rounds(rounds),
            Target::AtMost(most),
        )
    })
    .collect()
}

fn of(field: &Field, shape: Shape, rounds: Rounds, target: Target) -> Vec<Series> {
    let what = format!("cancel, {}:", shape.name());
    field.alternate(
        [
            Row::time(format!("{what} to the answer"), target),
            Row::time(format!("{what} to all gone"), target),
            Row::count(format!("{what} answered too early"), Target::Never),
        ],
        rounds,
        |contender| Session::start(contender, field.folders.in_memory()?),
        |_, session| {
            session.renew()?;
            let mut tree = Tree::new(&session.place().workspace(), shape)?;
            let request = start(session, &mut tree)?;
            cancel(session, &mut tree, request)
        },
    )
}

/// Has the command run, and returns the prompt's id once all of its processes do.
pub(super) fn start(session: &mut Session, tree: &mut Tree) -> Result<u64, Fault> {
    let request = session.send_prompt(&run(&tree.command()))?;
    let deadline = Deadline::after("start of a command", PATIENCE);
    while !tree.runs()? {
        if !session.connection.wait(Some(tree.news()), deadline)?.output {
            continue;
        }
        if let Some(Message::Answer { id, result }) =
            session.connection.read("the start of a command")?
            && id == request
        {
            return Err(Fault::Unexpected {
                what: "a prompt to run a command",
                expected: "the command to run".to_owned(),
                got: result.unwrap_or_else(|error| error),
            });
        }
    }
    Ok(request)
}

/// Cancels, and returns when the answer came, when the last process was gone, and whether the
/// answer was too early.
fn cancel(session: &mut Session, tree: &mut Tree, request: u64) -> Result<[f64; 3], Fault> {
    let deadline = Deadline::after("end of a cancelled command", GONE);
    let (mut answered, mut gone, mut early) = (None, None, false);
    let start = Instant::now();
    session.cancel()?;
    loop {
        if gone.is_none() && tree.is_gone()? {
            gone = Some(millis(start));
        }
        if let (Some(answered), Some(gone)) = (answered, gone) {
            return Ok([answered, gone, f64::from(u8::from(early))]);
        }
        // An ended pipe is always ready: it is not waited for any more.
        let news = gone.is_none().then(|| tree.news());
        if !session.connection.wait(news, deadline)?.output {
            continue;
        }
        if let Some(Message::Answer { id, result }) = session
            .connection
            .read("the answer to a cancelled prompt")?
            && id == request
            && answered.is_none()
        {
            answered = Some(millis(start));
            // Looked at after the answer was here: whatever lives now did so when it was sent.
            early = !tree.is_gone()?;
            let answer = result.map_err(|error| Fault::Refused {
                method: "session/prompt",
                error,
            })?;
            expect_stop(&answer, "cancelled")?;
        }
    }
}
