//! The rows of the map.

/// One thing that version 1 asks for or allows.
pub struct Row {
    /// A method, a kind of update, a stop reason or a capability, by its name in the schema.
    pub what: &'static str,
    /// The page and the anchor that say so.
    pub page: &'static str,
    /// Where it is done.
    pub files: &'static [&'static str],
    /// The test that shows it, by its name.
    pub test: &'static str,
    /// What there is to say; mostly nothing.
    pub note: &'static str,
}

const fn row(
    what: &'static str,
    page: &'static str,
    files: &'static [&'static str],
    test: &'static str,
) -> Row {
    Row {
        what,
        page,
        files,
        test,
        note: "",
    }
}

impl Row {
    const fn but(self, note: &'static str) -> Self {
        Self { note, ..self }
    }
}

/// All of it, in the order of the document.
pub const ROWS: &[Row] = &[
    row(
        "initialize",
        "initialization",
        &["agent/src/handlers/initialize.rs"],
        "a027_capabilities_of_any_shape_are_accepted",
    ),
    row(
        "authenticate",
        "authentication#protocol-driven-authentication",
        &["agent/src/handlers/authenticate.rs", "agent/src/login.rs"],
        "sessions_need_a_login_until_somebody_logs_in_and_again_after_the_logout",
    ),
    row(
        "logout",
        "authentication#logging-out",
        &["agent/src/handlers/authenticate.rs"],
        "sessions_need_a_login_until_somebody_logs_in_and_again_after_the_logout",
    ),
    row(
        "session/new",
        "session-setup#creating-a-session",
        &["agent/src/handlers/new.rs", "agent/src/handlers/setup.rs"],
        "bad_params_are_named_and_the_next_request_works",
    ),
    row(
        "session/load",
        "session-setup#loading-sessions",
        &["agent/src/handlers/load.rs", "agent/src/replay.rs"],
        "a044_sixty_turns_are_replayed_whole_and_in_order",
    ),
    row(
        "session/resume",
        "session-setup#resuming-sessions",
        &["agent/src/handlers/load.rs"],
        "resume_remembers_and_says_nothing",
    ),
    row(
        "session/list",
        "session-list",
        &["agent/src/handlers/list.rs"],
        "a083_pages_hold_all_sessions_once",
    ),
    row(
        "session/close",
        "session-setup#closing-active-sessions",
        &["agent/src/handlers/close.rs"],
        "a084_close_answers_the_prompt_first_and_frees_the_session",
    ),
    row(
        "session/delete",
        "session-delete",
        &["agent/src/handlers/close.rs"],
        "a_deleted_session_never_comes_back",
    ),
    row(
        "session/prompt",
        "prompt-turn",
        &["agent/src/handlers/prompt.rs", "agent/src/turn/mod.rs"],
        "all_chunks_come_before_the_answer",
    ),
    row(
        "session/cancel",
        "prompt-turn#cancellation",
        &["agent/src/session/state.rs", "agent/src/turn/end.rs"],
        "a_cancel_in_the_same_write_as_its_prompt_hits_it",
    ),
    row(
        "session/set_mode",
        "session-modes#setting-the-current-mode",
        &["agent/src/handlers/mode.rs"],
        "a073_both_views_of_the_mode_stay_in_step",
    ),
    row(
        "session/set_config_option",
        "session-config-options",
        &["agent/src/handlers/mode.rs"],
        "a073_both_views_of_the_mode_stay_in_step",
    )
    .but("one select, no boolean"),
    row(
        "$/cancel_request",
        "cancellation",
        &["wire/src/inflight.rs", "wire/src/peer.rs"],
        "cancel_request_of_a_prompt_is_a_cancel",
    ),
    row(
        "session/request_permission",
        "tool-calls#requesting-permission",
        &["agent/src/permission.rs", "agent/src/mode/mod.rs"],
        "what_a_refusal_can_look_like",
    ),
    row(
        "session/update",
        "prompt-turn#3-agent-reports-output",
        &["agent/src/updates.rs"],
        "all_chunks_come_before_the_answer",
    ),
    row(
        "fs/read_text_file",
        "file-system#reading-files",
        &[
            "agent/src/client/files.rs",
            "agent/src/tools/over_client.rs",
        ],
        "lines_are_asked_for_as_the_model_did",
    ),
    row(
        "fs/write_text_file",
        "file-system#writing-files",
        &[
            "agent/src/client/files.rs",
            "agent/src/tools/over_client.rs",
        ],
        "an_edit_starts_from_what_is_not_saved",
    ),
    row(
        "terminal/create",
        "terminals#executing-commands",
        &[
            "agent/src/client/terminal.rs",
            "agent/src/tools/terminal.rs",
        ],
        "a080_a081_a_command_runs_in_a_terminal_of_the_client",
    ),
    row(
        "terminal/output",
        "terminals#getting-output",
        &[
            "agent/src/client/terminal.rs",
            "agent/src/tools/terminal.rs",
        ],
        "a080_a081_a_command_runs_in_a_terminal_of_the_client",
    ),
    row(
        "terminal/wait_for_exit",
        "terminals#waiting-for-exit",
        &[
            "agent/src/client/terminal.rs",
            "agent/src/tools/terminal.rs",
        ],
        "a080_a081_a_command_runs_in_a_terminal_of_the_client",
    ),
    row(
        "terminal/kill",
        "terminals#killing-commands",
        &[
            "agent/src/client/terminal.rs",
            "agent/src/tools/terminal.rs",
        ],
        "a_cancel_kills_and_releases_the_terminal",
    ),
    row(
        "terminal/release",
        "terminals#releasing-terminals",
        &[
            "agent/src/client/terminal.rs",
            "agent/src/tools/terminal.rs",
        ],
        "a_cancel_before_the_terminal_is_there_releases_it",
    ),
    row(
        "elicitation/create",
        "elicitation#creating-an-elicitation",
        &[
            "agent/src/client/question.rs",
            "agent/src/tools/ask_user.rs",
        ],
        "a_question_is_a_form",
    ),
    row(
        "elicitation/complete",
        "elicitation#url-completion",
        &["agent/src/client/question.rs"],
        "a_page_is_never_a_form",
    )
    .but("never sent, which the page allows: what happens on a page is not known here"),
    row(
        "user_message_chunk",
        "session-setup#loading-sessions",
        &["agent/src/replay.rs"],
        "a044_sixty_turns_are_replayed_whole_and_in_order",
    ),
    row(
        "agent_message_chunk",
        "prompt-turn#3-agent-reports-output",
        &["agent/src/turn/reply.rs"],
        "all_chunks_come_before_the_answer",
    ),
    row(
        "agent_thought_chunk",
        "prompt-turn#3-agent-reports-output",
        &["agent/src/turn/reply.rs"],
        "replies_of_every_kind",
    ),
    row(
        "tool_call",
        "tool-calls#creating",
        &["agent/src/turn/call.rs"],
        "ids_of_calls_never_come_twice_over_a_load",
    ),
    row(
        "tool_call_update",
        "tool-calls#updating",
        &["agent/src/turn/call.rs"],
        "failed_tools_are_failed",
    ),
    row(
        "plan",
        "agent-plan",
        &["agent/src/replay.rs", "agent/src/tools/update_plan.rs"],
        "the_plan_is_sent_whole_and_replayed",
    ),
    row(
        "available_commands_update",
        "slash-commands#advertising-commands",
        &[
            "agent/src/handlers/commands.rs",
            "stub-model/src/commands/mod.rs",
        ],
        "commands_are_told_behind_the_answer_that_opens_the_session",
    ),
    row(
        "current_mode_update",
        "session-modes#from-the-agent",
        &["agent/src/handlers/mode.rs"],
        "a073_both_views_of_the_mode_stay_in_step",
    ),
    row(
        "config_option_update",
        "session-config-options#from-the-agent",
        &["agent/src/handlers/mode.rs"],
        "a073_both_views_of_the_mode_stay_in_step",
    ),
    row(
        "session_info_update",
        "session-list#updating-session-metadata",
        &["agent/src/turn/title.rs"],
        "the_first_exchange_gives_a_title_which_stays",
    ),
    row(
        "usage_update",
        "prompt-turn#3-agent-reports-output",
        &["agent/src/model/stub.rs"],
        "usage_is_told_in_each_turn_and_grows",
    ),
    row(
        "end_turn",
        "prompt-turn#stop-reasons",
        &["agent/src/turn/end.rs"],
        "every_stop_of_the_model_has_its_reason",
    ),
    row(
        "max_tokens",
        "prompt-turn#stop-reasons",
        &["agent/src/turn/end.rs"],
        "every_stop_of_the_model_has_its_reason",
    ),
    row(
        "max_turn_requests",
        "prompt-turn#stop-reasons",
        &["agent/src/turn/end.rs"],
        "a_model_that_never_stops_calling_is_stopped",
    ),
    row(
        "refusal",
        "prompt-turn#stop-reasons",
        &["agent/src/turn/end.rs"],
        "every_stop_of_the_model_has_its_reason",
    ),
    row(
        "cancelled",
        "prompt-turn#cancellation",
        &["agent/src/turn/end.rs"],
        "a_cancel_while_the_model_speaks",
    ),
    row(
        "loadSession",
        "session-setup#loading-sessions",
        &["agent/src/handlers/initialize.rs"],
        "a044_sixty_turns_are_replayed_whole_and_in_order",
    ),
    row(
        "auth",
        "authentication#advertising-authentication",
        &["agent/src/handlers/authenticate.rs"],
        "without_require_auth_there_is_nothing_to_log_in_to",
    ),
    row(
        "sessionCapabilities.list",
        "session-list",
        &["agent/src/handlers/initialize.rs"],
        "a083_pages_hold_all_sessions_once",
    ),
    row(
        "sessionCapabilities.delete",
        "session-delete",
        &["agent/src/handlers/initialize.rs"],
        "a_deleted_session_never_comes_back",
    ),
    row(
        "sessionCapabilities.additionalDirectories",
        "session-setup#additional-workspace-roots",
        &["agent/src/handlers/setup.rs", "agent/src/roots.rs"],
        "preparing_tells_nothing_of_files_outside",
    ),
    row(
        "sessionCapabilities.resume",
        "session-setup#resuming-sessions",
        &["agent/src/handlers/initialize.rs"],
        "resume_remembers_and_says_nothing",
    ),
    row(
        "sessionCapabilities.close",
        "session-setup#closing-active-sessions",
        &["agent/src/handlers/initialize.rs"],
        "a084_close_answers_the_prompt_first_and_frees_the_session",
    ),
    row(
        "promptCapabilities.image",
        "content#image-content",
        &["agent/src/prompt.rs"],
        "bad_params_are_named_and_the_next_request_works",
    ),
    row(
        "promptCapabilities.audio",
        "content#audio-content",
        &["agent/src/prompt.rs"],
        "bad_params_are_named_and_the_next_request_works",
    )
    .but("not offered, and refused"),
    row(
        "promptCapabilities.embeddedContext",
        "content#embedded-resource",
        &["agent/src/prompt.rs"],
        "a027_capabilities_of_any_shape_are_accepted",
    ),
    row(
        "mcpCapabilities.http",
        "session-setup#http-transport",
        &["agent/src/mcp/http/mod.rs"],
        "a_tool_is_called_with_the_headers_and_the_session_is_ended",
    ),
    row(
        "mcpCapabilities.sse",
        "session-setup#sse-transport",
        &["agent/src/mcp/mod.rs"],
        "what_was_not_advertised_is_refused_by_name",
    )
    .but("not offered, and refused: MCP has given it up"),
    row(
        "clientCapabilities.fs",
        "file-system#checking-support",
        &["agent/src/client/mod.rs"],
        "a079_nothing_is_asked_for_that_was_not_offered",
    ),
    row(
        "clientCapabilities.terminal",
        "terminals#checking-support",
        &["agent/src/client/mod.rs"],
        "a079_nothing_is_asked_for_that_was_not_offered",
    ),
    row(
        "clientCapabilities.session",
        "session-config-options",
        &["agent/src/client/mod.rs"],
        "a027_capabilities_of_any_shape_are_accepted",
    )
    .but("read and not needed: no boolean option is offered"),
    row(
        "clientCapabilities.auth",
        "authentication#authentication-method-types",
        &["agent/src/handlers/authenticate.rs"],
        "the_terminal_method_is_for_clients_with_a_terminal_and_not_for_authenticate",
    ),
    row(
        "clientCapabilities.elicitation",
        "elicitation#checking-support",
        &["agent/src/client/mod.rs"],
        "a_page_is_never_a_form",
    ),
    row(
        "_meta",
        "extensibility#the-_meta-field",
        &["agent/src/trace.rs"],
        "the_trace_context_of_a_prompt_is_handed_on_and_nothing_else",
    ),
];
