//! The model behind the two wires that model servers speak, on this machine only.
//!
//! For trying adapters and agents without a network: what is answered is the pure function of this
//! crate, so the same request has the same answer. The way of a request:
//!
//! ```text
//! openai/, anthropic/   the body to a conversation (asked; framed: what stands in texts)
//! spoken                the conversation to events, with plans as calls
//! openai/, anthropic/   the events to a reply, streamed or whole (answer)
//! ```
//!
//! Must stay true: it listens on the loopback address alone; what it takes in has a bound; it keeps
//! nothing between two requests.

mod answer;
mod anthropic;
mod asked;
mod framed;
mod openai;
mod spoken;

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
};

use axum::{
    Json, Router,
    extract::DefaultBodyLimit,
    routing::{get, post},
};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::scenario::Scenario;

/// Bytes of one request: a long conversation with some images in it.
const MAX_REQUEST: usize = 64 * 1024 * 1024;

/// Which wires are spoken.
#[derive(Debug, Clone, Copy)]
pub struct Wires {
    /// OpenAI's chat completions, at `/v1/chat/completions`.
    pub openai: bool,
    /// Anthropic's messages, at `/v1/messages`.
    pub anthropic: bool,
}

/// A server that listens, and answers once it is run.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    wires: Wires,
    scenario: Option<Scenario>,
}

impl Server {
    /// Listens on this port of 127.0.0.1; on a free one for 0. A scenario's rules stand before all
    /// that the model does by itself.
    ///
    /// # Errors
    /// The port is taken, or may not be listened on.
    pub async fn bind(port: u16, wires: Wires, scenario: Option<Scenario>) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        Ok(Self {
            address: listener.local_addr()?,
            listener,
            wires,
            scenario,
        })
    }

    /// Where it listens, for example `http://127.0.0.1:8080`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Answers until it is dropped.
    ///
    /// # Errors
    /// The listener broke.
    pub async fn run(self) -> io::Result<()> {
        axum::serve(self.listener, router(self.wires, self.scenario)).await
    }
}

fn router(wires: Wires, scenario: Option<Scenario>) -> Router {
    let mut router = Router::new().route("/v1/models", get(models));
    if wires.openai {
        router = router.route("/v1/chat/completions", post(openai::complete));
    }
    if wires.anthropic {
        router = router.route("/v1/messages", post(anthropic::message));
    }
    let router = router.layer(DefaultBodyLimit::max(MAX_REQUEST));
    router.with_state(scenario)
}

/// The list of models, in a shape that both wires read.
async fn models() -> Json<Value> {
    let model = json!({
        "id": "stub",
        "object": "model",
        "type": "model",
        "display_name": "stub",
        "owned_by": "stub-model",
        "created": 0,
        "created_at": "1970-01-01T00:00:00Z",
    });
    Json(json!({"object": "list", "data": [model], "has_more": false}))
}
