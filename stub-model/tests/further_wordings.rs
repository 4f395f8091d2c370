//! A second look: wordings that the rules were not made for when they were written.

mod simulator;

use simulator::{Session, check, fits};

#[test]
fn replies_and_commands() {
    check(&[
        (
            "For this message, your complete response has to be: REPLY-55",
            &[],
            "=REPLY-55",
        ),
        (
            "Kindly answer REPLY-55, and add no other words.",
            &[],
            "=REPLY-55",
        ),
        (
            "I'd like you to respond using only the string REPLY-55.",
            &[],
            "=REPLY-55",
        ),
        ("Respond with REPLY-55. Nothing else.", &[], "=REPLY-55"),
        ("No tools, no files. Reply: REPLY-55", &[], "=REPLY-55"),
        ("Only output the token \"REPLY-55\".", &[], "=REPLY-55"),
        (
            "We are testing. When you have read this, reply with REPLY-55",
            &[],
            "=REPLY-55",
        ),
        ("Say exactly REPLY-55 back to me", &[], "=REPLY-55"),
        (
            "Return the literal text REPLY-55 without any formatting.",
            &[],
            "=REPLY-55",
        ),
        ("What I want back is exactly REPLY-55", &[], "=REPLY-55"),
        (
            "Your answer: REPLY-55. Nothing before it, nothing after it.",
            &[],
            "=REPLY-55",
        ),
        ("Please write back REPLY-55", &[], "=REPLY-55"),
        (
            "Could you run the command sleep 120 in your shell and wait for it to finish, please?",
            &["$ sleep 120"],
            "~",
        ),
        (
            "Use your terminal to execute \"sleep 120\"; do not answer before it has ended.",
            &["$ sleep 120"],
            "~",
        ),
        (
            "Please start `sleep 120` with the shell tool and wait till it finishes.",
            &["$ sleep 120"],
            "~",
        ),
        ("Shell: sleep 120", &["$ sleep 120"], "~"),
        (
            "Run this in bash:\n\nsleep 120\n\nWait until it is over.",
            &["$ sleep 120"],
            "~",
        ),
        (
            "Have the shell run sleep 120 and wait.",
            &["$ sleep 120"],
            "~",
        ),
        (
            "Your task: execute the shell command `sleep 120`. Wait for the command to complete, then reply with FINISHED.",
            &["$ sleep 120"],
            "=FINISHED",
        ),
        (
            "I would like to see what `echo hi` prints.",
            &["$ echo hi"],
            "~hi",
        ),
        ("What is the output of `echo hi`?", &["$ echo hi"], "~hi"),
        (
            "Tell me the output of the command echo hi",
            &["$ echo hi"],
            "~hi",
        ),
        (
            "Execute the following in a shell, exactly as written: `echo a && echo b`",
            &["$ echo a && echo b"],
            "~",
        ),
        ("Run echo hi. What was the output?", &["$ echo hi"], "=hi"),
        (
            "Can you execute ls -la and tell me what you see?",
            &["$ ls -la"],
            "~",
        ),
        (
            "run 'echo hi' and 'echo ho'",
            &["$ echo hi", "$ echo ho"],
            "~hi|ho",
        ),
        (
            "Do the following: first run `echo a`, second run `echo b`, finally answer ALL-DONE.",
            &["$ echo a", "$ echo b"],
            "=ALL-DONE",
        ),
    ]);
}

#[test]
fn files() {
    check(&[
        (
            "Make a new file, regular-1.txt, by means of a shell command.",
            &["$ touch regular-1.txt"],
            "~",
        ),
        (
            "With a shell command, create the file regular-1.txt in the current directory. Reply with DONE when it exists.",
            &["$ touch regular-1.txt"],
            "=DONE",
        ),
        (
            "Create regular-1.txt using the shell. Its content should be REG-9.",
            &["$ printf '%s\\n' REG-9 > regular-1.txt"],
            "~",
        ),
        (
            "Please use the shell tool to write the text REG-9 into a file called regular-1.txt.",
            &["$ printf '%s\\n' REG-9 > regular-1.txt"],
            "~",
        ),
        (
            "Run touch regular-1.txt in the shell to create a file.",
            &["$ touch regular-1.txt"],
            "~",
        ),
        (
            "You may change files now. Create the file `regular-1.txt` with a shell command and reply with OK-3.",
            &["$ touch regular-1.txt"],
            "=OK-3",
        ),
        (
            "Run `echo REG-9 > regular-1.txt` to create a file, then say OK-3",
            &["$ echo REG-9 > regular-1.txt"],
            "=OK-3",
        ),
        (
            "Execute a shell command which creates the file regular-1.txt containing REG-9.",
            &["$ printf '%s\\n' REG-9 > regular-1.txt"],
            "~",
        ),
        (
            "Create an empty file at ./out/flag by running a shell command.",
            &["$ mkdir -p ./out && touch ./out/flag"],
            "~",
        ),
        (
            "Now we are in the regular mode: make the file regular-1.txt (a shell command will do).",
            &["$ touch regular-1.txt"],
            "~",
        ),
        (
            "Tell me what is written in note.txt.",
            &["read note.txt"],
            "~WORD-XYZ",
        ),
        (
            "note.txt has a word in it. Which one?",
            &["read note.txt"],
            "~WORD-XYZ",
        ),
        (
            "Find out which word is in note.txt and reply with only that word.",
            &["read note.txt"],
            "=WORD-XYZ",
        ),
        (
            "I put a word into /tmp/.rondar-session-files/note.txt. Read it and give me the word.",
            &["read /tmp/.rondar-session-files/note.txt"],
            "=WORD-XYZ",
        ),
    ]);
}

#[test]
fn plans() {
    const STEPS: &[&str] = &[
        "$ cat brief.txt",
        "plan PLAN-7F3A <The word is WORD-XYZ>",
        "get plan-1",
    ];
    let prompts = [
        "Run cat brief.txt. Then save a plan: title PLAN-7F3A, description the output of cat. Then get the plan back and reply with its ID.",
        "Please plan this in plan mode. Step 1: read brief.txt using cat. Step 2: save the plan with create_plan, title \"PLAN-7F3A\", description = everything cat printed. Step 3: read the plan back using get_plan. Step 4: reply with only the plan's id.",
        "Use the shell command cat to read the file brief.txt. Use the tool create_plan from the rondar server to save a plan with the title PLAN-7F3A and with the text of the file as the description. Use get_plan to read that plan. Then reply with the plan ID.",
        "Print brief.txt with cat; give what it shows as the description to create_plan under the title \"PLAN-7F3A\"; check the plan with get_plan; reply with the id.",
        "The title of the plan is PLAN-7F3A. Read brief.txt with `cat`, save a plan with that title and the file's content as description, read it back, and reply with the ID of the plan and nothing else.",
        "Do the following in order and do not ask questions:\n\n1) `cat brief.txt`\n2) create_plan with\n   - title: PLAN-7F3A\n   - description: the exact output of step 1\n3) get_plan with the id from step 2\n4) Reply with that id and nothing else.",
        "Create a plan with create_plan. The title must be exactly PLAN-7F3A. The description must include the full output of the command cat brief.txt, so run that first. After that, call get_plan with the new plan's id. Reply with the plan ID only.",
        "cat brief.txt, then create_plan(title=\"PLAN-7F3A\", description=<output of cat>), then get_plan(id=<id of the new plan>), then answer with the id.",
        "Please save what `cat brief.txt` prints as a plan titled PLAN-7F3A, fetch that plan again, and answer with its id.",
    ];
    let mut faults = Vec::new();
    for prompt in prompts {
        let mut session = Session::new();
        session.mode = "plan".to_owned();
        let turn = session.say(prompt);
        if turn.calls != STEPS || !fits(&turn.answer, "~plan-1") || turn.answer.len() > 40 {
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
            "Remember this word: WORD-9Z. Reply with exactly ACK and nothing else.",
            "Which word should you remember? Answer with the word.",
        ),
        (
            "Remember this word: WORD-9Z. Reply with exactly ACK and nothing else.",
            "I gave you a word earlier in this session. Reply with exactly that word and nothing else.",
        ),
        (
            "Remember this word: WORD-9Z. Reply with exactly ACK and nothing else.",
            "What word did I tell you? Only the word, please.",
        ),
        (
            "Remember this word: WORD-9Z. Reply with exactly ACK and nothing else.",
            "Please repeat the word that I asked you to remember in my previous message.",
        ),
        (
            "Remember this word: WORD-9Z. Reply with exactly ACK and nothing else.",
            "Reply with the word from my first message.",
        ),
        (
            "Remember this word: WORD-9Z. Reply with exactly ACK and nothing else.",
            "What did I tell you to remember? Reply with it.",
        ),
        (
            "Remember this word: WORD-9Z. Reply with exactly ACK and nothing else.",
            "Let's see if you still know the word. What is it?",
        ),
        (
            "The magic token is WORD-9Z, keep it in mind. Answer ACK.",
            "What was the magic token?",
        ),
        (
            "I have a word for you to remember: WORD-9Z. Answer ACK.",
            "Say the word.",
        ),
        (
            "Please save this word in your memory: WORD-9Z",
            "What is the word in your memory?",
        ),
        (
            "From now on, the secret is WORD-9Z. Answer only ACK.",
            "What's the secret?",
        ),
        (
            "In this session the code word shall be WORD-9Z. ACK?",
            "And the code word is?",
        ),
    ] {
        let mut session = Session::new();
        let first = session.say(telling);
        let turn = session.say(question);
        if !turn.calls.is_empty()
            || !turn.answer.contains("WORD-9Z")
            || telling.contains("ACK") && !telling.contains('?') && first.answer != "ACK"
        {
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
