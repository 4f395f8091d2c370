//! A third batch by strangers, run once before the rules had seen it.

mod simulator;

use simulator::{check, check_each, check_looks, check_memories, check_plans};

#[test]
fn replies() {
    check(&[
        (
            "Please output exactly the marker PING-77aa. Do not add anything else to your reply.",
            &[],
            "=PING-77aa",
        ),
        ("Reply only with this marker: PING-77aa", &[], "=PING-77aa"),
        ("Your whole answer has to be PING-77aa.", &[], "=PING-77aa"),
        (
            "For the purpose of this test, reply with exactly PING-77aa and nothing else.",
            &[],
            "=PING-77aa",
        ),
        (
            "Reply with PING-77aa, please, and with nothing else.",
            &[],
            "=PING-77aa",
        ),
        ("Send me exactly this: PING-77aa", &[], "=PING-77aa"),
        (
            "Just the marker PING-77aa as your reply, nothing else.",
            &[],
            "=PING-77aa",
        ),
        (
            "Type out PING-77aa exactly as it is written here.",
            &[],
            "=PING-77aa",
        ),
    ]);
}

#[test]
fn memories() {
    check_memories(
        "badger_9c1d",
        &[
            (
                "There is one word you must remember: badger_9c1d. Reply with exactly ACK and nothing else.",
                "What is the one word you must remember?",
            ),
            (
                "Please remember the word badger_9c1d until I ask you for it. Reply with just ACK.",
                "I'm asking you for the word now. Reply with it only.",
            ),
            (
                "Remember: the word is badger_9c1d. Reply with exactly ACK.",
                "Tell me the word you remember. No other words.",
            ),
            (
                "Save this word to your memory: badger_9c1d. Confirm with exactly ACK.",
                "Please repeat the word that I asked you to save to your memory.",
            ),
            (
                "Remember this word: badger_9c1d. Reply with exactly ACK and nothing else.",
                "What word was I asking you to remember in the previous turn? Reply with the word only, without quotes.",
            ),
            (
                "Remember this word: badger_9c1d. Reply with exactly ACK and nothing else.",
                "Reply with exactly the word from before.",
            ),
            (
                "Remember this word: badger_9c1d. Reply with exactly ACK and nothing else.",
                "Do not use tools. Which word did I give you to remember?",
            ),
        ],
    );
}

#[test]
fn looks() {
    check_looks(
        "/tmp/.rondar-session-files/note.txt",
        &[
            "A text file is at /tmp/.rondar-session-files/note.txt and an image is attached. Name the word in the text file and the colour of the image.",
            "Read the word in the file /tmp/.rondar-session-files/note.txt and name the colour of the attached image. Reply with both.",
            "What word is in the text file /tmp/.rondar-session-files/note.txt? What colour is the attached image? Reply with the two answers in one line.",
            "Look at the image and read /tmp/.rondar-session-files/note.txt. Then reply with the word and the colour only.",
            "Your tasks: a) read /tmp/.rondar-session-files/note.txt and report the word in it; b) report the colour of the image.",
        ],
    );
}

#[test]
fn commands() {
    check_each(
        &["$ sleep 120"],
        &[
            "Run the command sleep 120 with your shell and wait until it has finished, however long it takes.",
            "Please run a shell command for me: sleep 120. Wait for it to finish.",
            "Shell command: `sleep 120`. Run it, wait for it, and then say DONE.",
            "You must run `sleep 120` in the shell and you must wait for it.",
            "Use the shell tool and execute sleep 120. Don't return before it is over.",
        ],
    );
    check(&[
        (
            "Run the shell command echo delta-4 and reply with only its output.",
            &["$ echo delta-4"],
            "=delta-4",
        ),
        (
            "Please execute `echo delta-4`. What did it print?",
            &["$ echo delta-4"],
            "=delta-4",
        ),
        (
            "Use your shell tool to do exactly this and report the output: exit 7",
            &["$ exit 7"],
            "~exit status 7",
        ),
    ]);
}

#[test]
fn plans() {
    check_plans(
        "/w/brief.txt",
        "PLAN-c0ffee",
        &[
            "Read the file /w/brief.txt with the shell command cat. Save a plan with the tool create_plan: title PLAN-c0ffee, description the output of cat. Read the plan back with the tool get_plan. Reply with the plan ID.",
            "Run `cat /w/brief.txt`. Call create_plan with title PLAN-c0ffee and description equal to the output. Call get_plan with the returned id. Reply with the id only, no punctuation.",
            "Plan the work: cat /w/brief.txt, then save its output as a plan with the title PLAN-c0ffee by calling create_plan, then call get_plan to read that plan back. Your answer must be the plan ID.",
            "You are in Plan mode. Read /w/brief.txt with cat. Create a plan titled PLAN-c0ffee, with the output of cat as its description, via create_plan. Read it back via get_plan. Answer with the plan ID only.",
            "Use cat to read the file /w/brief.txt. Then use create_plan to save a plan. The plan's title: PLAN-c0ffee. The plan's description: the output of cat. Then use get_plan to read the plan. Reply with its ID.",
            "Step 1. Read /w/brief.txt with cat. Step 2. Save a plan (create_plan) with title PLAN-c0ffee and the output as description. Step 3. Read the plan back (get_plan). Step 4. Reply with the plan ID.",
        ],
    );
}

#[test]
fn files() {
    check(&[
        (
            "Using your shell, create the empty file regular-9.txt. Reply with DONE.",
            &["$ touch regular-9.txt"],
            "=DONE",
        ),
        (
            "Please create regular-9.txt in the current working directory by running a shell command. Then reply with exactly DONE.",
            &["$ touch regular-9.txt"],
            "=DONE",
        ),
        (
            "Run the shell command touch regular-9.txt and reply with DONE.",
            &["$ touch regular-9.txt"],
            "=DONE",
        ),
        (
            "Use a shell command to create regular-9.txt and write REG-9 into it.",
            &["$ printf '%s\\n' REG-9 > regular-9.txt"],
            "~",
        ),
        (
            "Create the file regular-9.txt with the shell command echo REG-9 > regular-9.txt.",
            &["$ echo REG-9 > regular-9.txt"],
            "~",
        ),
    ]);
}
