//! Wordings that were written in one go and run once, to see how far the rules carry.

mod simulator;

use simulator::{Session, check, fits};

#[test]
fn single_turns() {
    check(&[
        (
            "All I need from you is the text REPLY-Q9.",
            &[],
            "=REPLY-Q9",
        ),
        ("Respond in exactly this form: REPLY-Q9", &[], "=REPLY-Q9"),
        (
            "Now answer with exactly one token: REPLY-Q9",
            &[],
            "=REPLY-Q9",
        ),
        (
            "When you receive this message, say REPLY-Q9 and say nothing else.",
            &[],
            "=REPLY-Q9",
        ),
        ("reply exactly REPLY-Q9", &[], "=REPLY-Q9"),
        ("Reply REPLY-Q9!", &[], "=REPLY-Q9"),
        (
            "Nothing but REPLY-Q9 should be in your answer.",
            &[],
            "~REPLY-Q9",
        ),
        (
            "The complete text of your answer shall be REPLY-Q9.",
            &[],
            "=REPLY-Q9",
        ),
        ("Make your whole reply exactly REPLY-Q9", &[], "=REPLY-Q9"),
        (
            "I am testing you: respond with REPLY-Q9 (and with that alone).",
            &[],
            "=REPLY-Q9",
        ),
        (
            "Have your terminal execute the command `sleep 120`; wait for the end of it.",
            &["$ sleep 120"],
            "~",
        ),
        (
            "Would you please start the shell command 'sleep 120' and then wait until it ends?",
            &["$ sleep 120"],
            "~",
        ),
        (
            "Task: run sleep 120 with your shell tool. Wait for it to finish.",
            &["$ sleep 120"],
            "~",
        ),
        (
            "There is a shell command, sleep 120. Please run it and wait for it.",
            &["$ sleep 120"],
            "~",
        ),
        (
            "Run the command below in your shell.\n\n    sleep 120\n",
            &["$ sleep 120"],
            "~",
        ),
        ("Perform `sleep 120` in the shell", &["$ sleep 120"], "~"),
        (
            "Create, with a shell command, the file q-1.txt.",
            &["$ touch q-1.txt"],
            "~",
        ),
        (
            "Make the file q-1.txt by running `touch q-1.txt` in your shell.",
            &["$ touch q-1.txt"],
            "~",
        ),
        (
            "Please make sure that a file named q-1.txt exists; use a shell command to create it.",
            &["$ touch q-1.txt"],
            "~",
        ),
        (
            "Run a command in the shell that writes hello into q-1.txt.",
            &["$ printf '%s\\n' hello > q-1.txt"],
            "~",
        ),
        (
            "With your shell tool, write the word Q-DONE to the file q-1.txt, then reply with OK-Q.",
            &["$ printf '%s\\n' Q-DONE > q-1.txt"],
            "=OK-Q",
        ),
        (
            "Execute this in the shell: echo Q > q-1.txt. When it is done, reply with OK-Q.",
            &["$ echo Q > q-1.txt"],
            "=OK-Q",
        ),
        (
            "Somewhere in note.txt there is a word. Find it and tell me.",
            &["read note.txt"],
            "~WORD-XYZ",
        ),
        (
            "Please have a look at note.txt and report the word that you see.",
            &["read note.txt"],
            "~WORD-XYZ",
        ),
        (
            "Which word does note.txt hold? Reply with that word only.",
            &["read note.txt"],
            "=WORD-XYZ",
        ),
    ]);
}

#[test]
fn plans() {
    const STEPS: &[&str] = &[
        "$ cat brief.txt",
        "plan Q Plan 7 <The word is WORD-XYZ>",
        "get plan-1",
    ];
    let prompts = [
        "Make a plan for me: title \"Q Plan 7\"; description: the output of the command cat brief.txt. Use create_plan to save it and get_plan to check it. Answer with the ID of the plan.",
        "Use cat to look at brief.txt. Afterwards store a plan with the tool create_plan. Set the title to \"Q Plan 7\" and the description to the text that cat printed. Fetch the plan with get_plan. The last thing you say is the plan ID.",
        "Plan mode task. Run cat brief.txt; pass its output as description and Q Plan 7 as title to create_plan; pass the returned id to get_plan; reply with that id.",
        "Here is what to do:\n1. Use `cat` to read `brief.txt`\n2. Use `create_plan` to save a plan with title `Q Plan 7` and the output of `cat` as description\n3. Use `get_plan` to read the plan back by its id\n4. Reply with the id of the plan and nothing else",
        "Could you read brief.txt with cat, create a plan called \"Q Plan 7\" with create_plan (description = the file's text), read it back through get_plan, and tell me its id?",
        "Save the text of brief.txt (cat it first) as a plan. Title it \"Q Plan 7\". Use create_plan for that, then get_plan with its id, then give me that id.",
    ];
    let mut faults = Vec::new();
    for prompt in prompts {
        let turn = Session::new().say(prompt);
        if turn.calls != STEPS || !fits(&turn.answer, "~plan-1") {
            faults.push(format!("{prompt}\n  {:?} {:?}", turn.calls, turn.answer));
        }
    }
    assert!(
        faults.is_empty(),
        "{} of {} fail\n{}",
        faults.len(),
        prompts.len(),
        faults.join("\n")
    );
}

#[test]
fn memories() {
    let mut faults = Vec::new();
    for (telling, question) in [
        (
            "Please remember the word WORD-Q for me and reply with ACK.",
            "I need that word again.",
        ),
        (
            "Remember this word: WORD-Q. Reply with exactly ACK and nothing else.",
            "Do you know which word I told you?",
        ),
        (
            "Remember this word: WORD-Q. Reply with exactly ACK and nothing else.",
            "Your memory test: the word, please.",
        ),
        (
            "Remember this word: WORD-Q. Reply with exactly ACK and nothing else.",
            "What was it that I asked you to remember? Say just the word.",
        ),
        (
            "Remember this word: WORD-Q. Reply with exactly ACK and nothing else.",
            "Answer with the word given to you before and nothing else.",
        ),
        (
            "A word to keep: WORD-Q. Reply with ACK.",
            "Which word did I ask you to keep?",
        ),
        (
            "Learn the word WORD-Q by heart. Reply with ACK.",
            "Tell me the word you learned.",
        ),
        (
            "This is the word: WORD-Q. Remember it. Reply with ACK.",
            "And what was the word?",
        ),
    ] {
        let mut session = Session::new();
        let first = session.say(telling);
        let turn = session.say(question);
        if !turn.calls.is_empty() || !turn.answer.contains("WORD-Q") || first.answer != "ACK" {
            faults.push(format!(
                "{telling} / {question}\n  {:?} {:?} {:?}",
                first.answer, turn.calls, turn.answer
            ));
        }
    }
    assert!(
        faults.is_empty(),
        "{} fail\n{}",
        faults.len(),
        faults.join("\n")
    );
}
