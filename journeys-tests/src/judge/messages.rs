//! The shape of an agent's messages: what the schema requires of a sender, in the parts that the
//! journeys use. A receiver may be lenient; a report should still say what a sender got wrong.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/schema>

use serde_json::Value;

const TOOL_STATUSES: [&str; 4] = ["pending", "in_progress", "completed", "failed"];
const STOP_REASONS: [&str; 5] = [
    "end_turn",
    "max_tokens",
    "max_turn_requests",
    "refusal",
    "cancelled",
];
const OPTION_KINDS: [&str; 4] = ["allow_once", "allow_always", "reject_once", "reject_always"];

/// A member that an update must have, and whether a value has its type.
type Member = (&'static str, fn(&Value) -> bool);

/// Everything wrong with a message, each in one sentence.
pub(super) fn faults(message: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    if message["jsonrpc"] != "2.0" {
        faults.push(format!("jsonrpc is {}, not \"2.0\"", message["jsonrpc"]));
    }
    match message["method"].as_str() {
        Some("session/update") => faults.extend(update_faults(&message["params"])),
        Some("session/request_permission") => faults.extend(permission_faults(message)),
        Some(_) => {}
        None => faults.extend(response_fault(message)),
    }
    faults
}

/// What is wrong with the result of `session/prompt`.
pub(super) fn stop_reason_fault(result: &Value) -> Option<String> {
    let reason = &result["stopReason"];
    let known = reason
        .as_str()
        .is_some_and(|reason| STOP_REASONS.contains(&reason));
    (!known).then(|| format!("stopReason is {reason}, not one of {STOP_REASONS:?}"))
}

fn response_fault(message: &Value) -> Option<String> {
    let members = ["result", "error"].map(|member| message.get(member).is_some());
    match (members, message.get("id")) {
        ([true, false] | [false, true], Some(_)) => None,
        (_, None) => Some("neither a method nor an id".to_owned()),
        ([true, true], _) => Some(format!(
            "response {} has a result and an error",
            message["id"]
        )),
        ([false, false], _) => Some(format!(
            "response {} has no result and no error",
            message["id"]
        )),
    }
}

fn update_faults(params: &Value) -> Vec<String> {
    let update = &params["update"];
    let Some(kind) = update["sessionUpdate"].as_str() else {
        return vec!["session/update without update.sessionUpdate".to_owned()];
    };
    let mut faults = Vec::new();
    if !params["sessionId"].is_string() {
        faults.push(format!("{kind} without a sessionId"));
    }
    let missing = |members: &[Member]| -> Vec<String> {
        let broken = members
            .iter()
            .filter(|(member, has_type)| !has_type(&update[*member]));
        broken
            .map(|(member, _)| format!("{kind}: {member} is {}", update[*member]))
            .collect()
    };
    match kind {
        "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk" => {
            faults
                .extend(content_fault(&update["content"]).map(|fault| format!("{kind}: {fault}")));
        }
        "tool_call" => {
            faults.extend(missing(&[
                ("toolCallId", Value::is_string),
                ("title", Value::is_string),
            ]));
            faults.extend(tool_call_faults(update));
        }
        "tool_call_update" => {
            faults.extend(missing(&[("toolCallId", Value::is_string)]));
            faults.extend(tool_call_faults(update));
        }
        "plan" => faults.extend(missing(&[("entries", Value::is_array)])),
        "available_commands_update" => {
            faults.extend(missing(&[("availableCommands", Value::is_array)]))
        }
        "current_mode_update"
            if update["modeId"].is_string() && update["currentModeId"].is_null() =>
        {
            faults.push(
                "current_mode_update: the schema's member is currentModeId, not modeId".to_owned(),
            );
        }
        "current_mode_update" => faults.extend(missing(&[("currentModeId", Value::is_string)])),
        "config_option_update" => faults.extend(missing(&[("configOptions", Value::is_array)])),
        "usage_update" => {
            faults.extend(missing(&[("used", Value::is_u64), ("size", Value::is_u64)]))
        }
        "session_info_update" => {}
        other => faults.push(format!("unknown sessionUpdate {other:?}")),
    }
    faults
}

fn tool_call_faults(call: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    if let Some(status) = call["status"].as_str()
        && !TOOL_STATUSES.contains(&status)
    {
        faults.push(format!(
            "tool call status {status:?}, not one of {TOOL_STATUSES:?}"
        ));
    }
    for content in call["content"].as_array().into_iter().flatten() {
        match content["type"].as_str() {
            Some("content") => faults.extend(content_fault(&content["content"])),
            Some("diff" | "terminal") => {}
            Some(block @ ("text" | "image" | "audio" | "resource" | "resource_link")) => {
                faults.push(format!(
                    "tool call content: a {block} block must be inside {{\"type\":\"content\"}}"
                ));
            }
            _ => faults.push(format!("tool call content of the type {}", content["type"])),
        }
    }
    faults
}

fn content_fault(block: &Value) -> Option<String> {
    let needs: &[&str] = match block["type"].as_str() {
        Some("text") => &["text"],
        Some("image" | "audio") => &["data", "mimeType"],
        Some("resource_link") => &["name", "uri"],
        Some("resource") => {
            return (!block["resource"].is_object())
                .then(|| "resource block without resource".to_owned());
        }
        Some(other) => return Some(format!("unknown content type {other:?}")),
        None => return Some(format!("content is {block}")),
    };
    let missing = needs.iter().find(|member| !block[**member].is_string())?;
    Some(format!(
        "content of the type {} without {missing}",
        block["type"]
    ))
}

fn permission_faults(message: &Value) -> Vec<String> {
    let params = &message["params"];
    let mut faults = Vec::new();
    if message["id"].is_null() {
        faults.push("session/request_permission without an id".to_owned());
    }
    if !params["sessionId"].is_string() {
        faults.push("session/request_permission without a sessionId".to_owned());
    }
    if !params["toolCall"]["toolCallId"].is_string() {
        faults.push("session/request_permission without toolCall.toolCallId".to_owned());
    }
    faults.extend(tool_call_faults(&params["toolCall"]));
    match params["options"].as_array() {
        None => faults.push("session/request_permission without options".to_owned()),
        Some(options) => {
            let broken = options.iter().find(|option| {
                let kind = option["kind"].as_str().unwrap_or_default();
                !option["optionId"].is_string()
                    || !option["name"].is_string()
                    || !OPTION_KINDS.contains(&kind)
            });
            faults.extend(broken.map(|option| format!("permission option {option}")));
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn table() {
        let update = |update: Value| json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": update}});
        let text = json!({"type": "text", "text": "x"});
        #[rustfmt::skip]
        let table = [
            (json!({"jsonrpc": "2.0", "id": 1, "result": null}), None),
            (json!({"id": 1, "result": {}}), Some("jsonrpc is null")),
            (json!({"jsonrpc": "2.0", "id": 1}), Some("no result and no error")),
            (json!({"jsonrpc": "2.0", "id": 1, "result": {}, "error": {}}), Some("a result and an error")),
            (json!({"jsonrpc": "2.0"}), Some("neither a method nor an id")),
            (update(json!({"sessionUpdate": "agent_message_chunk", "content": text})), None),
            (update(json!({"sessionUpdate": "agent_message_chunk"})), Some("content is null")),
            (update(json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text"}})), Some("without text")),
            (update(json!({"sessionUpdate": "new_thing"})), Some("unknown sessionUpdate")),
            (update(json!({})), Some("without update.sessionUpdate")),
            (update(json!({"sessionUpdate": "current_mode_update", "modeId": "plan"})), Some("not modeId")),
            (update(json!({"sessionUpdate": "current_mode_update", "currentModeId": "plan"})), None),
            (update(json!({"sessionUpdate": "tool_call", "toolCallId": "1"})), Some("title is null")),
            (update(json!({"sessionUpdate": "tool_call_update", "toolCallId": "1", "status": "cancelled"})), Some("status \"cancelled\"")),
            (update(json!({"sessionUpdate": "tool_call_update", "toolCallId": "1", "content": [text]})), Some("must be inside")),
            (update(json!({"sessionUpdate": "current_mode_update", "modeId": "a", "currentModeId": "b"})), None),
            (update(json!({"sessionUpdate": "current_mode_update"})), Some("currentModeId is null")),
            (update(json!({"sessionUpdate": "tool_call_update", "toolCallId": "1", "content": [{"type": "content", "content": text}]})), None),
            (update(json!({"sessionUpdate": "tool_call_update", "toolCallId": "1", "content": [{"type": "content", "content": {"type": "text"}}]})), Some("without text")),
            (update(json!({"sessionUpdate": "tool_call_update", "toolCallId": "1", "content": [{"type": "diff"}, {"type": "terminal"}]})), None),
            (update(json!({"sessionUpdate": "tool_call_update", "toolCallId": "1", "content": [{"type": "film"}]})), Some("of the type \"film\"")),
            (update(json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "resource", "resource": {}}})), None),
            (update(json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "resource"}})), Some("without resource")),
            (update(json!({"sessionUpdate": "usage_update", "used": 1, "size": 2})), None),
            (update(json!({"sessionUpdate": "session_info_update"})), None),
            (json!({"jsonrpc": "2.0", "id": 9, "method": "session/request_permission", "params":
                {"sessionId": "s", "toolCall": {"toolCallId": "1"}, "options": [{"optionId": "a", "name": "A", "kind": "allow"}]}}), Some("permission option")),
        ];
        for (message, wanted) in table {
            let found = faults(&message);
            match wanted {
                None => assert_eq!(found, Vec::<String>::new(), "{message}"),
                Some(part) => assert!(
                    found.iter().any(|fault| fault.contains(part)),
                    "{message}: {found:?}"
                ),
            }
        }
        let right = json!({"optionId": "a", "name": "A", "kind": "allow_once"});
        let asking = |option: &Value| {
            let params =
                json!({"sessionId": "s", "toolCall": {"toolCallId": "1"}, "options": [option]});
            json!({"jsonrpc": "2.0", "id": 9, "method": "session/request_permission", "params": params})
        };
        assert_eq!(faults(&asking(&right)), Vec::<String>::new());
        for member in ["optionId", "name", "kind"] {
            let mut option = right.clone();
            option[member] = Value::Null;
            assert_eq!(faults(&asking(&option)).len(), 1, "{member}");
        }
        assert_eq!(stop_reason_fault(&json!({"stopReason": "end_turn"})), None);
        assert!(stop_reason_fault(&json!({"stopReason": "stop"})).is_some());
    }
}
