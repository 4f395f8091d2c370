//! The seam behind which every model stands.
//!
//! A model is asked for the next part of a reply and streams [`Event`]s. It knows nothing of ACP,
//! of permissions or of processes; the turn knows nothing of how a model comes to its words.
//! The types of a conversation are those of the stub model's crate, which knows nobody, so that
//! the agent and each model share them without a layer in between.

mod name;
pub mod remote;
mod source;
mod stub;

use futures::stream::BoxStream;
pub use stub_model::{
    Command, Conversation, Event, Message, Outcome, Part, PlanEntry, Priority, Progress,
    ScenarioError, Stop, ToolCall, ToolResult, ToolSpec,
};

pub use name::Name;
pub use source::{Flags, Source, SourceError};
pub use stub::{Stub, StubScenario};

/// Something that can carry a conversation on.
pub trait Model: Send + Sync {
    /// The next reply, piece by piece. Without tool calls it ends with [`Event::Stop`]; after tool
    /// calls the model is asked again, with their results. Dropping the stream stops the model.
    fn next<'a>(&'a self, conversation: Conversation<'a>) -> BoxStream<'a, Event>;

    /// The slash commands that it follows; none unless it says so.
    fn commands(&self) -> &'static [Command] {
        &[]
    }
}
