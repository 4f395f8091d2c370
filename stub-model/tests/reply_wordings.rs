//! Wordings of `say exactly this`, counting and small talk.

mod simulator;

use simulator::{Session, check, fits};

#[test]
fn exact_replies() {
    check(&[
        (
            "Reply with exactly REPLY-1234ABCD and nothing else.",
            &[],
            "=REPLY-1234ABCD",
        ),
        ("Answer only with: REPLY-1234ABCD", &[], "=REPLY-1234ABCD"),
        ("Say \"REPLY-1234ABCD\"", &[], "=REPLY-1234ABCD"),
        (
            "Your whole answer must be REPLY-1234ABCD.",
            &[],
            "=REPLY-1234ABCD",
        ),
        (
            "Output the single word REPLY-1234ABCD",
            &[],
            "=REPLY-1234ABCD",
        ),
        ("respond with just `REPLY-1234ABCD`", &[], "=REPLY-1234ABCD"),
        (
            "Please reply with the text REPLY-1234ABCD only, no punctuation, no explanation.",
            &[],
            "=REPLY-1234ABCD",
        ),
        (
            "I want you to answer with exactly REPLY-1234ABCD.",
            &[],
            "=REPLY-1234ABCD",
        ),
        (
            "Could you please respond with \"REPLY-1234ABCD\" and nothing more?",
            &[],
            "=REPLY-1234ABCD",
        ),
        (
            "The only thing you should say is REPLY-1234ABCD",
            &[],
            "=REPLY-1234ABCD",
        ),
        (
            "Your reply should consist of exactly REPLY-1234ABCD and nothing else",
            &[],
            "=REPLY-1234ABCD",
        ),
        (
            "Send back REPLY-1234ABCD, nothing else.",
            &[],
            "=REPLY-1234ABCD",
        ),
        ("Repeat after me: REPLY-1234ABCD", &[], "=REPLY-1234ABCD"),
        (
            "Write exactly this and nothing else: REPLY-1234ABCD",
            &[],
            "=REPLY-1234ABCD",
        ),
        ("Print REPLY-1234ABCD", &[], "=REPLY-1234ABCD"),
        (
            "Reply with exactly the following text and nothing else:\n\nREPLY-1234ABCD",
            &[],
            "=REPLY-1234ABCD",
        ),
        (
            "Reply with exactly\nREPLY-1234ABCD\nand nothing else.",
            &[],
            "=REPLY-1234ABCD",
        ),
        (
            "Answer with nothing but REPLY-1234ABCD.",
            &[],
            "=REPLY-1234ABCD",
        ),
        ("Reply with “REPLY-1234ABCD”.", &[], "=REPLY-1234ABCD"),
        ("Let your answer be REPLY-1234ABCD", &[], "=REPLY-1234ABCD"),
        (
            "Use REPLY-1234ABCD as your whole answer.",
            &[],
            "=REPLY-1234ABCD",
        ),
        ("I only want to see REPLY-1234ABCD", &[], "=REPLY-1234ABCD"),
        (
            "Do not use any tools. Just say REPLY-1234ABCD.",
            &[],
            "=REPLY-1234ABCD",
        ),
        (
            "Do not run anything; just reply REPLY-1234ABCD",
            &[],
            "=REPLY-1234ABCD",
        ),
        (
            "This is a test of the connection. Reply with exactly REPLY-1234ABCD and nothing else. Thank you!",
            &[],
            "=REPLY-1234ABCD",
        ),
        (
            "REPLY WITH EXACTLY REPLY-1234ABCD AND NOTHING ELSE",
            &[],
            "=REPLY-1234ABCD",
        ),
        ("reply MARK3", &[], "=MARK3"),
        ("reply with MARK4", &[], "=MARK4"),
        ("reply \"ok\"", &[], "=ok"),
        ("reply ok", &[], "=ok"),
        ("say MARK", &[], "=MARK"),
        ("reply TWO", &[], "=TWO"),
        ("Reply with exactly \"run ls\"", &[], "=run ls"),
        ("Say 'please run the tests.'", &[], "=please run the tests."),
        (
            "Reply with exactly: hello world, how are you",
            &[],
            "=hello world, how are you",
        ),
        ("Please confirm with READY.", &[], "=READY"),
        ("Acknowledge with ACK.", &[], "=ACK"),
        ("Reply with ```\na\nb\n```", &[], "=a\nb"),
        (
            "**Reply with exactly REPLY-9** and nothing else",
            &[],
            "=REPLY-9",
        ),
        ("Answer: MARK7", &[], "=MARK7"),
        ("Answer in one word: BLUEBERRY", &[], "=BLUEBERRY"),
        ("Just the word REPLY-77 please, say it", &[], "~REPLY-77"),
        ("If you understand, reply OK.", &[], "=OK"),
        ("In your reply, write only MARK8.", &[], "=MARK8"),
        ("End your turn by saying DONE-5", &[], "=DONE-5"),
        ("say hi", &[], "=hi"),
        ("ping", &[], "=pong"),
        ("Hello!", &[], "=Hello!"),
    ]);
}

#[test]
fn numbers() {
    let mut session = Session::new();
    for (prompt, first, last, chunks) in [
        (
            "print the numbers 1..300 one per line, then END",
            "1",
            "END",
            301,
        ),
        ("count slowly to 1000", "1", "1000", 1000),
        ("Please count from 1 to 10.", "1", "10", 10),
        ("Count from 5 down to 1", "5", "1", 5),
        (
            "List the integers from 1 to 20, one per line.",
            "1",
            "20",
            20,
        ),
        (
            "Write the numbers from 1 to 50 and then say FINISHED.",
            "1",
            "FINISHED",
            51,
        ),
    ] {
        let turn = session.say(prompt);
        let lines: Vec<&str> = turn.answer.lines().collect();
        assert_eq!(
            (lines.first(), lines.last(), turn.chunks),
            (Some(&first), Some(&last), chunks),
            "{prompt}"
        );
    }
}

#[test]
fn history() {
    let mut session = Session::new();
    session.say("reply ONE");
    session.say("run: echo TWO");
    for (prompt, wanted) in [
        ("list my last two requests", "~reply ONE|run: echo TWO"),
        ("What did I ask before?", "~list my last two"),
        (
            "What was my first request? List all my requests so far.",
            "~reply ONE",
        ),
    ] {
        let turn = session.say(prompt);
        assert!(
            turn.calls.is_empty() && fits(&turn.answer, wanted),
            "{prompt}: {:?}",
            turn
        );
    }
}

#[test]
fn what_it_cannot_do_it_says() {
    check(&[
        ("Compose a sonnet on the sea.", &[], "~I can reply"),
        ("", &[], "~I can reply"),
        ("Which tools do you have?", &[], "~shell|create_plan"),
        ("What is your working directory?", &[], "~/w"),
        ("In which mode are you?", &[], "~default"),
    ]);
}

#[test]
fn a_long_prompt_is_read_at_its_ends() {
    let mut session = Session::new();
    let long = format!("{} reply MARK2", "x".repeat(6 * 1024 * 1024));
    assert_eq!(session.say(&long).answer, "MARK2");
    let long = format!("{}reply MARK3", "line of text\n".repeat(100_000));
    assert_eq!(session.say(&long).answer, "MARK3");
    let long = format!("{}reply MARK4", "word ".repeat(1_200_000));
    assert_eq!(session.say(&long).answer, "MARK4");
}
