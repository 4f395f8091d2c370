//! What can go wrong between a client and the daemon.
//!
//! The variants tell apart what a caller must do: ask again, look what became of the request, or
//! give up.

use std::{io, net::SocketAddr, path::PathBuf, process::ExitStatus};

use crate::api::{ErrorBody, ErrorCode};

/// Why a request has no answer that can be used.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// There is no daemon, and none could be started.
    #[error(transparent)]
    Start(#[from] StartError),
    /// Nothing was sent.
    #[error("the daemon cannot be reached at {address}: {source}")]
    Unreachable {
        /// Where it should be.
        address: String,
        /// Why it is not.
        source: io::Error,
    },
    /// The request may have been carried out.
    #[error("the connection to the daemon broke during {request}: {reason}")]
    Lost {
        /// Method and path.
        request: String,
        /// What broke it.
        reason: String,
    },
    /// The request may have been carried out.
    #[error("the daemon did not answer {request} within {seconds} s")]
    TimedOut {
        /// Method and path.
        request: String,
        /// How long it had.
        seconds: f64,
    },
    /// Whatever answered is not a daemon of ours.
    #[error(
        "what answers at {address} is no daemon of this version: {found}; \
         end it, or use another --instance"
    )]
    Foreign {
        /// Where it is.
        address: String,
        /// What its answer says about itself.
        found: String,
    },
    /// The daemon says no.
    #[error("{}", .body.error)]
    Refused {
        /// The HTTP status.
        status: u16,
        /// The reason.
        body: ErrorBody,
    },
    /// The answer is not what the API says.
    #[error("the answer of the daemon to {request} cannot be read: {reason}")]
    Unreadable {
        /// Method and path.
        request: String,
        /// What is wrong with it.
        reason: String,
    },
}

impl ClientError {
    /// The reason that a program can tell apart, if the daemon gave one.
    pub fn code(&self) -> Option<ErrorCode> {
        match self {
            Self::Refused { body, .. } => body.code,
            _ => None,
        }
    }

    /// Whether the daemon may be another one by now: it went away, or says that it is going.
    /// A read may then be repeated on whichever daemon answers next.
    pub fn is_hand_over(&self) -> bool {
        match self {
            Self::Unreachable { .. } | Self::Lost { .. } | Self::TimedOut { .. } => true,
            Self::Refused { status, .. } => *status == 503,
            _ => false,
        }
    }
}

/// Why there is no daemon to talk to.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A file that finds or locks the daemon cannot be used.
    #[error("{}: {source}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why it cannot be used.
        source: io::Error,
    },
    /// The endpoint file leads away from this machine.
    #[error("{}: {address} is no loopback address; remove the file if no daemon runs", .path.display())]
    NotLoopback {
        /// The file.
        path: PathBuf,
        /// What stands in it.
        address: SocketAddr,
    },
    /// The program could not be started.
    #[error("the daemon could not be started: {0}")]
    Spawn(io::Error),
    /// It was started and ended.
    #[error("the daemon ended while it started ({status}); its log {} says:\n{tail}", .log.display())]
    Died {
        /// How it ended.
        status: ExitStatus,
        /// Its log.
        log: PathBuf,
        /// The last lines of it.
        tail: String,
    },
    /// It was started and does not answer.
    #[error("the daemon does not answer after {seconds} s; see its log {}", .log.display())]
    Silent {
        /// How long it had.
        seconds: f64,
        /// Its log.
        log: PathBuf,
    },
    /// Another daemon has the store and does not answer.
    #[error(
        "a daemon{} owns the sessions but does not answer for {seconds} s; see its log {}",
        .pid.map(|pid| format!(" (process {pid})")).unwrap_or_default(), .log.display()
    )]
    Occupied {
        /// Its process, if it published one.
        pid: Option<u32>,
        /// How long it was waited for.
        seconds: f64,
        /// Its log.
        log: PathBuf,
    },
}
