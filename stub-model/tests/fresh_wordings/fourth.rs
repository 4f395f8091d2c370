//! The fourth round.

use crate::simulator::{Session, check, check_memories, check_plans, fits};
use stub_model::Part;

#[test]
fn replies() {
    check(&[
        (
            "Please echo REPLY-Z9 back to me. Do not say anything else.",
            &[],
            "=REPLY-Z9",
        ),
        (
            "Reply REPLY-Z9, nothing else, no formatting.",
            &[],
            "=REPLY-Z9",
        ),
        (
            "For this check, the agent has to reply with exactly REPLY-Z9 and nothing else.",
            &[],
            "=REPLY-Z9",
        ),
        ("I will only accept the reply REPLY-Z9.", &[], "=REPLY-Z9"),
        (
            "Could you simply reply with REPLY-Z9? Thank you.",
            &[],
            "=REPLY-Z9",
        ),
        (
            "Send me the text REPLY-Z9 as your whole message.",
            &[],
            "=REPLY-Z9",
        ),
        (
            "Return this exact string and nothing else: REPLY-Z9",
            &[],
            "=REPLY-Z9",
        ),
        ("Do nothing but reply REPLY-Z9.", &[], "=REPLY-Z9"),
        (
            "Your response should contain only REPLY-Z9.",
            &[],
            "=REPLY-Z9",
        ),
        (
            "Answer this prompt with the marker REPLY-Z9 alone.",
            &[],
            "=REPLY-Z9",
        ),
    ]);
}
#[test]
fn memories() {
    check_memories(
        "WORD-Q7",
        &[
            (
                "Please keep in mind that the word is WORD-Q7. Reply with exactly ACK.",
                "What word should you keep in mind?",
            ),
            (
                "I tell you a word: WORD-Q7. Remember it well. Reply with exactly ACK and nothing else.",
                "Which word did I tell you? Reply with it only.",
            ),
            (
                "This is the word that you have to remember: WORD-Q7. Reply with exactly ACK and nothing else.",
                "Reply with exactly the word that you had to remember and nothing else.",
            ),
            (
                "Note down this word: WORD-Q7. Reply with exactly ACK.",
                "Read me the word that you noted down.",
            ),
            (
                "Learn the word WORD-Q7. Reply with exactly ACK.",
                "What is the word that you learned?",
            ),
            (
                "Remember the following for later: WORD-Q7. Answer only ACK.",
                "What did I tell you to remember for later?",
            ),
        ],
    );
}
#[test]
fn shell() {
    check(&[
        (
            "Run sleep 120 in the shell. Do not put it in the background. Wait for it.",
            &["$ sleep 120"],
            "~",
        ),
        (
            "Use the shell: sleep 120. Then report.",
            &["$ sleep 120"],
            "~",
        ),
        (
            "Execute \"sleep 120\" and do not return before it has ended.",
            &["$ sleep 120"],
            "~",
        ),
        (
            "Please start the command `sleep 120`, and wait for it to complete.",
            &["$ sleep 120"],
            "~",
        ),
        (
            "With a shell command, write the word MARK-1 into the file out.txt, then reply DONE.",
            &["$ printf '%s\\n' MARK-1 > out.txt"],
            "=DONE",
        ),
        (
            "Run `echo MARK-1 > out.txt` with your shell and tell me when it is done.",
            &["$ echo MARK-1 > out.txt"],
            "~",
        ),
    ]);
}
#[test]
fn plans() {
    check_plans(
        "notes.txt",
        "Journey",
        &[
            "Use the cat command to read notes.txt. Then call create_plan with title \"Journey\" and the file's content as the description. Then call get_plan with the plan's ID. At the end, reply with the plan ID.",
            "Read notes.txt by running cat. Put what you read into the description of a plan titled Journey, using create_plan. Use get_plan to load it. Your last message is the plan ID only.",
            "Prepare a plan: title Journey; description = the output of `cat notes.txt`. Save it (create_plan), load it (get_plan), and reply with its ID.",
            "Please cat notes.txt, create a plan titled 'Journey' whose description includes the output, fetch the plan again via get_plan, and finish with the plan's ID.",
            "Your job in this turn: cat notes.txt, then create_plan(title=\"Journey\", description=the output of cat), then get_plan(id), then answer with the ID.",
        ],
    );
}
#[test]
fn images() {
    let mut data = Vec::new();
    let mut encoder = png::Encoder::new(&mut data, 64, 64);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().unwrap();
    writer
        .write_image_data(&[220, 0, 0].repeat(64 * 64))
        .unwrap();
    drop(writer);
    let path = "/tmp/.rondar-session-files/note.txt";
    let mut faults = Vec::new();
    for prompt in [
        "Read PATH. Then look at the attached image. Reply with one line: the word from the file and the main colour of the image.",
        "A file was put at PATH and an image is attached. What is the word in the file, and what is the colour of the image?",
        "Give me the word that PATH contains and the colour that the image shows.",
        "What colour is the attached image and what word is written in the file PATH? Answer with both.",
        "Please open the text file at PATH and tell me its word; also say which colour the picture has.",
        "The attachment is a picture of one colour. PATH is a text with one word. Reply with the word and the colour.",
    ] {
        let mut session = Session::new();
        let image = Part::Image {
            mime_type: "image/png".to_owned(),
            data: data.clone(),
        };
        let turn = session.send(vec![Part::Text(prompt.replace("PATH", path)), image]);
        if turn.calls != [format!("read {path}")] || !fits(&turn.answer, "~WORD-XYZ|red") {
            faults.push(format!("{prompt}\n  {:?} {:?}", turn.calls, turn.answer));
        }
    }
    assert!(
        faults.is_empty(),
        "{} fail\n{}",
        faults.len(),
        faults.join("\n")
    );
}
