//! What the agent tells and asks.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/overview#client>

use serde_json::Value;
use wire::{Call, Error, METHOD_NOT_FOUND, Notification, Request};

use super::Runner;
use crate::{files, fit::one_line, terminal::Terminals, turn};

impl Runner {
    /// Serves one call.
    pub(super) async fn call(&mut self, call: Call) {
        match call {
            Call::Notification(notification) => self.notification(notification).await,
            Call::Request(request) => self.request(request).await,
        }
    }

    async fn notification(&mut self, notification: Notification) {
        if notification.method != "session/update" {
            return;
        }
        let Ok(params) = notification.params.parse::<Value>() else {
            return;
        };
        let (update, model, memory) = (&params["update"], &mut self.model, &mut self.memory);
        let events = match &mut self.turn {
            Some((turn, _)) => turn.update(update, model, memory),
            // Outside a turn there is nothing that most updates could belong to. What is told of the
            // time before the session is history.
            None if self.session.is_some() => {
                turn::lasting(update, model, memory).unwrap_or_default()
            }
            None => Vec::new(),
        };
        for event in events {
            self.outlet.send(event).await;
        }
    }

    async fn request(&mut self, request: Request) {
        let Request {
            method,
            params,
            responder,
        } = request;
        let params = match params.parse::<Value>() {
            Ok(params) => params,
            Err(error) => return responder.error(error),
        };
        match method.as_str() {
            "session/request_permission" => self.permission(params, responder).await,
            files::READ | files::WRITE => self.files.serve(method, params, responder),
            _ if Terminals::serves(&method) => self.terminals.serve(&method, &params, responder),
            _ => {
                let message = format!("method not found: {}", one_line(&method, 100));
                responder.error(Error::new(METHOD_NOT_FOUND, message));
            }
        }
    }
}
