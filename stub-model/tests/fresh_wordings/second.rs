//! The second round: to see what the first was worth.

use crate::simulator::{Session, check, check_memories, check_plans, fits};
use stub_model::Part;

#[test]
fn replies() {
    check(&[
        (
            "This is about a file / folder dialog. Reply with exactly NO-1.",
            &[],
            "=NO-1",
        ),
        (
            "Ignore the file / folder names. Reply with exactly NO-1.",
            &[],
            "=NO-1",
        ),
        (
            "cat / less / more are pagers. Reply with exactly NO-1.",
            &[],
            "=NO-1",
        ),
        ("Print the marker REPLY-A1. That's all.", &[], "=REPLY-A1"),
        ("Return just the literal REPLY-A1", &[], "=REPLY-A1"),
        ("The reply must consist of REPLY-A1 only.", &[], "=REPLY-A1"),
        (
            "Please provide REPLY-A1 as your complete response.",
            &[],
            "=REPLY-A1",
        ),
        ("Let me see REPLY-A1 and nothing besides.", &[], "=REPLY-A1"),
        (
            "You should answer this with REPLY-A1 and stop there.",
            &[],
            "=REPLY-A1",
        ),
        ("Answer: REPLY-A1 (that is all I need)", &[], "=REPLY-A1"),
        (
            "Output format: a single line with REPLY-A1 in it.",
            &[],
            "=REPLY-A1",
        ),
        (
            "Would you reply with REPLY-A1, please? Nothing else.",
            &[],
            "=REPLY-A1",
        ),
        ("What I'd like as your reply: REPLY-A1", &[], "=REPLY-A1"),
        (
            "REPLY-A1\n\nRepeat the line above and nothing else.",
            &[],
            "=REPLY-A1",
        ),
    ]);
}
#[test]
fn memories() {
    check_memories(
        "WORD-B2",
        &[
            (
                "I have a word for you to keep: WORD-B2. Reply with exactly ACK.",
                "Which word was it?",
            ),
            (
                "Please hold this word in memory: WORD-B2. Only say ACK.",
                "Now give it back to me.",
            ),
            (
                "For later: the word is WORD-B2. Reply ACK.",
                "Tell me the word from before.",
            ),
            (
                "My word is WORD-B2; reply ACK and keep it.",
                "Tell me my word.",
            ),
            ("Remember WORD-B2 (a word). ACK, please.", "And the word?"),
            (
                "You'll be quizzed on this word: WORD-B2. Reply with exactly ACK and nothing else.",
                "Quiz: which word?",
            ),
        ],
    );
}
#[test]
fn shell() {
    check(&[
        (
            "In a terminal, start sleep 120; I will interrupt you.",
            &["$ sleep 120"],
            "~",
        ),
        (
            "Let the command sleep 120 run to its end.",
            &["$ sleep 120"],
            "~",
        ),
        ("Please run: sleep 120. Wait for it.", &["$ sleep 120"], "~"),
        (
            "The command is sleep 120. Run it and wait.",
            &["$ sleep 120"],
            "~",
        ),
        (
            "Make a file hello.txt holding MARK-9 by running a shell command.",
            &["$ printf '%s\\n' MARK-9 > hello.txt"],
            "~",
        ),
        (
            "Run the following and wait until done:\n\n    sleep 120\n",
            &["$ sleep 120"],
            "~",
        ),
        (
            "Use bash to execute `touch made.txt`, then say OK-1.",
            &["$ touch made.txt"],
            "=OK-1",
        ),
    ]);
}
#[test]
fn plans() {
    check_plans(
        "notes.txt",
        "Journey",
        &[
            "Please look at notes.txt using cat, store the output as the description of a new plan titled Journey (create_plan), load that plan (get_plan), and answer only with its ID.",
            "cat notes.txt. Make a plan with create_plan whose title is Journey and whose description is that text. Verify it with get_plan. Answer: the ID.",
            "Use cat on notes.txt. The plan: title=Journey, description=<what cat printed>. Save via create_plan, read back via get_plan, reply with ID.",
            "Step 1: run `cat notes.txt`. Step 2: create_plan, title Journey, description = output of step 1. Step 3: get_plan with the ID of step 2. Step 4: reply with that ID.",
            "Show the content of notes.txt with cat, then persist it by create_plan under the title Journey, then retrieve it by get_plan. The final answer is the plan ID only.",
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
        "What's in the image (colour), and what's the word in PATH?",
        "Answer both: colour of the image; word in PATH.",
        "The file PATH and the image belong together. Name the word and the colour.",
        "Using PATH and the picture, reply with the word and then the colour.",
        "Colour of the attached image? Word in PATH?",
        "Please find the word in PATH and name the image's colour too.",
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
