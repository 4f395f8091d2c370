//! What must be caught: for each fault the checks that fail or warn, and in which journey.
//!
//! The matches are exhaustive: a fault without an expectation does not compile. `source` is the
//! sentence of the contract's list of failures that the fault shows (`contract: …`), or the public
//! bug report of an agent that had it (`owner/repository#number`), or the rule of ACP it breaks.

use super::{faults::Fault, variants::Variant};

/// What a fault is expected to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expected {
    /// Where the fault comes from.
    pub source: &'static str,
    /// What the checker must wait for to see it.
    pub waits: Waits,
    /// What must be caught.
    pub catches: Vec<Catch>,
}

/// What the checker must wait for to see a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waits {
    /// Nothing.
    No,
    /// One of its limits; a shorter limit shows the fault as well.
    Limit,
}

impl Waits {
    /// The name in the list.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::No => "no",
            Self::Limit => "limit",
        }
    }
}

/// What must be caught in one journey.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Catch {
    /// The journey.
    pub journey: &'static str,
    /// Checks that must fail or warn.
    pub caught: Vec<&'static str>,
    /// Checks that may fail or warn as a consequence, for they need what is broken. [`ANY`] stands
    /// for all.
    pub dependents: Vec<&'static str>,
}

/// All checks: nothing can be checked of an agent that opens no session.
pub const ANY: &[&str] = &["*"];

/// What is checked of turns that were answered.
const ANSWERED: &[&str] = &["turn-updates-before-answer", "tool-calls-end"];
/// What is checked of turns.
const TURN: &[&str] = &[
    "updates-name-the-session",
    "turn-updates-before-answer",
    "tool-calls-end",
];
/// What is checked of a reply in the journey `reply`.
const REPLY: &[&str] = &[
    "reply-in-message-chunks",
    "reply-holds-marker",
    "stop-reason-end-turn",
];
/// What is checked after a plan was saved, in the journey `plan`.
const SAVED: &[&str] = &[
    "create-plan-has-cat-output",
    "get-plan-has-plan-id",
    "reply-holds-plan-id",
];
/// What is checked after the session was loaded.
const LOADED: &[&str] = &[
    "load-replays-conversation",
    "reply-holds-word",
    "stop-reason-end-turn",
];
/// What is checked after the mode was set, in the journey `plan`.
const PLAN: &[&str] = &[
    "set-mode-answers",
    "create-plan-has-title",
    "create-plan-has-cat-output",
    "get-plan-has-plan-id",
    "reply-holds-plan-id",
    "workspace-unchanged",
    "stop-reason-end-turn",
];
/// What is checked after the mode was set, in the journey `modes`.
const MODES: &[&str] = &[
    "set-mode-answers",
    "first-plan-saved",
    "regular-turn-creates-file",
    "second-plan-saved",
    "workspace-unchanged-in-plan-turns",
    "stop-reason-end-turn",
];

/// What cannot be checked of an agent that had to be killed.
const KILLED: &[&str] = &["exit-status-zero", "no-process-left"];

const NO_VERSION: &str = "contract: initialize got no answer with protocolVersion 1";
const DOES_NOT_END: &str = "contract: the agent did not end by itself after its input closed";
const PROCESS_LEFT: &str = "contract: a process was left after the agent ended";
const NO_CHUNK: &str = "contract: the reply came in no agent_message_chunk update";
const NO_LOAD: &str = "contract: the agent does not advertise loadSession";
const CANCEL_LATE: &str = "contract: the turn ended more than 30 seconds after session/cancel";
const NO_PLAN_MODE: &str = "contract: the agent advertises no Plan mode";
const NO_TITLE: &str = "contract: create_plan was not called with the title";
const PLAN_CHANGED: &str = "contract: the Plan turn changed the workspace";

/// What the fault is expected to do.
#[must_use]
#[rustfmt::skip]
pub fn expected(fault: Fault) -> Expected {
    use Fault::*;
    use Waits::Limit;

    match fault {
        // The process and its first answer
        Silent => from(NO_VERSION).waits(Limit).catch("reply", &["protocol-version-1"]).then(ANY),
        CrashOnStart => from("kdlbs/kandev#2417").catch("reply", &["protocol-version-1", "exit-status-zero"]).then(ANY),
        BannerFlood => from("openclaw/acpx#160").waits(Limit)
            .catch("reply", &["protocol-version-1", "stdout-is-protocol"]).then(ANY),
        VersionString | VersionTwo => from(NO_VERSION).catch("reply", &["protocol-version-1"]).then(ANY),

        // What stdout carries
        BannerLine => from("openclaw/acpx#160").catch("reply", &["stdout-is-protocol"]),
        JsonLog => from("transports: nothing but messages on stdout").catch("reply", &["valid-messages"]),
        IndentedJson => from("nexu-io/open-design#3363").waits(Limit)
            .catch("reply", &["stdout-is-protocol", "protocol-version-1"]).then(ANY),
        BadUtf8 => from("transports: messages are UTF-8").catch("reply", &["stdout-is-protocol"]),
        NoJsonrpc => from("JSON-RPC 2.0: jsonrpc is \"2.0\"").catch("reply", &["valid-messages"]),
        TwoAnswers | UnknownId => from("JSON-RPC 2.0: one answer for each request")
            .catch("reply", &["responses-match-requests"]),
        StringId => from("JSON-RPC 2.0: the answer has the id of the request").waits(Limit)
            .catch("reply", &["responses-match-requests", "stop-reason-end-turn"]).then(ANSWERED),

        // The end of the process
        IgnoresEnd | EndsLate => from(DOES_NOT_END).waits(Limit)
            .catch("reply", &["ends-on-input-close"]).then(KILLED),
        ExitStatus => from("kdlbs/kandev#2417").catch("reply", &["exit-status-zero"]),
        SurvivorInSession => from("block/buzz#787").catch("reply", &["no-process-left"]),
        SurvivorDisguised => from(PROCESS_LEFT).catch("reply", &["no-process-left"]),
        ServerLeft => from("anomalyco/opencode#32371").catch("plan", &["no-process-left"]),

        // The session and its messages
        SessionNewError => from("session-setup: session/new answers a session ID")
            .catch("reply", &["session-new-answers"]).then(TURN).then(REPLY),
        NoSessionId => from("OpenHands/OpenHands-CLI#164")
            .catch("reply", &["session-new-answers"]).then(TURN).then(REPLY),
        BlocksOnPrompt => from("bug-ops/zeph#6656").waits(Limit)
            .catch("cancel", &["stop-reason-cancelled", "cancel-within-30s", "ends-on-input-close"]).then(ANY),
        PermissionMisread => from("can1357/oh-my-pi#10850")
            .catch("modes", &["first-plan-saved", "regular-turn-creates-file", "second-plan-saved"]),
        WorkerPerTurn => from("block/buzz#4577").catch("memory", &["processes-do-not-grow"]),
        ZombiePerTurn => from("block/buzz#4577").catch("memory", &["processes-do-not-grow"]),
        OtherSession => from("xenodium/acp.el#25").catch("reply", &["updates-name-the-session"]),
        BadUpdates => from("xenodium/acp.el#25").catch("reply", &["valid-messages", "updates-name-the-session"]),
        UnknownUpdate => from("xenodium/acp.el#25").catch("reply", &["valid-messages"]),
        ChunkWithoutContent => from("xenodium/acp.el#25").catch("reply", &["valid-messages"]),
        OldModeUpdate => from("session-modes: the example has modeId, the schema currentModeId")
            .catch("reply", &["valid-messages"]),
        BareToolContent => from("session-modes: the example has bare content, the schema has not")
            .catch("plan", &["valid-messages"]),
        LateChunk => from("anomalyco/opencode#17505").catch("reply", &["turn-updates-before-answer"]),
        ToolCallOpen => from("davidtaylor6130/Universal-Agent-Manager#106")
            .catch("cancel", &["tool-calls-end"])
            .catch("plan", &["tool-calls-end"]),

        // The reply
        ReplyInResult | ReplyInThoughts => from(NO_CHUNK)
            .catch("reply", &["reply-in-message-chunks", "reply-holds-marker"]),
        WrongReply => from("the model does not do what it is asked")
            .catch("reply", &["reply-holds-marker"])
            .catch("memory", &["reply-holds-word"])
            .catch("load", &["reply-holds-word"]).then(&["load-replays-conversation"])
            .catch("image", &["reply-holds-word", "reply-names-red"])
            .catch("plan", &["reply-holds-plan-id"]),
        FailsOnce => from("a flaky agent").catch("reply", &["reply-holds-marker"]),
        EmptyTurn => from("MoonshotAI/kimi-code#1865")
            .catch("reply", &["reply-in-message-chunks", "reply-holds-marker"]),
        WrongStopReason => from("prompt-turn: end_turn when the model is done")
            .catch("reply", &["stop-reason-end-turn"])
            .catch("load", &["first-turn-end-turn", "stop-reason-end-turn"])
            .catch("image", &["stop-reason-end-turn"])
            .catch("plan", &["stop-reason-end-turn"])
            .catch("modes", &["stop-reason-end-turn"])
            .catch("question", &["question-turn-end-turn"]),
        PromptError => from("JSON-RPC 2.0: an error is not a stop reason")
            .catch("reply", &["stop-reason-end-turn"]),
        PromptUnanswered => from("xenodium/agent-shell#758").waits(Limit)
            .catch("reply", &["stop-reason-end-turn", "responses-match-requests"]).then(ANSWERED),
        CrashInTurn => from("kdlbs/kandev#2417")
            .catch("reply", &["stop-reason-end-turn", "reply-holds-marker", "ends-on-input-close", "exit-status-zero"])
            .then(&["responses-match-requests"]).then(ANSWERED),
        ExitsAfterReply => from("nexu-io/open-design#3363").catch("reply", &["ends-on-input-close"]),
        EndlessUpdates => from("openclaw/acpx#160")
            .catch("reply", &["stop-reason-end-turn", "responses-match-requests"]).then(ANY),

        // Memory and load
        FirstTurnRefused => from("prompt-turn: end_turn when the model is done")
            .catch("memory", &["first-turn-end-turn"]),
        SecondTurnRefused => from("prompt-turn: end_turn when the model is done")
            .catch("memory", &["second-turn-end-turn"]),
        ForgetsTurn => from("prompt-turn: a session remembers").catch("memory", &["reply-holds-word"]),
        OtherSessionWord => from("rookkeeper/rook#181")
            .catch("memory", &["reply-holds-word"])
            .catch("load", &["reply-holds-word"]),
        LoadNotAdvertised | LoadAsString => from(NO_LOAD)
            .catch("load", &["load-session-advertised"]).then(&["first-turn-end-turn", "session-load-answers"]).then(LOADED).then(TURN),
        LoadError => from("Yeachan-Heo/gajae-code#4019")
            .catch("load", &["session-load-answers"]).then(LOADED).then(TURN),
        LoadForgets => from("session-setup: a loaded session goes on").catch("load", &["reply-holds-word"]),
        ReplaysNothing => from("MoonshotAI/kimi-cli#2363").catch("load", &["load-replays-conversation"]),
        ReplaysLate => from("session-setup: the replay comes before the answer")
            .catch("load", &["load-replays-conversation"]),
        ReplaysInTurn => from("session-setup: the replay comes before the answer")
            .catch("load", &["load-replays-conversation"]),
        ReplaysHalf => from("anomalyco/opencode#30761").catch("load", &["load-replays-conversation"]),

        // Images
        ImageNotAdvertised => from("initialization: what is not advertised is not there")
            .catch("image", &["image-advertised"])
            .then(&["reply-holds-word", "reply-names-red", "stop-reason-end-turn"]).then(TURN),
        ImageIgnored => from("content: an advertised image is looked at").catch("image", &["reply-names-red"]),
        FileIgnored => from("the model does not do what it is asked").catch("image", &["reply-holds-word"]),

        // Cancellation
        SilentCommand => from("tool-calls: a tool call is reported").catch("cancel", &["tool-call-before-stop"]),
        CancelError => from("agentclientprotocol/kotlin-sdk#91").catch("cancel", &["stop-reason-cancelled"]),
        CancelEndTurn => from("github/copilot-cli#4561").catch("cancel", &["stop-reason-cancelled"]),
        CancelLeavesCommand => from("lucasnevespereira/nevinho#35").catch("cancel", &["no-sleep-left"]),
        CancelKillsShellOnly => from("SWE-agent/mini-swe-agent#826").catch("cancel", &["no-sleep-left"]),
        // By then the checker has closed the input: an answer to nobody.
        CancelLate => from(CANCEL_LATE).waits(Limit)
            .catch("cancel", &["cancel-within-30s", "stop-reason-cancelled"]).then(ANSWERED)
            .then(&["ends-on-input-close", "responses-match-requests"]).then(KILLED),
        CancelUnanswered => from(CANCEL_LATE).waits(Limit)
            .catch("cancel", &["cancel-within-30s", "stop-reason-cancelled", "responses-match-requests"]).then(ANSWERED),
        // It stops when its input closes, and answers cancelled then: an answer to nobody.
        CancelIgnored => from("anomalyco/opencode#30146").waits(Limit)
            .catch("cancel", &["cancel-within-30s", "stop-reason-cancelled", "no-sleep-left"]).then(ANSWERED),
        UpdateAfterCancelled => from("can1357/oh-my-pi#1113").catch("cancel", &["turn-updates-before-answer"]).then(&["tool-calls-end"]),

        // Plan mode
        NoPlanMode => from(NO_PLAN_MODE)
            .catch("plan", &["plan-mode-advertised"]).then(PLAN).then(TURN)
            .catch("modes", &["plan-mode-advertised"]).then(MODES).then(TURN),
        SetModeError => from("session-modes: an advertised mode can be set")
            .catch("plan", &["set-mode-answers"]).then(PLAN).then(TURN)
            .catch("modes", &["set-mode-answers"]).then(MODES).then(TURN),
        ModeNotApplied => from("QwenLM/qwen-code#1806")
            .catch("plan", &["workspace-unchanged"])
            .catch("modes", &["workspace-unchanged-in-plan-turns"]),
        StartModeRefused => from("ambient-code/platform#1583").catch("modes", &["set-mode-answers"]).then(MODES),
        ServersNotStarted => from("shindgew/agy-acp#136")
            .catch("plan", &["create-plan-has-title"]).then(SAVED)
            .catch("modes", &["first-plan-saved", "second-plan-saved"]),
        OtherToolServer => from("anomalyco/opencode#32371")
            .catch("plan", &["create-plan-has-title"]).then(SAVED),
        ServersClosedEarly => from("topcheer/ggcode#751").catch("modes", &["second-plan-saved"]),
        PlanNotCreated => from(NO_TITLE).catch("plan", &["create-plan-has-title"]).then(SAVED),
        WrongTitle => from(NO_TITLE).catch("plan", &["create-plan-has-title"]).then(SAVED),
        NoOutputInPlan | CommandInPlan => from("the description is not the output of cat")
            .catch("plan", &["create-plan-has-cat-output"])
            .catch("modes", &["first-plan-saved", "second-plan-saved"]),
        WrongPlanId | PlanNotReadBack => from("get_plan is not called with the ID of the plan")
            .catch("plan", &["get-plan-has-plan-id"]),
        ReplyWithoutPlanId => from("the model does not do what it is asked")
            .catch("plan", &["reply-holds-plan-id"]),
        PlanWrites => from(PLAN_CHANGED)
            .catch("plan", &["workspace-unchanged"])
            .catch("modes", &["workspace-unchanged-in-plan-turns"]),
        PlanWritesAndDeletes | PlanChangesAndRestores | PlanWritesBeside => from(PLAN_CHANGED)
            .catch("plan", &["workspace-unchanged"]),
        RunsRefused => from("github/copilot-cli#4537").catch("plan", &["workspace-unchanged"])
            .catch("refused-permission", &["refused-call-fails", "refused-turn-changes-nothing"]),

        // Several modes in one session
        RegularTurnIdle => from("the model does not do what it is asked")
            .catch("modes", &["regular-turn-creates-file"]),
        FirstPlanLost => from("session-modes: a mode holds from its answer on")
            .catch("modes", &["first-plan-saved"]),
        SecondPlanLost => from("topcheer/ggcode#1145").catch("modes", &["second-plan-saved"]),
        SecondPlanWrites => from("topcheer/ggcode#1145").catch("modes", &["workspace-unchanged-in-plan-turns"]),

        // The stand-in journeys
        NeverAsks => from("tool-calls: the client may be asked before a tool runs")
            .catch("refused-permission", &["permission-requested", "refused-turn-changes-nothing"])
            .then(&["refused-call-fails"]),
        RefusalCancels => from("olimorris/codecompanion.nvim#3100").catch("refused-permission", &["refused-turn-end-turn"]),
        SlowIsFast => from("the scenario command is not followed").catch("killed-mid-turn-then-load", &["killed-mid-turn"]),
        KeepsAtEnd => from("aaif-goose/goose#5916").catch("killed-mid-turn-then-load", &["session-load-answers"])
            .then(LOADED).then(TURN),
        ChildSurvivesKill => from("block/buzz#787").catch("killed-mid-turn-then-load", &["no-process-left-after-kill"]),
        FailureEndsTurn => from("MoonshotAI/kimi-code#1865").catch("model-failure", &["model-failure-shown"]),
        FailureSticks => from("xenodium/acp.el#25").catch("model-failure", &["turn-after-failure-works"]),
        QuestionUnasked => from("elicitation: the user is asked").catch("question", &["question-reaches-user"])
            .then(&["answer-reaches-agent"]),
        AnswerIgnored => from("elicitation: the answer is used").catch("question", &["answer-reaches-agent"]),
    }
}

/// The journeys that show the variant.
#[must_use]
pub fn journeys(variant: Variant) -> &'static [&'static str] {
    match variant {
        Variant::Plain | Variant::Slow => &[
            "reply",
            "memory",
            "load",
            "image",
            "cancel",
            "plan",
            "modes",
            "refused-permission",
            "killed-mid-turn-then-load",
            "model-failure",
            "question",
        ],
        Variant::ModeByConfigOption | Variant::ModesTwice | Variant::ModeNamedPlanning => {
            &["plan", "modes"]
        }
        Variant::LoadNull
        | Variant::LoadEmpty
        | Variant::LoadWithOptions
        | Variant::LoadWithSessionId
        | Variant::ReplayInOneWrite
        | Variant::ReplaySlowly => &["load"],
        Variant::AsksInWords => &["question"],
        // At full limits it takes minutes; the test of its case runs it scaled.
        Variant::Trickle => &[],
        Variant::UpdatesOutOfTurn | Variant::WorkersInTurns | Variant::WorkerPool => {
            &["memory", "modes"]
        }
        Variant::PermissionsAtCancel => &["cancel"],
        Variant::AsksNothing | Variant::StringIds => &["cancel", "plan"],
        Variant::ByteByByte | Variant::LoudStderr | Variant::ZombieUntilEnd => &["reply", "plan"],
        Variant::Crlf
        | Variant::NoLastNewline
        | Variant::LongChunk
        | Variant::ManyChunks
        | Variant::BannerOnStderr
        | Variant::Extensions
        | Variant::AsksUnoffered
        | Variant::EndsInTwoSeconds => &["reply"],
    }
}

fn from(source: &'static str) -> Expected {
    Expected {
        source,
        waits: Waits::No,
        catches: Vec::new(),
    }
}

impl Expected {
    fn waits(mut self, waits: Waits) -> Self {
        self.waits = waits;
        self
    }

    /// These checks must fail or warn in this journey.
    fn catch(mut self, journey: &'static str, caught: &[&'static str]) -> Self {
        self.catches.push(Catch {
            journey,
            caught: caught.to_vec(),
            dependents: Vec::new(),
        });
        self
    }

    /// And in the same journey these may, as a consequence.
    fn then(mut self, dependents: &[&'static str]) -> Self {
        if let Some(catch) = self.catches.last_mut() {
            catch.dependents.extend(dependents);
        }
        self
    }
}
