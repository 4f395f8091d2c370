//! Wordings of running commands.

mod simulator;

use simulator::{Session, check, fits};

#[test]
fn commands() {
    check(&[
        (
            "Run the shell command sleep 120 and wait for it.",
            &["$ sleep 120"],
            "~",
        ),
        ("Execute `echo hi`", &["$ echo hi"], "=hi"),
        ("run: ls -la", &["$ ls -la"], "~"),
        (
            "Please run the following command:\n```sh\necho a\necho b\n```",
            &["$ echo a\necho b"],
            "~",
        ),
        ("In the terminal, run 'echo a b'", &["$ echo a b"], "=a b"),
        (
            "use your shell tool to do exactly this and report the output: echo hi",
            &["$ echo hi"],
            "=hi",
        ),
        ("Wait for sleep 120 to finish", &["$ sleep 120"], "~"),
        ("Run sleep 120 in the shell.", &["$ sleep 120"], "~"),
        (
            "Run the command `sleep 120` in the terminal and wait until it is done.",
            &["$ sleep 120"],
            "~",
        ),
        (
            "Use the shell to run sleep 120. Wait for it to finish.",
            &["$ sleep 120"],
            "~",
        ),
        (
            "Please execute the command sleep 120 with your shell tool, and wait for it to end before you answer.",
            &["$ sleep 120"],
            "~",
        ),
        (
            "Start the command \"sleep 120\" and wait for it to complete.",
            &["$ sleep 120"],
            "~",
        ),
        ("Could you run sleep 120 for me?", &["$ sleep 120"], "~"),
        (
            "Run `sleep 120`, then reply DONE.",
            &["$ sleep 120"],
            "=DONE",
        ),
        ("Launch sleep 120 in a terminal", &["$ sleep 120"], "~"),
        (
            "I need you to run this command in the shell: sleep 120",
            &["$ sleep 120"],
            "~",
        ),
        ("Sleep for 120 seconds.", &["$ sleep 120"], "~"),
        ("wait 5 seconds", &["$ sleep 5"], "~"),
        (
            "Run this command and wait: sleep 120",
            &["$ sleep 120"],
            "~",
        ),
        (
            "run: printf '%s\\n' 'a b' \"c'd\" | wc -l",
            &["$ printf '%s\\n' 'a b' \"c'd\" | wc -l"],
            "~",
        ),
        (
            "run: trap 'sleep .3; echo done > /w/trap' TERM; sleep 300 & wait",
            &["$ trap 'sleep .3; echo done > /w/trap' TERM; sleep 300 & wait"],
            "~",
        ),
        (
            "Run: for i in $(seq 1 3000); do echo line-$i; sleep 0.002; done",
            &["$ for i in $(seq 1 3000); do echo line-$i; sleep 0.002; done"],
            "~",
        ),
        (
            "run: if true; then echo yes; fi",
            &["$ if true; then echo yes; fi"],
            "~",
        ),
        (
            "Run the shell command echo started; nohup sleep 120 >/dev/null 2>&1 &",
            &["$ echo started; nohup sleep 120 >/dev/null 2>&1 &"],
            "~",
        ),
        (
            "run sleep 20; touch /w/late",
            &["$ sleep 20; touch /w/late"],
            "~",
        ),
        (
            "Run python3 -c \"open('/w/h','w')\" and tell me the output.",
            &["$ python3 -c \"open('/w/h','w')\""],
            "~",
        ),
        ("RUN \"echo hi\"", &["$ echo hi"], "=hi"),
        ("run pwd", &["$ pwd"], "~"),
        (
            "Run `ls`, `pwd` and `date`.",
            &["$ ls", "$ pwd", "$ date"],
            "~",
        ),
        (
            "First run echo one. Then run echo two.",
            &["$ echo one", "$ echo two"],
            "~one|two",
        ),
        (
            "1. Run echo one\n2. Run echo two\n3. Reply with exactly FIN-1",
            &["$ echo one", "$ echo two"],
            "=FIN-1",
        ),
        (
            "Run the following commands:\n- echo one\n- echo two",
            &["$ echo one", "$ echo two"],
            "~one|two",
        ),
        ("Reply with OK-1 after running `ls`", &["$ ls"], "=OK-1"),
        ("After running `ls`, reply with OK-1.", &["$ ls"], "=OK-1"),
        (
            "exec echo hi, then tell me what it printed",
            &["$ echo hi"],
            "=hi",
        ),
        ("run exit 7", &["$ exit 7"], "~exit 7|exit status 7"),
        ("`echo hi`", &["$ echo hi"], "=hi"),
        ("```bash\necho hi\n```", &["$ echo hi"], "=hi"),
        (
            "```sh\necho hi\n```\nRun this and show me the output.",
            &["$ echo hi"],
            "~hi",
        ),
        ("run git status --short", &["$ git status --short"], "~"),
        (
            "Please run `ls .` and do not change anything.",
            &["$ ls ."],
            "~",
        ),
        ("Run ls ..", &["$ ls .."], "~"),
        ("What does `echo hi` print? Run it.", &["$ echo hi"], "~hi"),
        (
            "Run a shell command that creates an empty file named out.txt",
            &["$ touch out.txt"],
            "~",
        ),
        ("Don't run ls, just reply OK.", &[], "=OK"),
        ("Do not run rm -rf /. Reply with SAFE.", &[], "=SAFE"),
        (
            "Never run the command `rm x`. Run `ls` instead.",
            &["$ ls"],
            "~",
        ),
        ("Reply with \"sleep 10\"", &[], "=sleep 10"),
        (
            "run: bash -c 'echo $0; exit 0'",
            &["$ bash -c 'echo $0; exit 0'"],
            "~",
        ),
        ("run cat", &["$ cat"], "~"),
        ("run env", &["$ env"], "~"),
        (
            "Run: sleep 2; echo MARK11",
            &["$ sleep 2; echo MARK11"],
            "~",
        ),
        ("run seq 1 400000", &["$ seq 1 400000"], "~"),
        (
            "run yes x | head -c 30000000",
            &["$ yes x | head -c 30000000"],
            "~",
        ),
        (
            "Please run: sh -c 'while :; do :; done' TAG",
            &["$ sh -c 'while :; do :; done' TAG"],
            "~",
        ),
    ]);
}

#[test]
fn refusals_and_failures_are_told() {
    let rows: &[(&str, &[&str], &[&str], &str)] = &[
        (
            "Run `touch p1` and reply DONE-1",
            &["shell"],
            &["$ touch p1"],
            "~not allowed|touch p1",
        ),
        (
            "Run `touch p1`. Then read note.txt.",
            &["shell"],
            &["$ touch p1", "read note.txt"],
            "~not allowed|WORD-XYZ",
        ),
        (
            "cat note.txt into a plan titled T with create_plan, description = output",
            &["shell"],
            &["$ cat note.txt"],
            "~not allowed",
        ),
        (
            "Run touch p1 and reply DONE-1 in any case.",
            &["shell"],
            &["$ touch p1"],
            "~DONE-1|not allowed",
        ),
    ];
    for (prompt, refused, calls, wanted) in rows {
        let mut session = Session::new();
        session.refused = refused.to_vec();
        let turn = session.say(prompt);
        assert!(
            turn.calls == *calls && fits(&turn.answer, wanted),
            "{prompt}: {turn:?}"
        );
        assert!(
            !turn.answer.contains("DONE-1") || prompt.contains("any case"),
            "{prompt}: {turn:?}"
        );
    }
}
