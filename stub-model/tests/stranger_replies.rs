//! Exact replies, as the authors of other harnesses ask for them.

mod simulator;

use simulator::check;

#[test]
fn markers_of_many_shapes() {
    check(&[
        (
            "Reply with exactly reply-4f9c21ab and nothing else.",
            &[],
            "=reply-4f9c21ab",
        ),
        (
            "Reply with exactly 7c0de1f2-9a4b-4c3d-8e2f-0123456789ab and nothing else.",
            &[],
            "=7c0de1f2-9a4b-4c3d-8e2f-0123456789ab",
        ),
        (
            "Respond with exactly: smoke_test_ok_81",
            &[],
            "=smoke_test_ok_81",
        ),
        ("Output exactly deadbeef", &[], "=deadbeef"),
        ("Reply with the single word pong.", &[], "=pong"),
        ("Please answer with just: ready", &[], "=ready"),
        (
            "Reply with exactly PONG:42 and nothing else.",
            &[],
            "=PONG:42",
        ),
        ("Reply with exactly [ok] and nothing else.", &[], "=[ok]"),
        (
            "Reply with exactly REPLY_A1.B2 and nothing else.",
            &[],
            "=REPLY_A1.B2",
        ),
        ("reply MARK2", &[], "=MARK2"),
        (
            "Reply with exactly this text: hello from acp",
            &[],
            "=hello from acp",
        ),
        ("Return \"token::aa11\" verbatim.", &[], "=token::aa11"),
    ]);
}

#[test]
fn constraints() {
    check(&[
        (
            "Reply with REPLY-7E and nothing else. Do not add anything else.",
            &[],
            "=REPLY-7E",
        ),
        (
            "Reply with exactly REPLY-7E. No punctuation, no quotes, no markdown.",
            &[],
            "=REPLY-7E",
        ),
        (
            "In a single line, reply with REPLY-7E. Do not add anything else.",
            &[],
            "=REPLY-7E",
        ),
        (
            "Your reply must consist of REPLY-7E, in a single line, and must not contain anything else.",
            &[],
            "=REPLY-7E",
        ),
        (
            "Reply with exactly REPLY-7E, without any additional text, formatting or explanation.",
            &[],
            "=REPLY-7E",
        ),
        (
            "Do not call any tools. Do not explain. Reply with exactly: REPLY-7E",
            &[],
            "=REPLY-7E",
        ),
        (
            "Do not use tools. Just reply with REPLY-7E (case-sensitive).",
            &[],
            "=REPLY-7E",
        ),
        ("Say REPLY-7E. That is all.", &[], "=REPLY-7E"),
        (
            "Answer with REPLY-7E only, no trailing full stop.",
            &[],
            "=REPLY-7E",
        ),
        (
            "Respond with the exact string REPLY-7E on one line, nothing before or after it.",
            &[],
            "=REPLY-7E",
        ),
        (
            "Please reply with exactly the following marker, and absolutely nothing else: REPLY-7E",
            &[],
            "=REPLY-7E",
        ),
        (
            "Reply with exactly REPLY-7E — nothing more, nothing less.",
            &[],
            "=REPLY-7E",
        ),
        (
            "It is important that your reply contains REPLY-7E exactly. Reply with REPLY-7E.",
            &[],
            "=REPLY-7E",
        ),
    ]);
}

#[test]
fn forms() {
    check(&[
        (
            "You are a helpful assistant under test.\n\nTask: Reply with exactly REPLY-7E and nothing else.",
            &[],
            "=REPLY-7E",
        ),
        (
            "# Task\n\nReply with exactly `REPLY-7E` and nothing else.",
            &[],
            "=REPLY-7E",
        ),
        (
            "<task>Reply with exactly REPLY-7E and nothing else.</task>",
            &[],
            "=REPLY-7E",
        ),
        (
            "<instruction>\nReply with exactly REPLY-7E and nothing else.\n</instruction>",
            &[],
            "=REPLY-7E",
        ),
        (
            "Reply with exactly <<REPLY-7E>> but without the angle brackets: REPLY-7E",
            &[],
            "~REPLY-7E",
        ),
        (
            "This is an automated connectivity check. To confirm that you can hear us, please send back the marker REPLY-7E.",
            &[],
            "=REPLY-7E",
        ),
        (
            "Reply with exactly:\n\n```\nREPLY-7E\n```",
            &[],
            "=REPLY-7E",
        ),
        (
            "Reply with exactly\n\nREPLY-7E\n\nand nothing else.",
            &[],
            "=REPLY-7E",
        ),
        (
            "- Reply with exactly REPLY-7E\n- Add nothing else",
            &[],
            "=REPLY-7E",
        ),
        (
            "1. Do not use any tools.\n2. Reply with exactly REPLY-7E.",
            &[],
            "=REPLY-7E",
        ),
        (
            "Marker: REPLY-7E\n\nReply with exactly the marker above and nothing else.",
            &[],
            "=REPLY-7E",
        ),
        (
            "The marker is REPLY-7E. Reply with the marker and nothing else.",
            &[],
            "=REPLY-7E",
        ),
        ("The reply should be exactly 'REPLY-7E'.", &[], "=REPLY-7E"),
        (
            "Would you be so kind as to reply with REPLY-7E?",
            &[],
            "=REPLY-7E",
        ),
        (
            "Your response should be REPLY-7E, character for character.",
            &[],
            "=REPLY-7E",
        ),
        (
            "Can you reply with exactly REPLY-7E and nothing else, please?",
            &[],
            "=REPLY-7E",
        ),
        (
            "{\"instruction\": \"Reply with exactly REPLY-7E and nothing else.\"}",
            &[],
            "~REPLY-7E",
        ),
        (
            "Echo the following token back to me: REPLY-7E",
            &[],
            "=REPLY-7E",
        ),
        (
            "Sanity check! Just write REPLY-7E back, thank you.",
            &[],
            "=REPLY-7E",
        ),
    ]);
}

#[test]
fn long_answers() {
    check(&[
        (
            "Print the numbers from 1 to 4, one number per line, then the word END.",
            &[],
            "=1\n2\n3\n4\nEND",
        ),
        (
            "print the numbers 1..4 one per line, then END",
            &[],
            "=1\n2\n3\n4\nEND",
        ),
        (
            "Count from 1 to 4, each number on its own line. Finish with END.",
            &[],
            "=1\n2\n3\n4\nEND",
        ),
        (
            "Write out the integers 1 through 4, one per line, followed by END on its own line.",
            &[],
            "=1\n2\n3\n4\nEND",
        ),
        (
            "List every number between 1 and 4 on a separate line and end with DONE.",
            &[],
            "=1\n2\n3\n4\nDONE",
        ),
    ]);
}
