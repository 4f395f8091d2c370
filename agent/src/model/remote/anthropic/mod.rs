//! Anthropic's messages.
//!
//! Extended thinking is shown where a server sends it and is not asked for: a request that asks for
//! it has to repeat the model's signed thoughts, and a conversation here keeps none, so that it can
//! go on with any model.
//!
//! API: <https://docs.anthropic.com/en/api/messages>

mod reader;
mod request;

pub(super) use reader::Reader;
pub(super) use request::{VERSION, request};
