//! Wordings of reading, writing, changing and finding files.

mod simulator;

use simulator::check;

#[test]
fn reading() {
    check(&[
        (
            "Read the file note.txt and tell me the word in it.",
            &["read note.txt"],
            "=WORD-XYZ",
        ),
        (
            "What word is in `notes/a b.txt`?",
            &["read notes/a b.txt"],
            "~WORD-XYZ",
        ),
        ("open note.txt", &["read note.txt"], "~WORD-XYZ"),
        (
            "There is a file at /tmp/.rondar-session-files/note.txt. It contains a word. Tell me the word.",
            &["read /tmp/.rondar-session-files/note.txt"],
            "=WORD-XYZ",
        ),
        (
            "Read the file with cat: note.txt",
            &["$ cat note.txt"],
            "~WORD-XYZ",
        ),
        ("use cat to show note.txt", &["$ cat note.txt"], "~WORD-XYZ"),
        ("run cat note.txt", &["$ cat note.txt"], "~WORD-XYZ"),
        (
            "Read note.txt with the cat command.",
            &["$ cat note.txt"],
            "~WORD-XYZ",
        ),
        ("What does note.txt say?", &["read note.txt"], "~WORD-XYZ"),
        (
            "Show me the contents of note.txt",
            &["read note.txt"],
            "~WORD-XYZ",
        ),
        (
            "What's in the file \"note.txt\"?",
            &["read note.txt"],
            "~WORD-XYZ",
        ),
        (
            "Tell me which word the file note.txt holds.",
            &["read note.txt"],
            "~WORD-XYZ",
        ),
        (
            "Look into note.txt. Reply with the word you find there and nothing else.",
            &["read note.txt"],
            "=WORD-XYZ",
        ),
        (
            "Please print the contents of the file note.txt.",
            &["read note.txt"],
            "~WORD-XYZ",
        ),
        (
            "READ /w/none.txt",
            &["read /w/none.txt"],
            "~could not|none.txt",
        ),
        (
            "Read lines 1 to 3 of note.txt",
            &["read_file {\"path\":\"note.txt\",\"line\":1,\"limit\":3}"],
            "~",
        ),
        (
            "Use the read_file tool on note.txt",
            &["read note.txt"],
            "~WORD-XYZ",
        ),
        (
            "The file note.txt contains a secret word. What is it?",
            &["read note.txt"],
            "~WORD-XYZ",
        ),
        (
            "What is the word written in the file at ./docs/plan-input.md?",
            &["read ./docs/plan-input.md"],
            "~",
        ),
    ]);
}

#[test]
fn writing() {
    check(&[
        (
            "Create a file named done.txt containing hello with a shell command",
            &["$ printf '%s\\n' hello > done.txt"],
            "~",
        ),
        (
            "Use the shell to create ./x/y.txt",
            &["$ mkdir -p ./x && touch ./x/y.txt"],
            "~",
        ),
        (
            "make an empty file out.txt by running a command",
            &["$ touch out.txt"],
            "~",
        ),
        (
            "Create the file a.txt with the text hello world.",
            &["write a.txt <hello world>"],
            "~",
        ),
        ("write the word MARK to a.txt", &["write a.txt <MARK>"], "~"),
        (
            "Create a file called regular.txt with this shell command: `echo hi > regular.txt`",
            &["$ echo hi > regular.txt"],
            "~",
        ),
        (
            "Use a shell command to create the file regular.txt with the text MODE-12.",
            &["$ printf '%s\\n' MODE-12 > regular.txt"],
            "~",
        ),
        (
            "Using the shell, create an empty file named flag.txt in the working directory.",
            &["$ touch flag.txt"],
            "~",
        ),
        (
            "In the terminal, create a file called flag.txt that contains the word FLAG.",
            &["$ printf '%s\\n' FLAG > flag.txt"],
            "~",
        ),
        (
            "Create a file named done.txt. Use a shell command for that.",
            &["$ touch done.txt"],
            "~",
        ),
        (
            "Please create the file 'done.txt' using the command touch done.txt",
            &["$ touch done.txt"],
            "~",
        ),
        (
            "Run a shell command to create a file named done-1.txt with the content DONE-1, then reply DONE.",
            &["$ printf '%s\\n' DONE-1 > done-1.txt"],
            "=DONE",
        ),
        ("touch /w/p1", &["$ touch /w/p1"], "~"),
        ("Write /w/p2", &["write /w/p2 <>"], "~"),
        ("WRITE rel.txt", &["write rel.txt <>"], "~"),
        (
            "Append the line bye to a.txt",
            &["$ printf '%s\\n' bye >> a.txt"],
            "~",
        ),
        ("Delete a.txt", &["$ rm -r a.txt"], "~"),
        ("Rename a.txt to b.txt", &["$ mv a.txt b.txt"], "~"),
        ("Copy a.txt to b.txt.", &["$ cp -r a.txt b.txt"], "~"),
        (
            "Make a directory called 'my dir'",
            &["$ mkdir -p 'my dir'"],
            "~",
        ),
        (
            "replace foo with bar in a.txt",
            &["edit_file {\"path\":\"a.txt\",\"old_text\":\"foo\",\"new_text\":\"bar\"}"],
            "~",
        ),
        (
            "In a.txt, change \"x y\" to \"z\".",
            &["edit_file {\"path\":\"a.txt\",\"old_text\":\"x y\",\"new_text\":\"z\"}"],
            "~",
        ),
        (
            "Create hello.py with this content:\n```python\nprint('hi')\n```",
            &["write hello.py <print('hi')>"],
            "~",
        ),
        (
            "Create a file a.txt. It should contain the word KIWI.",
            &["write a.txt <KIWI>"],
            "~",
        ),
        (
            "Save the text \"a b\" in the file c.txt",
            &["write c.txt <a b>"],
            "~",
        ),
        ("Put 42 into answer.txt", &["write answer.txt <42>"], "~"),
        ("Don't write any files. Reply NO-FILES.", &[], "=NO-FILES"),
        (
            "Run `echo hi` and save the output to out.txt",
            &["$ echo hi", "write out.txt <hi>"],
            "~",
        ),
    ]);
}

#[test]
fn finding() {
    check(&[
        ("list the files", &["list_directory {\"path\":\".\"}"], "~"),
        (
            "List the files in src.",
            &["list_directory {\"path\":\"src\"}"],
            "~",
        ),
        (
            "What files are in this folder?",
            &["list_directory {\"path\":\".\"}"],
            "~",
        ),
        (
            "search for TODO in src",
            &["search {\"pattern\":\"TODO\",\"path\":\"src\"}"],
            "~",
        ),
        ("find where foo is", &["search {\"pattern\":\"foo\"}"], "~"),
        (
            "Grep for \"fn main\" in the src folder",
            &["search {\"pattern\":\"fn main\",\"path\":\"src\"}"],
            "~",
        ),
        (
            "Where is the function parse_line defined?",
            &["search {\"pattern\":\"parse_line\"}"],
            "~",
        ),
    ]);
}
