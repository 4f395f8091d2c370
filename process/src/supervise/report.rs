//! The words that owner and supervisor exchange on the control socket after the order.
//!
//! One line each, so that both sides can be read in a trace. The set is closed: what does not
//! parse is a fault, because both ends are the same program.

use std::{
    fmt,
    io::{self, Write as _},
    os::unix::net::UnixStream,
};

use super::Confinement;

/// What the owner may ask for. The end of the socket asks for the same as [`Request::End`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Request {
    /// End the tree: SIGTERM, a time of grace, SIGKILL.
    End,
    /// End the tree with SIGKILL now.
    Kill,
}

impl Request {
    /// The byte that stands for it. A single byte cannot arrive in halves.
    pub(crate) const fn byte(self) -> u8 {
        match self {
            Self::End => b'e',
            Self::Kill => b'k',
        }
    }

    pub(super) const fn from_byte(byte: u8) -> Option<Self> {
        match byte {
            b'e' => Some(Self::End),
            b'k' => Some(Self::Kill),
            _ => None,
        }
    }
}

/// Which step of a start failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Going to the working directory.
    Directory,
    /// Making the private temporary folder.
    TemporaryFolder,
    /// Making the command read-only.
    Confinement,
    /// Starting the program.
    Program,
}

/// Why the command could not be started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) stage: Stage,
    /// The number of the system's error.
    pub(crate) errno: i32,
}

/// What the supervisor tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Report {
    /// How far the command is confined. Comes before `Started`, and only if it was asked for.
    Confined(Confinement),
    /// The command runs; this is its process id.
    Started(i32),
    /// The command could not be started. Nothing follows.
    Failed(Failure),
    /// The leader ended with this status.
    Exited(i32),
    /// The leader was ended by this signal.
    Signaled(i32),
    /// No process of the tree is left. `left_behind` counts those that the leader left running.
    Gone { left_behind: usize },
}

impl Report {
    /// Sends it. The few lines of a tree always fit into the socket. That the owner is gone is no
    /// reason to stop the work: a lost report is not an error, and the loop sees the end of the
    /// socket by itself.
    pub(super) fn send(&self, mut control: &UnixStream) -> io::Result<()> {
        match control.write_all(format!("{self}\n").as_bytes()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            other => other,
        }
    }

    /// Reads one line, without its end.
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        Some(match word {
            "confined" => Self::Confined(match rest.split_once(' ').unwrap_or((rest, "")) {
                ("full", _) => Confinement::Full,
                ("partial", what) => Confinement::Partial(what.to_owned()),
                ("none", why) => Confinement::None(why.to_owned()),
                _ => return None,
            }),
            "started" => Self::Started(rest.parse().ok()?),
            "failed" => {
                let (stage, errno) = rest.split_once(' ')?;
                let stage = match stage {
                    "directory" => Stage::Directory,
                    "temporary-folder" => Stage::TemporaryFolder,
                    "confinement" => Stage::Confinement,
                    "program" => Stage::Program,
                    _ => return None,
                };
                Self::Failed(Failure {
                    stage,
                    errno: errno.parse().ok()?,
                })
            }
            "exited" => Self::Exited(rest.parse().ok()?),
            "signaled" => Self::Signaled(rest.parse().ok()?),
            "gone" => Self::Gone {
                left_behind: rest.parse().ok()?,
            },
            _ => return None,
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Confined(Confinement::Full) => f.write_str("confined full"),
            Self::Confined(Confinement::Partial(what)) => write!(f, "confined partial {what}"),
            Self::Confined(Confinement::None(why)) => write!(f, "confined none {why}"),
            Self::Started(pid) => write!(f, "started {pid}"),
            Self::Failed(Failure { stage, errno }) => {
                let stage = match stage {
                    Stage::Directory => "directory",
                    Stage::TemporaryFolder => "temporary-folder",
                    Stage::Confinement => "confinement",
                    Stage::Program => "program",
                };
                write!(f, "failed {stage} {errno}")
            }
            Self::Exited(code) => write!(f, "exited {code}"),
            Self::Signaled(signal) => write!(f, "signaled {signal}"),
            Self::Gone { left_behind } => write!(f, "gone {left_behind}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_report_is_read_as_it_was_written() {
        let failed = |stage| Report::Failed(Failure { stage, errno: 2 });
        for report in [
            Report::Confined(Confinement::Full),
            Report::Confined(Confinement::Partial("no signals, no devices".into())),
            Report::Confined(Confinement::None("no Landlock".into())),
            Report::Started(12),
            failed(Stage::Directory),
            failed(Stage::TemporaryFolder),
            failed(Stage::Confinement),
            failed(Stage::Program),
            Report::Exited(255),
            Report::Signaled(9),
            Report::Gone { left_behind: 3 },
        ] {
            assert_eq!(Report::parse(&report.to_string()), Some(report));
        }
    }

    #[test]
    fn anything_else_is_no_report() {
        for line in [
            "",
            "exited",
            "exited x",
            "failed program",
            "gone",
            "hello 1",
        ] {
            assert_eq!(Report::parse(line), None, "{line:?}");
        }
    }
}
