//! The command line, and what it resolves to.
//!
//! Nothing else in the agent reads arguments or the environment for its settings.

use std::path::PathBuf;

use clap::Parser;
use thiserror::Error;

use crate::{
    mode::Mode,
    model::{self, Source, SourceError},
};

/// The reference agent for the Agent Client Protocol (ACP).
///
/// An editor or a harness starts it and speaks ACP version 1 with it: JSON-RPC 2.0, one message a
/// line, on stdin and stdout. Logs go to stderr. It ends when its stdin is closed.
///
/// The model behind it, unless another is named, is a deterministic stub: it follows plain
/// instructions, needs no network and no login, and answers the same words the same way each time.
#[derive(Debug, Parser)]
#[command(name = "acp-agent", version, after_help = AFTER_HELP)]
pub struct Arguments {
    /// Speak ACP on stdin and stdout. Without it, nothing is started.
    #[arg(long)]
    pub acp: bool,

    /// Where sessions are kept [default: $XDG_STATE_HOME/acp-agent, else ~/.local/state/acp-agent].
    #[arg(long, value_name = "DIR")]
    pub state_dir: Option<PathBuf>,

    /// The model that answers: stub, stub:FILE.yaml to follow a scenario file, openai:NAME for a
    /// model of any server that speaks OpenAI's chat completions, anthropic:NAME for one that
    /// speaks Anthropic's messages.
    #[arg(long, value_name = "MODEL", default_value = "stub")]
    pub model: model::Name,

    /// Where the model's server is [default: $OPENAI_BASE_URL or $ANTHROPIC_BASE_URL, else the
    /// maker's own]. The key comes from $OPENAI_API_KEY or $ANTHROPIC_API_KEY.
    #[arg(long, value_name = "URL")]
    pub model_url: Option<String>,

    /// The size of the model's context, to tell the client how full it is [default: 200000 for
    /// anthropic; without it nothing is told].
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u64).range(1..))]
    pub model_context: Option<u64>,

    /// The most that the model may say in one reply [default: 32000 for anthropic, else what its
    /// server allows].
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_tokens: Option<u32>,

    /// The mode that new sessions start in.
    #[arg(long, value_name = "MODE", default_value = "default")]
    pub mode: ModeName,

    /// Fail session/new and session/load when one of their tool servers cannot be started.
    #[arg(long)]
    pub strict_mcp: bool,

    /// A further environment variable that commands and tool servers inherit. Can be repeated.
    #[arg(long, value_name = "NAME")]
    pub pass_env: Vec<String>,

    /// Refuse sessions until the client has logged in. The stub lets everybody in; this is for
    /// trying how a client logs in.
    #[arg(long)]
    pub require_auth: bool,

    /// Log in on this terminal, and end. What a client runs for the authentication method of the
    /// type `terminal`.
    #[arg(long)]
    pub login: bool,

    /// Send only the kinds of updates that old clients know: no usage_update. For clients that
    /// fail on a kind that they do not know, such as those built on the schema's release 0.11.
    #[arg(long)]
    pub plain: bool,

    /// What is logged to stderr: error, warn, info, debug, trace, or a filter such as
    /// `acp_agent=debug`.
    #[arg(long, value_name = "LEVEL", default_value = "warn")]
    pub log: String,
}

const AFTER_HELP: &str = "\
Try it by hand:
  printf '%s\\n' '{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":1}}' | acp-agent --acp

Modes: default asks before anything that changes the world; accept-edits edits files in the
workspace without asking; plan only reads; full-access asks nothing.";

/// The modes, as they are written on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModeName(Mode);

impl std::str::FromStr for ModeName {
    type Err = String;

    fn from_str(id: &str) -> Result<Self, String> {
        Mode::from_id(id).map(Self).ok_or_else(|| {
            let ids: Vec<_> = Mode::ALL.into_iter().map(Mode::id).collect();
            format!("the modes are {}", ids.join(", "))
        })
    }
}

/// The settings, all resolved.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where sessions are kept.
    pub state_dir: PathBuf,
    /// The mode that new sessions start in.
    pub mode: Mode,
    /// Whether a tool server that cannot be started fails the session.
    pub strict_mcp: bool,
    /// Whether sessions need a login.
    pub require_auth: bool,
    /// Whether updates that old clients do not know are left out.
    pub plain: bool,
    /// What children inherit beyond the base set.
    pub pass_env: Vec<String>,
}

/// Why the agent does not start.
#[derive(Debug, Error)]
pub enum StartError {
    /// `--acp` is missing.
    #[error(
        "nothing to do: say --acp to speak the Agent Client Protocol on stdin and stdout, or --help"
    )]
    NothingToDo,
    /// There is no place for sessions.
    #[error(
        "there is no folder for sessions: neither XDG_STATE_HOME nor HOME is an absolute path; say --state-dir DIR"
    )]
    NoStateDir,
}

impl Arguments {
    /// Resolves which model answers.
    ///
    /// # Errors
    /// What was said about the model does not fit together, or its key or URL is missing or wrong.
    pub fn model(&self, env: impl Fn(&str) -> Option<PathBuf>) -> Result<Source, SourceError> {
        let flags = model::Flags {
            url: self.model_url.clone(),
            context: self.model_context,
            max_tokens: self.max_tokens,
        };
        Source::resolve(self.model.clone(), flags, env)
    }

    /// Resolves what was not said.
    ///
    /// # Errors
    /// `--acp` and `--login` are missing, or no folder for sessions can be found.
    pub fn resolve(self, env: impl Fn(&str) -> Option<PathBuf>) -> Result<Config, StartError> {
        if !self.acp && !self.login {
            return Err(StartError::NothingToDo);
        }
        let state_dir = self
            .state_dir
            .or_else(|| default_state_dir(env))
            .ok_or(StartError::NoStateDir)?;
        Ok(Config {
            state_dir,
            mode: self.mode.0,
            strict_mcp: self.strict_mcp,
            require_auth: self.require_auth,
            plain: self.plain,
            pass_env: self.pass_env,
        })
    }
}

/// By the XDG base directory specification, which has relative paths ignored.
fn default_state_dir(env: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    let absolute = |name: &str| env(name).filter(|path| path.is_absolute());
    let state = absolute("XDG_STATE_HOME").or_else(|| Some(absolute("HOME")?.join(".local/state")));
    Some(state?.join("acp-agent"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(arguments: &[&str], env: &[(&str, &str)]) -> Result<Config, StartError> {
        let arguments = std::iter::once("acp-agent").chain(arguments.iter().copied());
        let find = |name: &str| {
            env.iter()
                .find(|(n, _)| *n == name)
                .map(|(_, v)| PathBuf::from(v))
        };
        Arguments::parse_from(arguments).resolve(find)
    }

    #[test]
    fn where_sessions_are_kept() {
        for (arguments, env, dir) in [
            (
                vec!["--acp", "--state-dir", "s"],
                vec![("HOME", "/h")],
                Some("s"),
            ),
            (
                vec!["--acp"],
                vec![("HOME", "/h"), ("XDG_STATE_HOME", "/x")],
                Some("/x/acp-agent"),
            ),
            (
                vec!["--acp"],
                vec![("HOME", "/h"), ("XDG_STATE_HOME", "x")],
                Some("/h/.local/state/acp-agent"),
            ),
            (vec!["--acp"], vec![], None),
            (vec!["--acp"], vec![("HOME", "")], None),
        ] {
            let config = resolve(&arguments, &env);
            assert_eq!(
                config.ok().map(|c| c.state_dir),
                dir.map(PathBuf::from),
                "{env:?}"
            );
        }
    }

    #[test]
    fn without_acp_nothing_starts() {
        assert!(matches!(
            resolve(&[], &[("HOME", "/h")]),
            Err(StartError::NothingToDo)
        ));
    }
}
