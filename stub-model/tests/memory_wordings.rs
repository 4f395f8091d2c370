//! Wordings of telling a fact and of asking for it.

mod simulator;

use simulator::{Session, fits};

fn check(rows: &[(&[&str], &str)]) {
    let mut faults = Vec::new();
    for (prompts, wanted) in rows {
        let mut session = Session::new();
        let mut answers: Vec<String> = prompts
            .iter()
            .map(|prompt| session.say(prompt).answer)
            .collect();
        let last = answers.pop().unwrap_or_default();
        if !fits(&last, wanted) {
            faults.push(format!(
                "{prompts:?}\n  wanted {wanted:?}\n  got    {last:?} after {answers:?}"
            ));
        }
    }
    assert!(
        faults.is_empty(),
        "{} of {} fail\n{}",
        faults.len(),
        rows.len(),
        faults.join("\n")
    );
}

const TOLD: &str = "Remember this word: WORD-1A2B3C4D. Reply with exactly ACK and nothing else.";

#[test]
fn telling_is_acknowledged() {
    check(&[
        (&[TOLD], "=ACK"),
        (
            &["Please keep the following word in mind: WORD-1A. Answer only with ACK."],
            "=ACK",
        ),
        (&["remember K=42"], "~42"),
        (
            &["Remember the word \"WORD-1A\", I will ask for it later. For now, just say ACK"],
            "=ACK",
        ),
    ]);
}

#[test]
fn questions() {
    let questions = [
        "What was the word I asked you to remember?",
        "What was the word I asked you to remember? Reply with the word only.",
        "Which word did I give you?",
        "Tell me the code word.",
        "repeat the secret",
        "What word did I ask you to remember? Reply with only that word.",
        "Reply with the word you were asked to remember and nothing else.",
        "Can you tell me the word from before?",
        "Do you remember the word?",
        "Please recall the word I told you earlier.",
        "What is the word?",
        "Give me back the word I told you to remember.",
        "What did I ask you to remember?",
        "Say the word I asked you to keep in mind.",
        "Now repeat the word.",
        "Answer with exactly the word you remembered.",
        "Which word was it?",
        "word?",
        "Output the remembered word.",
        "I asked you to remember a word. What is it?",
        "Earlier I told you a word. Reply with it and nothing else.",
        "What's the word I gave you in my first message?",
        "Recall the word from the start of this session and reply with it.",
    ];
    for question in questions {
        check(&[(&[TOLD, question], "~WORD-1A2B3C4D")]);
    }
}

#[test]
fn tellings() {
    let tellings = [
        "Remember this word: WORD-1A. Reply with exactly ACK and nothing else.",
        "Remember the word WORD-1A. Reply ACK.",
        "Remember: WORD-1A",
        "Please memorise the word `WORD-1A` and answer ACK.",
        "The word to remember is WORD-1A. Say ACK.",
        "Keep this word in mind for later: WORD-1A. Reply with ACK.",
        "Here is a word for you: WORD-1A. I will ask you for it. Reply with ACK only.",
        "Don't forget this word: WORD-1A. Just answer ACK.",
        "WORD-1A is the secret word. Reply with ACK.",
        "I want you to remember a word. The word is WORD-1A. Reply with exactly ACK and nothing else.",
        "Could you remember the word WORD-1A for me?",
        "Remember this word:\n\nWORD-1A\n\nReply with exactly ACK and nothing else.",
        "My secret word is \"WORD-1A\"; reply with ACK.",
        "Store the word WORD-1A in your memory and reply ACK",
        "Note down this word: WORD-1A. Answer with ACK.",
        "Hold on to this token: WORD-1A. Answer ACK.",
        "Take note of the word WORD-1A, then reply with ACK.",
    ];
    for telling in tellings {
        check(&[(
            &[telling, "What was the word I asked you to remember?"],
            "~WORD-1A",
        )]);
    }
}

#[test]
fn facts_by_name() {
    check(&[
        (&["remember K=42", "what is K?"], "~42"),
        (&["remember K=42", "what is K"], "~42"),
        (&["My name is Ada.", "What is my name?"], "~Ada"),
        (&["My name is Ada.", "Who am I?"], "~Ada"),
        (&["Call me Ada.", "What's my name?"], "~Ada"),
        (
            &[
                "The code word is LYNX. Now run: sleep 30",
                "What is the code word?",
            ],
            "~LYNX",
        ),
        (
            &[
                "the colour code is RED7, the door code is 4411",
                "What is the door code?",
            ],
            "~4411",
        ),
        (
            &[
                "the colour code is RED7, the door code is 4411",
                "Tell me the colour code",
            ],
            "~RED7",
        ),
        (&["Remember X=1 and Y=2.", "What is Y?"], "~2"),
        (
            &[
                "Remember this word: A1.",
                "Remember this word: B2.",
                "What is the word?",
            ],
            "=B2",
        ),
        (
            &[
                "Remember this word: A1.",
                "My name is Bob.",
                "What was the word I asked you to remember?",
            ],
            "=A1",
        ),
        (&["I parked in lot B7.", "Where did I park?"], "~B7"),
        (
            &[
                "My favourite colour is teal.",
                "What is my favourite colour?",
            ],
            "~teal",
        ),
        (&["Remember K=42. What is K?"], "~42"),
        (&["What is the word?"], "~not told"),
        (
            &[
                "The password for the vault is swordfish.",
                "hi",
                "What is the password for the vault?",
            ],
            "~swordfish",
        ),
    ]);
}
