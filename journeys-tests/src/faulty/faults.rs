//! Everything that can be broken, one thing each. The comment of a fault is its text in
//! `--list-faults`; [`super::expected`] has what must be caught.

use clap::ValueEnum;

/// One thing that is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Fault {
    // The process and its first answer
    /// Reads everything and never answers.
    Silent,
    /// Writes "boom" to stderr and exits with status 3 before it reads anything.
    CrashOnStart,
    /// Writes 20,000 banner lines to stdout and never answers.
    BannerFlood,
    /// Answers initialize with protocolVersion "1", a string.
    VersionString,
    /// Answers initialize with protocolVersion 2.
    VersionTwo,

    // What stdout carries
    /// Writes one plain text line to stdout before its first answer.
    BannerLine,
    /// Writes a JSON log record that is no JSON-RPC message to stdout.
    JsonLog,
    /// Answers initialize as indented JSON over several lines.
    IndentedJson,
    /// Writes a line that is not UTF-8 to stdout.
    BadUtf8,
    /// Leaves "jsonrpc" out of the answer to a prompt.
    NoJsonrpc,
    /// Answers each prompt twice.
    TwoAnswers,
    /// Answers a prompt with the id as a string in place of a number.
    StringId,
    /// Also answers a request that was never sent.
    UnknownId,

    // The end of the process
    /// Goes on when its input is closed.
    IgnoresEnd,
    /// Ends 11 s after its input is closed.
    EndsLate,
    /// Ends with status 3.
    ExitStatus,
    /// Leaves a process in its own session behind.
    SurvivorInSession,
    /// Leaves a process behind that has another name and an empty environment.
    SurvivorDisguised,
    /// Leaves the tool server behind: something else holds the server's stdin open.
    ServerLeft,

    // The session and its messages
    /// Answers session/new with an error.
    SessionNewError,
    /// Answers session/new without a sessionId.
    NoSessionId,
    /// Handles a prompt to its end before it reads the next line.
    BlocksOnPrompt,
    /// Takes every answer to a permission request for a refusal.
    PermissionMisread,
    /// Starts a helper process in each turn and keeps it.
    WorkerPerTurn,
    /// Starts a child in each turn and never waits for its end.
    ZombiePerTurn,
    /// Sends updates that name a session that nobody opened.
    OtherSession,
    /// Sends an update of a kind that ACP does not have.
    UnknownUpdate,
    /// Sends an agent_message_chunk without content.
    ChunkWithoutContent,
    /// Sends three bad updates in one turn: unknown, without content, of another session.
    BadUpdates,
    /// Sends current_mode_update with modeId in place of currentModeId.
    OldModeUpdate,
    /// Sends a bare text block as the content of a tool call.
    BareToolContent,
    /// Sends one more chunk of the reply after the answer to the prompt.
    LateChunk,
    /// Never gives a tool call an end status.
    ToolCallOpen,

    // The reply
    /// Puts the reply into the answer to the prompt and sends no chunk.
    ReplyInResult,
    /// Sends the reply as agent_thought_chunk.
    ReplyInThoughts,
    /// Replies with other words.
    WrongReply,
    /// Replies with other words in the first turn of its life, and never again.
    FailsOnce,
    /// Ends the turn with end_turn and no word, as when a model call fails unseen.
    EmptyTurn,
    /// Ends a turn that went well with max_tokens.
    WrongStopReason,
    /// Answers the prompt with an error after the reply.
    PromptError,
    /// Streams the reply and never answers the prompt.
    PromptUnanswered,
    /// Crashes with status 3 in the middle of the turn.
    CrashInTurn,
    /// Answers the prompt without a newline at the end and exits.
    ExitsAfterReply,
    /// Sends updates for ever.
    EndlessUpdates,

    // Memory and load
    /// Ends the first turn of a process with refusal.
    FirstTurnRefused,
    /// Ends the second turn of a process with refusal.
    SecondTurnRefused,
    /// Forgets a turn when the next one begins.
    ForgetsTurn,
    /// Gives the word of another session.
    OtherSessionWord,
    /// Does not advertise loadSession.
    LoadNotAdvertised,
    /// Advertises loadSession as the string "true".
    LoadAsString,
    /// Answers session/load with an error.
    LoadError,
    /// Loads and replays the session, and knows nothing of it.
    LoadForgets,
    /// Loads the session and replays nothing.
    ReplaysNothing,
    /// Replays the conversation after it has answered session/load.
    ReplaysLate,
    /// Replays the conversation in the next turn, mixed with its reply.
    ReplaysInTurn,
    /// Replays what the user said and not what the agent said.
    ReplaysHalf,

    // Images
    /// Does not advertise promptCapabilities.image.
    ImageNotAdvertised,
    /// Does not look at the image and calls it blue.
    ImageIgnored,
    /// Does not read the file that the prompt names.
    FileIgnored,

    // Cancellation
    /// Runs a command without a tool_call update and without asking.
    SilentCommand,
    /// Answers a cancelled prompt with error -32800.
    CancelError,
    /// Answers a cancelled prompt with end_turn.
    CancelEndTurn,
    /// Answers cancelled at once while the command runs on.
    CancelLeavesCommand,
    /// Ends the shell at a cancel and not what the shell started.
    CancelKillsShellOnly,
    /// Answers cancelled 45 s after the cancel.
    CancelLate,
    /// Ends the command at a cancel and never answers the prompt.
    CancelUnanswered,
    /// Ignores the cancel; the command runs on.
    CancelIgnored,
    /// Sends the end of the tool call after the answer cancelled.
    UpdateAfterCancelled,

    // Plan mode
    /// Advertises no Plan mode.
    NoPlanMode,
    /// Answers session/set_mode with an error.
    SetModeError,
    /// Answers the change to Plan mode and stays in the mode it was in.
    ModeNotApplied,
    /// Does not go back from Plan mode.
    StartModeRefused,
    /// Does not start the tool servers of session/new.
    ServersNotStarted,
    /// Uses tool servers of its own in place of those of session/new.
    OtherToolServer,
    /// Closes the tool servers when the first turn ends.
    ServersClosedEarly,
    /// Says that it saved the plan and does not call create_plan.
    PlanNotCreated,
    /// Saves the plan under another title.
    WrongTitle,
    /// Saves a plan without the output of the command.
    NoOutputInPlan,
    /// Saves the command in place of its output.
    CommandInPlan,
    /// Reads back a plan ID that it made up.
    WrongPlanId,
    /// Does not read the plan back.
    PlanNotReadBack,
    /// Replies without the plan ID.
    ReplyWithoutPlanId,
    /// Writes a file in Plan mode.
    PlanWrites,
    /// Writes a file in Plan mode and deletes it.
    PlanWritesAndDeletes,
    /// Writes a file beside the workspace in Plan mode.
    PlanWritesBeside,
    /// Changes a file in Plan mode and puts back what it held.
    PlanChangesAndRestores,
    /// Runs a command in Plan mode though it was refused.
    RunsRefused,

    // Several modes in one session
    /// Does not run the command of the regular turn, and says that it did.
    RegularTurnIdle,
    /// Takes the first Plan turn for a question and saves no plan.
    FirstPlanLost,
    /// Saves no plan after the mode was changed back to Plan.
    SecondPlanLost,
    /// Keeps the rights of the regular turn when Plan mode comes back.
    SecondPlanWrites,

    // The stand-in journeys
    /// Does what it was asked for without a permission request.
    NeverAsks,
    /// Ends the turn with cancelled when something is refused.
    RefusalCancels,
    /// Ends a turn that is to be slow at once.
    SlowIsFast,
    /// Keeps sessions only when it ends.
    KeepsAtEnd,
    /// Starts a child that lives on when the agent is killed.
    ChildSurvivesKill,
    /// Ends a turn whose model failed with end_turn.
    FailureEndsTurn,
    /// Takes a session whose turn failed for busy.
    FailureSticks,
    /// Asks nothing when it is told to ask.
    QuestionUnasked,
    /// Asks, and does not use the answer.
    AnswerIgnored,
}
