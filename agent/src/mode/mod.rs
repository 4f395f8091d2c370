//! The modes of a session, and what each allows.
//!
//! This is the whole policy of the agent, as one pure table: a mode and what a tool call would do
//! give a [`Decision`]. It stands apart from [`crate::permission`], which asks the user, so that
//! what may happen can be read, and tested, without running anything.
//!
//! Must stay true: nothing that a prompt, a model or a tool server says can widen a cell of the
//! table. Plan mode holds in code: it allows no edit, and a command only where the kernel keeps it
//! from changing anything.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-modes>

mod offer;
mod read_only_command;

pub use offer::{CONFIG_ID, config_options, session_modes};
pub use read_only_command::is_read_only;

use crate::{proc::Access, tools::Effect};

/// What a session is allowed to do by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Ask before anything that changes the world.
    Default,
    /// Edit files in the workspace without asking; ask for the rest.
    AcceptEdits,
    /// Look and think, change nothing.
    Plan,
    /// Do everything without asking.
    FullAccess,
}

impl Mode {
    /// All modes, in the order in which they are offered.
    pub const ALL: [Self; 4] = [
        Self::Default,
        Self::AcceptEdits,
        Self::Plan,
        Self::FullAccess,
    ];

    /// The id on the wire.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::AcceptEdits => "accept-edits",
            Self::Plan => "plan",
            Self::FullAccess => "full-access",
        }
    }

    /// The name for people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Default => "Default",
            Self::AcceptEdits => "Accept edits",
            Self::Plan => "Plan",
            Self::FullAccess => "Full access",
        }
    }

    /// One sentence for people.
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            Self::Default => "Asks before anything that changes files or runs commands",
            Self::AcceptEdits => "Edits files in the workspace without asking, asks for the rest",
            Self::Plan => "Reads and plans; changes nothing, and runs commands read-only",
            Self::FullAccess => "Runs commands and edits files without asking",
        }
    }

    /// The mode with this id.
    #[must_use]
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.id() == id)
    }

    /// How a command is run in this mode.
    #[must_use]
    pub const fn access(self) -> Access {
        match self {
            Self::Plan => Access::ReadOnly,
            Self::Default | Self::AcceptEdits | Self::FullAccess => Access::Full,
        }
    }

    /// How much a mode allows, to tell a step up from a step down.
    const fn freedom(self) -> u8 {
        match self {
            Self::Plan => 0,
            Self::Default => 1,
            Self::AcceptEdits => 2,
            Self::FullAccess => 3,
        }
    }
}

/// What is to happen with a tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// Run it.
    Allow,
    /// Ask the user first.
    Ask,
    /// Do not run it; the reason is told to the model and shown to the user.
    Deny(&'static str),
}

/// Why plan mode refuses to edit.
pub const PLAN_DENIES_EDITS: &str = "the session is in plan mode, which changes no files; \
     leave plan mode first, for example with the switch_mode tool";

/// The table: rows are what a call would do, columns are the modes.
///
/// Commands in plan mode have one more condition that is not policy but ability, see
/// [`decide_command_in_plan`].
#[must_use]
pub fn decide(mode: Mode, effect: &Effect) -> Decision {
    use Decision::{Allow, Ask, Deny};
    match (effect, mode) {
        (Effect::Read | Effect::Plan, _) => Allow,
        (_, Mode::FullAccess) => Allow,
        (Effect::ReadOutside, _) => Ask,
        (Effect::Edit | Effect::EditOutside, Mode::Plan) => Deny(PLAN_DENIES_EDITS),
        (Effect::Edit, Mode::AcceptEdits) => Allow,
        (Effect::Edit, Mode::Default) => Ask,
        (Effect::EditOutside, _) => Ask,
        (Effect::Execute, _) => Ask,
        (Effect::ForeignRead, _) => Allow,
        (Effect::Foreign, _) => Ask,
        (Effect::SwitchMode(target), _) => match Mode::from_id(target) {
            Some(target) if target.freedom() <= mode.freedom() => Allow,
            _ => Ask,
        },
    }
}

/// Commands in plan mode where the kernel cannot confine them: only those that are known to read.
#[must_use]
pub fn decide_command_in_plan(command: &str, confined: bool) -> Decision {
    if confined || is_read_only(command) {
        Decision::Ask
    } else {
        Decision::Deny(
            "the session is in plan mode and this system cannot run commands read-only \
             (no Landlock), so only plain commands that read, such as cat or ls, can be run",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table() {
        let switch = |target: &str| Effect::SwitchMode(target.to_owned());
        #[rustfmt::skip]
        let rows: Vec<(Effect, [char; 4])> = vec![
            //                         default, accept-edits, plan, full-access
            (Effect::Read,            ['+',     '+',          '+',  '+']),
            (Effect::ReadOutside,     ['?',     '?',          '?',  '+']),
            (Effect::Edit,            ['?',     '+',          '-',  '+']),
            (Effect::EditOutside,     ['?',     '?',          '-',  '+']),
            (Effect::Execute,         ['?',     '?',          '?',  '+']),
            (Effect::Plan,            ['+',     '+',          '+',  '+']),
            (Effect::ForeignRead,     ['+',     '+',          '+',  '+']),
            (Effect::Foreign,         ['?',     '?',          '?',  '+']),
            (switch("plan"),          ['+',     '+',          '+',  '+']),
            (switch("default"),       ['+',     '+',          '?',  '+']),
            (switch("accept-edits"),  ['?',     '+',          '?',  '+']),
            (switch("full-access"),   ['?',     '?',          '?',  '+']),
        ];
        for (effect, cells) in rows {
            for (mode, cell) in Mode::ALL.into_iter().zip(cells) {
                let got = match decide(mode, &effect) {
                    Decision::Allow => '+',
                    Decision::Ask => '?',
                    Decision::Deny(_) => '-',
                };
                assert_eq!(got, cell, "{effect:?} in {mode:?}");
            }
        }
    }

    #[test]
    fn plan_mode_runs_unconfined_only_what_reads() {
        assert_eq!(decide_command_in_plan("rm -r x", true), Decision::Ask);
        assert_eq!(decide_command_in_plan("cat x", false), Decision::Ask);
        assert!(matches!(
            decide_command_in_plan("rm -r x", false),
            Decision::Deny(_)
        ));
    }

    #[test]
    fn ids_are_found_again() {
        for mode in Mode::ALL {
            assert_eq!(Mode::from_id(mode.id()), Some(mode));
        }
        assert_eq!(Mode::from_id("Plan"), None);
    }
}
