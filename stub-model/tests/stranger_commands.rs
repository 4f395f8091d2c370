//! Commands to run, as the authors of other harnesses word them.

mod simulator;

use simulator::{check, check_each};

#[test]
fn waiting_for_a_command() {
    check_each(
        &["$ sleep 120"],
        &[
            "Run the shell command `sleep 120` and wait for it to finish before replying.",
            "Use your shell tool to do exactly this and report the output: sleep 120",
            "Please execute this shell command and wait for its completion: `sleep 120`",
            "Start a shell command that sleeps for 120 seconds (sleep 120) and wait for it.",
            "1. Run the shell command sleep 120.\n2. Wait for it to finish.\n3. Reply with DONE.",
            "Step 1: run `sleep 120` in the shell. Step 2: wait until it exits. Step 3: say DONE.",
            "First run sleep 120 in a shell. Second, wait for it. Finally, reply with DONE.",
            "Run this:\n\n```bash\nsleep 120\n```\n\nWait for the command to finish. Do not run it in the background.",
            "Execute sleep 120 in the foreground and wait for it to complete. Do not background it.",
            "<command>sleep 120</command>\nRun the command above with your shell tool and wait for it.",
            "The command `sleep 120` should be run in the shell. Wait for it.",
            "I want the shell command sleep 120 to be run. Wait for it, please.",
            "Can you kick off `sleep 120` in the shell and wait for it to return?",
            "Using your shell tool, run: sleep 120\nWait for it to finish and then report the exit code.",
            "Run exactly one shell command: sleep 120. Wait for it.",
            "Run the shell command \"sleep 120\" and block until it is finished. Do not reply before then.",
            "Invoke your shell tool with `sleep 120`. It will take two minutes; that's fine, wait for it.",
            "Shell command to run: sleep 120\nWait for it to end.",
            "You have a shell. Run sleep 120 there and wait.",
            "Don't do anything else: just run sleep 120 and wait for it.",
            "Run sleep 120, wait for it to finish, then tell me it has finished.",
            "- run: sleep 120\n- wait for it",
            "Run the command sleep 120 (it takes two minutes) and wait for it to finish.",
            "Would you run `sleep 120` and wait for the result of the command?",
        ],
    );
}

#[test]
fn output() {
    check(&[
        (
            "Run echo alpha-1 and report its output.",
            &["$ echo alpha-1"],
            "~alpha-1",
        ),
        (
            "Run `echo alpha-1`. Reply with its output only.",
            &["$ echo alpha-1"],
            "=alpha-1",
        ),
        (
            "Use your shell tool to do exactly this and report the output: printf '%s\\n' 'a b' \"c'd\" | wc -l",
            &["$ printf '%s\\n' 'a b' \"c'd\" | wc -l"],
            "~",
        ),
        (
            "Execute the command `echo alpha-1` and reply with the result of the command, nothing else.",
            &["$ echo alpha-1"],
            "=alpha-1",
        ),
        (
            "Please run this command, then give me that output: `echo alpha-1`",
            &["$ echo alpha-1"],
            "~alpha-1",
        ),
        (
            "What does the shell command `echo alpha-1` print? Run it and reply with exactly what it printed.",
            &["$ echo alpha-1"],
            "=alpha-1",
        ),
        (
            "Run the following shell command exactly as written and show me stdout:\necho alpha-1; echo beta-2",
            &["$ echo alpha-1; echo beta-2"],
            "~",
        ),
        (
            "Use your shell tool to do exactly this and report the output: for i in 1 2 3; do echo line-$i; done",
            &["$ for i in 1 2 3; do echo line-$i; done"],
            "~",
        ),
        (
            "With your shell tool, do exactly this, and report the output: python3 -c 'import time; time.sleep(600)' 4711",
            &["$ python3 -c 'import time; time.sleep(600)' 4711"],
            "~",
        ),
        (
            "Use your shell tool to do exactly this and report the output: sleep 20; touch /w/late",
            &["$ sleep 20; touch /w/late"],
            "~",
        ),
        (
            "Use your shell tool to do exactly this and report the output: echo started; sleep 120.99 &",
            &["$ echo started; sleep 120.99 &"],
            "~",
        ),
        (
            "Use your shell tool to do exactly this and report the output: cat",
            &["$ cat"],
            "~",
        ),
        (
            "Use your shell tool to run exactly the command below and report the output.\n\ntrap '' INT TERM; for i in $(seq 100); do echo old-$i; sleep .1; done",
            &["$ trap '' INT TERM; for i in $(seq 100); do echo old-$i; sleep .1; done"],
            "~",
        ),
        (
            "use your shell tool to do exactly this and report the output: `git status --short`",
            &["$ git status --short"],
            "~",
        ),
        (
            "Run `echo one` and then `echo two`, and reply with both outputs.",
            &["$ echo one", "$ echo two"],
            "~one|two",
        ),
        (
            "Use your shell tool to do exactly this and report the output: if true; then echo yes; fi",
            &["$ if true; then echo yes; fi"],
            "~",
        ),
        (
            "Run pwd in the shell. Reply with the path it prints, no punctuation.",
            &["$ pwd"],
            "~ran pwd",
        ),
    ]);
}

#[test]
fn nothing_that_was_not_asked_for() {
    check(&[
        (
            "Never run rm -rf build. Reply with exactly SAFE-1.",
            &[],
            "=SAFE-1",
        ),
        (
            "Do not execute any command. Explain nothing. Reply with SAFE-1.",
            &[],
            "=SAFE-1",
        ),
        (
            "Reply with exactly the text `rm -rf build` and nothing else.",
            &[],
            "=rm -rf build",
        ),
        (
            "If the file x.txt exists, delete it. Reply with SAFE-1.",
            &[],
            "=SAFE-1",
        ),
        (
            "You must not create any file. Reply with SAFE-1.",
            &[],
            "=SAFE-1",
        ),
        (
            "Without running anything, reply with SAFE-1.",
            &[],
            "=SAFE-1",
        ),
        (
            "Please don't touch note.txt; answer SAFE-1.",
            &[],
            "=SAFE-1",
        ),
    ]);
}

#[test]
fn tools_by_name() {
    check(&[
        ("Call the tool next.", &["next {}"], "~7"),
        (
            "Use your echo tool to do exactly this and report the output: text = hi there",
            &["echo {\"text\":\"hi there\"}"],
            "~hi there",
        ),
        (
            "Call the MCP tool `next` and report what it returned.",
            &["next {}"],
            "~7",
        ),
        (
            "Use the `echo` tool with text \"MARK9\" and reply with its result.",
            &["echo {\"text\":\"MARK9\"}"],
            "=MARK9",
        ),
        (
            "Call t_who and tell me the result.",
            &["t_who {}"],
            "~t_who done",
        ),
    ]);
}
