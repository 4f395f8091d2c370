//! A file and an image in one prompt, as the authors of other harnesses ask about them.

mod simulator;

use simulator::{check, check_looks};

#[test]
fn a_word_and_a_colour() {
    check_looks(
        "/tmp/.rondar-session-files/note.txt",
        &[
            "Read the text file /tmp/.rondar-session-files/note.txt. It holds one word. Also look at the image I attached. Reply with the word and the name of the colour of the image.",
            "I attached an image. I also saved a text file at /tmp/.rondar-session-files/note.txt. Reply with two words: the word in the file and the colour of the image.",
            "1. Read /tmp/.rondar-session-files/note.txt and find the word in it.\n2. Look at the attached image and determine its colour.\n3. Reply with the word and the colour, separated by a space.",
            "File: /tmp/.rondar-session-files/note.txt\nImage: attached\n\nWhat word is in the file, and what color is the image?",
            "- the word in `/tmp/.rondar-session-files/note.txt`\n- the colour of the attached picture\n\nReply with both on a single line.",
            "What is the word inside \"/tmp/.rondar-session-files/note.txt\"? And what is the dominant color in the attached PNG?",
            "Attached you will find a PNG. Name its colour. Then open /tmp/.rondar-session-files/note.txt and name the word in it.",
            "Please tell me (a) which word is written in the file /tmp/.rondar-session-files/note.txt and (b) what colour the attached image is. Answer in one line.",
            "The user attached these files:\n- /tmp/.rondar-session-files/note.txt\n- image.png\n\nName the word in the text file and the colour of the image.",
            "There are two attachments: a text file at /tmp/.rondar-session-files/note.txt and an image. What does the text file say, and which colour is the image?",
            "Look at the picture: which colour is it? Look into /tmp/.rondar-session-files/note.txt: which word is there?",
            "Reply with the word stored in /tmp/.rondar-session-files/note.txt and the colour shown in the image. Do not add anything else.",
            "Step 1: read the file at /tmp/.rondar-session-files/note.txt. Step 2: inspect the image. Step 3: answer with \"<word> <colour>\".",
            "Use your tools to read /tmp/.rondar-session-files/note.txt, then reply with the word it contains and the colour of the image that I sent with this message.",
            "Could you have a look at the image and at the file /tmp/.rondar-session-files/note.txt? I'd like to know the image's colour and the file's word.",
            "<file>/tmp/.rondar-session-files/note.txt</file>\nWhat is the word in this file? What is the colour of the image?",
            "Two questions. One: what word does /tmp/.rondar-session-files/note.txt contain? Two: what colour is the square in the image?",
            "The file /tmp/.rondar-session-files/note.txt has been attached along with an image. Identify the word and the colour.",
            "Read /tmp/.rondar-session-files/note.txt with cat. Tell me the word in it. Tell me also the colour of the image.",
            "In your reply, mention the word found in /tmp/.rondar-session-files/note.txt and say which colour the attached image has.",
            "What's in /tmp/.rondar-session-files/note.txt and what colour's the image?",
            "Attachments: /tmp/.rondar-session-files/note.txt. Reply with the word from the file, a comma, and the image colour in lower case.",
        ],
    );
}

#[test]
fn reading() {
    check(&[
        (
            "Use your file reading tool to do exactly this and report the output: read /w/brief.txt",
            &["read /w/brief.txt"],
            "~WORD-XYZ",
        ),
        (
            "Read /w/brief.txt with your file tool and report its contents.",
            &["read /w/brief.txt"],
            "~WORD-XYZ",
        ),
        (
            "Read the file data/nested/deep/source-text.md and reply with the word in it. Nothing else.",
            &["read data/nested/deep/source-text.md"],
            "=WORD-XYZ",
        ),
        (
            "What word is contained in \"./in put/brief v1.2.txt\"?",
            &["read ./in put/brief v1.2.txt"],
            "~WORD-XYZ",
        ),
        (
            "Please use the read tool on brief.txt and show me what it contains.",
            &["read brief.txt"],
            "~WORD-XYZ",
        ),
        (
            "Contents of brief.txt please, verbatim.",
            &["read brief.txt"],
            "~WORD-XYZ",
        ),
    ]);
}
