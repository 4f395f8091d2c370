//! A thread that owns a connection.
//!
//! Jobs that wait are committed together: a commit costs a flush of the disk, and many sessions
//! write at once. Each job has its own savepoint, so one that fails undoes nothing of the others.
//!
//! What must stay true: a caller hears of success only behind the commit.

use std::thread;

use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use super::StoreError;

/// How many jobs may wait; then callers wait for room.
const WAITING: usize = 256;

/// How many jobs are committed together. More would only delay the first.
const TOGETHER: usize = 64;

/// Does something, and tells the caller once it is known whether it was committed.
type Job = Box<dyn FnOnce(&Connection) -> Told + Send>;
type Told = Box<dyn FnOnce(Result<(), &rusqlite::Error>) + Send>;

enum Message {
    Job(Job),
    Close(oneshot::Sender<()>),
}

/// The handle of the thread.
#[derive(Clone, Debug)]
pub(super) struct Worker {
    jobs: mpsc::Sender<Message>,
}

impl Worker {
    pub(super) fn start(name: &str, connection: Connection) -> Result<Self, StoreError> {
        let (jobs, queue) = mpsc::channel(WAITING);
        thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || work(connection, queue))
            .map_err(StoreError::Thread)?;
        Ok(Self { jobs })
    }

    /// Runs a job. If the caller is dropped meanwhile, the job runs all the same.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        what: &'static str,
        job: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (tell, told) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            let result = in_savepoint(connection, job);
            Box::new(move |committed: Result<(), &rusqlite::Error>| {
                let result = match (result, committed) {
                    (Ok(value), Ok(())) => Ok(value),
                    (Err(error), _) => Err(failed(what, &error)),
                    (Ok(_), Err(error)) => Err(failed(what, error)),
                };
                // The caller may have gone.
                let _ = tell.send(result);
            })
        });
        let sent = self.jobs.send(Message::Job(job)).await;
        sent.map_err(|_| StoreError::Closed(what))?;
        told.await.map_err(|_| StoreError::Closed(what))?
    }

    pub(super) async fn close(&self) {
        let (tell, told) = oneshot::channel();
        if self.jobs.send(Message::Close(tell)).await.is_ok() {
            let _ = told.await;
        }
    }
}

fn failed(what: &'static str, error: &rusqlite::Error) -> StoreError {
    let cause = error.to_string();
    StoreError::Failed { what, cause }
}

fn in_savepoint<T>(
    connection: &Connection,
    job: impl FnOnce(&Connection) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    connection.execute_batch("SAVEPOINT job")?;
    let result = job(connection);
    let end = match result {
        Ok(_) => "RELEASE job",
        Err(_) => "ROLLBACK TO job; RELEASE job",
    };
    connection.execute_batch(end)?;
    result
}

fn work(connection: Connection, mut queue: mpsc::Receiver<Message>) {
    let mut closing = None;
    while closing.is_none() {
        let mut next = queue.blocking_recv();
        if next.is_none() {
            break;
        }
        let begun = connection.execute_batch("BEGIN");
        let mut told = Vec::new();
        while let Some(message) = next.take() {
            match message {
                Message::Job(job) => told.push(job(&connection)),
                Message::Close(tell) => {
                    closing = Some(tell);
                    break;
                }
            }
            if told.len() < TOGETHER {
                next = queue.try_recv().ok();
            }
        }
        let committed = begun.and_then(|()| connection.execute_batch("COMMIT"));
        if let Err(error) = &committed {
            tracing::error!(%error, "the store could not commit");
            let _ = connection.execute_batch("ROLLBACK");
        }
        for tell in told {
            tell(committed.as_ref().copied());
        }
    }
    if let Err((_, error)) = connection.close() {
        tracing::error!(%error, "the store could not be closed");
    }
    if let Some(tell) = closing {
        let _ = tell.send(());
    }
}
