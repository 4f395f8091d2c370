//! Files to create with the shell, as the authors of other harnesses ask for them.

mod simulator;

use simulator::check;

#[test]
fn empty_files() {
    check(&[
        (
            "Create the file regular.txt with a shell command.",
            &["$ touch regular.txt"],
            "~",
        ),
        (
            "Use a shell command to create an empty file with the name regular.txt in the current directory. Reply with DONE.",
            &["$ touch regular.txt"],
            "=DONE",
        ),
        (
            "Run a shell command that creates the file /w/out/regular.txt.",
            &["$ mkdir -p /w/out && touch /w/out/regular.txt"],
            "~",
        ),
        (
            "Please create a file called `regular-1a2b.txt` by using your shell tool, then reply with exactly OK.",
            &["$ touch regular-1a2b.txt"],
            "=OK",
        ),
        (
            "Create (with a shell command such as touch) the file regular.txt",
            &["$ touch regular.txt"],
            "~",
        ),
        (
            "This is a regular turn, so you may write. Create the file regular.txt with a shell command. Reply with DONE and nothing else.",
            &["$ touch regular.txt"],
            "=DONE",
        ),
        (
            "You are no longer in plan mode. Use the shell to create a file named \"my file.v2.txt\".",
            &["$ touch 'my file.v2.txt'"],
            "~",
        ),
        ("touch regular.txt", &["$ touch regular.txt"], "~"),
        (
            "Run `touch regular.txt` and tell me when it's done.",
            &["$ touch regular.txt"],
            "~",
        ),
        (
            "Use your shell tool to do exactly this and report the output: touch /w/p1",
            &["$ touch /w/p1"],
            "~",
        ),
        (
            "A file named regular.txt should be created in the working directory with a shell command.",
            &["$ touch regular.txt"],
            "~",
        ),
        (
            "Step 1: create the file regular.txt using the shell. Step 2: reply with DONE.",
            &["$ touch regular.txt"],
            "=DONE",
        ),
        (
            "Could you make an empty file at /w/flag with the shell?",
            &["$ mkdir -p /w && touch /w/flag"],
            "~",
        ),
        (
            "Create the file .hidden-flag with a shell command.",
            &["$ touch .hidden-flag"],
            "~",
        ),
        (
            "Create the file $PWD/regular.txt with a shell command.",
            &["$ mkdir -p $PWD && touch $PWD/regular.txt"],
            "~",
        ),
        (
            "Create the file ~/regular.txt with a shell command.",
            &["$ touch ~/regular.txt"],
            "~",
        ),
        (
            "With the shell, create the file regular (no extension).",
            &["$ touch regular"],
            "~",
        ),
        (
            "Using a shell command, create a file in the working directory. The name of the file is regular.txt.",
            &["$ touch regular.txt"],
            "~",
        ),
        (
            "Create a file with a shell command.\nFile name: regular.txt",
            &["$ touch regular.txt"],
            "~",
        ),
    ]);
}

#[test]
fn files_with_content() {
    check(&[
        (
            "Create the file regular.txt containing the text REG-77 with a shell command.",
            &["$ printf '%s\\n' REG-77 > regular.txt"],
            "~",
        ),
        (
            "Use a shell command to create the file regular.txt with the content \"REG-77\".",
            &["$ printf '%s\\n' REG-77 > regular.txt"],
            "~",
        ),
        (
            "Run this shell command: echo REG-77 > regular.txt",
            &["$ echo REG-77 > regular.txt"],
            "~",
        ),
        (
            "Please run `printf REG-77 > regular.txt` in the shell. Reply with OK when finished.",
            &["$ printf REG-77 > regular.txt"],
            "=OK",
        ),
        (
            "Create a file regular.txt whose content is REG-77. Use the shell for this.",
            &["$ printf '%s\\n' REG-77 > regular.txt"],
            "~",
        ),
        (
            "Use the shell to write 'REG-77' into regular.txt, then reply with exactly WRITTEN and nothing else.",
            &["$ printf '%s\\n' REG-77 > regular.txt"],
            "=WRITTEN",
        ),
        (
            "1. With a shell command, create regular.txt.\n2. The file must contain the word REG-77.\n3. Reply with OK.",
            &["$ printf '%s\\n' REG-77 > regular.txt"],
            "=OK",
        ),
        (
            "Create a file with a shell command.\n- name: regular.txt\n- content: REG-77",
            &["$ printf '%s\\n' REG-77 > regular.txt"],
            "~",
        ),
        (
            "Put the text REG-77 in a new file called regular.txt using your shell tool.",
            &["$ printf '%s\\n' REG-77 > regular.txt"],
            "~",
        ),
        (
            "Execute a shell command to create regular.txt with REG-77 as its only content.",
            &["$ printf '%s\\n' REG-77 > regular.txt"],
            "~",
        ),
        (
            "Use your file tool to do exactly this and report the output: write x to /w/f",
            &["write /w/f <x>"],
            "~",
        ),
        (
            "Use your write tool to create /w/f with the content hello and report the output.",
            &["write /w/f <hello>"],
            "~",
        ),
        (
            "Write the file /w/p2 with the content hi there.",
            &["write /w/p2 <hi there>"],
            "~",
        ),
        (
            "Run a shell command that writes the line REG-77 to a file named out/regular.txt, creating the folder out if needed.",
            &["$ mkdir -p out && printf '%s\\n' REG-77 > out/regular.txt"],
            "~",
        ),
    ]);
}
