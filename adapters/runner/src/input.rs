//! Where commands come in: a thread that reads lines from standard input.
//!
//! A thread, because a read of a pipe blocks and cannot be called back. It is never joined; it ends
//! with the input or with the process.
//!
//! Must stay true: the queue is bounded by messages and each message by the longest line, so a host
//! that floods is slowed down.

use std::{
    io::{self, BufRead as _, BufReader, Read},
    thread,
    time::Duration,
};

use tokio::{
    signal::unix::{SignalKind, signal},
    sync::mpsc,
};

use crate::command::{self, Command, Line};

/// The longest command line, in bytes. A brief may be long; what is longer than a book is none.
const MAX_LINE: usize = 16 * 1024 * 1024;

/// How many commands may wait for the runner, which takes them at once and queues messages itself.
const WAITING: usize = 16;

/// What comes in.
#[derive(Debug)]
pub enum Input {
    /// A command.
    Command(Command),
    /// A line that was ignored, and the warning for it.
    Faulty(&'static str),
}

/// Starts to read `input`, and to listen for SIGTERM and SIGINT. The end of the input and both
/// signals are a [`Command::Shutdown`] too. The process exits `shutdown` after any of them, if it
/// still runs. Needs a tokio runtime.
///
/// # Errors
/// The thread cannot be started, or the signals cannot be had.
pub fn start(
    input: impl Read + Send + 'static,
    shutdown: Duration,
) -> io::Result<mpsc::Receiver<Input>> {
    let (sender, receiver) = mpsc::channel(WAITING);
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let signalled = sender.clone();
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        exit_at_last(shutdown);
        let _ = signalled.send(Input::Command(Command::Shutdown)).await;
    });
    thread::Builder::new()
        .name("commands".to_owned())
        .spawn(move || read(&mut BufReader::new(input), &sender, shutdown))?;
    Ok(receiver)
}

/// Reads until the host says, or shows, that it wants no more.
fn read(input: &mut BufReader<impl Read>, sender: &mpsc::Sender<Input>, shutdown: Duration) {
    loop {
        let input = match next_line(input) {
            Ok(Some(Some(bytes))) => match command::parse(&String::from_utf8_lossy(&bytes)) {
                Line::Command(command) => Input::Command(command),
                Line::Faulty(warning) => Input::Faulty(warning),
                Line::Nothing => continue,
            },
            Ok(Some(None)) => Input::Faulty("ignored a command line that is too long"),
            Ok(None) | Err(_) => Input::Command(Command::Shutdown),
        };
        let is_last = matches!(input, Input::Command(Command::Shutdown));
        if is_last {
            // Before it is sent: the runner may not get to take it.
            exit_at_last(shutdown);
        }
        if sender.blocking_send(input).is_err() || is_last {
            return;
        }
    }
}

/// Ends the process later, if it still runs, because something hangs in its shutdown that should
/// not. All process trees end with it.
pub fn exit_at_last(after: Duration) {
    // A thread, which runs whatever the runtime is busy with.
    thread::spawn(move || {
        thread::sleep(after);
        std::process::exit(0);
    });
}

/// The next line; `Some(None)` for one that is too long, `None` at the end.
fn next_line(input: &mut BufReader<impl Read>) -> io::Result<Option<Option<Vec<u8>>>> {
    let mut line = Vec::new();
    if input
        .by_ref()
        .take(MAX_LINE as u64)
        .read_until(b'\n', &mut line)?
        == 0
    {
        return Ok(None);
    }
    if line.len() < MAX_LINE || line.ends_with(b"\n") {
        return Ok(Some(Some(line)));
    }
    loop {
        line.clear();
        let read = input
            .by_ref()
            .take(MAX_LINE as u64)
            .read_until(b'\n', &mut line)?;
        if read == 0 || line.ends_with(b"\n") {
            return Ok(Some(None));
        }
    }
}
