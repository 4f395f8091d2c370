//! Files, right and wrong, and what their rules make of conversations.

use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use crate::conversation::{
    Message, Outcome, Part, PlanEntry, Priority, Progress, Stop, ToolCall, ToolResult,
};

fn user(text: &str) -> Message {
    Message::User(vec![Part::Text(text.to_owned())])
}

fn result(id: &str, outcome: Outcome, text: &str) -> Message {
    Message::ToolResult(ToolResult {
        id: id.to_owned(),
        outcome,
        text: text.to_owned(),
        structured: None,
    })
}

fn scenario(text: &str) -> Scenario {
    Scenario::parse(text, "test.yaml").unwrap_or_else(|error| panic!("{error}"))
}

fn conversation(messages: &[Message]) -> Conversation<'_> {
    Conversation {
        cwd: Path::new("/w"),
        mode: "plan",
        tools: &[],
        messages,
    }
}

fn follow(file: &str, messages: &[Message]) -> Vec<Event> {
    let events = scenario(file).follow(&conversation(messages));
    events.unwrap_or_else(|| panic!("no rule for {messages:?} in\n{file}"))
}

/// The reply of a rule with these steps to `fix the lamp`.
fn steps(steps: &str) -> Vec<Event> {
    let steps = steps.replace('\n', "\n  ");
    let file = format!("rules:\n- when: 'fix (?<what>the (\\w+))'\n  do:\n  {steps}");
    follow(&file, &[user("please fix the lamp")])
}

fn words(events: &[Event]) -> String {
    let texts = events.iter().filter_map(|event| match event {
        Event::Text(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

fn calls(events: &[Event]) -> Vec<(&str, &str, &Value)> {
    let calls = events.iter().filter_map(|event| match event {
        Event::ToolCall(ToolCall {
            id,
            name,
            arguments,
        }) => Some((id.as_str(), name.as_str(), arguments)),
        _ => None,
    });
    calls.collect()
}

#[test]
fn each_step_has_its_event() {
    let text = |text: &str| Event::Text(text.to_owned());
    let shown = |part| Event::Show(part);
    for (written, event) in [
        ("- say: ok", text("ok")),
        ("- say: [ok]", text("ok")),
        ("- think: hm", Event::Thought("hm".into())),
        ("- stream: 1", text("1\n")),
        ("- wait: 20ms", Event::Wait(Duration::from_millis(20))),
        ("- hang", Event::Wait(limits::FOR_EVER)),
        (
            "- usage: {used: 5, size: 7}",
            Event::Usage { used: 5, size: 7 },
        ),
        (
            "- usage: 5",
            Event::Usage {
                used: 5,
                size: 200_000,
            },
        ),
        ("- crash", Event::Crash),
        ("- stop: end_turn", Event::Stop(Stop::EndTurn)),
        ("- stop: max_tokens", Event::Stop(Stop::MaxTokens)),
        ("- stop: refusal", Event::Stop(Stop::Refusal)),
        (
            "- fail: out of order",
            Event::Stop(Stop::Failed("out of order".into())),
        ),
        (
            "- resource: {uri: 'demo:///a', text: A}",
            shown(Part::Resource {
                uri: "demo:///a".into(),
                text: "A".into(),
            }),
        ),
        (
            "- link: {name: A, uri: 'https://example.com'}",
            shown(Part::ResourceLink {
                name: "A".into(),
                uri: "https://example.com".into(),
                path: None,
            }),
        ),
        (
            "- plan: [Look, {content: Go, status: in_progress, priority: high}]",
            Event::Plan(vec![
                PlanEntry {
                    content: "Look".into(),
                    priority: Priority::Medium,
                    status: Progress::Pending,
                },
                PlanEntry {
                    content: "Go".into(),
                    priority: Priority::High,
                    status: Progress::InProgress,
                },
            ]),
        ),
    ] {
        assert_eq!(steps(written)[0], event, "{written}");
    }
    let events = steps("- image: {colour: '#0000ff', side: 2}");
    let Event::Show(Part::Image { data, mime_type }) = &events[0] else {
        panic!("{events:?}");
    };
    assert_eq!(mime_type, "image/png");
    assert_eq!(crate::image::colour(data), Ok("blue"));
}

#[test]
fn a_turn_ends_behind_the_last_step_and_with_a_stop() {
    assert_eq!(steps("- say: a").last(), Some(&Event::Stop(Stop::EndTurn)));
    let events = steps("- stop: refusal\n- say: never");
    assert_eq!(events, [Event::Stop(Stop::Refusal)]);
    assert_eq!(steps("- crash\n- say: never"), [Event::Crash]);
}

#[test]
fn texts_may_name_the_groups_of_the_pattern() {
    for (written, said) in [
        ("{{what}}", "the lamp"),
        ("{{ 2 }}!", "lamp!"),
        ("{{0}}", "fix the lamp"),
        ("{{prompt}}", "please fix the lamp"),
        ("{{cwd}} {{mode}}", "/w plan"),
        (r"\{{what}}", "{{what}}"),
        ("{what}", "{what}"),
    ] {
        let events = steps(&format!("- say: '{written}'"));
        assert_eq!(words(&events), said, "{written}");
    }
    // What is put in is not read again.
    let file = "rules:\n- when: 'say (.*)'\n  do: [{say: '{{1}}'}]";
    let events = follow(file, &[user("say {{cwd}}")]);
    assert_eq!(words(&events), "{{cwd}}");
}

#[test]
fn the_first_rule_whose_pattern_is_found_is_followed() {
    let file =
        "rules:\n- {when: lamp, do: [{say: one}]}\n- {when: '(?i)LAMP|tap', do: [{say: two}]}";
    for (prompt, said) in [("the lamp", "one"), ("the TAP", "two")] {
        assert_eq!(words(&follow(file, &[user(prompt)])), said);
    }
    let scenario = scenario(file);
    for prompt in ["the door", "/think about the lamp", "/plan"] {
        let messages = [user(prompt)];
        let conversation = conversation(&messages);
        assert_eq!(scenario.follow(&conversation), None, "{prompt}");
        let plain = crate::reply(&conversation);
        assert!(scenario.stream(&conversation).eq(plain), "{prompt}");
    }
    // Only known commands are commands.
    let file = "rules: [{when: '^/deploy (.*)', do: [{say: 'deployed {{1}}'}]}]";
    assert_eq!(words(&follow(file, &[user("/deploy it")])), "deployed it");
}

const READS: &str = "
rules:
- when: read (.*)
  do:
  - say: First.
  - call:
      tool: read_file
      arguments: {path: '{{1}}', limit: 5, deep: ['{{mode}}']}
      as: file
      otherwise:
      - say: 'It was {{file.outcome}}: {{file}}'
      - call: {tool: sorry}
      - say: Sorry.
  - say: Second.
  - call: {tool: next, arguments: {all: '{{file.lines}}', text: '{{file.lines.0}}'}}
  - say: 'Done: {{result}}, {{file.lines.1}}.'
";

#[test]
fn a_rule_goes_on_behind_each_result() {
    let mut messages = vec![user("read a.txt")];
    let events = follow(READS, &messages);
    let arguments = json!({"path": "a.txt", "limit": 5, "deep": ["plan"]});
    assert_eq!(words(&events), "First.");
    assert_eq!(calls(&events), [("scenario-0", "read_file", &arguments)]);
    assert_eq!(events.len(), 2, "the turn is not over: {events:?}");

    let lines = r#"{"lines": [7, "b"]}"#;
    messages.push(result("scenario-0", Outcome::Completed, lines));
    let events = follow(READS, &messages);
    let arguments = json!({"all": [7, "b"], "text": 7});
    assert_eq!(words(&events), "Second.");
    assert_eq!(calls(&events), [("scenario-1", "next", &arguments)]);

    messages.push(result("scenario-1", Outcome::Failed, "no"));
    let events = follow(READS, &messages);
    assert_eq!(words(&events), "Done: no, b.");
    assert_eq!(events.last(), Some(&Event::Stop(Stop::EndTurn)));
}

#[test]
fn a_call_that_is_not_completed_may_lead_elsewhere() {
    let refused = result("scenario-0", Outcome::Refused, "not today");
    let mut messages = vec![user("read a.txt"), refused];
    let events = follow(READS, &messages);
    assert_eq!(words(&events), "It was refused: not today");
    assert_eq!(calls(&events), [("scenario-1", "sorry", &json!({}))]);
    messages.push(result("scenario-1", Outcome::Completed, ""));
    let events = follow(READS, &messages);
    assert_eq!(words(&events), "Sorry.");
    assert_eq!(events.last(), Some(&Event::Stop(Stop::EndTurn)));
}

#[test]
fn a_result_without_the_named_member_fails_the_turn_with_the_line_of_the_rule() {
    let text = result("scenario-0", Outcome::Completed, "plain");
    let events = follow(READS, &[user("read a.txt"), text]);
    let Some(Event::Stop(Stop::Failed(why))) = events.last() else {
        panic!("{events:?}");
    };
    assert!(
        why.contains("line 3") && why.contains("file.lines"),
        "{why}"
    );
}

#[test]
fn calls_side_by_side() {
    let file = "
rules:
- when: ''
  do:
  - calls:
    - {tool: a, as: one}
    - {tool: b, as: two, otherwise: [{say: 'no: {{two}}'}]}
  - say: '{{one}} {{two}}'
";
    let mut messages = vec![user("go")];
    let events = follow(file, &messages);
    let names: Vec<_> = calls(&events).iter().map(|(_, name, _)| *name).collect();
    assert_eq!(names, ["a", "b"]);
    messages.push(result("scenario-0", Outcome::Completed, "A"));
    let mut refused = messages.clone();
    messages.push(result("scenario-1", Outcome::Completed, "B"));
    assert_eq!(words(&follow(file, &messages)), "A B");
    refused.push(result("scenario-1", Outcome::Refused, "B"));
    assert_eq!(words(&follow(file, &refused)), "no: B");
}

const ASKS: &str = "
rules:
- when: which
  do:
  - ask: {question: Which one?, options: [red, blue], as: colour, otherwise: [{say: none}]}
  - call: {tool: paint, arguments: {with: '{{colour}}'}}
  - ask: {question: 'And the size of {{colour}}?'}
  - say: '{{colour}}, {{result}}.'
- when: red
  do: [{say: only red}]
";

const IN_WORDS: &str = "this client cannot show the question: put it into your reply";

fn asked(id: &str) -> Message {
    Message::ToolCall(ToolCall {
        id: id.to_owned(),
        name: "ask_user".to_owned(),
        arguments: json!({}),
    })
}

#[test]
fn a_question_that_the_client_shows() {
    let mut messages = vec![user("which?")];
    let events = follow(ASKS, &messages);
    let arguments = json!({"question": "Which one?", "options": ["red", "blue"]});
    assert_eq!(calls(&events), [("scenario-0", "ask_user", &arguments)]);
    messages.push(asked("scenario-0"));
    let mut declined = messages.clone();
    messages.push(result(
        "scenario-0",
        Outcome::Completed,
        "The user answered: red",
    ));
    let events = follow(ASKS, &messages);
    assert_eq!(
        calls(&events),
        [("scenario-1", "paint", &json!({"with": "red"}))]
    );
    declined.push(result("scenario-0", Outcome::Refused, "the user declined"));
    assert_eq!(words(&follow(ASKS, &declined)), "none");
}

#[test]
fn a_page_to_open() {
    let file =
        "rules: [{when: '', do: [{ask: {question: 'Open it?', url: 'https://x.org/{{0}}'}}]}]";
    let events = follow(file, &[user("a")]);
    let arguments = json!({"question": "Open it?", "url": "https://x.org/"});
    assert_eq!(calls(&events), [("scenario-0", "ask_user", &arguments)]);
}

#[test]
fn a_question_in_words_is_answered_by_the_next_prompt() {
    let mut messages = vec![user("which?"), asked("scenario-0")];
    messages.push(result("scenario-0", Outcome::Completed, IN_WORDS));
    let events = follow(ASKS, &messages);
    assert_eq!(words(&events), "Which one? (red, blue)");
    assert_eq!(events.last(), Some(&Event::Stop(Stop::EndTurn)));

    messages.push(Message::Assistant(words(&events)));
    // It would start a rule of its own, were it no answer.
    messages.push(user("red"));
    let events = follow(ASKS, &messages);
    assert_eq!(
        calls(&events),
        [("scenario-1", "paint", &json!({"with": "red"}))]
    );

    messages.push(result("scenario-1", Outcome::Completed, "painted"));
    messages.push(asked("scenario-2"));
    messages.push(result("scenario-2", Outcome::Completed, IN_WORDS));
    let events = follow(ASKS, &messages);
    assert_eq!(words(&events), "And the size of red?");
    messages.push(Message::Assistant(words(&events)));
    messages.push(user("XL"));
    let events = follow(ASKS, &messages);
    assert_eq!(words(&events), "red, XL.");
    messages.push(Message::Assistant(words(&events)));
    messages.push(user("red"));
    assert_eq!(words(&follow(ASKS, &messages)), "only red");
}

#[test]
fn what_is_wrong_is_said_with_its_place_and_with_what_is_allowed() {
    let rule = |steps: &str| format!("rules:\n- when: a(b)\n  do:\n  - say: ok\n{steps}\n");
    for (file, place, parts) in [
        (
            rule("  - sey: hello"),
            "5:5",
            &["sey", "say", "think", "crash"][..],
        ),
        (
            rule("  - stop: now"),
            "5:11",
            &["now", "end_turn", "max_tokens", "refusal"],
        ),
        (
            rule("  - call: {tol: shell}"),
            "5:12",
            &["tol", "tool", "arguments", "otherwise"],
        ),
        (rule("  - call: {arguments: {}}"), "5:", &["tool"]),
        (
            rule("  - call: {tool: a, arguments: [1]}"),
            "5:32",
            &["name: value"],
        ),
        (
            rule("  - say: '{{2}}'"),
            "5:5",
            &["`2`", "0, 1, cwd, mode, prompt"],
        ),
        (rule("  - fail: '{{file}}'"), "5:11", &["`file`"]),
        (rule("  - fail: '{{a b}}'"), "5:11", &["no name"]),
        (rule("  - fail: '{{a'"), "5:11", &["}}"]),
        (rule("  - wait: soon"), "5:11", &["500ms", "10m"]),
        (rule("  - wait: 11m"), "5:11", &["10m"]),
        (rule("  - stream: 100001"), "5:5", &["100000"]),
        (rule("  - stream: many"), "5:13", &["many"]),
        (rule("  - image: {colour: red}"), "5:21", &["#rrggbb"]),
        (
            rule("  - image: {colour: '#ff0000', side: 5000}"),
            "5:38",
            &["4096"],
        ),
        (rule("  - calls: []"), "5:5", &["1 to 100"]),
        (rule("  - call: {tool: a, as: cwd}"), "5:25", &["cwd"]),
        (rule("  - call: {tool: a, as: 1x}"), "5:25", &["letter"]),
        (
            rule("  - plan: [{content: a, status: soon}]"),
            "5:",
            &["pending", "in_progress"],
        ),
        (rule("  - say: {a: b}"), "5:", &["a text"]),
        (
            rule("  - usage: much"),
            "5:",
            &["a number of tokens", "`used` and `size`"],
        ),
        (rule("  - usage: -5"), "5:", &["a number of tokens"]),
        (rule("  - link: x"), "5:11", &["name: value"]),
        (rule("  - calls: {tool: x}"), "5:12", &["a list"]),
        (rule("  - say: 5"), "5:", &["a text"]),
        (
            "rules:\n- when: 'a('\n  do: [hang]\n".to_owned(),
            "2:9",
            &["pattern", "unclosed"],
        ),
        (
            "rules:\n- when: '(\\w{999}){999}'\n  do: [hang]\n".to_owned(),
            "2:9",
            &["too much"],
        ),
        (
            "rules:\n- when: a\n  do: []\n".to_owned(),
            "2:9",
            &["no step"],
        ),
        (
            "rules:\n- when: a\n  then: []\n".to_owned(),
            "3:3",
            &["then", "when", "do"],
        ),
        ("rules: []\n".to_owned(), "1:1", &["no rule"]),
        ("rule: []\n".to_owned(), "1:1", &["rule", "rules"]),
        ("rules:\n- when: 'a\n".to_owned(), "", &["test.yaml:"]),
        (String::new(), "1:1", &["test.yaml"]),
    ] {
        let error = Scenario::parse(&file, "test.yaml").map(|_| ()).unwrap_err();
        let error = error.to_string();
        assert!(
            error.starts_with(&format!("test.yaml:{place}")),
            "{file}{error}"
        );
        for part in parts {
            assert!(error.contains(part), "{file}{error}: {part}");
        }
    }
}

#[test]
fn an_error_shows_the_line_with_a_mark() {
    let error = Scenario::parse("rules:\n- when: a\n  do:\n  - wait: soon\n", "f.yaml");
    assert_eq!(
        error.unwrap_err().to_string(),
        "f.yaml:4:11: a wait is a time such as `500ms`, `2s` or `1m`, at most `10m`\n  \
         4 |   - wait: soon\n    |           ^"
    );
}

#[test]
fn sizes_have_bounds() {
    let many = |count: usize| format!("rules:\n- when: a\n  do:\n{}", "  - hang\n".repeat(count));
    assert!(Scenario::parse(&many(limits::STEPS), "f").is_ok());
    let error = Scenario::parse(&many(limits::STEPS + 1), "f").unwrap_err();
    assert!(error.to_string().contains("1000 steps"), "{error}");
    let error = Scenario::parse(&" ".repeat(limits::FILE_BYTES + 1), "f").unwrap_err();
    assert!(matches!(error, ScenarioError::TooLarge { .. }), "{error}");
    let asks = |count: usize| {
        let asks = "  - ask: {question: Who?}\n".repeat(count);
        Scenario::parse(&format!("rules:\n- when: a\n  do:\n{asks}"), "f")
    };
    assert!(asks(limits::QUESTIONS).is_ok());
    let error = asks(limits::QUESTIONS + 1).unwrap_err().to_string();
    assert!(
        error.starts_with("f:20:") && error.contains("16 times"),
        "{error}"
    );
    let nested = |depth: usize| {
        let (open, close) = ("{call: {tool: a, otherwise: [", "]}}");
        let steps = format!("{}hang{}", open.repeat(depth), close.repeat(depth));
        Scenario::parse(&format!("rules: [{{when: a, do: [{steps}]}}]"), "f")
    };
    assert!(nested(limits::DEPTH).is_ok());
    let error = nested(limits::DEPTH + 1).unwrap_err().to_string();
    assert!(error.contains("stands in itself"), "{error}");
    assert!(nested(1_000).is_err());
    let rules = format!(
        "rules:\n{}",
        "- {when: a, do: [hang]}\n".repeat(limits::RULES + 1)
    );
    let error = Scenario::parse(&rules, "f").unwrap_err();
    assert!(error.to_string().starts_with("f:1002:"), "{error}");

    let long = result(
        "scenario-0",
        Outcome::Completed,
        &"é".repeat(limits::VALUE_BYTES),
    );
    let file = "rules: [{when: a, do: [{call: {tool: a}}, {say: '{{result}}'}]}]";
    let text = words(&follow(file, &[user("a"), long.clone()]));
    assert!(text.ends_with("more bytes]") && text.len() < limits::VALUE_BYTES + 50);
    let again = "{{result}}".repeat(limits::REPLY_BYTES / limits::VALUE_BYTES + 1);
    let file = format!("rules: [{{when: a, do: [{{call: {{tool: a}}}}, {{say: '{again}'}}]}}]");
    let events = follow(&file, &[user("a"), long]);
    assert!(matches!(events.last(), Some(Event::Stop(Stop::Failed(_)))));
}

#[test]
fn a_file_that_is_not_there() {
    let error = Scenario::load(Path::new("no/such.yaml"))
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("no/such.yaml cannot be read"), "{error}");
}
