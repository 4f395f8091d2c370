//! The daemon as whoever follows something for long sees it: one that may be replaced at any moment.
//!
//! Must stay true: what is repeated on another daemon is a read, an interrupt, or carries an id by
//! which the daemon recognises it. Nothing is repeated because the daemon said no.

use std::sync::{Mutex, PoisonError};

use tokio::time::{Instant, sleep};

use super::{Client, ClientError, Connector};
use crate::{
    api::{CreateSession, Session, SessionId},
    limits,
};

/// Reaches the daemon, wherever it is now.
pub struct Daemon {
    connector: Connector,
    last: Mutex<Option<Client>>,
}

impl Daemon {
    /// Nothing is looked for yet.
    pub fn new(connector: Connector) -> Self {
        Self {
            connector,
            last: Mutex::new(None),
        }
    }

    /// The daemon that answered last, else the one that runs, else one that is started.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn client(&self) -> Result<Client, ClientError> {
        if let Some(client) = self.last().clone() {
            return Ok(client);
        }
        let client = self.connector.connect().await?;
        *self.last() = Some(client.clone());
        Ok(client)
    }

    /// Makes a session. A lost reply is asked for again: `session` carries an id of ours.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn create(&self, session: &CreateSession) -> Result<SessionId, ClientError> {
        self.follow(|client| async move { client.create(session).await })
            .await
    }

    /// Looks at a session; none if there is none.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn look(&self, id: &SessionId) -> Result<Option<Session>, ClientError> {
        self.follow(|client| async move { client.session(id).await })
            .await
    }

    /// Asks, and asks again when the daemon went away meanwhile, until one answers or it takes too
    /// long. Only for what may be repeated.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn follow<T, F>(&self, ask: impl Fn(Client) -> F) -> Result<T, ClientError>
    where
        F: Future<Output = Result<T, ClientError>>,
    {
        self.follow_while(|| true, ask).await
    }

    /// The same, as long as it is wanted.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn follow_while<T, F>(
        &self,
        wanted: impl Fn() -> bool,
        ask: impl Fn(Client) -> F,
    ) -> Result<T, ClientError>
    where
        F: Future<Output = Result<T, ClientError>>,
    {
        let mut deadline = None;
        loop {
            let client = self.client().await?;
            let error = match ask(client.clone()).await {
                Err(error) if error.is_hand_over() => error,
                answer => return answer,
            };
            self.forget(&client);
            let deadline = *deadline.get_or_insert_with(|| Instant::now() + limits::follow_limit());
            if Instant::now() >= deadline || !wanted() {
                return Err(error);
            }
            tracing::info!(%error, "the daemon is looked for again");
            sleep(limits::interrupt_retry()).await;
        }
    }

    /// This one is not asked again, unless it is found again.
    fn forget(&self, client: &Client) {
        self.last()
            .take_if(|last| last.address() == client.address());
    }

    fn last(&self) -> std::sync::MutexGuard<'_, Option<Client>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
