//! `acp-journeys`: drives any ACP agent through seven user journeys and says, with evidence, which it passes.
//!
//! It records first and judges after. A journey's driver produces a [`recording::Recording`]: every
//! line both ways with its time, the processes seen, the files before and after, the calls that the
//! tool server got. A judge is a pure function from that recording to [`check::Check`]s. The result
//! file holds the recordings, so that anybody can run the judges again and need not trust the verdict.
//!
//! Nothing here is shared with an agent: messages are JSON lines, built and read by hand, so that a
//! fault in shared code cannot hide from the checker.
//!
//! Reading order: [`journey`] (which there are), [`prompts`] (what they say), `journeys/` (one driver a
//! file), [`client`], [`connection`], [`agent_process`] and [`ending`] (how an agent is driven),
//! [`permission`], [`elicitation`] and [`mode_rule`] (what is answered), [`leftovers`] and [`workspace`]
//! (what is observed), [`recording`], `judge/` (what it means), [`requirements`] (every check in one
//! table), [`secrets`] (what is taken out), [`result`] (the file, and how it is judged again), `report/`
//! (a table, a page, JUnit), [`run`], [`workers`] and [`matrix`] (one agent, many at once), [`doctor`]
//! (whether it can start at all), [`cli`] and `command/`.
//!
//! What must stay true: a judge reads nothing but a recording; every buffer and wait has a bound; no
//! process that was started outlives the run.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/overview>

pub mod agent_process;
pub mod check;
pub mod cli;
pub mod client;
pub mod command;
pub mod connection;
pub mod doctor;
pub mod elicitation;
pub mod ending;
pub mod evidence;
pub mod executable;
pub mod image_note;
pub mod interrupt;
pub mod journey;
pub mod journeys;
pub mod judge;
pub mod leftovers;
pub mod limits;
pub mod lines;
pub mod matrix;
pub mod mode_rule;
pub mod permission;
pub mod prompts;
pub mod recorder;
pub mod recording;
pub mod report;
pub mod requirements;
pub mod result;
pub mod run;
pub mod secrets;
pub mod sha256;
pub mod shard;
pub mod stage;
pub mod tool_call;
pub mod tool_server;
pub mod trouble;
pub mod workers;
pub mod workspace;

pub use agent_process::AgentCommand;
pub use check::{Check, Verdict};
pub use journey::Journey;
pub use limits::Limits;
pub use result::{JourneyResult, RunResult};
pub use run::{Options, Progress, run_journeys};
