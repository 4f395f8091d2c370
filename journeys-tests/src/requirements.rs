//! Every check of the checker in one table: its id, what it demands, who demands it, and what an author
//! whose agent fails it can do.
//!
//! An id is the same in the code, in the result file and in the report. `Page` requirements are those of
//! the journeys' contract and decide the verdict; `Protocol` requirements come from ACP or from good
//! manners and only warn.

use crate::journey::Journey;

/// Who demands it, and so what a breach does to the verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Demand {
    /// The journeys' contract: a breach fails the journey.
    Page,
    /// ACP or good manners, beyond the contract: a breach is a warning.
    Protocol,
    /// The contract in these journeys, good manners in the others.
    PageIn(&'static [Journey]),
}

/// One requirement.
#[derive(Debug, PartialEq, Eq)]
pub struct Requirement {
    /// The check's id: a slug to search for.
    pub id: &'static str,
    /// Who demands it.
    pub demand: Demand,
    /// What must be so, in one sentence.
    pub requires: &'static str,
    /// Where it is written.
    pub page: &'static str,
    /// What to do about a breach.
    pub advice: &'static str,
}

impl Requirement {
    /// Whether a breach in this journey fails it.
    #[must_use]
    pub fn decides(&self, journey: Journey) -> bool {
        match self.demand {
            Demand::Page => true,
            Demand::Protocol => false,
            Demand::PageIn(journeys) => journeys.contains(&journey),
        }
    }
}

/// Finds a requirement by its id.
#[must_use]
pub fn find(id: &str) -> Option<&'static Requirement> {
    ALL.iter().copied().find(|requirement| requirement.id == id)
}

macro_rules! requirements {
    ($($name:ident = $id:literal, $demand:expr, $page:literal,
        $requires:literal, $advice:literal;)*) => {
        $(
            #[doc = $requires]
            pub static $name: Requirement = Requirement {
                id: $id,
                demand: $demand,
                requires: $requires,
                page: concat!("https://agentclientprotocol.com/protocol/v1/", $page),
                advice: $advice,
            };
        )*
        /// All requirements, in the order of the table.
        pub static ALL: &[&Requirement] = &[$(&$name),*];
    };
}

use Demand::{Page, PageIn, Protocol};

requirements! {
    // Each process.
    PROTOCOL_VERSION_1 = "protocol-version-1", Page, "initialization#version-negotiation",
        "The answer to initialize has protocolVersion 1, as a number.",
        "Answer initialize with \"protocolVersion\": 1, a JSON number, not a string and no other version.";
    ENDS_ON_INPUT_CLOSE = "ends-on-input-close", Page, "transports#stdio",
        "The agent ends by itself within 10 seconds after its input is closed.",
        "Watch standard input for its end, also while a turn runs, and end the process then.";
    EXIT_STATUS_ZERO = "exit-status-zero", Protocol, "transports#stdio",
        "The agent ends with exit status 0.",
        "End cleanly when the input closes; a signal or another status looks like a crash.";
    NO_PROCESS_LEFT = "no-process-left", Page, "transports#stdio",
        "No process is left after the agent ended.",
        "Stop the child processes of a turn and the tool servers when the session ends, also those that \
         left their process group, and wait for them.";
    PROCESSES_DO_NOT_GROW = "processes-do-not-grow", Protocol, "prompt-turn#6-continue-conversation",
        "The number of processes does not grow from turn to turn.",
        "End what a turn has started when the turn ends; keep only a constant set of helpers.";
    STDOUT_IS_PROTOCOL = "stdout-is-protocol", Protocol, "transports#stdio",
        "Each line on standard output is one JSON-RPC message.",
        "Write logs and banners to standard error, and each message on one line.";
    RESPONSES_MATCH_REQUESTS = "responses-match-requests", Protocol, "overview#communication-model",
        "Each request gets one response, with the same id.",
        "Answer each request once and copy its id as it came: a number stays a number.";
    VALID_MESSAGES = "valid-messages", Protocol, "schema",
        "Each message has the shape that the schema gives it.",
        "Compare the message with the schema; a member is missing or has another type or value.";

    // The session.
    SESSION_NEW_ANSWERS = "session-new-answers", Page, "session-setup#creating-a-session",
        "session/new answers with a session ID and no error.",
        "Accept session/new with an absolute cwd and one stdio tool server.";
    UPDATES_NAME_THE_SESSION = "updates-name-the-session", Protocol, "prompt-turn#3-agent-reports-output",
        "Each session/update names the session it belongs to.",
        "Put the sessionId of session/new or session/load into every session/update.";
    TURN_UPDATES_BEFORE_ANSWER = "turn-updates-before-answer", Page, "prompt-turn#4-check-for-completion",
        "The updates of a turn come before the answer to its session/prompt.",
        "Send the text and the tool calls of a turn before its answer, through one ordered queue.";
    TOOL_CALLS_END = "tool-calls-end", Protocol, "tool-calls#status",
        "Each tool call has the status completed or failed when its turn ends.",
        "Send a last tool_call_update for every tool call, also for those that were refused or cancelled.";

    // Common to several journeys.
    STOP_REASON_END_TURN = "stop-reason-end-turn", PageIn(&[Journey::Reply]), "prompt-turn#stop-reasons",
        "session/prompt answers with the stop reason end_turn.",
        "Answer a turn that came to its end with the stop reason end_turn.";
    REPLY_HOLDS_WORD = "reply-holds-word", Page, "prompt-turn#6-continue-conversation",
        "The reply holds the word.",
        "Keep the conversation for the next turn, give the model what it asks for, and send its text as \
         agent_message_chunk updates before the answer.";

    // reply
    REPLY_IN_MESSAGE_CHUNKS = "reply-in-message-chunks", Page, "prompt-turn#3-agent-reports-output",
        "The reply comes in one or more agent_message_chunk updates.",
        "Send the text of the reply as session/update notifications before the answer to session/prompt.";
    REPLY_HOLDS_MARKER = "reply-holds-marker", Page, "prompt-turn#3-agent-reports-output",
        "The reply holds the marker.",
        "Send the model's text unchanged, and all of it.";

    // memory
    FIRST_TURN_END_TURN = "first-turn-end-turn", PageIn(&[Journey::Memory]), "prompt-turn#stop-reasons",
        "The first prompt ends with end_turn.",
        "Answer a turn that came to its end with the stop reason end_turn.";
    SECOND_TURN_END_TURN = "second-turn-end-turn", Page, "prompt-turn#stop-reasons",
        "The second prompt ends with end_turn.",
        "Be ready for the next prompt when the answer of the one before is sent.";

    // load
    LOAD_SESSION_ADVERTISED = "load-session-advertised", Page, "session-setup#checking-support",
        "initialize gives agentCapabilities.loadSession as true.",
        "Set loadSession and keep sessions on disk, so that a new process can load one.";
    SESSION_LOAD_ANSWERS = "session-load-answers", Page, "session-setup#loading-a-session",
        "session/load answers with no error.",
        "Store a session before its first turn is answered, and load it by its ID in a new process.";
    LOAD_REPLAYS_CONVERSATION = "load-replays-conversation", Protocol, "session-setup#loading-a-session",
        "The conversation is replayed before session/load answers.",
        "Send what the user and the agent said as user_message_chunk and agent_message_chunk updates \
         before the answer to session/load.";

    // image
    IMAGE_ADVERTISED = "image-advertised", Page, "initialization#prompt-capabilities",
        "initialize gives agentCapabilities.promptCapabilities.image as true.",
        "Set promptCapabilities.image and pass image blocks to the model.";
    REPLY_NAMES_RED = "reply-names-red", Page, "content#image-content",
        "The reply holds \"red\".",
        "Pass the image block with its mimeType to the model.";

    // cancel
    TOOL_CALL_BEFORE_STOP = "tool-call-before-stop", Page, "tool-calls#creating",
        "A tool_call update or a permission request comes before the stop.",
        "Announce a shell command with a tool_call update before it runs.";
    STOP_REASON_CANCELLED = "stop-reason-cancelled", Page, "prompt-turn#cancellation",
        "After session/cancel the prompt is answered with the stop reason cancelled.",
        "Answer the prompt with cancelled, not with an error and not with end_turn.";
    CANCEL_WITHIN_30S = "cancel-within-30s", Page, "prompt-turn#cancellation",
        "The prompt is answered within 30 seconds after session/cancel.",
        "Stop the running tool call when session/cancel comes, and then answer the prompt.";
    NO_SLEEP_LEFT = "no-sleep-left", Page, "prompt-turn#cancellation",
        "No sleep process is left.",
        "End the whole process tree of a command, not only its shell.";

    // plan and modes
    PLAN_MODE_ADVERTISED = "plan-mode-advertised", Page, "session-modes#initial-state",
        "The session has a Plan mode.",
        "Give a mode \"plan\" in modes, or a \"plan\" value in a configOptions entry of the category \"mode\".";
    SET_MODE_ANSWERS = "set-mode-answers", Page, "session-modes#from-the-client",
        "Each change of mode answers with no error.",
        "Accept session/set_mode or session/set_config_option for every mode that session/new lists.";
    CREATE_PLAN_HAS_TITLE = "create-plan-has-title", Page, "session-setup#mcp-servers",
        "create_plan gets the title of the journey.",
        "Start the stdio tool servers of mcpServers from session/new and session/load, and offer their \
         tools to the model also in Plan mode.";
    CREATE_PLAN_HAS_CAT_OUTPUT = "create-plan-has-cat-output", Page, "tool-calls#requesting-permission",
        "create_plan gets a description with the output of cat.",
        "Let Plan mode run commands that only read, after permission, and give their output to the model.";
    GET_PLAN_HAS_PLAN_ID = "get-plan-has-plan-id", Page, "session-setup#mcp-servers",
        "get_plan gets the ID of that plan.",
        "Give the result of a tool call to the model, so that it can use it in the next one.";
    REPLY_HOLDS_PLAN_ID = "reply-holds-plan-id", Page, "prompt-turn#3-agent-reports-output",
        "The reply holds the plan ID.",
        "Send the model's last text after its tool calls as agent_message_chunk updates.";
    WORKSPACE_UNCHANGED = "workspace-unchanged", Page, "session-modes#setting-the-current-mode",
        "No file in the workspace changes in the Plan turn.",
        "Write no files in Plan mode, neither by a tool nor by a command.";
    FIRST_PLAN_SAVED = "first-plan-saved", Page, "session-modes#setting-the-current-mode",
        "The first Plan turn saves its plan.",
        "See the journey plan: it is the same turn.";
    REGULAR_TURN_CREATES_FILE = "regular-turn-creates-file", Page, "session-modes#setting-the-current-mode",
        "The regular turn creates the file.",
        "Leave Plan mode when the mode is set back: the next turn may run commands that write.";
    SECOND_PLAN_SAVED = "second-plan-saved", Page, "session-modes#setting-the-current-mode",
        "The second Plan turn saves its plan.",
        "Keep the tool servers and the conversation over a change of mode.";
    WORKSPACE_UNCHANGED_IN_PLAN_TURNS = "workspace-unchanged-in-plan-turns", Page,
        "session-modes#setting-the-current-mode",
        "No file in the workspace changes in a Plan turn.",
        "Write no files in Plan mode, also after a turn in another mode.";

    // refused-permission
    PERMISSION_REQUESTED = "permission-requested", Page, "tool-calls#requesting-permission",
        "The agent asks for permission.",
        "Send session/request_permission before a tool changes anything.";
    REFUSED_CALL_FAILS = "refused-call-fails", Page, "tool-calls#status",
        "A tool call that was refused gets the status failed.",
        "Do not run what was refused, and end its tool call with the status failed.";
    REFUSED_TURN_ENDS_WITH_END_TURN = "refused-turn-end-turn", Page, "prompt-turn#stop-reasons",
        "A turn in which something was refused ends with end_turn.",
        "Tell the model of the refusal and let it end its turn; cancelled is only for session/cancel.";
    REFUSED_TURN_CHANGES_NOTHING = "refused-turn-changes-nothing", Page,
        "tool-calls#requesting-permission",
        "No file in the workspace changes when everything was refused.",
        "Run a tool after the permission came, never before.";

    // killed-mid-turn-then-load
    KILLED_MID_TURN = "killed-mid-turn", Page, "session-setup#loading-a-session",
        "The agent is killed while a turn runs.",
        "Follow the command /slow: let the turn take that long.";
    NO_PROCESS_LEFT_AFTER_KILL = "no-process-left-after-kill", Protocol, "transports#stdio",
        "No process is left after the agent was killed.",
        "Let children end with their parent: by the end of their input, or by a parent-death signal.";

    // model-failure
    MODEL_FAILURE_SHOWN = "model-failure-shown", Page, "prompt-turn#stop-reasons",
        "A turn whose model failed is answered with an error or with a stop reason that says so.",
        "Answer with an error that has a message, or with refusal; end_turn says that all went well.";
    TURN_AFTER_FAILURE_WORKS = "turn-after-failure-works", Page,
        "prompt-turn#6-continue-conversation",
        "The turn after a failure works.",
        "Release the session on every path out of a turn.";

    // question
    QUESTION_REACHES_USER = "question-reaches-user", Page, "elicitation#creating-an-elicitation",
        "The question reaches the user, by an elicitation or in the reply.",
        "Ask with elicitation/create if the client offers it, else in the text of the reply.";
    ANSWER_REACHES_AGENT = "answer-reaches-agent", Page, "elicitation#responses",
        "The reply holds what the user answered.",
        "Give the answer to the model, whether it comes from a form or as the next prompt.";
    QUESTION_TURN_ENDS = "question-turn-end-turn", Page, "prompt-turn#stop-reasons",
        "The turn with the answer ends with end_turn.",
        "End the turn after the answer was used.";
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn ids_are_slugs_and_are_given_once() {
        let mut seen = HashSet::new();
        for requirement in ALL {
            let id = requirement.id;
            assert!(seen.insert(id), "{id} is there twice");
            assert!(
                id.chars()
                    .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'),
                "{id}"
            );
        }
    }
}
