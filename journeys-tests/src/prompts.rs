//! All that the checker says to an agent. The contract's own sentences stand as it has them; where it
//! only tells what is asked, the words are ours.
//!
//! Apart from the journeys, so that everything an agent must understand is on one page.

use serde_json::{Value, json};

use crate::recording::PlanInputs;

/// The first turn of `memory` and `load`.
#[must_use]
pub fn remember(word: &str) -> Vec<Value> {
    text(&format!(
        "Remember this word: {word}. Reply with exactly ACK and nothing else."
    ))
}

/// The second turn of `memory` and `load`.
#[must_use]
pub fn which_word() -> Vec<Value> {
    text("Which word did I ask you to remember? Reply with the word.")
}

/// The turn of `reply`.
#[must_use]
pub fn reply(marker: &str) -> Vec<Value> {
    text(&format!("Reply with exactly {marker} and nothing else."))
}

/// The turn of `image`: a path to a text file, and an image.
#[must_use]
pub fn image(path: &str, png_base64: &str) -> Vec<Value> {
    let mut blocks = text(&format!(
        "Read the text file {path} and look at the attached image. \
         Reply with the word that is in the file and the name of the colour of the image."
    ));
    blocks.push(json!({"type": "image", "mimeType": "image/png", "data": png_base64}));
    blocks
}

/// The turn of `cancel`.
#[must_use]
pub fn sleep() -> Vec<Value> {
    text("Run the shell command sleep 120 and wait for it.")
}

/// A Plan turn.
#[must_use]
pub fn plan(plan: &PlanInputs) -> Vec<Value> {
    let PlanInputs { title, file, .. } = plan;
    text(&format!(
        "Please save a plan, and change no file. \
         First run the shell command `cat {file}` and note what it prints. \
         Then call the tool create_plan with the title \"{title}\" and with a description \
         that holds the whole output of the cat command. \
         After that call the tool get_plan with the ID of that plan, to read it back. \
         At the end reply with the plan ID."
    ))
}

/// The regular turn of `modes`.
#[must_use]
pub fn create_file(file: &str) -> Vec<Value> {
    text(&format!(
        "Now create a file: run the shell command `echo created > {file}`. \
         Reply with DONE when the file is there."
    ))
}

/// The turn of `refused-permission`: an agent that follows scenario commands asks for something.
#[must_use]
pub fn ask_permission() -> Vec<Value> {
    text("/permission")
}

/// The turn in which `killed-mid-turn-then-load` kills the agent. Far longer than it takes to kill.
#[must_use]
pub fn slow() -> Vec<Value> {
    text("/slow 20s")
}

/// The turn of `model-failure`.
#[must_use]
pub fn fail() -> Vec<Value> {
    text("/error")
}

/// The first turn of `question`.
#[must_use]
pub fn ask_user() -> Vec<Value> {
    text("/ask")
}

/// The user's answer, where the question came as text.
#[must_use]
pub fn answer(answer: &str) -> Vec<Value> {
    text(answer)
}

fn text(text: &str) -> Vec<Value> {
    vec![json!({"type": "text", "text": text})]
}
