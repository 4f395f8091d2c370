//! The command line of `faulty-agent`.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};

use super::{behaviour::Behaviour, faults::Fault, variants::Variant};

/// A scripted ACP agent on stdio that is right, or wrong in exactly one way.
#[derive(Debug, Clone, Parser)]
#[command(
    name = "faulty-agent",
    after_help = "Without --fault it passes all journeys:  acp-journeys run -- faulty-agent"
)]
pub struct Options {
    /// Break exactly this.
    #[arg(
        long,
        value_name = "NAME",
        hide_possible_values = true,
        conflicts_with = "variant"
    )]
    pub fault: Option<Fault>,

    /// Be odd in this way, but right.
    #[arg(long, value_name = "NAME", hide_possible_values = true)]
    pub variant: Option<Variant>,

    /// Print all faults and the checks that must catch them.
    #[arg(long)]
    pub list_faults: bool,

    /// Print all variants.
    #[arg(long)]
    pub list_variants: bool,

    /// Print lists as JSON.
    #[arg(long)]
    pub json: bool,

    /// Keep sessions in this folder [default: faulty-agent-UID in the temporary folder].
    #[arg(long, value_name = "DIR")]
    pub state: Option<PathBuf>,

    /// Multiply the waits of faults by this, as `acp-journeys --scale` does with its limits.
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    pub scale: f64,

    /// Put the value of this environment variable in everything that is seen of the agent.
    #[arg(long, value_name = "NAME")]
    pub leak: Option<String>,

    /// Be the go-between that leaves a process behind.
    #[arg(long, hide = true)]
    pub leave_behind: Option<LeaveBehind>,
}

impl Options {
    /// How the agent is to behave.
    #[must_use]
    pub fn behaviour(&self) -> Behaviour {
        Behaviour {
            fault: self.fault,
            variant: self.variant,
            scale: self.scale,
        }
    }

    /// The folder of the sessions.
    #[must_use]
    pub fn state(&self) -> PathBuf {
        let default = || {
            let user = nix::unistd::getuid();
            std::env::temp_dir().join(format!("faulty-agent-{user}"))
        };
        self.state.clone().unwrap_or_else(default)
    }
}

/// How a process that is left behind looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LeaveBehind {
    /// As it is.
    Plain,
    /// With another name, an empty environment and another working directory.
    Disguised,
}

impl LeaveBehind {
    /// The name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Disguised => "disguised",
        }
    }
}
