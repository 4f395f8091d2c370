//! Inputs that nobody means: none may panic, loop, or take long.

mod simulator;

use simulator::Session;
use stub_model::{Message, Outcome, Part, ToolResult};

#[test]
fn fragments_in_all_pairs() {
    const FRAGMENTS: &[&str] = &[
        "run",
        "reply",
        "reply with",
        "exactly",
        "'",
        "\"",
        "`",
        "```",
        "``` \n",
        ":",
        ".",
        ",",
        "and",
        "then",
        "\n",
        "\n\n",
        "- ",
        "1. ",
        "create_plan",
        "title",
        "description",
        "remember",
        "K=",
        "=",
        "what is",
        "?",
        "cat",
        "file",
        "named",
        "to",
        "a.txt",
        "/",
        "../",
        "{",
        "{\"a\":[",
        "}",
        "call",
        "use the tool",
        "count to",
        "9999999999999999999999",
        "1..",
        "make a plan:",
        "😀",
        "é",
        "\u{202e}",
        "\0",
        "sleep",
        "wait for",
        "the shell",
        "colour",
        "image",
        "in",
        "after",
        "before",
        "if",
        "don't",
        "replace",
        "with",
        "it",
        "”",
        "“",
        "’",
        "(",
        ")",
        "*",
        "**",
        "$(",
        "&&",
        ";",
    ];
    let mut session = Session::new();
    for first in FRAGMENTS {
        for second in FRAGMENTS {
            for text in [
                format!("{first} {second}"),
                format!("{first}{second}"),
                format!("run {first} {second} reply"),
            ] {
                session.messages.clear();
                session.say(&text);
            }
        }
    }
}

#[test]
fn long_repetitions() {
    let mut session = Session::new();
    for piece in [
        "run ls, ",
        "and ",
        "remember K=1, ",
        "'",
        "\"",
        "`",
        "- run ls\n",
        "call echo {",
        "call echo {\"a\":",
        "the word is ",
        "[[[[",
        "reply with ",
        "title ",
        "1. ",
        "a.txt ",
        "and reply a, ",
        "create a file ",
        "what is it? ",
        "plan: a; ",
        "cat ",
        "create_plan ",
        "\n",
        " ",
        "read the file ",
        "before ",
        "after ",
        "if ",
        "use the shell to ",
    ] {
        let text = piece.repeat(16_000 / piece.len());
        session.messages = vec![Message::User(vec![Part::Text(text)])];
        assert!(!session.ask().is_empty(), "{piece}");
    }
}

#[test]
fn strange_conversations() {
    let mut session = Session::new();
    assert!(!session.ask().is_empty());
    session.messages = vec![Message::Assistant("x".to_owned())];
    assert!(!session.ask().is_empty());
    session.messages = vec![Message::User(Vec::new())];
    assert!(!session.ask().is_empty());
    let stray = ToolResult {
        id: "?".to_owned(),
        outcome: Outcome::Cancelled,
        text: String::new(),
        structured: None,
    };
    session.messages = vec![
        Message::User(vec![Part::Text("run ls".to_owned())]),
        Message::ToolResult(stray),
        Message::Note("a note".to_owned()),
    ];
    assert!(!session.ask().is_empty());
    session.tools.clear();
    for prompt in [
        "run ls",
        "read a.txt",
        "call x",
        "create_plan titled a",
        "switch to plan mode",
        "list the files",
    ] {
        let turn = session.say(prompt);
        assert!(turn.calls.is_empty() && !turn.answer.is_empty(), "{prompt}");
    }
}

#[test]
fn a_reply_is_a_function_of_the_conversation() {
    let mut session = Session::new();
    session.say("Remember this word: A-1. Then run `ls` and count to 3.");
    assert_eq!(session.ask(), session.ask());
}
