//! OpenAI's chat completions.
//!
//! API: <https://platform.openai.com/docs/api-reference/chat>

mod request;
mod voice;

use axum::{body::Bytes, extract::State, response::Response};

use self::voice::Completion;
use super::answer::{answer, refuse};
use crate::scenario::Scenario;

/// `POST /v1/chat/completions`
pub(super) async fn complete(State(scenario): State<Option<Scenario>>, body: Bytes) -> Response {
    match request::read(&body) {
        Ok(asked) => answer(&asked, scenario.as_ref(), Completion::of(&asked)).await,
        Err(error) => refuse::<Completion>(&error.to_string()),
    }
}
