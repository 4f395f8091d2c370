//! The errors that have a name on the wire, by which hosts and people look them up.

use std::fmt;

/// Which error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// The settings name no agent that can be started.
    AgentUnknown,
    /// The agent's credential is not there.
    CredentialMissing,
    /// The agent refused its credential, or wants a login.
    AuthFailed,
    /// The agent could not be found or started, did not shake hands, or ended by itself.
    AgentFailed,
}

impl Code {
    /// The name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AgentUnknown => "ACP_AGENT_UNKNOWN",
            Self::CredentialMissing => "ACP_CREDENTIAL_MISSING",
            Self::AuthFailed => "ACP_AUTH_FAILED",
            Self::AgentFailed => "ACP_AGENT_FAILED",
        }
    }
}

/// An error with its name, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {message}", code.as_str())]
pub struct NamedError {
    /// Which.
    pub code: Code,
    /// What is missing or failed, and the way out.
    pub message: String,
}

impl NamedError {
    /// An error.
    pub fn new(code: Code, message: impl fmt::Display) -> Self {
        let message = message.to_string();
        Self { code, message }
    }
}
