//! A message in a few words: what stands on its arrow.

use serde_json::Value;

/// Characters of a message's text on an arrow.
const TEXT_CHARS: usize = 80;

/// The words for a message. `answered` is the method of the request that a response answers.
pub(super) fn of(message: &Value, answered: Option<&str>) -> String {
    if let Some(method) = message["method"].as_str() {
        return request(method, &message["params"]);
    }
    let method = answered.unwrap_or("an unknown request");
    if let Some(error) = message.get("error") {
        return format!(
            "{method}: error {}: {}",
            error["code"],
            short(error["message"].as_str().unwrap_or_default())
        );
    }
    format!("{method}: {}", result(&message["result"]))
}

fn request(method: &str, params: &Value) -> String {
    match method {
        "session/update" => update(&params["update"]),
        "session/prompt" => {
            let blocks = params["prompt"].as_array().into_iter().flatten();
            let words: Vec<String> = blocks
                .map(|block| match block["text"].as_str() {
                    Some(text) => short(text),
                    None => format!("[{}]", block["type"].as_str().unwrap_or("?")),
                })
                .collect();
            format!("prompt: {}", words.join(" "))
        }
        "session/request_permission" => {
            let call = &params["toolCall"];
            let title = call["title"].as_str().or(call["toolCallId"].as_str());
            format!("may I? {}", short(title.unwrap_or_default()))
        }
        "session/set_mode" => format!("set mode {}", text_of(&params["modeId"])),
        "session/set_config_option" => format!(
            "set {} to {}",
            text_of(&params["configId"]),
            text_of(&params["value"])
        ),
        "elicitation/create" => format!("asks: {}", short(&text_of(&params["message"]))),
        other => other.to_owned(),
    }
}

fn update(update: &Value) -> String {
    let kind = update["sessionUpdate"]
        .as_str()
        .unwrap_or("no sessionUpdate");
    let rest = match kind {
        "agent_message_chunk" | "user_message_chunk" | "agent_thought_chunk" => {
            short(&text_of(&update["content"]["text"]))
        }
        "tool_call" => format!(
            "{} {}",
            short(&text_of(&update["title"])),
            text_of(&update["status"])
        ),
        "tool_call_update" => text_of(&update["status"]),
        "current_mode_update" => text_of(&update["currentModeId"]),
        _ => String::new(),
    };
    format!("{kind} {rest}").trim_end().to_owned()
}

fn result(result: &Value) -> String {
    if let Some(reason) = result["stopReason"].as_str() {
        return reason.to_owned();
    }
    let outcome = &result["outcome"];
    if let Some(option) = outcome["optionId"].as_str() {
        return option.to_owned();
    }
    if let Some(word) = outcome["outcome"].as_str().or(result["action"].as_str()) {
        return word.to_owned();
    }
    match result["sessionId"].as_str() {
        Some(id) => short(id),
        None if result["protocolVersion"].is_null() => "result".to_owned(),
        None => format!("version {}", result["protocolVersion"]),
    }
}

fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// The beginning of a text, on one line.
pub(super) fn short(text: &str) -> String {
    let mut line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = line.char_indices().nth(TEXT_CHARS) {
        line.truncate(end);
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn table() {
        let update =
            |update: Value| json!({"method": "session/update", "params": {"update": update}});
        let chunk = json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "a\n b"}});
        #[rustfmt::skip]
        let table = [
            (json!({"id": 1, "method": "session/prompt", "params": {"prompt": [{"type": "text", "text": "Hi"}, {"type": "image"}]}}), None, "prompt: Hi [image]"),
            (update(chunk), None, "agent_message_chunk a b"),
            (update(json!({"sessionUpdate": "tool_call", "title": "run", "status": "pending"})), None, "tool_call run pending"),
            (update(json!({})), None, "no sessionUpdate"),
            (json!({"id": 1, "result": {"stopReason": "end_turn"}}), Some("session/prompt"), "session/prompt: end_turn"),
            (json!({"id": 1, "result": {"outcome": {"outcome": "cancelled"}}}), Some("x"), "x: cancelled"),
            (json!({"id": 1, "result": null}), Some("session/load"), "session/load: result"),
            (json!({"id": 1, "result": {}}), None, "an unknown request: result"),
            (json!({"id": 1, "error": {"code": -32601, "message": "no"}}), Some("x"), "x: error -32601: no"),
            (json!({"method": "session/cancel"}), None, "session/cancel"),
        ];
        for (message, answered, wanted) in table {
            assert_eq!(of(&message, answered), wanted, "{message}");
        }
        assert_eq!(short(&"é".repeat(100)).chars().count(), TEXT_CHARS + 1);
    }
}
