//! Wordings of the seven journeys that were written before the rules were looked at again.

use crate::simulator::{Session, check, check_memories, check_plans, fits};
use stub_model::Part;

#[test]
fn replies() {
    check(&[
        (
            "REPLY-A1 is what you should reply, nothing more.",
            &[],
            "=REPLY-A1",
        ),
        (
            "REPLY-A1 is the only thing you may answer.",
            &[],
            "=REPLY-A1",
        ),
        (
            "I want to see REPLY-A1 as the reply and nothing else.",
            &[],
            "=REPLY-A1",
        ),
        (
            "I expect to read REPLY-A1 as your answer, nothing else.",
            &[],
            "=REPLY-A1",
        ),
        (
            "I'd love to get REPLY-A1 back and no other text.",
            &[],
            "=REPLY-A1",
        ),
        (
            "Expected output: REPLY-A1. Produce exactly that and nothing else.",
            &[],
            "=REPLY-A1",
        ),
        (
            "Expected reply: REPLY-A1\nGive me precisely the expected reply.",
            &[],
            "=REPLY-A1",
        ),
        (
            "Your reply is <reply>REPLY-A1</reply>, without the tags.",
            &[],
            "=REPLY-A1",
        ),
        (
            "Send back what is inside <reply>REPLY-A1</reply>.",
            &[],
            "=REPLY-A1",
        ),
        (
            "Reply with exactly: The lamp is fixed, and it shines again.",
            &[],
            "=The lamp is fixed, and it shines again",
        ),
        ("Reply with: My work is done", &[], "=My work is done"),
        ("All I want from you is REPLY-A1.", &[], "=REPLY-A1"),
        (
            "Your reply to this message has to be REPLY-A1, exactly.",
            &[],
            "=REPLY-A1",
        ),
        (
            "This is a connectivity check; answer REPLY-A1 and nothing else.",
            &[],
            "=REPLY-A1",
        ),
        (
            "No preamble, no explanation: REPLY-A1 should be your whole reply.",
            &[],
            "=REPLY-A1",
        ),
        (
            "Test: the harness looks for REPLY-A1. Reply with exactly that marker and nothing else.",
            &[],
            "=REPLY-A1",
        ),
    ]);
}

#[test]
fn memories() {
    let question = "What was the word?";
    check_memories(
        "WORD-B2",
        &[
            (
                "Please store the following word: WORD-B2. Reply with exactly ACK and nothing else.",
                question,
            ),
            (
                "Save the following word: WORD-B2. Then answer ACK.",
                question,
            ),
            (
                "The word is WORD-B2, memorise it now. Respond: ACK",
                "Which word did you memorise?",
            ),
            (
                "Keep WORD-B2 for me. ACK is all you should reply.",
                "Which word do you keep for me?",
            ),
            (
                "I will ask you for this word later: WORD-B2. Until then, reply ACK.",
                "Now I ask you for the word.",
            ),
            (
                "WORD-B2 is a word to remember. Reply with exactly ACK and nothing else.",
                "Reply with the word that you remembered, nothing else.",
            ),
            (
                "Learn this word by heart: WORD-B2. Reply with exactly ACK.",
                "Say the word that you learnt by heart.",
            ),
            (
                "Put the word WORD-B2 into your memory. Reply exactly: ACK",
                "Give me back the word from your memory.",
            ),
            (
                "{\"remember\": \"WORD-B2\", \"reply\": \"ACK\"}",
                "What did I ask you to remember?",
            ),
        ],
    );
}

#[test]
fn shell_commands_and_cancels() {
    check(&[
        (
            "Start `sleep 120` in your shell and don't come back before it is over.",
            &["$ sleep 120"],
            "~",
        ),
        (
            "sleep 120 — run that in a shell, and wait for it.",
            &["$ sleep 120"],
            "~",
        ),
        (
            "Have the shell run sleep 120 and wait until it exits.",
            &["$ sleep 120"],
            "~",
        ),
        (
            "Kindly execute sleep 120 with your shell tool; block until it is done.",
            &["$ sleep 120"],
            "~",
        ),
        ("Shell command to run: sleep 120", &["$ sleep 120"], "~"),
        (
            "Create the file out.txt with a shell command: echo done > out.txt. Then reply DONE.",
            &["$ echo done > out.txt"],
            "=DONE",
        ),
        (
            "With a shell command, create a file made.txt that contains MARK-9.",
            &["$ printf '%s\\n' MARK-9 > made.txt"],
            "~",
        ),
        (
            "Use / as a separator and reply with yes / no",
            &[],
            "=yes / no",
        ),
        ("Reply with exactly A / B and nothing else.", &[], "=A / B"),
    ]);
}

#[test]
fn plans() {
    check_plans(
        "notes.txt",
        "Journey",
        &[
            "Read notes.txt with cat. Then save a plan with create_plan: title Journey, description the output of cat. Read it back with get_plan. Reply with the plan ID.",
            "Run cat notes.txt, call create_plan with {\"title\": \"Journey\", \"description\": \"<the output of cat>\"}, call get_plan with the id that you got, and reply with the plan ID only.",
            "First cat notes.txt. Second, call create_plan({\"title\": \"Journey\", \"description\": OUTPUT}) where OUTPUT is what cat printed. Third, call get_plan with the returned id. Finally reply with the id.",
            "`cat notes.txt`, then create_plan with the title \"Journey\" and what it printed as description, then get_plan for that plan. Your reply: the plan's ID and nothing else.",
            "I need a plan called Journey saved by create_plan. Its description is what `cat notes.txt` prints. Fetch the plan by get_plan afterwards, and answer with its id.",
            "Call create_plan with this JSON, after you have replaced the placeholder by the output of `cat notes.txt`:\n```json\n{\"title\": \"Journey\", \"description\": \"{{output}}\"}\n```\nThen get_plan with its id. Answer with the id.",
            "1) cat notes.txt\n2) create_plan (title: \"Journey\"; description: everything cat wrote)\n3) get_plan (id: the one from step 2)\n4) tell me that id",
        ],
    );
}

#[test]
fn files_and_images() {
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
        "Report (1) the word in PATH; (2) the colour of the image.",
        "Report: a) the word in PATH, b) the colour of the picture",
        "PATH has a word in it, and this message a picture. The word and the colour of the picture, please.",
        "Which colour is the attached square, and which word do you find in PATH?",
        "Answer in the form WORD COLOUR, where WORD is the word in PATH and COLOUR is that of the image.",
        "I wonder what colour the image is. Also, what's the word in PATH?",
        "Two questions. What word does the file PATH hold? What is the colour of the image I sent along?",
        "Have a look at PATH and at the image. Give me the word of the first and the colour of the second.",
        "The word in PATH plus the image's colour are all I need.",
    ] {
        let mut session = Session::new();
        let image = Part::Image {
            mime_type: "image/png".to_owned(),
            data: data.clone(),
        };
        let turn = session.send(vec![Part::Text(prompt.replace("PATH", path)), image]);
        let read = [format!("read {path}")];
        if turn.calls != read || !fits(&turn.answer, "~WORD-XYZ|red") {
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

/// What the agent says in place of a block that it cannot read is passed on, whatever else is asked.
#[test]
fn a_content_block_of_an_unknown_type_is_mentioned() {
    for prompt in ["Reply with exactly OK.", "run ls", "What is this?", ""] {
        let mut session = Session::new();
        let note = "[a content block of the unknown type \"hologram\"]";
        let turn = session.send(vec![Part::Text(prompt.into()), Part::Text(note.into())]);
        assert!(turn.answer.contains("hologram"), "{prompt}: {turn:?}");
    }
}
