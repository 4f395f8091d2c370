//! Requests of the agent to the client, and the way of their answers back to who waits.

use std::{
    collections::HashMap,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
        mpsc::{Receiver, Sender, channel},
    },
};

use serde_json::{Value, json};

use super::{behaviour::Behaviour, output::Output, variants::Variant};

/// The client at the other end, as far as it is asked something.
#[derive(Debug)]
pub struct Client {
    behaviour: Behaviour,
    next_id: AtomicU64,
    /// By the JSON text of the id.
    waiting: Mutex<HashMap<String, Sender<Value>>>,
}

impl Client {
    /// A client that was asked nothing yet.
    #[must_use]
    pub fn new(behaviour: Behaviour) -> Self {
        Self {
            behaviour,
            next_id: AtomicU64::new(1),
            waiting: Mutex::default(),
        }
    }

    /// Sends a request; the answer, the whole message, comes through the receiver.
    pub fn ask(&self, output: &Output, method: &str, params: Value) -> Receiver<Value> {
        let number = self.next_id.fetch_add(1, Ordering::Relaxed);
        let id = if self.behaviour.is(Variant::StringIds) {
            json!(format!("ask/{number}"))
        } else {
            json!(number)
        };
        let (sender, receiver) = channel();
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.insert(id.to_string(), sender);
        drop(waiting);
        output.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        receiver
    }

    /// Hands an answer to the one who waits for it.
    pub fn answered(&self, message: Value) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = waiting.remove(&message["id"].to_string()) {
            let _ = sender.send(message);
        }
    }
}
