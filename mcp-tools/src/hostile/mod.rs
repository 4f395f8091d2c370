//! MCP servers that misbehave, each in one way: what the tests of a client are run against.
//!
//! They are separate from the rondar server, which does everything right, and use no library for
//! the protocol, which would keep them from doing wrong. Each file opens with what its server does
//! wrong, and with what a client must do about it.
//!
//! What must stay true: apart from its one fault each behaves as `honest` does, so that a test
//! that fails names the fault; and none needs more than its pipes, its working directory and a few
//! seconds.
//!
//! MCP: <https://modelcontextprotocol.io/specification/2025-11-25>

mod answers_twice;
mod asks_client;
mod bad_schemas;
mod banner;
mod batch;
mod changes_tools;
mod closes_stdout;
mod closes_stdout_at_start;
mod crashes_in_call;
mod daemon;
mod deep_schema;
mod endless_line;
mod endless_pages;
mod exits_after_initialize;
mod exits_at_once;
mod exits_between_calls;
mod floods_changes;
mod floods_notes;
mod floods_requests;
mod floods_stderr;
mod floods_stdout;
mod garbage;
mod half_line;
mod hangs_in_call;
mod honest;
mod huge_result;
mod ignores_term;
mod invalid_utf8;
mod leaves_daemon;
mod looping_cursor;
mod many_tools;
mod odd_names;
mod odd_results;
mod other_version;
mod peer;
mod reads_nothing;
mod refuses_initialize;
mod rich_result;
mod silent;
mod slow_goodbye;
mod slow_start;
mod stops_itself;
mod wrong_id;

use std::io;

pub use peer::Peer;

/// One way to misbehave.
#[derive(Debug, Clone, Copy)]
pub struct Behaviour {
    /// Its name on the command line.
    pub name: &'static str,
    /// What is wrong with it, in a few words.
    pub fault: &'static str,
    run: fn(&mut Peer) -> io::Result<()>,
}

impl Behaviour {
    /// The behaviour with this name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        ALL.iter().find(|one| one.name == name).copied()
    }

    /// Behaves like this until the end, which may never come.
    ///
    /// # Errors
    /// The client is gone, or said what is no JSON.
    pub fn run(self, peer: &mut Peer) -> io::Result<()> {
        (self.run)(peer)
    }
}

const fn one(
    name: &'static str,
    run: fn(&mut Peer) -> io::Result<()>,
    fault: &'static str,
) -> Behaviour {
    Behaviour { name, fault, run }
}

/// All behaviours.
#[rustfmt::skip]
pub const ALL: &[Behaviour] = &[
    one("honest",                 honest::run,                    "nothing"),
    one("answers-twice",          answers_twice::run,             "answers every request twice"),
    one("asks-client",            asks_client::run,               "asks for sampling, roots and elicitation"),
    one("bad-schemas",            bad_schemas::run,               "lists tools with schemas that are none"),
    one("banner",                 banner::run,                    "logs to stdout"),
    one("batch",                  batch::run,                     "answers with a batch"),
    one("changes-tools",          changes_tools::run,             "changes its tools with every call"),
    one("closes-stdout",          closes_stdout::run,             "closes its output in a call"),
    one("closes-stdout-at-start", closes_stdout_at_start::run,    "closes its output before it has answered"),
    one("crashes-in-call",        crashes_in_call::run,           "dies of a signal in a call"),
    one("deep-schema",            deep_schema::run,               "lists a schema that is nested a thousand deep"),
    one("endless-line",           endless_line::run,              "answers with a line of 300 MB"),
    one("endless-pages",          endless_pages::run,             "lists its tools in pages without end"),
    one("exits-after-initialize", exits_after_initialize::run,    "answers `initialize` and ends"),
    one("exits-at-once",          exits_at_once::run,             "ends with status 3"),
    one("exits-between-calls",    exits_between_calls::run,       "ends after its first call"),
    one("floods-changes",         floods_changes::run,            "says 100,000 times that its tools have changed"),
    one("floods-notes",           floods_notes::run,              "sends 100,000 notes in a call"),
    one("floods-requests",        floods_requests::run,           "asks 200,000 times and reads no answer"),
    one("floods-stderr",          floods_stderr::run,             "writes to stderr without end"),
    one("floods-stdout",          floods_stdout::run,             "writes to stdout without end"),
    one("garbage",                garbage::run,                   "answers with garbage"),
    one("half-line",              half_line::run,                 "writes half an answer"),
    one("hangs-in-call",          hangs_in_call::run,             "never answers a call"),
    one("huge-result",            huge_result::run,               "answers with 12 MB"),
    one("ignores-term",           ignores_term::run,              "stays when it is asked to end"),
    one("invalid-utf8",           invalid_utf8::run,              "answers with bytes that are no UTF-8"),
    one("leaves-daemon",          leaves_daemon::run,             "leaves a daemon that holds its pipes"),
    one("looping-cursor",         looping_cursor::run,            "lists the same page for ever"),
    one("many-tools",             many_tools::run,                "lists 10,000 tools"),
    one("odd-names",              odd_names::run,                 "gives its tools impossible names"),
    one("odd-results",            odd_results::run,               "answers in thirteen odd ways"),
    one("other-version",          other_version::run,             "speaks another version of MCP"),
    one("reads-nothing",          reads_nothing::run,             "reads nothing after the start"),
    one("refuses-initialize",     refuses_initialize::run,        "answers `initialize` with an error"),
    one("rich-result",            rich_result::run,               "answers with every kind of content"),
    one("silent",                 silent::run,                    "never answers"),
    one("slow-goodbye",           slow_goodbye::run,              "needs 250 ms to end"),
    one("slow-start",             slow_start::run,                "needs 2 s to start"),
    one("stops-itself",           stops_itself::run,              "stops itself in a call"),
    one("wrong-id",               wrong_id::run,                  "answers under another id"),
    one("daemon",                 daemon::run,                    "is what leaves-daemon leaves (its parent)"),
    one("daemon-itself",          daemon::itself,                 "is what leaves-daemon leaves"),
];
