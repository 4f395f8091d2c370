//! What `session/request_permission` is answered: a pure function of the turn's rule and the request.
//!
//! In Plan mode reads, the two plan tools and the cat command are allowed and all else is refused. A
//! command decides before a kind, a kind before a title: an agent shows a title to people, but runs the
//! command. What is not understood is refused.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/tool-calls#requesting-permission>

use serde_json::{Value, json};

/// The rule of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// Everything is allowed.
    AllowAll,
    /// Reads, the plan tools and cat are allowed.
    PlanMode,
    /// Nothing is allowed.
    RefuseAll,
    /// The turn was cancelled: every request gets the outcome `cancelled`.
    Cancelled,
}

/// The tools of the tool server `rondar`.
const PLAN_TOOLS: [&str; 2] = ["create_plan", "get_plan"];

/// Characters that let a shell do more than run one command. Quotes and globs only make arguments.
const SHELL_CHARACTERS: &str = "|&;<>()$`\n\r";

/// Programs that only read, whatever their arguments are. An agent may call such a command a read.
const READ_PROGRAMS: [&str; 9] = [
    "cat", "ls", "head", "tail", "wc", "pwd", "stat", "grep", "nl",
];

/// Words that may stand around a tool's name in a title ("Call create_plan from rondar").
const TITLE_WORDS: [&str; 12] = [
    "call", "calling", "use", "run", "the", "tool", "mcp", "server", "from", "of", "rondar", "-",
];

/// The result of `session/request_permission`. `call` is the tool call with all that is known of it.
#[must_use]
pub fn answer(rule: Rule, call: &Value, options: &Value) -> Value {
    let allowed = match rule {
        Rule::Cancelled => return cancelled(),
        Rule::AllowAll => true,
        Rule::RefuseAll => false,
        Rule::PlanMode => is_allowed_in_plan_mode(call),
    };
    let wanted = if allowed {
        ["allow_once", "allow_always"]
    } else {
        ["reject_once", "reject_always"]
    };
    let options: Vec<&Value> = options.as_array().into_iter().flatten().collect();
    let chosen = wanted
        .iter()
        .find_map(|kind| options.iter().find(|option| option["kind"] == *kind));
    // Without a fitting option `cancelled` is the only refusal there is.
    chosen.map_or_else(
        cancelled,
        |option| json!({"outcome": {"outcome": "selected", "optionId": option["optionId"]}}),
    )
}

fn cancelled() -> Value {
    json!({"outcome": {"outcome": "cancelled"}})
}

fn is_allowed_in_plan_mode(call: &Value) -> bool {
    let kind = call["kind"].as_str().unwrap_or("other");
    if matches!(kind, "edit" | "delete" | "move" | "switch_mode") {
        return false;
    }
    let input = &call["rawInput"];
    let title = call["title"].as_str().unwrap_or_default();
    if let Some(command) = command_of(input) {
        let reads = matches!(kind, "read" | "search") && is_plain(&command, &READ_PROGRAMS);
        return reads || is_cat(&command);
    }
    matches!(kind, "read" | "search")
        || is_plan_tool(input, title)
        || is_cat(&words_of(title.trim().trim_matches('`')))
}

/// The command that a tool call will run, as words; `None` if its input names none.
fn command_of(input: &Value) -> Option<Vec<String>> {
    let command = ["command", "cmd", "script"]
        .iter()
        .map(|member| &input[*member])
        .find(|value| !value.is_null())?;
    let mut words = match command {
        Value::String(text) => words_of(text),
        Value::Array(parts) => parts
            .iter()
            .map(|part| {
                part.as_str()
                    .map_or_else(|| part.to_string(), str::to_owned)
            })
            .collect(),
        // A command that cannot be read as one is none that is known to be harmless.
        other => vec![other.to_string()],
    };
    for argument in input["args"].as_array().into_iter().flatten() {
        words.push(
            argument
                .as_str()
                .map_or_else(|| argument.to_string(), str::to_owned),
        );
    }
    Some(unwrap_shell(words))
}

/// `["bash", "-lc", "cat x"]` runs `cat x`.
fn unwrap_shell(words: Vec<String>) -> Vec<String> {
    match words.as_slice() {
        [shell, flag, script] if is_shell(shell) && matches!(flag.as_str(), "-c" | "-lc") => {
            words_of(script)
        }
        _ => words,
    }
}

fn is_shell(word: &str) -> bool {
    matches!(
        word.rsplit('/').next(),
        Some("sh" | "bash" | "zsh" | "dash")
    )
}

fn words_of(text: &str) -> Vec<String> {
    // A shell reads a line break as the end of a command, so it must not pass as white space.
    let words = text
        .trim()
        .split([' ', '\t'])
        .filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

fn is_cat(words: &[String]) -> bool {
    words.len() > 1 && is_plain(words, &["cat"])
}

/// One of these programs, by its name or from a system folder, and nothing that a shell would read.
fn is_plain(words: &[String], programs: &[&str]) -> bool {
    let name = words.first().map(|word| {
        let in_system_folder = word
            .strip_prefix("/usr/bin/")
            .or_else(|| word.strip_prefix("/bin/"));
        in_system_folder.unwrap_or(word)
    });
    name.is_some_and(|name| programs.contains(&name))
        && words
            .iter()
            .all(|word| !word.contains(|c| SHELL_CHARACTERS.contains(c)))
}

fn is_plan_tool(input: &Value, title: &str) -> bool {
    let named = ["tool", "toolName", "tool_name"]
        .iter()
        .find_map(|member| input[*member].as_str());
    match named {
        Some(name) => is_plan_tool_name(name),
        None => title_names_plan_tool(title),
    }
}

/// `create_plan`, `mcp__rondar__create_plan`, `rondar/create_plan`, `rondar.get_plan` …
fn is_plan_tool_name(name: &str) -> bool {
    PLAN_TOOLS.iter().any(|tool| {
        name.strip_suffix(tool).is_some_and(|prefix| {
            !prefix.ends_with(char::is_alphanumeric)
                && prefix
                    .chars()
                    .all(|c| c.is_alphanumeric() || "_-./:".contains(c))
        })
    })
}

fn title_names_plan_tool(title: &str) -> bool {
    let title = title.to_lowercase();
    let unwrapped = |word: &str| word.trim_matches(|c| "`'\"():,".contains(c)).to_owned();
    let words: Vec<String> = title.split_whitespace().map(unwrapped).collect();
    if let [verb, "plan"] = words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        return matches!(verb, "create" | "get");
    }
    let mut rest = words
        .iter()
        .filter(|word| !TITLE_WORDS.contains(&word.as_str()));
    rest.next().is_some_and(|word| is_plan_tool_name(word)) && rest.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plan_mode_table() {
        #[rustfmt::skip]
        let table = [
            // reads
            (true, json!({"kind": "read", "title": "Read a.txt", "rawInput": {"path": "a.txt"}})),
            (true, json!({"kind": "search", "title": "grep"})),
            (false, json!({"kind": "fetch", "title": "Fetch page"})),
            (true, json!({"kind": "read", "rawInput": {"command": ["bash", "-lc", "head -n 9 a"]}})),
            (false, json!({"kind": "read", "rawInput": {"command": "rm a"}})),
            (false, json!({"kind": "read", "rawInput": {"command": "cat a > b"}})),
            // changes
            (false, json!({"kind": "edit", "title": "create_plan"})),
            (false, json!({"kind": "delete", "title": "cat a"})),
            (false, json!({"kind": "move", "rawInput": {"command": "cat a"}})),
            (false, json!({"kind": "switch_mode", "title": "Leave plan mode"})),
            (false, json!({"title": "Write file"})),
            (false, json!({})),
            // cat
            (true, json!({"kind": "execute", "rawInput": {"command": "cat notes.txt"}})),
            (true, json!({"kind": "execute", "rawInput": {"command": ["cat", "/w/notes.txt"]}})),
            (true, json!({"kind": "execute", "rawInput": {"command": "cat", "args": ["a.txt"]}})),
            (true, json!({"kind": "execute", "rawInput": {"command": ["/bin/sh", "-c", "cat a.txt"]}})),
            (true, json!({"kind": "execute", "title": "`cat a.txt`"})),
            (true, json!({"kind": "execute", "title": "cat a.txt"})),
            (true, json!({"kind": "execute", "rawInput": {"command": "cat 'a b.txt'"}})),
            (false, json!({"kind": "execute", "title": "cat a.txt", "rawInput": {"command": "rm a.txt"}})),
            (false, json!({"kind": "execute", "rawInput": {"command": "cat"}})),
            (false, json!({"kind": "execute", "rawInput": {"command": "cat a > b"}})),
            (false, json!({"kind": "execute", "rawInput": {"command": "cat a;rm b"}})),
            (false, json!({"kind": "execute", "rawInput": {"command": "cat a\nrm b"}})),
            (false, json!({"kind": "execute", "rawInput": {"command": "cat a | tee b"}})),
            (false, json!({"kind": "execute", "rawInput": {"command": "cat $(touch b)"}})),
            (false, json!({"kind": "execute", "rawInput": {"command": ["sh", "-c", "cat a && rm b"]}})),
            (false, json!({"kind": "execute", "rawInput": {"command": ["sh", "-c", "cat a", "rm b"]}})),
            (false, json!({"kind": "execute", "rawInput": {"command": "category a"}})),
            (false, json!({"kind": "execute", "rawInput": {"command": {"cat": "a"}}})),
            (false, json!({"kind": "execute", "title": "`cat a > b`"})),
            // plan tools
            (true, json!({"kind": "other", "title": "create_plan"})),
            (true, json!({"title": "mcp__rondar__get_plan"})),
            (true, json!({"title": "rondar/create_plan"})),
            (true, json!({"title": "rondar: create_plan"})),
            (true, json!({"title": "Tool: rondar/get_plan", "kind": "execute"})),
            (true, json!({"title": "create_plan (rondar MCP Server)"})),
            (true, json!({"title": "Call `create_plan` from rondar"})),
            (true, json!({"title": "Get plan"})),
            (true, json!({"title": "anything", "rawInput": {"tool": "create_plan", "server": "rondar"}})),
            (false, json!({"title": "create_plan", "rawInput": {"tool": "write_file"}})),
            (false, json!({"title": "create_plan.txt"})),
            (false, json!({"title": "recreate_plan"})),
            (false, json!({"title": "rm -rf create_plan", "kind": "execute"})),
            (false, json!({"title": "create_plan", "rawInput": {"command": "rm create_plan"}})),
        ];
        for (wanted, call) in table {
            assert_eq!(is_allowed_in_plan_mode(&call), wanted, "{call}");
        }
    }

    fn option(id: &str, kind: &str) -> Value {
        json!({"optionId": id, "name": id, "kind": kind})
    }

    #[test]
    fn the_option_is_the_narrowest_that_fits() {
        let all = json!([
            option("ja", "reject_always"),
            option("j1", "reject_once"),
            option("aa", "allow_always"),
            option("a1", "allow_once"),
        ]);
        let edit = json!({"kind": "edit"});
        let cat = json!({"rawInput": {"command": "cat a"}});
        let always = json!([option("aa", "allow_always")]);
        #[rustfmt::skip]
        let table = [
            (Rule::AllowAll, &edit, &all, Some("a1")),
            (Rule::AllowAll, &edit, &always, Some("aa")),
            (Rule::RefuseAll, &cat, &all, Some("j1")),
            (Rule::PlanMode, &cat, &all, Some("a1")),
            (Rule::PlanMode, &edit, &all, Some("j1")),
            (Rule::PlanMode, &edit, &always, None),
            (Rule::Cancelled, &cat, &all, None),
            (Rule::AllowAll, &cat, &Value::Null, None),
        ];
        for (rule, call, options, wanted) in table {
            let answer = answer(rule, call, options);
            let outcome = &answer["outcome"];
            assert_eq!(
                outcome["optionId"].as_str(),
                wanted,
                "{rule:?} {call} {options}"
            );
            let word = if wanted.is_some() {
                "selected"
            } else {
                "cancelled"
            };
            assert_eq!(outcome["outcome"], word);
        }
    }
}
