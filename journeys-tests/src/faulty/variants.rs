//! Agents that are odd but right: ACP allows what they do, and no check may fail.
//! A checker that fails one of them would send its author after a fault that is not there.

use clap::ValueEnum;

/// One oddity that is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Variant {
    /// Nothing odd: the plain agent.
    Plain,
    /// Ends lines with CR LF.
    Crlf,
    /// Ends its last line with the end of the output, without a newline.
    NoLastNewline,
    /// Writes its chunks one byte at a time, with characters of several bytes.
    ByteByByte,
    /// Sends a reply of 70 KiB of two-byte characters in one chunk.
    LongChunk,
    /// Sends each character of a reply as its own chunk.
    ManyChunks,
    /// Writes 1 MiB to stderr before its first answer and 64 KiB before each message.
    LoudStderr,
    /// Writes a banner to stderr.
    BannerOnStderr,
    /// Takes its time with every answer, within all limits.
    Slow,
    /// Sends `_meta` in its chunks and an extension notification.
    Extensions,
    /// Sends usage, commands, session info and mode updates outside of turns.
    UpdatesOutOfTurn,
    /// Asks the client for what it does not offer and takes the errors for answers.
    AsksUnoffered,
    /// Says something every 20 s for 3 minutes, and then answers. Only for scaled runs.
    Trickle,
    /// Uses strings as ids of its own requests.
    StringIds,
    /// Answers session/load with null.
    LoadNull,
    /// Answers session/load with {}.
    LoadEmpty,
    /// Answers session/load with no more than empty configOptions.
    LoadWithOptions,
    /// Answers session/load with a session ID, which has no meaning there.
    LoadWithSessionId,
    /// Writes a replay of 50 updates and the answer to session/load at once.
    ReplayInOneWrite,
    /// Takes a second for a replay of 50 updates.
    ReplaySlowly,
    /// Has four workers from start to end.
    WorkerPool,
    /// Starts a worker in each turn and ends it with the turn.
    WorkersInTurns,
    /// Leaves an ended child unreaped until it ends itself.
    ZombieUntilEnd,
    /// Offers its modes as a configuration option only.
    ModeByConfigOption,
    /// Offers its modes as modes and as a configuration option.
    ModesTwice,
    /// Has a Plan mode with another ID and the name "Planning".
    ModeNamedPlanning,
    /// Opens five permission requests as the cancel comes and answers when all are answered.
    PermissionsAtCancel,
    /// Runs commands without asking, as a mode that trusts its user may.
    AsksNothing,
    /// Takes 2 s from the end of its input to its own end.
    EndsInTwoSeconds,
    /// Asks the user in words, also where the client has forms.
    AsksInWords,
}
