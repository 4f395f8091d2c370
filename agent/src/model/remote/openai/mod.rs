//! OpenAI's chat completions, which servers of all makers speak.
//!
//! API: <https://platform.openai.com/docs/api-reference/chat>

mod reader;
mod request;

pub(super) use reader::Reader;
pub(super) use request::request;
