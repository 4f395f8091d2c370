//! Anthropic's messages.
//!
//! API: <https://docs.anthropic.com/en/api/messages>

mod request;
mod voice;

use axum::{body::Bytes, extract::State, response::Response};

use self::voice::Told;
use super::answer::{answer, refuse};
use crate::scenario::Scenario;

/// `POST /v1/messages`
pub(super) async fn message(State(scenario): State<Option<Scenario>>, body: Bytes) -> Response {
    match request::read(&body) {
        Ok(asked) => answer(&asked, scenario.as_ref(), Told::of(&asked)).await,
        Err(error) => refuse::<Told>(&error.to_string()),
    }
}
