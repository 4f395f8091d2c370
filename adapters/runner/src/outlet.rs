//! Where events leave the runner: a thread that writes lines to standard output.
//!
//! A thread, because writes to a pipe block; and a bounded queue before it, so that a host that
//! does not read slows the runner down instead of filling its memory.
//!
//! Must stay true: every line is written whole and flushed by itself, in the order of `send`.

use std::{
    io::{self, Write},
    thread,
};

use tokio::sync::{mpsc, oneshot};

use crate::{event::Event, fit};

/// How many events may wait. Each is at most [`fit::MAX_LINE`] bytes, and hardly any is so long.
const WAITING: usize = 256;

enum Message {
    Line(String),
    /// Answered when everything before it is written.
    Flush(oneshot::Sender<()>),
}

/// Sends events. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Outlet(mpsc::Sender<Message>);

impl Outlet {
    /// Starts the thread that writes to `output`.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub fn start(mut output: impl Write + Send + 'static) -> io::Result<Self> {
        let (sender, mut messages) = mpsc::channel(WAITING);
        thread::Builder::new()
            .name("events".to_owned())
            .spawn(move || {
                while let Some(message) = messages.blocking_recv() {
                    let written = match message {
                        Message::Line(line) => write(&mut output, line),
                        Message::Flush(done) => {
                            let _ = done.send(());
                            Ok(())
                        }
                    };
                    // Nobody reads any more, which `closed` tells.
                    if written.is_err() {
                        break;
                    }
                }
            })?;
        Ok(Self(sender))
    }

    /// Sends one event. Waits while too many wait to be written.
    pub async fn send(&self, event: Event) {
        match fit::line(&event) {
            // A closed queue means that nobody reads any more.
            Some(line) => drop(self.0.send(Message::Line(line)).await),
            None => tracing::error!("an event is too long whatever is cut, and was dropped"),
        }
    }

    /// Waits until nobody reads any more.
    pub async fn closed(&self) {
        self.0.closed().await;
    }

    /// Waits until everything that was sent before is written.
    pub async fn flush(&self) {
        let (done, written) = oneshot::channel();
        if self.0.send(Message::Flush(done)).await.is_ok() {
            let _ = written.await;
        }
    }
}

fn write(output: &mut impl Write, mut line: String) -> io::Result<()> {
    line.push('\n');
    output.write_all(line.as_bytes())?;
    output.flush()
}
