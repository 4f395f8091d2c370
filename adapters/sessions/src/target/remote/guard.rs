//! This side of the guard: the script that runs where the commands run, and ends them.
//!
//! ```text
//! -- end 7 -->  guard  -- kills what carries the mark of command 7
//! <- ended 7 0 -        -- nothing of it is left
//! ```
//!
//! What must stay true: a command counts as ended only when the guard has said so; and when nobody
//! holds the guard any more its connection is closed, at which it ends everything.

use std::{
    collections::HashMap,
    sync::atomic::{AtomicBool, Ordering},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use process_tree::{Capture, Piped};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, Lines},
    process::{ChildStderr, ChildStdin, ChildStdout},
    sync::{mpsc, oneshot},
    time::{interval, timeout},
};

use super::shell;
use crate::target::TargetError;

/// The script, see there.
const SCRIPT: &str = include_str!("guard.sh");

/// What the guard says when it is there.
const HELLO: &str = "acp-sessions-guard ";

/// The variable by which a guard itself is known.
const VARIABLE: &str = "ACP_SESSIONS_GUARD";

/// How long a guard may take to be there: a login, and the end of what an earlier one has left.
const BEGIN: Duration = Duration::from_secs(90);

/// How often it is told that this side is there. It gives up after two minutes without.
const BEAT: Duration = Duration::from_secs(20);

/// How long the end of a command may take: a second of grace, the kill, and a slow machine.
const END: Duration = Duration::from_secs(60);

/// How many lines of a login's own words are passed over.
const NOISE: usize = 1_000;

/// How much of its complaints is kept.
const COMPLAINTS: usize = 4 * 1024;

/// What a guard is to do with the place when it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Make the session's folder.
    Make,
    /// It must be there.
    Find,
    /// It is the user's directory, and must be there.
    Project,
    /// It may be there.
    Any,
}

impl Mode {
    const fn word(self) -> &'static str {
        match self {
            Self::Make => "make",
            Self::Find => "find",
            Self::Project => "project",
            Self::Any => "any",
        }
    }
}

/// What the guard is told, and who waits for the answer.
struct Order {
    /// The number of a command, or `clear`.
    what: String,
    line: String,
    answer: Option<oneshot::Sender<usize>>,
}

/// A guard that runs.
#[derive(Debug)]
pub(super) struct Guard {
    /// The folder, as the guard has found it.
    pub(super) folder: String,
    pub(super) session: String,
    pub(super) generation: String,
    // One order for each command at most, so it needs no other bound.
    orders: mpsc::UnboundedSender<Order>,
    is_there: Arc<AtomicBool>,
    complaints: Arc<Mutex<Capture>>,
}

impl Guard {
    /// Lets a client run the guard. `told` is what it reaches, for messages.
    pub(super) async fn begin(
        piped: Piped,
        told: &str,
        session: &str,
        generation: &str,
        mode: Mode,
        folder: &[u8],
    ) -> Result<Self, TargetError> {
        let Piped {
            mut stdin,
            stdout,
            stderr,
            mut tree,
        } = piped;
        let complaints = Arc::new(Mutex::new(Capture::new(COMPLAINTS / 2, COMPLAINTS / 2)));
        let heard = tokio::spawn(listen(stderr, Arc::clone(&complaints)));
        let variables: [(&str, &[u8]); 4] = [
            ("session", session.as_bytes()),
            ("generation", generation.as_bytes()),
            ("mode", mode.word().as_bytes()),
            ("folder", folder),
        ];
        let mut lines = shell::marking(VARIABLE, &format!("{session}.{generation}."));
        lines.extend(shell::script(&variables, SCRIPT));
        let mut said = BufReader::new(stdout).lines();
        let hello = async {
            // If nobody reads it, nobody answers.
            let _ = stdin.write_all(&lines).await;
            hello(&mut said).await
        };
        let failed = |said: String| TargetError::Place {
            target: told.to_owned(),
            what: "the session's place cannot be entered",
            said,
        };
        let folder = match timeout(BEGIN, hello).await {
            Ok(Some(folder)) => folder,
            Ok(None) => {
                let ended = tree.end().await;
                // What it complained about is in the pipe, which has ended with it.
                let _ = timeout(Duration::from_secs(5), heard).await;
                let text = text(&complaints);
                let text = if text.is_empty() {
                    format!("{ended:?}")
                } else {
                    text
                };
                return Err(failed(text));
            }
            Err(_) => {
                tree.end().await;
                let seconds = BEGIN.as_secs();
                return Err(failed(format!("it did not answer for {seconds} seconds")));
            }
        };
        let (orders, queue) = mpsc::unbounded_channel();
        let is_there = Arc::new(AtomicBool::new(true));
        let there = Arc::clone(&is_there);
        tokio::spawn(async move {
            drive(stdin, said, queue).await;
            there.store(false, Ordering::Release);
            tree.end().await;
        });
        Ok(Self {
            folder,
            session: session.to_owned(),
            generation: generation.to_owned(),
            orders,
            is_there,
            complaints,
        })
    }

    /// Whether it can still be told anything.
    pub(super) fn is_there(&self) -> bool {
        self.is_there.load(Ordering::Acquire)
    }

    /// Ends a command and waits until nothing of it is left.
    pub(super) async fn end(&self, number: u64) -> Result<(), String> {
        self.order(number.to_string(), format!("end {number}\n"))
            .await
    }

    /// Asks for the end of a command without waiting for it.
    pub(super) fn ask_to_end(&self, number: u64) {
        let order = Order {
            what: number.to_string(),
            line: format!("end {number}\n"),
            answer: None,
        };
        // A guard that is gone has ended it.
        let _ = self.orders.send(order);
    }

    /// Ends all commands, and removes the folder if it is the session's.
    pub(super) async fn clear(&self, remove: bool) -> Result<(), String> {
        let word = if remove { "remove" } else { "keep" };
        self.order("clear".to_owned(), format!("clear {word}\n"))
            .await
    }

    async fn order(&self, what: String, line: String) -> Result<(), String> {
        let (answer, answered) = oneshot::channel();
        let order = Order {
            what,
            line,
            answer: Some(answer),
        };
        let gone = || {
            let said = text(&self.complaints);
            format!("the connection to the target is lost {said}")
                .trim()
                .to_owned()
        };
        self.orders.send(order).map_err(|_| gone())?;
        match timeout(END, answered).await {
            Ok(Ok(0)) => Ok(()),
            Ok(Ok(left)) => Err(format!(
                "{left} of its processes or files are left on the target"
            )),
            Ok(Err(_)) => Err(gone()),
            Err(_) => Err("the target does not answer".to_owned()),
        }
    }
}

/// The folder that the guard has found; none if it ends before it is there.
async fn hello(said: &mut Lines<BufReader<ChildStdout>>) -> Option<String> {
    for _ in 0..NOISE {
        let line = said.next_line().await.ok().flatten()?;
        if let Some(folder) = line.strip_prefix(HELLO) {
            return Some(folder.to_owned());
        }
    }
    None
}

/// Passes orders on and answers back, until nobody has orders any more or the guard is gone.
async fn drive(
    mut stdin: ChildStdin,
    mut said: Lines<BufReader<ChildStdout>>,
    mut queue: mpsc::UnboundedReceiver<Order>,
) {
    let mut waiting: HashMap<String, oneshot::Sender<usize>> = HashMap::new();
    let mut beats = interval(BEAT);
    let mut beat = 0_u64;
    loop {
        let line = tokio::select! {
            order = queue.recv() => {
                let Some(order) = order else { return };
                if let Some(answer) = order.answer {
                    waiting.insert(order.what, answer);
                }
                order.line
            }
            _ = beats.tick() => {
                beat += 1;
                format!("beat {beat}\n")
            }
            line = said.next_line() => {
                let Ok(Some(line)) = line else { return };
                let mut words = line.split(' ');
                if words.next() == Some("ended")
                    && let (Some(what), Some(left)) = (words.next(), words.next())
                    && let (Some(answer), Ok(left)) = (waiting.remove(what), left.parse())
                {
                    // Whoever asked may have given up.
                    let _ = answer.send(left);
                }
                continue;
            }
        };
        if stdin.write_all(line.as_bytes()).await.is_err() {
            return;
        }
    }
}

async fn listen(mut stderr: ChildStderr, complaints: Arc<Mutex<Capture>>) {
    let mut piece = vec![0; 4_096];
    while let Ok(length @ 1..) = stderr.read(&mut piece).await {
        let mut complaints = complaints.lock().unwrap_or_else(PoisonError::into_inner);
        complaints.push(&piece[..length]);
    }
}

fn text(complaints: &Mutex<Capture>) -> String {
    let complaints = complaints.lock().unwrap_or_else(PoisonError::into_inner);
    complaints.text().trim().to_owned()
}
