//! Why a reply could not be had, in words that say what to do.
//!
//! Must stay true: no text holds the key, a header or the URL. What the server says is cleaned of
//! the key, of control characters and of most of its length before it comes here.

use std::time::Duration;

use reqwest::StatusCode;
use thiserror::Error;

/// What went wrong between us and a model server.
#[derive(Debug, Error)]
pub(super) enum Failure {
    /// No connection, or it broke before an answer.
    #[error("the model server cannot be reached: {0}; does it run, and is --model-url right?")]
    Unreachable(String),
    /// It took too long.
    #[error("the model server {what} for {} s", .waited.as_secs_f32())]
    Late {
        /// What it did instead.
        what: &'static str,
        /// How long was waited.
        waited: Duration,
    },
    /// It refused the request.
    #[error("the model server answered HTTP {status}{}{}", hint(*.status), said(.words))]
    Status {
        /// The status of its answer.
        status: StatusCode,
        /// What it says about it, perhaps nothing.
        words: String,
        /// How long it wants us to wait.
        retry_after: Option<Duration>,
        /// Whether it will answer the same however often it is asked.
        lasting: bool,
    },
    /// It began a reply and then reported an error in it.
    #[error("the model server broke its reply off with an error{}", said(.words))]
    Reported {
        /// What it says.
        words: String,
        /// Whether it calls the error one that passes.
        passing: bool,
    },
    /// The connection ended in the middle of a reply.
    #[error("the model server's reply broke off before its end{}", said(.0))]
    Broken(String),
    /// It says what nobody can read.
    #[error("the model server's reply cannot be read: {0}; is --model-url right?")]
    Garbage(String),
    /// It says too much.
    #[error("the model server's reply has more than {limit} {of}")]
    TooMuch {
        /// How much there may be.
        limit: usize,
        /// Of what.
        of: &'static str,
    },
    /// It stopped for a reason that we do not know.
    #[error("the model stopped for a reason that this agent does not know: {0:?}")]
    UnknownStop(String),
}

/// What to do about a status.
fn hint(status: StatusCode) -> &'static str {
    match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            " (it wants another key: set OPENAI_API_KEY or ANTHROPIC_API_KEY for the agent)"
        }
        StatusCode::NOT_FOUND => " (there is no such model, or --model-url is wrong)",
        StatusCode::PAYLOAD_TOO_LARGE => " (the conversation is too long for it)",
        StatusCode::TOO_MANY_REQUESTS => " (a rate limit or a quota)",
        status if status.is_redirection() => " (redirects are not followed)",
        status if status.is_server_error() => " (its own failure, try again later)",
        _ => "",
    }
}

fn said(words: &str) -> String {
    if words.is_empty() {
        String::new()
    } else {
        format!(": {words}")
    }
}
