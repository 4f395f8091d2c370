//! The command line of `soak`.

use std::path::PathBuf;

use clap::Parser;

/// Random mixed work on the reference agent, with its invariants checked all the time.
///
/// It starts the agent again and again on one folder of sessions, works with it, and ends it by the
/// end of its input, by SIGTERM or by SIGKILL. It ends with status 1 at the first finding.
#[derive(Debug, Parser)]
#[command(name = "soak", version)]
pub struct Arguments {
    /// How long, in seconds.
    #[arg(long, value_name = "N", default_value_t = 60)]
    pub seconds: u64,

    /// The seed of everything that is random. A finding names it.
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    /// The program of the agent [default: the acp-agent beside this program].
    #[arg(value_name = "AGENT")]
    pub agent: Option<PathBuf>,
}

impl Arguments {
    /// The program of the agent, which is started in another folder than this program.
    #[must_use]
    pub fn agent(&self) -> PathBuf {
        let beside = || Some(std::env::current_exe().ok()?.with_file_name("acp-agent"));
        let named = self.agent.clone().or_else(beside);
        let named = named.unwrap_or_else(|| "acp-agent".into());
        std::path::absolute(&named).unwrap_or(named)
    }
}
