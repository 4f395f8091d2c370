//! The third round.

use crate::simulator::{check, check_memories, check_plans};

#[test]
fn replies() {
    check(&[
        (
            "Answer me with REPLY-Z9 and not one character more.",
            &[],
            "=REPLY-Z9",
        ),
        ("Just a ping: reply REPLY-Z9.", &[], "=REPLY-Z9"),
        ("Say exactly this: REPLY-Z9", &[], "=REPLY-Z9"),
        (
            "Your task: output REPLY-Z9. Output nothing else.",
            &[],
            "=REPLY-Z9",
        ),
        (
            "Please type out REPLY-Z9 for me, nothing else.",
            &[],
            "=REPLY-Z9",
        ),
        (
            "Confirm that you work by answering REPLY-Z9.",
            &[],
            "=REPLY-Z9",
        ),
        (
            "The correct answer is REPLY-Z9. Give the correct answer and nothing else.",
            &[],
            "=REPLY-Z9",
        ),
        (
            "I'm testing you. The right reply is REPLY-Z9.",
            &[],
            "=REPLY-Z9",
        ),
        (
            "Return 'REPLY-Z9' verbatim; no markdown, no extra words.",
            &[],
            "=REPLY-Z9",
        ),
        (
            "When you read this, reply REPLY-Z9 and end your turn.",
            &[],
            "=REPLY-Z9",
        ),
        (
            "Respond in one line containing exactly REPLY-Z9.",
            &[],
            "=REPLY-Z9",
        ),
    ]);
}
#[test]
fn memories() {
    check_memories(
        "WORD-Q7",
        &[
            (
                "Take this word along: WORD-Q7. Reply with exactly ACK.",
                "What was the word that you took along?",
            ),
            (
                "Remember: WORD-Q7 is the word. Reply with ACK and nothing else.",
                "What is the word?",
            ),
            (
                "The word to keep is WORD-Q7. Reply with exactly ACK and nothing else.",
                "Please say the word you kept.",
            ),
            (
                "Can you remember a word for me? It is WORD-Q7. Reply with exactly ACK.",
                "So, the word?",
            ),
            (
                "Now memorize this: WORD-Q7\nThen reply: ACK",
                "Which word have you memorized? Only the word.",
            ),
            (
                "Put this in your memory: WORD-Q7. Your reply is ACK.",
                "What's in your memory?",
            ),
        ],
    );
}
#[test]
fn shell() {
    check(&[
        (
            "Launch sleep 120 with the shell tool and stay with it until the end.",
            &["$ sleep 120"],
            "~",
        ),
        (
            "I need you to execute the command 'sleep 120' in the shell. Wait for completion.",
            &["$ sleep 120"],
            "~",
        ),
        (
            "Call shell with sleep 120 and wait for it.",
            &["$ sleep 120"],
            "~",
        ),
        ("Do a sleep 120 in the shell.", &["$ sleep 120"], "~"),
        (
            "Please run this shell command: echo MARK-1 > out.txt. Then reply with DONE.",
            &["$ echo MARK-1 > out.txt"],
            "=DONE",
        ),
        (
            "Shell: `echo MARK-1 > out.txt`. Reply with DONE afterwards.",
            &["$ echo MARK-1 > out.txt"],
            "=DONE",
        ),
    ]);
}
#[test]
fn plans() {
    check_plans(
        "notes.txt",
        "Journey",
        &[
            "Read the file notes.txt with cat. Save a plan with the tool create_plan: its title is \"Journey\", its description is the output of cat. Read the plan back with get_plan. Reply with the plan ID and nothing else.",
            "With cat, read notes.txt. With create_plan, save a plan (title Journey, description: the text you read). With get_plan, read it back. Then give me its ID.",
            "Do these in order: cat notes.txt; create_plan with title Journey and the cat output as description; get_plan with the new ID; reply with the ID.",
            "We are planning. Get the content of notes.txt by cat. It becomes the description of a plan with the title Journey that you save by create_plan. Check with get_plan that it is there. Tell me the plan ID.",
            "Plan journey: (1) `cat notes.txt` (2) create_plan title=\"Journey\" description=<output> (3) get_plan (4) reply with the id",
        ],
    );
}
