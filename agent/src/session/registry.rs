//! The sessions of this process, by id: the only map of them, behind the only lock of it.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-setup#session-id>

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::Session;
use crate::{acp, error::RequestError};

/// A place in the registry.
enum Slot {
    /// It is being loaded, closed or deleted; nothing else may use the id meanwhile.
    Taken,
    /// It is open.
    Open {
        session: Arc<Session>,
        _place: Place,
    },
}

/// The room that one open session takes. Dropping it makes room for another.
pub struct Place {
    _permit: OwnedSemaphorePermit,
}

/// All sessions that are open or being loaded.
pub struct Registry {
    slots: Mutex<HashMap<acp::SessionId, Slot>>,
    places: Arc<Semaphore>,
    capacity: usize,
}

impl Registry {
    /// A registry for so many open sessions.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        Self {
            slots: Mutex::default(),
            places: Arc::new(Semaphore::new(capacity.min(Semaphore::MAX_PERMITS))),
            capacity,
        }
    }

    /// Takes room for a session, before anything is made for it.
    ///
    /// # Errors
    /// `TooManySessions` when there is none.
    pub fn place(&self) -> Result<Place, RequestError> {
        match Arc::clone(&self.places).try_acquire_owned() {
            Ok(_permit) => Ok(Place { _permit }),
            Err(_) => Err(RequestError::TooManySessions(self.capacity)),
        }
    }

    /// The open session with this id.
    ///
    /// # Errors
    /// `UnknownSession`, or `Busy` while it is being loaded or closed.
    pub fn get(&self, id: &acp::SessionId) -> Result<Arc<Session>, RequestError> {
        match self.slots().get(id) {
            Some(Slot::Open { session, .. }) => Ok(Arc::clone(session)),
            Some(Slot::Taken) => Err(RequestError::Busy),
            None => Err(RequestError::UnknownSession(id.0.to_string())),
        }
    }

    /// Takes the id for a load. A session that is open under it and idle is closed and handed
    /// back, to be ended before its file is read again.
    ///
    /// # Errors
    /// `Busy` while a turn or another load runs.
    pub fn start_loading(&self, id: &acp::SessionId) -> Result<Option<Arc<Session>>, RequestError> {
        let mut slots = self.slots();
        match slots.get(id) {
            Some(Slot::Taken) => return Err(RequestError::Busy),
            Some(Slot::Open { session, .. }) if session.is_running() => {
                return Err(RequestError::Busy);
            }
            Some(Slot::Open { .. }) | None => {}
        }
        match slots.insert(id.clone(), Slot::Taken) {
            Some(Slot::Open { session, .. }) => {
                session.close();
                Ok(Some(session))
            }
            Some(Slot::Taken) | None => Ok(None),
        }
    }

    /// Takes the id of an open session for its end: its turn is stopped, and it takes no more
    /// prompts.
    ///
    /// # Errors
    /// `UnknownSession`, or `Busy` while it is being loaded or closed.
    pub fn start_closing(&self, id: &acp::SessionId) -> Result<Arc<Session>, RequestError> {
        let session = self.get(id)?;
        session.close();
        self.slots().insert(id.clone(), Slot::Taken);
        Ok(session)
    }

    /// Takes the id of a session that is to be deleted, open or not, so that nothing can open it
    /// meanwhile. An open one is handed back, to be ended first.
    ///
    /// # Errors
    /// `Busy` while it is being loaded, closed or deleted.
    pub fn start_deleting(
        &self,
        id: &acp::SessionId,
    ) -> Result<Option<Arc<Session>>, RequestError> {
        match self.start_closing(id) {
            Ok(session) => Ok(Some(session)),
            Err(RequestError::UnknownSession(_)) => {
                self.slots().insert(id.clone(), Slot::Taken);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Puts an open session into its place.
    pub fn insert(&self, session: Arc<Session>, place: Place) {
        let id = session.id.clone();
        let open = Slot::Open {
            session,
            _place: place,
        };
        self.slots().insert(id, open);
    }

    /// Frees an id: after a load that failed, or when a session has been closed or deleted.
    pub fn remove(&self, id: &acp::SessionId) {
        self.slots().remove(id);
    }

    /// All open sessions.
    #[must_use]
    pub fn all(&self) -> Vec<Arc<Session>> {
        let slots = self.slots();
        let open = slots.values().filter_map(|slot| match slot {
            Slot::Open { session, .. } => Some(Arc::clone(session)),
            Slot::Taken => None,
        });
        open.collect()
    }

    fn slots(&self) -> MutexGuard<'_, HashMap<acp::SessionId, Slot>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
