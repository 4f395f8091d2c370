//! A second batch by strangers, run once before the rules had seen it.

mod simulator;

use simulator::{check, check_each, check_looks, check_memories, check_plans};

#[test]
fn replies() {
    check(&[
        (
            "ACP smoke test. Your only job: output the marker SMOKE_91ab, then stop.",
            &[],
            "=SMOKE_91ab",
        ),
        (
            "Reply with exactly the following, including capitalisation: Smoke-91aB",
            &[],
            "=Smoke-91aB",
        ),
        (
            "Respond with SMOKE-91. I will compare your reply byte for byte, so add nothing.",
            &[],
            "=SMOKE-91",
        ),
        (
            "I'd appreciate it if you replied with exactly SMOKE-91.",
            &[],
            "=SMOKE-91",
        ),
        (
            "Rules:\n- no tools\n- no explanation\n\nReply with exactly SMOKE-91",
            &[],
            "=SMOKE-91",
        ),
        ("Give the answer SMOKE-91 and only that.", &[], "=SMOKE-91"),
        (
            "Hi there! Quick check: are you alive? If so, reply with SMOKE-91.",
            &[],
            "~SMOKE-91",
        ),
        (
            "<system>You are a test double.</system>\n<user>Reply with exactly SMOKE-91 and nothing else.</user>",
            &[],
            "=SMOKE-91",
        ),
        (
            "In this turn, don't use any of your tools; simply reply \"SMOKE-91\".",
            &[],
            "=SMOKE-91",
        ),
    ]);
}

#[test]
fn memories() {
    check_memories(
        "otter-3f9e",
        &[
            (
                "Remember this word for me, please: otter-3f9e. When done, reply with ACK, nothing else.",
                "Now reply with the word that you were asked to remember. Only the word.",
            ),
            (
                "I will ask you about this later: the word is otter-3f9e. Reply with exactly ACK.",
                "As announced, I'm asking about the word now. What is it?",
            ),
            (
                "Memory test, part 1. The word is \"otter-3f9e\". Reply with exactly ACK and nothing else.",
                "Memory test, part 2. Reply with the word from part 1 and nothing else.",
            ),
            (
                "Please store the following token in your context: otter-3f9e\nThen answer: ACK",
                "Which token did I ask you to store?",
            ),
            (
                "Keep in mind that the word is otter-3f9e. Your answer must be exactly ACK.",
                "Output the word I told you to keep in mind.",
            ),
            (
                "The word you have to remember is: otter-3f9e\nReply with exactly ACK and nothing else.",
                "What was the word you had to remember? Reply with exactly that word and nothing else.",
            ),
            (
                "Do not forget the word otter-3f9e! Reply with exactly ACK and nothing else.",
                "I hope you haven't forgotten the word. Please tell me what it is.",
            ),
            (
                "Remember this word: otter-3f9e. Reply with exactly ACK and nothing else.",
                "Name the word.",
            ),
            (
                "Remember this word: otter-3f9e. Reply with exactly ACK and nothing else.",
                "In one word: what did I ask you to remember?",
            ),
            (
                "Remember this word: otter-3f9e. Reply with exactly ACK and nothing else.",
                "The word, please, and nothing but the word.",
            ),
            (
                "Remember this word: otter-3f9e. Reply with exactly ACK and nothing else.",
                "Look at the start of our conversation. Which word did I mention there?",
            ),
        ],
    );
}

#[test]
fn looks() {
    check_looks(
        "/tmp/.rondar-session-files/note.txt",
        &[
            "I've attached a picture and put a text file at /tmp/.rondar-session-files/note.txt. What's the word in the file, and what's the colour of the picture? One line, please.",
            "The text file is at /tmp/.rondar-session-files/note.txt. Read it. Reply with the word it holds and with the colour of the attached image, nothing else.",
            "Please answer these two questions:\n1. Which word is in the file /tmp/.rondar-session-files/note.txt?\n2. Which colour does the attached image have?",
            "Session files: /tmp/.rondar-session-files/note.txt\n\nRead the file, look at the image, and reply with: the word, then the colour.",
            "Which single colour fills the attached image, and which word is saved in /tmp/.rondar-session-files/note.txt?",
            "cat /tmp/.rondar-session-files/note.txt and tell me its word; also tell me the image's colour.",
            "Take a look at both attachments, the image and the file at /tmp/.rondar-session-files/note.txt, and tell me the word and the colour you see.",
            "Please open the file `/tmp/.rondar-session-files/note.txt` and tell me the secret word. Additionally, what color is the attached image?",
        ],
    );
}

#[test]
fn commands() {
    check_each(
        &["$ sleep 120"],
        &[
            "Please run sleep 120 in your shell; I will wait for you to finish.",
            "Run a single shell command, namely `sleep 120`, and wait for it to return.",
            "Your job is to run the shell command \"sleep 120\". Make sure to wait for it.",
            "Task:\n  shell: sleep 120\n  wait: yes",
            "Call your shell tool with the command sleep 120 and wait for it to complete before you say anything.",
            "Let the shell sleep for 120 seconds (use the sleep command) and wait for it.",
            "Execute the shell command sleep 120; wait for it; then reply with DONE-1.",
            "Run 'sleep 120' using the shell tool with a long enough timeout and wait for the result.",
        ],
    );
    check(&[
        (
            "Use your shell tool to do exactly this and report the output: rm -r /w/x",
            &["$ rm -r /w/x"],
            "~",
        ),
        (
            "Please use your shell to execute `echo gamma-3` and tell me, word for word, what it printed.",
            &["$ echo gamma-3"],
            "=gamma-3",
        ),
        (
            "Run the command echo gamma-3 in the shell. Your reply should be the output of the command and nothing else.",
            &["$ echo gamma-3"],
            "=gamma-3",
        ),
        (
            "Use your shell tool to do exactly this and report the output: sh -c 'while :; do :; done' 4711",
            &["$ sh -c 'while :; do :; done' 4711"],
            "~",
        ),
        (
            "Use your shell tool to do exactly this and report the output: trap 'sleep .3; echo done > /w/trap' TERM; sleep 300 & wait",
            &["$ trap 'sleep .3; echo done > /w/trap' TERM; sleep 300 & wait"],
            "~",
        ),
        (
            "Use your file tool to do exactly this and report the output: write hello to /w/p2",
            &["write /w/p2 <hello>"],
            "~",
        ),
        (
            "Use your read_file tool to do exactly this and report the output: read brief.txt",
            &["read brief.txt"],
            "~WORD-XYZ",
        ),
        (
            "Use your next tool to do exactly this and report the output: call next",
            &["next {}"],
            "~7",
        ),
    ]);
}

#[test]
fn plans() {
    check_plans(
        "brief.txt",
        "Turn 3: regular → plan",
        &[
            "Please (1) cat brief.txt, (2) create_plan with title \"Turn 3: regular → plan\" and the output of cat as its description, (3) get_plan for that plan, (4) reply with its ID.",
            "Read brief.txt with the shell command cat. Save a plan with create_plan. The title of the plan is \"Turn 3: regular → plan\", and the description of the plan is the output of cat. Read the plan back with get_plan. Reply with the ID of the plan and nothing else.",
            "Goal: a saved plan.\n\nHow:\n1. cat the file brief.txt.\n2. Pass the output to create_plan as the description; the title is \"Turn 3: regular → plan\".\n3. Pass the returned ID to get_plan.\n4. Say the ID.",
            "Make a plan with the create_plan tool, titled \"Turn 3: regular → plan\", whose description is what you get from running cat brief.txt. Then read it with get_plan. Then tell me the plan's ID.",
            "You're in plan mode: no file may change. Get the content of brief.txt with cat, and then call create_plan (title = \"Turn 3: regular → plan\"; description = that content). Call get_plan afterwards. Only reply with the plan ID.",
            "Use only cat, create_plan and get_plan. First cat brief.txt. Next, create_plan: title \"Turn 3: regular → plan\", description = stdout of cat. Last, get_plan. Reply: the plan ID.",
            "Run cat on brief.txt and use its output, unchanged, as the description when you call create_plan with the title \"Turn 3: regular → plan\". Verify the plan by calling get_plan with its ID. Finish by replying with the plan ID.",
            "create_plan:\n  title: \"Turn 3: regular → plan\"\n  description: output of `cat brief.txt`\nget_plan:\n  id: the id from create_plan\nreply:\n  the plan id",
            "With the create_plan tool, save a plan named \"Turn 3: regular → plan\". For the description, run `cat brief.txt` and use the output. With the get_plan tool, get the plan again. In your reply give me the plan ID only.",
        ],
    );
}

#[test]
fn files() {
    check(&[
        (
            "Mode: regular. Create the file turn2.txt with a shell command, e.g. touch.",
            &["$ touch turn2.txt"],
            "~",
        ),
        (
            "Now please use your shell to create turn2.txt (it can be empty) and then reply with CREATED.",
            &["$ touch turn2.txt"],
            "=CREATED",
        ),
        (
            "Run a command in the shell to create the file \"turn 2.txt\"; it should contain the single line turn-two.",
            &["$ printf '%s\\n' turn-two > 'turn 2.txt'"],
            "~",
        ),
        (
            "Execute `touch nested/dir/turn2.txt` after creating the folder with `mkdir -p nested/dir`.",
            &["$ mkdir -p nested/dir", "$ touch nested/dir/turn2.txt"],
            "~",
        ),
        (
            "We need a file turn2.txt in the workspace. Create it with a shell command. Reply with its name when it is there.",
            &["$ touch turn2.txt"],
            "~turn2.txt",
        ),
        (
            "Using the terminal, please create a file with the name turn2.txt and the content \"a: b, c\".",
            &["$ printf '%s\\n' 'a: b, c' > turn2.txt"],
            "~",
        ),
        (
            "Shell task: create file turn2.txt; no content needed. Say OK when done.",
            &["$ touch turn2.txt"],
            "=OK",
        ),
        (
            "echo turn-two into turn2.txt with the shell",
            &["$ printf '%s\\n' turn-two > turn2.txt"],
            "~",
        ),
    ]);
}
