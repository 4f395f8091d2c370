//! Running a command on a target to its end: input in, output out, a deadline over all.
//!
//! Must stay true: input, output and complaints flow at the same time, so that no full pipe stops
//! the command; and whatever happens, nothing of the command is left when this returns.

use process_tree::{Capture, Ended};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _},
    process::ChildStdin,
    time::timeout,
};

use super::{Output, Process, TargetCommand, TargetError};

/// How much of the complaints is kept, half from the beginning and half from the end: a screen.
const COMPLAINTS: usize = 8 * 1024;

/// As much as a pipe holds by default, so one read can empty it.
const READ: usize = 64 * 1024;

/// It wrote more than is kept.
struct TooMuch;

/// Feeds the process, and collects what it says until it has ended.
pub(super) async fn to_its_end(
    process: Process,
    command: &TargetCommand,
    input: &[u8],
) -> Result<Output, TargetError> {
    let Process {
        stdin,
        mut stdout,
        mut stderr,
        mut handle,
    } = process;
    let mut said = Vec::new();
    let mut complaints = Capture::new(COMPLAINTS / 2, COMPLAINTS / 2);
    let talk = async {
        tokio::try_join!(
            feed(stdin, input),
            collect(&mut stdout, &mut said, command.limit),
            drain(&mut stderr, &mut complaints),
        )
        .is_ok()
    };
    // The end of the process is the end of its output, also when something that it left behind
    // holds the pipe: that is ended with it.
    let whole = async {
        tokio::pin!(talk);
        let mut fits = None;
        let ended = tokio::select! {
            fit = &mut talk => {
                fits = Some(fit);
                if fit { handle.wait().await } else { handle.end().await }
            }
            ended = handle.wait() => ended,
        };
        let fits = match fits {
            Some(fit) => fit,
            // All who could write are gone, so what is left is in the pipe and ends.
            None => talk.await,
        };
        (ended, fits)
    };
    let finished = timeout(command.deadline, whole).await;
    match finished {
        Ok((ended, true)) => Ok(Output {
            ended,
            stdout: said,
            stderr: complaints.text().trim().to_owned(),
        }),
        Ok((_, false)) => Err(TargetError::TooMuch {
            program: command.program().to_owned(),
            limit: command.limit,
        }),
        Err(_) => {
            let ended: Ended = handle.end().await;
            tracing::debug!(program = ?command.program(), ?ended, "ended at its deadline");
            Err(TargetError::TooLong {
                program: command.program().to_owned(),
                deadline: command.deadline,
            })
        }
    }
}

/// Writes the input and closes the pipe. A command need not read it all.
async fn feed(mut stdin: ChildStdin, input: &[u8]) -> Result<(), TooMuch> {
    if stdin.write_all(input).await.is_ok() {
        let _ = stdin.shutdown().await;
    }
    Ok(())
}

/// Reads to the end, or until it was more than `limit`.
async fn collect(
    from: &mut (impl AsyncRead + Unpin),
    into: &mut Vec<u8>,
    limit: usize,
) -> Result<(), TooMuch> {
    let mut bounded = from.take(limit as u64 + 1);
    // A pipe that cannot be read says no more than one that has ended.
    let _ = bounded.read_to_end(into).await;
    if into.len() > limit {
        return Err(TooMuch);
    }
    Ok(())
}

async fn drain(from: &mut (impl AsyncRead + Unpin), into: &mut Capture) -> Result<(), TooMuch> {
    let mut buffer = vec![0; READ];
    while let Ok(length @ 1..) = from.read(&mut buffer).await {
        into.push(&buffer[..length]);
    }
    Ok(())
}
