//! A third look: more wordings by other people, for each family.

mod simulator;

use simulator::{Session, check, fits};

#[test]
fn replies() {
    check(&[
        ("Echo back exactly: REPLY-A1", &[], "=REPLY-A1"),
        (
            "Your entire output should be the following string: REPLY-A1",
            &[],
            "=REPLY-A1",
        ),
        (
            "Reply using exactly these characters: REPLY-A1",
            &[],
            "=REPLY-A1",
        ),
        ("I need a one-word answer: REPLY-A1", &[], "=REPLY-A1"),
        (
            "Hello! Please reply with exactly REPLY-A1 and nothing else, thanks.",
            &[],
            "=REPLY-A1",
        ),
        ("respond: REPLY-A1", &[], "=REPLY-A1"),
        ("Without using any tool, answer REPLY-A1.", &[], "=REPLY-A1"),
        ("Type REPLY-A1 and stop.", &[], "=REPLY-A1"),
        ("give me exactly REPLY-A1", &[], "=REPLY-A1"),
        (
            "Reply with exactly REPLY-A1 (no quotes, no punctuation, nothing else).",
            &[],
            "=REPLY-A1",
        ),
        (
            "Answer with this marker and nothing else: REPLY-A1",
            &[],
            "=REPLY-A1",
        ),
        (
            "Respond only with 'REPLY-A1'. Do not add explanations.",
            &[],
            "=REPLY-A1",
        ),
        ("The answer I expect is REPLY-A1", &[], "=REPLY-A1"),
        ("Output nothing except REPLY-A1", &[], "=REPLY-A1"),
        ("Please say the following: REPLY-A1", &[], "=REPLY-A1"),
        (
            "Simply answer REPLY-A1; do not use tools.",
            &[],
            "=REPLY-A1",
        ),
        ("> Reply with exactly REPLY-A1", &[], "=REPLY-A1"),
        ("Can you say REPLY-A1?", &[], "=REPLY-A1"),
        (
            "Reply with exactly Hello, World! and nothing else.",
            &[],
            "~Hello, World",
        ),
        ("Reply with exactly 42.", &[], "=42"),
        (
            "Reply with the sentence \"All systems go.\" and nothing else.",
            &[],
            "=All systems go.",
        ),
        ("reply with übergröße-7", &[], "=übergröße-7"),
        (
            "Your reply must be exactly one word, REPLY-A1.",
            &[],
            "=REPLY-A1",
        ),
        (
            "Please acknowledge this message by replying REPLY-A1",
            &[],
            "=REPLY-A1",
        ),
    ]);
}

#[test]
fn commands() {
    check(&[
        (
            "Please use the shell tool and run sleep 120. Wait for the command to finish before you reply.",
            &["$ sleep 120"],
            "~",
        ),
        (
            "Run sleep 120 & wait for it",
            &["$ sleep 120 & wait for it"],
            "~",
        ),
        (
            "Run `sleep 120` as a shell command. It takes two minutes; wait for it.",
            &["$ sleep 120"],
            "~",
        ),
        (
            "Execute: sleep 120 (this takes a while, please wait)",
            &["$ sleep 120"],
            "~",
        ),
        (
            "I'd like you to run the shell command `sleep 120`; please wait until it has finished.",
            &["$ sleep 120"],
            "~",
        ),
        ("run sleep 120 then say DONE-2", &["$ sleep 120"], "=DONE-2"),
        (
            "Invoke the shell with the command sleep 120.",
            &["$ sleep 120"],
            "~",
        ),
        (
            "Call the shell tool with the command `sleep 120` and wait for its result.",
            &["$ sleep 120"],
            "~",
        ),
        (
            "Use the shell tool with command \"sleep 120\"",
            &["$ sleep 120"],
            "~",
        ),
        (
            "Call shell with {\"command\": \"sleep 120\"}",
            &["$ sleep 120"],
            "~",
        ),
        ("Use bash to sleep for 120 seconds.", &["$ sleep 120"], "~"),
        (
            "The command is `sleep 120`. Run it and wait.",
            &["$ sleep 120"],
            "~",
        ),
        (
            "Kindly execute the below command:\nsleep 120",
            &["$ sleep 120"],
            "~",
        ),
        ("$ echo hi", &["$ echo hi"], "=hi"),
        (
            "Please run echo \"a, and b\" in the shell",
            &["$ echo \"a, and b\""],
            "~",
        ),
        (
            "Run `false`; then run `echo next`",
            &["$ false", "$ echo next"],
            "~next",
        ),
        (
            "Run 'sleep 1 && echo ok' in a shell and report stdout",
            &["$ sleep 1 && echo ok"],
            "~",
        ),
        (
            "Reply READY-1, then run `echo x`.",
            &["$ echo x"],
            "~READY-1",
        ),
        ("Run the script ./build.sh", &["$ ./build.sh"], "~"),
        ("Execute /usr/bin/env true.", &["$ /usr/bin/env true"], "~"),
        (
            "Run echo $HOME and tell me what it says",
            &["$ echo $HOME"],
            "=$HOME",
        ),
    ]);
}

#[test]
fn memories() {
    let mut faults = Vec::new();
    for (telling, question, wanted) in [
        (
            "For later: the word is WORD-77. Reply with exactly ACK and nothing else.",
            "Which word did I ask you to remember? Reply with the word.",
            "WORD-77",
        ),
        (
            "Please remember that my dog is called Rex.",
            "What is my dog called?",
            "Rex",
        ),
        ("My dog's name is Rex.", "What's the name of my dog?", "Rex"),
        ("I live in Lisbon.", "Where do I live?", "Lisbon"),
        ("Remember the number 7719.", "Which number was it?", "7719"),
        (
            "Remember these two words: ALPHA-1 and BETA-2",
            "Which words did I give you?",
            "ALPHA-1",
        ),
        (
            "Keep WORD-77 in mind. Reply ACK.",
            "What word am I thinking of? The one I told you.",
            "WORD-77",
        ),
        (
            "Commit this word to memory: WORD-77. Then answer ACK.",
            "Please state the word you memorised.",
            "WORD-77",
        ),
        (
            "The word of the day is WORD-77.",
            "What's the word of the day?",
            "WORD-77",
        ),
        ("Let the code word be WORD-77.", "code word?", "WORD-77"),
        ("remember: token = WORD-77", "what's the token", "WORD-77"),
        (
            "I'll tell you a secret: WORD-77. Don't tell anyone. Reply ACK.",
            "What is the secret?",
            "WORD-77",
        ),
    ] {
        let mut session = Session::new();
        let first = session.say(telling);
        let turn = session.say(question);
        if !turn.calls.is_empty() || !first.calls.is_empty() || !turn.answer.contains(wanted) {
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

#[test]
fn files() {
    check(&[
        (
            "Create a file named done.txt in the working directory with a shell command. Reply with DONE when the file is there.",
            &["$ touch done.txt"],
            "=DONE",
        ),
        (
            "Run this shell command: touch done.txt. Reply with DONE when the file is there.",
            &["$ touch done.txt"],
            "=DONE",
        ),
        (
            "Use your shell to make a file called 'done file.txt' holding the line OK",
            &["$ printf '%s\\n' OK > 'done file.txt'"],
            "~",
        ),
        (
            "Write a file done.txt with the shell; the content is DONE-4.",
            &["$ printf '%s\\n' DONE-4 > done.txt"],
            "~",
        ),
        (
            "Please create ./sub/dir/done.txt with the text hi via the terminal",
            &["$ mkdir -p ./sub/dir && printf '%s\\n' hi > ./sub/dir/done.txt"],
            "~",
        ),
        (
            "Now create a file: run the shell command `echo created > out-1.txt`. Reply with DONE when the file is there.",
            &["$ echo created > out-1.txt"],
            "=DONE",
        ),
        (
            "Execute touch done.txt, please.",
            &["$ touch done.txt"],
            "~",
        ),
        (
            "By running a shell command, create done.txt.",
            &["$ touch done.txt"],
            "~",
        ),
        (
            "Use the write_file tool to create done.txt with the content hi.",
            &["write done.txt <hi>"],
            "~",
        ),
        (
            "Save hello to greeting.txt and then read it back",
            &["write greeting.txt <hello>", "read greeting.txt"],
            "~",
        ),
        (
            "Can you add the line 'x = 1' to conf.ini?",
            &["$ printf '%s\\n' 'x = 1' >> conf.ini"],
            "~",
        ),
        ("Show me README.md", &["read README.md"], "~"),
        (
            "What does the file `note.txt` contain? Answer with its word only.",
            &["read note.txt"],
            "=WORD-XYZ",
        ),
        (
            "Which word can be found in the text file note.txt?",
            &["read note.txt"],
            "=WORD-XYZ",
        ),
        (
            "Give me the text of note.txt",
            &["read note.txt"],
            "~The word is WORD-XYZ",
        ),
        (
            "First read note.txt, then reply with exactly SEEN.",
            &["read note.txt"],
            "=SEEN",
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
        "Please save a plan, and change no file. First run the shell command `cat brief.txt` and note what it prints. Then call the tool create_plan with the title \"PLAN-7F3A\" and with a description that holds the whole output of the cat command. After that call the tool get_plan with the ID of that plan, to read it back. At the end reply with the plan ID.",
        "Read the file brief.txt with the command cat brief.txt. Then call the tool create_plan with the title \"PLAN-7F3A\" and with a description that holds the whole output of cat. Then call get_plan with the ID that create_plan gave you. Reply with the plan ID and nothing else.",
        "Goal: save a plan and tell me its ID.\n\n* Look at brief.txt (use cat).\n* Save it with create_plan; the title is PLAN-7F3A and the description is what cat shows.\n* Check it with get_plan.\n* Your reply: just the ID.",
        "Using cat, read brief.txt; using create_plan, store a plan whose title is \"PLAN-7F3A\" and whose description contains the output; using get_plan, read it back; then reply with its ID.",
        "In the shell, run cat brief.txt. With create_plan, save a plan named PLAN-7F3A, description: the output of that command. With get_plan, load it again. Reply with the plan's ID.",
        "I want a plan with the title \"PLAN-7F3A\". Its description is the content of brief.txt, which you read with cat. Save it with create_plan and read it back with get_plan. Then reply with its id.",
        "Run `cat brief.txt` and create a plan (create_plan) titled `PLAN-7F3A` with that output as its description. Retrieve the plan using get_plan. Finally print the plan id.",
        "cat the file brief.txt. Save a plan via create_plan: the title has to be PLAN-7F3A and the description has to include everything that cat printed. Read the plan again via get_plan. Then answer with the plan ID, nothing else.",
        "Please work through this list: (1) read brief.txt with cat, (2) save a plan titled \"PLAN-7F3A\" with the file content as description, (3) read it back with get_plan, (4) reply with the plan ID.",
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
