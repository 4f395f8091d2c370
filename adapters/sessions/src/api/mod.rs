//! The HTTP contract between the daemon and its clients: every request, answer and error.
//!
//! Apart from the daemon because clients read the same types; nothing here does anything.
//!
//! What must stay true: a request with a member that is not listed is refused, so that a typing
//! error is never silently ignored; in an answer, members that are not known are ignored, so that
//! a newer daemon can say more to an older client.

mod create;
mod error;
mod id;
mod info;
mod lifecycle;
mod options;
mod page;
mod runtime;
mod session;
mod turn;
mod work;
mod workspace;

pub use create::{CreateSession, ProjectDirectory, SessionCreated};
pub use error::{ErrorBody, ErrorCode};
pub use id::{BadSessionId, SessionId};
pub use info::{DaemonInfo, Endpoint};
pub use lifecycle::{Acknowledged, Destroy, Lifecycle, LifecycleError, State, Suspend};
pub use options::{BundleOption, Options, ProfileOption, TargetOption};
pub use page::{Item, Role, SearchAnswer, SearchQuery, SearchRow, TranscriptPage, TranscriptQuery};
pub use runtime::{Component, Provenance, Runtime};
pub use session::{ChatPhase, Elicitation, Session, Sessions, SessionsQuery};
pub use turn::{Interrupt, Outcome, Prompt, PromptAccepted, Wait, WaitAnswer};
pub use work::{Diff, DiffQuery, Export, ExportKind, Exported};
pub use workspace::{NewWorkspace, Workspace, Workspaces};

/// The header that every answer carries, also a refusal.
pub const VERSION_HEADER: &str = "acp-sessions-api-version";

/// Its value: the major version of this contract.
pub const VERSION: &str = "1";

/// Where all routes begin.
pub const BASE: &str = "/api/v1";

/// The routes, as they are written behind [`BASE`].
pub mod routes {
    /// `GET`: which daemon this is ([`DaemonInfo`](super::DaemonInfo)).
    pub const INFO: &str = "/info";
    /// `GET`: the contract itself, as an OpenAPI 3.1 document. The only one that needs no token.
    pub const OPENAPI: &str = "/openapi.json";
    /// `GET`: what a session can be made of.
    pub const OPTIONS: &str = "/options";
    /// `GET`, `POST`.
    pub const WORKSPACES: &str = "/workspaces";
    /// `GET`, `POST`.
    pub const SESSIONS: &str = "/sessions";
    /// `GET`: one session.
    pub const SESSION: &str = "/sessions/{id}";
    /// `POST`: queue a prompt.
    pub const PROMPT: &str = "/sessions/{id}/prompt";
    /// `POST`: wait for the end of a turn.
    pub const WAIT: &str = "/sessions/{id}/wait";
    /// `POST`: end the turn that runs, or withdraw prompts that are held.
    pub const INTERRUPT: &str = "/sessions/{id}/interrupt-turn";
    /// `POST`: keep the work, give the environment back.
    pub const SUSPEND: &str = "/sessions/{id}/suspend";
    /// `POST`: bring a suspended session back.
    pub const RESUME: &str = "/sessions/{id}/resume";
    /// `POST`: remove the session with its environment and its checkpoint.
    pub const DESTROY: &str = "/sessions/{id}/destroy";
    /// `POST`: keep the work, and go on.
    pub const CHECKPOINT: &str = "/sessions/{id}/checkpoint";
    /// `GET`: what was said.
    pub const TRANSCRIPT: &str = "/sessions/{id}/transcript";
    /// `GET`: what was changed.
    pub const DIFF: &str = "/sessions/{id}/diff";
    /// `POST`: the commits as a git bundle.
    pub const EXPORT: &str = "/sessions/{id}/export";
    /// `GET`: full-text search in what was said.
    pub const SEARCH: &str = "/wiki/search";
}
